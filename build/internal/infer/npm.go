package infer

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"crossswe/build/internal/detect"
	"crossswe/build/internal/link"
	"crossswe/build/internal/recipe"
	"crossswe/schemas"
)

func (b *inference) hasNPM() bool {
	_, _, ok := detect.ChooseNode(b.repos, b.at())
	return ok
}

// npm adds the JavaScript side of the spec, if there is one.
func (b *inference) npm() error {
	major, from, ok := detect.ChooseNode(b.repos, b.at())
	if !ok {
		return nil
	}
	b.node(strconv.Itoa(major), from)
	plan := link.PlanNPM(b.repos)
	b.adopt(plan.Plan)
	for i, r := range b.repos {
		b.spec.Repos[i].Setup = append(b.spec.Repos[i].Setup, plan.Setup[i]...)
		b.spec.Repos[i].Rebuild = append(b.spec.Repos[i].Rebuild, plan.Rebuild[i]...)
		b.npmTargets(i, r, major)
	}
	return nil
}

func (b *inference) npmMatters() bool {
	if len(link.PlanNPM(b.repos).Links) > 0 {
		return true
	}
	return slices.ContainsFunc(b.repos, func(r detect.Repo) bool {
		targets, _ := detect.NPMTargets(r)
		return len(targets) > 0
	})
}

// node puts Node.js in: as the base, or copied onto another one.
func (b *inference) node(major, from string) {
	image := schemas.ImageRef(strings.ReplaceAll(b.opt.Images.Node, "%s", major))
	tool := schemas.Toolchain{Name: "node", Version: major}
	if b.spec.Base == "" {
		b.spec.Base = image
		b.spec.Packages = append(b.spec.Packages, "ca-certificates", "git")
		b.guess("base", "build.node_image of the configuration")
		b.guess("packages", "the image has no git")
	} else {
		tool.Image = image
	}
	b.spec.Toolchains = append(b.spec.Toolchains, tool)
	b.guess("toolchains[node].version", "%s", from)
}

func (b *inference) npmTargets(i int, r detect.Repo, major int) {
	targets, without := detect.NPMTargets(r)
	for n, t := range targets {
		spec, file := npmTarget(r, t, n, major)
		b.spec.Repos[i].Targets = append(b.spec.Repos[i].Targets, spec)
		if file != nil && !slices.Contains(b.spec.Files, *file) {
			b.spec.Files = append(b.spec.Files, *file)
		}
		b.guess(fmt.Sprintf("repos[%s].targets[%s]", r.Name, t.File), "%s", t.From)
	}
	for _, f := range without {
		b.guess(fmt.Sprintf("repos[%s].targets", r.Name), "no known runner for %s", f)
	}
}

// npmTarget calls the runner on one file, in one process, in the file's package.
func npmTarget(r detect.Repo, t detect.NPMTarget, n, major int) (schemas.Target, *schemas.SpecFile) {
	report := path.Join(recipe.ReportsDir, fmt.Sprintf("%s-%d", r.Dir, n+1))
	target := schemas.Target{Name: t.File, Runner: t.Runner, Files: []string{t.File}}
	target.Command.Dir = t.Package.Dir
	var config *schemas.SpecFile
	switch t.Runner {
	case schemas.RunnerMocha:
		run := []string{"node", program(t, "mocha/bin/mocha.js"), "--reporter", "json"}
		if !oldMocha(t) {
			target.Report = report + ".json"
			run = append(run, "--reporter-option", "output="+target.Report)
		}
		if t.Config != nil {
			config = &schemas.SpecFile{Path: path.Join("/var/crossswe", "mocharc-"+r.Dir+strings.ReplaceAll("/"+t.Package.Dir, "/", "-")+".json"), Content: string(t.Config)}
			run = append(run, "--config", config.Path)
		}
		target.Command.Run = append(append(run, t.Options...), t.Relative())
	case schemas.RunnerJest:
		target.Report = report + ".json"
		target.Command.Run = append(append([]string{"node", program(t, "jest/bin/jest.js"), "--json", "--outputFile=" + target.Report}, t.Options...), "--runTestsByPath", t.Relative())
	default:
		target.Report = report + ".xml"
		target.Command.Run = append(append([]string{"node", "--test", "--test-reporter=junit", "--test-reporter-destination=" + target.Report,
			"--test-reporter=spec", "--test-reporter-destination=stdout"}, t.Options...), t.Relative())
	}
	if major >= 22 && strings.Contains(path.Ext(t.File), "ts") && t.Runner != schemas.RunnerNodeTest {
		// Type stripping, on by default since 22.18, hides the true load error.
		target.Command.Env = append(target.Command.Env, "NODE_OPTIONS=--no-experimental-strip-types")
	}
	return target, config
}

// oldMocha reports whether the manifests ask for a mocha before 9, whose JSON
// reporter knows standard output only.
func oldMocha(t detect.NPMTarget) bool {
	for _, pkg := range []detect.NPMPackage{t.Package, t.Root} {
		if want, ok := pkg.Needs["mocha"]; ok {
			majors := link.Majors([]string{want})
			return len(majors) > 0 && !slices.ContainsFunc(majors, func(m string) bool { return len(m) > 1 || m == "9" })
		}
	}
	return false
}

// program is a runner's file, relative to the package: it is installed at the
// root of the workspaces.
func program(t detect.NPMTarget, file string) string {
	up := ""
	if t.Package.Dir != t.Root.Dir {
		up = strings.Repeat("../", strings.Count(t.Package.Dir, "/")+1-depth(t.Root.Dir))
	}
	return up + path.Join("node_modules", file)
}

func depth(dir string) int {
	if dir == "" {
		return 0
	}
	return strings.Count(dir, "/") + 1
}
