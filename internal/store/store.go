// Package store keeps the records of the pipeline and what became of every
// item at every stage. Records are JSON of the schemas types and are checked
// when read. One Commit is one transaction: an item's state is never there
// without its records, nor the other way round.
//
// A Store is safe for concurrent use, also by several processes on one file.
package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the database/sql driver

	"crossswe/schemas"
)

//go:embed migrations/sqlite/*.sql
var migrations embed.FS

// applicationID marks our SQLite files ("xswe"), so that the database of
// another program is refused.
const applicationID = 0x78737765

// ErrForeign says that the file is a database of another program.
var ErrForeign = errors.New("the file is a database of another program")

// Engine is a kind of database.
type Engine string

// The engines.
const (
	SQLite   Engine = "sqlite"   // one machine: a file
	Postgres Engine = "postgres" // several machines: a server
)

// Store is an open database. Close it.
type Store struct {
	db     *sql.DB
	engine Engine
}

// DB is the pool of connections behind the store, for what stands on the same
// database (package jobs). Do not close it.
func (s *Store) DB() *sql.DB { return s.db }

// Engine is the kind of the database.
func (s *Store) Engine() Engine { return s.engine }

// Now is the time of the database, in UTC: the one clock that all machines
// share.
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	var ms int64
	if err := s.db.QueryRowContext(ctx, "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER)").Scan(&ms); err != nil {
		return time.Time{}, fmt.Errorf("reading the store's clock: %w", err)
	}
	return time.UnixMilli(ms).UTC(), nil
}

// Open opens the SQLite file, making and migrating it as needed. The errors
// name the file; ErrForeign is returned for a database that is not ours.
func Open(ctx context.Context, file string) (*Store, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return nil, fmt.Errorf("making the directory of the store: %w", err)
	}
	db, err := sql.Open("sqlite", dsn(file))
	if err != nil {
		return nil, fmt.Errorf("opening the store %s: %w", file, err)
	}
	s := &Store{db: db, engine: SQLite}
	if err := s.prepare(ctx); err != nil {
		db.Close()
		return nil, fmt.Errorf("opening the store %s: %w", file, err)
	}
	return s, nil
}

// dsn asks for write locks at the beginning of a transaction: a lock that is
// taken in its middle fails at once when another process writes.
func dsn(file string) string {
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {"busy_timeout(30000)", "journal_mode(WAL)", "foreign_keys(1)", "synchronous(FULL)"}}
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: file}).EscapedPath(), RawQuery: q.Encode()}).String()
}

func (s *Store) prepare(ctx context.Context) error {
	var id, tables int
	if err := s.db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return err
	}
	if err := s.db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master WHERE type = 'table'").Scan(&tables); err != nil {
		return err
	}
	if id != applicationID && tables > 0 {
		return ErrForeign
	}
	if err := s.migrate(ctx); err != nil {
		return err
	}
	if id == applicationID {
		return nil
	}
	_, err := s.db.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID))
	return err
}

// migrate brings the schema up to date and refuses one that a newer program made.
func (s *Store) migrate(ctx context.Context) error {
	files, err := fs.Sub(migrations, "migrations/sqlite")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, s.db, files, goose.WithSlog(slog.New(slog.DiscardHandler)))
	if err != nil {
		return fmt.Errorf("reading the migrations: %w", err)
	}
	have, err := p.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("reading the schema version: %w", err)
	}
	sources := p.ListSources()
	newest := sources[len(sources)-1].Version
	if have > newest {
		return fmt.Errorf("its schema is version %d and this program knows %d: use a newer program", have, newest)
	}
	if have == newest {
		return nil
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrating: %w", err)
	}
	return nil
}

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

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
// refuses the whole batch.
func (s *Store) Commit(ctx context.Context, b Batch) error { return s.CommitWith(ctx, b, nil) }

// CommitWith is Commit with more in the same transaction: when also returns an
// error, nothing is written. It runs first.
func (s *Store) CommitWith(ctx context.Context, b Batch, also func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("writing to the store: %w", err)
	}
	defer tx.Rollback()
	if also != nil {
		if err := also(tx); err != nil {
			return err
		}
	}
	for _, r := range b.Records {
		if err := putRecord(ctx, tx, r); err != nil {
			return err
		}
	}
	for _, it := range b.Items {
		if err := putItem(ctx, tx, it); err != nil {
			return err
		}
	}
	for _, it := range b.Gone {
		if _, err := tx.ExecContext(ctx, "DELETE FROM items WHERE stage = ? AND id = ?", it.Stage, it.ID); err != nil {
			return fmt.Errorf("forgetting %s %s: %w", it.Stage, it.ID, err)
		}
	}
	for _, m := range b.Marks {
		if _, err := tx.ExecContext(ctx, "INSERT INTO marks (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", m.Name, m.Value); err != nil {
			return fmt.Errorf("writing mark %s: %w", m.Name, err)
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("writing to the store: %w", err)
	}
	return nil
}

func putRecord(ctx context.Context, tx *sql.Tx, r schemas.Record) error {
	if err := r.Validate(); err != nil {
		return fmt.Errorf("writing %s %s: %w", r.RecordKind(), r.RecordKey(), err)
	}
	body, err := schemas.Encode(r)
	if err != nil {
		return err
	}
	const q = "INSERT INTO records (kind, key, body) VALUES (?, ?, ?) ON CONFLICT (kind, key) DO UPDATE SET body = excluded.body"
	if _, err := tx.ExecContext(ctx, q, r.RecordKind(), r.RecordKey(), string(body)); err != nil {
		return fmt.Errorf("writing %s %s: %w", r.RecordKind(), r.RecordKey(), err)
	}
	return nil
}

func putItem(ctx context.Context, tx *sql.Tx, it Item) error {
	const q = `INSERT INTO items (stage, id, input, state, reason, detail, at) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (stage, id) DO UPDATE SET input = excluded.input, state = excluded.state, reason = excluded.reason, detail = excluded.detail, at = excluded.at`
	if _, err := tx.ExecContext(ctx, q, it.Stage, it.ID, it.Input, it.State, it.Reason, it.Detail, it.At.UTC().Format(time.RFC3339)); err != nil {
		return fmt.Errorf("writing the state of %s %s: %w", it.Stage, it.ID, err)
	}
	return nil
}

// Get reads one record; false when there is none.
func Get[T schemas.Record](ctx context.Context, s *Store, key string) (T, bool, error) {
	var zero T
	var body []byte
	err := s.db.QueryRowContext(ctx, "SELECT body FROM records WHERE kind = ? AND key = ?", zero.RecordKind(), key).Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		return zero, false, nil
	}
	if err != nil {
		return zero, false, fmt.Errorf("reading %s %s: %w", zero.RecordKind(), key, err)
	}
	rec, err := schemas.Decode[T](body)
	return rec, err == nil, err
}

// All reads every record of a kind, ordered by key.
func All[T schemas.Record](ctx context.Context, s *Store) ([]T, error) {
	var zero T
	rows, err := s.db.QueryContext(ctx, "SELECT body FROM records WHERE kind = ? ORDER BY key", zero.RecordKind())
	if err != nil {
		return nil, fmt.Errorf("reading the %s records: %w", zero.RecordKind(), err)
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		var body []byte
		if err := rows.Scan(&body); err != nil {
			return nil, fmt.Errorf("reading the %s records: %w", zero.RecordKind(), err)
		}
		rec, err := schemas.Decode[T](body)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return all, rows.Err()
}

// Mark reads a watermark, "" when there is none.
func (s *Store) Mark(ctx context.Context, name string) (string, error) {
	var v string
	err := s.db.QueryRowContext(ctx, "SELECT value FROM marks WHERE name = ?", name).Scan(&v)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("reading mark %s: %w", name, err)
	}
	return v, nil
}
