package detect

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// PyTestNeeds is what the tests of a distribution need beside its product.
type PyTestNeeds struct {
	// Extras are those of the distribution to install along.
	Extras []string
	// Lines are requirement lines.
	Lines []string
	// Loose are names of packages of another index (conda): each may be missing.
	Loose []string
	// From says where they were found, for people.
	From string
}

// pyTestNames are the extras and groups that are for tests, in the order in
// which they are looked for.
var pyTestNames = []string{"test", "tests", "testing", "testutils", "unittest", "tests_require", "test-dependencies", "tool.hatch", "dev", "develop", "development", "dev-dependencies", "all", "full"}

// pyNever are the extras of other trades.
var pyNever = regexp.MustCompile(`(?i)^(docs?|documentation|spelling|lint|linting|typing|mypy|style|release|build|benchmarks?)$`)

// PyTests finds what tests need: extras, then dependency groups, requirement
// files, tox, nox, conda's environment files and the shell lines of CI. The first
// that names pytest wins; without it all that was found is taken.
func PyTests(t Tree, p PyProject) PyTestNeeds {
	all := PyTestNeeds{}
	for _, find := range []func(Tree, PyProject) PyTestNeeds{pyExtras, pyGroups, pyRequirements, pyTox, pyNox, pyConda, pyWorkflows} {
		n := find(t, p)
		all.add(n)
		if n.runs(p) {
			break
		}
	}
	all.Lines = append(all.Lines, PytestNeeds(t, p)...)
	all.Extras = sortedSet(all.Extras)
	all.Lines = sortedSet(all.Lines)
	all.Loose = sortedSet(all.Loose)
	return all
}

func (n *PyTestNeeds) add(m PyTestNeeds) {
	n.Extras = append(n.Extras, m.Extras...)
	n.Lines = append(n.Lines, m.Lines...)
	n.Loose = append(n.Loose, m.Loose...)
	if m.From != "" && len(m.Extras)+len(m.Lines)+len(m.Loose) > 0 {
		n.From = strings.TrimPrefix(n.From+", "+m.From, ", ")
	}
}

// runs reports whether the needs hold the runner of tests.
func (n PyTestNeeds) runs(p PyProject) bool {
	lines := slices.Concat(n.Lines, n.Loose)
	for _, e := range n.Extras {
		lines = append(lines, p.Extras[e]...)
	}
	return slices.ContainsFunc(lines, func(l string) bool { return PyName(l) == "pytest" })
}

func sortedSet(s []string) []string {
	slices.Sort(s)
	return slices.Compact(s)
}

func pyExtras(_ Tree, p PyProject) PyTestNeeds {
	n := PyTestNeeds{From: "extras"}
	for _, name := range pyTestNames[:9] {
		if len(p.Extras[name]) > 0 {
			n.Extras = append(n.Extras, name)
		}
	}
	return n
}

func pyGroups(_ Tree, p PyProject) PyTestNeeds {
	n := PyTestNeeds{From: "dependency groups"}
	for _, name := range pyTestNames {
		n.Lines = append(n.Lines, p.Groups[name]...)
	}
	return n
}

var (
	pyReqName = regexp.MustCompile(`(?i)^(?:.*[-_.])?requirements?(?:[-_.].*)?\.(?:txt|in)$`)
	pyReqTest = regexp.MustCompile(`(?i)(?:^|[-_./])(?:tests?|testing|dev|develop|ci|full|all)(?:[-_./]|$)`)
	pyReqSkip = regexp.MustCompile(`(?i)docs?|lint|mypy|typing|style|pre.?commit|release|bench|windows|macos`)
)

// pyRequirementFile reports whether a file lists requirements.
func pyRequirementFile(p string) bool {
	if pyReqName.MatchString(path.Base(p)) {
		return true
	}
	ext := path.Ext(p)
	return path.Base(parent(p)) == "requirements" && (ext == ".txt" || ext == ".in")
}

// pyRequirements reads the requirement files for tests, and the plain one.
func pyRequirements(t Tree, p PyProject) PyTestNeeds {
	n := PyTestNeeds{From: "requirement files"}
	for _, file := range t.Paths {
		if !pyRequirementFile(file) || pyReqSkip.MatchString(file) || !within(p.Dir, parent(file)) || vendored(file) || strings.Count(file, "/") > strings.Count(prefixOf(p.Dir), "/")+1 {
			continue
		}
		if pyReqTest.MatchString(strings.TrimSuffix(file, path.Ext(file))) {
			n.add(requirementLines(t, p, file, map[string]bool{}))
		}
	}
	n.From = "requirement files"
	return n
}

// requirementLines follows a file and those that it includes. A line that names
// the distribution itself turns into its extras; options of pip, links and
// paths are left out.
func requirementLines(t Tree, p PyProject, file string, seen map[string]bool) PyTestNeeds {
	n := PyTestNeeds{From: file}
	if seen[file] || len(seen) > 20 {
		return n
	}
	seen[file] = true
	text := strings.ReplaceAll(string(t.Files[file]), "\\\n", " ")
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), " #")
		line, _, _ = strings.Cut(line, " --hash")
		n.requirement(t, p, parent(file), strings.TrimSpace(line), seen)
	}
	return n
}

var (
	pyInclude = regexp.MustCompile(`^(?:-r|--requirement)[\s=]*(\S+)$`)
	pySelf    = regexp.MustCompile(`^(?:-e\s*|--editable[\s=]*)?(?:\.|\{toxinidir\})/?(?:\[([^\]]*)\])?$`)
)

// requirement takes one line over.
func (n *PyTestNeeds) requirement(t Tree, p PyProject, dir, line string, seen map[string]bool) {
	line = strings.ReplaceAll(line, "{toxinidir}/", "")
	switch m := pyInclude.FindStringSubmatch(line); {
	case line == "" || line[0] == '#':
	case m != nil:
		more := requirementLines(t, p, join(dir, m[1]), seen)
		n.Extras, n.Lines = append(n.Extras, more.Extras...), append(n.Lines, more.Lines...)
	case pySelf.MatchString(line):
		for _, e := range strings.Split(pySelf.FindStringSubmatch(line)[1], ",") {
			if e = strings.TrimSpace(e); e != "" && !pyNever.MatchString(e) {
				n.Extras = append(n.Extras, e)
			}
		}
	case PlainRequirement(line):
		n.Lines = append(n.Lines, line)
	}
}

// plain is a requirement of the index: a name, extras, versions, a marker.
var plain = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*\s*(?:\[[A-Za-z0-9._,\s-]*\])?\s*(?:\(?\s*(?:(?:===?|~=|!=|<=?|>=?)\s*[A-Za-z0-9.*+!_-]+\s*,?\s*)*\)?)?\s*(?:;.*)?$`)

// PlainRequirement reports whether a line asks for a package of the index: no
// URL, no path, no option.
func PlainRequirement(line string) bool { return plain.MatchString(line) }

var (
	toxFactor = regexp.MustCompile(`^[!\w{},.-]+:\s+`)
	// toxSpecial are factors of runs with the oldest or the newest of something.
	toxSpecial = regexp.MustCompile(`(?i)min|old|low|main|master|dev|nightly|pre|pypy`)
)

// pyTox reads the dependencies of tox's plain environment and of those named
// after tests and Python's versions.
func pyTox(t Tree, p PyProject) PyTestNeeds {
	n := PyTestNeeds{From: "tox.ini"}
	cfg := parseINI(t.Files[join(p.Dir, "tox.ini")])
	for _, section := range []string{"testenv", "testenv:test", "testenv:tests", "testenv:py", "testenv:unit"} {
		for _, line := range iniLines(cfg[section]["deps"]) {
			if factor := toxFactor.FindString(line); factor[:min(1, len(factor))] == "!" || !toxSpecial.MatchString(factor) {
				n.requirement(t, p, p.Dir, strings.TrimPrefix(line, factor), map[string]bool{})
			}
		}
		for _, e := range strings.FieldsFunc(cfg[section]["extras"], func(r rune) bool { return r == '\n' || r == ',' || r == ' ' }) {
			if len(p.Extras[e]) > 0 && !pyNever.MatchString(e) {
				n.Extras = append(n.Extras, e)
			}
		}
	}
	n.Lines = slices.DeleteFunc(n.Lines, func(l string) bool { return strings.ContainsAny(l, "{}") })
	return n
}

var noxInstall = regexp.MustCompile(`\bsession\.install\(([^()]*)\)`)

// pyNox reads the literals of what nox's sessions install.
func pyNox(t Tree, p PyProject) PyTestNeeds {
	n := PyTestNeeds{From: "noxfile.py"}
	for _, m := range noxInstall.FindAllStringSubmatch(withoutComments(string(t.Files[join(p.Dir, "noxfile.py")])), -1) {
		var words []string
		for _, s := range setupText.FindAllStringSubmatch(m[1], -1) {
			words = append(words, s[1])
		}
		n.words(t, p, words)
	}
	return n
}

var condaName = regexp.MustCompile(`(?i)^(?:.*[-_.])?(?:environment|conda)(?:[-_.].*)?\.ya?ml$`)

func condaFile(p string) bool { return condaName.MatchString(path.Base(p)) && !isCI(p) }

// pyConda reads one environment file of conda: of those for several versions
// of Python the one in the middle of the list, which is neither the oldest nor
// one for a special purpose.
func pyConda(t Tree, p PyProject) PyTestNeeds {
	var files []string
	for _, file := range t.Paths {
		if condaFile(file) && within(p.Dir, parent(file)) && !vendored(file) && !strings.Contains(file, "min") && !strings.Contains(file, "doc") && len(t.Files[file]) > 0 {
			files = append(files, file)
		}
	}
	if len(files) == 0 {
		return PyTestNeeds{}
	}
	file := files[len(files)/2]
	var env struct{ Dependencies []yaml.Node }
	if yaml.Unmarshal(t.Files[file], &env) != nil {
		return PyTestNeeds{}
	}
	n := PyTestNeeds{From: file}
	for _, node := range env.Dependencies {
		n.conda(node)
	}
	return n
}

var condaLine = regexp.MustCompile(`^(?:[\w-]+::)?([A-Za-z0-9][A-Za-z0-9._-]*)\s*((?:[<>=!]=?\s*[\w.*]+,?)*)`)

// condaElse are names that no index of Python's knows.
var condaElse = map[string]bool{"python": true, "pip": true, "conda": true, "mamba": true, "compilers": true, "pre-commit": true, "nodejs": true, "git": true}

func (n *PyTestNeeds) conda(node yaml.Node) {
	if node.Kind == yaml.ScalarNode {
		m := condaLine.FindStringSubmatch(strings.TrimSpace(node.Value))
		if m == nil || condaElse[m[1]] {
			return
		}
		want := strings.ReplaceAll(m[2], " ", "")
		if strings.HasPrefix(want, "=") && !strings.HasPrefix(want, "==") {
			want = "=" + want + ".*"
		}
		n.Loose = append(n.Loose, m[1]+want)
		return
	}
	var pip struct{ Pip []string }
	if node.Decode(&pip) == nil {
		for _, line := range pip.Pip {
			if PlainRequirement(line) {
				n.Loose = append(n.Loose, line)
			}
		}
	}
}

var pipInstall = regexp.MustCompile(`(?m)\bpip3?\s+install\s+(.*)$`)

// pyWorkflows reads what the shell lines of CI install.
func pyWorkflows(t Tree, p PyProject) PyTestNeeds {
	n := PyTestNeeds{From: "shell lines of CI"}
	run := func(key string) bool { return key == "run" || key == "script" || key == "install" }
	for _, v := range ciValues(t, run, func(string) bool { return false }) {
		for _, m := range pipInstall.FindAllStringSubmatch(v, -1) {
			for _, words := range commands(m[1])[:min(1, len(commands(m[1])))] {
				n.words(t, p, words)
			}
		}
	}
	return n
}

func (n *PyTestNeeds) words(t Tree, p PyProject, words []string) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case (w == "-r" || w == "-e") && i+1 < len(words):
			n.requirement(t, p, p.Dir, w+" "+words[i+1], map[string]bool{})
			i++
		case strings.HasPrefix(w, "-") || strings.ContainsAny(w, "$/\\"):
		case PyName(w) != "pip":
			n.requirement(t, p, p.Dir, w, map[string]bool{})
		}
	}
}
