package main

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"crossswe/schemas"
	"crossswe/verify/internal/matrix"
	"crossswe/verify/internal/trial"
)

// matrixRun runs a candidate's masks as the plan asks for them.
type matrixRun struct {
	stage  *stage
	change *change
	runner *trial.Runner
	log    *slog.Logger

	mu      sync.Mutex
	runs    []matrix.Run
	records []schemas.Run
	pace    trial.Pace
}

// all asks the plan for jobs until there are none.
func (m *matrixRun) all(ctx context.Context) error {
	for {
		jobs := m.change.set.Next(m.runs)
		if len(jobs) == 0 {
			return nil
		}
		if len(m.runs) == 0 {
			// The first full mask goes ahead: its times set the others' limits,
			// and what kills its process is left out of theirs.
			if err := m.job(ctx, jobs[0]); err != nil {
				return err
			}
			continue
		}
		if err := m.jobs(ctx, jobs); err != nil {
			return err
		}
	}
}

// jobs runs jobs in parallel, those that ask for it alone and last.
func (m *matrixRun) jobs(ctx context.Context, jobs []matrix.Job) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(m.stage.Config.Verify.Workers)
	for _, j := range jobs {
		if !j.Alone {
			g.Go(func() error { return m.job(gctx, j) })
		}
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, j := range jobs {
		if j.Alone {
			if err := m.job(ctx, j); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *matrixRun) job(ctx context.Context, j matrix.Job) error {
	m.mu.Lock()
	pace, isFirst := m.pace, len(m.runs) == 0
	m.mu.Unlock()
	out, err := m.runner.Run(ctx, j, pace)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs, m.records = append(m.runs, out.Run), append(m.records, out.Record)
	if isFirst {
		m.pace = out.Pace
	}
	m.report(j, out)
	return nil
}

// report logs one trial.
func (m *matrixRun) report(j matrix.Job, out trial.Outcome) {
	count := map[schemas.Outcome]int{}
	for id, r := range out.Run.Tests {
		if !id.IsLoad() || r.Outcome != schemas.OutcomePass {
			count[r.Outcome]++
		}
	}
	name := j.Mask.Name(len(m.change.set.Repos))
	if j.Health {
		name = "health"
	}
	log := m.log.With("mask", name, "repetition", j.Repetition, "passed", count[schemas.OutcomePass],
		"failed", count[schemas.OutcomeFail], "errored", count[schemas.OutcomeError], "took", out.Record.Duration.Round(100*time.Millisecond))
	if out.Run.Failure != "" {
		log = log.With("void", out.Run.Failure)
	}
	log.Info("trial")
}
