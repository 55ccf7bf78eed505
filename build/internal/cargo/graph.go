package cargo

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Graph is what is read of the output of cargo metadata --format-version 1.
type Graph struct {
	Packages []Package `json:"packages"`
	Members  []string  `json:"workspace_members"`
	Resolve  *struct {
		Nodes []Node `json:"nodes"`
	} `json:"resolve"`
}

// Package is one package of a Graph.
type Package struct {
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	Version  string  `json:"version"`
	Source   *string `json:"source"` // nil for a directory
	Manifest string  `json:"manifest_path"`
	Deps     []Ask   `json:"dependencies"`
	Targets  []struct {
		Kind []string `json:"kind"`
		Src  string   `json:"src_path"`
	} `json:"targets"`
}

// Ask is a dependency as a manifest names it.
type Ask struct {
	Name   string  `json:"name"`
	Req    string  `json:"req"`
	Source *string `json:"source"` // nil for a directory
}

// Node says what a package's dependencies resolved to.
type Node struct {
	ID   string `json:"id"`
	Deps []struct {
		ID string `json:"pkg"`
	} `json:"deps"`
}

// ParseGraph reads the output of cargo metadata.
func ParseGraph(body []byte) (Graph, error) {
	var g Graph
	if err := json.Unmarshal(body, &g); err != nil {
		return g, fmt.Errorf("reading cargo metadata: %w", err)
	}
	return g, nil
}

// Reqs are the requirements by which the members of the workspace ask for a
// package of a registry or a git repository.
func (g Graph) Reqs(name string) []Req {
	var all []Req
	for _, p := range g.Packages {
		if !slices.Contains(g.Members, p.ID) {
			continue
		}
		for _, d := range p.Deps {
			if r, ok := ParseReq(d.Req); ok && d.Name == name && d.Source != nil {
				all = append(all, r)
			}
		}
	}
	return all
}

// Member returns the workspace's own package of a name.
func (g Graph) Member(name string) (Package, bool) {
	for _, p := range g.Packages {
		if p.Name == name && slices.Contains(g.Members, p.ID) {
			return p, true
		}
	}
	return Package{}, false
}

// Asks reports whether a member of the workspace asks for a package.
func (g Graph) Asks(name string) bool { return len(g.Reqs(name)) > 0 }

// Released returns a release of a package in one of the version lines, "" when
// there is none.
func (g Graph) Released(name string, lines []string) string {
	for _, p := range g.Packages {
		if p.Name == name && p.Source != nil && slices.Contains(lines, lineOf(p.Version)) {
			return p.Version
		}
	}
	return ""
}

// VoidError says why a link does not hold.
type VoidError struct{ Detail string }

// Error implements error.
func (e *VoidError) Error() string { return e.Detail }

func void(format string, args ...any) error { return &VoidError{fmt.Sprintf(format, args...)} }

// Linked proves that the members of a resolved workspace use the package of
// that name from the directory copy, and returns its library's file there. The
// error is a *VoidError: the copy is not used by a member that asks for it, or
// a published release of the same version line is used beside it.
func (g Graph) Linked(name, copy string) (string, error) {
	var linked *Package
	for i, p := range g.Packages {
		if p.Name == name && p.Source == nil && path.Dir(p.Manifest) == copy {
			linked = &g.Packages[i]
		}
	}
	if linked == nil {
		return "", void("the patch of %s is not used: %s", name, g.instead(name))
	}
	line := lineOf(linked.Version)
	for _, p := range g.Packages {
		if p.Name == name && p.Source != nil && lineOf(p.Version) == line {
			return "", void("release %s of %s is used beside the checkout, from %s", p.Version, name, *p.Source)
		}
	}
	if err := g.used(name, linked.ID); err != nil {
		return "", err
	}
	for _, t := range linked.Targets {
		if slices.ContainsFunc(t.Kind, isLib) {
			return t.Src, nil
		}
	}
	return "", void("%s has no library", name)
}

func isLib(kind string) bool { return strings.HasSuffix(kind, "lib") || kind == "proc-macro" }

// instead says what stands in a package's place.
func (g Graph) instead(name string) string {
	var found []string
	for _, p := range g.Packages {
		if p.Name == name {
			from := path.Dir(p.Manifest)
			if p.Source != nil {
				from = *p.Source
			}
			found = append(found, p.Version+" from "+from)
		}
	}
	if found == nil {
		return "nothing depends on it"
	}
	return strings.Join(found, ", ")
}

// used asks that every member that names the package resolved to that one.
func (g Graph) used(name, id string) error {
	any := false
	for _, p := range g.Packages {
		asks := slices.ContainsFunc(p.Deps, func(d Ask) bool { return d.Name == name && d.Source != nil })
		if !asks || !slices.Contains(g.Members, p.ID) {
			continue
		}
		if !g.resolved(p.ID, id) {
			return void("%s asks for %s and does not get the checkout", p.Name, name)
		}
		any = true
	}
	if !any {
		return void("no package of the workspace asks for %s", name)
	}
	return nil
}

func (g Graph) resolved(from, to string) bool {
	if g.Resolve == nil {
		return false
	}
	for _, n := range g.Resolve.Nodes {
		for _, d := range n.Deps {
			if n.ID == from && d.ID == to {
				return true
			}
		}
	}
	return false
}

func lineOf(version string) string {
	v, _ := ParseVersion(version)
	return v.Line()
}
