package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the database/sql driver
)

// applicationID marks our SQLite files ("xswe"), so that the database of
// another program is refused.
const applicationID = 0x78737765

func connectSQLite(ctx context.Context, file string) (*Store, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return nil, fmt.Errorf("making the directory of the store: %w", err)
	}
	db, err := sql.Open("sqlite", dsn(file))
	if err != nil {
		return nil, fmt.Errorf("opening the store %s: %w", file, err)
	}
	return &Store{db: db, engine: SQLite, name: file}, nil
}

// dsn asks for write locks at the beginning of a transaction: a lock that is
// taken in its middle fails at once when another process writes.
func dsn(file string) string {
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {"busy_timeout(30000)", "journal_mode(WAL)", "foreign_keys(1)", "synchronous(FULL)"}}
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: file}).EscapedPath(), RawQuery: q.Encode()}).String()
}

// Single opens a second pool, of one connection, to a SQLite file; nil on
// PostgreSQL. What works at several things at once (River) then waits in this
// process and not at the file. The caller closes it.
func (s *Store) Single() (*sql.DB, error) {
	if s.engine != SQLite {
		return nil, nil
	}
	db, err := sql.Open("sqlite", dsn(s.name))
	if err != nil {
		return nil, fmt.Errorf("opening the store %s: %w", s.name, err)
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// claimFile marks an empty file as ours. The mark comes before the tables, and
// both are read at once: what has tables and no mark was made by another program.
func (s *Store) claimFile(ctx context.Context) error {
	var id, tables int
	const q = "SELECT application_id, (SELECT count(*) FROM sqlite_master WHERE type = 'table') FROM pragma_application_id"
	if err := s.db.QueryRowContext(ctx, q).Scan(&id, &tables); err != nil {
		return err
	}
	switch {
	case id == applicationID:
		return nil
	case id != 0 || tables > 0:
		return ErrForeign
	}
	_, err := s.db.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID))
	return err
}
