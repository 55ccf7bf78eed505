package card

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"crossswe/schemas"
)

// The paper's figures (CrossSWE, sections 1 and 3.3, tables 2 and 3).
const (
	paperRows         = 171
	paperRepositories = 165
	paperLanguages    = 13
	paperDomains      = 20
)

var (
	paperSides   = map[int]int{2: 165, 3: 5, 5: 1}
	paperIntents = map[schemas.TaskIntent]int{
		schemas.IntentFeature: 54, schemas.IntentAPI: 43, schemas.IntentBugFix: 22, schemas.IntentSecurity: 21,
		schemas.IntentDeployment: 14, schemas.IntentMigration: 9, schemas.IntentTests: 7, schemas.IntentPropagation: 1,
	}
)

func composition(b *strings.Builder, rows []schemas.Instance) {
	var repos, languages, domains []string
	bySides := map[int]int{}
	multi := 0
	for _, r := range rows {
		for _, repo := range r.Repos {
			repos = append(repos, strings.ToLower(repo.Repo))
		}
		bySides[len(r.Repos)]++
		languages = append(languages, r.Languages...)
		if r.Domain != "" {
			domains = append(domains, r.Domain)
		}
		if len(r.Languages) > 1 {
			multi++
		}
	}
	b.WriteString("## Composition\n\n| | this dataset | the paper |\n| --- | ---: | ---: |\n")
	line := func(what string, n, paper int) { fmt.Fprintf(b, "| %s | %d | %d |\n", what, n, paper) }
	line("instances", len(rows), paperRows)
	line("repositories", len(count(repos)), paperRepositories)
	for n := 2; n <= schemas.MaxSides; n++ {
		line(fmt.Sprintf("of %d repositories", n), bySides[n], paperSides[n])
	}
	line("languages", len(count(languages)), paperLanguages)
	line("technical domains", len(count(domains)), paperDomains)
	fmt.Fprintf(b, "\n%d instances are in more than one language.\n\n", multi)
	table(b, "language", count(languages))
	table(b, "domain", count(domains))
}

func table(b *strings.Builder, what string, list []counted) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "| %s | instances |\n| --- | ---: |\n", what)
	for _, c := range list {
		fmt.Fprintf(b, "| %s | %d |\n", cell(c.value), c.n)
	}
	b.WriteString("\n")
}

func sizes(b *strings.Builder, rows []schemas.Instance) {
	var files, lines []int
	manyFiles, manyLines := 0, 0
	for _, r := range rows {
		files, lines = append(files, int(r.ChangedFiles)), append(lines, int(r.ChangedLines))
		if r.ChangedFiles > 10 {
			manyFiles++
		}
		if r.ChangedLines > 200 {
			manyLines++
		}
	}
	b.WriteString("## Size of the reference patches\n\nFigures of the gold patches: everything but tests, over all repositories of an instance.\n\n")
	b.WriteString("| | this dataset | the paper | SWE-bench Pro | SWE-Bench ProMax |\n| --- | ---: | ---: | ---: | ---: |\n")
	fmt.Fprintf(b, "| more than 10 files | %s | 56.1 %% | 6 %% | 30 %% |\n", percent(manyFiles, len(rows)))
	fmt.Fprintf(b, "| more than 200 lines | %s | 66.7 %% | 13 %% | 32 %% |\n", percent(manyLines, len(rows)))
	fmt.Fprintf(b, "| median files | %s | | | |\n| median lines | %s | | | |\n\n", median(files), median(lines))
}

func median(values []int) string {
	if len(values) == 0 {
		return "–"
	}
	slices.Sort(values)
	mid := len(values) / 2
	if len(values)%2 == 1 {
		return fmt.Sprint(values[mid])
	}
	return fmt.Sprintf("%g", float64(values[mid-1]+values[mid])/2)
}

func intents(b *strings.Builder, rows []schemas.Instance) {
	n := map[schemas.TaskIntent]int{}
	for _, r := range rows {
		n[schemas.TaskIntent(r.TaskIntent)]++
	}
	b.WriteString("## Task intents\n\n| intent | this dataset | the paper |\n| --- | ---: | ---: |\n")
	for _, i := range schemas.TaskIntents {
		fmt.Fprintf(b, "| %s | %d | %d |\n", i, n[i], paperIntents[i])
	}
	if n[""] > 0 {
		fmt.Fprintf(b, "| not told | %d | |\n", n[""])
	}
	b.WriteString("\n")
}

func verification(b *strings.Builder, rows []schemas.Instance) {
	var levels, evidence, states []string
	joint, f2p, p2p := 0, 0, 0
	for _, r := range rows {
		levels, evidence = append(levels, r.JointLevel), append(evidence, cmp.Or(r.Evidence, "none"))
		joint, f2p, p2p = joint+len(r.JointTests), f2p+len(r.FailToPass), p2p+len(r.PassToPass)
		for _, m := range r.Masks {
			states = append(states, m.Verdict)
		}
	}
	fmt.Fprintf(b, "## Verification\n\n%d states were judged. The instances have %d fail-to-pass tests, %d of them joint, and %d pass-to-pass tests.\n\n", len(states), f2p, joint, p2p)
	table(b, "strictest reading that holds", count(levels))
	table(b, "evidence", count(evidence))
}

// window tells when the changes were merged, and how many rows lie after the
// end of each month: what is left for a model whose training ended then.
func window(b *strings.Builder, rows []schemas.Instance) {
	b.WriteString("## Dates\n\n")
	if len(rows) == 0 {
		b.WriteString("No rows.\n\n")
		return
	}
	months := map[string]int{}
	first, last := rows[0].LatestMergeAt, rows[0].LatestMergeAt
	for _, r := range rows {
		months[r.LatestMergeAt.Format("2006-01")]++
		if r.LatestMergeAt.Before(first) {
			first = r.LatestMergeAt
		}
		if r.LatestMergeAt.After(last) {
			last = r.LatestMergeAt
		}
	}
	fmt.Fprintf(b, "The last merge of an instance lies between %s and %s. There is one split; for a model whose training data end with a month, the rows\nafter it are those with a later `latest_merge_at`:\n\n| month | merged in it | merged after it |\n| --- | ---: | ---: |\n", first.Format(time.DateOnly), last.Format(time.DateOnly))
	after := len(rows)
	for m := monthOf(first); !m.After(last); m = m.AddDate(0, 1, 0) {
		name := m.Format("2006-01")
		after -= months[name]
		fmt.Fprintf(b, "| %s | %d | %d |\n", name, months[name], after)
	}
	b.WriteString("\n")
}

func monthOf(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC) }

func licences(b *strings.Builder, rows []schemas.Instance) {
	licence := map[string]string{}
	for _, r := range rows {
		for _, repo := range r.Repos {
			key := strings.ToLower(repo.Repo)
			licence[key] = cmp.Or(repo.License, licence[key], "not detected")
		}
	}
	var all []string
	for _, l := range licence {
		all = append(all, l)
	}
	b.WriteString("## Licences\n\nCode and texts stay under the licence of their repository, as detected at the base commit; `repos.license` has it per row.\n\n| licence | repositories |\n| --- | ---: |\n")
	for _, c := range count(all) {
		fmt.Fprintf(b, "| %s | %d |\n", cell(c.value), c.n)
	}
	b.WriteString("\n")
}

func reviews(b *strings.Builder, in Input) {
	approved := 0
	for _, r := range in.Rows {
		if r.StatementApproved {
			approved++
		}
	}
	b.WriteString("## Review by people\n\n")
	switch e := in.Reviews; {
	case e.Units == 0:
		b.WriteString("No candidate was judged by two people independently, so there is no agreement to report.\n")
	case !e.Defined:
		fmt.Fprintf(b, "%d candidates were judged by two people or more, all with the same choice, which leaves their agreement undefined.\n", e.Units)
	case !e.HasInterval:
		fmt.Fprintf(b, "Krippendorff's alpha of the choices (keep, drop, unsure) is %.2f over %d candidates.\n", e.Value, e.Units)
	default:
		fmt.Fprintf(b, "Krippendorff's alpha of the choices (keep, drop, unsure) is %.2f (95 %%: %.2f to %.2f) over %d candidates judged by two people or more.\n", e.Value, e.Low, e.High, e.Units)
	}
	fmt.Fprintf(b, "%d of %d problem statements were approved by a person.\n\n", approved, len(in.Rows))
}

func funnel(b *strings.Builder, list []Outcome) {
	b.WriteString("## Funnel\n\nWhat became of everything that each stage looked at:\n\n| stage | outcome | reason | items |\n| --- | --- | --- | ---: |\n")
	for _, o := range list {
		fmt.Fprintf(b, "| %s | %s | %s | %d |\n", cell(o.Stage), cell(o.State), cell(o.Reason), o.Count)
	}
	b.WriteString("\n")
}
