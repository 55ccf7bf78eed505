package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

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

// lockFile waits until no other process sets the file up. What is locked is its
// directory: locks on the file itself are SQLite's own.
func (s *Store) lockFile(ctx context.Context) (unlock func(), err error) {
	dir, err := os.Open(filepath.Dir(s.name))
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { dir.Close() }, nil
		}
		if err == syscall.EWOULDBLOCK || err == syscall.EINTR {
			select {
			case <-tick.C:
				continue
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		dir.Close()
		return nil, fmt.Errorf("waiting for another program to set it up: %w", err)
	}
}

// claimFile marks an empty file as ours, before it gets tables. A file of ours
// is marked again, to find out at once when it cannot be written.
func (s *Store) claimFile(ctx context.Context) error {
	var id, tables int
	const q = `SELECT application_id, (SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\')
FROM pragma_application_id`
	if err := s.db.QueryRowContext(ctx, q).Scan(&id, &tables); err != nil {
		return err
	}
	if id != applicationID && (id != 0 || tables > 0) {
		return ErrForeign
	}
	_, err := s.db.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID))
	return err
}
