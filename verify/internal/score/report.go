package score

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"crossswe/schemas"
)

// Scored is a prediction with its judgement.
type Scored struct {
	Prediction Prediction
	Evaluation schemas.Evaluation
}

// slice is one line of the breakdown: the instances that it is about.
type slice struct {
	name string
	in   func(schemas.Instance) bool
}

// slices of the paper: languages (section 5.1) and the sizes of figure 3.
var breakdown = []slice{
	{"all", func(schemas.Instance) bool { return true }},
	{"single-language", func(r schemas.Instance) bool { return len(r.Languages) <= 1 }},
	{"multi-language", func(r schemas.Instance) bool { return len(r.Languages) > 1 }},
	{"2 repositories", func(r schemas.Instance) bool { return len(r.Repos) == 2 }},
	{"more repositories", func(r schemas.Instance) bool { return len(r.Repos) > 2 }},
	{"up to 200 lines", func(r schemas.Instance) bool { return r.ChangedLines <= 200 }},
	{"more lines", func(r schemas.Instance) bool { return r.ChangedLines > 200 }},
	{"up to 10 files", func(r schemas.Instance) bool { return r.ChangedFiles <= 10 }},
	{"more files", func(r schemas.Instance) bool { return r.ChangedFiles > 10 }},
}

// Report writes the tables of every model: how its predictions ended, Pass@k
// overall and by kind of instance, and what they cost. Instances without a
// prediction count as not resolved.
func Report(rows []schemas.Instance, scored []Scored) string {
	var b strings.Builder
	for _, model := range models(scored) {
		mine := slices.DeleteFunc(slices.Clone(scored), func(s Scored) bool { return s.Prediction.Model != model })
		fmt.Fprintf(&b, "%s: %d predictions for %d of %d instances\n\n", named(model), len(mine), len(byInstance(mine)), len(rows))
		outcomes(&b, mine)
		passes(&b, rows, byInstance(mine))
		usage(&b, mine)
	}
	return b.String()
}

func named(model string) string {
	if model == "" {
		return "(no model named)"
	}
	return model
}

func models(scored []Scored) []string {
	var all []string
	for _, s := range scored {
		all = append(all, s.Prediction.Model)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func byInstance(scored []Scored) map[string][]Scored {
	all := map[string][]Scored{}
	for _, s := range scored {
		all[s.Prediction.Instance] = append(all[s.Prediction.Instance], s)
	}
	return all
}

func outcomes(b *strings.Builder, scored []Scored) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, o := range schemas.EvaluationOutcomes {
		n := 0
		for _, s := range scored {
			if s.Evaluation.Outcome == o {
				n++
			}
		}
		fmt.Fprintf(w, "  %s\t%d\n", o, n)
	}
	w.Flush()
	b.WriteByte('\n')
}

// passes writes Pass@k for every k that some instance has the attempts for, up
// to the most attempts of any.
func passes(b *strings.Builder, rows []schemas.Instance, scored map[string][]Scored) {
	most := 1
	for _, s := range scored {
		most = max(most, len(s))
	}
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "  instances\tn")
	for _, k := range ks(most) {
		fmt.Fprintf(w, "\tPass@%d", k)
	}
	fmt.Fprintln(w)
	for _, part := range breakdown {
		attempts, resolved := counts(rows, scored, part.in)
		if len(attempts) == 0 {
			continue
		}
		fmt.Fprintf(w, "  %s\t%d", part.name, len(attempts))
		for _, k := range ks(most) {
			fmt.Fprintf(w, "\t%s", percent(passAtK(attempts, resolved, k)))
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	b.WriteByte('\n')
}

// ks are the k of the table: 1, 2, 5, 10, and so on, and the most there is.
func ks(most int) []int {
	var all []int
	for step := 1; step <= most; step *= 10 {
		for _, k := range []int{step, 2 * step, 5 * step} {
			if k < most {
				all = append(all, k)
			}
		}
	}
	return append(all, most)
}

func counts(rows []schemas.Instance, scored map[string][]Scored, in func(schemas.Instance) bool) (attempts, resolved []int) {
	for _, r := range rows {
		if !in(r) {
			continue
		}
		c := 0
		for _, s := range scored[r.InstanceID] {
			if s.Evaluation.Outcome == schemas.EvaluationResolved {
				c++
			}
		}
		attempts, resolved = append(attempts, len(scored[r.InstanceID])), append(resolved, c)
	}
	return attempts, resolved
}

func percent(i Interval, ok bool) string {
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%.2f %% (%.1f to %.1f)", 100*i.Value, 100*i.Low, 100*i.High)
}

// usage writes the means of what the predictions say of themselves, over those
// that say it.
func usage(b *strings.Builder, scored []Scored) {
	for _, f := range []struct {
		name   string
		figure func(Usage) *float64
	}{
		{"input tokens", func(u Usage) *float64 { return u.InputTokens }},
		{"output tokens", func(u Usage) *float64 { return u.OutputTokens }},
		{"steps", func(u Usage) *float64 { return u.Steps }},
		{"cost in $", func(u Usage) *float64 { return u.CostUSD }},
	} {
		sum, n := 0.0, 0
		for _, s := range scored {
			if v := f.figure(s.Prediction.Usage); v != nil {
				sum += *v
				n++
			}
		}
		if n > 0 {
			fmt.Fprintf(b, "  average %s: %.4g (of %d predictions)\n", f.name, sum/float64(n), n)
		}
	}
	b.WriteByte('\n')
}
