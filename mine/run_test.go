package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crossswe/e2e/world"
	"crossswe/internal/cli"
	"crossswe/internal/gitrepo/gitrepotest"
	"crossswe/internal/store"
	"crossswe/schemas"
)

// small is a world of one pair.
func small(t *testing.T) (string, []world.Change) {
	t.Helper()
	dir := t.TempDir()
	changes, err := world.Make(t.Context(), dir, world.Named("go-behaviour")...)
	if err != nil {
		t.Fatal(err)
	}
	return dir, changes
}

// everything reads all that the store holds of mine.
func everything(t *testing.T, s *cli.Stage) (out []any) {
	t.Helper()
	candidates, err := store.All[schemas.Candidate](t.Context(), s.Store)
	if err != nil {
		t.Fatal(err)
	}
	out = append(out, candidates)
	for _, state := range []store.State{store.Kept, store.Dropped, store.Failed} {
		items, err := s.Store.Items(t.Context(), store.StageMine, state)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, items)
	}
	return out
}

func TestASecondRunChangesNothing(t *testing.T) {
	dir, _ := small(t)
	s := stage(t, dir, "")
	mineAll(t, s)
	first := everything(t, s)
	later := func() time.Time { return now.Add(time.Hour) }
	if err := run(t.Context(), s, options{}, later); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, everything(t, s)); diff != "" {
		t.Errorf("unchanged repositories (-want +got)\n%s", diff)
	}
	// A new branch is a reason to look again, and what is found is the same.
	git(t, filepath.Join(dir, "tide-example", "gauge.git"), "update-ref", "refs/heads/copy", "HEAD")
	if err := run(t.Context(), s, options{}, later); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, everything(t, s)); diff != "" {
		t.Errorf("after a new branch (-want +got)\n%s", diff)
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := gitrepotest.Run(dir, nil, args...)
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

func TestWhatIsNoLongerFoundIsForgotten(t *testing.T) {
	dir, _ := small(t)
	s := stage(t, dir, "mine: {from: 2030-01-01, to: 2030-01-02}")
	mineAll(t, s)
	if drops := everything(t, s)[2].([]store.Item); len(drops) == 0 {
		t.Fatal("nothing landed outside the window")
	}
	s.Config.Mine.From.Time, s.Config.Mine.To.Time = now.AddDate(-2, 0, 0), now
	mineAll(t, s)
	all := everything(t, s)
	if kept := all[1].([]store.Item); len(kept) != 1 {
		t.Errorf("kept: got %v, want the one pair", kept)
	}
	for _, it := range all[2].([]store.Item) {
		if it.Reason == string(schemas.DropOutOfWindow) && strings.Contains(it.Detail, "outside the window") {
			t.Errorf("still there: %+v", it)
		}
	}
}

func TestAnInterruptedRunWritesNothing(t *testing.T) {
	dir, _ := small(t)
	s := stage(t, dir, "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, s, options{}, clock); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the interruption", err)
	}
	for i, all := range everything(t, s) {
		if n := len(toItems(all)); n > 0 {
			t.Errorf("kind %d: %d entries", i, n)
		}
	}
	mineAll(t, s)
	if got := everything(t, s)[0].([]schemas.Candidate); len(got) != 1 {
		t.Errorf("the next run: got %d candidates, want 1", len(got))
	}
}

func toItems(v any) []store.Item {
	items, _ := v.([]store.Item)
	return items
}

func TestJSONLinesAndNothingElse(t *testing.T) {
	dir, _ := small(t)
	for _, dry := range []bool{true, false} {
		s := stage(t, dir, "")
		var out bytes.Buffer
		s.Out = cli.NewOutput(&out, true)
		if err := run(t.Context(), s, options{dryRun: dry}, clock); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		var line struct {
			Record schemas.Kind    `json:"record"`
			Body   json.RawMessage `json:"body"`
		}
		if err := json.Unmarshal([]byte(lines[0]), &line); err != nil || len(lines) != 1 || line.Record != schemas.KindCandidate {
			t.Fatalf("dry %v: %v, got\n%s", dry, err, out.String())
		}
		if _, err := schemas.Decode[schemas.Candidate](line.Body); err != nil {
			t.Errorf("dry %v: %v", dry, err)
		}
		if n := len(everything(t, s)[0].([]schemas.Candidate)); (n == 0) != dry {
			t.Errorf("dry %v: %d candidates are in the store", dry, n)
		}
	}
}

func TestAdd(t *testing.T) {
	dir, changes := small(t)
	var gauge, harbor world.Change
	for _, c := range changes {
		switch c.Name() {
		case "tide-example/gauge#31":
			gauge = c
		case "tide-example/harbor#27":
			harbor = c
		}
	}
	arg := func(c world.Change, digits int) string {
		return string(c.Repo) + "@" + string(c.Base)[:digits] + ".." + string(c.Head)[:digits]
	}
	mined := stage(t, dir, "")
	mineAll(t, mined)
	want := everything(t, mined)[0].([]schemas.Candidate)[0]
	for name, args := range map[string][]string{
		"whole ids": {arg(gauge, 40), arg(harbor, 40)}, "short ids": {arg(gauge, 9), arg(harbor, 9)}, "the other order": {arg(harbor, 12), arg(gauge, 12)},
	} {
		t.Run(name, func(t *testing.T) {
			s := stage(t, dir, "", args...)
			for range 2 {
				if err := run(t.Context(), s, options{add: true}, clock); err != nil {
					t.Fatal(err)
				}
			}
			got := everything(t, s)[0].([]schemas.Candidate)
			if len(got) != 1 || got[0].Origin != schemas.OriginAdded || len(got[0].Links) != 1 || got[0].Links[0].Kind != schemas.LinkCuratorSet {
				t.Fatalf("got %+v", got)
			}
			if got[0].ID != want.ID {
				t.Errorf("id: got %s, mined %s", got[0].ID, want.ID)
			}
			if diff := cmp.Diff(want.Sides, got[0].Sides); diff != "" {
				t.Errorf("sides (-mined +added)\n%s", diff)
			}
		})
	}
}

func TestAddRefuses(t *testing.T) {
	dir, changes := small(t)
	good := string(changes[0].Repo) + "@" + string(changes[0].Base) + ".." + string(changes[0].Head)
	none := strings.Repeat("0", 40)
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"one range", []string{good}, "2 to 5"},
		{"no range", []string{good, "tide-example/harbor"}, "owner/name@BASE..HEAD"},
		{"three dots", []string{good, "tide-example/harbor@a...b"}, "owner/name@BASE..HEAD"},
		{"no repository", []string{good, "nobody/nothing@HEAD~1..HEAD"}, "not at hand"},
		{"a bad name", []string{good, "harbor@HEAD~1..HEAD"}, "want owner/name"},
		{"a commit that is not there", []string{good, "tide-example/harbor@" + none + "..HEAD"}, "has no commit"},
		{"an option for a commit", []string{good, "tide-example/harbor@--all..HEAD"}, "has no commit"},
		{"the wrong way round", []string{good, "tide-example/harbor@HEAD..HEAD~1"}, "no ancestor"},
		{"nothing between", []string{good, "tide-example/harbor@HEAD..HEAD"}, "same commit"},
		{"one repository twice", []string{good, strings.ToUpper(good[:3]) + good[3:]}, "named twice"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := stage(t, dir, "", tt.args...)
			err := run(t.Context(), s, options{add: true}, clock)
			var usage *cli.UsageError
			if err == nil || !strings.Contains(err.Error(), tt.want) || !errors.As(err, &usage) {
				t.Errorf("got %v, want a usage error with %q", err, tt.want)
			}
		})
	}
}

func TestRepositoriesThatCannotBeRead(t *testing.T) {
	dir, _ := small(t)
	odd := filepath.Join(dir, "odd-example")
	for _, name := range []string{"directory", "shallow.git", "empty.git"} {
		if err := os.MkdirAll(filepath.Join(odd, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	git(t, filepath.Join(odd, "empty.git"), "init", "-q", "--bare")
	git(t, odd, "clone", "-q", "--bare", "--depth=2", "file://"+filepath.Join(dir, "tide-example", "gauge.git"), "shallow.git")
	s := stage(t, dir, "")
	for range 2 { // also when nothing is new
		if err := run(t.Context(), s, options{}, clock); err == nil || !strings.Contains(err.Error(), "odd-example/shallow (shallow)") {
			t.Fatalf("got %v, want an error that names what was left out", err)
		}
	}
	all := everything(t, s)
	got := map[string]string{}
	for _, it := range all[3].([]store.Item) {
		got[it.ID] = it.Reason
		if it.Detail == "" || strings.Contains(it.Detail, "\n") {
			t.Errorf("%s: detail %q", it.ID, it.Detail)
		}
	}
	want := map[string]string{"repository odd-example/directory": "not_a_repository", "repository odd-example/shallow": "shallow", "repository odd-example/empty": "empty"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("failed repositories (-want +got)\n%s", diff)
	}
	if n := len(all[1].([]store.Item)); n != 1 {
		t.Errorf("the others are mined: got %d candidates, want 1", n)
	}
	// Once it is mended it is no failure any more.
	git(t, filepath.Join(odd, "shallow.git"), "fetch", "-q", "--unshallow")
	if err := run(t.Context(), s, options{}, clock); err == nil || strings.Contains(err.Error(), "shallow") {
		t.Errorf("got %v, want an error about the other two", err)
	}
	if items := everything(t, s)[3].([]store.Item); slices.ContainsFunc(items, func(it store.Item) bool { return it.Reason == "shallow" }) {
		t.Errorf("still failed: %v", items)
	}
}

func TestNoRepositoryAtAll(t *testing.T) {
	s := stage(t, t.TempDir(), "")
	if err := run(t.Context(), s, options{}, clock); err == nil || !strings.Contains(err.Error(), "no repository") {
		t.Errorf("an empty directory: got %v", err)
	}
	for name, tt := range map[string]struct {
		opt  options
		args []string
	}{"an argument without -add": {args: []string{"a/b@c..d"}}, "a negative limit": {opt: options{limit: -1}}} {
		var usage *cli.UsageError
		if err := run(t.Context(), stage(t, t.TempDir(), "", tt.args...), tt.opt, clock); !errors.As(err, &usage) {
			t.Errorf("%s: got %v, want a usage error", name, err)
		}
	}
}
