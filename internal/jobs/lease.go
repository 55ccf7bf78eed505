package jobs

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"crossswe/internal/process"
	"crossswe/internal/store"
)

// leaseTime is how long a process that is not heard of keeps its jobs. It is
// renewed three times as often, and as often others look for leases that have
// run out: a dead process's jobs are taken after 20 seconds at most.
const leaseTime = 15 * time.Second

// lease is a process's row in the table workers.
type lease struct {
	store   *store.Store
	stage   store.Stage
	id      string // also the name of the queue that is the process's own
	self    process.ID
	machine string // within which limits hold
	time    time.Duration

	mu   sync.Mutex
	held Needs
}

func newLease(s *store.Store, stage store.Stage, length time.Duration) *lease {
	self := process.Self()
	machine := self.Machine
	if machine == "" { // nobody judges from its process number: the lease alone counts
		name, _ := os.Hostname()
		machine = fmt.Sprintf("%s/%d", name, self.PID)
	}
	return &lease{store: s, stage: stage, id: string(stage) + "-" + strings.ToLower(rand.Text()[:12]), self: self, machine: machine, time: length}
}

// nowMS is the database's clock in milliseconds since 1970.
func nowMS(e store.Engine) string {
	if e == store.Postgres {
		return "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"
	}
	return "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
}

// renew extends the lease, taking a new one when it is gone. It reports whether
// it was gone: then the jobs of this process are too.
func (l *lease) renew(ctx context.Context) (lost bool, err error) {
	now := nowMS(l.store.Engine())
	res, err := l.store.DB().ExecContext(ctx, "UPDATE workers SET until_ms = "+now+" + $1 WHERE id = $2 AND until_ms > "+now, l.time.Milliseconds(), l.id)
	if err != nil {
		return false, fmt.Errorf("renewing the lease: %w", err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return false, fmt.Errorf("renewing the lease: %w", err)
	}
	if n > 0 {
		return false, nil
	}
	return true, l.take(ctx)
}

func (l *lease) take(ctx context.Context) error {
	q := "INSERT INTO workers (id, stage, machine, process, until_ms, containers, memory_mb) VALUES ($1, $2, $3, $4, " +
		nowMS(l.store.Engine()) + " + $5, $6, $7) ON CONFLICT (id) DO UPDATE SET until_ms = excluded.until_ms"
	l.mu.Lock()
	held := l.held
	l.mu.Unlock()
	_, err := l.store.DB().ExecContext(ctx, q, l.id, l.stage, l.machine, l.self.String(), l.time.Milliseconds(), held.Containers, held.MemoryMB)
	if err != nil {
		return fmt.Errorf("taking a lease: %w", err)
	}
	return nil
}

// release gives the lease up.
func (l *lease) release(ctx context.Context) error {
	if _, err := l.store.DB().ExecContext(ctx, "DELETE FROM workers WHERE id = $1", l.id); err != nil {
		return fmt.Errorf("releasing the lease: %w", err)
	}
	return nil
}

// bury forgets the processes that are dead: this machine does not know them any
// more, or their leases have run out for longer than patience.
func (l *lease) bury(ctx context.Context, tx *sql.Tx, patience time.Duration) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM workers WHERE until_ms + $1 <= "+nowMS(l.store.Engine()), patience.Milliseconds()); err != nil {
		return err
	}
	dead, err := l.deadHere(ctx, tx)
	if err != nil {
		return err
	}
	for _, id := range dead {
		if _, err := tx.ExecContext(ctx, "DELETE FROM workers WHERE id = $1", id); err != nil {
			return err
		}
	}
	return nil
}

// deadHere returns the processes of this machine that have ended.
func (l *lease) deadHere(ctx context.Context, tx *sql.Tx) ([]string, error) {
	rows, err := tx.QueryContext(ctx, "SELECT id, process FROM workers WHERE machine = $1 AND id <> $2", l.machine, l.id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var dead []string
	for rows.Next() {
		var id, text string
		if err := rows.Scan(&id, &text); err != nil {
			return nil, err
		}
		if p, ok := process.Parse(text); ok && p.Dead(l.self) {
			dead = append(dead, id)
		}
	}
	return dead, rows.Err()
}
