package link

import (
	_ "embed" // for the proof
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"crossswe/build/internal/detect"
	"crossswe/schemas"
)

// The places of Python in an image. The environment holds what all
// repositories need; what their build back ends need lies beside it, one
// directory for each checkout, since these clash where tests need not.
const (
	PythonVenv    = "/opt/venv"
	PythonBuild   = "/opt/pybuild"
	PythonRoot    = "/deps/python"
	PythonInstall = PythonRoot + "/install.py"
)

// pythonProof prints the checkout when everything that the consumer could load
// of a distribution lies in it, else what it found instead.
//
//go:embed proof.py
var pythonProof string

// PythonPlan is the Python part of a spec.
type PythonPlan struct {
	Plan
	// Setup and Rebuild are per repository, in order.
	Setup, Rebuild [][]schemas.Command
}

// pySide is a repository's distributions: those at base that matter, and all
// at head.
type pySide struct {
	repo       detect.Repo
	base, head []detect.PyProject
}

// PlanPython makes one environment for all repositories: the dependencies of
// base and head less the repositories' own distributions, resolved as of a
// moment, and on top of them, last, every checkout as an editable installation.
func PlanPython(repos []detect.Repo, at time.Time) PythonPlan {
	sides := make([]pySide, len(repos))
	for i, r := range repos {
		sides[i] = pySide{r, detect.PyTouched(r), detect.PyProjects(r.Head)}
	}
	p := PythonPlan{Setup: make([][]schemas.Command, len(repos)), Rebuild: make([][]schemas.Command, len(repos))}
	p.setup(sides, at)
	for i, consumer := range sides {
		for j, provider := range sides {
			if i != j {
				p.link(consumer, provider)
			}
		}
	}
	for i, s := range sides {
		p.rebuild(i, s)
	}
	return p
}

// rebuild plans what is installed by no link, and what a change needs to have
// installed anew in every mask.
func (p *PythonPlan) rebuild(i int, s pySide) {
	for _, d := range s.base {
		why := s.reinstall(d)
		if why == "" && p.installs(s.repo, d) {
			continue
		}
		p.Rebuild[i] = append(p.Rebuild[i], pyEditable(s.repo, d))
		if why != "" {
			p.Guesses = append(p.Guesses, schemas.Guess{Field: fmt.Sprintf("repos[%s].rebuild", s.repo.Name), From: "the change touches " + why})
		}
	}
}

// installs reports whether a link made so far installs the distribution.
func (p *PythonPlan) installs(r detect.Repo, d detect.PyProject) bool {
	return slices.ContainsFunc(p.Links, func(l schemas.LinkSpec) bool {
		return slices.ContainsFunc(l.Make, func(c schemas.Command) bool { return slices.Contains(c.Run, testbed(r, d.Dir)) })
	})
}

// link adds the links from a consumer's distributions to those of a provider,
// and installs the consumer's own beside.
func (p *PythonPlan) link(consumer, provider pySide) {
	for _, d := range consumer.base {
		for _, sibling := range detect.PyProjects(provider.repo.Base) {
			wants := pyNamed(sibling.Normal(), consumer.needs(d))
			if len(wants) == 0 || len(sibling.Modules) == 0 {
				continue
			}
			l := pyLink(consumer.repo, provider.repo, d, sibling, wants)
			if !p.installs(consumer.repo, d) {
				l.Make = append(l.Make, pyEditable(consumer.repo, d))
			}
			p.Links = append(p.Links, l)
			p.Guesses = append(p.Guesses, schemas.Guess{
				Field: fmt.Sprintf("links[%s → %s]", consumer.repo.Name, provider.repo.Name),
				From:  fmt.Sprintf("the manifests of %s: %s", path.Join(consumer.repo.Dir, d.Dir), strings.Join(wants, "; ")),
			})
		}
	}
}

// needs returns every requirement line of a distribution at base and head,
// those of all its extras included.
func (s pySide) needs(d detect.PyProject) []string {
	all := pyNeeds(s.repo.Base, d)
	if head, ok := pyAt(s.head, d.Dir); ok {
		all = append(all, pyNeeds(s.repo.Head, head)...)
	}
	return all
}

func pyNeeds(t detect.Tree, d detect.PyProject) []string {
	tests := detect.PyTests(t, d)
	all := slices.Concat(d.Needs, tests.Lines, tests.Loose)
	for _, name := range slices.Sorted(maps.Keys(d.Extras)) {
		all = append(all, d.Extras[name]...)
	}
	return all
}

func pyAt(all []detect.PyProject, dir string) (detect.PyProject, bool) {
	i := slices.IndexFunc(all, func(d detect.PyProject) bool { return d.Dir == dir })
	if i < 0 {
		return detect.PyProject{}, false
	}
	return all[i], true
}

// pyNamed returns the requirement lines that ask for a distribution.
func pyNamed(name string, lines []string) []string {
	var wants []string
	for _, l := range lines {
		if detect.PyName(l) == name {
			wants = append(wants, strings.TrimSpace(l))
		}
	}
	return sortedUnique(wants)
}

func pyLink(consumer, provider detect.Repo, d, sibling detect.PyProject, wants []string) schemas.LinkSpec {
	target := testbed(provider, sibling.Dir)
	return schemas.LinkSpec{
		Ecosystem: Python, Consumer: consumer.Name, Provider: provider.Name, Name: sibling.Normal(),
		ConsumerDir: d.Dir, ProviderDir: sibling.Dir, Versions: wants,
		Make: []schemas.Command{pyEditable(provider, sibling)},
		Prove: schemas.Command{Dir: d.Dir, Run: append([]string{PythonVenv + "/bin/python", "-c", pythonProof, sibling.Normal(), target},
			sibling.Modules...)},
		Want: target,
	}
}

// PythonModules returns the modules that a link's proof asks for: they stand at
// its end, after the name and the checkout.
func PythonModules(l schemas.LinkSpec) []string {
	i := slices.Index(l.Prove.Run, l.Want)
	if i < 0 {
		return nil
	}
	return l.Prove.Run[i+1:]
}

// pyEditable installs a checkout in place, from the image alone: the back end
// and what it needs lie in the directory of PythonBuild.
func pyEditable(r detect.Repo, d detect.PyProject) schemas.Command {
	return schemas.Command{
		Run: []string{PythonVenv + "/bin/pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--disable-pip-version-check", "--root-user-action=ignore",
			"--editable", testbed(r, d.Dir)},
		Env: append([]string{"PYTHONPATH=" + path.Join(PythonBuild, pyBuildDir(r, d))}, pyVersion(r, d, true)...),
	}
}

func pyBuildDir(r detect.Repo, d detect.PyProject) string {
	return path.Join(r.Dir, strings.ReplaceAll(d.Dir, "/", "-"))
}

// pyVersion tells a back end that would ask git, which has no tag in an image,
// the version of the base. alone says that no other distribution sees it.
func pyVersion(r detect.Repo, d detect.PyProject, alone bool) []string {
	if !d.SCM {
		return nil
	}
	version := r.Version
	if version == "" {
		version = "0.0.0"
	}
	all := []string{"SETUPTOOLS_SCM_PRETEND_VERSION_FOR_" + strings.ToUpper(strings.ReplaceAll(d.Normal(), "-", "_")) + "=" + version}
	if alone {
		all = append(all, "SETUPTOOLS_SCM_PRETEND_VERSION="+version, "PDM_BUILD_SCM_VERSION="+version,
			"POETRY_DYNAMIC_VERSIONING_BYPASS="+version, "PBR_VERSION="+version)
	}
	return all
}

// compiled matches the sources of extension modules.
var compiled = regexp.MustCompile(`\.(?:c|cc|cpp|cxx|h|hpp|pyx|pxd|pxi|rs)$`)

// reinstall says why a change needs its distribution installed anew in every
// mask, "" when the checkout alone is enough.
func (s pySide) reinstall(d detect.PyProject) string {
	head, ok := pyAt(s.head, d.Dir)
	switch {
	case ok && !slices.Equal(d.Scripts, head.Scripts):
		return "entry points"
	case ok && !slices.Equal(d.Modules, head.Modules):
		return "top-level modules"
	case slices.ContainsFunc(s.repo.Files, func(f schemas.File) bool {
		return f.Class == schemas.ClassSource && compiled.MatchString(f.Path) && (d.Dir == "" || strings.HasPrefix(f.Path, d.Dir+"/"))
	}):
		return "extension modules"
	}
	return ""
}
