package infer

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"crossswe/build/internal/detect"
	"crossswe/internal/golden"
	"crossswe/schemas"
)

func tree(files map[string]string) detect.Tree {
	t := detect.Tree{Paths: slices.Sorted(maps.Keys(files)), Files: map[string][]byte{}}
	for p, body := range files {
		t.Files[p] = []byte(body)
	}
	return t
}

// repo is a repository that is the same at base and head, with changed files.
func repo(name schemas.RepoName, dir string, files map[string]string, changed ...string) detect.Repo {
	r := detect.Repo{Name: name, Dir: dir, Base: tree(files), Head: tree(files)}
	for _, p := range changed {
		r.Files = append(r.Files, schemas.File{Path: p, Class: schemas.ClassTest, Status: schemas.FileModified})
	}
	return r
}

func goDep() detect.Repo {
	return repo("x/dep", "dep", map[string]string{
		".github/workflows/ci.yml": "go-version: 1.25.x\n", "go.mod": "module example.com/dep\n\ngo 1.24\n", "dep.go": "package dep\n"}, "dep.go")
}

func goApp() detect.Repo {
	return repo("x/app", "app", map[string]string{
		".github/workflows/ci.yml": "go: ['1.26', '1.25']\n", "go.mod": "module example.com/app\n\ngo 1.25.0\n\nrequire example.com/dep v1.2.3\n",
		"in/app_test.go": "package app\n\nfunc TestA(t *testing.T) {}\n"}, "in/app_test.go")
}

func npmDep() detect.Repo {
	return repo("y/mono", "mono", map[string]string{
		".github/workflows/ci.yml": "node-version: [24, 22]\n", "package.json": `{"name": "mono", "workspaces": ["packages/*"], "devDependencies": {"mocha": "^11"}}`,
		"packages/p/package.json":       `{"name": "p", "version": "1.0.0", "main": "dist/p.js", "scripts": {"build": "tsc"}}`,
		"packages/p/.mocharc.json":      `{"spec": "tests/**", "timeout": 5000}`,
		"packages/p/tests/p.test.ts":    "it('x', () => {});\n",
		"packages/p/tests/other.tap.js": "module.exports = 1\n"}, "packages/p/tests/p.test.ts")
}

func npmApp() detect.Repo {
	return repo("y/web", "web", map[string]string{
		".github/workflows/ci.yml": "node-version: [24, 22]\n", "web.js": "",
		"package.json":         `{"name": "web", "main": "web.js", "scripts": {"test": "jest -i"}, "dependencies": {"p": "^1.0.0"}}`,
		"__tests__/web.js":     "test('x', () => {});\n",
		"node/test/n.test.mjs": "import {test} from 'node:test'; test('n', () => {});\n",
		"node/package.json":    `{"name": "n", "scripts": {"test": "node --test"}}`}, "__tests__/web.js", "node/test/n.test.mjs")
}

func candidate(repos ...detect.Repo) schemas.Candidate {
	c := schemas.Candidate{ID: "a-1_b-2-0123456789", WindowTo: time.Date(2026, 4, 2, 0, 0, 0, 0, time.UTC)}
	for _, r := range repos {
		c.Sides = append(c.Sides, schemas.Side{Repo: r.Name, Base: "1111111111111111111111111111111111111111", Head: "2222222222222222222222222222222222222222"})
	}
	return c
}

func options() Options {
	return Options{Images: Images{Go: "golang:1.26-bookworm", Node: "node:%s-bookworm-slim", Python: "python:%s-bookworm", Rust: "rust:%s-bookworm"}, History: schemas.HistoryPast}
}

func pyDep() detect.Repo {
	return repo("z/harbor", "harbor", map[string]string{
		"package.json":   `{"name": "tools", "devDependencies": {"prettier": "3"}}`,
		"pyproject.toml": "[project]\nname = 'harbor'\nclassifiers = ['Programming Language :: Python :: 3.12']\n[project.entry-points.pytest11]\nharbor = 'harbor.plugin'\n", "harbor/__init__.py": "",
		"tests/test_h.py": "def test_h(): pass\n"}, "tests/test_h.py")
}

func pyApp() detect.Repo {
	return repo("z/tide", "tide", map[string]string{
		"setup.cfg": "[metadata]\nname = tide\nclassifiers =\n  Programming Language :: Python :: 3.11\n  Programming Language :: Python :: 3.12\n[options]\ninstall_requires = harbor>=1\n",
		"tide.py":   "", "tests/test_t.py": "def test_t(): pass\n", "tests/data/x.py": "def test_no(): pass\n"}, "tests/test_t.py", "tests/data/x.py")
}

func TestSpec(t *testing.T) {
	mixed := goApp()
	mixed.Name, mixed.Dir = "x/both", "both"
	for p, body := range npmApp().Head.Files {
		if p != ".github/workflows/ci.yml" {
			mixed.Head.Files[p], mixed.Base.Files[p] = body, body
		}
	}
	mixed.Head, mixed.Base = retree(mixed.Head), retree(mixed.Base)
	mixed.Files = append(mixed.Files, npmApp().Files...)
	for name, repos := range map[string][]detect.Repo{
		"go":            {goDep(), goApp()},
		"npm":           {npmDep(), npmApp()},
		"mixed":         {goDep(), mixed, npmDep()},
		"python":        {pyDep(), pyApp()},
		"go and python": {goDep(), goApp(), pyApp()},
		"cargo":         {rustDep(), rustApp()},
		"go and cargo":  {goDep(), goApp(), rustDep(), rustApp()},
	} {
		t.Run(name, func(t *testing.T) {
			spec, err := Spec(candidate(repos...), repos, options())
			if err != nil {
				t.Fatal(err)
			}
			if err := spec.Validate(); err != nil {
				t.Errorf("the spec is not valid: %v", err)
			}
			var got bytes.Buffer
			enc := yaml.NewEncoder(&got)
			enc.SetIndent(2)
			if err := enc.Encode(spec); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, name+".yaml", got.String())
		})
	}
}

func retree(t detect.Tree) detect.Tree {
	t.Paths = slices.Sorted(maps.Keys(t.Files))
	return t
}

func TestRefusals(t *testing.T) {
	without := goApp()
	without.Files = []schemas.File{{Path: "app.go", Class: schemas.ClassSource}}
	python := repo("z/py", "py", map[string]string{"pyproject.toml": ""}, "test_x.py")
	for _, c := range []struct {
		name  string
		repos []detect.Repo
		want  schemas.BuildReason
	}{
		{"no known ecosystem", []detect.Repo{python, python}, schemas.BuildUnsupported},
		{"no test", []detect.Repo{goDep(), without}, schemas.BuildNoTarget},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Spec(candidate(c.repos...), c.repos, options())
			var refusal *Refusal
			if !errors.As(err, &refusal) || refusal.Reason != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// Mocha before 9 writes its report to standard output only.
func TestOldMochaReportsOnStandardOutput(t *testing.T) {
	for want, report := range map[string]string{"^8.1.3": "", "3.x": "", "^9.2.0": "/var/crossswe/reports/mono-1.json", "^11": "/var/crossswe/reports/mono-1.json", "*": "/var/crossswe/reports/mono-1.json", "^8 || ^10": "/var/crossswe/reports/mono-1.json"} {
		dep := npmDep()
		dep.Head.Files["package.json"] = []byte(`{"name": "mono", "workspaces": ["packages/*"], "devDependencies": {"mocha": "` + want + `"}}`)
		spec, err := Spec(candidate(dep, npmApp()), []detect.Repo{dep, npmApp()}, options())
		if err != nil {
			t.Fatal(err)
		}
		if got := spec.Repos[0].Targets[0].Report; got != report {
			t.Errorf("mocha %s: report %q, want %q", want, got, report)
		}
	}
}

func TestDirs(t *testing.T) {
	var sides []schemas.Side
	for _, r := range []schemas.RepoName{"a/js", "b/JS", "c/.github", "d/plain", "e/..."} {
		sides = append(sides, schemas.Side{Repo: r})
	}
	if diff := cmp.Diff([]string{"a-js", "b-JS", "github", "plain", "repo"}, Dirs(sides)); diff != "" {
		t.Errorf("directories (-want +got):\n%s", diff)
	}
}

func rustDep() detect.Repo {
	return repo("w/types", "types", map[string]string{
		"Cargo.toml": "[package]\nname = \"w-types\"\nversion = \"0.2.1\"\n", "src/lib.rs": "", "src/tests.rs": "#[test]\nfn t() {}\n"}, "src/tests.rs")
}

func rustApp() detect.Repo {
	return repo("w/web", "rusty-web", map[string]string{
		"Cargo.toml": "[package]\nname = \"web\"\nversion = \"1.0.0\"\n[dependencies]\nw-types = \"0.2\"\n[features]\nx = []\n", "src/lib.rs": "",
		"Cargo.lock": "[[package]]\nname = \"openssl-sys\"\nversion = \"0.9.0\"\n",
		"tests/w.rs": "#[test]\nfn w() {}\n", "package.json": `{"name": "tools", "devDependencies": {"prettier": "3"}}`}, "tests/w.rs")
}

// TestOneCompiler: an image without a place for the version is the compiler of
// every environment.
func TestOneCompiler(t *testing.T) {
	opt := options()
	opt.Images.Rust = "rust:1.95-bookworm"
	spec, err := Spec(candidate(rustDep(), rustApp()), []detect.Repo{rustDep(), rustApp()}, opt)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]schemas.Toolchain{{Name: "rust", Version: "1.95"}}, spec.Toolchains); diff != "" || spec.Base != "rust:1.95-bookworm" {
		t.Errorf("base %s, toolchains (-want +got):\n%s", spec.Base, diff)
	}
}
