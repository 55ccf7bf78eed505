package world

import (
	"fmt"
	"maps"
	"slices"

	"crossswe/schemas"
)

// Faults compares a verdict with the story and returns what is wrong, one
// sentence each, nil when nothing is.
func (e Expect) Faults(v schemas.Verdict) []string {
	c := comparison{e: e, v: v, rows: map[string]schemas.TestRow{}}
	for _, r := range v.Tests {
		c.rows[testName(r.ID)] = r
	}
	if want := c.kind(); v.Kind != want {
		c.fault("the verdict is %s (%s), want %s", v.Kind, v.Reason, want)
	}
	c.needs()
	c.flaky()
	c.masks()
	c.minimal()
	if v.Kind == schemas.VerdictJoint {
		c.joint()
	}
	return c.faults
}

type comparison struct {
	e      Expect
	v      schemas.Verdict
	rows   map[string]schemas.TestRow
	faults []string
}

func (c *comparison) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

// testName is a test as Expect names it.
func testName(id schemas.TestID) string { return string(id.Repo()) + " " + id.Name() }

// kind is the verdict to expect. Of a story whose one deciding test draws lots
// it depends on how they fell: where they fell alike nobody can see that it
// does.
func (c *comparison) kind() schemas.VerdictKind {
	if c.e.Kind != schemas.VerdictFlaky || len(c.e.Flaky) == 0 {
		return c.e.Kind
	}
	cells := c.rows[c.e.Flaky[0]].Cells
	if len(cells) == 0 {
		return c.e.Kind
	}
	switch cells[len(cells)-1].Outcome {
	case schemas.OutcomePass:
		return schemas.VerdictJoint
	case schemas.OutcomeFail:
		return schemas.VerdictIndeterminate
	}
	return schemas.VerdictFlaky
}

// needs compares the truth tables of the tests that the story names.
func (c *comparison) needs() {
	for _, test := range slices.Sorted(maps.Keys(c.e.Needs)) {
		row, ok := c.rows[test]
		if !ok {
			c.fault("there is no truth table of %s", test)
			continue
		}
		var got []string
		for _, m := range row.Needs {
			got = append(got, m.Name(len(c.v.Repos)))
		}
		if !slices.Equal(got, c.e.Needs[test]) {
			c.fault("%s needs %v, want %v", test, got, c.e.Needs[test])
		}
		if len(row.Cells) != 1<<len(c.v.Repos) {
			c.fault("%s has %d cells, want one a mask", test, len(row.Cells))
		}
	}
}

// flaky asks that a test that was seen to vary is named, and used for nothing.
func (c *comparison) flaky() {
	used := slices.Concat(c.v.FailToPass, c.v.PassToPass, c.v.Joint, c.v.SingleSide)
	for _, test := range c.e.Flaky {
		row, ok := c.rows[test]
		if !ok {
			c.fault("there is no truth table of %s", test)
			continue
		}
		varies := slices.ContainsFunc(row.Cells, func(cell schemas.Cell) bool { return cell.Outcome == schemas.OutcomeVaries })
		if named := slices.Contains(c.v.Flaky, row.ID); named != varies {
			c.fault("%s varies: %t, is named flaky: %t", test, varies, named)
		}
		if varies && slices.Contains(used, row.ID) {
			c.fault("%s varies and is used", test)
		}
	}
	for _, id := range c.v.Flaky {
		if !slices.Contains(c.e.Flaky, testName(id)) {
			c.fault("%s is named flaky and draws no lots", id)
		}
	}
}

func (c *comparison) masks() {
	if len(c.v.Masks) != 1<<len(c.v.Repos) {
		c.fault("there are %d masks, want %d", len(c.v.Masks), 1<<len(c.v.Repos))
	}
}

func (c *comparison) minimal() {
	want := c.e.Minimal
	if len(want) == 0 {
		want = c.v.Repos
	}
	if (c.v.Kind == schemas.VerdictJoint || c.v.Kind == schemas.VerdictSubset) && !slices.Equal(c.v.Minimal, want) {
		c.fault("the minimal set is %v, want %v", c.v.Minimal, want)
	}
}

// joint asks that the joint tests are those that need every repository.
func (c *comparison) joint() {
	full := schemas.FullMask(len(c.v.Repos)).Name(len(c.v.Repos))
	for _, test := range slices.Sorted(maps.Keys(c.e.Needs)) {
		joint := slices.ContainsFunc(c.v.Joint, func(id schemas.TestID) bool { return testName(id) == test })
		if want := slices.Equal(c.e.Needs[test], []string{full}); joint != want {
			c.fault("%s is joint: %t, want %t", test, joint, want)
		} else if want {
			c.failures(test)
		}
	}
	if c.v.Level != schemas.LevelSingleTest || c.v.Evidence != schemas.EvidenceNew {
		c.fault("the level is %s and the evidence %s, want %s and %s", c.v.Level, c.v.Evidence, schemas.LevelSingleTest, schemas.EvidenceNew)
	}
	for _, id := range c.v.Joint {
		if !slices.Contains(c.v.FailToPass, id) {
			c.fault("%s is joint and not fail-to-pass", id)
		}
	}
}

// failures compares why a joint test fails under the masks that the story names.
func (c *comparison) failures(test string) {
	for _, cell := range c.rows[test].Cells {
		name := cell.Mask.Name(len(c.v.Repos))
		if want, ok := c.e.Failures[name]; ok && cell.Failure != want {
			c.fault("%s fails under %s by %q, want %q", test, name, cell.Failure, want)
		}
	}
}
