package detect

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"crossswe/schemas"
)

// PyProject is one distribution of Python: what its pyproject.toml, setup.cfg
// and setup.py say, as far as they say it in so many words.
type PyProject struct {
	Dir  string // relative to the repository, "" for its root
	Name string // as the manifest writes it
	// RequiresPython is the specifier set, and Minors the minors of Python 3
	// among the classifiers.
	RequiresPython string
	Minors         []int
	// Needs are the requirement lines of the product, and Extras and Groups
	// those by extra and by dependency group.
	Needs  []string
	Extras map[string][]string
	Groups map[string][]string
	// BuildNeeds are the requirements of the build back end, and Backend its name.
	BuildNeeds []string
	Backend    string
	// Scripts are the entry points, one a line, sorted; Plugins are those of
	// pytest.
	Scripts []string
	Plugins []string
	// Modules are the modules that the distribution brings: foo, or foo.bar
	// where foo is a namespace.
	Modules []string
	// SCM says that the version comes from git.
	SCM bool
}

// pyManifests are the files that make a directory a distribution.
var pyManifests = []string{"pyproject.toml", "setup.cfg", "setup.py"}

// PyProjects returns the distributions of the tree, by directory. A directory
// whose manifests tell no name is none.
func PyProjects(t Tree) []PyProject {
	var dirs []string
	for _, p := range t.Paths {
		if slices.Contains(pyManifests, path.Base(p)) && !vendored(p) && !fixture(p) && !pyOutside(parent(p)) {
			dirs = append(dirs, parent(p))
		}
	}
	slices.Sort(dirs)
	var all []PyProject
	for _, dir := range slices.Compact(dirs) {
		if p := pyProject(t, dir); p.Name != "" {
			all = append(all, p)
		}
	}
	return all
}

// pyOutside reports whether a directory holds no product: its manifests are
// for documentation or for trying things out.
func pyOutside(dir string) bool {
	for _, part := range strings.Split(dir, "/") {
		if pyNoProduct[part] {
			return true
		}
	}
	return false
}

var pyNoProduct = map[string]bool{
	"docs": true, "doc": true, "examples": true, "example": true, "test": true, "tests": true, "testing": true,
	"benchmarks": true, "benchmark": true, "scripts": true, "tools": true, "ci": true, "continuous_integration": true,
	"demo": true, "demos": true, "samples": true, "notebooks": true, "build": true, "dist": true, "news": true,
}

func pyProject(t Tree, dir string) PyProject {
	p := PyProject{Dir: dir, Extras: map[string][]string{}, Groups: map[string][]string{}}
	p.readPyproject(t.Files[join(dir, "pyproject.toml")])
	p.readSetupCfg(t.Files[join(dir, "setup.cfg")])
	p.readSetupPy(t.Files[join(dir, "setup.py")])
	maps.DeleteFunc(p.Groups, func(_ string, lines []string) bool { return len(lines) == 0 })
	slices.Sort(p.Scripts)
	p.Scripts = slices.Compact(p.Scripts)
	slices.Sort(p.Minors)
	p.Minors = slices.Compact(p.Minors)
	if len(p.BuildNeeds) == 0 {
		p.BuildNeeds = []string{"setuptools", "wheel"}
	}
	for _, need := range p.BuildNeeds {
		switch PyName(need) {
		case "setuptools-scm", "hatch-vcs", "setuptools-git-versioning", "poetry-dynamic-versioning", "versioningit", "flit-scm", "pbr":
			p.SCM = true
		}
	}
	p.Modules = pyModules(t, p)
	return p
}

var pyClassifier = regexp.MustCompile(`^Programming Language :: Python :: 3\.(\d{1,2})$`)

func (p *PyProject) classifiers(all []string) {
	for _, c := range all {
		if m := pyClassifier.FindStringSubmatch(strings.TrimSpace(c)); m != nil {
			p.Minors = append(p.Minors, number(m[1]))
		}
	}
}

var (
	pyNameForm = regexp.MustCompile(`^\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)`)
	pyNameRun  = regexp.MustCompile(`[-_.]+`)
)

// PyName returns the normal form of the name with which a requirement line
// begins (PEP 503), "" when it begins with none.
func PyName(requirement string) string {
	m := pyNameForm.FindStringSubmatch(requirement)
	if m == nil {
		return ""
	}
	return strings.ToLower(pyNameRun.ReplaceAllString(m[1], "-"))
}

// Normal is the normal form of the distribution's name.
func (p PyProject) Normal() string { return PyName(p.Name) }

// pyModules finds the modules of a distribution: those that its name stands
// for, else every package that stands where packages do.
func pyModules(t Tree, p PyProject) []string {
	flat := strings.ReplaceAll(p.Normal(), "-", "_")
	var all []string
	for _, root := range []string{"src", "", "lib", "python"} {
		found := pyTopLevel(t, join(p.Dir, root))
		for _, m := range found {
			if strings.EqualFold(m, flat) || strings.EqualFold(strings.ReplaceAll(m, ".", "_"), flat) {
				return []string{m}
			}
		}
		if len(all) == 0 {
			all = found
		}
	}
	return all
}

// pyTopLevel returns the modules that stand directly in a directory: packages,
// packages of a namespace one level down, and single files.
func pyTopLevel(t Tree, dir string) []string {
	found := map[string]bool{}
	for _, p := range t.Paths {
		rel, ok := strings.CutPrefix(p, prefixOf(dir))
		if !ok || !strings.HasSuffix(rel, ".py") {
			continue
		}
		parts := strings.Split(rel, "/")
		if pyNoProduct[parts[0]] || !pyIdentifier.MatchString(strings.TrimSuffix(parts[0], ".py")) {
			continue
		}
		switch {
		case len(parts) == 1:
			if name := strings.TrimSuffix(parts[0], ".py"); !pyLoose[name] {
				found[name] = true
			}
		case len(parts) == 2 && parts[1] == "__init__.py":
			found[parts[0]] = true
		case len(parts) == 3 && parts[2] == "__init__.py" && pyIdentifier.MatchString(parts[1]) && parts[0] != "src" && !t.Has(path.Join(dir, parts[0], "__init__.py")):
			found[parts[0]+"."+parts[1]] = true
		}
	}
	var all []string
	for m := range found {
		all = append(all, m)
	}
	slices.Sort(all)
	return all
}

var pyIdentifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// pyLoose are files beside a manifest that no distribution brings.
var pyLoose = map[string]bool{"setup": true, "conftest": true, "noxfile": true, "tasks": true, "versioneer": true, "conf": true, "fabfile": true, "manage": true}

func prefixOf(dir string) string {
	if dir == "" {
		return ""
	}
	return dir + "/"
}

// PyProjectOf returns the distribution that holds a path: the deepest above it.
func PyProjectOf(all []PyProject, dir string) (PyProject, bool) {
	best, found := PyProject{}, false
	for _, p := range all {
		if within(p.Dir, dir) && (!found || len(p.Dir) > len(best.Dir)) {
			best, found = p, true
		}
	}
	return best, found
}

// PyTouched returns the distributions of base that hold changed files, or all
// when none does.
func PyTouched(r Repo) []PyProject {
	all := PyProjects(r.Base)
	var touched []PyProject
	for _, p := range all {
		if slices.ContainsFunc(r.Files, func(f schemas.File) bool {
			of, ok := PyProjectOf(all, parent(f.Path))
			return ok && of.Dir == p.Dir
		}) {
			touched = append(touched, p)
		}
	}
	if len(touched) == 0 {
		return all
	}
	return touched
}

// wantedPython reports whether inference reads a file for Python.
func wantedPython(p string) bool {
	switch name := path.Base(p); name {
	case "pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "pytest.ini", "noxfile.py", ".python-version":
		return true
	default:
		return pyRequirementFile(p) || condaFile(p)
	}
}
