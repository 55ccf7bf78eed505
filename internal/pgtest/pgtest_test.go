package pgtest

import (
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

var postgres Server

func TestMain(m *testing.M) { os.Exit(postgres.Run(m)) }

func TestDatabasesAreEmptyAndApart(t *testing.T) {
	for range 2 {
		db, err := pgx.Connect(t.Context(), postgres.Database(t))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close(t.Context())
		if _, err := db.Exec(t.Context(), "CREATE TABLE t (x TEXT)"); err != nil {
			t.Error(err)
		}
	}
}

func TestThePasswordIsAskedFor(t *testing.T) {
	url := postgres.Database(t)
	if strings.Contains(url, postgres.Password()) {
		t.Errorf("the URL %s holds the password", url)
	}
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	config.Password = "wrong"
	if db, err := pgx.ConnectConfig(t.Context(), config); err == nil {
		db.Close(t.Context())
		t.Error("a wrong password was taken")
	}
}

func TestDurableServersSync(t *testing.T) {
	var fast, durable Server
	durable.Durable = true
	has := func(s *Server) bool { return strings.Contains(strings.Join(s.settings(), " "), "fsync=off") }
	if !has(&fast) || has(&durable) {
		t.Errorf("fsync is off: fast %v, durable %v; want true and false", has(&fast), has(&durable))
	}
}

func TestTheNewestServerIsTaken(t *testing.T) {
	if a, b := major("/usr/lib/postgresql/9.6/bin/initdb"), major("/usr/lib/postgresql/15/bin/initdb"); a != 0 || b != 15 {
		t.Errorf("got %d and %d, want 0 and 15", a, b)
	}
}
