package pairing

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"crossswe/mine/internal/depedge"
	"crossswe/schemas"
)

// longestInterval bounds the commits between two versions that are looked at:
// a bump over a longer stretch says nothing about any one of them.
const longestInterval = 400

// moves follows every dependency that the repository's changes moved to a
// package that another repository at hand provides.
func (f *finder) moves(repo int) {
	type key struct {
		ref        Ref
		path, name string
	}
	merged := map[key]Move{}
	for _, m := range f.w.Repos[repo].Moves { // newest first
		ref, ok := f.w.refOf(repo, m.Node)
		if !ok || m.Edge.Removed() || m.Edge.Use == depedge.UseIndirect {
			continue
		}
		if m.Node == f.w.change(ref).Merge && len(f.w.Repos[repo].Set.Graph.Nodes[m.Node].Parents) > 1 {
			continue // the branch's own commits say the same
		}
		k := key{ref, m.Edge.Path, m.Edge.Name}
		if later, ok := merged[k]; ok {
			later.Edge.Old, later.Edge.OldName = m.Edge.Old, m.Edge.OldName
			m = later
		}
		merged[k] = m
	}
	keys := slices.SortedFunc(maps.Keys(merged), func(a, b key) int {
		return cmp.Or(compareRefs(a.ref, b.ref), cmp.Compare(a.path, b.path), cmp.Compare(a.name, b.name))
	})
	for _, k := range keys {
		packages := map[int][]Provided{}
		for _, p := range f.w.providersOf(repo, merged[k].Edge) {
			packages[p.repo] = append(packages[p.repo], f.w.Repos[p.repo].Provides[p.pkg])
		}
		for _, provider := range slices.Sorted(maps.Keys(packages)) {
			f.move(k.ref, provider, packages[provider], merged[k])
		}
	}
}

// move links a change to the changes of one provider between two versions. The
// provider may hold several packages of one name, as copies and stubs.
func (f *finder) move(from Ref, provider int, packages []Provided, m Move) {
	what := string(f.w.Repos[provider].Name) + " " + m.Edge.Name + "@" + m.Edge.New
	if !f.w.inWindow(from) {
		f.outside(from, what)
		return
	}
	if f.w.node(from.Repo, m.Node).Bot {
		f.drop(from, what, schemas.DropBotBump, "%s moved from %s to %s by an update bot", m.Edge.Name, m.Edge.Old, m.Edge.New)
		return
	}
	to, pkg, ok := f.w.versionOf(provider, packages, m.Edge.NewVersion())
	if !ok {
		f.drop(from, what, schemas.DropUnresolved, "no commit is known for %s %s", m.Edge.Name, m.Edge.New)
		return
	}
	exact := m.Edge.NewVersion().Commit != ""
	old, known := int32(-1), false
	if m.Edge.Old != "" {
		old, _, known = f.w.versionOf(provider, f.w.oldPackages(provider, m.Edge), m.Edge.OldVersion())
	} else if f.w.youngAt(provider, to) {
		known = true // a package that has just begun: all of it is new
	}
	if !known && !exact {
		f.drop(from, what, schemas.DropNoChange, "no commit is known for %q, so the interval has no beginning", m.Edge.Old)
		return
	}
	link := schemas.Link{Kind: schemas.LinkVersion, Text: m.Edge.Line, Where: schemas.PlaceManifest,
		Commit: f.w.node(from.Repo, m.Node).SHA, Path: m.Edge.Path, OldVersion: m.Edge.Old, NewVersion: m.Edge.New}
	ev := Evidence{Link: link, Direction: 1, Dir: pkg.Dir, Use: m.Edge.Use, Pin: m.Edge.OldVersion().Commit, What: f.what(from, what)}
	found := 0
	if known {
		found = f.interval(from, provider, old, to, exact, ev)
	} else {
		if ref, ok := f.w.refOf(provider, to); ok && f.w.apart(from, ref) <= f.w.Within {
			ev.Exact = true
			f.pairs.add(from, ref, ev)
			found = 1
		}
	}
	if found == 0 {
		f.drop(from, what, schemas.DropOutOfWindow, "no change between %q and %q landed within the window", m.Edge.Old, m.Edge.New)
	}
}

// interval links a change to each change of the interval and returns how many
// there are.
func (f *finder) interval(from Ref, repo int, old, to int32, exact bool, ev Evidence) int {
	nodes, _ := f.w.Repos[repo].Set.Graph.Between(old, to, longestInterval)
	seen := map[Ref]bool{}
	var refs []Ref
	for _, n := range nodes {
		ref, ok := f.w.refOf(repo, n)
		if ok && !seen[ref] && !f.w.inBoth(from, ref) && f.w.apart(from, ref) <= f.w.Within {
			seen[ref] = true
			refs = append(refs, ref)
		}
	}
	named, _ := f.w.refOf(repo, to)
	for _, ref := range refs {
		ev.Exact = exact && ref == named
		f.pairs.add(from, ref, ev)
	}
	return len(refs)
}

// oldPackages are the provider's packages under the name before the move.
func (w *World) oldPackages(provider int, e depedge.Edge) []Provided {
	var out []Provided
	for _, p := range w.providers[providerKey{e.Ecosystem, e.OldName}] {
		if p.repo == provider {
			out = append(out, w.Repos[p.repo].Provides[p.pkg])
		}
	}
	return out
}

// versionOf finds the commit of a version in the first package that has it.
func (w *World) versionOf(repo int, packages []Provided, v depedge.Version) (int32, Provided, bool) {
	for _, p := range packages {
		if n, ok := w.commitOf(repo, p, v); ok {
			return n, p, true
		}
	}
	return 0, Provided{}, false
}

// commitOf finds the commit of a package's version: a named commit, a tag of
// the package, the commit in which its manifest came to name the version, a
// tag of the repository, a branch's name.
func (w *World) commitOf(repo int, p Provided, v depedge.Version) (int32, bool) {
	r := w.Repos[repo]
	if v.Commit != "" {
		return r.Set.Graph.Find(v.Commit)
	}
	if v.Ref != "" {
		n, ok := r.Tags[v.Ref]
		return n, ok
	}
	if v.Release == "" {
		return 0, false
	}
	for _, tag := range p.Tags(v.Release) {
		if n, ok := r.Tags[tag]; ok {
			return n, true
		}
	}
	if n, ok := p.Releases[v.Release]; ok {
		return n, true
	}
	for _, tag := range []string{"v" + v.Release, v.Release} {
		if n, ok := r.Tags[tag]; ok && p.Dir == "" {
			return n, true
		}
	}
	return 0, false
}

// inPackage reports whether a path belongs to a package's directory.
func inPackage(dir, path string) bool {
	return dir == "" || strings.HasPrefix(path, dir+"/")
}
