package detect

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"crossswe/schemas"
)

func TestChooseNode(t *testing.T) {
	repo := func(versions string) Repo {
		return Repo{Name: "a/a", Head: tree(map[string]string{"package.json": "{}",
			".github/workflows/ci.yml": "matrix:\n  node: [" + versions + "]\n"})}
	}
	for _, c := range []struct {
		name  string
		repos []Repo
		at    string
		want  int
	}{
		{"newest even one in common", []Repo{repo(`25.x, 24.x, 22, "20.19.0"`), repo("24, 22")}, "2025-11-10", 24},
		{"not out yet", []Repo{repo("24, 22, 20")}, "2024-12-01", 22},
		{"not in common", []Repo{repo("22, 20"), repo("20, 18")}, "2025-11-10", 20},
		{"nothing in common", []Repo{repo("22"), repo("20")}, "2025-11-10", 24},
		{"CI names none", []Repo{repo(`"lts/*"`)}, "2025-11-10", 24},
		{"a version file when CI names none", []Repo{{Head: tree(map[string]string{"package.json": "{}", ".nvmrc": "v18.20.1\n"})}}, "2025-11-10", 18},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, from, ok := ChooseNode(c.repos, day(c.at)); !ok || got != c.want {
				t.Errorf("got %d (%s), want %d", got, from, c.want)
			}
		})
	}
}

func TestNPMPackages(t *testing.T) {
	got := NPMPackages(tree(map[string]string{
		"package.json": `{"name": "root", "version": "1.0.0", "workspaces": {"packages": ["packages/*"]},
			"dependencies": {"a": "^1"}, "devDependencies": {"a": "^2", "b": "3"}, "peerDependencies": {"c": 4},
			"main": "dist/x.js", "exports": {".": [{"import": "./y.js"}, "./dist/x.js"]}, "bin": "./cli.js"}`,
		"packages/p/package.json":         `{"name": "p", "scripts": {"test": "mocha", "odd": 1}}`,
		"packages/q/package.json":         `{"type": "module"}`,
		"broken/package.json":             `{"name": "b"`,
		"test/fixtures/f/package.json":    `{"name": "f"}`,
		"node_modules/n/package.json":     `{"name": "n"}`,
		"packages/strange/package.json":   `{"name": ["x"], "version": {}}`,
		"packages/scripts/s/package.json": `{"name": "s", "scripts": "none", "dependencies": []}`,
	}))
	want := []NPMPackage{
		{Name: "root", Version: "1.0.0", Workspaces: []string{"packages/*"}, Needs: map[string]string{"a": "^1", "b": "3", "c": ""},
			Entries: []string{"./cli.js", "./dist/x.js", "./y.js", "dist/x.js"}},
		{Dir: "packages/p", Name: "p", Scripts: map[string]string{"test": "mocha", "odd": ""}, Needs: map[string]string{}},
		{Dir: "packages/scripts/s", Name: "s", Needs: map[string]string{}},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(NPMPackage{}, "Body"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("packages (-want +got):\n%s", diff)
	}
}

func TestBuilt(t *testing.T) {
	files := tree(map[string]string{"p/lib/index.js": "", "p/src/a.ts": "", "p/index.d.ts": ""})
	for entry, want := range map[string]bool{
		"./lib/index.js": false, "lib": false, "./lib/index": false, "index": false,
		"dist/x.cjs": true, "./dist/*.js": false, "node:fs": false, "./types/": false,
	} {
		if got := (NPMPackage{Dir: "p", Entries: []string{entry}}).Built(files); got != want {
			t.Errorf("entry %q: built %v, want %v", entry, got, want)
		}
	}
}

func TestCalls(t *testing.T) {
	for _, c := range []struct {
		name    string
		scripts map[string]string
		want    []call
	}{
		{"plain", map[string]string{"test": `mocha test/*.test.js`}, []call{{"mocha", []string{"test/*.test.js"}}}},
		{"wrapped, with environment and quotes", map[string]string{"test": `cross-env NODE_ENV=test c8 --all mocha --timeout 30000 "tests/**/*.js"`},
			[]call{{"mocha", []string{"--timeout", "30000", "tests/**/*.js"}}}},
		{"followed", map[string]string{"test": "npm run lint && npm run test:unit -- --x", "test:unit": "jest -c jest.json", "lint": "eslint ."},
			[]call{{"jest", []string{"-c", "jest.json"}}}},
		{"in a circle", map[string]string{"test": "npm t", "a": "npm run b", "b": "npm run a; node --test x.js"},
			[]call{{"node", []string{"--test", "x.js"}}}},
		{"by its file", map[string]string{"test": "node --no-warnings ./node_modules/mocha/bin/_mocha -R dot"}, []call{{"mocha", []string{"-R", "dot"}}}},
		{"none", map[string]string{"test": "node Makefile.js test", "lint": "mochawesome"}, nil},
		{"an open quote", map[string]string{"test": `mocha "a b`}, []call{{"mocha", []string{"a b"}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, calls(c.scripts), cmp.AllowUnexported(call{})); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNPMTargets(t *testing.T) {
	const test = "describe('x', () => { it('works', () => {}); });\n"
	files := map[string]string{
		"package.json":                    `{"name": "root", "workspaces": ["packages/*"], "devDependencies": {"mocha": "^11"}}`,
		"packages/p/package.json":         `{"name": "p", "scripts": {"test": "npm run test:cjs && npm run test:esm", "test:cjs": "mocha --color --timeout 5 'tests/*.test.cjs'", "test:esm": "c8 mocha --reporter dot --require ./setup.js 'tests/*.test.js'"}}`,
		"packages/p/tests/a.test.js":      test,
		"packages/p/tests/b.test.cjs":     test,
		"packages/p/tests/helper.js":      "module.exports = {};\n",
		"packages/p/tests/fixtures/in.js": test,
		"packages/n/package.json":         `{"name": "n", "scripts": {"test": "node --import tsx --test --test-concurrency=1 test/*.test.ts"}}`,
		"packages/n/test/c.test.ts":       "import { test } from 'node:test';\ntest('c', () => {});\n",
		"other/package.json":              `{"name": "other", "scripts": {"test": "tap"}}`,
		"other/test/d.test.js":            test,
		"test/root.test.js":               test,
		"test/types.d.ts":                 test,
	}
	head := tree(files)
	var changed []schemas.File
	for _, p := range head.Paths {
		changed = append(changed, schemas.File{Path: p, Class: schemas.ClassTest, Status: schemas.FileModified})
	}
	targets, without := NPMTargets(Repo{Head: head, Files: changed})
	type row struct {
		File, Dir, Root string
		Runner          schemas.Runner
		Options         []string
	}
	var got []row
	for _, g := range targets {
		got = append(got, row{g.Relative(), g.Package.Dir, g.Root.Dir, g.Runner, g.Options})
	}
	want := []row{
		{"test/c.test.ts", "packages/n", "", schemas.RunnerNodeTest, []string{"--import", "tsx"}},
		{"tests/a.test.js", "packages/p", "", schemas.RunnerMocha, []string{"--require", "./setup.js"}},
		{"tests/b.test.cjs", "packages/p", "", schemas.RunnerMocha, []string{"--timeout", "5"}},
		{"test/root.test.js", "", "", schemas.RunnerMocha, nil},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"other/test/d.test.js"}, without); diff != "" {
		t.Errorf("without a runner (-want +got):\n%s", diff)
	}
}

func TestMochaConfig(t *testing.T) {
	for _, c := range []struct{ name, file, body, want string }{
		{"the files are taken out", ".mocharc.json", `{"spec": "test/**", "require": "tsx", "reporter": "dot"}`, "{\n  \"require\": \"tsx\"\n}\n"},
		{"comments are fine in YAML", ".mocharc.yml", "spec: [a, b] # all\ntimeout: 5\n", "{\n  \"timeout\": 5\n}\n"},
		{"without files it stays", ".mocharc.json", `{"require": "tsx"}`, ""},
		{"broken", ".mocharc.json", `{`, ""},
		{"a program", ".mocharc.cjs", "module.exports = {spec: 'x'}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := string(mochaConfig(tree(map[string]string{c.file: c.body}), "")); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func FuzzNPM(f *testing.F) {
	f.Add(`{"name": "a", "scripts": {"test": "npm run x", "x": "mocha 'a"}, "exports": {".": ["./a"]}, "workspaces": ["[", "**"]}`, "spec: x")
	f.Fuzz(func(t *testing.T, manifest, rc string) {
		head := tree(map[string]string{"package.json": manifest, "p/package.json": manifest, ".mocharc.yml": rc, "p/a.test.js": "it('x')", "pnpm-workspace.yaml": rc})
		NPMTargets(Repo{Head: head, Files: []schemas.File{{Path: "p/a.test.js", Class: schemas.ClassTest}}})
		for _, p := range NPMPackages(head) {
			p.Built(head)
		}
	})
}
