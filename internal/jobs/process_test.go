package jobs

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/riverqueue/river/rivertype"
	"github.com/rs/zerolog"

	"crossswe/internal/store"
)

// A test binary that finds this variable is a worker on the store it names.
const workerPlace = "CROSSSWE_TEST_WORKER"

func TestMain(m *testing.M) {
	if place := os.Getenv(workerPlace); place != "" {
		if err := work(context.Background(), place); err != nil {
			fmt.Fprintln(os.Stderr, "worker:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(postgres.Run(m))
}

// work does what is in the queue: every job sleeps a little and writes.
func work(ctx context.Context, place string) error {
	s, err := store.Open(ctx, place)
	if err != nil {
		return err
	}
	defer s.Close()
	opt := Options{
		Store: s, Stage: store.StageBuild, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)), Workers: 4, lease: leaseOfWorkers,
		Work: func(ctx context.Context, j *Job) error {
			if done, err := s.Done(ctx, store.StageBuild, j.ID, ""); done || err != nil {
				return err
			}
			time.Sleep(rand.N(40 * time.Millisecond))
			return j.Commit(ctx, kept(j.ID))
		},
	}
	return Drain(ctx, opt, tasks(jobsOfWorkers), false)
}

const (
	jobsOfWorkers  = 200
	leaseOfWorkers = 3 * time.Second
)

// startWorker starts a worker process. Its log is kept for tests that fail.
func startWorker(t *testing.T, place string) (*exec.Cmd, *strings.Builder) {
	t.Helper()
	var out strings.Builder
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), workerPlace+"="+place)
	cmd.Stdout, cmd.Stderr = io.Discard, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd, &out
}

// countWrites makes the store note every write of an item.
func countWrites(t *testing.T, s *store.Store) {
	t.Helper()
	statements := []string{
		"CREATE TABLE writes (id TEXT NOT NULL)",
		"CREATE TRIGGER note_insert AFTER INSERT ON items BEGIN INSERT INTO writes VALUES (new.id); END",
		"CREATE TRIGGER note_update AFTER UPDATE ON items BEGIN INSERT INTO writes VALUES (new.id); END",
	}
	if s.Engine() == store.Postgres {
		statements = []string{
			"CREATE TABLE writes (id TEXT NOT NULL)",
			"CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO writes VALUES (new.id); RETURN NULL; END'",
			"CREATE TRIGGER note AFTER INSERT OR UPDATE ON items FOR EACH ROW EXECUTE FUNCTION note()",
		}
	}
	for _, q := range statements {
		if _, err := s.DB().ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
}

// until waits for a number of writes.
func until(t *testing.T, s *store.Store, n int) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if len(texts(t, s, "SELECT id FROM writes")) >= n {
			return
		}
	}
	t.Fatalf("there are not %d results after two minutes", n)
}

// checkWrites checks that every task was written exactly once, in one attempt.
func checkWrites(t *testing.T, s *store.Store) {
	t.Helper()
	if got := texts(t, s, "SELECT DISTINCT id FROM writes"); len(got) != jobsOfWorkers {
		t.Errorf("%d tasks have a result, want %d", len(got), jobsOfWorkers)
	}
	if twice := texts(t, s, "SELECT id FROM writes GROUP BY id HAVING count(*) > 1"); len(twice) > 0 {
		t.Errorf("results that were written twice: %v", twice)
	}
	for _, job := range states(t, s) {
		if !strings.HasSuffix(job, "completed 1 of 6") {
			t.Errorf("a job ended as %q, want it completed in its first attempt", job)
		}
	}
}

func TestTwoProcessesOnOneFile(t *testing.T) {
	place := filepath.Join(t.TempDir(), "s.db")
	s := openStore(t, place)
	countWrites(t, s)
	first, firstLog := startWorker(t, place)
	second, secondLog := startWorker(t, place)
	third, _ := startWorker(t, place)
	until(t, s, 30)
	if err := third.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	third.Wait()
	for _, w := range []*exec.Cmd{first, second} {
		if err := w.Wait(); err != nil {
			t.Errorf("a worker: %v\n%s%s", err, firstLog, secondLog)
		}
	}
	if logs := firstLog.String() + secondLog.String(); strings.Contains(logs, "locked") || strings.Contains(logs, "level=ERROR") {
		t.Errorf("the workers complained:\n%s", logs)
	}
	checkWrites(t, s)
}

// Three processes on a server: one is killed, another loses its connection for
// longer than its lease lasts, and comes back.
func TestThreeProcessesOnAServer(t *testing.T) {
	place := postgres.Database(t)
	s := openStore(t, place)
	countWrites(t, s)
	proxy, far := through(t, place)
	steady, steadyLog := startWorker(t, place)
	cut, cutLog := startWorker(t, far)
	killed, _ := startWorker(t, place)
	until(t, s, 40)
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed.Wait()
	proxy.Stop()
	time.Sleep(2 * leaseOfWorkers)
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	for _, w := range []*exec.Cmd{steady, cut} {
		if err := w.Wait(); err != nil {
			t.Errorf("a worker: %v\nsteady:\n%s\ncut:\n%s", err, steadyLog, cutLog)
		}
	}
	checkWrites(t, s)
	if left := workers(t, s); len(left) != 0 {
		t.Errorf("leases are left: %v", left)
	}
}

// through puts a proxy before the server and returns the URL that leads through it.
func through(t *testing.T, place string) (*toxiproxy.Proxy, string) {
	t.Helper()
	u, err := url.Parse(place)
	if err != nil {
		t.Fatal(err)
	}
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	proxy := toxiproxy.NewProxy(server, "postgres", "127.0.0.1:0", u.Host)
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Stop)
	u.Host = proxy.Listen
	return proxy, u.String()
}

func TestBackoffIsBounded(t *testing.T) {
	b := backoff{&clock{}}
	b.clock.ahead.Store(int64(time.Hour)) // the database is an hour ahead of this machine
	var sum time.Duration
	for attempt := 1; attempt < Attempts; attempt++ {
		wait := time.Until(b.NextRetry(rowAt(attempt))) - time.Hour
		if wait < 14*time.Second || wait > 11*time.Minute {
			t.Errorf("attempt %d: waits %v by the database's clock", attempt, wait)
		}
		sum += wait
	}
	if sum > 40*time.Minute {
		t.Errorf("all waits together are %v", sum)
	}
	if wait := time.Until(b.NextRetry(rowAt(1000))) - time.Hour; wait > 11*time.Minute {
		t.Errorf("attempt 1000: waits %v", wait)
	}
}

func rowAt(attempt int) *rivertype.JobRow { return &rivertype.JobRow{Attempt: attempt} }
