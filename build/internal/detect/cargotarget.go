package detect

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"crossswe/build/internal/cargo"
	"crossswe/schemas"
)

// CargoTarget is one test target whose tests the change touches.
type CargoTarget struct {
	Package CargoPackage // at head
	// Kind is lib, bin or test, and Name the target's name; "" for a library.
	Kind, Name string
	// Root is the target's source file, relative to the repository.
	Root string
	// Files are the touched test files that belong to it.
	Files []string
	// Features are the arguments that select features.
	Features []string
	From     string // why these features, for people
}

// CargoTargets returns the targets to test: every integration test that a
// touched file is part of, and the library or program whose own tests are
// touched. A target without a harness tells no results and is left out.
func CargoTargets(r Repo) []CargoTarget {
	pkgs := CargoPackages(r.Head)
	found := map[string]*CargoTarget{}
	for _, f := range r.Files {
		if f.Status == schemas.FileDeleted || f.Class != schemas.ClassTest {
			continue
		}
		pkg, ok := CargoPackageOf(pkgs, parent(f.Path))
		if !ok {
			continue
		}
		for _, t := range pkg.targetsOf(r.Head, f.Path) {
			if found[t.Root] == nil {
				found[t.Root] = &t
			}
			found[t.Root].Files = append(found[t.Root].Files, f.Path)
		}
	}
	var all []CargoTarget
	for _, root := range slices.Sorted(maps.Keys(found)) {
		t := *found[root]
		t.Features, t.From = cargoFeatures(r, t)
		all = append(all, t)
	}
	return all
}

// targetsOf returns the targets that a file of the package is part of.
func (p CargoPackage) targetsOf(t Tree, file string) []CargoTarget {
	rel := strings.TrimPrefix(strings.TrimPrefix(file, p.Dir), "/")
	if strings.HasPrefix(rel, "benches/") || strings.HasPrefix(rel, "examples/") {
		return nil
	}
	if strings.HasPrefix(rel, "src/") || rel == "build.rs" || p.isRoot(rel) {
		if path.Ext(rel) != ".rs" {
			return nil
		}
		return p.unitTarget(t, rel)
	}
	var all, mentioned []CargoTarget
	for _, target := range p.testTargets(t) {
		part, names := moduleFiles(t, target.Root, file)
		switch {
		case target.Root == file, part:
			all = append(all, target)
		case names:
			mentioned = append(mentioned, target)
		}
	}
	if len(all) == 0 {
		return mentioned
	}
	return all
}

func (p CargoPackage) isRoot(rel string) bool {
	return rel == p.Lib.Path || slices.ContainsFunc(p.Bins, func(b cargo.Target) bool { return b.Path == rel })
}

// unitTarget is the library, or the program, that a source file belongs to.
func (p CargoPackage) unitTarget(t Tree, rel string) []CargoTarget {
	lib := firstOf(p.Lib.Path, "src/lib.rs")
	for _, b := range p.Bins {
		if b.Path == rel && b.Harness && !b.Off {
			return []CargoTarget{{Package: p, Kind: "bin", Name: b.Name, Root: join(p.Dir, rel)}}
		}
	}
	switch {
	case strings.HasPrefix(rel, "src/bin/"):
		name, _, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(rel, "src/bin/"), ".rs"), "/")
		return []CargoTarget{{Package: p, Kind: "bin", Name: name, Root: join(p.Dir, rel)}}
	case t.Has(join(p.Dir, lib)) && rel != "src/main.rs":
		if p.Lib.Off || !p.libHarness() {
			return nil
		}
		return []CargoTarget{{Package: p, Kind: "lib", Root: join(p.Dir, lib)}}
	case t.Has(join(p.Dir, "src/main.rs")):
		return []CargoTarget{{Package: p, Kind: "bin", Name: p.Manifest.Name, Root: join(p.Dir, "src/main.rs")}}
	}
	return nil
}

func (p CargoPackage) libHarness() bool { return p.Lib.Harness || p.Lib.Name == "" && p.Lib.Path == "" }

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// testTargets returns the package's integration tests: those that it lists, and
// those that cargo finds, tests/x.rs and tests/x/main.rs.
func (p CargoPackage) testTargets(t Tree) []CargoTarget {
	var all []CargoTarget
	listed := map[string]bool{}
	add := func(name, root string) {
		if t.Has(root) && !listed[root] {
			all = append(all, CargoTarget{Package: p, Kind: "test", Name: name, Root: root})
		}
		listed[root] = true
	}
	for _, l := range p.Tests {
		root := join(p.Dir, firstOf(l.Path, "tests/"+l.Name+".rs"))
		if !l.Harness || l.Off || l.Name == "" {
			listed[root] = true
			continue
		}
		add(l.Name, root)
	}
	if p.NoAutoTests {
		return all
	}
	dir := join(p.Dir, "tests")
	for _, f := range t.Paths {
		if parent(f) == dir && path.Ext(f) == ".rs" {
			add(strings.TrimSuffix(path.Base(f), ".rs"), f)
		}
		if path.Base(f) == "main.rs" && parent(parent(f)) == dir {
			add(path.Base(parent(f)), f)
		}
	}
	return all
}

var (
	modLine  = regexp.MustCompile(`(?m)(?:#\[path\s*=\s*"([^"]+)"\]\s*(?:#\[[^\]]*\]\s*)*)?\bmod\s+([A-Za-z_]\w*)\s*;`)
	pathAttr = regexp.MustCompile(`"([^"\n]+\.rs)"`)
)

// moduleFiles follows the modules of a target from its root. It reports whether
// file is one of them, and whether one of them mentions its name.
func moduleFiles(t Tree, root, file string) (part, names bool) {
	seen := map[string]bool{}
	var visit func(p string, isRoot bool)
	visit = func(p string, isRoot bool) {
		if seen[p] || !t.Has(p) || len(seen) > 500 {
			return
		}
		seen[p] = true
		body := string(t.Files[p])
		names = names || strings.Contains(body, path.Base(file)) || strings.Contains(body, path.Base(parent(file))+"/")
		inner := parent(p)
		if base := strings.TrimSuffix(path.Base(p), ".rs"); !isRoot && base != "mod" {
			inner = join(inner, base)
		}
		for _, m := range pathAttr.FindAllStringSubmatch(body, -1) {
			visit(join(parent(p), m[1]), false)
		}
		for _, m := range modLine.FindAllStringSubmatch(body, -1) {
			visit(join(inner, m[2]+".rs"), false)
			visit(join(inner, m[2]+"/mod.rs"), false)
		}
	}
	visit(root, true)
	return seen[file], names
}

// inTests reports whether a Rust file lies in a directory "tests" in which the
// change touches something: targets there may be made of it.
func inTests(p string, changed []schemas.File) bool {
	before, _, ok := strings.Cut("/"+p, "/tests/")
	if !ok || path.Ext(p) != ".rs" {
		return false
	}
	dir := strings.TrimPrefix(before+"/tests/", "/")
	return slices.ContainsFunc(changed, func(f schemas.File) bool { return strings.HasPrefix(f.Path, dir) })
}
