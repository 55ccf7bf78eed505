package main

import (
	"io"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crossswe/e2e/world"
	"crossswe/internal/cli"
	"crossswe/internal/config"
	"crossswe/internal/store"
	"crossswe/schemas"
)

var now = time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)

// stage opens a pipeline over the repositories below dir, with the defaults.
func stage(t *testing.T, dir, settings string, args ...string) *cli.Stage {
	t.Helper()
	cfg, err := config.Parse([]byte("repositories: {mirrors: " + dir + "}\n" + settings))
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return &cli.Stage{Name: store.StageMine, Config: cfg, Store: s, Log: slog.New(slog.DiscardHandler), Out: cli.NewOutput(io.Discard, true), Args: args}
}

func clock() time.Time { return now }

func mineAll(t *testing.T, s *cli.Stage) {
	t.Helper()
	if err := run(t.Context(), s, options{}, clock); err != nil {
		t.Fatal(err)
	}
}

// TestTheSmallWorld mines every story and compares candidates and drops with
// what the stories tell.
func TestTheSmallWorld(t *testing.T) {
	dir := t.TempDir()
	changes, err := world.Make(t.Context(), dir, world.Scenarios()...)
	if err != nil {
		t.Fatal(err)
	}
	s := stage(t, dir, "")
	mineAll(t, s)
	got, err := store.All[schemas.Candidate](t.Context(), s.Store)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]world.Change{}
	for _, c := range changes {
		byName[c.Name()] = c
	}
	want, drops := map[string]bool{}, map[string]schemas.DropReason{}
	for _, sc := range world.Scenarios() {
		for _, e := range sc.Expect {
			if e.Drop == "" {
				want[strings.Join(e.Sides, " ")] = true
			} else {
				drops[strings.Join(e.Sides, " ")] = e.Drop
			}
		}
	}
	found := map[string]bool{}
	for _, c := range got {
		var names []string
		for _, side := range c.Sides {
			name := string(side.Repo) + "#" + strconv.Itoa(side.Pull)
			names = append(names, name)
			exp, ok := byName[name]
			if !ok {
				continue
			}
			have := world.Change{Repo: side.Repo, Pull: side.Pull, Base: side.Base, Head: side.Head, Merge: side.Merge}
			if diff := cmp.Diff(exp, have); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", c.ID, name, diff)
			}
		}
		found[strings.Join(names, " ")] = true
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(found))); diff != "" {
		t.Errorf("candidates (-want +got):\n%s", diff)
	}
	items, err := s.Store.Items(t.Context(), store.StageMine, store.Dropped)
	if err != nil {
		t.Fatal(err)
	}
	for sides, reason := range drops {
		if !dropped(items, sides, reason, byName) {
			t.Errorf("%s: no drop for %q among\n%v", sides, reason, items)
		}
	}
}

// dropped looks for a drop of the consumer's change for the reason.
func dropped(items []store.Item, sides string, reason schemas.DropReason, byName map[string]world.Change) bool {
	for name := range strings.FieldsSeq(sides) {
		c := byName[name]
		landed := c.Head
		if c.Merge != "" {
			landed = c.Merge
		}
		for _, it := range items {
			if strings.HasPrefix(it.ID, string(c.Repo)+"@"+landed.Short()) && it.Reason == string(reason) {
				return true
			}
		}
	}
	return false
}
