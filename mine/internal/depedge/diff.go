package depedge

import (
	"cmp"
	"slices"
)

// Edge says that a change of a manifest moved one dependency.
type Edge struct {
	Ecosystem Ecosystem
	// Name and OldName are the package after and before; they differ for a new
	// major version's module path, and Name is empty for a removed dependency.
	Name    string
	OldName string
	// Old and New are the versions as written, "" when absent.
	Old string
	New string
	Use Use
	// Line is the new line (of a removed dependency, the old one).
	Line string
	// Path is the manifest.
	Path string
	// Repo is "owner/name" when the new line names a repository directly.
	Repo string
}

// OldVersion reads the version before the change.
func (e Edge) OldVersion() Version { return Dep{Ecosystem: e.Ecosystem, Version: e.Old}.VersionOf() }

// NewVersion reads the version after the change.
func (e Edge) NewVersion() Version { return Dep{Ecosystem: e.Ecosystem, Version: e.New}.VersionOf() }

// Added reports a dependency that was not there before.
func (e Edge) Added() bool { return e.OldName == "" }

// Removed reports a dependency that is gone.
func (e Edge) Removed() bool { return e.Name == "" }

// Diff returns what a change of the manifest at that path moved, sorted. A
// dependency named twice (dev and peer) counts once, by its first use. Of two
// names for which same holds, one removed and one added, one edge is made:
// same knows which names are one package; nil means by Stem.
func Diff(file string, old, new Manifest, same func(e Ecosystem, a, b string) bool) []Edge {
	if same == nil {
		same = func(e Ecosystem, a, b string) bool { return Stem(e, a) == Stem(e, b) }
	}
	before, after := byName(old.Deps), byName(new.Deps)
	var edges []Edge
	for name, d := range after {
		o, had := before[name]
		if had && o.Version == d.Version && o.Repo == d.Repo {
			continue
		}
		e := Edge{Ecosystem: d.Ecosystem, Name: name, New: d.Version, Use: d.Use, Line: d.Line, Path: file, Repo: d.Repo}
		if had {
			e.OldName, e.Old = name, o.Version
		}
		edges = append(edges, e)
	}
	for name, d := range before {
		if _, kept := after[name]; !kept {
			edges = append(edges, Edge{Ecosystem: d.Ecosystem, OldName: name, Old: d.Version, Use: d.Use, Line: d.Line, Path: file})
		}
	}
	slices.SortFunc(edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.OldName, b.OldName))
	})
	return join(edges, same)
}

// join makes one edge of a removed and an added name of the same package.
func join(edges []Edge, same func(e Ecosystem, a, b string) bool) []Edge {
	gone := map[int]bool{}
	for i, added := range edges {
		if !added.Added() {
			continue
		}
		for j, removed := range edges {
			if removed.Removed() && !gone[j] && same(added.Ecosystem, added.Name, removed.OldName) {
				edges[i].OldName, edges[i].Old = removed.OldName, removed.Old
				gone[j] = true
				break
			}
		}
	}
	var out []Edge
	for i, e := range edges {
		if !gone[i] {
			out = append(out, e)
		}
	}
	return out
}

// byName keeps the strongest use of each name: what is replaced beats what is
// required.
func byName(deps []Dep) map[string]Dep {
	m := make(map[string]Dep, len(deps))
	for _, d := range deps {
		if have, ok := m[d.Name]; !ok || (d.Use == UseReplace && have.Use != UseReplace) {
			m[d.Name] = d
		}
	}
	return m
}
