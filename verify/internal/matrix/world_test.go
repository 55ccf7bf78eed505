package matrix

import (
	"strings"
	"testing"

	"crossswe/schemas"
)

// world is a small set with known truth: it plays the containers.
type world struct {
	// links are consumer-provider pairs of letters: "BA" is B uses A.
	links string
	// tests are written "REPO unit name touch": outcomes, one letter a mask in
	// the order A0B0 A0B1 A1B0 A1B1 (the last repository changes fastest).
	//
	//	P pass  F assertion  H hang  D dead runner  S skip  . absent
	//	V passes in even repetitions only  W passes in odd ones only  L as W, unless alone
	//	I as P, but its unit's report is half written
	//	C, O, T, R, N: its unit does not load: sibling, own, third party,
	//	resolution, nothing collected
	tests map[string]string
	// sick are tests that fail in the health run; void a mask that is void.
	sick     []string
	void     string
	unbuilt  string // a mask in which repository B does not build
	badBase  bool   // B's unit does not load without any patch
	parallel bool
	exhaust  bool
}

// letters is the number of repositories, from the length of an outcome row.
func (w world) letters() int {
	for _, row := range w.tests {
		for n := 2; n <= schemas.MaxSides; n++ {
			if len(row) == 1<<n {
				return n
			}
		}
	}
	return 2
}

func repoName(i int) schemas.RepoName { return schemas.RepoName("o/" + string(rune('a'+i))) }

func (w world) set() *Set {
	s := &Set{Repetitions: 3, Parallel: w.parallel, Exhaustive: w.exhaust}
	for i := range w.letters() {
		s.Repos = append(s.Repos, repoName(i))
	}
	var links []schemas.LinkSpec
	for _, l := range strings.Fields(w.links) {
		links = append(links, schemas.LinkSpec{Consumer: repoName(int(l[0] - 'A')), Provider: repoName(int(l[1] - 'A'))})
	}
	s.Sees = Closures(s.Repos, links)
	touches := map[schemas.TestID]schemas.Touch{}
	for t := range w.tests {
		f := strings.Fields(t)
		touches[w.id(t)] = schemas.Touch(f[3])
		s.Targets |= 1 << (t[0] - 'A')
	}
	s.Touch = func(id schemas.TestID) schemas.Touch {
		if t := touches[id]; t != "" {
			return t
		}
		return schemas.TouchUnchanged
	}
	return s
}

func (w world) id(test string) schemas.TestID {
	f := strings.Fields(test)
	return schemas.NewTestID(repoName(int(f[0][0]-'A')), f[1], []string{f[2]}, 1)
}

// at returns the letter of a row for a mask.
func (w world) at(row string, m schemas.Mask) byte {
	n, index := w.letters(), 0
	for i := range n {
		index = index*2 + int(m>>i&1)
	}
	return row[index]
}

// run plays one trial.
func (w world) run(j Job) Run {
	r := Run{Job: j, Tests: map[schemas.TestID]Result{}}
	name := j.Mask.Name(w.letters())
	switch {
	case !j.Health && w.void == name:
		r.Failure, r.Detail = schemas.FailureLinkVoid, "o/b uses a published o/a"
		return r
	case !j.Health && w.unbuilt == name:
		r.Unbuilt, r.Detail = []schemas.RepoName{repoName(1)}, "tsc says no"
	}
	for test, row := range w.tests {
		if j.Repos.Has(int(test[0] - 'A')) {
			w.play(&r, test, w.at(row, j.Mask))
		}
	}
	return r
}

func (w world) play(r *Run, test string, letter byte) {
	id := w.id(test)
	load := schemas.NewTestID(id.Repo(), id.Unit(), []string{schemas.LoadName}, 1)
	if r.Health {
		letter = 'P'
		for _, s := range w.sick {
			if s == test {
				letter = 'F'
			}
		}
		if strings.Fields(test)[3] == "new" {
			letter = '.'
		}
		if w.badBase && test[0] == 'B' {
			letter = 'C'
		}
	}
	loads := map[byte]schemas.Failure{'C': schemas.FailureCompileSibling, 'O': schemas.FailureCompileOwn, 'T': schemas.FailureThirdParty,
		'R': schemas.FailureResolution, 'N': schemas.FailureNotCollected}
	if f := loads[letter]; f != "" {
		r.Tests[load] = Result{schemas.OutcomeError, f, "it does not load"}
		return
	}
	if _, ok := r.Tests[load]; !ok {
		r.Tests[load] = Result{Outcome: schemas.OutcomePass}
	}
	if letter == 'I' {
		r.Tests[load] = Result{schemas.OutcomePass, schemas.FailureNoReport, "half written"}
	}
	if odd := r.Repetition%2 == 1; letter == 'V' && odd || letter == 'W' && !odd || letter == 'L' && !odd && !r.Alone {
		letter = 'F'
	}
	results := map[byte]Result{
		'P': {Outcome: schemas.OutcomePass}, 'I': {Outcome: schemas.OutcomePass}, 'V': {Outcome: schemas.OutcomePass}, 'W': {Outcome: schemas.OutcomePass}, 'L': {Outcome: schemas.OutcomePass},
		'F': {schemas.OutcomeFail, schemas.FailureAssertion, "got 1, want 2"},
		'H': {schemas.OutcomeError, schemas.FailureHang, "timed out"},
		'D': {schemas.OutcomeError, schemas.FailureRunnerDead, "killed"},
		'S': {Outcome: schemas.OutcomeSkip},
	}
	if res, ok := results[letter]; ok {
		r.Tests[id] = res
	}
}

// verify runs what is asked for until nothing is, as the stage does.
func (w world) verify(t *testing.T) (schemas.Verdict, []Run) {
	t.Helper()
	s := w.set()
	var done []Run
	for rounds := 0; ; rounds++ {
		jobs := s.Next(done)
		if len(jobs) == 0 {
			return s.Judge(done), done
		}
		if rounds > 20 {
			t.Fatalf("the plan does not end: %v", jobs)
		}
		for _, j := range jobs {
			done = append(done, w.run(j))
		}
	}
}
