package infer

import (
	_ "embed" // for the plugin
	"fmt"
	"path"
	"slices"
	"strings"

	"crossswe/build/internal/detect"
	"crossswe/build/internal/link"
	"crossswe/build/internal/recipe"
	"crossswe/schemas"
)

// pytestPlugin writes the report that testlog reads.
//
//go:embed crossswe_pytest.py
var pytestPlugin string

func (b *inference) hasPython() bool {
	return slices.ContainsFunc(b.repos, func(r detect.Repo) bool { return len(detect.PyProjects(r.Head)) > 0 })
}

func (b *inference) pythonMatters() bool {
	return len(link.PlanPython(b.repos, b.at()).Links) > 0 ||
		slices.ContainsFunc(b.repos, func(r detect.Repo) bool { return len(detect.PyTargets(r)) > 0 })
}

// python adds the Python side of the spec.
func (b *inference) python() error {
	minor, from, ok := detect.ChoosePython(b.repos, b.at())
	if !ok {
		return nil
	}
	version := fmt.Sprintf("3.%d", minor)
	image := schemas.ImageRef(strings.ReplaceAll(b.opt.Images.Python, "%s", version))
	tool := schemas.Toolchain{Name: "python", Version: version}
	if b.spec.Base == "" {
		b.spec.Base = image
		b.guess("base", "build.python_image of the configuration")
	} else {
		tool.Image = image
	}
	b.spec.Toolchains = append(b.spec.Toolchains, tool)
	b.guess("toolchains[python].version", "%s", from)
	b.spec.Files = append(b.spec.Files, schemas.SpecFile{
		Path: path.Join(link.PythonVenv, "lib", "python"+version, "site-packages", "crossswe_pytest.py"), Content: pytestPlugin})
	plan := link.PlanPython(b.repos, b.at())
	b.adopt(plan.Plan)
	for i, r := range b.repos {
		b.spec.Repos[i].Setup = append(b.spec.Repos[i].Setup, plan.Setup[i]...)
		b.spec.Repos[i].Rebuild = append(b.spec.Repos[i].Rebuild, plan.Rebuild[i]...)
		b.pythonTargets(i, r)
	}
	return nil
}

func (b *inference) pythonTargets(i int, r detect.Repo) {
	others := slices.Delete(slices.Clone(b.repos), i, i+1)
	var rivals []string
	for _, name := range detect.PyRivals(r, others) {
		rivals = append(rivals, "-p", "no:"+name)
	}
	for n, t := range detect.PyTargets(r) {
		b.spec.Repos[i].Targets = append(b.spec.Repos[i].Targets, pythonTarget(r, t, n, slices.Concat(b.pythonLinks(r), rivals)))
		b.guess(fmt.Sprintf("repos[%s].targets[%s]", r.Name, t.File), "a changed test file; pytest runs those of unittest too")
	}
}

// pythonLinks are the options by which the tests' own process proves the links of
// a repository once more: pytest changes where Python looks for modules.
func (b *inference) pythonLinks(r detect.Repo) []string {
	var all []string
	for _, l := range b.spec.Links {
		if l.Ecosystem != link.Python || !l.Consumer.Same(r.Name) {
			continue
		}
		for _, m := range link.PythonModules(l) {
			if o := "--crossswe-link=" + m + "=" + l.Want; !slices.Contains(all, o) {
				all = append(all, o)
			}
		}
	}
	return all
}

// pythonTarget runs one file in one process, so that one that does not collect
// stops no other.
func pythonTarget(r detect.Repo, t detect.PyTarget, n int, options []string) schemas.Target {
	report := path.Join(recipe.ReportsDir, fmt.Sprintf("%s-py-%d.jsonl", r.Dir, n+1))
	run := []string{link.PythonVenv + "/bin/python", "-m", "pytest", "-p", "crossswe_pytest", "--crossswe-report=" + report,
		"-p", "no:cacheprovider", "--continue-on-collection-errors"}
	run = append(run, options...)
	return schemas.Target{
		Name: t.File, Runner: schemas.RunnerPytest, Files: []string{t.File}, Report: report,
		Command: schemas.Command{Dir: t.Project.Dir, Run: append(run, t.Relative())},
	}
}
