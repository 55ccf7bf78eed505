package world

import (
	"strings"
	"testing"

	"crossswe/schemas"
)

// TestFaultsAreFound takes a right verdict apart: every change must be found.
func TestFaultsAreFound(t *testing.T) {
	e := Expect{
		Kind:     schemas.VerdictJoint,
		Needs:    map[string][]string{"a/b TestX": {"A1B1"}, "a/b TestY": {"A0B0"}},
		Failures: map[string]schemas.Failure{"A0B1": schemas.FailureHang},
		Flaky:    []string{"a/b TestLots"},
	}
	if got := e.Faults(rightVerdict()); got != nil {
		t.Fatalf("faults of a right verdict: %q", got)
	}
	for name, c := range map[string]struct {
		change func(*schemas.Verdict)
		want   string
	}{
		"kind":         {func(v *schemas.Verdict) { v.Kind = schemas.VerdictSubset }, "the verdict is subset"},
		"needs":        {func(v *schemas.Verdict) { v.Tests[0].Needs = []schemas.Mask{1} }, "a/b TestX needs [A1B0]"},
		"no table":     {func(v *schemas.Verdict) { v.Tests = v.Tests[1:] }, "no truth table of a/b TestX"},
		"failure":      {func(v *schemas.Verdict) { v.Tests[0].Cells[2].Failure = schemas.FailureAssertion }, "fails under A0B1 by"},
		"masks":        {func(v *schemas.Verdict) { v.Masks = v.Masks[1:] }, "there are 3 masks"},
		"minimal":      {func(v *schemas.Verdict) { v.Minimal = v.Minimal[:1] }, "the minimal set"},
		"joint":        {func(v *schemas.Verdict) { v.Joint = nil }, "a/b TestX is joint: false"},
		"level":        {func(v *schemas.Verdict) { v.Level = schemas.LevelSuite }, "the level is suite"},
		"flaky unsaid": {func(v *schemas.Verdict) { v.Flaky = nil }, "a/b TestLots varies"},
		"flaky used":   {func(v *schemas.Verdict) { v.PassToPass = append(v.PassToPass, v.Tests[2].ID) }, "varies and is used"},
		"flaky wrong":  {func(v *schemas.Verdict) { v.Flaky = append(v.Flaky, v.Tests[1].ID) }, "draws no lots"},
	} {
		t.Run(name, func(t *testing.T) {
			v := rightVerdict()
			c.change(&v)
			if got := strings.Join(e.Faults(v), "\n"); !strings.Contains(got, c.want) {
				t.Errorf("faults %q, want %q among them", got, c.want)
			}
		})
	}
}

func rightVerdict() schemas.Verdict {
	cells := func(outcomes ...schemas.Outcome) []schemas.Cell {
		var all []schemas.Cell
		for m, o := range outcomes {
			all = append(all, schemas.Cell{Mask: schemas.Mask(m), Outcome: o})
		}
		return all
	}
	const pass, fail, varies = schemas.OutcomePass, schemas.OutcomeFail, schemas.OutcomeVaries
	x, y, lots := schemas.NewTestID("a/b", ".", []string{"TestX"}, 1), schemas.NewTestID("a/b", ".", []string{"TestY"}, 1), schemas.NewTestID("a/b", ".", []string{"TestLots"}, 1)
	repos := []schemas.RepoName{"a/a", "a/b"}
	v := schemas.Verdict{
		Kind: schemas.VerdictJoint, Level: schemas.LevelSingleTest, Evidence: schemas.EvidenceNew, Repos: repos, Minimal: repos,
		FailToPass: []schemas.TestID{x}, PassToPass: []schemas.TestID{y}, Joint: []schemas.TestID{x}, Flaky: []schemas.TestID{lots},
		Tests: []schemas.TestRow{
			{ID: x, Needs: []schemas.Mask{3}, Cells: cells(fail, fail, fail, pass)},
			{ID: y, Needs: []schemas.Mask{0}, Cells: cells(pass, pass, pass, pass)},
			{ID: lots, Cells: cells(pass, varies, fail, pass)},
		},
	}
	for m := range schemas.FullMask(2) + 1 {
		v.Masks = append(v.Masks, schemas.MaskRow{Mask: m, Name: m.Name(2)})
	}
	v.Tests[0].Cells[2].Failure = schemas.FailureHang
	return v
}
