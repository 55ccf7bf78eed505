package main

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crossswe/internal/artefact"
	"crossswe/internal/cli"
	"crossswe/internal/config"
	"crossswe/internal/container"
	"crossswe/internal/gitrepo/gitrepotest"
	"crossswe/internal/mirrors"
	"crossswe/internal/store"
	"crossswe/schemas"
	"crossswe/verify/internal/trial"
)

// files are a tree's texts by path.
type files map[string]string

// side is one repository: its tree at base, and what head changes.
type side struct{ base, head files }

// pair is a library and a program that uses it, both in Go.
type pair struct {
	lib, app side
	timeout  int // of the program's target, seconds
	prove    []string
}

// world is a pair with its repositories, image and store.
type world struct {
	*stage
	id string
}

// goImage is what scripts/base-images.sh provides everywhere.
const goImage = "golang:1.26-bookworm"

// dockerfile holds the checkouts, and a warm build cache for the standard
// library below them, so that a trial takes seconds.
const dockerfile = `FROM ` + goImage + `
ENV GOPROXY=off GOWORK=/testbed/go.work GOTOOLCHAIN=local
RUN mkdir /warm && cd /warm && printf 'module warm\n' > go.mod && printf 'package warm\nimport (_ "os"; _ "net"; _ "time"; "testing")\nfunc TestX(t *testing.T) {}\n' > w_test.go && GOWORK=off go test . && rm -rf /warm
COPY repos /testbed/
RUN printf 'go 1.21\nuse ./lib\nuse ./app\nreplace example.com/lib v0.0.0 => ./lib\n' > /testbed/go.work && for r in lib app; do cd /testbed/$r && git init -q && git add -A && git -c user.name=T -c user.email=t@example.com commit -q -m base; done
`

// newWorld makes the repositories, the image and a store in which the
// candidate is built. Without an engine the test fails: it is not skipped.
func newWorld(t *testing.T, p pair) *world {
	t.Helper()
	ctx := t.Context()
	engine, err := container.Connect(ctx, container.Options{Host: os.Getenv("DOCKER_HOST"), Run: "verify-test"})
	if err != nil {
		t.Fatalf("these tests need a container engine: %v", err)
	}
	t.Cleanup(func() { engine.Close() })
	var places []mirrors.Place
	var sides []schemas.Side
	for i, s := range []side{p.lib, p.app} {
		r := gitrepotest.New(t)
		base := r.Commit("base", texts(s.base))
		head := r.Commit("head", texts(merged(s)), base)
		name := schemas.RepoName([]string{"ann/lib", "bob/app"}[i])
		places = append(places, mirrors.Place{Name: name, Dir: r.Dir})
		sides = append(sides, schemas.Side{Repo: name, Base: base, Head: head, MergedAt: time.Unix(1_700_000_000, 0).UTC()})
	}
	set, err := mirrors.Find("", places)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { set.Close() })
	w := &world{stage: newStage(t, engine, set)}
	w.record(t, p, sides, buildImage(t, engine, p))
	return w
}

func texts(f files) gitrepotest.Files {
	tree := gitrepotest.Files{}
	for name, body := range f {
		tree[name] = gitrepotest.Text(body)
	}
	return tree
}

func merged(s side) files {
	head := maps.Clone(s.base)
	maps.Copy(head, s.head)
	return head
}

func newStage(t *testing.T, engine *container.Engine, set *mirrors.Set) *stage {
	t.Helper()
	dir := t.TempDir()
	db, err := store.Open(t.Context(), filepath.Join(dir, "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	kept, err := artefact.Open(t.Context(), filepath.Join(dir, "artefacts"))
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Parse([]byte("repositories: {mirrors: /nowhere}\nverify: {repetitions: 2, memory_mb: 1024, pids: 512}\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{
		Stage:     &cli.Stage{Name: store.StageVerify, Config: cfg, Store: db, Log: slog.New(slog.DiscardHandler), Out: cli.NewOutput(io.Discard, false)},
		artefacts: kept, set: set, engine: engine, now: time.Now,
	}
	s.start = func(ctx context.Context, spec container.Spec) (trial.Box, error) { return engine.Start(ctx, spec) }
	return s
}

// buildImage builds the image with the base trees in it.
func buildImage(t *testing.T, engine *container.Engine, p pair) container.Image {
	t.Helper()
	var log bytes.Buffer
	img, err := engine.Build(t.Context(), container.BuildSpec{
		Tag:        "crossswe-verify-test:" + strings.ToLower(strings.NewReplacer("/", "-", ",", "", "'", "", ":", "").Replace(t.Name())),
		Dockerfile: []byte(dockerfile), Timeout: 10 * time.Minute, Log: &log,
		Context: func(_ context.Context, w *tar.Writer) error {
			for dir, s := range map[string]side{"lib": p.lib, "app": p.app} {
				for name, body := range s.base {
					if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "repos/" + dir + "/" + name, Mode: 0o644, Size: int64(len(body))}); err != nil {
						return err
					}
					if _, err := io.WriteString(w, body); err != nil {
						return err
					}
				}
			}
			return nil
		},
	})
	if err != nil {
		t.Fatalf("building the image: %v\n%s", err, log.String())
	}
	t.Cleanup(func() { _ = engine.RemoveImage(context.Background(), img.ID) })
	return img
}

// record writes the candidate, the decision and the environment, as the stages
// before would have.
func (w *world) record(t *testing.T, p pair, sides []schemas.Side, img container.Image) {
	t.Helper()
	c := schemas.Candidate{ID: schemas.NewCandidateID(sides), Origin: schemas.OriginAdded, Sides: sides}
	spec := schemas.Spec{
		Candidate: c.ID, Base: goImage, History: schemas.HistoryNone, Toolchains: []schemas.Toolchain{{Name: "go", Version: "1.26"}},
		Links: []schemas.LinkSpec{{Ecosystem: "go", Consumer: "bob/app", Provider: "ann/lib", Name: "example.com/lib",
			Prove: schemas.Command{Run: []string{"go", "list", "-m", "-f", "{{.Version}}|{{.Dir}}", "example.com/lib"}}, Want: "|/testbed/lib"}},
	}
	for i, dir := range []string{"lib", "app"} {
		r := schemas.RepoSpec{Repo: sides[i].Repo, Dir: dir, Base: sides[i].Base, Targets: []schemas.Target{{
			Name: "example.com/" + dir, Runner: schemas.RunnerGo, Files: []string{dir + "_test.go"},
			Command: schemas.Command{Run: []string{"go", "test", "-json", "-count=1", "."}, Timeout: p.timeout},
		}}}
		spec.Repos = append(spec.Repos, r)
	}
	env := schemas.Environment{Candidate: c.ID, Spec: spec, Image: schemas.ImageRef(img.Tags[0]), ImageID: schemas.Digest(img.ID), BuiltAt: w.now().UTC()}
	w.id = string(c.ID)
	err := w.Store.Commit(t.Context(), store.Batch{
		Records: []schemas.Record{c, env, schemas.Decision{Candidate: c.ID, Choice: schemas.ChoiceKeep, Reason: schemas.ReasonJoint, How: schemas.HowAgreement, At: w.now()}},
		Items:   []store.Item{{Stage: store.StageBuild, ID: w.id, State: store.Kept, At: w.now()}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// verify does what run does, less connecting.
func (w *world) verify(ctx context.Context) error {
	return w.Loop(ctx, cli.Loop{Ready: w.ready, Work: w.work})
}

func (w *world) verdictOf(t *testing.T) schemas.Verdict {
	t.Helper()
	v, ok, err := store.Get[schemas.Verdict](t.Context(), w.Store, w.id)
	if err != nil || !ok {
		t.Fatalf("no verdict: %v", err)
	}
	return v
}
