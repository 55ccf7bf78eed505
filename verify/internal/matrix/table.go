package matrix

import (
	"maps"
	"slices"

	"crossswe/schemas"
)

// table is the outcome of every test under every mask that was run.
type table struct {
	set   *Set
	runs  map[schemas.Mask][]Run // sound ones, health apart
	sick  map[schemas.TestID]bool
	ids   []schemas.TestID // every test, pseudo-tests apart, sorted
	loads []schemas.TestID // every pseudo-test, sorted
	memo  map[cellKey]cell
}

type cellKey struct {
	id   schemas.TestID
	mask schemas.Mask
}

// cell is one test under one mask, over all repetitions.
type cell struct {
	schemas.Cell
	detail string
	// load says that it failed because its unit did not load.
	load bool
}

func (s *Set) table(done []Run) *table {
	t := &table{set: s, runs: map[schemas.Mask][]Run{}, sick: map[schemas.TestID]bool{}, memo: map[cellKey]cell{}}
	ids := map[schemas.TestID]bool{}
	for _, r := range done {
		if r.Failure != "" {
			continue
		}
		if r.Health {
			t.health(r)
			continue
		}
		t.runs[r.Mask] = append(t.runs[r.Mask], r)
		for id := range r.Tests {
			ids[id] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		if id.IsLoad() {
			t.loads = append(t.loads, id)
		} else {
			t.ids = append(t.ids, id)
		}
	}
	return t
}

// health notes the tests that did not pass as they were, before any patch.
// Unless the change touches them they take no part in the judgement.
func (t *table) health(r Run) {
	for id, res := range r.Tests {
		if !id.IsLoad() && failed(res.Outcome) && t.set.touch(id) == schemas.TouchUnchanged {
			t.sick[id] = true
		}
	}
}

func failed(o schemas.Outcome) bool { return o == schemas.OutcomeFail || o == schemas.OutcomeError }

// cell returns a test's outcome under a mask, from the runs of the mask that
// stands for it.
func (t *table) cell(id schemas.TestID, m schemas.Mask) cell {
	key := cellKey{id, m}
	if c, ok := t.memo[key]; ok {
		return c
	}
	c := t.reckon(id, m)
	t.memo[key] = c
	return c
}

func (t *table) reckon(id schemas.TestID, m schemas.Mask) cell {
	i := t.set.repo(id)
	if i < 0 {
		return cell{Cell: schemas.Cell{Mask: m, Outcome: schemas.OutcomeNotRun}}
	}
	stand := t.set.stand(i, m)
	var all []cell
	for _, r := range alone(t.runs[stand]) {
		if r.Repos.Has(i) {
			all = append(all, inRun(r, id))
		}
	}
	c := merge(all)
	c.Mask, c.Inferred = m, stand != m
	return c
}

// alone keeps the runs that had the machine for themselves, if there are any.
func alone(runs []Run) []Run {
	if !slices.ContainsFunc(runs, func(r Run) bool { return r.Alone }) {
		return runs
	}
	return slices.DeleteFunc(slices.Clone(runs), func(r Run) bool { return !r.Alone })
}

// inRun returns what became of a test in one run.
func inRun(r Run, id schemas.TestID) cell {
	if res, ok := r.Tests[id]; ok {
		return cell{Cell: schemas.Cell{Outcome: res.Outcome, Failure: res.Failure}, detail: res.Detail}
	}
	load, ok := r.Tests[schemas.NewTestID(id.Repo(), id.Unit(), []string{schemas.LoadName}, 1)]
	c := cell{Cell: schemas.Cell{Outcome: schemas.OutcomeNotRun, Failure: load.Failure}, detail: load.Detail}
	if ok && load.Outcome == schemas.OutcomeError && loadError(load.Failure) {
		c.Outcome, c.load = schemas.OutcomeError, true
	}
	return c
}

// loadError tells a unit that did not load from one that merely left no result.
func loadError(f schemas.Failure) bool {
	switch f {
	case schemas.FailureCompileSibling, schemas.FailureCompileOwn, schemas.FailureThirdParty, schemas.FailureResolution, schemas.FailureHang:
		return true
	}
	return false
}

// merge sums up the repetitions. A repetition in which the test was not run
// says nothing beside one in which it was. Fail and error agree.
func merge(all []cell) cell {
	known := slices.DeleteFunc(slices.Clone(all), func(c cell) bool { return c.Outcome == schemas.OutcomeNotRun })
	switch {
	case len(all) == 0:
		return cell{Cell: schemas.Cell{Outcome: schemas.OutcomeNotRun}}
	case len(known) == 0:
		return all[0]
	}
	first := known[0]
	for _, c := range known[1:] {
		if c.Outcome != first.Outcome && !(failed(c.Outcome) && failed(first.Outcome)) {
			first.Outcome, first.load = schemas.OutcomeVaries, false
			return first
		}
	}
	return first
}

// open reports whether a test may go from fail to pass: its repetitions under
// the masks that decide are worth their time.
func (t *table) open(id schemas.TestID) bool {
	full, base := t.cell(id, t.set.full()), t.cell(id, 0)
	passes := full.Outcome == schemas.OutcomePass || full.Outcome == schemas.OutcomeVaries
	fails := failed(base.Outcome) || base.Outcome == schemas.OutcomeVaries
	return !t.sick[id] && passes && fails
}
