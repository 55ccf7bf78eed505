// Package pairing joins changes of several repositories into candidates. It
// is pure: the sources' findings go in (a World), pairs of changes with their
// evidence come out; then facts about those changes go in, and candidates with
// scores, or drops with reasons, come out.
//
// A candidate is a last consumer with everything that it reaches over strong
// links. Two consumers of one provider are two candidates: a test can only
// need repositories that its own dependency closure holds, so a set without a
// last consumer cannot be joint.
package pairing

import (
	"slices"
	"strings"
	"time"

	"crossswe/mine/internal/change"
	"crossswe/mine/internal/crossref"
	"crossswe/mine/internal/depedge"
	"crossswe/schemas"
)

// Repo is what the sources found in one repository.
type Repo struct {
	Name schemas.RepoName
	// Aliases are former names.
	Aliases []schemas.RepoName
	Set     *change.Set
	// Tags maps a tag's short name to its commit.
	Tags map[string]int32
	// Provides are the packages that its manifests ever named.
	Provides []Provided
	Mentions []Mention
	// Manifests are the changes of its manifests, newest commits first.
	Manifests []ManifestChange
	// Moves follow from them; Index fills them in.
	Moves []Move
	// Foreign marks commits that belong to another repository at hand: they
	// stand on its default branch and not on this one's. nil for none.
	Foreign []bool
}

// Provided is a package of a repository, with the commits in which its
// manifest came to name each version.
type Provided struct {
	depedge.Package
	Releases map[string]int32
}

// Mention is a reference in a commit message.
type Mention struct {
	Node int32
	Ref  crossref.Reference
}

// ManifestChange is what one commit did to one manifest.
type ManifestChange struct {
	Node     int32
	Path     string
	Old, New depedge.Manifest
}

// Move is a dependency that a commit moved.
type Move struct {
	Node int32
	Edge depedge.Edge
}

// World is the repositories at hand.
type World struct {
	Repos []*Repo
	// From and To bound the merge times, both included.
	From, To time.Time
	// Within is the longest time between the merges of two sides.
	Within time.Duration

	byName    map[string]int
	providers map[providerKey][]provider
	// depends[i][j] says that some manifest of i ever named a package of j.
	depends map[[2]int]bool
	forks   map[[2]int]bool
	// backports are changes that say that they repeat another of their repository.
	backports map[Ref]bool
}

type providerKey struct {
	ecosystem depedge.Ecosystem
	name      string
}

type provider struct{ repo, pkg int }

// Ref is one change of one repository.
type Ref struct{ Repo, Change int }

// Index prepares the look-ups. Call it once the repositories are complete.
func (w *World) Index() {
	w.byName, w.providers = map[string]int{}, map[providerKey][]provider{}
	for i, r := range w.Repos {
		for _, n := range append([]schemas.RepoName{r.Name}, r.Aliases...) {
			w.byName[n.Key()] = i
		}
	}
	for i, r := range w.Repos {
		for j, p := range r.Provides {
			k := providerKey{p.Ecosystem, p.Name}
			w.providers[k] = append(w.providers[k], provider{i, j})
			w.former(i, p.Name)
		}
	}
	w.shared()
	w.findBackports()
	w.depends = map[[2]int]bool{}
	for i, r := range w.Repos {
		for _, c := range r.Manifests {
			for _, e := range depedge.Diff(c.Path, c.Old, c.New, w.SamePackage) {
				r.Moves = append(r.Moves, Move{c.Node, e})
			}
		}
		for _, m := range r.Moves {
			for _, p := range w.providersOf(i, m.Edge) {
				w.depends[[2]int{i, p.repo}] = true
			}
		}
	}
}

// former learns a repository's former names from its Go module paths.
func (w *World) former(repo int, module string) {
	parts := strings.Split(module, "/")
	if len(parts) < 3 || parts[0] != "github.com" {
		return
	}
	name, err := schemas.ParseRepoName(parts[1] + "/" + parts[2])
	if err != nil || !strings.EqualFold(name.Name(), w.Repos[repo].Name.Name()) {
		return
	}
	if _, taken := w.byName[name.Key()]; !taken {
		w.byName[name.Key()] = repo
	}
}

// shared finds commits that stand in two repositories: when most of one
// default branch does, the two are forks; else those commits are foreign in
// the repository whose default branch lacks them.
func (w *World) shared() {
	w.forks = map[[2]int]bool{}
	main := make([][]bool, len(w.Repos))
	for i, r := range w.Repos {
		main[i] = onMain(r.Set)
	}
	for i := range w.Repos {
		for j := range i {
			w.share(i, j, main)
		}
	}
}

func (w *World) share(i, j int, main [][]bool) {
	a, b := w.Repos[i], w.Repos[j]
	var both [][2]int32
	inMain := 0
	for n := range a.Set.Graph.Nodes {
		m, ok := b.Set.Graph.At(a.Set.Graph.Nodes[n].SHA)
		if !ok {
			continue
		}
		both = append(both, [2]int32{int32(n), m})
		if main[i][n] && main[j][m] {
			inMain++
		}
	}
	inA, inB := count(main[i]), count(main[j])
	if inMain*2 > max(inA, inB) {
		w.forks[[2]int{i, j}], w.forks[[2]int{j, i}] = true, true
	}
	for _, s := range both {
		switch ofA, ofB := main[i][s[0]], main[j][s[1]]; {
		case ofA && (!ofB || inA < inB): // on both: the larger one took the smaller one in
			b.foreign(s[1])
		default:
			a.foreign(s[0])
		}
	}
}

func (r *Repo) foreign(n int32) {
	if r.Foreign == nil {
		r.Foreign = make([]bool, len(r.Set.Graph.Nodes))
	}
	r.Foreign[n] = true
}

func onMain(s *change.Set) []bool {
	out := make([]bool, len(s.Graph.Nodes))
	for _, c := range s.Changes {
		for _, n := range c.Nodes {
			out[n] = c.Main
		}
	}
	return out
}

func count(b []bool) int {
	n := 0
	for _, v := range b {
		if v {
			n++
		}
	}
	return n
}

// change returns the change of a reference.
func (w *World) change(r Ref) *change.Change { return &w.Repos[r.Repo].Set.Changes[r.Change] }

// node returns a commit.
func (w *World) node(repo int, n int32) *change.Node { return &w.Repos[repo].Set.Graph.Nodes[n] }

// Landed returns when a change landed.
func (w *World) Landed(r Ref) time.Time {
	return time.Unix(w.node(r.Repo, w.change(r).Landed()).CommitTime, 0).UTC()
}

// Subject returns the first line that stands for a change: its merge's, or
// that of its first commit for a branch merged or rebased.
func (w *World) Subject(r Ref) string {
	c := w.change(r)
	if c.Merge >= 0 || len(c.Nodes) > 1 {
		return w.node(r.Repo, c.Nodes[len(c.Nodes)-1]).Subject
	}
	return w.node(r.Repo, c.Head).Subject
}

func (w *World) inWindow(r Ref) bool {
	t := w.Landed(r)
	return !t.Before(w.From) && !t.After(w.To)
}

// refOf returns the change of a commit, false for commits that belong to no
// change or to another repository.
func (w *World) refOf(repo int, n int32) (Ref, bool) {
	r := w.Repos[repo]
	if r.Foreign != nil && r.Foreign[n] {
		return Ref{}, false
	}
	at, ok := r.Set.Of(n)
	return Ref{repo, at}, ok
}

// providersOf returns who else provides what an edge moves.
func (w *World) providersOf(consumer int, e depedge.Edge) []provider {
	var out []provider
	for _, name := range []string{e.Name, e.OldName} {
		for _, p := range w.providers[providerKey{e.Ecosystem, name}] {
			if p.repo != consumer && !w.forks[[2]int{consumer, p.repo}] && !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return out
}

// SamePackage reports whether two names are one package: by their stem, or
// because one repository provides both.
func (w *World) SamePackage(e depedge.Ecosystem, a, b string) bool {
	if depedge.Stem(e, a) == depedge.Stem(e, b) {
		return true
	}
	for _, p := range w.providers[providerKey{e, a}] {
		for _, q := range w.providers[providerKey{e, b}] {
			if p.repo == q.repo && w.Repos[p.repo].Provides[p.pkg].Dir == w.Repos[q.repo].Provides[q.pkg].Dir {
				return true
			}
		}
	}
	return false
}

// lookup resolves a repository's name.
func (w *World) lookup(ref crossref.Reference) (int, bool) {
	if name, ok := ref.RepoName(); ok {
		i, ok := w.byName[name.Key()]
		return i, ok
	}
	if ref.RepoNameOnly == "" {
		return 0, false
	}
	found := -1
	for i, r := range w.Repos {
		if strings.EqualFold(r.Name.Name(), ref.RepoNameOnly) {
			if found >= 0 {
				return 0, false
			}
			found = i
		}
	}
	return found, found >= 0
}
