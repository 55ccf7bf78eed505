package detect

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// NPMPackage is one package.json of a tree.
type NPMPackage struct {
	Dir        string // relative to the repository, "" for its root
	Name       string
	Version    string
	Scripts    map[string]string
	Workspaces []string
	// Needs maps the packages of all dependency tables to the range that is
	// asked for; tables that are installed first win.
	Needs map[string]string
	// Entries are the files that main, module, types, bin and exports name.
	Entries []string
	// Body is the file.
	Body []byte
}

// manifest is what is read of a package.json. Fields of an unexpected type are
// as if they were absent.
type manifest struct {
	Name       json.RawMessage `json:"name"`
	Version    json.RawMessage `json:"version"`
	Scripts    json.RawMessage `json:"scripts"`
	Workspaces json.RawMessage `json:"workspaces"`
	Main       json.RawMessage `json:"main"`
	Module     json.RawMessage `json:"module"`
	Types      json.RawMessage `json:"types"`
	Typings    json.RawMessage `json:"typings"`
	Bin        json.RawMessage `json:"bin"`
	Exports    json.RawMessage `json:"exports"`
	Deps       json.RawMessage `json:"dependencies"`
	Dev        json.RawMessage `json:"devDependencies"`
	Optional   json.RawMessage `json:"optionalDependencies"`
	Peer       json.RawMessage `json:"peerDependencies"`
}

// NPMPackages returns the packages of the tree: the root, its workspaces, and
// every other package.json that has a name and does not lie among fixtures.
// They are ordered by directory; a file that is no JSON object is left out.
func NPMPackages(t Tree) []NPMPackage {
	var all []NPMPackage
	for _, p := range t.Paths {
		if path.Base(p) != "package.json" || vendored(p) || fixture(p) {
			continue
		}
		if pkg, ok := parsePackage(parent(p), t.Files[p]); ok {
			all = append(all, pkg)
		}
	}
	slices.SortFunc(all, func(a, b NPMPackage) int { return strings.Compare(a.Dir, b.Dir) })
	return all
}

// NPMManifestFile reports whether a path is a manifest or lock file that an
// installation reads.
func NPMManifestFile(p string) bool {
	switch path.Base(p) {
	case "package.json", "package-lock.json", "npm-shrinkwrap.json":
		return !vendored(p) && !fixture(p)
	}
	return false
}

func parsePackage(dir string, body []byte) (NPMPackage, bool) {
	var m manifest
	if json.Unmarshal(body, &m) != nil {
		return NPMPackage{}, false
	}
	p := NPMPackage{Dir: dir, Name: text(m.Name), Version: text(m.Version), Scripts: table(m.Scripts), Body: body}
	if p.Name == "" && dir != "" {
		return NPMPackage{}, false
	}
	p.Workspaces = globs(m.Workspaces)
	p.Needs = map[string]string{}
	for _, deps := range []json.RawMessage{m.Deps, m.Dev, m.Optional, m.Peer} {
		for name, want := range table(deps) {
			if _, ok := p.Needs[name]; !ok {
				p.Needs[name] = want
			}
		}
	}
	for _, e := range []json.RawMessage{m.Main, m.Module, m.Types, m.Typings, m.Bin, m.Exports} {
		p.Entries = append(p.Entries, anyStrings(e)...)
	}
	p.Entries = slices.Compact(slices.Sorted(slices.Values(p.Entries)))
	return p, true
}

func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

func table(raw json.RawMessage) map[string]string {
	var rough map[string]json.RawMessage
	if json.Unmarshal(raw, &rough) != nil {
		return nil
	}
	clean := map[string]string{}
	for k, v := range rough {
		clean[k] = text(v)
	}
	return clean
}

// globs reads "workspaces", a list or an object with a list "packages".
func globs(raw json.RawMessage) []string {
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		return list
	}
	var object struct{ Packages []string }
	if json.Unmarshal(raw, &object) == nil {
		return object.Packages
	}
	return nil
}

// anyStrings collects the strings anywhere in a value, as exports nests them.
func anyStrings(raw json.RawMessage) []string {
	if s := text(raw); s != "" {
		return []string{s}
	}
	var list []json.RawMessage
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) == nil {
		for _, v := range object {
			list = append(list, v)
		}
	} else if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	var all []string
	for _, v := range list {
		all = append(all, anyStrings(v)...)
	}
	return all
}

// fixture reports whether a path lies among test data.
func fixture(p string) bool {
	for _, part := range strings.Split(parent(p), "/") {
		switch part {
		case "fixtures", "fixture", "__fixtures__", "examples", "example", "testdata", "test", "tests", "__tests__", "templates":
			return true
		}
	}
	return false
}

// NPMRoot returns the package at whose node_modules a package's dependencies
// are installed: the root when it is one of the root's workspaces, else itself.
func NPMRoot(t Tree, pkgs []NPMPackage, pkg NPMPackage) NPMPackage {
	for _, root := range pkgs {
		if root.Dir != "" || pkg.Dir == "" {
			continue
		}
		patterns := slices.Concat(root.Workspaces, pnpmWorkspaces(t))
		if slices.ContainsFunc(patterns, func(g string) bool { return workspaceMatch(g, pkg.Dir) }) {
			return root
		}
	}
	return pkg
}

func pnpmWorkspaces(t Tree) []string {
	var f struct {
		Packages []string `yaml:"packages"`
	}
	if yaml.Unmarshal(t.Files["pnpm-workspace.yaml"], &f) != nil {
		return nil
	}
	return f.Packages
}

// workspaceMatch reports whether a workspace pattern names a directory; "**"
// stands for any depth.
func workspaceMatch(pattern, dir string) bool {
	pattern = strings.Trim(strings.TrimPrefix(pattern, "./"), "/")
	if before, _, deep := strings.Cut(pattern, "**"); deep {
		return strings.HasPrefix(dir, before)
	}
	ok, err := path.Match(pattern, dir)
	return ok && err == nil
}

// NPMPackageOf returns the package that holds a path: the deepest directory
// above it with a package.json.
func NPMPackageOf(pkgs []NPMPackage, dir string) (NPMPackage, bool) {
	best, found := NPMPackage{}, false
	for _, p := range pkgs {
		if within(p.Dir, dir) && (!found || len(p.Dir) > len(best.Dir)) {
			best, found = p, true
		}
	}
	return best, found
}

// Built reports whether an entry of the package is a file that the tree does
// not hold, so that it has to be built.
func (p NPMPackage) Built(t Tree) bool {
	return slices.ContainsFunc(p.Entries, func(e string) bool {
		if strings.ContainsAny(e, "*:") || strings.HasSuffix(e, "/") {
			return false
		}
		file := join(p.Dir, e)
		return !t.Has(file) && !t.HasDir(file) && !t.Has(file+".js") && !t.Has(file+".d.ts") && !t.Has(file+".cjs")
	})
}
