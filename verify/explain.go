package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"crossswe/internal/cli"
	"crossswe/internal/store"
	"crossswe/schemas"
	"crossswe/verify/internal/matrix"
)

// explain shows one verdict to people: what it stands on and where to look.
func (s *stage) explain(ctx context.Context, id string) error {
	v, ok, err := store.Get[schemas.Verdict](ctx, s.Store, id)
	if err != nil {
		return err
	}
	if !ok {
		return cli.Usagef("there is no verdict on %q", id)
	}
	s.Out.Record(v)
	s.Out.Textf("%s", page(v))
	text, err := s.failures(ctx, v)
	if err != nil {
		return err
	}
	s.Out.Textf("%s\nRuns\n%s", text, s.runs(v))
	return nil
}

// page writes everything that stands in the record itself.
func page(v schemas.Verdict) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s: %s\n\n", v.Candidate, v.Kind, v.Reason)
	for i, r := range v.Repos {
		fmt.Fprintf(&b, "  %c = %s\n", 'A'+i, r)
	}
	fmt.Fprintf(&b, "\nreadings: single test %s, set %s, suite %s\n", yes(v.Levels.SingleTest), yes(v.Levels.Set), yes(v.Levels.Suite))
	fmt.Fprintf(&b, "tests: %d fail to pass, %d pass to pass, %d need one side, %d vary\n",
		len(v.FailToPass), len(v.PassToPass), len(v.SingleSide), len(v.Flaky))
	b.WriteString("\nMasks\n")
	for _, m := range append([]schemas.MaskRow{v.Health}, v.Masks...) {
		fmt.Fprintf(&b, "  %-*s %-4s %3d runs %5d passed %4d failed %4d errored %4d skipped %4d not run", 2*len(v.Repos)+2, m.Name, m.Outcome, m.Runs, m.Passed, m.Failed, m.Errored, m.Skipped, m.NotRun)
		if m.Failure != "" {
			fmt.Fprintf(&b, "  %s: %s", m.Failure, m.Detail)
		}
		b.WriteString("\n")
	}
	joint(&b, v)
	table(&b, v)
	return b.String()
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// joint lists the joint tests by what the change does to them.
func joint(b *strings.Builder, v schemas.Verdict) {
	by := map[schemas.Touch][]schemas.TestID{}
	for _, t := range v.Tests {
		if t.Joint {
			by[t.Touch] = append(by[t.Touch], t.ID)
		}
	}
	for _, touch := range []schemas.Touch{schemas.TouchNew, schemas.TouchChanged, schemas.TouchUnchanged} {
		list(b, fmt.Sprintf("Joint tests, %s", touch), by[touch])
	}
	for _, l := range v.LeftOut {
		fmt.Fprintf(b, "\nLeft out of %s of %s, since they kill their process under the full mask: %s\n", l.Target, l.Repo, strings.Join(l.Tests, ", "))
	}
	list(b, "Tests that vary", v.Flaky)
}

// maxList bounds the lists on the page.
const maxList = 30

func list(b *strings.Builder, title string, ids []schemas.TestID) {
	if len(ids) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s (%d)\n", title, len(ids))
	for i, id := range ids {
		if i == maxList {
			fmt.Fprintf(b, "  … and %d more\n", len(ids)-i)
			break
		}
		fmt.Fprintf(b, "  %s\n", id)
	}
}

// letter is the sign of an outcome in the truth table; inferred ones are small.
func letter(c schemas.Cell) string {
	signs := map[schemas.Outcome]string{schemas.OutcomePass: "P", schemas.OutcomeFail: "F", schemas.OutcomeError: "E",
		schemas.OutcomeSkip: "S", schemas.OutcomeNotRun: "-", schemas.OutcomeVaries: "V"}
	s := signs[c.Outcome]
	if c.Inferred {
		return strings.ToLower(s)
	}
	return s
}

// table writes the truth tables: single tests where the change touches them or
// they are joint, the others by how many share one.
func table(b *strings.Builder, v schemas.Verdict) {
	b.WriteString("\nTruth table (P pass, F fail, E error, S skip, - not run, V varies; small: inferred)\n  ")
	for _, m := range v.Masks {
		fmt.Fprintf(b, "%s ", m.Name)
	}
	b.WriteString("\n")
	singly := func(t schemas.TestRow) bool {
		return t.Touch != schemas.TouchUnchanged || (t.Joint && slices.Contains(v.Joint, t.ID)) || slices.Contains(v.Flaky, t.ID)
	}
	width, shown, others := 2*len(v.Repos)+1, 0, map[string]int{}
	for _, t := range v.Tests {
		cells := cells(t, width)
		if t.ID.IsLoad() {
			continue
		}
		if !singly(t) {
			others[cells+string(t.Repo)]++
			continue
		}
		if shown++; shown <= maxRows {
			fmt.Fprintf(b, "  %s%-9s %s\n", cells, t.Touch, t.ID)
		}
	}
	if shown > maxRows {
		fmt.Fprintf(b, "  … and %d more\n", shown-maxRows)
	}
	keys := slices.SortedFunc(maps.Keys(others), func(a, b string) int { return cmp.Or(others[b]-others[a], strings.Compare(a, b)) })
	for _, k := range keys[:min(len(keys), maxList)] {
		fmt.Fprintf(b, "  %sunchanged %d of %s\n", k[:width*len(v.Masks)], others[k], k[width*len(v.Masks):])
	}
}

// maxRows bounds the tests that are shown singly.
const maxRows = 60

func cells(t schemas.TestRow, width int) string {
	var b strings.Builder
	for _, c := range t.Cells {
		fmt.Fprintf(&b, "%-*s", width, letter(c))
	}
	return b.String()
}

// maxExcerpt bounds the evidence shown for one mask.
const maxExcerpt = 1500

// failures shows, for each mask, the evidence of its failure: the unit that did
// not load, or the first joint or fail-to-pass test that failed.
func (s *stage) failures(ctx context.Context, v schemas.Verdict) (string, error) {
	var b strings.Builder
	b.WriteString("\nWhat failed\n")
	for _, r := range v.Runs {
		if r.Repetition != 1 {
			continue
		}
		body, err := s.artefacts.Get(ctx, r.Results)
		if err != nil {
			return "", err
		}
		var results map[schemas.TestID]matrix.Result
		if err := json.Unmarshal(body, &results); err != nil {
			return "", fmt.Errorf("reading the results of %s: %w", v.Candidate, err)
		}
		if id, ok := telling(v, results); ok {
			res := results[id]
			text := res.Detail
			if len(text) > maxExcerpt {
				text = strings.ToValidUTF8(text[:maxExcerpt], "") + "…"
			}
			fmt.Fprintf(&b, "  %s: %s [%s]\n      %s\n", runName(v, r), id, res.Failure, strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n      "))
		}
	}
	return b.String(), nil
}

// telling chooses the result that says most.
func telling(v schemas.Verdict, results map[schemas.TestID]matrix.Result) (schemas.TestID, bool) {
	var ids []schemas.TestID
	for id, r := range results {
		if r.Outcome == schemas.OutcomeFail || r.Outcome == schemas.OutcomeError {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b schemas.TestID) int {
		if d := rank(v, a) - rank(v, b); d != 0 {
			return d
		}
		return strings.Compare(string(a), string(b))
	})
	if len(ids) == 0 {
		return "", false
	}
	return ids[0], true
}

func rank(v schemas.Verdict, id schemas.TestID) int {
	switch {
	case slices.Contains(v.Joint, id):
		return 0
	case id.IsLoad():
		return 1
	case slices.Contains(v.FailToPass, id):
		return 2
	}
	return 3
}

func runName(v schemas.Verdict, r schemas.Run) string {
	if r.Health {
		return "health"
	}
	return r.Mask.Name(len(v.Repos))
}

// runs lists the trials with their logs.
func (s *stage) runs(v schemas.Verdict) string {
	var b strings.Builder
	for _, r := range v.Runs {
		fmt.Fprintf(&b, "  %s #%d %s", runName(v, r), r.Repetition, r.Duration.Round(100*time.Millisecond))
		if r.Failure != "" {
			fmt.Fprintf(&b, " %s: %s", r.Failure, r.Detail)
		}
		b.WriteString("\n")
		for _, st := range r.Steps {
			if st.Name != "test" && st.Exit == 0 {
				continue
			}
			fmt.Fprintf(&b, "      %s %s exit %d", st.Name, st.Target, st.Exit)
			if st.TimedOut {
				b.WriteString(" (time limit)")
			}
			if st.Log != "" {
				fmt.Fprintf(&b, "  %s", s.artefacts.Location(st.Log))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}
