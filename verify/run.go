package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"

	"crossswe/internal/cli"
	"crossswe/internal/config"
	"crossswe/internal/container"
	"crossswe/internal/mirrors"
	"crossswe/internal/store"
	"crossswe/schemas"
	"crossswe/verify/internal/trial"
)

// judgeVersion is part of every input: raise it when the rules of the
// judgement change, and what was verified is verified again.
const judgeVersion = 1

// flags are the program's own.
type flags struct {
	explain string
	limit   int
	again   bool
}

// stage is a run of the program.
type stage struct {
	*cli.Stage
	flags  flags
	set    *mirrors.Set
	engine *container.Engine
	// start starts a trial's container.
	start func(context.Context, container.Spec) (trial.Box, error)
	now   func() time.Time
}

func run(ctx context.Context, s *cli.Stage, f flags) error {
	if f.limit < 0 {
		return cli.Usagef("-limit %d is negative", f.limit)
	}
	st := &stage{Stage: s, flags: f, now: time.Now}
	if f.explain != "" {
		return st.explain(ctx, f.explain)
	}
	todo, err := st.candidates(ctx)
	if err != nil || len(todo) == 0 {
		return err
	}
	if st.set, err = s.Mirrors(); err != nil {
		return err
	}
	defer st.set.Close()
	st.engine, err = container.Connect(ctx, container.Options{Host: os.Getenv("DOCKER_HOST"), Run: string(s.Name), Keychain: authn.DefaultKeychain})
	if err != nil {
		return err
	}
	defer st.engine.Close()
	st.start = func(ctx context.Context, spec container.Spec) (trial.Box, error) { return st.engine.Start(ctx, spec) }
	if err := st.sweep(ctx); err != nil {
		return err
	}
	return st.all(ctx, todo)
}

// sweep removes what a killed run left.
func (s *stage) sweep(ctx context.Context) error {
	swept, err := s.engine.Sweep(ctx, container.SweepSpec{Labels: map[string]string{container.LabelRun: string(s.Name)}})
	if n := len(swept.Containers) + len(swept.Networks); n > 0 {
		s.Log.Info("removed what an earlier run left", "containers", len(swept.Containers), "networks", len(swept.Networks))
	}
	return err
}

// item is one candidate to verify.
type item struct {
	candidate schemas.Candidate
	env       schemas.Environment
	input     string
}

// candidates returns what there is to do: the candidates that are named, else
// those that were built and are not done.
func (s *stage) candidates(ctx context.Context) ([]item, error) {
	ids, err := s.Ready(ctx, store.StageBuild)
	if err != nil {
		return nil, err
	}
	var todo []item
	for _, id := range ids {
		it, err := s.item(ctx, id)
		if err != nil {
			return nil, err
		}
		done, err := s.Store.Done(ctx, store.StageVerify, id, it.input)
		if err != nil {
			return nil, err
		}
		if done && !s.flags.again {
			s.Log.Debug("already verified", "candidate", id)
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
	env, ok, err := store.Get[schemas.Environment](ctx, s.Store, id)
	if err != nil {
		return item{}, err
	}
	if !ok {
		return item{}, cli.Usagef("candidate %s has no image: build it first", id)
	}
	return item{candidate: c, env: env, input: input(env, s.Config.Verify)}, nil
}

// input hashes everything that the outcome follows from. How many containers
// run at once is no part of it.
func input(env schemas.Environment, v config.Verify) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d\n%s\n%s\n%s\n%d %g %d %d %d %t", judgeVersion, env.Candidate, env.ImageID, env.SpecDigest,
		v.Repetitions, v.CPUs, v.MemoryMB, v.Pids, v.TestTimeout, v.Exhaustive)
	return hex.EncodeToString(h.Sum(nil))
}

// all verifies one candidate after the other; the trials of one run in
// parallel. A fault of the machinery fails the candidate, to be taken again,
// and ends the run: the next one would meet it too.
func (s *stage) all(ctx context.Context, todo []item) error {
	for i, it := range todo {
		log := s.Log.With("candidate", it.candidate.ID)
		log.Info("verifying", "number", i+1, "of", len(todo))
		v, err := s.one(ctx, it, log)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return errors.Join(fmt.Errorf("verifying %s: %w", it.candidate.ID, err), s.failed(ctx, it, err))
		}
		if err := s.finish(ctx, it, v); err != nil {
			return err
		}
		log.Info("verified", "verdict", v.Kind, "reason", v.Reason)
		s.Out.Record(v)
		s.Out.Textf("%s  %s: %s\n", v.Candidate, v.Kind, v.Reason)
	}
	return nil
}

func (s *stage) failed(ctx context.Context, it item, err error) error {
	return s.Store.Commit(ctx, store.Batch{Items: []store.Item{{
		Stage: store.StageVerify, ID: string(it.candidate.ID), Input: it.input, State: store.Failed,
		Reason: string(faultReason(err)), Detail: strings.Join(strings.Fields(err.Error()), " "), At: s.now(),
	}}})
}

// faultReason is the typed reason of a fault of the machinery, where there is one.
func faultReason(err error) schemas.BuildReason {
	switch {
	case errors.Is(err, container.ErrNoSpace):
		return schemas.BuildNotEnoughSpace
	case errors.Is(err, container.ErrRegistryDenied):
		return schemas.BuildRegistryDenied
	case errors.Is(err, container.ErrRegistryUnreachable):
		return schemas.BuildRegistryUnreachable
	case errors.Is(err, errOtherImage):
		return schemas.BuildImageMismatch
	case errors.Is(err, container.ErrNoImage):
		return schemas.BuildNoBaseImage
	case errors.Is(err, mirrors.ErrUnknown):
		return schemas.BuildNoRepository
	}
	return ""
}

// finish writes the verdict and the state in one transaction, and with a
// subset the candidate that it leaves.
func (s *stage) finish(ctx context.Context, it item, v schemas.Verdict) error {
	state := store.Item{Stage: store.StageVerify, ID: string(it.candidate.ID), Input: it.input, State: store.Kept, Detail: v.Reason, At: s.now()}
	if v.Kind != schemas.VerdictJoint {
		state.State, state.Reason = store.Dropped, string(v.Kind)
	}
	batch := store.Batch{Records: []schemas.Record{v}, Items: []store.Item{state}}
	if v.Kind == schemas.VerdictSubset {
		smaller := reduce(it.candidate, v.Minimal)
		decision, _, err := store.Get[schemas.Decision](ctx, s.Store, string(it.candidate.ID))
		if err != nil {
			return err
		}
		batch.Records = append(batch.Records, smaller, reducedDecision(decision, smaller.ID, s.now()))
		batch.Items = append(batch.Items, reducedItems(it, smaller.ID, s.now())...)
	}
	return s.Store.Commit(ctx, batch)
}
