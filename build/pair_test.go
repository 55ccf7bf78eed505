package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"crossswe/build/internal/recipe"
	"crossswe/internal/cli"
	"crossswe/internal/gitrepo"
	"crossswe/internal/gitrepo/gitrepotest"
	"crossswe/internal/store"
	"crossswe/schemas"
)

// bench is a directory with mirrors, a store and a configuration.
type bench struct {
	t   *testing.T
	dir string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t, t.TempDir()}
	b.write("pipeline.yaml", "repositories:\n  mirrors: mirrors\nbuild:\n  environment: [GOPROXY, HTTP_PROXY, NODE_EXTRA_CA_CERTS]\n  timeout: 10m\n")
	return b
}

func (b *bench) write(name, body string) {
	b.t.Helper()
	file := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(body), 0o666); err != nil {
		b.t.Fatal(err)
	}
}

// side makes a repository with two commits, and a side that leads from the
// first to the second.
func (b *bench) side(name schemas.RepoName, base, head map[string]string) schemas.Side {
	b.t.Helper()
	r := gitrepotest.New(b.t)
	from := r.Commit("base", texts(base))
	all := texts(base)
	for p, f := range texts(head) {
		all[p] = f
	}
	to := r.Commit("the change", all, from)
	link := filepath.Join(b.dir, "mirrors", string(name)+".git")
	if err := os.MkdirAll(filepath.Dir(link), 0o777); err != nil {
		b.t.Fatal(err)
	}
	if err := os.Symlink(r.Dir, link); err != nil {
		b.t.Fatal(err)
	}
	return schemas.Side{Repo: name, Base: from, Head: to, Commits: 1, MergedAt: changed}
}

// changed is when the changes of the tests were merged.
var changed = time.Date(2026, 8, 20, 0, 0, 0, 0, time.UTC)

func texts(files map[string]string) gitrepotest.Files {
	all := gitrepotest.Files{}
	for p, body := range files {
		all[p] = gitrepotest.Text(body)
	}
	return all
}

// keep stores a kept candidate.
func (b *bench) keep(sides ...schemas.Side) schemas.CandidateID {
	b.t.Helper()
	c := schemas.Candidate{Origin: schemas.OriginAdded, Sides: sides, WindowFrom: changed, WindowTo: changed}
	c.ID = schemas.NewCandidateID(sides)
	item := store.Item{Stage: store.StageScreen, ID: string(c.ID), State: store.Kept, At: changed}
	b.inStore(func(s *store.Store) error {
		return s.Commit(b.t.Context(), store.Batch{Records: []schemas.Record{c}, Items: []store.Item{item}})
	})
	return c.ID
}

func (b *bench) inStore(f func(*store.Store) error) {
	b.t.Helper()
	s, err := store.Open(b.t.Context(), filepath.Join(b.dir, "crossswe.db"))
	if err != nil {
		b.t.Fatal(err)
	}
	defer s.Close()
	if err := f(s); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) item(id schemas.CandidateID) (it store.Item) {
	b.t.Helper()
	b.inStore(func(s *store.Store) (err error) {
		it, _, err = s.Item(b.t.Context(), store.StageBuild, string(id))
		return err
	})
	return it
}

func (b *bench) environment(id schemas.CandidateID) (env schemas.Environment) {
	b.t.Helper()
	b.inStore(func(s *store.Store) error {
		got, ok, err := store.Get[schemas.Environment](b.t.Context(), s, string(id))
		if err == nil && !ok {
			err = fmt.Errorf("no environment of %s; the state is %+v", id, b.item(id))
		}
		env = got
		return err
	})
	return env
}

// outcome is how one call of the program ended.
type outcome struct {
	code           int
	stdout, stderr string
}

// reportProgram builds the program that goes into every image, once.
var reportProgram = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "crossswe-report-")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, recipe.ReportProgram)
	cmd := exec.Command("go", "build", "-trimpath", "-o", dir+string(filepath.Separator), "crossswe/verify/evalreport", "crossswe/build/cargolink")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", recipe.ReportProgram, err, out)
	}
	return file, nil
})

// build calls the program.
func (b *bench) build(f flags, args ...string) outcome {
	b.t.Helper()
	return b.call(f, append([]string{"-json"}, args...)...)
}

// call runs the program with flags of cli among the arguments.
func (b *bench) call(f flags, args ...string) outcome {
	b.t.Helper()
	var err error
	if f.report, err = reportProgram(); err != nil {
		b.t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := cli.Main(cli.Options{
		Name: store.StageBuild, Stdout: &out, Stderr: &errs,
		Args: append([]string{"-config", filepath.Join(b.dir, "pipeline.yaml")}, args...),
	}, func(ctx context.Context, s *cli.Stage) error { return run(ctx, s, f) })
	return outcome{code, out.String(), errs.String()}
}

// built runs the program, which must succeed, and returns the environment.
func (b *bench) built(id schemas.CandidateID) schemas.Environment {
	b.t.Helper()
	got := b.build(flags{})
	if got.code != 0 {
		b.t.Fatalf("exit code %d:\n%s", got.code, got.stderr)
	}
	env := b.environment(id)
	var line struct {
		Record schemas.Kind
		Body   json.RawMessage
	}
	if err := json.Unmarshal([]byte(got.stdout), &line); err != nil || line.Record != schemas.KindEnvironment {
		b.t.Errorf("-json: got %q (%v), want one environment", got.stdout, err)
	}
	if _, err := schemas.Decode[schemas.Environment](line.Body); err != nil {
		b.t.Error(err)
	}
	return env
}

// goPair is a provider and a consumer that needs it, at two versions.
func (b *bench) goPair() []schemas.Side {
	ci := "jobs:\n  test:\n    with:\n      go-version: '1.26'\n"
	return []schemas.Side{
		b.side("acme/dep", map[string]string{
			".github/workflows/ci.yml": ci,
			"go.mod":                   "module example.com/dep\n\ngo 1.26.8\n",
			"dep.go":                   "package dep\n\n// Greeting is what there is to say.\nfunc Greeting() string { return \"hello\" }\n",
		}, map[string]string{
			"dep.go": "package dep\n\n// Greeting is what there is to say.\nfunc Greeting() string { return \"good morning to everyone in this room\" }\n",
		}),
		b.side("acme/app", map[string]string{
			".github/workflows/ci.yml": ci,
			".gitattributes":           "* text=auto eol=crlf\n",
			"go.mod":                   "module example.com/app\n\ngo 1.26\n\nrequire example.com/dep v1.2.3\n",
			"go.work":                  "go 1.26\n\nuse .\n",
			"app.go":                   "package app\n\nimport \"example.com/dep\"\n\n// Say says it.\nfunc Say() string { return dep.Greeting() }\n",
			"app_test.go":              "package app\n\nimport \"testing\"\n\nfunc TestSay(t *testing.T) {\n\tif Say() != \"hello\" {\n\t\tt.Error(Say())\n\t}\n}\n",
		}, map[string]string{
			"go.mod":      "module example.com/app\n\ngo 1.26\n\nrequire example.com/dep v1.3.0\n",
			"app_test.go": "package app\n\nimport \"testing\"\n\nfunc TestSay(t *testing.T) {\n\tif Say() != \"good morning to everyone in this room\" {\n\t\tt.Error(Say())\n\t}\n}\n",
		}),
	}
}

// npmPair is a monorepo with a package that is built, and its consumer.
func (b *bench) npmPair() []schemas.Side {
	ci := "jobs:\n  test:\n    strategy:\n      matrix:\n        node: [22, 20]\n"
	return []schemas.Side{
		b.side("acme/mono", map[string]string{
			".github/workflows/ci.yml":  ci,
			".gitignore":                "dist/\n",
			"package.json":              `{"name": "mono", "private": true, "workspaces": ["packages/*"]}`,
			"packages/dep/package.json": `{"name": "@acme/dep", "version": "1.2.0", "main": "dist/dep.js", "scripts": {"build": "mkdir -p dist && cp src/dep.js dist/dep.js"}}`,
			"packages/dep/src/dep.js":   "exports.greeting = () => 'hello';\n",
		}, map[string]string{
			"packages/dep/src/dep.js": "exports.greeting = () => 'good morning to everyone in this room';\n",
		}),
		b.side("acme/web", map[string]string{
			".github/workflows/ci.yml": ci,
			"package.json":             `{"name": "web", "version": "1.0.0", "main": "web.js", "scripts": {"test": "node --test test/*.test.js"}, "dependencies": {"@acme/dep": "^1.2.0"}}`,
			"web.js":                   "module.exports = require('@acme/dep').greeting();\n",
			"test/web.test.js":         "const test = require('node:test');\ntest('says hello', () => require('node:assert').equal(require('..'), 'hello'));\n",
		}, map[string]string{
			"package.json":     `{"name": "web", "version": "1.0.0", "main": "web.js", "scripts": {"test": "node --test test/*.test.js"}, "dependencies": {"@acme/dep": "^1.3.0"}}`,
			"test/web.test.js": "const test = require('node:test');\ntest('says more', () => require('node:assert').match(require('..'), /morning/));\n",
		}),
	}
}

// tail returns the last lines of a text.
func tail(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-8):], "\n")
}

func (b *bench) open(name schemas.RepoName) *gitrepo.Repo {
	b.t.Helper()
	repo, err := gitrepo.Open(b.t.Context(), filepath.Join(b.dir, "mirrors", string(name)+".git"))
	if err != nil {
		b.t.Fatal(err)
	}
	return repo
}
