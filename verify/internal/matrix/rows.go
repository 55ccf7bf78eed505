package matrix

import (
	"strings"

	"crossswe/schemas"
)

// rows writes every test's truth table, pseudo-tests after the tests.
func (j *judgement) rows(v *schemas.Verdict) {
	v.Tests = []schemas.TestRow{}
	for _, p := range j.patterns {
		row := j.row(p.id)
		row.Needs = p.needs
		row.Joint = j.counted(p) && p.set == j.set.full() && p.set.Count() >= 2
		v.Tests = append(v.Tests, row)
	}
	for _, id := range j.table.loads {
		if j.set.repo(id) >= 0 {
			v.Tests = append(v.Tests, j.row(id))
		}
	}
}

func (j *judgement) row(id schemas.TestID) schemas.TestRow {
	row := schemas.TestRow{ID: id, Touch: j.set.touch(id), Needs: []schemas.Mask{}, Repo: j.set.Repos[j.set.repo(id)]}
	for m := schemas.Mask(0); m <= j.set.full(); m++ {
		row.Cells = append(row.Cells, j.table.cell(id, m).Cell)
	}
	return row
}

// maskRows sums up every mask.
func (j *judgement) maskRows(f2p []schemas.TestID) []schemas.MaskRow {
	var rows []schemas.MaskRow
	for m := schemas.Mask(0); m <= j.set.full(); m++ {
		row := j.emptyRow(m)
		row.Runs = len(j.table.runs[m])
		for _, p := range j.patterns {
			count(&row, j.table.cell(p.id, m).Outcome)
		}
		for _, id := range f2p {
			if j.table.cell(id, m).Outcome != schemas.OutcomePass {
				row.Outcome = schemas.OutcomeFail
			}
		}
		if len(f2p) == 0 && row.Failed+row.Errored > 0 {
			row.Outcome = schemas.OutcomeFail
		}
		if row.Passed+row.Failed+row.Errored+row.Skipped == 0 {
			row.Outcome = schemas.OutcomeNotRun
		}
		row.Failure, row.Detail = j.telling(m, f2p)
		rows = append(rows, row)
	}
	return rows
}

func (j *judgement) emptyRow(m schemas.Mask) schemas.MaskRow {
	return schemas.MaskRow{Mask: m, Name: m.Name(len(j.set.Repos)), Patched: j.names(m), Outcome: schemas.OutcomePass}
}

func count(row *schemas.MaskRow, o schemas.Outcome) {
	switch o {
	case schemas.OutcomePass:
		row.Passed++
	case schemas.OutcomeFail, schemas.OutcomeVaries:
		row.Failed++
	case schemas.OutcomeError:
		row.Errored++
	case schemas.OutcomeSkip:
		row.Skipped++
	default:
		row.NotRun++
	}
}

// telling returns the failure that says most about a mask: a unit that did not
// load, else a fail-to-pass test, else any test.
func (j *judgement) telling(m schemas.Mask, f2p []schemas.TestID) (schemas.Failure, string) {
	for _, ids := range [][]schemas.TestID{j.table.loads, f2p, j.table.ids} {
		for _, id := range ids {
			if c := j.table.cell(id, m); failed(c.Outcome) {
				return c.Failure, shorten(id.Name() + ": " + c.detail)
			}
		}
	}
	return "", ""
}

// shorten keeps a line or two.
func shorten(s string) string {
	lines := strings.SplitN(strings.TrimSpace(s), "\n", 3)
	return oneLine(strings.Join(lines[:min(2, len(lines))], " / "))
}

// healthRow sums up the health run.
func (j *judgement) healthRow(done []Run) schemas.MaskRow {
	row := j.emptyRow(0)
	row.Name = "health"
	for _, r := range done {
		if !r.Health {
			continue
		}
		row.Runs++
		row.Failure, row.Detail = r.Failure, oneLineOrNone(r.Detail)
		for _, id := range sortedIDs(r.Tests) {
			res := r.Tests[id]
			if !id.IsLoad() {
				count(&row, res.Outcome)
			}
			if failed(res.Outcome) {
				row.Outcome = schemas.OutcomeFail
				if row.Failure == "" {
					row.Failure, row.Detail = res.Failure, shorten(id.Name()+": "+res.Detail)
				}
			}
		}
	}
	return row
}

func oneLineOrNone(s string) string {
	if s == "" {
		return ""
	}
	return oneLine(s)
}
