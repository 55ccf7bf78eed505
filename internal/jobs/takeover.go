package jobs

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"crossswe/internal/store"
)

// lastOwner is the process that took a job last, as River notes it.
func lastOwner(e store.Engine) string {
	if e == store.Postgres {
		return "attempted_by[array_length(attempted_by, 1)]"
	}
	return "json_extract(attempted_by, '$[#-1]')"
}

// newID gives a job that is taken away a new identity, so that the process
// which had it finds nothing to complete.
func newID(e store.Engine) string {
	if e == store.Postgres {
		return "nextval(pg_get_serial_sequence('river_job', 'id'))"
	}
	return "(SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'river_job'), 0), max(id)) + 1 FROM river_job)"
}

// takeOver makes the jobs of dead processes available again, as if they had
// never been tried, and deletes those in queues of their own: whoever asked for
// them is gone. It returns how many were taken.
func (l *lease) takeOver(ctx context.Context, patience time.Duration) (int, error) {
	tx, err := l.store.DB().BeginTx(ctx, nil)
	if err != nil {
		return 0, fmt.Errorf("looking for jobs of dead processes: %w", err)
	}
	defer tx.Rollback()
	if err := l.bury(ctx, tx, patience); err != nil {
		return 0, fmt.Errorf("looking for dead processes: %w", err)
	}
	if err := l.dropOrphans(ctx, tx); err != nil {
		return 0, fmt.Errorf("deleting jobs of dead processes: %w", err)
	}
	ids, err := l.orphans(ctx, tx)
	if err != nil {
		return 0, fmt.Errorf("looking for jobs of dead processes: %w", err)
	}
	for _, id := range ids {
		if err := l.renumber(ctx, tx, id); err != nil {
			return 0, err
		}
	}
	if err := tx.Commit(); err != nil {
		return 0, fmt.Errorf("taking over jobs: %w", err)
	}
	return len(ids), nil
}

// renumber makes a running job available under a new number, as if it had not
// been tried.
func (l *lease) renumber(ctx context.Context, db execer, id int64) error {
	e := l.store.Engine()
	least := map[store.Engine]string{store.Postgres: "greatest", store.SQLite: "max"}[e]
	q := "UPDATE river_job SET id = " + newID(e) + ", state = 'available', attempt = " + least + "(attempt - 1, 0) WHERE id = $1 AND state = 'running'"
	if _, err := db.ExecContext(ctx, q, id); err != nil {
		return fmt.Errorf("taking over job %d: %w", id, err)
	}
	return nil
}

// forgotten are the jobs that this process has by the database's word, and
// knows nothing of: the answer that brought them, or the word that they had
// ended, was lost with a connection. seen says since when they are so; what is
// forgotten for the length of a lease is made available again.
func (l *lease) forgotten(ctx context.Context, running func(int64) bool, seen map[int64]time.Time) error {
	mine, err := l.mine(ctx)
	if err != nil {
		return fmt.Errorf("looking for forgotten jobs: %w", err)
	}
	maps.DeleteFunc(seen, func(id int64, _ time.Time) bool { return running(id) || !slices.Contains(mine, id) })
	for _, id := range mine {
		since, known := seen[id]
		switch {
		case running(id):
		case !known:
			seen[id] = time.Now()
		case time.Since(since) > l.time:
			if err := l.renumber(ctx, l.store.DB(), id); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *lease) mine(ctx context.Context) ([]int64, error) {
	q := "SELECT id FROM river_job WHERE state = 'running' AND kind = $1 AND " + lastOwner(l.store.Engine()) + " = $2"
	rows, err := l.store.DB().QueryContext(ctx, q, args{}.Kind(), l.id)
	if err != nil {
		return nil, err
	}
	return numbers(rows)
}

// numbers reads rows of one number each, and closes them.
func numbers(rows *sql.Rows) ([]int64, error) {
	defer rows.Close()
	var all []int64
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, rows.Err()
}

// orphans are the running jobs whose process has no lease.
func (l *lease) orphans(ctx context.Context, tx *sql.Tx) ([]int64, error) {
	e := l.store.Engine()
	q := "SELECT id FROM river_job WHERE state = 'running' AND kind = $1 AND NOT EXISTS (SELECT 1 FROM workers WHERE workers.id = " + lastOwner(e) + ") ORDER BY id"
	if e == store.Postgres {
		q += " FOR UPDATE SKIP LOCKED" // whoever completes one right now has it
	}
	rows, err := tx.QueryContext(ctx, q, args{}.Kind())
	if err != nil {
		return nil, err
	}
	return numbers(rows)
}

// dropOrphans deletes what stands in a process's own queue when it has no lease.
func (l *lease) dropOrphans(ctx context.Context, tx *sql.Tx) error {
	var stages []string
	for _, s := range store.Stages {
		stages = append(stages, "'"+string(s)+"'")
	}
	q := "DELETE FROM river_job WHERE kind = $1 AND state IN ('available', 'running', 'retryable', 'scheduled') AND queue NOT IN (" +
		strings.Join(stages, ", ") + ") AND NOT EXISTS (SELECT 1 FROM workers WHERE workers.id = river_job.queue)"
	_, err := tx.ExecContext(ctx, q, args{}.Kind())
	return err
}

// dropOwn deletes what still stands in this process's own queue, and the queue.
func (l *lease) dropOwn(ctx context.Context) error {
	for _, q := range []string{
		"DELETE FROM river_job WHERE queue = $1 AND state IN ('available', 'retryable', 'scheduled')",
		"DELETE FROM river_queue WHERE name = $1",
	} {
		if _, err := l.store.DB().ExecContext(ctx, q, l.id); err != nil {
			return fmt.Errorf("deleting the jobs that were not begun: %w", err)
		}
	}
	return nil
}
