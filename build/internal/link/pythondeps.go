package link

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"crossswe/build/internal/detect"
	"crossswe/schemas"
)

// pyLocal is a distribution of the set: no index is ever asked for it.
type pyLocal struct {
	name, as string // in normal form, and as the manifest writes it
	extras   []string
	dir      string // absolute
}

// line is the requirement of a local distribution. An override replaces the
// extras that others ask for too, so it carries them all.
func (l pyLocal) line() string {
	extras := strings.Join(sortedUnique(slices.Clone(l.extras)), ",")
	if extras != "" {
		extras = "[" + extras + "]"
	}
	return l.as + extras + " @ file://" + l.dir
}

// pyResolution is what is installed for all repositories at once.
type pyResolution struct {
	local     []pyLocal
	overrides []string // requirement lines that win over every other of their name
	product   []string
	tests     []string
	loose     []string
	env       []string
}

// setup plans what is installed before the checkouts: once for all, on the
// first repository with a distribution, and for each its build back end.
func (p *PythonPlan) setup(sides []pySide, at time.Time) {
	var r pyResolution
	first := -1
	for i, s := range sides {
		if len(s.base) > 0 && first < 0 {
			first = i
		}
		// A sibling's other distributions are not tested, but must not come from
		// an index either.
		for _, d := range detect.PyProjects(s.repo.Base) {
			r.add(s, d, slices.ContainsFunc(s.base, func(b detect.PyProject) bool { return b.Dir == d.Dir }))
		}
	}
	if first < 0 {
		return
	}
	for _, s := range sides {
		for _, d := range s.base {
			r.extras(s.needs(d))
		}
	}
	newest := at.UTC().Format(time.RFC3339)
	p.Setup[first] = append(p.Setup[first], r.command(newest))
	for i, s := range sides {
		for _, d := range s.base {
			p.Setup[i] = append(p.Setup[i], pyBackend(s, d, newest))
			tests := detect.PyTests(s.repo.Base, d)
			p.Guesses = append(p.Guesses, schemas.Guess{Field: fmt.Sprintf("repos[%s].setup", s.repo.Name),
				From: fmt.Sprintf("%s and what its tests need by %s, as of %s", path.Join(s.repo.Dir, d.Dir), or(tests.From, "nothing but pytest"), newest)})
		}
	}
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// add takes a distribution over: it stands for itself, with the extras that its
// tests need, and what head asks for is added, or wins where base differs.
func (r *pyResolution) add(s pySide, d detect.PyProject, tested bool) {
	local := pyLocal{name: d.Normal(), as: d.Name, dir: testbed(s.repo, d.Dir)}
	r.env = append(r.env, pyVersion(s.repo, d, false)...)
	if !tested {
		r.local = append(r.local, local)
		return
	}
	old := detect.PyTests(s.repo.Base, d)
	local.extras = slices.Clone(old.Extras)
	r.local = append(r.local, local)
	r.tests = append(r.tests, old.Lines...)
	r.loose = append(r.loose, old.Loose...)
	head, ok := pyAt(s.head, d.Dir)
	if !ok {
		return
	}
	now := detect.PyTests(s.repo.Head, head)
	r.loose = append(r.loose, now.Loose...)
	before := slices.Concat(d.Needs, old.Lines, pyExtraLines(d, old.Extras))
	for _, l := range head.Needs {
		r.head(l, before, &r.product)
	}
	for _, l := range slices.Concat(now.Lines, pyExtraLines(head, now.Extras)) {
		r.head(l, before, &r.tests)
	}
}

// extras notes the extras of local distributions that lines ask for.
func (r *pyResolution) extras(lines []string) {
	for _, l := range lines {
		m := bracket.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		for i := range r.local {
			if r.local[i].name == detect.PyName(l) {
				r.local[i].extras = append(r.local[i].extras, strings.Split(strings.ReplaceAll(m[1], " ", ""), ",")...)
			}
		}
	}
}

var bracket = regexp.MustCompile(`^\s*[\w.-]+\s*\[([\w.,\s-]+)\]`)

func pyExtraLines(d detect.PyProject, extras []string) []string {
	var all []string
	for _, e := range extras {
		all = append(all, d.Extras[e]...)
	}
	return all
}

// head takes one line of head over.
func (r *pyResolution) head(line string, before []string, list *[]string) {
	name := detect.PyName(line)
	switch {
	case slices.Contains(before, line):
	case len(pyNamed(name, before)) > 0:
		r.overrides = append(r.overrides, line)
	default:
		*list = append(*list, line)
	}
}

// command writes the resolution out. The distributions of the set are dropped
// from every list, since they override themselves. The lists keep their order:
// of test needs that exclude one another the last one's counts.
func (r *pyResolution) command(newest string) schemas.Command {
	foreign := func(lines []string) []string {
		var all []string
		for _, l := range lines {
			if l = strings.TrimSpace(l); slices.Contains(all, l) {
				continue
			}
			if detect.PlainRequirement(l) && !slices.ContainsFunc(r.local, func(p pyLocal) bool { return p.name == detect.PyName(l) }) {
				all = append(all, l)
			}
		}
		return all
	}
	run := []string{"python3", PythonInstall, "environment", "--newest", newest}
	for _, l := range r.local {
		run = append(run, "--local", l.line())
	}
	for _, list := range []struct {
		flag  string
		lines []string
	}{
		{"--override", r.overrides},
		{"--product", r.product},
		{"--test", append([]string{"pytest", "setuptools"}, r.tests...)},
		{"--loose", r.loose},
	} {
		for _, l := range foreign(list.lines) {
			run = append(run, list.flag, l)
		}
	}
	return schemas.Command{Run: run, Env: sortedUnique(r.env)}
}

// pyBackend installs what a distribution's build back end needs at base and
// head.
func pyBackend(s pySide, d detect.PyProject, newest string) schemas.Command {
	needs := append(slices.Clone(d.BuildNeeds), "setuptools", "wheel")
	if head, ok := pyAt(s.head, d.Dir); ok {
		for _, l := range head.BuildNeeds {
			if len(pyNamed(detect.PyName(l), d.BuildNeeds)) == 0 {
				needs = append(needs, l)
			}
		}
	}
	if strings.HasPrefix(d.Backend, "hatchling") {
		needs = append(needs, "editables")
	}
	run := []string{"python3", PythonInstall, "backend", "--newest", newest, "--into", path.Join(PythonBuild, pyBuildDir(s.repo, d))}
	for _, l := range sortedUnique(needs) {
		if detect.PlainRequirement(l) {
			run = append(run, "--product", l)
		}
	}
	return schemas.Command{Run: run}
}
