package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"

	"crossswe/internal/artefact"
	"crossswe/internal/cli"
	"crossswe/internal/container"
	"crossswe/internal/mirrors"
	"crossswe/internal/store"
	"crossswe/schemas"
)

// flags are the program's own.
type flags struct {
	initSpecs bool
	limit     int
	again     bool
	report    string // the file of recipe.ReportProgram
}

// stage is a run of the program.
type stage struct {
	*cli.Stage
	flags  flags
	set    *mirrors.Set
	engine *container.Engine
	args   map[string]string // build arguments
	report schemas.Digest    // of the program in flags.report
	now    func() time.Time
}

func run(ctx context.Context, s *cli.Stage, f flags) error {
	if f.limit < 0 {
		return cli.Usagef("-limit %d is negative", f.limit)
	}
	if f.initSpecs && len(s.Args) == 0 {
		return cli.Usagef("-init needs the ids of candidates")
	}
	report, err := os.ReadFile(f.report)
	if err != nil {
		return cli.Usagef("the program that goes into every image is missing; make programs builds it: %w", err)
	}
	set, err := s.Mirrors()
	if err != nil {
		return err
	}
	defer set.Close()
	st := &stage{
		Stage: s, flags: f, set: set, args: environment(s.Config.Build.Environment),
		report: artefact.DigestOf(report), now: time.Now,
	}
	todo, err := st.candidates(ctx)
	if err != nil {
		return err
	}
	if f.initSpecs {
		return st.writeSpecs(ctx, todo)
	}
	if len(todo) == 0 {
		return nil
	}
	st.engine, err = container.Connect(ctx, container.Options{Host: os.Getenv("DOCKER_HOST"), Run: "build", Keychain: authn.DefaultKeychain})
	if err != nil {
		return err
	}
	defer st.engine.Close()
	if _, err := st.engine.Sweep(ctx, container.SweepSpec{}); err != nil {
		s.Log.Warn("what a killed run left could not be removed", "error", err)
	}
	return st.all(ctx, todo)
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
}

// candidates returns what there is to do: the candidates that are named, else
// those that were kept and are not done.
func (s *stage) candidates(ctx context.Context) ([]item, error) {
	ids, err := s.Ready(ctx, store.StageScreen)
	if err != nil {
		return nil, err
	}
	var todo []item
	for _, id := range ids {
		it, err := s.item(ctx, id)
		if err != nil {
			return nil, err
		}
		done, err := s.Store.Done(ctx, store.StageBuild, id, it.input)
		if err != nil {
			return nil, err
		}
		if done && !s.flags.again && !s.flags.initSpecs {
			s.Log.Debug("already built", "candidate", id)
			continue
		}
		if s.flags.limit > 0 && len(todo) == s.flags.limit {
			break
		}
		todo = append(todo, it)
	}
	return todo, nil
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

// maxFailures is how many faults of the machinery in a row end the run: the
// next candidate would most likely meet the same one. A base image that cannot
// be had says nothing about candidates with other bases.
const maxFailures = 3

// all builds one candidate after the other: an image build uses the whole
// machine. What fails for a fault of the machinery is taken again by the next run.
func (s *stage) all(ctx context.Context, todo []item) error {
	var faults []error
	row := 0
	for i, it := range todo {
		log := s.Log.With("candidate", it.candidate.ID)
		log.Info("building", "number", i+1, "of", len(todo))
		start := s.now()
		env, err := s.one(ctx, it, log)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		failed, err := s.finish(ctx, it, env, err, log.With("took", s.now().Sub(start).Round(time.Second)))
		if err != nil {
			return err
		}
		switch {
		case failed == nil:
			row = 0
			continue
		case !errors.Is(failed, errBase):
			row++
		}
		faults = append(faults, failed)
		if row == maxFailures || hopeless(failed) {
			break
		}
	}
	return errors.Join(faults...)
}

// finish writes the outcome of one candidate: record and state together. It
// returns a fault of the machinery as failed.
func (s *stage) finish(ctx context.Context, it item, env schemas.Environment, outcome error, log *slog.Logger) (failed, err error) {
	state := store.Item{Stage: store.StageBuild, ID: string(it.candidate.ID), Input: it.input, At: s.now()}
	batch := store.Batch{}
	var gone *gaveUp
	switch {
	case outcome == nil:
		state.State, state.Detail = store.Kept, string(env.Image)
		batch.Records = append(batch.Records, env)
		log.Info("built", "image", env.Image, "bytes", env.SizeBytes)
	case errors.As(outcome, &gone):
		state.State, state.Reason, state.Detail = store.Dropped, string(gone.reason), gone.detail
		log.Warn("given up", "reason", gone.reason, "detail", gone.detail)
	default:
		failed = fmt.Errorf("building %s: %w", it.candidate.ID, outcome)
		state.State, state.Reason, state.Detail = store.Failed, string(failure(outcome)), oneLine(outcome.Error())
	}
	batch.Items = append(batch.Items, state)
	if err := s.Store.Commit(ctx, batch); err != nil {
		return failed, errors.Join(failed, err)
	}
	if outcome == nil {
		s.Out.Record(env)
		s.Out.Textf("%s  %s\n", env.Candidate, env.Image)
	}
	return failed, nil
}
