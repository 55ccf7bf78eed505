// Package matrix decides which masks are run and what their outcomes prove. It
// is pure: runs in, jobs or a verdict out.
//
// The rules are those of DESIGN section 7. In short: a test counts for a set S
// of repositories when it passes exactly under the masks that contain S and is
// seen to fail under every other. Absent, skipped and unknown are not failed.
// The mask that lacks only repository R must fail in a way that R's absence
// explains: a compile or load error that names the sibling, an assertion, a
// hang, or R's own tests that do not compile without R's patch. Resolution
// errors, third parties and dead runners are never evidence.
//
// A test sees only its own repository and those it depends on. Two masks that
// differ elsewhere are one state to it, so one of them is run and the other's
// cell is inferred.
package matrix

import (
	"slices"

	"crossswe/schemas"
)

// Set is what is verified, and how.
type Set struct {
	// Repos gives the bits of the masks.
	Repos []schemas.RepoName
	// Sees holds for each repository what its tests can see: see Closures.
	Sees []schemas.Mask
	// Targets marks the repositories that have targets.
	Targets schemas.Mask
	// Touch says what the test patches do to a test. Nil means unchanged.
	Touch func(schemas.TestID) schemas.Touch
	// TestPatches marks the repositories whose test patch is not empty.
	TestPatches schemas.Mask
	Repetitions int
	// Exhaustive runs every mask for every repository; nothing is inferred.
	Exhaustive bool
	// Parallel says that runs share the machine: where repetitions disagree
	// they are done again alone.
	Parallel bool
}

// Closures returns for each repository the set of those that its tests see:
// itself and, over the links from consumer to provider, all it depends on.
func Closures(repos []schemas.RepoName, links []schemas.LinkSpec) []schemas.Mask {
	at := func(name schemas.RepoName) int {
		return slices.IndexFunc(repos, func(r schemas.RepoName) bool { return r.Same(name) })
	}
	sees := make([]schemas.Mask, len(repos))
	for i := range repos {
		sees[i] = 1 << i
	}
	for range repos { // as many rounds as the longest chain
		for _, l := range links {
			if c, p := at(l.Consumer), at(l.Provider); c >= 0 && p >= 0 {
				sees[c] |= sees[p]
			}
		}
	}
	return sees
}

// Result is one test in one run.
type Result struct {
	Outcome schemas.Outcome `json:"outcome"`
	Failure schemas.Failure `json:"failure,omitempty"`
	Detail  string          `json:"detail,omitempty"`
}

// Run is what one trial came to.
type Run struct {
	Job
	// Tests holds every test that the reports name, and the pseudo-test of
	// every unit.
	Tests map[schemas.TestID]Result
	// Unbuilt are the repositories whose rebuild failed.
	Unbuilt []schemas.RepoName
	// Failure says why the run as a whole is void: a patch that does not
	// apply, a link that does not hold, a dead container. Such a run is
	// evidence of nothing.
	Failure schemas.Failure
	Detail  string
}

// Job is one trial to run.
type Job struct {
	Mask       schemas.Mask
	Repetition int // from 1
	// Health is the run without any patch, test patches included.
	Health bool
	// Alone asks that nothing else runs at the same time.
	Alone bool
	// Repos marks whose targets are run. Patches are applied by Mask all the same.
	Repos schemas.Mask
}

func (s *Set) full() schemas.Mask { return schemas.FullMask(len(s.Repos)) }

// repo returns the index of a test's repository, -1 for a stranger.
func (s *Set) repo(id schemas.TestID) int {
	return slices.IndexFunc(s.Repos, func(r schemas.RepoName) bool { return r == id.Repo() })
}

func (s *Set) touch(id schemas.TestID) schemas.Touch {
	if s.Touch == nil {
		return schemas.TouchUnchanged
	}
	return s.Touch(id)
}

// stand returns the mask that is run for repository i in place of m: what lies
// outside its sight makes no difference. The full and the base mask are run
// for everyone, so they stand for their likes.
func (s *Set) stand(i int, m schemas.Mask) schemas.Mask {
	seen := m & s.Sees[i]
	switch {
	case s.Exhaustive:
		return m
	case seen == s.Sees[i]:
		return s.full()
	}
	return seen
}

// subsets yields every subset of m, ascending.
func subsets(m schemas.Mask) []schemas.Mask {
	var all []schemas.Mask
	for p := schemas.Mask(0); p <= m; p++ {
		if m.Contains(p) {
			all = append(all, p)
		}
	}
	return all
}
