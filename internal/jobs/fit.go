package jobs

import (
	"context"
	"database/sql"
	"fmt"

	"crossswe/internal/store"
)

// Needs are what a job takes of a machine, or what a machine has for jobs.
type Needs struct {
	Containers int // at once
	MemoryMB   int64
}

// within reports whether needs fit beside what is held. A limit of 0
// containers means: one job at a time, whatever it needs; 0 memory: no limit.
func (n Needs) within(limits, held Needs) bool {
	if limits.MemoryMB > 0 && held.MemoryMB+n.MemoryMB > limits.MemoryMB {
		return false
	}
	if limits.Containers == 0 {
		return held.Containers == 0 || n.Containers == 0
	}
	return held.Containers+n.Containers <= limits.Containers
}

// Check reports a job that would never fit.
func (n Needs) Check(limits Needs) error {
	if !n.within(limits, Needs{}) {
		return fmt.Errorf("a job needs %d containers and %d MB at once, and the machine is allowed %d and %d", n.Containers, n.MemoryMB, limits.Containers, limits.MemoryMB)
	}
	return nil
}

// hold reserves the needs of one more job on this machine, unless they do not
// fit beside what the other living processes hold.
func (l *lease) hold(ctx context.Context, n, limits Needs) (bool, error) {
	if n == (Needs{}) {
		return true, nil
	}
	tx, err := l.store.DB().BeginTx(ctx, nil)
	if err != nil {
		return false, fmt.Errorf("asking for room on the machine: %w", err)
	}
	defer tx.Rollback()
	if l.store.Engine() == store.Postgres { // SQLite's transactions exclude one another from the start
		if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtext($1))", l.machine); err != nil {
			return false, fmt.Errorf("asking for room on the machine: %w", err)
		}
	}
	var held Needs
	q := "SELECT coalesce(sum(containers), 0), coalesce(sum(memory_mb), 0) FROM workers WHERE machine = $1 AND until_ms > " + nowMS(l.store.Engine())
	if err := tx.QueryRowContext(ctx, q, l.machine).Scan(&held.Containers, &held.MemoryMB); err != nil {
		return false, fmt.Errorf("asking for room on the machine: %w", err)
	}
	if !n.within(limits, held) {
		return false, nil
	}
	if err := l.note(ctx, tx, n); err != nil {
		return false, fmt.Errorf("asking for room on the machine: %w", err)
	}
	return true, tx.Commit()
}

// let gives back what hold reserved.
func (l *lease) let(ctx context.Context, n Needs) error {
	if n == (Needs{}) {
		return nil
	}
	if err := l.note(ctx, l.store.DB(), Needs{-n.Containers, -n.MemoryMB}); err != nil {
		return fmt.Errorf("giving back room on the machine: %w", err)
	}
	return nil
}

// note adds to what this process holds, and writes the sum: the row may have
// been forgotten and made anew.
func (l *lease) note(ctx context.Context, db execer, more Needs) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	sum := Needs{l.held.Containers + more.Containers, l.held.MemoryMB + more.MemoryMB}
	_, err := db.ExecContext(ctx, "UPDATE workers SET containers = $1, memory_mb = $2 WHERE id = $3", sum.Containers, sum.MemoryMB, l.id)
	if err == nil || more.Containers < 0 || more.MemoryMB < 0 { // what has ended holds nothing, written or not
		l.held = sum
	}
	return err
}

type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}
