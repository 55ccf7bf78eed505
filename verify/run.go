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

	"crossswe/internal/artefact"
	"crossswe/internal/cli"
	"crossswe/internal/config"
	"crossswe/internal/container"
	"crossswe/internal/jobs"
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
	explain     string
	predictions string
	limit       int
	again       bool
}

// stage is a run of the program.
type stage struct {
	*cli.Stage
	artefacts *artefact.Store
	flags     flags
	set       *mirrors.Set
	engine    *container.Engine
	// start starts a trial's container.
	start func(context.Context, container.Spec) (trial.Box, error)
	now   func() time.Time
}

func run(ctx context.Context, s *cli.Stage, f flags) error {
	st := &stage{Stage: s, flags: f, now: time.Now}
	var err error
	if st.artefacts, err = artefact.Open(ctx, s.Config.Store.Artefacts); err != nil {
		return err
	}
	if f.explain != "" {
		return st.explain(ctx, f.explain)
	}
	defer st.close()
	if f.predictions != "" {
		return st.predictions(ctx, f.predictions)
	}
	v := s.Config.Verify
	return s.Loop(ctx, cli.Loop{
		Ready: st.ready, Open: st.connect, Work: st.work, Limit: f.limit,
		Needs: jobs.Needs{Containers: v.Workers, MemoryMB: int64(v.Workers) * v.MemoryMB},
	})
}

// connect opens the repositories and the engine, and removes what killed runs
// left there.
func (s *stage) connect(ctx context.Context) error {
	var err error
	if s.set, err = s.Mirrors(); err != nil {
		return err
	}
	return s.connectEngine(ctx)
}

func (s *stage) connectEngine(ctx context.Context) error {
	var err error
	s.engine, err = container.Connect(ctx, container.Options{Host: os.Getenv("DOCKER_HOST"), Run: string(s.Name), Keychain: authn.DefaultKeychain})
	if err != nil {
		return err
	}
	s.start = func(ctx context.Context, spec container.Spec) (trial.Box, error) { return s.engine.Start(ctx, spec) }
	return s.sweep(ctx)
}

func (s *stage) close() {
	if s.set != nil {
		s.set.Close()
	}
	if s.engine != nil {
		s.engine.Close()
	}
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

func (s *stage) ready(ctx context.Context, names []string) ([]jobs.Task, error) {
	return s.Waiting(ctx, store.StageBuild, names, s.flags.again, func(ctx context.Context, id string) (string, error) {
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

// work verifies one candidate; its trials run in parallel. The verdict, the
// state and what a subset leaves are one transaction.
func (s *stage) work(ctx context.Context, j *jobs.Job) error {
	it, err := s.item(ctx, j.ID)
	if err != nil {
		return err
	}
	if done, err := s.Store.Done(ctx, s.Name, j.ID, it.input); err != nil || done && !j.Again {
		return err
	}
	log := s.Log.With("candidate", j.ID)
	log.Info("verifying")
	v, err := s.one(ctx, it, log)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return errors.Join(fault(fmt.Errorf("verifying %s: %w", j.ID, err)), s.failed(ctx, it, err))
	}
	batch, err := s.outcome(ctx, it, v)
	if err != nil {
		return err
	}
	if err := j.Commit(ctx, batch); err != nil {
		return err
	}
	log.Info("verified", "verdict", v.Kind, "reason", v.Reason)
	s.Out.Record(v)
	s.Out.Textf("%s  %s: %s\n", v.Candidate, v.Kind, v.Reason)
	return nil
}

// fault says what a fault of the machinery means for the candidates that
// follow: when the engine serves none they would meet it too.
func fault(err error) error {
	if container.Unfit(err) {
		return &jobs.UnfitError{Err: err}
	}
	return err
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

// outcome is what a verdict leaves: record and state, and with a subset the
// candidate that it comes down to.
func (s *stage) outcome(ctx context.Context, it item, v schemas.Verdict) (store.Batch, error) {
	state := store.Item{Stage: store.StageVerify, ID: string(it.candidate.ID), Input: it.input, State: store.Kept, Detail: v.Reason, At: s.now()}
	if v.Kind != schemas.VerdictJoint {
		state.State, state.Reason = store.Dropped, string(v.Kind)
	}
	batch := store.Batch{Records: []schemas.Record{v}, Items: []store.Item{state}}
	if v.Kind == schemas.VerdictSubset {
		smaller := reduce(it.candidate, v.Minimal)
		decision, _, err := store.Get[schemas.Decision](ctx, s.Store, string(it.candidate.ID))
		if err != nil {
			return batch, err
		}
		batch.Records = append(batch.Records, smaller, reducedDecision(decision, smaller.ID, s.now()))
		batch.Items = append(batch.Items, reducedItems(it, smaller.ID, s.now())...)
	}
	return batch, nil
}
