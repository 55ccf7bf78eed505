package detect

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"crossswe/schemas"
)

// PyTarget is one test file of Python.
type PyTarget struct {
	Project PyProject // that holds the file, at head
	File    string    // relative to the repository
}

// Relative is the file's path relative to its distribution.
func (p PyTarget) Relative() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.File, p.Project.Dir), "/")
}

var pyTest = regexp.MustCompile(`(?m)^\s*(?:async\s+)?def test\w*\s*\(|^class \w*Test\w*\s*[(:]|^class \w+\([^)]*TestCase[^)]*\)|^\s*test_\w+\s*=`)

// wantedPyTest reports whether a changed file may hold tests of Python.
func wantedPyTest(f schemas.File) bool {
	return f.Class == schemas.ClassTest && f.Status != schemas.FileDeleted && path.Ext(f.Path) == ".py"
}

// PyTargets returns the touched test files. Files that tests only read, and
// those that hold no test, are none: they are patched, not run.
func PyTargets(r Repo) []PyTarget {
	all := PyProjects(r.Head)
	var targets []PyTarget
	for _, f := range r.Files {
		if !wantedPyTest(f) || path.Base(f.Path) == "conftest.py" || pyData(f.Path) || !pyTest.Match(r.Head.Files[f.Path]) {
			continue
		}
		p, ok := PyProjectOf(all, parent(f.Path))
		if !ok {
			continue
		}
		targets = append(targets, PyTarget{Project: p, File: f.Path})
	}
	return targets
}

// pyData reports whether a file is data of other tests: pytest would collect
// none of these directories' files by itself.
func pyData(p string) bool {
	return slices.ContainsFunc(strings.Split(parent(p), "/"), func(part string) bool {
		switch part {
		case "data", "testdata", "fixtures", "regrtest_data", "test_data", "functional", "input", "resources", "snippets":
			return !strings.HasPrefix(path.Base(p), "test_")
		}
		return part == "testdata" || part == "regrtest_data"
	})
}

// PyRivals returns the pytest plugins that siblings bring and that a repository
// does not itself ask for: in one environment they would take part in its tests.
func PyRivals(r Repo, others []Repo) []string {
	var wanted []string
	for _, p := range PyProjects(r.Head) {
		wanted = append(wanted, p.Normal())
		tests := PyTests(r.Head, p)
		lines := slices.Concat(p.Needs, tests.Lines, tests.Loose)
		for _, extra := range p.Extras {
			lines = append(lines, extra...)
		}
		for _, l := range lines {
			wanted = append(wanted, PyName(l))
		}
	}
	var rivals []string
	for _, o := range others {
		for _, p := range PyProjects(o.Base) {
			if !slices.Contains(wanted, p.Normal()) {
				rivals = append(rivals, p.Plugins...)
			}
		}
	}
	return sortedSet(rivals)
}
