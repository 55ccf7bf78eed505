package matrix

import (
	"slices"

	"crossswe/schemas"
)

// pattern is what the truth table of one test shows, within its sight.
type pattern struct {
	id   schemas.TestID
	repo int
	// needs are the minimal masks under which it passes.
	needs []schemas.Mask
	// f2p and p2p: from fail, or pass, under all-base to pass under the full mask.
	f2p, p2p bool
	// set is S when the test passes exactly under the masks that contain S and
	// is seen to fail, explicably, under the others; 0 otherwise.
	set schemas.Mask
	// fullOnly says that it passes under no mask but the full one, whatever
	// the reason; why is set when that is no evidence.
	fullOnly bool
	why      string
	varies   bool
	// wouldBe says that it varies and could be joint for the whole set.
	wouldBe bool
	// breaks says that it passes under all-base and the full mask and fails in
	// between.
	breaks bool
	// lost says that it does not pass in the full mask.
	lost bool
}

// pattern reads a test's truth table.
func (t *table) pattern(id schemas.TestID) pattern {
	p := pattern{id: id, repo: t.set.repo(id)}
	sight := t.set.Sees[p.repo]
	passes := map[schemas.Mask]bool{}
	allFail := true
	for _, m := range subsets(sight) {
		c := t.cell(id, t.lift(p.repo, m))
		passes[m] = c.Outcome == schemas.OutcomePass
		p.varies = p.varies || c.Outcome == schemas.OutcomeVaries
		if m != sight && passes[m] {
			allFail = false
		}
		p.breaks = p.breaks || (m != 0 && m != sight && failed(c.Outcome))
	}
	full := t.cell(id, t.set.full())
	p.lost = full.Outcome != schemas.OutcomePass && full.Outcome != schemas.OutcomeVaries
	p.fullOnly = allFail && passes[sight]
	p.wouldBe = p.varies && allFail && !p.lost && sight == t.set.full()
	p.needs = minimal(passes)
	if p.varies {
		p.breaks = false
		return p
	}
	base := t.cell(id, 0)
	p.f2p = passes[sight] && credible(base)
	p.p2p = passes[sight] && passes[0]
	p.breaks = p.breaks && p.p2p
	if p.f2p {
		p.set, p.why = t.needed(p, passes)
	}
	return p
}

// lift turns a state of a repository's sight into a mask that is run for it.
func (t *table) lift(i int, m schemas.Mask) schemas.Mask {
	if m == t.set.Sees[i] {
		return t.set.full()
	}
	return m
}

// needed returns S, or 0 and why the failures are no evidence of it.
func (t *table) needed(p pattern, passes map[schemas.Mask]bool) (schemas.Mask, string) {
	if len(p.needs) != 1 {
		return 0, "it passes under masks that have no repository in common need"
	}
	s, sight := p.needs[0], t.set.Sees[p.repo]
	for _, m := range subsets(sight) {
		c := t.cell(p.id, t.lift(p.repo, m))
		switch {
		case m.Contains(s) != passes[m]:
			return 0, "it fails again under a mask that holds what it needs"
		case !m.Contains(s) && !seen(c):
			return 0, "under " + m.Name(len(t.set.Repos)) + " it is " + unseen(c) + ", not seen to fail"
		}
	}
	for r := range t.set.Repos {
		if !s.Has(r) {
			continue
		}
		lacking := t.cell(p.id, t.lift(p.repo, sight&^(1<<r)))
		if !explained(lacking.Failure, r == p.repo) {
			return 0, "without " + string(t.set.Repos[r]) + " alone it fails by " + string(lacking.Failure) + ", which that repository's absence does not explain"
		}
	}
	return s, ""
}

// seen reports whether a failure was seen: the test failed, or its unit did
// not load. A dead process is no failure of the tests that it took along.
func seen(c cell) bool {
	if !failed(c.Outcome) {
		return false
	}
	switch c.Failure {
	case schemas.FailureRunnerDead, schemas.FailureNoReport, schemas.FailureNotCollected, schemas.FailureLinkVoid, schemas.FailurePatch:
		return false
	}
	return true
}

// unseen names what a test was that was not seen to fail.
func unseen(c cell) string {
	if failed(c.Outcome) {
		return string(c.Failure)
	}
	return string(c.Outcome)
}

// credible reports whether a failure under all-base is one that a patch can
// mend: a version that is not found is none.
func credible(c cell) bool {
	return seen(c) && c.Failure != schemas.FailureResolution && c.Failure != schemas.FailureThirdParty
}

// explained reports whether the absence of one repository's patch explains a
// failure. own says that the test is that repository's: its tests may call
// names that only its patch has.
func explained(f schemas.Failure, own bool) bool {
	switch f {
	case schemas.FailureCompileSibling, schemas.FailureAssertion, schemas.FailureHang:
		return true
	case schemas.FailureCompileOwn:
		return own
	}
	return false
}

// minimal returns the passing masks of which no smaller one passes, ascending.
func minimal(passes map[schemas.Mask]bool) []schemas.Mask {
	var needs []schemas.Mask
	for m, ok := range passes {
		if !ok {
			continue
		}
		least := true
		for n, also := range passes {
			least = least && !(also && n != m && m.Contains(n))
		}
		if least {
			needs = append(needs, m)
		}
	}
	slices.Sort(needs)
	return needs
}
