package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"crossswe/internal/artefact"
	"crossswe/internal/cli"
	"crossswe/internal/gitrepo"
	"crossswe/internal/jobs"
	"crossswe/internal/mirrors"
	"crossswe/internal/store"
	"crossswe/publish/internal/row"
	"crossswe/publish/internal/scrub"
	"crossswe/schemas"
)

// stage is one run of the program.
type stage struct {
	*cli.Stage
	artefacts *artefact.Store
	now       func() time.Time
	program   string
	repos     *mirrors.Set
}

// Reasons for a failed item: the next run takes it again.
const (
	faultRepository = "repository_not_at_hand"
	faultObject     = "missing_object"
	faultArtefact   = "missing_artefact"
	faultRecord     = "records_disagree"
)

func run(ctx context.Context, s *cli.Stage, now func() time.Time, program string) error {
	if len(s.Args) > 0 {
		return cli.Usagef("unexpected argument %q: publish takes every verified candidate", s.Args[0])
	}
	if err := scrub.CheckAllowed(s.Config.Publish.Licenses); err != nil {
		return &cli.UsageError{Err: err}
	}
	if s.Served() && s.Config.Schedule.Publish == "" {
		s.Log.Warn("schedule.publish is empty: nothing begins by itself")
	}
	return s.Loop(ctx, cli.Loop{
		Own: true,
		Ready: func(ctx context.Context, _ []string) ([]jobs.Task, error) {
			return s.Due(ctx, s.Config.Schedule.Publish, now())
		},
		Work: func(ctx context.Context, _ *jobs.Job) error {
			if err := s.Begun(ctx, now()); err != nil {
				return err
			}
			return all(ctx, s, now, program)
		},
	})
}

// all makes every row and writes the files: one job, for the files are one
// thing. Rows that are made already are not made again.
func all(ctx context.Context, s *cli.Stage, now func() time.Time, program string) error {
	repos, err := s.Mirrors()
	if err != nil {
		return err
	}
	defer repos.Close()
	p := &stage{Stage: s, now: now, program: program, repos: repos}
	if p.artefacts, err = artefact.Open(ctx, s.Config.Store.Artefacts); err != nil {
		return err
	}
	verified, err := s.Store.Items(ctx, store.StageVerify, store.Kept)
	if err != nil {
		return err
	}
	if err := p.forget(ctx, verified); err != nil {
		return err
	}
	for _, it := range verified {
		if err := p.item(ctx, it.ID); err != nil {
			return err
		}
	}
	return p.dataset(ctx)
}

// forget drops the states of candidates that are not verified any more: their
// reason stands at the stage that gave them up.
func (p *stage) forget(ctx context.Context, verified []store.Item) error {
	still := map[string]bool{}
	for _, it := range verified {
		still[it.ID] = true
	}
	var b store.Batch
	for _, state := range []store.State{store.Kept, store.Dropped, store.Failed} {
		items, err := p.Store.Items(ctx, store.StagePublish, state)
		if err != nil {
			return err
		}
		for _, it := range items {
			if !still[it.ID] {
				b.Gone = append(b.Gone, it)
			}
		}
	}
	if len(b.Gone) == 0 {
		return nil
	}
	return p.Store.Commit(ctx, b)
}

// item makes one candidate's row, unless it is made from the same input
// already. The error is one that the stage cannot go on after.
func (p *stage) item(ctx context.Context, id string) error {
	input, made, err := p.make(ctx, id)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	it := store.Item{Stage: store.StagePublish, ID: id, Input: input, State: store.Kept, At: p.now().UTC().Truncate(time.Second)}
	var b store.Batch
	var refusal *row.Refusal
	switch {
	case errors.As(err, &refusal):
		it.State, it.Reason, it.Detail = store.Dropped, string(refusal.Reason), refusal.Detail
	case err != nil:
		if it.Reason = fault(err); it.Reason == "" {
			return fmt.Errorf("publishing %s: %w", id, err)
		}
		it.State, it.Detail = store.Failed, err.Error()
	case made == nil:
		return nil
	default:
		b.Records = append(b.Records, *made)
	}
	b.Items = append(b.Items, it)
	if err := p.Store.Commit(ctx, b); err != nil {
		return err
	}
	p.Log.Info("row", slog.String("candidate", id), slog.Any("state", it.State), slog.String("reason", it.Reason), slog.String("detail", it.Detail))
	return nil
}

// fault maps an error to the reason of a failed item, "" for one that ends the run.
func fault(err error) string {
	var missing *gitrepo.MissingObjectError
	var disagree *recordError
	switch {
	case errors.Is(err, mirrors.ErrUnknown), errors.Is(err, gitrepo.ErrNotRepository), errors.Is(err, gitrepo.ErrNoCommit):
		return faultRepository
	case errors.As(err, &missing):
		return faultObject
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, artefact.ErrCorrupt):
		return faultArtefact
	case errors.As(err, &disagree):
		return faultRecord
	}
	return ""
}

// make returns the row of a candidate, nil when it is there already, and the
// hash of what it is made from.
func (p *stage) make(ctx context.Context, id string) (input string, made *schemas.Instance, err error) {
	rec, err := p.records(ctx, id)
	if err != nil {
		return "", nil, err
	}
	if rec.Decision.Choice != schemas.ChoiceKeep {
		return "", nil, &row.Refusal{Reason: row.NotKept, Detail: "it was decided " + string(rec.Decision.Choice)}
	}
	if rec.Statement, err = p.statement(ctx, rec); err != nil {
		return "", nil, err
	}
	if input, err = p.hash(rec); err != nil {
		return "", nil, err
	}
	if done, err := p.Store.Done(ctx, store.StagePublish, id, input); err != nil || done {
		return input, nil, err
	}
	r, err := row.Build(rec)
	var refusal *row.Refusal
	if err != nil && !errors.As(err, &refusal) {
		return input, nil, &recordError{err}
	}
	if err != nil {
		return input, nil, err
	}
	policy := row.Policy{Approved: p.Config.Publish.Approved, Licenses: p.Config.Publish.Licenses}
	if refusal := row.Check(policy, r, rec.Statement); refusal != nil {
		return input, nil, refusal
	}
	return input, &r, nil
}
