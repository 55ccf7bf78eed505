package matrix

import (
	"maps"
	"slices"

	"crossswe/schemas"
)

// Next returns the jobs to run now, given the runs so far: first the full mask
// and the health run; if both hold, all-base and the full mask's repetitions;
// then the partial masks; then the repetitions of those that decide. It
// returns none when the verdict can be given. Jobs of one call may run in
// parallel unless they ask to be alone.
func (s *Set) Next(done []Run) []Job {
	for _, jobs := range []func([]Run) []Job{s.gateJobs, s.edgeJobs, s.partialJobs, s.repeatJobs, s.aloneJobs} {
		if missing := missing(jobs(done), done); len(missing) > 0 {
			return missing
		}
		if s.gate(done) != nil {
			return nil
		}
	}
	return nil
}

// missing drops the jobs that are done.
func missing(jobs []Job, done []Run) []Job {
	return slices.DeleteFunc(jobs, func(j Job) bool {
		return slices.ContainsFunc(done, func(r Run) bool {
			return r.Mask == j.Mask && r.Repetition == j.Repetition && r.Health == j.Health && r.Alone == j.Alone && r.Repos.Contains(j.Repos)
		})
	})
}

func (s *Set) gateJobs([]Run) []Job {
	return []Job{{Mask: s.full(), Repetition: 1, Repos: s.Targets}, {Repetition: 1, Health: true, Repos: s.Targets}}
}

func (s *Set) edgeJobs([]Run) []Job {
	jobs := []Job{{Repetition: 1, Repos: s.Targets}}
	for n := 2; n <= s.Repetitions; n++ {
		jobs = append(jobs, Job{Mask: s.full(), Repetition: n, Repos: s.Targets})
	}
	return jobs
}

// partialJobs are the masks between base and full that stand for a state of
// some repository's tests.
func (s *Set) partialJobs([]Run) []Job {
	whose := map[schemas.Mask]schemas.Mask{}
	for i := range s.Repos {
		if !s.Targets.Has(i) {
			continue
		}
		for m := range s.full() {
			if p := s.stand(i, m); p != 0 && p != s.full() {
				whose[p] |= 1 << i
			}
		}
	}
	var jobs []Job
	for _, m := range slices.Sorted(maps.Keys(whose)) {
		jobs = append(jobs, Job{Mask: m, Repetition: 1, Repos: whose[m]})
	}
	return jobs
}

// repeatJobs repeat the masks that decide for a repository: all-base, and
// those that lack one repository of its sight. A mask in which every open test
// of a repository fails by a unit that does not load is not repeated for it:
// compilers do not vary.
func (s *Set) repeatJobs(done []Run) []Job {
	return s.again(done, func(t *table, id schemas.TestID, m schemas.Mask) bool {
		return !t.cell(id, m).load
	}, func(n int) Job { return Job{Repetition: n} }, 2, s.Repetitions)
}

// aloneJobs repeat, alone on the machine, the deciding masks in which open
// tests disagree: load makes tests time out.
func (s *Set) aloneJobs(done []Run) []Job {
	if !s.Parallel {
		return nil
	}
	shared := slices.DeleteFunc(slices.Clone(done), func(r Run) bool { return r.Alone })
	return s.again(shared, func(t *table, id schemas.TestID, m schemas.Mask) bool {
		return t.cell(id, m).Outcome == schemas.OutcomeVaries
	}, func(n int) Job { return Job{Repetition: n, Alone: true} }, s.Repetitions+1, 2*s.Repetitions)
}

// again makes the jobs that repeat deciding masks in which some open test
// satisfies want.
func (s *Set) again(done []Run, want func(*table, schemas.TestID, schemas.Mask) bool, job func(n int) Job, from, to int) []Job {
	t := s.table(done)
	whose := map[schemas.Mask]schemas.Mask{}
	for _, id := range t.ids {
		i := s.repo(id)
		if i < 0 || !t.open(id) {
			continue
		}
		for _, m := range s.deciding(i) {
			if want(t, id, m) {
				whose[m] |= 1 << i
			}
		}
	}
	var jobs []Job
	for _, m := range slices.Sorted(maps.Keys(whose)) {
		for n := from; n <= to; n++ {
			j := job(n)
			j.Mask, j.Repos = m, whose[m]
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// deciding returns the masks, as run, that decide about a repository's tests:
// all-base and each that lacks one of what they see. The full mask, which is
// repeated anyway, is among them for disagreements.
func (s *Set) deciding(i int) []schemas.Mask {
	masks := []schemas.Mask{0, s.full()}
	for r := range s.Repos {
		if s.Sees[i].Has(r) {
			if m := s.stand(i, s.Sees[i]&^(1<<r)); !slices.Contains(masks, m) {
				masks = append(masks, m)
			}
		}
	}
	return masks
}
