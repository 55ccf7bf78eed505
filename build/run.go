package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"

	"crossswe/build/internal/recipe"
	"crossswe/internal/artefact"
	"crossswe/internal/cli"
	"crossswe/internal/container"
	"crossswe/internal/jobs"
	"crossswe/internal/mirrors"
	"crossswe/internal/store"
	"crossswe/schemas"
)

// flags are the program's own.
type flags struct {
	initSpecs bool
	audit     bool
	shell     bool
	limit     int
	again     bool
	report    string // the file of recipe.ReportProgram
}

// stage is a run of the program.
type stage struct {
	*cli.Stage
	artefacts *artefact.Store
	flags     flags
	set       *mirrors.Set
	engine    *container.Engine
	args      map[string]string // build arguments
	report    schemas.Digest    // of the program in flags.report
	now       func() time.Time
}

func run(ctx context.Context, s *cli.Stage, f flags) error {
	if f.initSpecs && len(s.Args) == 0 {
		return cli.Usagef("-init needs the ids of candidates")
	}
	if f.audit {
		return auditAll(ctx, s)
	}
	if f.shell {
		return shell(ctx, s, os.Stdin, os.Stdout, os.Stderr)
	}
	report, err := os.ReadFile(f.report)
	if err != nil {
		return cli.Usagef("the program that goes into every image is missing; make programs builds it: %w", err)
	}
	link, err := os.ReadFile(filepath.Join(filepath.Dir(f.report), recipe.CargoLink))
	if err != nil {
		return cli.Usagef("the program that links checkouts of Rust is missing; make programs builds it: %w", err)
	}
	set, err := s.Mirrors()
	if err != nil {
		return err
	}
	defer set.Close()
	st := &stage{
		Stage: s, flags: f, set: set, args: environment(s.Config.Build.Environment),
		report: schemas.DigestOf(slices.Concat(report, link)), now: time.Now,
	}
	if f.initSpecs {
		return st.writeSpecs(ctx)
	}
	defer func() {
		if st.engine != nil {
			st.engine.Close()
		}
	}()
	return s.Loop(ctx, cli.Loop{Ready: st.ready, Open: st.connect, Work: st.work, Needs: jobs.Needs{Containers: 1}, Limit: f.limit})
}

// connect opens the artefacts, finds the engine and removes what killed runs left there.
func (s *stage) connect(ctx context.Context) error {
	var err error
	if s.artefacts, err = artefact.Open(ctx, s.Config.Store.Artefacts); err != nil {
		return err
	}
	if s.engine, err = engine(ctx); err != nil {
		return err
	}
	if _, err := s.engine.Sweep(ctx, container.SweepSpec{}); err != nil {
		s.Log.Warn("what a killed run left could not be removed", "error", err)
	}
	return nil
}

func engine(ctx context.Context) (*container.Engine, error) {
	return container.Connect(ctx, container.Options{Host: os.Getenv("DOCKER_HOST"), Run: string(store.StageBuild), Keychain: authn.DefaultKeychain})
}

// environment reads the variables that build steps may see. A main may read
// the environment; nothing below it does.
func environment(names []string) map[string]string {
	args := map[string]string{}
	for _, n := range names {
		if v, ok := os.LookupEnv(n); ok {
			args[n] = v
		}
	}
	return args
}

// item is one candidate to build.
type item struct {
	candidate schemas.Candidate
	spec      editedSpec
	input     string
	made      string // the part of input that the image follows from
	again     bool   // build it even so
}

func (s *stage) ready(ctx context.Context, names []string) ([]jobs.Task, error) {
	return s.Waiting(ctx, store.StageScreen, names, s.flags.again, func(ctx context.Context, id string) (string, error) {
		it, err := s.item(ctx, id)
		return it.input, err
	})
}

func (s *stage) item(ctx context.Context, id string) (item, error) {
	c, ok, err := store.Get[schemas.Candidate](ctx, s.Store, id)
	if err != nil {
		return item{}, err
	}
	if !ok {
		return item{}, cli.Usagef("there is no candidate %s", id)
	}
	it := item{candidate: c}
	if it.spec, err = readSpec(s.Config.Build.Specs, c.ID); err != nil {
		return item{}, err
	}
	it.made, err = input(c, it.spec, s.Config.Build, s.report)
	it.input = withRegistry(it.made, s.Config.Build.Registry)
	return it, err
}

// work builds one candidate. An image build uses the whole machine: there is one
// at a time.
func (s *stage) work(ctx context.Context, j *jobs.Job) error {
	it, err := s.item(ctx, j.ID)
	if err != nil {
		return err
	}
	it.again = j.Again
	if done, err := s.Store.Done(ctx, s.Name, j.ID, it.input); err != nil || done && !j.Again {
		return err
	}
	log := s.Log.With("candidate", j.ID)
	log.Info("building")
	start := s.now()
	env, err := s.one(ctx, it, log)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.finish(ctx, j, it, env, err, log.With("took", s.now().Sub(start).Round(time.Second)))
}

// finish writes the outcome of one candidate: record, state and completion
// together. A fault of the machinery is written and returned.
func (s *stage) finish(ctx context.Context, j *jobs.Job, it item, env schemas.Environment, outcome error, log *slog.Logger) error {
	state := store.Item{Stage: s.Name, ID: j.ID, Input: it.input, At: s.now()}
	var gone *gaveUp
	switch {
	case outcome == nil:
		state.State, state.Detail = store.Kept, string(env.Image)
		if err := j.Commit(ctx, store.Batch{Records: []schemas.Record{env}, Items: []store.Item{state}}); err != nil {
			return err
		}
		log.Info("built", "image", env.Image, "bytes", env.SizeBytes)
		s.Out.Record(env)
		s.Out.Textf("%s  %s\n", env.Candidate, env.Image)
		return nil
	case errors.As(outcome, &gone):
		state.State, state.Reason, state.Detail = store.Dropped, string(gone.reason), gone.detail
		log.Warn("given up", "reason", gone.reason, "detail", gone.detail)
		return j.Commit(ctx, store.Batch{Items: []store.Item{state}})
	}
	state.State, state.Reason, state.Detail = store.Failed, string(failure(outcome)), oneLine(outcome.Error())
	return errors.Join(fault(fmt.Errorf("building %s: %w", j.ID, outcome)), s.Store.Commit(ctx, store.Batch{Items: []store.Item{state}}))
}
