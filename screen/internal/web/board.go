package web

import (
	"context"
	"slices"

	"github.com/riverqueue/river/rivertype"

	"crossswe/internal/jobs"
	"crossswe/internal/store"
)

// board is what the front page shows.
type board struct {
	User      string
	Stages    []stageRow
	Processes []jobs.Process
}

// stageRow is one stage: what became of its items, and its jobs.
type stageRow struct {
	Stage                 store.Stage
	Kept, Dropped, Failed int
	Reasons               []store.FunnelRow // those with a reason, the most frequent first
	Waiting, Running      int
	Later, GivenUp        int // after a fault: to be tried again; tried often enough
}

// readBoard reads the board from the store.
func readBoard(ctx context.Context, s *store.Store) (board, error) {
	funnel, err := s.Funnel(ctx)
	if err != nil {
		return board{}, err
	}
	queue, err := jobs.Queue(ctx, s)
	if err != nil {
		return board{}, err
	}
	processes, err := jobs.Processes(ctx, s)
	return board{Stages: stageRows(funnel, queue), Processes: processes}, err
}

// stageRows puts the counts together: all stages in order, also those without any.
func stageRows(funnel []store.FunnelRow, queue []jobs.QueueRow) []stageRow {
	var rows []stageRow
	row := func(stage store.Stage) *stageRow {
		i := slices.IndexFunc(rows, func(r stageRow) bool { return r.Stage == stage })
		if i < 0 {
			i, rows = len(rows), append(rows, stageRow{Stage: stage})
		}
		return &rows[i]
	}
	for _, stage := range store.Stages {
		row(stage)
	}
	for _, f := range funnel {
		row(f.Stage).items(f)
	}
	for _, q := range queue {
		row(q.Stage).jobs(q)
	}
	return rows
}

func (r *stageRow) items(f store.FunnelRow) {
	switch f.State {
	case store.Kept:
		r.Kept += f.Count
	case store.Dropped:
		r.Dropped += f.Count
	case store.Failed:
		r.Failed += f.Count
	}
	if f.Reason != "" {
		r.Reasons = append(r.Reasons, f)
	}
}

func (r *stageRow) jobs(q jobs.QueueRow) {
	switch q.State {
	case rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateScheduled:
		r.Waiting += q.Count
	case rivertype.JobStateRunning:
		r.Running += q.Count
	case rivertype.JobStateRetryable:
		r.Later += q.Count
	case rivertype.JobStateDiscarded:
		r.GivenUp += q.Count
	case rivertype.JobStateCompleted, rivertype.JobStateCancelled: // the items tell what came of them
	}
}
