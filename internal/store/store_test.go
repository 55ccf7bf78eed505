package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"crossswe/schemas"
)

var at = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func open(t *testing.T, file string) *Store {
	t.Helper()
	s, err := Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func review(reviewer string) schemas.Review {
	return schemas.Review{Candidate: "a-1_b-2-0123456789", Reviewer: reviewer, Choice: schemas.ChoiceDrop, Reason: schemas.ReasonMention, At: at}
}

func TestRecordsAndItemsComeBackAsWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dir with blank", "s.db")
	s := open(t, file)
	item := Item{Stage: StageScreen, ID: "x", Input: "i", State: Dropped, Reason: "mere_mention", Detail: "d", At: at}
	batch := Batch{Records: []schemas.Record{review("b"), review("a")}, Items: []Item{item}, Marks: []Mark{{"m", "7"}}}
	for range 2 { // a second commit of the same batch changes nothing
		if err := s.Commit(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()

	s = open(t, file)
	all, err := All[schemas.Review](t.Context(), s)
	if diff := cmp.Diff([]schemas.Review{review("a"), review("b")}, all); diff != "" || err != nil {
		t.Errorf("reviews (-want +got): %v\n%s", err, diff)
	}
	got, ok, err := s.Item(t.Context(), StageScreen, "x")
	if diff := cmp.Diff(item, got); diff != "" || !ok || err != nil {
		t.Errorf("item: %v %v\n%s", ok, err, diff)
	}
	if v, err := s.Mark(t.Context(), "m"); v != "7" || err != nil {
		t.Errorf("mark: got %q, %v; want 7", v, err)
	}
}

func TestGoneItemsAreForgotten(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "s.db"))
	a, b := Item{Stage: StageMine, ID: "a", State: Dropped, At: at}, Item{Stage: StageMine, ID: "b", State: Dropped, At: at}
	for _, batch := range []Batch{{Items: []Item{a, b}}, {Gone: []Item{{Stage: StageMine, ID: "a"}, {Stage: StageScreen, ID: "b"}}}} {
		if err := s.Commit(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Items(t.Context(), StageMine, Dropped)
	if diff := cmp.Diff([]Item{b}, got); diff != "" || err != nil {
		t.Errorf("items left (-want +got): %v\n%s", err, diff)
	}
}

func TestABatchIsWrittenWholeOrNotAtAll(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "s.db"))
	bad := review("")
	err := s.Commit(t.Context(), Batch{
		Records: []schemas.Record{review("a"), bad},
		Items:   []Item{{Stage: StageScreen, ID: "x", State: Kept, At: at}},
	})
	if err == nil {
		t.Fatal("a record without a reviewer was written")
	}
	if all, _ := All[schemas.Review](t.Context(), s); len(all) != 0 {
		t.Errorf("got %d reviews after a refused batch, want 0", len(all))
	}
	if _, ok, _ := s.Item(t.Context(), StageScreen, "x"); ok {
		t.Error("the item of a refused batch is there")
	}
}

func TestDone(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "s.db"))
	for _, it := range []Item{
		{Stage: StageBuild, ID: "kept", Input: "1", State: Kept, At: at},
		{Stage: StageBuild, ID: "dropped", Input: "1", State: Dropped, Reason: "r", At: at},
		{Stage: StageBuild, ID: "failed", Input: "1", State: Failed, Reason: "r", At: at},
	} {
		if err := s.Commit(t.Context(), Batch{Items: []Item{it}}); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		id, input string
		want      bool
	}{
		{"kept", "1", true},
		{"kept", "2", false}, // its input changed
		{"dropped", "1", true},
		{"failed", "1", false}, // taken again
		{"unknown", "1", false},
	}
	for _, tt := range tests {
		if got, err := s.Done(t.Context(), StageBuild, tt.id, tt.input); got != tt.want || err != nil {
			t.Errorf("Done(%s, %s) = %v, %v; want %v", tt.id, tt.input, got, err, tt.want)
		}
	}
}

func TestFunnelKeepsTheOrderOfTheStages(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "s.db"))
	var items []Item
	for i, x := range []struct {
		stage  Stage
		state  State
		reason string
	}{{StageVerify, Kept, ""}, {StageMine, Dropped, "bot_bump"}, {StageMine, Kept, ""}, {StageMine, Dropped, "fork"}, {StageMine, Dropped, "fork"}} {
		items = append(items, Item{Stage: x.stage, ID: fmt.Sprint(i), State: x.state, Reason: x.reason, At: at})
	}
	if err := s.Commit(t.Context(), Batch{Items: items}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Funnel(t.Context())
	want := []FunnelRow{{StageMine, Kept, "", 1}, {StageMine, Dropped, "fork", 2}, {StageMine, Dropped, "bot_bump", 1}, {StageVerify, Kept, "", 1}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("funnel: %v\n%s", err, diff)
	}
}

func TestManyWritersOnOneFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.db")
	var stores []*Store
	for range 3 { // as three processes would
		stores = append(stores, open(t, file))
	}
	g, ctx := errgroup.WithContext(t.Context())
	for i := range 60 {
		g.Go(func() error {
			return stores[i%3].Commit(ctx, Batch{Items: []Item{{Stage: StageMine, ID: fmt.Sprint(i), State: Kept, At: at}}})
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if got, err := stores[0].Items(t.Context(), StageMine, Kept); len(got) != 60 || err != nil {
		t.Errorf("got %d items, %v; want 60", len(got), err)
	}
}

func TestOpenRefuses(t *testing.T) {
	ctx := context.Background()
	foreign := filepath.Join(t.TempDir(), "foreign.db")
	db, err := sql.Open("sqlite", foreign)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(ctx, "CREATE TABLE theirs (x)"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	if _, err := Open(ctx, foreign); !errors.Is(err, ErrForeign) {
		t.Errorf("a database of another program: got %v, want ErrForeign", err)
	}

	newer := filepath.Join(t.TempDir(), "newer.db")
	s := open(t, newer)
	if _, err := s.db.ExecContext(ctx, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)"); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(ctx, newer); err == nil || !strings.Contains(err.Error(), "newer program") {
		t.Errorf("a newer schema: got %v", err)
	}
}

func TestAnUnreadableRecordIsAnErrorNotAnEmptyOne(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "s.db"))
	if _, err := s.db.ExecContext(t.Context(), "INSERT INTO records (kind, key, body) VALUES ('review', 'k', '{\"candidate\":\"a-1\",\"novel\":1}')"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Get[schemas.Review](t.Context(), s, "k"); err == nil || !strings.Contains(err.Error(), "novel") {
		t.Errorf("got %v, want an error that names the unknown field", err)
	}
}
