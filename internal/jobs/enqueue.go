package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// unique lets an item have one job that is not done.
var unique = river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateRetryable, rivertype.JobStateScheduled,
}}

// enqueue makes a job of every task that has none, and returns the jobs of the
// others.
func (p *pool) enqueue(ctx context.Context, tasks []Task, queue string) (others []*rivertype.JobRow, err error) {
	if len(tasks) == 0 {
		return nil, nil
	}
	var params []river.InsertManyParams
	for _, t := range tasks {
		params = append(params, river.InsertManyParams{
			Args:       args{Stage: p.opt.Stage, ID: t.ID, Again: t.Again},
			InsertOpts: &river.InsertOpts{Queue: queue, MaxAttempts: Attempts, UniqueOpts: unique},
		})
	}
	made, err := p.client.InsertMany(ctx, params)
	if err != nil {
		return nil, fmt.Errorf("enqueuing %d jobs: %w", len(params), err)
	}
	for _, m := range made {
		if m.UniqueSkippedAsDuplicate {
			others = append(others, m.Job)
		}
	}
	return others, nil
}

// hurry enqueues for somebody who waits: jobs that are there already are not
// left to their back-off, and come to the queue that is waited for. It returns
// the tasks that processes with another queue work on.
func (p *pool) hurry(ctx context.Context, tasks []Task, queue string) (busy []Task, err error) {
	others, err := p.enqueue(ctx, tasks, queue)
	if err != nil {
		return nil, err
	}
	for _, job := range others {
		if job.State == rivertype.JobStateRetryable || job.State == rivertype.JobStateScheduled {
			if _, err := p.client.JobRetry(ctx, job.ID); err != nil && !errors.Is(err, rivertype.ErrNotFound) {
				return nil, fmt.Errorf("enqueuing again: %w", err)
			}
		}
		if job.Queue == queue {
			continue
		}
		moved, err := p.move(ctx, job, queue)
		if err != nil {
			return nil, err
		}
		if id := idOf(job); !moved && !isStage(queue) {
			busy = append(busy, tasks[slices.IndexFunc(tasks, func(t Task) bool { return t.ID == id })])
		}
	}
	return busy, nil
}

// move brings a job to a queue, unless somebody works on it.
func (p *pool) move(ctx context.Context, job *rivertype.JobRow, queue string) (bool, error) {
	const q = "UPDATE river_job SET queue = $1 WHERE id = $2 AND state IN ('available', 'retryable', 'scheduled')"
	res, err := p.opt.Store.DB().ExecContext(ctx, q, queue, job.ID)
	if err != nil {
		return false, fmt.Errorf("moving a job: %w", err)
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// isStage reports whether a queue is one that several processes share.
func isStage(queue string) bool { return stageOf(queue) == queue }

// stageOf is the stage of a queue: its name, or the beginning of the id of the
// process that has it for its own.
func stageOf(queue string) string {
	stage, _, _ := strings.Cut(queue, "-")
	return stage
}

// idOf is the item that a job is about.
func idOf(job *rivertype.JobRow) string {
	var a args
	if err := json.Unmarshal(job.EncodedArgs, &a); err != nil {
		return string(job.EncodedArgs)
	}
	return a.ID
}
