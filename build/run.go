package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"crossswe/internal/cli"
	"crossswe/internal/config"
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
}

// stage is a run of the program.
type stage struct {
	*cli.Stage
	flags  flags
	set    *mirrors.Set
	engine *container.Engine
	args   map[string]string // build arguments
	now    func() time.Time
}

func run(ctx context.Context, s *cli.Stage, f flags) error {
	if f.limit < 0 {
		return cli.Usagef("-limit %d is negative", f.limit)
	}
	if f.initSpecs && len(s.Args) == 0 {
		return cli.Usagef("-init needs the ids of candidates")
	}
	set, err := mirrors.Find(s.Config.Repositories.Mirrors, places(s.Config.Repositories))
	if err != nil {
		return err
	}
	defer set.Close()
	st := &stage{Stage: s, flags: f, set: set, args: environment(s.Config.Build.Environment), now: time.Now}
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
	st.engine, err = container.Connect(ctx, container.Options{Run: "build"})
	if err != nil {
		return err
	}
	defer st.engine.Close()
	return st.all(ctx, todo)
}

func places(r config.Repositories) []mirrors.Place {
	var all []mirrors.Place
	for _, l := range r.List {
		all = append(all, mirrors.Place{Name: l.Name, Dir: l.Path, Aliases: l.Aliases})
	}
	return all
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
}

// candidates returns what there is to do: the candidates that are named, else
// those that were kept and are not done.
func (s *stage) candidates(ctx context.Context) ([]item, error) {
	ids, err := s.ids(ctx)
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

func (s *stage) ids(ctx context.Context) ([]string, error) {
	if len(s.Args) > 0 {
		return s.Args, nil
	}
	kept, err := s.Store.Items(ctx, store.StageScreen, store.Kept)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, it := range kept {
		ids = append(ids, it.ID)
	}
	return ids, nil
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
	it.input, err = input(c, it.spec, s.Config.Build)
	return it, err
}

// all builds one candidate after the other: an image build uses the whole
// machine. A fault of the machinery ends the run, since the next candidate
// would meet it too; what was being built is failed and taken again.
func (s *stage) all(ctx context.Context, todo []item) error {
	for i, it := range todo {
		log := s.Log.With("candidate", it.candidate.ID)
		log.Info("building", "number", i+1, "of", len(todo))
		start := s.now()
		env, err := s.one(ctx, it, log)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := s.finish(ctx, it, env, err, log.With("took", s.now().Sub(start).Round(time.Second))); err != nil {
			return err
		}
	}
	return nil
}

// finish writes the outcome of one candidate: record and state together.
func (s *stage) finish(ctx context.Context, it item, env schemas.Environment, err error, log *slog.Logger) error {
	state := store.Item{Stage: store.StageBuild, ID: string(it.candidate.ID), Input: it.input, At: s.now()}
	var gone *gaveUp
	switch {
	case err == nil:
		state.State = store.Kept
		state.Detail = string(env.Image)
		log.Info("built", "image", env.Image, "bytes", env.SizeBytes)
		if err := s.Store.Commit(ctx, store.Batch{Records: []schemas.Record{env}, Items: []store.Item{state}}); err != nil {
			return err
		}
		s.Out.Record(env)
		s.Out.Textf("%s  %s\n", env.Candidate, env.Image)
		return nil
	case errors.As(err, &gone):
		state.State, state.Reason, state.Detail = store.Dropped, string(gone.reason), gone.detail
		log.Warn("given up", "reason", gone.reason, "detail", gone.detail)
		return s.Store.Commit(ctx, store.Batch{Items: []store.Item{state}})
	}
	state.State, state.Reason, state.Detail = store.Failed, string(failure(err)), oneLine(err.Error())
	return errors.Join(fmt.Errorf("building %s: %w", it.candidate.ID, err), s.Store.Commit(ctx, store.Batch{Items: []store.Item{state}}))
}
