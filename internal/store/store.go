// Package store keeps the records of the pipeline and what became of every
// item at every stage. Records are JSON of the schemas types and are checked
// when read. One Commit is one transaction: an item's state is never there
// without its records, nor the other way round.
//
// A store is a SQLite file, for one machine, or a PostgreSQL database, for
// several. Both behave the same: one text of every query serves both, and one
// suite of tests runs on both.
//
// A Store is safe for concurrent use, also by several processes.
package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

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
	name   string          // for messages: the file, or the URL without secrets
	config *pgxpool.Config // nil on SQLite
	tx     *sql.Tx         // of the view that Update gives; nil otherwise
}

// Open opens the store at place: a postgres:// URL, or a SQLite file, which is
// made when it is missing. An empty database is set up. One that another
// version of this program made is refused, and so is one of another program,
// with ErrForeign. The errors name the place, never a password.
func Open(ctx context.Context, place string) (*Store, error) {
	return openWith(ctx, place, schema{files: migrations})
}

// Migrate brings an older store at place up to date. Programs of the older
// version must not run meanwhile. A store that is up to date is left as it is.
func Migrate(ctx context.Context, place string) error {
	s, err := openWith(ctx, place, schema{files: migrations, older: true})
	if err != nil {
		return err
	}
	return s.Close()
}

func openWith(ctx context.Context, place string, want schema) (*Store, error) {
	connect := connectSQLite
	if isURL(place) {
		connect = connectPostgres
	}
	s, err := connect(ctx, place)
	if err != nil {
		return nil, err
	}
	if err := s.prepare(ctx, want); err != nil {
		s.db.Close()
		return nil, fmt.Errorf("opening the store %s: %w", s.name, err)
	}
	return s, nil
}

// reader is what questions are asked of: the pool, or one transaction.
type reader interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func (s *Store) reader() reader {
	if s.tx != nil {
		return s.tx
	}
	return s.db
}

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// DB is the pool of connections behind the store, for what stands on the same
// database (package jobs). Do not close it.
func (s *Store) DB() *sql.DB { return s.db }

// Engine is the kind of the database.
func (s *Store) Engine() Engine { return s.engine }

// nows ask for the milliseconds since 1970, not the beginning of a transaction.
var nows = map[Engine]string{
	SQLite:   "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER)",
	Postgres: "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint",
}

// Now is the time of the database, in UTC and whole milliseconds: the one clock
// that all machines share. On PostgreSQL it is the server's.
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	var ms int64
	if err := s.db.QueryRowContext(ctx, nows[s.engine]).Scan(&ms); err != nil {
		return time.Time{}, fmt.Errorf("reading the store's clock: %w", err)
	}
	return time.UnixMilli(ms).UTC(), nil
}
