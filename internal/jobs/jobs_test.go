package jobs

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crossswe/internal/pgtest"
	"crossswe/internal/store"
)

var at = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// Every commit reaches the disk, as where results must last.
var postgres = pgtest.Server{Durable: true}

// opener opens a second store on the place of the first, as another process would.
type opener func(t *testing.T) *store.Store

// onEngines runs a test on every engine.
func onEngines(t *testing.T, test func(*testing.T, opener)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "s.db")
		test(t, func(t *testing.T) *store.Store { return openStore(t, file) })
	})
	t.Run("postgres", func(t *testing.T) {
		place := postgres.Database(t)
		test(t, func(t *testing.T) *store.Store { return openStore(t, place) })
	})
}

func openStore(t *testing.T, place string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// log keeps what is logged, for tests that fail.
func log(t *testing.T) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelInfo}))
}

func tasks(n int) []Task {
	var all []Task
	for i := range n {
		all = append(all, Task{ID: fmt.Sprintf("c%03d", i)})
	}
	return all
}

func kept(id string) store.Batch {
	return store.Batch{Items: []store.Item{{Stage: store.StageBuild, ID: id, State: store.Kept, At: at}}}
}

// commitKept is the shortest work there is.
func commitKept(ctx context.Context, j *Job) error { return j.Commit(ctx, kept(j.ID)) }

func options(t *testing.T, s *store.Store, work func(context.Context, *Job) error) Options {
	return Options{Store: s, Stage: store.StageBuild, Log: log(t), Work: work}
}

func keptIDs(t *testing.T, s *store.Store) []string {
	t.Helper()
	items, err := s.Items(t.Context(), store.StageBuild, store.Kept)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, it := range items {
		ids = append(ids, it.ID)
	}
	return ids
}

func TestDrainWorksUntilNothingIsLeft(t *testing.T) {
	onEngines(t, func(t *testing.T, open opener) {
		s := open(t)
		var mu sync.Mutex
		var seen []string
		opt := options(t, s, func(ctx context.Context, j *Job) error {
			mu.Lock()
			seen = append(seen, j.ID)
			mu.Unlock()
			return j.Commit(ctx, kept(j.ID))
		})
		for range 2 { // the second finds tasks whose jobs are done: they are made again, for the stage decides what is done
			if err := Drain(t.Context(), opt, tasks(7), false); err != nil {
				t.Fatal(err)
			}
		}
		if got := keptIDs(t, s); len(got) != 7 || len(seen) != 14 {
			t.Errorf("kept %v after working on %v; want 7 and each of them twice", got, seen)
		}
		if n, err := left(t.Context(), s, "build"); n != 0 || err != nil {
			t.Errorf("%d jobs are left, %v", n, err)
		}
		if rows := workers(t, s); len(rows) != 0 {
			t.Errorf("leases are left: %v", rows)
		}
	})
}

func workers(t *testing.T, s *store.Store) []string {
	t.Helper()
	return texts(t, s, "SELECT id FROM workers ORDER BY id")
}

func texts(t *testing.T, s *store.Store, query string, args ...any) []string {
	t.Helper()
	rows, err := s.DB().QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// states lists the jobs: "c001 retryable 1 of 6".
func states(t *testing.T, s *store.Store) []string {
	t.Helper()
	id := "json_extract(args, '$.id')"
	if s.Engine() == store.Postgres {
		id = "args ->> 'id'"
	}
	return texts(t, s, "SELECT "+id+" || ' ' || state || ' ' || attempt || ' of ' || max_attempts FROM river_job ORDER BY 1")
}

func TestAFaultIsTriedAgainByTheNextRun(t *testing.T) {
	onEngines(t, func(t *testing.T, open opener) {
		s := open(t)
		broken := errors.New("the registry was away")
		opt := options(t, s, func(ctx context.Context, j *Job) error {
			if j.ID == "c001" {
				return broken
			}
			return j.Commit(ctx, kept(j.ID))
		})
		for i := range Attempts {
			if err := Drain(t.Context(), opt, tasks(2), false); !errors.Is(err, broken) {
				t.Fatalf("run %d: got %v, want the fault", i, err)
			}
		}
		want := fmt.Sprintf("c001 discarded %d of %d", Attempts, Attempts)
		if got := states(t, s); !slices.Contains(got, want) {
			t.Errorf("the jobs are %v, want one of them %q", got, want)
		}
		opt.Work = commitKept
		if err := Drain(t.Context(), opt, tasks(2), false); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"c000", "c001"}, keptIDs(t, s)); diff != "" {
			t.Errorf("kept (-want +got):\n%s", diff)
		}
	})
}

func TestAnUnfitMachineEndsTheRunAndUsesUpNoAttempt(t *testing.T) {
	onEngines(t, func(t *testing.T, open opener) {
		s := open(t)
		away := &UnfitError{errors.New("no engine answers")}
		calls := 0
		err := Drain(t.Context(), options(t, s, func(context.Context, *Job) error { calls++; return away }), tasks(3), false)
		if !errors.Is(err, away) || calls != 1 {
			t.Errorf("got %v after %d calls, want %v after one", err, calls, away)
		}
		for _, got := range states(t, s) {
			if !strings.HasSuffix(got, "0 of 6") {
				t.Errorf("a job is %q, want no attempt used up", got)
			}
		}
		if err := Drain(t.Context(), options(t, s, commitKept), nil, false); err != nil {
			t.Fatal(err)
		}
		if got := keptIDs(t, s); len(got) != 3 {
			t.Errorf("kept %v after the next run, want all three", got)
		}
	})
}

func TestOwnTasksAreWorkedAlone(t *testing.T) {
	onEngines(t, func(t *testing.T, open opener) {
		s := open(t)
		away := &UnfitError{errors.New("no engine answers")}
		_ = Drain(t.Context(), options(t, s, func(context.Context, *Job) error { return away }), tasks(3), false) // leaves three
		if err := Drain(t.Context(), options(t, s, commitKept), []Task{{ID: "mine"}}, true); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"mine"}, keptIDs(t, s)); diff != "" {
			t.Errorf("kept (-want +got):\n%s", diff)
		}
	})
}

func TestAnInterruptedJobIsHandedBack(t *testing.T) {
	onEngines(t, func(t *testing.T, open opener) {
		s := open(t)
		ctx, interrupt := context.WithCancel(t.Context())
		err := Drain(ctx, options(t, s, func(ctx context.Context, j *Job) error {
			interrupt()
			<-ctx.Done()
			return ctx.Err()
		}), tasks(1), false)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want that it was cancelled", err)
		}
		if diff := cmp.Diff([]string{"c000 available 0 of 6"}, states(t, s)); diff != "" {
			t.Errorf("jobs (-want +got):\n%s", diff)
		}
	})
}

func TestWhoHasLostAJobWritesNothing(t *testing.T) {
	onEngines(t, func(t *testing.T, open opener) {
		s, other := open(t), open(t)
		begun, taken := make(chan struct{}), make(chan struct{})
		late := make(chan error, 1)
		opt := options(t, s, func(ctx context.Context, j *Job) error {
			close(begun)
			<-taken
			late <- j.Commit(context.WithoutCancel(ctx), store.Batch{Marks: []store.Mark{{Name: "by", Value: "first"}}})
			return ErrLost
		})
		done := make(chan error, 1)
		go func() { done <- Drain(t.Context(), opt, tasks(1), false) }()
		<-begun
		if _, err := other.DB().ExecContext(t.Context(), "DELETE FROM workers"); err != nil { // as when its lease has run out
			t.Fatal(err)
		}
		err := Drain(t.Context(), options(t, other, func(ctx context.Context, j *Job) error {
			defer close(taken)
			return j.Commit(ctx, store.Batch{Marks: []store.Mark{{Name: "by", Value: "second"}}})
		}), nil, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := <-late; !errors.Is(err, ErrLost) {
			t.Errorf("the first process's commit: got %v, want %v", err, ErrLost)
		}
		if err := <-done; err != nil {
			t.Errorf("the first process's run: %v", err)
		}
		if by, err := s.Mark(t.Context(), "by"); by != "second" || err != nil {
			t.Errorf("the outcome is the %s process's, %v; want the second's", by, err)
		}
		if diff := cmp.Diff([]string{"c000 completed 1 of 6"}, states(t, s)); diff != "" {
			t.Errorf("jobs (-want +got):\n%s", diff)
		}
	})
}

func TestAJobThatDoesNotFitWaits(t *testing.T) {
	onEngines(t, func(t *testing.T, open opener) {
		s, other := open(t), open(t)
		var mu sync.Mutex
		most, now := 0, 0
		work := func(ctx context.Context, j *Job) error {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			err := j.Commit(ctx, kept(j.ID))
			mu.Lock()
			now--
			mu.Unlock()
			return err
		}
		first, second := options(t, s, work), options(t, other, work)
		first.Needs, second.Needs = Needs{Containers: 2, MemoryMB: 10}, Needs{Containers: 2, MemoryMB: 10}
		first.Limits, second.Limits = Needs{Containers: 3, MemoryMB: 100}, Needs{Containers: 3, MemoryMB: 100}
		done := make(chan error, 1)
		go func() { done <- Drain(t.Context(), first, tasks(4), false) }()
		if err := errors.Join(Drain(t.Context(), second, tasks(4), false), <-done); err != nil {
			t.Fatal(err)
		}
		if got := keptIDs(t, s); len(got) != 4 || most != 1 {
			t.Errorf("kept %v with %d at once; want four, one at a time", got, most)
		}
		first.Needs.Containers = 4
		if err := Drain(t.Context(), first, tasks(1), false); err == nil || !strings.Contains(err.Error(), "4 containers") {
			t.Errorf("a job that never fits: got %v", err)
		}
	})
}

func TestNeedsWithin(t *testing.T) {
	tests := []struct {
		name               string
		need, limits, held Needs
		want               bool
	}{
		{"room", Needs{1, 10}, Needs{2, 20}, Needs{1, 10}, true},
		{"no container", Needs{1, 0}, Needs{2, 0}, Needs{2, 0}, false},
		{"no memory", Needs{1, 11}, Needs{2, 20}, Needs{1, 10}, false},
		{"one at a time, first", Needs{4, 10}, Needs{}, Needs{}, true},
		{"one at a time, second", Needs{4, 10}, Needs{}, Needs{1, 0}, false},
		{"nothing needed", Needs{}, Needs{}, Needs{1, 5}, true},
	}
	for _, tt := range tests {
		if got := tt.need.within(tt.limits, tt.held); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestAServedStageTakesWhatBecomesReady(t *testing.T) {
	onEngines(t, func(t *testing.T, open opener) {
		s := open(t)
		ctx, stop := context.WithCancel(t.Context())
		opt := options(t, s, func(ctx context.Context, j *Job) error {
			defer stop()
			return j.Commit(ctx, kept(j.ID))
		})
		srv, err := NewServer(ctx, opt, func(context.Context) ([]Task, error) {
			return []Task{{ID: "fresh"}, {ID: "given-up", Failed: true}}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := srv.Run(ctx); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"fresh"}, keptIDs(t, s)); diff != "" {
			t.Errorf("kept (-want +got):\n%s", diff)
		}
	})
}

func TestAStoppedServerFinishesWithinItsGrace(t *testing.T) {
	onEngines(t, func(t *testing.T, open opener) {
		s := open(t)
		ctx, stop := context.WithCancel(t.Context())
		opt := options(t, s, func(ctx context.Context, j *Job) error {
			stop()
			if j.ID == "long" {
				<-ctx.Done()
				return ctx.Err()
			}
			return j.Commit(ctx, kept(j.ID)) // the server is stopping, the job ends in order
		})
		opt.Workers, opt.Grace = 2, time.Second
		srv, err := NewServer(ctx, opt, func(context.Context) ([]Task, error) { return []Task{{ID: "long"}, {ID: "short"}}, nil })
		if err != nil {
			t.Fatal(err)
		}
		if err := srv.Run(ctx); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"long available 0 of 6", "short completed 1 of 6"}, states(t, s)); diff != "" {
			t.Errorf("jobs (-want +got):\n%s", diff)
		}
	})
}

func TestAPanicEndsTheRunWithAnError(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "s.db"))
	err := Drain(t.Context(), options(t, s, func(context.Context, *Job) error { panic("broken") }), tasks(1), false)
	if err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("got %v, want an error that names the panic", err)
	}
}

func TestTransient(t *testing.T) {
	tests := []struct {
		err  error
		want bool
	}{
		{nil, false},
		{errors.New("the record is not valid"), false},
		{ErrLost, false},
		{sql.ErrNoRows, false},
		{fmt.Errorf("writing: %w", driver.ErrBadConn), true},
		{context.Canceled, false},
	}
	for _, tt := range tests {
		if got := transient(tt.err); got != tt.want {
			t.Errorf("transient(%v) = %v, want %v", tt.err, got, tt.want)
		}
	}
}

func TestAFaultAfterTheOutcomeIsHeard(t *testing.T) {
	onEngines(t, func(t *testing.T, open opener) {
		s := open(t)
		late := errors.New("one repository was left out")
		for range 3 {
			err := Drain(t.Context(), options(t, s, func(ctx context.Context, j *Job) error {
				if err := j.Commit(ctx, kept(j.ID)); err != nil {
					return err
				}
				time.Sleep(4 * look) // longer than it takes to see that nothing is left
				return late
			}), tasks(1), false)
			if !errors.Is(err, late) {
				t.Fatalf("got %v, want %v", err, late)
			}
		}
	})
}

func TestThreeFaultsInARowEndTheRun(t *testing.T) {
	onEngines(t, func(t *testing.T, open opener) {
		s := open(t)
		calls := 0
		err := Drain(t.Context(), options(t, s, func(context.Context, *Job) error {
			calls++
			return fmt.Errorf("fault %d", calls)
		}), tasks(10), false)
		if err == nil || !strings.Contains(err.Error(), "fault 1") || calls != maxRow {
			t.Errorf("got %v after %d calls, want an end after %d", err, calls, maxRow)
		}
		calls = 0
		single := options(t, open(t), func(context.Context, *Job) error {
			calls++
			return &SingleError{fmt.Errorf("base image %d", calls)}
		})
		if err := Drain(t.Context(), single, tasks(10), false); err == nil || calls != 10 {
			t.Errorf("got %v after %d calls, want all 10 tried", err, calls)
		}
	})
}

func TestARunSaysThatItsQueueIsPaused(t *testing.T) {
	onEngines(t, func(t *testing.T, open opener) {
		s := open(t)
		if err := Drain(t.Context(), options(t, s, commitKept), tasks(1), false); err != nil { // makes the queue
			t.Fatal(err)
		}
		client, done, err := OpenClient(t.Context(), s, log(t))
		if err != nil {
			t.Fatal(err)
		}
		defer done()
		if err := client.QueuePause(t.Context(), "build", nil); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		said := &saying{Handler: log(t).Handler(), want: "paused", stop: stop}
		opt := options(t, s, commitKept)
		opt.Log = slog.New(said)
		if err := Drain(ctx, opt, []Task{{ID: "later"}}, false); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want that the test stopped it", err)
		}
		if got := keptIDs(t, s); slices.Contains(got, "later") {
			t.Errorf("a paused queue was worked on: %v", got)
		}
	})
}

// saying stops when a message with the wanted word comes.
type saying struct {
	slog.Handler
	want string
	stop func()
}

func (h *saying) Handle(ctx context.Context, r slog.Record) error {
	if strings.Contains(r.Message, h.want) {
		h.stop()
	}
	return h.Handler.Handle(ctx, r)
}

// A process whose lease has run out is silent, on another machine or stopped on
// this one: whoever asks for its job gets it.
func TestARunTakesOverFromAnExpiredLease(t *testing.T) {
	for _, own := range []bool{false, true} {
		onEngines(t, func(t *testing.T, open opener) {
			s, other := open(t), open(t)
			begun, end := make(chan struct{}), make(chan struct{})
			silent := options(t, s, func(context.Context, *Job) error {
				close(begun)
				<-end
				return ErrLost
			})
			silent.lease = time.Hour // it does not renew while the test lasts
			done := make(chan error, 1)
			go func() { done <- Drain(t.Context(), silent, tasks(1), own) }()
			<-begun
			if _, err := other.DB().ExecContext(t.Context(), "UPDATE workers SET until_ms = 1000"); err != nil {
				t.Fatal(err)
			}
			quick := options(t, other, commitKept)
			quick.lease = time.Second
			if err := Drain(t.Context(), quick, tasks(1), own); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"c000"}, keptIDs(t, other)); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
			close(end)
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWhatAnotherProcessWorksOnIsWaitedFor(t *testing.T) {
	onEngines(t, func(t *testing.T, open opener) {
		s, other := open(t), open(t)
		begun, end := make(chan struct{}), make(chan struct{})
		done := make(chan error, 1)
		go func() {
			done <- Drain(t.Context(), options(t, s, func(ctx context.Context, j *Job) error {
				close(begun)
				<-end
				return j.Commit(ctx, store.Batch{Marks: []store.Mark{{Name: "by", Value: "first"}}})
			}), tasks(1), false)
		}()
		<-begun
		said := &saying{Handler: log(t).Handler(), want: "waiting", stop: sync.OnceFunc(func() { close(end) })}
		opt := options(t, other, func(ctx context.Context, j *Job) error {
			by, err := other.Mark(ctx, "by")
			if by != "first" || err != nil {
				t.Errorf("the second begins after %q, %v", by, err)
			}
			return j.Commit(ctx, kept(j.ID))
		})
		opt.Log = slog.New(said)
		if err := errors.Join(Drain(t.Context(), opt, tasks(1), true), <-done); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"c000"}, keptIDs(t, s)); diff != "" {
			t.Errorf("kept (-want +got):\n%s", diff)
		}
	})
}

// A store that answers questions and takes no writes (a full disk, lost rights)
// is a reason to be unwell.
func TestAServerThatCannotRenewItsLeaseIsUnwell(t *testing.T) {
	onEngines(t, func(t *testing.T, open opener) {
		s := open(t)
		ctx, stop := context.WithCancel(t.Context())
		opt := options(t, s, commitKept)
		opt.lease = time.Second
		srv, err := NewServer(ctx, opt, func(context.Context) ([]Task, error) { return nil, nil })
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- srv.Run(ctx) }()
		for _, step := range []struct {
			statement string
			well      bool
		}{{"ALTER TABLE workers RENAME TO gone", false}, {"ALTER TABLE gone RENAME TO workers", true}} {
			if _, err := s.DB().ExecContext(t.Context(), step.statement); err != nil {
				t.Fatal(err)
			}
			for end := time.Now().Add(30 * time.Second); (srv.Health() == nil) != step.well; time.Sleep(20 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("after %q: %v, want well %v", step.statement, srv.Health(), step.well)
				}
			}
		}
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
