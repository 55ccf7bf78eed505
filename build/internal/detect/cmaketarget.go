package detect

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"crossswe/schemas"
)

// CMakeTarget is a directory of tests that the change touches.
type CMakeTarget struct {
	Project CMakeProject // at head
	// Dir is the directory, relative to the repository.
	Dir string
	// Files are the touched test files, relative to the repository.
	Files []string
}

var nativeFile = regexp.MustCompile(`\.(?:c|cc|cpp|cxx|c\+\+|h|hh|hpp|hxx|inc|ipp)$`)

// CMakeTargets returns the directories to test: of every touched test file the
// nearest one with a CMakeLists.txt below which tests are declared, or the
// whole project. A project of whose tests CTest does not know has none.
func CMakeTargets(r Repo) []CMakeTarget {
	projects := CMakeProjects(r.Head)
	at := map[string]*CMakeTarget{}
	for _, f := range r.Files {
		if f.Class != schemas.ClassTest || f.Status == schemas.FileDeleted || !testSource(f.Path) {
			continue
		}
		p, ok := CMakeProjectOf(projects, parent(f.Path))
		if !ok || !p.Tests {
			continue
		}
		dir := p.testDir(r.Head, parent(f.Path))
		if at[dir] == nil {
			at[dir] = &CMakeTarget{Project: p, Dir: dir}
		}
		at[dir].Files = append(at[dir].Files, f.Path)
	}
	var all []CMakeTarget
	for _, dir := range slices.Sorted(maps.Keys(at)) {
		if !nested(at, dir) {
			all = append(all, merged(at, dir))
		}
	}
	return all
}

// testSource reports whether a test file is code, or says which code is run.
func testSource(p string) bool {
	return nativeFile.MatchString(p) || path.Base(p) == cmakeLists || path.Ext(p) == ".cmake"
}

// testDir climbs to the directory that CTest runs.
func (p CMakeProject) testDir(t Tree, dir string) string {
	for ; dir != p.Dir; dir = parent(dir) {
		if !t.Has(path.Join(dir, cmakeLists)) {
			continue
		}
		for d := range p.testDirs {
			if within(dir, d) {
				return dir
			}
		}
	}
	return p.Dir
}

// nested reports whether an outer directory of the same project is run anyway.
func nested(at map[string]*CMakeTarget, dir string) bool {
	for other, t := range at {
		if other != dir && within(other, dir) && t.Project.Dir == at[dir].Project.Dir {
			return true
		}
	}
	return false
}

// merged is the target of a directory with the files of those within it.
func merged(at map[string]*CMakeTarget, dir string) CMakeTarget {
	t := *at[dir]
	t.Files = nil
	for other, inner := range at {
		if within(dir, other) && inner.Project.Dir == t.Project.Dir {
			t.Files = append(t.Files, inner.Files...)
		}
	}
	slices.Sort(t.Files)
	return t
}

// Relative is the directory's path relative to its project.
func (t CMakeTarget) Relative() string {
	return strings.TrimPrefix(strings.TrimPrefix(t.Dir, t.Project.Dir), "/")
}

var (
	ciCommandKey = regexp.MustCompile(`^(run|script|before_script|install|before_install|commands?)$`)
	aptInstall   = regexp.MustCompile(`\bapt(?:-get)?\b[^\n;&|]*\binstall\b([^\n;&|]*)`)
	debianName   = regexp.MustCompile(`^[a-z0-9][a-z0-9+.-]+$`)
	// debianTools are the packages, beside libraries, that builds need.
	debianTools = regexp.MustCompile(`^(?:bison|flex|gawk|gettext|gperf|m4|nasm|yasm|perl|pkg-config|pkgconf|protobuf-compiler|python3|re2c|ragel|swig|tcl|xxd|zlib1g-dev)$`)
	continued   = regexp.MustCompile(`\\\n\s*`)
)

// DebianPackages returns the libraries and tools that the tree's CI installs
// by apt, sorted. Compilers, linters and the names of other distributions'
// versions are left out.
func DebianPackages(t Tree) []string {
	found := map[string]bool{}
	for _, script := range ciValues(t, ciCommandKey.MatchString, func(string) bool { return false }) {
		for _, m := range aptInstall.FindAllStringSubmatch(continued.ReplaceAllString(script, " "), -1) {
			for _, word := range strings.Fields(m[1]) {
				name, _, _ := strings.Cut(word, "=")
				name, _, _ = strings.Cut(name, ":")
				if debianName.MatchString(name) && (debianTools.MatchString(name) || strings.HasPrefix(name, "lib") && strings.HasSuffix(name, "-dev")) {
					found[name] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}
