package store

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"

	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
)

// riverVersions are the versions of River's tables that our migrations bring,
// by our version number. A newer River whose tables differ is a new line here:
// so that one number says what the whole database looks like.
var riverVersions = map[int64]int{3: 8}

// riverMigrations makes a migration of ours of each step of River's tables.
func riverMigrations(engine Engine) []*goose.Migration {
	var all []*goose.Migration
	for ours, theirs := range riverVersions {
		up := func(ctx context.Context, db *sql.DB) error { return migrateRiver(ctx, engine, db, theirs) }
		all = append(all, goose.NewGoMigration(ours, &goose.GoFunc{RunDB: up}, nil))
	}
	return all
}

func migrateRiver(ctx context.Context, engine Engine, db *sql.DB, version int) error {
	var driver riverdriver.Driver[*sql.Tx] = riversqlite.New(db)
	if engine == Postgres {
		driver = riverdatabasesql.New(db)
	}
	m, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return fmt.Errorf("reading the migrations of the job queue: %w", err)
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, &rivermigrate.MigrateOpts{TargetVersion: version}); err != nil {
		return fmt.Errorf("migrating the job queue: %w", err)
	}
	return nil
}
