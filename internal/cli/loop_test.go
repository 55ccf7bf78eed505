package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crossswe/internal/config"
	"crossswe/internal/jobs"
	"crossswe/internal/store"
)

var at = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// stage is a build stage whose candidates a, b and c were kept by screen.
func stage(t *testing.T, args ...string) *Stage {
	t.Helper()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	var b store.Batch
	for _, id := range []string{"a", "b", "c"} {
		b.Items = append(b.Items, store.Item{Stage: store.StageScreen, ID: id, State: store.Kept, At: at})
	}
	if err := s.Commit(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	return &Stage{Name: store.StageBuild, Config: &config.Config{}, Store: s, Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Out: NewOutput(io.Discard, false), Args: args}
}

// loop keeps what it works on; b fails while broken says so.
func loop(s *Stage, seen *[]string, broken *error) Loop {
	return Loop{
		Ready: func(ctx context.Context, names []string) ([]jobs.Task, error) {
			return s.Waiting(ctx, store.StageScreen, names, false, func(_ context.Context, id string) (string, error) {
				if id == "unknown" {
					return "", Usagef("there is no candidate %s", id)
				}
				return "input of " + id, nil
			})
		},
		Work: func(ctx context.Context, j *jobs.Job) error {
			*seen = append(*seen, j.ID)
			it := store.Item{Stage: s.Name, ID: j.ID, Input: "input of " + j.ID, State: store.Kept, At: at}
			if j.ID == "b" && *broken != nil {
				it.State = store.Failed
				return errors.Join(*broken, s.Store.Commit(ctx, store.Batch{Items: []store.Item{it}}))
			}
			return j.Commit(ctx, store.Batch{Items: []store.Item{it}})
		},
	}
}

func TestLoop(t *testing.T) {
	fault := errors.New("the engine is away")
	tests := []struct {
		name   string
		args   []string
		limit  int
		broken error
		want   []string // of the first run
		again  []string // of the second
	}{
		{"all", nil, 0, nil, []string{"a", "b", "c"}, nil},
		{"named", []string{"c"}, 0, nil, []string{"c"}, nil},
		{"limited", nil, 2, nil, []string{"a", "b"}, []string{"c"}},
		{"a fault is tried again", nil, 0, fault, []string{"a", "b", "c"}, []string{"b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := stage(t, tt.args...)
			for _, want := range [][]string{tt.want, tt.again} {
				var seen []string
				l := loop(s, &seen, &tt.broken)
				l.Limit = tt.limit
				if err := s.Loop(t.Context(), l); !errors.Is(err, tt.broken) {
					t.Errorf("got %v, want %v", err, tt.broken)
				}
				if diff := cmp.Diff(want, seen); diff != "" {
					t.Errorf("worked on (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestLoopRefuses(t *testing.T) {
	for name, call := range map[string]func(*Stage, *Loop){
		"an unknown name":       func(s *Stage, _ *Loop) { s.Args = []string{"unknown"} },
		"a negative limit":      func(_ *Stage, l *Loop) { l.Limit = -1 },
		"names and -serve":      func(s *Stage, _ *Loop) { s.Args, s.serve.serve = []string{"a"}, true },
		"an address in no form": func(s *Stage, _ *Loop) { s.serve = serveFlags{serve: true, listen: "nowhere:port"} },
	} {
		t.Run(name, func(t *testing.T) {
			s := stage(t)
			var seen []string
			l := loop(s, &seen, new(error))
			call(s, &l)
			var usage *UsageError
			if err := s.Loop(t.Context(), l); !errors.As(err, &usage) || seen != nil {
				t.Errorf("got %v after work on %v, want a usage error and no work", err, seen)
			}
		})
	}
}

// TestServe serves a stage, asks it over HTTP, and gives it more to do.
func TestServe(t *testing.T) {
	s := stage(t)
	address := make(chan string, 1)
	s.Log = slog.New(&listening{slog.NewTextHandler(t.Output(), nil), address})
	s.serve = serveFlags{serve: true, listen: "127.0.0.1:0"}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var seen []string
	fault := errors.New("the engine is away")
	done := make(chan error, 1)
	go func() { done <- s.Loop(ctx, loop(s, &seen, &fault)) }()
	base := "http://" + <-address
	waitFor(t, base, `crossswe_items{reason="",stage="build",state="kept"} 2`)
	for _, want := range []string{
		`crossswe_items{reason="",stage="screen",state="kept"} 3`, `crossswe_items{reason="",stage="build",state="failed"} 1`,
		`crossswe_queue_jobs{stage="build",state="completed"} 2`, `crossswe_queue_jobs{stage="build",state="retryable"} 1`,
		`crossswe_workers{stage="build"} 1`, `crossswe_store_up 1`, `crossswe_job_seconds_count{outcome="fault",stage="build"} 1`, "go_goroutines",
	} {
		waitFor(t, base, want)
	}
	if code, body := fetch(t, base+"/healthz"); code != http.StatusOK || body != "ok\n" {
		t.Errorf("/healthz: %d %q", code, body)
	}
	stop()
	if err := <-done; err != nil {
		t.Errorf("the stopped stage ended with %v", err)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, seen); diff != "" {
		t.Errorf("worked on (-want +got):\n%s", diff)
	}
}

// listening tells the address that a stage serves.
type listening struct {
	slog.Handler
	address chan<- string
}

func (h *listening) Handle(ctx context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "address" {
			h.address <- a.Value.String()
		}
		return true
	})
	return h.Handler.Handle(ctx, r)
}

func waitFor(t *testing.T, base, line string) {
	t.Helper()
	var body string
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if _, body = fetch(t, base+"/metrics"); strings.Contains(body, line+"\n") || strings.Contains(body, line+" ") {
			return
		}
	}
	t.Fatalf("/metrics lacks %q:\n%s", line, body)
}

func fetch(t *testing.T, url string) (int, string) {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// TestDue: a served stage with a schedule begins nothing at once, and what is
// due once.
func TestDue(t *testing.T) {
	s := stage(t)
	due := func(now time.Time) int {
		tasks, err := s.Due(t.Context(), "0 3 * * *", now)
		if err != nil {
			t.Fatal(err)
		}
		return len(tasks)
	}
	if n := due(at); n != 1 {
		t.Errorf("a run that is not served: %d tasks, want 1", n)
	}
	s.serve.serve = true
	day := at.AddDate(0, 0, 1)
	got := []int{due(at), due(at), due(day), due(day)}
	if err := s.Begun(t.Context(), day); err != nil {
		t.Fatal(err)
	}
	got = append(got, due(day), due(day.Add(-time.Hour)), due(day.AddDate(0, 0, 3)))
	if diff := cmp.Diff([]int{0, 0, 1, 1, 0, 0, 1}, got); diff != "" {
		t.Errorf("due (-want +got):\n%s", diff)
	}
}

func TestHealth(t *testing.T) {
	resting := func() error { return errors.New("resting: no engine") }
	tests := []struct {
		name   string
		terse  bool
		health func() error
		code   int
		body   string
	}{
		{"starting", false, nil, 503, "starting\n"},
		{"well", false, func() error { return nil }, 200, "ok\n"},
		{"resting", false, resting, 503, "resting: no engine\n"},
		{"resting, among strangers", true, resting, 503, "Service Unavailable\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, mux := stage(t).Vitals(), http.NewServeMux()
			v.Terse = tt.terse
			v.Handle(mux)
			if tt.health != nil {
				v.Begin(tt.health)
			}
			rec := httptest.NewRecorder()
			mux.ServeHTTP(rec, httptest.NewRequest("GET", "/healthz", nil))
			if rec.Code != tt.code || rec.Body.String() != tt.body {
				t.Errorf("got %d %q, want %d %q", rec.Code, rec.Body, tt.code, tt.body)
			}
		})
	}
}
