package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crossswe/build/internal/assemble"
	"crossswe/build/internal/audit"
	"crossswe/internal/container"
	"crossswe/internal/patch"
	"crossswe/internal/store"
	"crossswe/schemas"
)

// connect returns an engine. Without one the test fails: it is not skipped.
func connect(t *testing.T) *container.Engine {
	t.Helper()
	e, err := container.Connect(t.Context(), container.Options{Host: os.Getenv("DOCKER_HOST"), Run: t.Name()})
	if err != nil {
		t.Fatalf("these tests need a container engine: %v", err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// container starts a container without a network that ends with the test.
func start(t *testing.T, e *container.Engine, image string) *container.Container {
	t.Helper()
	c, err := assemble.Start(t.Context(), e, image)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Remove(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return c
}

// forget removes an image with the test.
func forget(t *testing.T, e *container.Engine, image string) {
	t.Cleanup(func() {
		if err := e.RemoveImage(context.Background(), image); err != nil {
			t.Error(err)
		}
	})
}

// run runs a command in a checkout and returns its output; exit code and all
// streams count.
func runIn(t *testing.T, c *container.Container, dir string, cmd ...string) (string, int) {
	t.Helper()
	var out bytes.Buffer
	res, err := c.Exec(t.Context(), container.ExecSpec{Cmd: cmd, WorkDir: path.Join("/testbed", dir), Stdout: &out, Stderr: &out, Timeout: 2 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), res.ExitCode
}

func TestGoPair(t *testing.T) {
	b, e := newBench(t), connect(t)
	sides := b.goPair()
	id := b.keep(sides...)
	env := b.built(id)
	forget(t, e, string(env.Image))

	wantProof := []schemas.LinkProof{{Consumer: "acme/app", Provider: "acme/dep", Name: "example.com/dep", Got: "|/testbed/dep", Holds: true}}
	if diff := cmp.Diff(wantProof, env.Links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	if !env.Audit.Clean || len(env.Audit.Findings) != 0 || len(env.Audit.Checks) != 4+2*4 {
		t.Errorf("audit: %+v", env.Audit)
	}
	c := start(t, e, string(env.Image))
	target := env.Spec.Repos[1].Targets[0]
	if out, code := runIn(t, c, "app", target.Command.Run...); code != 0 || !strings.Contains(out, `"Test":"TestSay"`) {
		t.Errorf("the target test at base: exit code %d\n%s", code, tail(out))
	}
	if out, code := runIn(t, c, "", "/opt/crossswe/evalreport", "-repo", "acme/app", "-unit", "u", "-runner", "gotest", "-root", "/testbed/app"); code != 0 || out != "--- FAIL: acme/app::u::(load) (0.00s)\n" {
		t.Errorf("the report program on an empty report: exit code %d\n%s", code, out)
	}
	if out, code := runIn(t, c, "", "go", "version"); code != 0 || !strings.Contains(out, "go1.26.8") {
		t.Errorf("toolchain: %s", out)
	}
	if out, _ := runIn(t, c, "dep", "git", "log", "--format=%s"); out != "base\n" {
		t.Errorf("log: %q", out)
	}

	again := b.build(flags{})
	if again.code != 0 || again.stdout != "" || strings.Contains(again.stderr, "building") {
		t.Errorf("the second time: %+v", again)
	}
	t.Run("seeded leaks are found", func(t *testing.T) { seededLeaks(t, b, e, env, sides) })
}

// seededLeaks puts leaks on top of the clean image, a layer each, and audits it
// again.
func seededLeaks(t *testing.T, b *bench, e *container.Engine, env schemas.Environment, sides []schemas.Side) {
	hunks, err := audit.Hunks("acme/dep", "gold", goldOf(t, b, sides[0]), []schemas.File{{Path: "dep.go", Class: schemas.ClassSource}})
	if err != nil {
		t.Fatal(err)
	}
	needles, err := audit.NewNeedles(hunks, func(func(io.Reader) error) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	const leak = `func Greeting() string { return \"good morning to everyone in this room\" }`
	commit := "git -C /testbed/dep commit-tree -m fix -p HEAD HEAD^{tree}"
	leaks := []struct{ name, run, check, path, detail string }{
		{"a tag on the fix", "git -C /testbed/dep tag v1.3.0 $(" + commit + ")", "checkout_refs", "/testbed/dep", "refs/tags/v1.3.0"},
		{"its tag's file", "true", "git_directories", "/testbed/dep/.git/refs/tags/v1.3.0", ""},
		{"an object of the fix", "true", "checkout_objects", "/testbed/dep", "does not reach"},
		{"a loose object", "true", "git_directories", "/testbed/dep/.git/objects/", ""},
		{"a fix with an older clock", "GIT_AUTHOR_DATE=1999-01-01T00:00:00Z GIT_COMMITTER_DATE=1999-01-01T00:00:00Z git -C /testbed/app commit-tree -m fix -p HEAD HEAD^{tree}", "checkout_objects", "/testbed/app", "does not reach"},
		{"a stash", "cd /testbed/dep && echo x >> dep.go && git stash", "checkout_refs", "/testbed/dep", "refs/stash"},
		{"a reflog", "true", "git_directories", "/testbed/dep/.git/logs/refs/stash", ""},
		{"a gold line in a build artefact", `mkdir -p /opt/out && printf 'x%sy' "` + leak + `" > /opt/out/app.o`, "hunks", "/opt/out/app.o", "dep.go"},
		{"a file", `echo "` + leak + `" > /root/fix.go`, "hunks", "/root/fix.go", "dep.go"},
		{"which a later layer deletes", "rm /root/fix.go", "hunks", "/root/fix.go", "gold"},
		{"the sibling's release", "mkdir -p /go/pkg/mod/example.com/dep@v1.3.0 && touch /go/pkg/mod/example.com/dep@v1.3.0/go.mod", "sibling_releases", "/go/pkg/mod/example.com/dep@v1.3.0", ""},
		{"another base", "cd /testbed/app && git commit -q --allow-empty -m next", "checkout_at_base", "/testbed/app", "the base is"},
		{"an untracked file", "touch /testbed/app/new.go", "checkout_clean", "/testbed/app", "new.go"},
	}
	file := "FROM " + string(env.ImageID) + "\n"
	for _, l := range leaks {
		file += "RUN " + l.run + "\n"
	}
	img, err := e.Build(t.Context(), container.BuildSpec{Tag: "crossswe/test:leaks", Dockerfile: []byte(file), Timeout: 5 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	forget(t, e, img.ID)
	got := auditImage(t, e, img.ID, env, audit.Rules{Needles: needles, Siblings: audit.SiblingsOf(env.Spec)})
	for _, l := range leaks {
		if !slices.ContainsFunc(got.Findings, func(f schemas.AuditFinding) bool {
			return f.Check == l.check && strings.HasPrefix(f.Path, l.path) && strings.Contains(f.Detail, l.detail)
		}) {
			t.Errorf("%s: no finding of %s at %s with %q in\n%+v", l.name, l.check, l.path, l.detail, got.Findings)
		}
	}
}

func goldOf(t *testing.T, b *bench, s schemas.Side) []byte {
	t.Helper()
	repo := b.open(s.Repo)
	defer repo.Close()
	split, err := patch.Split(t.Context(), repo, s.Base, s.Head, patch.SplitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return split.Gold
}

func auditImage(t *testing.T, e *container.Engine, image string, env schemas.Environment, rules audit.Rules) schemas.Audit {
	t.Helper()
	save, err := e.SaveImage(t.Context(), image)
	if err != nil {
		t.Fatal(err)
	}
	defer save.Close()
	got, err := audit.Image(t.Context(), save, start(t, e, image), audit.CheckoutsOf(env.Spec), rules)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestNPMPair(t *testing.T) {
	b, e := newBench(t), connect(t)
	env := b.built(b.keep(b.npmPair()...))
	forget(t, e, string(env.Image))
	wantProof := []schemas.LinkProof{{Consumer: "acme/web", Provider: "acme/mono", Name: "@acme/dep", Got: "/testbed/mono/packages/dep", Holds: true}}
	if diff := cmp.Diff(wantProof, env.Links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	if !env.Audit.Clean {
		t.Errorf("audit: %+v", env.Audit.Findings)
	}
	c := start(t, e, string(env.Image))
	target := env.Spec.Repos[1].Targets[0]
	if out, code := runIn(t, c, "web", target.Command.Run...); code != 0 {
		t.Errorf("the target test at base: exit code %d\n%s", code, tail(out))
	}
	report, err := c.ReadFile(t.Context(), target.Report, 1<<20)
	if err != nil || !strings.Contains(string(report), "says hello") {
		t.Errorf("report: %v\n%s", err, report)
	}
}

func TestFailuresAreTyped(t *testing.T) {
	for _, c := range []struct {
		name   string
		edit   func(spec string) string
		want   schemas.BuildReason
		detail string
	}{
		{"a step that fails", replace("rebuild: []", "rebuild: [{run: [sh, -c, 'echo the last words; exit 3']}]"), schemas.BuildStep, "the last words"},
		{"a link that does not hold", replace("want: '|/testbed/dep'", "want: '|/testbed/other'"), schemas.BuildLinkVoid, "|/testbed/dep"},
		{"a module that cannot be had", replace("./app\n", "./app\n          )\n          replace example.com/dep v1.9.9 => ./nowhere\n          use (\n"), schemas.BuildBadSpec, "nowhere"},
		{"a key that there is not", replace("history: past", "history: past\nhistroy: none"), schemas.BuildBadSpec, "histroy"},
		{"another candidate's", replace("candidate: ", "candidate: x"), schemas.BuildBadSpec, "it is about x"},
		{"a leak", replace("rebuild: []", `rebuild: [{run: [sh, -c, 'touch leak']}]`), schemas.BuildAuditFailed, "?? leak"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			id := b.keep(b.goPair()...)
			if got := b.build(flags{initSpecs: true}, string(id)); got.code != 0 {
				t.Fatalf("-init: %+v", got)
			}
			file := "specs/" + string(id) + ".yaml"
			spec, err := os.ReadFile(path.Join(b.dir, file))
			if err != nil {
				t.Fatal(err)
			}
			edited := c.edit(string(spec))
			if edited == string(spec) {
				t.Fatalf("the edit changed nothing in\n%s", spec)
			}
			b.write(file, edited)
			if got := b.build(flags{}); got.code != 0 {
				t.Errorf("exit code %d:\n%s", got.code, got.stderr)
			}
			it := b.item(id)
			if it.State != store.Dropped || it.Reason != string(c.want) || !strings.Contains(it.Detail, c.detail) {
				t.Errorf("got %s, %s: %s; want dropped, %s: … %s …", it.State, it.Reason, it.Detail, c.want, c.detail)
			}
		})
	}
}

// A registry that does not answer today may tomorrow: the candidate is not lost.
func TestABaseImageThatCannotBeHad(t *testing.T) {
	b := newBench(t)
	id := b.keep(b.goPair()...)
	b.write("pipeline.yaml", "repositories:\n  mirrors: mirrors\nbuild:\n  go_image: registry.invalid/none:1\n")
	got := b.build(flags{})
	it := b.item(id)
	if got.code != 1 || it.State != store.Failed || it.Reason != string(schemas.BuildNoBaseImage) || !strings.Contains(it.Detail, "registry.invalid/none:1") {
		t.Errorf("exit code %d, %s, %s: %s", got.code, it.State, it.Reason, it.Detail)
	}
}

// replace returns an edit of a spec's text.
func replace(old, new string) func(string) string {
	return func(s string) string { return strings.Replace(s, old, new, 1) }
}
