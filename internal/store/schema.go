package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/pressly/goose/v3"
)

// One folder for each engine, with the same versions.
//
//go:embed migrations/sqlite/*.sql migrations/postgres/*.sql
var migrations embed.FS

// ErrForeign says that the database is one of another program.
var ErrForeign = errors.New("the database belongs to another program")

// schema is what a database must look like.
type schema struct {
	files fs.FS // migrations/<engine>/*.sql
	older bool  // an older database is brought up to date, else refused
}

// dialects say how goose speaks to an engine and where it notes the versions:
// in a server's database under a name of our own, by which it is known as ours.
var dialects = map[Engine]struct {
	goose    goose.Dialect
	versions string
}{
	SQLite:   {goose.DialectSQLite3, goose.DefaultTablename},
	Postgres: {goose.DialectPostgres, "crossswe_schema"},
}

// prepare refuses a database of another program or version, and sets up an
// empty one. Of several processes that start at once, one does and the others
// wait.
func (s *Store) prepare(ctx context.Context, want schema) error {
	lock, claim := s.lockFile, s.claimFile
	if s.engine == Postgres {
		lock, claim = s.lockSchema, s.claimSchema
	}
	unlock, err := lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := claim(ctx); err != nil {
		return err
	}
	files, err := fs.Sub(want.files, "migrations/"+string(s.engine))
	if err != nil {
		return err
	}
	d := dialects[s.engine]
	p, err := goose.NewProvider(d.goose, s.db, files, goose.WithTableName(d.versions),
		goose.WithSlog(slog.New(slog.DiscardHandler)), goose.WithDisableGlobalRegistry(true), goose.WithGoMigrations(riverMigrations(s.engine)...))
	if err != nil {
		return fmt.Errorf("reading the migrations: %w", err)
	}
	return s.migrate(ctx, p, want.older)
}

func (s *Store) migrate(ctx context.Context, p *goose.Provider, older bool) error {
	have, err := p.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("reading the schema version: %w", err)
	}
	sources := p.ListSources()
	newest := sources[len(sources)-1].Version
	used, err := s.used(ctx, have)
	if err != nil {
		return err
	}
	switch {
	case have == newest:
		return nil
	case have > newest:
		return fmt.Errorf("its schema is version %d and this program knows %d: use a newer program", have, newest)
	case used && !older:
		return fmt.Errorf("its schema is version %d, this program needs %d: stop the other programs and run any program with -migrate", have, newest)
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrating: %w", err)
	}
	return nil
}

// used reports whether anything was written since the database was set up. It
// was not if the program that did so was killed halfway: the next goes on.
func (s *Store) used(ctx context.Context, version int64) (used bool, err error) {
	if version == 0 {
		return false, nil
	}
	const q = "SELECT EXISTS (SELECT 1 FROM records) OR EXISTS (SELECT 1 FROM items) OR EXISTS (SELECT 1 FROM marks)"
	if err := s.db.QueryRowContext(ctx, q).Scan(&used); err != nil {
		return false, fmt.Errorf("looking whether it is empty: %w", err)
	}
	return used, nil
}
