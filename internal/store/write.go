package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"crossswe/schemas"
)

// commitWithin ends a Commit that hangs because the network swallows what is
// sent. The largest batches take seconds.
const commitWithin = 5 * time.Minute

// Batch is what one Commit writes.
type Batch struct {
	// Records replace those of the same kind and key.
	Records []schemas.Record
	// Items replace those of the same stage and id.
	Items []Item
	Marks []Mark
	// Gone are items to forget, by stage and id: what a stage no longer finds.
	Gone []Item
}

// Mark is a watermark: how far a source has been read.
type Mark struct{ Name, Value string }

// Commit writes the batch in one transaction. A record that does not validate
// refuses the whole batch. When the connection to a server is lost at the very
// end the batch may be there although Commit failed; to write it again does no
// harm.
func (s *Store) Commit(ctx context.Context, b Batch) error { return s.CommitWith(ctx, b, nil) }

// CommitWith is Commit with more in the same transaction: when also returns an
// error, nothing is written. It runs first.
func (s *Store) CommitWith(ctx context.Context, b Batch, also func(*sql.Tx) error) error {
	return s.transact(ctx, func(_ context.Context, tx *sql.Tx) (Batch, error) {
		if also == nil {
			return b, nil
		}
		return b, also(tx)
	})
}

// updateLock is the advisory lock of Update: "xswu".
const updateLock = 0x78737775

// Update writes what plan makes of the store as it is. No other Update runs
// meanwhile, in any process: what plan reads through the store that it is given
// is still so when its batch is written. plan must use no other store.
func (s *Store) Update(ctx context.Context, plan func(context.Context, *Store) (Batch, error)) error {
	return s.transact(ctx, func(ctx context.Context, tx *sql.Tx) (Batch, error) {
		if s.engine == Postgres { // SQLite's transactions exclude one another from the start
			if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", updateLock); err != nil {
				return Batch{}, fmt.Errorf("waiting for others that write: %w", err)
			}
		}
		return plan(ctx, &Store{engine: s.engine, name: s.name, tx: tx})
	})
}

// transact writes what plan returns in the transaction that it is given.
func (s *Store) transact(ctx context.Context, plan func(context.Context, *sql.Tx) (Batch, error)) error {
	ctx, cancel := context.WithTimeout(ctx, commitWithin)
	defer cancel()
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("writing to the store: %w", err)
	}
	defer tx.Rollback()
	b, err := plan(ctx, tx)
	if err != nil {
		return err
	}
	if err := b.write(ctx, tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("writing to the store: %w", err)
	}
	return nil
}

// write goes through the tables and their rows in one order, whatever that of
// the batch: two writers of the same rows then wait for one another instead of
// locking each other out.
func (b Batch) write(ctx context.Context, tx *sql.Tx) error {
	for _, r := range sorted(b.Records, func(r schemas.Record) string { return string(r.RecordKind()) + "\x00" + r.RecordKey() }) {
		if err := putRecord(ctx, tx, r); err != nil {
			return err
		}
	}
	var steps []step
	for _, it := range b.Items {
		steps = append(steps, step{it, putItem})
	}
	for _, it := range b.Gone {
		steps = append(steps, step{it, forgetItem})
	}
	for _, s := range sorted(steps, func(s step) string { return string(s.item.Stage) + "\x00" + s.item.ID }) {
		if err := s.do(ctx, tx, s.item); err != nil {
			return err
		}
	}
	for _, m := range sorted(b.Marks, func(m Mark) string { return m.Name }) {
		if err := putMark(ctx, tx, m); err != nil {
			return err
		}
	}
	return nil
}

// step is what happens to one item.
type step struct {
	item Item
	do   func(context.Context, *sql.Tx, Item) error
}

// sorted keeps the order of equal keys: the last one wins.
func sorted[T any](all []T, key func(T) string) []T {
	return slices.SortedStableFunc(slices.Values(all), func(a, b T) int { return cmp.Compare(key(a), key(b)) })
}

func putRecord(ctx context.Context, tx *sql.Tx, r schemas.Record) error {
	if err := r.Validate(); err != nil {
		return fmt.Errorf("writing %s %s: %w", r.RecordKind(), r.RecordKey(), err)
	}
	body, err := schemas.Encode(r)
	if err != nil {
		return err
	}
	const q = "INSERT INTO records (kind, key, body) VALUES ($1, $2, $3) ON CONFLICT (kind, key) DO UPDATE SET body = excluded.body"
	if _, err := tx.ExecContext(ctx, q, r.RecordKind(), r.RecordKey(), string(body)); err != nil {
		return fmt.Errorf("writing %s %s: %w", r.RecordKind(), r.RecordKey(), err)
	}
	return nil
}

func putItem(ctx context.Context, tx *sql.Tx, it Item) error {
	const q = `INSERT INTO items (stage, id, input, state, reason, detail, at) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (stage, id) DO UPDATE SET input = excluded.input, state = excluded.state, reason = excluded.reason, detail = excluded.detail, at = excluded.at`
	at := it.At.UTC().Format(time.RFC3339Nano)
	if _, err := tx.ExecContext(ctx, q, it.Stage, it.ID, it.Input, it.State, it.Reason, printable(it.Detail), at); err != nil {
		return fmt.Errorf("writing the state of %s %s: %w", it.Stage, it.ID, err)
	}
	return nil
}

// printable replaces what PostgreSQL does not take as text. A detail may quote
// the output of a program, which is any bytes.
func printable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

func forgetItem(ctx context.Context, tx *sql.Tx, it Item) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM items WHERE stage = $1 AND id = $2", it.Stage, it.ID); err != nil {
		return fmt.Errorf("forgetting %s %s: %w", it.Stage, it.ID, err)
	}
	return nil
}

func putMark(ctx context.Context, tx *sql.Tx, m Mark) error {
	const q = "INSERT INTO marks (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
	if _, err := tx.ExecContext(ctx, q, m.Name, m.Value); err != nil {
		return fmt.Errorf("writing mark %s: %w", m.Name, err)
	}
	return nil
}
