package detect

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"crossswe/schemas"
)

// NPMTarget is one test file and how its package's runner is called on it.
type NPMTarget struct {
	Package NPMPackage // that holds the file, at head
	Root    NPMPackage // at whose node_modules its dependencies are
	Runner  schemas.Runner
	// Options are the runner's own, from the script and the package.
	Options []string
	// Config is a mocha configuration without the files that it names; nil to
	// leave the repository's own in charge.
	Config []byte
	File   string // relative to the repository
	From   string // why this runner, for people
}

var (
	jsFile = regexp.MustCompile(`\.[cm]?[jt]sx?$`)
	jsTest = regexp.MustCompile(`(?m)(?:^|[^\w.$])(?:describe|it|test|context|suite|specify)(?:\.\w+)*\s*\(`)
)

// wantedTest reports whether a path may be a JavaScript test file.
func wantedTest(f schemas.File) bool {
	return f.Class == schemas.ClassTest && f.Status != schemas.FileDeleted && jsFile.MatchString(f.Path) && !strings.HasSuffix(f.Path, ".d.ts")
}

// NPMTargets returns the touched test files with their runners, and the
// touched test files for which no known runner was found.
func NPMTargets(r Repo) (targets []NPMTarget, without []string) {
	pkgs := NPMPackages(r.Head)
	for _, f := range r.Files {
		if !wantedTest(f) || fixtureFile(f.Path) || !jsTest.Match(r.Head.Files[f.Path]) {
			continue
		}
		pkg, ok := NPMPackageOf(pkgs, parent(f.Path))
		if !ok {
			continue
		}
		t := NPMTarget{Package: pkg, Root: NPMRoot(r.Head, pkgs, pkg), File: f.Path}
		if t.choose(r.Head) {
			targets = append(targets, t)
		} else {
			without = append(without, f.Path)
		}
	}
	return targets, without
}

// fixtureFile reports whether a test file is data of other tests.
func fixtureFile(p string) bool {
	for _, part := range strings.Split(parent(p), "/") {
		switch part {
		case "fixtures", "fixture", "__fixtures__", "__snapshots__", "testdata":
			return true
		}
	}
	return false
}

// choose finds the runner: in the scripts, in the scripts of the root, else
// among the dependencies.
func (t *NPMTarget) choose(tree Tree) bool {
	for _, pkg := range []NPMPackage{t.Package, t.Root} {
		if c, ok := bestCall(calls(pkg.Scripts), t.relative()); ok {
			t.use(c, tree)
			t.From = "a script of " + path.Join(pkg.Dir, "package.json")
			return true
		}
	}
	for _, name := range []string{"mocha", "jest"} {
		for _, pkg := range []NPMPackage{t.Package, t.Root} {
			if _, ok := pkg.Needs[name]; ok {
				t.use(call{runner: name}, tree)
				t.From = name + " among the dependencies of " + path.Join(pkg.Dir, "package.json")
				return true
			}
		}
	}
	return false
}

func (t *NPMTarget) relative() string {
	return strings.TrimPrefix(strings.TrimPrefix(t.File, t.Package.Dir), "/")
}

// Relative is the file's path relative to its package.
func (t *NPMTarget) Relative() string { return t.relative() }

// bestCall prefers a call whose file pattern fits the file, by its extension.
func bestCall(all []call, file string) (call, bool) {
	for _, c := range all {
		if slices.ContainsFunc(c.args, func(a string) bool {
			return strings.HasSuffix(a, "*"+path.Ext(file)) || strings.HasSuffix(a, path.Ext(file))
		}) {
			return c, true
		}
	}
	if len(all) == 0 {
		return call{}, false
	}
	return all[0], true
}

func (t *NPMTarget) use(c call, tree Tree) {
	switch c.runner {
	case "mocha":
		t.Runner, t.Options = schemas.RunnerMocha, keep(c.args, mochaOptions)
		t.Config = mochaConfig(tree, t.Package.Dir)
	case "jest":
		t.Runner, t.Options = schemas.RunnerJest, keep(c.args, jestOptions)
	case "node":
		t.Runner, t.Options = schemas.RunnerNodeTest, keep(c.args, nodeOptions)
	}
}

// The options of a script that change what a test sees; true ones take a value
// in the next word. Reporters, coverage, file selection and everything that is
// about several files are left out.
var (
	mochaOptions = map[string]bool{"--timeout": true, "-t": true, "--require": true, "-r": true, "--import": true, "--loader": true,
		"--ui": true, "-u": true, "--exit": false, "--config": true, "--file": true, "--check-leaks": false, "--enable-source-maps": false,
		"--experimental-vm-modules": false, "--no-experimental-strip-types": false, "--experimental-strip-types": false,
		"--conditions": true, "-C": true, "--expose-gc": false, "--async-only": false, "--slow": true, "--node-option": true, "-n": true}
	jestOptions = map[string]bool{"--config": true, "-c": true, "--runInBand": false, "-i": false, "--env": true, "--testEnvironment": true,
		"--testTimeout": true, "--rootDir": true, "--forceExit": false}
	nodeOptions = map[string]bool{"--import": true, "--require": true, "-r": true, "--loader": true, "--experimental-loader": true, "--conditions": true, "-C": true,
		"--experimental-test-module-mocks": false, "--experimental-strip-types": false, "--no-experimental-strip-types": false,
		"--experimental-vm-modules": false, "--test-timeout": true, "--enable-source-maps": false, "--expose-gc": false, "--env-file": true}
)

// keep returns the known options among the words.
func keep(args []string, known map[string]bool) []string {
	var kept []string
	for i := 0; i < len(args); i++ {
		name, _, joined := strings.Cut(args[i], "=")
		takes, ok := known[name]
		if !ok {
			continue
		}
		kept = append(kept, args[i])
		if takes && !joined && i+1 < len(args) {
			i++
			kept = append(kept, args[i])
		}
	}
	return kept
}

// mochaConfig returns the package's .mocharc as JSON without the files that it
// names, since mocha adds them to those of the command line; nil when there is
// none, when it names no files, or when it is a program.
func mochaConfig(t Tree, dir string) []byte {
	for _, name := range []string{".mocharc.json", ".mocharc.jsonc", ".mocharc.yaml", ".mocharc.yml"} {
		body, ok := t.Files[join(dir, name)]
		if !ok {
			continue
		}
		var config map[string]any
		if yaml.Unmarshal(body, &config) != nil || config["spec"] == nil {
			return nil
		}
		for _, key := range []string{"spec", "reporter", "reporter-option", "reporter-options", "watch", "parallel", "ignore"} {
			delete(config, key)
		}
		out, err := json.MarshalIndent(config, "", "  ")
		if err != nil {
			return nil
		}
		return append(out, '\n')
	}
	return nil
}
