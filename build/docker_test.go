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

// seededLeaks puts leaks on top of a clean image and audits it again.
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
	commit := "git -C /testbed/dep -c user.name=x -c user.email=x@localhost commit-tree -m fix -p HEAD HEAD^{tree}"
	for _, c := range []struct {
		name string
		runs []string
		want []string
	}{
		{"nothing", []string{"true"}, nil},
		{"a tag on the fix", []string{"git -C /testbed/dep tag v1.3.0 $(" + commit + ")"}, []string{"checkout_objects", "checkout_refs", "git_directories"}},
		{"a commit that nothing reaches", []string{commit}, []string{"checkout_objects", "git_directories"}},
		{"a reflog", []string{"git -C /testbed/dep update-ref --create-reflog -m fix HEAD HEAD && git -C /testbed/dep reflog expire --all || true; mkdir -p /testbed/dep/.git/logs && echo x > /testbed/dep/.git/logs/HEAD"}, []string{"git_directories"}},
		{"a stash", []string{"cd /testbed/dep && echo x >> dep.go && git stash"}, []string{"checkout_objects", "checkout_refs", "git_directories"}},
		{"a gold line in a build artefact", []string{`mkdir -p /opt/out && printf 'x%sy' "` + leak + `" > /opt/out/app.o`}, []string{"hunks"}},
		{"a file that a later layer deletes", []string{`echo "` + leak + `" > /root/fix.go`, "rm /root/fix.go"}, []string{"hunks"}},
		{"the sibling's release", []string{"mkdir -p /go/pkg/mod/example.com/dep@v1.3.0 && touch /go/pkg/mod/example.com/dep@v1.3.0/go.mod"}, []string{"sibling_releases"}},
		{"an untracked file", []string{"touch /testbed/app/new.go"}, []string{"checkout_clean"}},
		{"another base", []string{"cd /testbed/app && git -c user.name=x -c user.email=x@localhost commit -q --allow-empty -m next"}, []string{"checkout_at_base", "checkout_refs", "git_directories"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := "FROM " + string(env.ImageID) + "\n"
			for _, r := range c.runs {
				file += "RUN " + r + "\n"
			}
			img, err := e.Build(t.Context(), container.BuildSpec{Tag: "crossswe/leak:" + strings.ToLower(strings.ReplaceAll(c.name, " ", "-")), Dockerfile: []byte(file), Timeout: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			forget(t, e, img.Tags[0])
			got := auditImage(t, e, img.ID, env, audit.Rules{Needles: needles, Siblings: audit.SiblingsOf(env.Spec)})
			var checks []string
			for _, f := range got.Findings {
				if !slices.Contains(checks, f.Check) {
					checks = append(checks, f.Check)
				}
			}
			slices.Sort(checks)
			if diff := cmp.Diff(c.want, checks); diff != "" {
				t.Errorf("checks with findings (-want +got):\n%s\n%+v", diff, got.Findings)
			}
		})
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
		{"a base image that cannot be had", replace("golang:1.26-bookworm", "crossswe.invalid/none:1"), schemas.BuildNoBaseImage, "crossswe.invalid/none:1"},
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

// replace returns an edit of a spec's text.
func replace(old, new string) func(string) string {
	return func(s string) string { return strings.Replace(s, old, new, 1) }
}
