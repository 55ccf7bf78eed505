package matrix

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"crossswe/schemas"
)

// Judge returns what the runs prove: the verdict's kind, levels, evidence,
// tests and mask rows. The caller adds what it knows besides: the candidate,
// the image, the patches, the runs and the time.
func (s *Set) Judge(done []Run) schemas.Verdict {
	t := s.table(done)
	j := &judgement{set: s, table: t}
	for _, id := range t.ids {
		if s.repo(id) >= 0 {
			j.patterns = append(j.patterns, t.pattern(id))
		}
	}
	v := schemas.Verdict{Repos: s.Repos, Repetitions: s.Repetitions, Minimal: []schemas.RepoName{}}
	j.lists(&v)
	j.levels(&v)
	if f := s.gate(done); f != nil {
		v.Kind, v.Reason = f.kind, f.reason
		v.Joint, v.Levels = []schemas.TestID{}, schemas.Levels{}
	} else {
		j.decide(&v)
	}
	v.Level = strictest(v.Levels)
	j.rows(&v)
	v.Masks, v.Health = j.maskRows(v.FailToPass), j.healthRow(done)
	return v
}

// judgement is one verdict in the making.
type judgement struct {
	set      *Set
	table    *table
	patterns []pattern
}

// counted reports whether a test takes part: it was healthy at base.
func (j *judgement) counted(p pattern) bool { return !j.table.sick[p.id] }

// lists sorts the tests into the verdict's lists.
func (j *judgement) lists(v *schemas.Verdict) {
	v.FailToPass, v.PassToPass, v.Joint, v.SingleSide, v.Flaky = []schemas.TestID{}, []schemas.TestID{}, []schemas.TestID{}, []schemas.TestID{}, []schemas.TestID{}
	for _, p := range j.patterns {
		switch {
		case p.varies:
			v.Flaky = append(v.Flaky, p.id)
		case !j.counted(p):
		case p.f2p:
			v.FailToPass = append(v.FailToPass, p.id)
			if p.set.Count() == 1 {
				v.SingleSide = append(v.SingleSide, p.id)
			}
		case p.p2p:
			v.PassToPass = append(v.PassToPass, p.id)
		}
	}
	v.Joint, v.Evidence = j.evidence(j.set.full())
}

// evidence returns the tests that are joint for a set, and how good they are.
// Tests that the change itself adds or changes come first; unchanged ones
// count only when there are no others, since one file that does not compile
// fails all of its tests.
func (j *judgement) evidence(s schemas.Mask) ([]schemas.TestID, schemas.Evidence) {
	touched, rest := []schemas.TestID{}, []schemas.TestID{}
	kind := schemas.Evidence("")
	behaviour := false
	for _, p := range j.patterns {
		if !j.counted(p) || p.set != s || s.Count() < 2 {
			continue
		}
		switch j.set.touch(p.id) {
		case schemas.TouchNew:
			touched, kind = append(touched, p.id), schemas.EvidenceNew
		case schemas.TouchChanged:
			touched, kind = append(touched, p.id), cmp.Or(kind, schemas.EvidenceChanged)
		default:
			rest = append(rest, p.id)
			behaviour = behaviour || !j.table.cell(p.id, 0).load
		}
	}
	switch {
	case len(touched) > 0:
		return touched, kind
	case behaviour: // its own text is as it was, but what it reads was changed
		return rest, schemas.EvidenceChanged
	case len(rest) > 0:
		return rest, schemas.EvidenceCompileOnly
	}
	return rest, ""
}

// levels fills in the three readings of "the target tests fail in every
// partial mask".
func (j *judgement) levels(v *schemas.Verdict) {
	v.Levels.SingleTest = len(v.Joint) > 0
	v.Levels.Suite = j.inEveryPartial(func(p pattern) bool { return p.f2p || p.p2p })
	for i := range j.set.Repos {
		v.Levels.Set = v.Levels.Set || j.inEveryPartial(func(p pattern) bool { return p.f2p && p.repo == i })
	}
}

// inEveryPartial reports whether in every partial mask some counted test that
// satisfies want is seen to fail.
func (j *judgement) inEveryPartial(want func(pattern) bool) bool {
	for m := range j.set.full() {
		if !slices.ContainsFunc(j.patterns, func(p pattern) bool {
			return want(p) && j.counted(p) && seen(j.table.cell(p.id, m))
		}) {
			return false
		}
	}
	return true
}

func strictest(l schemas.Levels) schemas.JointLevel {
	switch {
	case l.SingleTest:
		return schemas.LevelSingleTest
	case l.Set:
		return schemas.LevelSet
	case l.Suite:
		return schemas.LevelSuite
	}
	return ""
}

// decide chooses the kind. A positive verdict stands on the tests that prove
// it; a negative one only when nothing was lost that could have proved more.
func (j *judgement) decide(v *schemas.Verdict) {
	for _, rule := range []func(*schemas.Verdict) bool{j.joint, j.subset, j.flaky, j.indeterminate, j.unloaded, j.sides, j.lockstep} {
		if rule(v) {
			return
		}
	}
	v.Kind = schemas.VerdictNoTest
	v.Reason = "no target test fails under any mask: a test that covers the change must be written"
}

func (j *judgement) joint(v *schemas.Verdict) bool {
	if len(v.Joint) == 0 {
		return false
	}
	v.Kind, v.Minimal = schemas.VerdictJoint, j.set.Repos
	v.Reason = fmt.Sprintf("%s only with the patches of all %d repositories (%s)", countTests(len(v.Joint), "passes", "pass"), len(j.set.Repos), v.Evidence)
	return true
}

func (j *judgement) subset(v *schemas.Verdict) bool {
	count := map[schemas.Mask]int{}
	for _, p := range j.patterns {
		if j.counted(p) && p.set.Count() >= 2 {
			count[p.set]++
		}
	}
	best := schemas.Mask(0)
	for m, n := range count {
		if best == 0 || m.Count() < best.Count() || (m.Count() == best.Count() && (n > count[best] || n == count[best] && m < best)) {
			best = m
		}
	}
	if best == 0 {
		return false
	}
	v.Kind, v.Minimal = schemas.VerdictSubset, j.names(best)
	_, v.Evidence = j.evidence(best)
	v.Reason = fmt.Sprintf("%s %s together and nothing else", countTests(count[best], "needs", "need"), join(v.Minimal))
	return true
}

func (j *judgement) flaky(v *schemas.Verdict) bool {
	for _, p := range j.patterns {
		if j.counted(p) && p.wouldBe {
			v.Kind = schemas.VerdictFlaky
			v.Reason = fmt.Sprintf("%s could need every repository, but its repetitions disagree", p.id)
			return true
		}
	}
	return false
}

// indeterminate: a test that could have proved the set joint was lost, or
// failed for reasons that prove nothing.
func (j *judgement) indeterminate(v *schemas.Verdict) bool {
	v.Kind = schemas.VerdictIndeterminate
	for _, p := range j.patterns {
		if j.counted(p) && p.f2p && p.fullOnly && p.set == 0 && j.set.Sees[p.repo] == j.set.full() {
			v.Reason = fmt.Sprintf("%s passes in the full mask only, but %s", p.id, p.why)
			return true
		}
	}
	for _, p := range j.patterns {
		if j.counted(p) && p.lost && j.set.touch(p.id) != schemas.TouchUnchanged && len(p.needs) == 0 {
			c := j.table.cell(p.id, j.set.full())
			v.Reason = fmt.Sprintf("%s, which the change adds or changes, is %s in the full mask: %s", p.id, c.Outcome, oneLine(c.detail))
			return true
		}
	}
	return false
}

// unloaded: a unit gives no test in the full mask, so its tests may not be missed.
func (j *judgement) unloaded(v *schemas.Verdict) bool {
	for _, id := range j.table.loads {
		if c := j.table.cell(id, j.set.full()); c.Failure != "" {
			v.Kind = schemas.VerdictEnvironment
			v.Reason = fmt.Sprintf("%s of %s does not run whole in the full mask (%s): %s", id.Unit(), id.Repo(), c.Failure, oneLine(c.detail))
			return true
		}
	}
	return false
}

// sides: tests go from fail to pass by one side's patch alone.
func (j *judgement) sides(v *schemas.Verdict) bool {
	var alone schemas.Mask
	for _, p := range j.patterns {
		if j.counted(p) && p.f2p && len(p.needs) == 1 && p.needs[0].Count() == 1 {
			alone |= p.needs[0]
		}
	}
	switch n := alone.Count(); {
	case n >= 2:
		v.Kind = schemas.VerdictIndependent
		v.Reason = fmt.Sprintf("%s each have tests that pass by their own patch alone, and no test needs two of them", join(j.names(alone)))
	case n == 1:
		v.Kind = schemas.VerdictOneSide
		v.Reason = fmt.Sprintf("the patch of %s alone makes the target tests pass", join(j.names(alone)))
	case len(v.FailToPass) > 0:
		v.Kind = schemas.VerdictOneSide
		v.Reason = fmt.Sprintf("%s by one patch or another: none needs two", countTests(len(v.FailToPass), "passes", "pass"))
	}
	return v.Kind == schemas.VerdictIndependent || v.Kind == schemas.VerdictOneSide
}

// lockstep: partial states break old tests, but nothing new passes.
func (j *judgement) lockstep(v *schemas.Verdict) bool {
	for _, p := range j.patterns {
		if !j.counted(p) || !p.breaks {
			continue
		}
		v.Kind = schemas.VerdictLockstep
		v.Reason = fmt.Sprintf("partial states break tests that passed before (%s), but no test goes from fail to pass", p.id)
		return true
	}
	return false
}

func (j *judgement) names(m schemas.Mask) []schemas.RepoName {
	names := []schemas.RepoName{}
	for i, r := range j.set.Repos {
		if m.Has(i) {
			names = append(names, r)
		}
	}
	return names
}

// countTests writes how many tests do something.
func countTests(n int, one, more string) string {
	if n == 1 {
		return "1 test " + one
	}
	return fmt.Sprintf("%d tests %s", n, more)
}

func join(names []schemas.RepoName) string {
	all := make([]string, len(names))
	for i, n := range names {
		all[i] = string(n)
	}
	return strings.Join(all, " and ")
}
