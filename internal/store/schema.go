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
// empty one.
func (s *Store) prepare(ctx context.Context, want schema) error {
	claim := s.claimFile
	if s.engine == Postgres {
		unlock, err := s.lock(ctx)
		if err != nil {
			return err
		}
		defer unlock()
		claim = s.claimSchema
	}
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
	return migrate(ctx, p, want.older)
}

func migrate(ctx context.Context, p *goose.Provider, older bool) error {
	have, err := p.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("reading the schema version: %w", err)
	}
	sources := p.ListSources()
	newest := sources[len(sources)-1].Version
	switch {
	case have == newest:
		return nil
	case have > newest:
		return fmt.Errorf("its schema is version %d and this program knows %d: use a newer program", have, newest)
	case have > 0 && !older:
		return fmt.Errorf("its schema is version %d, this program needs %d: stop the other programs and run any program with -migrate", have, newest)
	}
	return up(ctx, p, have)
}

// up applies what is missing after version have. A file has no lock for the
// whole of it: of several processes that start at once each may find that a
// step has been taken by another meanwhile, and goes on from there.
func up(ctx context.Context, p *goose.Provider, have int64) error {
	for {
		_, err := p.Up(ctx)
		if err == nil {
			return nil
		}
		now, readErr := p.GetDBVersion(ctx)
		if readErr != nil || now == have {
			return fmt.Errorf("migrating: %w", err)
		}
		have = now
	}
}
