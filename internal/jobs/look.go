package jobs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/riverqueue/river/rivertype"

	"crossswe/internal/store"
)

// QueueRow counts the jobs of one stage in one state.
type QueueRow struct {
	Stage store.Stage
	State rivertype.JobState
	Count int
}

// Queue counts the jobs in the queue, by stage and state.
func Queue(ctx context.Context, s *store.Store) ([]QueueRow, error) {
	rows, err := s.DB().QueryContext(ctx, "SELECT queue, state, count(*) FROM river_job WHERE kind = $1 GROUP BY queue, state", args{}.Kind())
	if err != nil {
		return nil, fmt.Errorf("looking into the queue: %w", err)
	}
	defer rows.Close()
	var all []QueueRow
	for rows.Next() {
		var queue string
		var r QueueRow
		if err := rows.Scan(&queue, &r.State, &r.Count); err != nil {
			return nil, fmt.Errorf("looking into the queue: %w", err)
		}
		r.Stage = store.Stage(stageOf(queue))
		all = add(all, r)
	}
	slices.SortFunc(all, func(a, b QueueRow) int {
		return cmp.Or(cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.State, b.State))
	})
	return all, rows.Err()
}

// add sums up the queues of a stage: its own, and those of single processes.
func add(all []QueueRow, r QueueRow) []QueueRow {
	i := slices.IndexFunc(all, func(o QueueRow) bool { return o.Stage == r.Stage && o.State == r.State })
	if i < 0 {
		return append(all, r)
	}
	all[i].Count += r.Count
	return all
}

// Process is a process that works on a stage, as its lease shows it.
type Process struct {
	ID    string // it begins with the stage
	Stage store.Stage
	Holds Needs
	// Left is how long the lease lasts unless it is renewed.
	Left time.Duration
}

// Processes lists the processes with a lease, by stage and id.
func Processes(ctx context.Context, s *store.Store) ([]Process, error) {
	now := nowMS(s.Engine())
	rows, err := s.DB().QueryContext(ctx, "SELECT id, stage, containers, memory_mb, until_ms - "+now+" FROM workers WHERE until_ms > "+now+" ORDER BY stage, id")
	if err != nil {
		return nil, fmt.Errorf("looking for processes with a lease: %w", err)
	}
	defer rows.Close()
	var all []Process
	for rows.Next() {
		var p Process
		var left int64
		if err := rows.Scan(&p.ID, &p.Stage, &p.Holds.Containers, &p.Holds.MemoryMB, &left); err != nil {
			return nil, fmt.Errorf("looking for processes with a lease: %w", err)
		}
		p.Left = time.Duration(left) * time.Millisecond
		all = append(all, p)
	}
	return all, rows.Err()
}
