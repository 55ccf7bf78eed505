package store

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"crossswe/schemas"
)

// later has our migrations and, on each engine, the given ones after them.
func later(t *testing.T, more map[string]string) fs.FS {
	t.Helper()
	all := fstest.MapFS{}
	for _, e := range engines {
		dir := "migrations/" + string(e.name)
		files, err := fs.ReadDir(migrations, dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			body, err := fs.ReadFile(migrations, path.Join(dir, f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			all[path.Join(dir, f.Name())] = &fstest.MapFile{Data: body}
		}
		for name, text := range more {
			all[path.Join(dir, name)] = &fstest.MapFile{Data: []byte("-- +goose Up\n" + text + "\n")}
		}
	}
	return all
}

// next are two versions that come after those of the tests' time.
var next = map[string]string{
	"9001_more.sql": "CREATE TABLE more (x TEXT);",
	"9002_most.sql": "ALTER TABLE more ADD COLUMN y TEXT; INSERT INTO more (x, y) VALUES ('1', '2');",
}

func TestEnginesHaveTheSameVersions(t *testing.T) {
	var names [2][]string
	for i, e := range engines {
		files, err := fs.ReadDir(migrations, "migrations/"+string(e.name))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			names[i] = append(names[i], f.Name())
		}
	}
	if diff := cmp.Diff(names[0], names[1]); diff != "" || len(names[0]) == 0 {
		t.Errorf("migrations of %s and %s differ:\n%s", engines[0].name, engines[1].name, diff)
	}
}

func TestAnOlderStoreIsMigratedOnlyWhenAsked(t *testing.T) {
	onBoth(t, func(t *testing.T, place string) {
		old := open(t, place)
		if err := old.Commit(t.Context(), Batch{Records: []schemas.Record{review("a")}}); err != nil {
			t.Fatal(err)
		}
		files := later(t, next)
		_, err := openWith(t.Context(), place, schema{files: files})
		const want = "this program needs 9002: stop the other programs and run any program with -migrate"
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Fatalf("opening an older store: got %v, want %q", err, want)
		}
		for range 2 { // the second has nothing to do
			s, err := openWith(t.Context(), place, schema{files: files, older: true})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			var y string
			if err := s.db.QueryRowContext(t.Context(), "SELECT y FROM more").Scan(&y); y != "2" || err != nil {
				t.Errorf("after the migration: got %q, %v; want 2", y, err)
			}
			if all, err := All[schemas.Review](t.Context(), s); len(all) != 1 || err != nil {
				t.Errorf("got %d reviews, %v; want the one from before", len(all), err)
			}
		}
		if _, err := Open(t.Context(), place); err == nil || !strings.Contains(err.Error(), "use a newer program") {
			t.Errorf("opening a newer store: got %v", err)
		}
		if err := Migrate(t.Context(), place); err == nil || !strings.Contains(err.Error(), "use a newer program") {
			t.Errorf("migrating a newer store: got %v", err)
		}
	})
}

func TestAMigrationThatFailsLeavesTheStoreAsItWas(t *testing.T) {
	onBoth(t, func(t *testing.T, place string) {
		open(t, place).Close()
		broken := map[string]string{"9001_more.sql": "CREATE TABLE more (x TEXT); INSERT INTO missing (x) VALUES ('1');"}
		_, err := openWith(t.Context(), place, schema{files: later(t, broken), older: true})
		if err == nil || !strings.Contains(err.Error(), "migrating") {
			t.Fatalf("got %v, want an error of the migration", err)
		}
		s, err := openWith(t.Context(), place, schema{files: later(t, next), older: true})
		if err != nil {
			t.Fatalf("after a migration that failed: %v", err)
		}
		s.Close()
	})
}

// TestManyStartAtOnce is eight programs that start on an empty store, each with
// several migrations to make.
func TestManyStartAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, place string) {
		files := later(t, next)
		var g errgroup.Group
		for range 8 {
			g.Go(func() error {
				s, err := openWith(t.Context(), place, schema{files: files})
				if err != nil {
					return err
				}
				defer s.Close()
				var n int
				if err := s.db.QueryRowContext(t.Context(), "SELECT count(*) FROM more").Scan(&n); n != 1 || err != nil {
					t.Errorf("got %d rows, %v; want the one of the last migration", n, err)
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			t.Error(err)
		}
	})
}

// TestASetUpThatWasKilledGoesOn opens an empty store that lacks the last steps.
func TestASetUpThatWasKilledGoesOn(t *testing.T) {
	onBoth(t, func(t *testing.T, place string) {
		open(t, place).Close()
		s, err := openWith(t.Context(), place, schema{files: later(t, next)})
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
	})
}

// tables lists those of a store, River's among them.
func tables(t *testing.T, s *Store) []string {
	t.Helper()
	q := "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
	if s.engine == SQLite {
		q = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
	}
	rows, err := s.db.QueryContext(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		all = append(all, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestForeignDatabases takes River's tables for ours only when ours stand
// beside them: other programs use River too.
func TestForeignDatabases(t *testing.T) {
	onBoth(t, func(t *testing.T, place string) {
		s := open(t, place)
		exec := func(q string) {
			t.Helper()
			if _, err := s.db.ExecContext(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
		drop := func(all []string) {
			t.Helper()
			for _, table := range all {
				exec("DROP TABLE " + table)
			}
		}
		rivers := func(name string) bool { return strings.HasPrefix(name, "river_") }
		ours := slices.DeleteFunc(tables(t, s), rivers)
		drop(ours)
		if s.engine == SQLite {
			exec("PRAGMA application_id = 0")
		}
		left := tables(t, s)
		if len(ours) == 0 || len(left) == 0 {
			t.Fatalf("got tables %q and River's %q, want some of both", ours, left)
		}
		for range 2 { // the first refusal changed nothing
			if _, err := Open(t.Context(), place); !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), s.name) {
				t.Errorf("River's tables alone: got %v, want ErrForeign and %s", err, s.name)
			}
		}
		if diff := cmp.Diff(left, tables(t, s)); diff != "" {
			t.Errorf("the refusals changed the tables:\n%s", diff)
		}
	})
}
