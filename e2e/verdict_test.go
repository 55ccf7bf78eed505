package e2e

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/e2e/world"
	"crossswe/schemas"
)

// checkVerdict compares a verdict with what its story is.
func checkVerdict(t *testing.T, v schemas.Verdict, e world.Expect) {
	t.Helper()
	rows := map[string]schemas.TestRow{}
	for _, r := range v.Tests {
		rows[string(r.Repo)+" "+r.ID.Name()] = r
	}
	if want := kind(e, rows); v.Kind != want {
		t.Errorf("verdict %s (%s), want %s", v.Kind, v.Reason, want)
	}
	checkNeeds(t, v, e, rows)
	checkFlaky(t, v, e, rows)
	checkMasks(t, v, e)
	if v.Kind == schemas.VerdictJoint {
		checkJoint(t, v, e)
	}
	minimal := e.Minimal
	if len(minimal) == 0 {
		minimal = v.Repos
	}
	if (v.Kind == schemas.VerdictJoint || v.Kind == schemas.VerdictSubset) && !slices.Equal(v.Minimal, minimal) {
		t.Errorf("minimal set %v, want %v", v.Minimal, minimal)
	}
}

// kind is the verdict to expect. Of a story whose one deciding test draws lots
// it depends on how they fell: where they fell alike nobody can see that it
// does.
func kind(e world.Expect, rows map[string]schemas.TestRow) schemas.VerdictKind {
	if e.Kind != schemas.VerdictFlaky || len(e.Flaky) == 0 {
		return e.Kind
	}
	cells := rows[e.Flaky[0]].Cells
	if len(cells) == 0 {
		return e.Kind
	}
	switch cells[len(cells)-1].Outcome {
	case schemas.OutcomePass:
		return schemas.VerdictJoint
	case schemas.OutcomeFail:
		return schemas.VerdictIndeterminate
	}
	return schemas.VerdictFlaky
}

// checkNeeds compares the truth tables of the tests that the story names.
func checkNeeds(t *testing.T, v schemas.Verdict, e world.Expect, rows map[string]schemas.TestRow) {
	t.Helper()
	got := map[string][]string{}
	for test := range e.Needs {
		row, ok := rows[test]
		if !ok {
			t.Errorf("no truth table of %s", test)
			continue
		}
		for _, m := range row.Needs {
			got[test] = append(got[test], m.Name(len(v.Repos)))
		}
		if len(row.Cells) != 1<<len(v.Repos) {
			t.Errorf("%s has %d cells, want one a mask", test, len(row.Cells))
		}
	}
	if diff := cmp.Diff(e.Needs, got); diff != "" && len(e.Needs) > 0 {
		t.Errorf("minimal masks differ (-want +got):\n%s", diff)
	}
}

// checkJoint asks that the joint tests are those that need every repository,
// and that they are seen to fail under every other mask.
func checkJoint(t *testing.T, v schemas.Verdict, e world.Expect) {
	t.Helper()
	full := schemas.FullMask(len(v.Repos)).Name(len(v.Repos))
	for test, needs := range e.Needs {
		joint := slices.ContainsFunc(v.Joint, func(id schemas.TestID) bool { return string(id.Repo())+" "+id.Name() == test })
		if want := slices.Equal(needs, []string{full}); joint != want {
			t.Errorf("%s is joint: %t, want %t", test, joint, want)
		}
	}
	if v.Level != schemas.LevelSingleTest || v.Evidence != schemas.EvidenceNew && len(e.Needs) > 0 {
		t.Errorf("level %s, evidence %s; want %s and %s", v.Level, v.Evidence, schemas.LevelSingleTest, schemas.EvidenceNew)
	}
	for _, id := range v.Joint {
		if !slices.Contains(v.FailToPass, id) {
			t.Errorf("%s is joint and not fail-to-pass", id)
		}
	}
}

// checkFlaky asks that a test that was seen to vary is named, and used for
// nothing.
func checkFlaky(t *testing.T, v schemas.Verdict, e world.Expect, rows map[string]schemas.TestRow) {
	t.Helper()
	for _, test := range e.Flaky {
		row, ok := rows[test]
		if !ok {
			t.Errorf("no truth table of %s", test)
			continue
		}
		varies := slices.ContainsFunc(row.Cells, func(c schemas.Cell) bool { return c.Outcome == schemas.OutcomeVaries })
		if named := slices.Contains(v.Flaky, row.ID); named != varies {
			t.Errorf("%s varies: %t, is named flaky: %t", test, varies, named)
		}
		used := slices.Concat(v.FailToPass, v.PassToPass, v.Joint, v.SingleSide)
		if varies && slices.Contains(used, row.ID) {
			t.Errorf("%s varies and is used", test)
		}
	}
	for _, id := range v.Flaky {
		if !slices.Contains(e.Flaky, string(id.Repo())+" "+id.Name()) {
			t.Errorf("%s is named flaky and draws no lots", id)
		}
	}
}

func checkMasks(t *testing.T, v schemas.Verdict, e world.Expect) {
	t.Helper()
	got := map[string]schemas.Failure{}
	for _, m := range v.Masks {
		if _, ok := e.Failures[m.Name]; ok {
			got[m.Name] = m.Failure
		}
	}
	if diff := cmp.Diff(e.Failures, got); diff != "" && len(e.Failures) > 0 {
		t.Errorf("why masks fail differs (-want +got):\n%s", diff)
	}
	if len(v.Masks) != 1<<len(v.Repos) {
		t.Errorf("%d masks, want %d", len(v.Masks), 1<<len(v.Repos))
	}
}
