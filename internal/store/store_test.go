package store

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"crossswe/internal/pgtest"
	"crossswe/schemas"
)

var postgres pgtest.Server

func TestMain(m *testing.M) { os.Exit(postgres.Run(m)) }

// engines are the two kinds of store; each makes the place of a new one.
var engines = []struct {
	name  Engine
	place func(*testing.T) string
}{
	{SQLite, func(t *testing.T) string { return filepath.Join(t.TempDir(), "dir with blank", "s.db") }},
	{Postgres, func(t *testing.T) string { return postgres.Database(t) }},
}

// onBoth runs a test on each engine, with the place of a store yet to be made.
func onBoth(t *testing.T, test func(t *testing.T, place string)) {
	for _, e := range engines {
		t.Run(string(e.name), func(t *testing.T) { test(t, e.place(t)) })
	}
}

var at = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func open(t *testing.T, place string) *Store {
	t.Helper()
	s, err := Open(t.Context(), place)
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
	onBoth(t, func(t *testing.T, place string) {
		s := open(t, place)
		item := Item{Stage: StageScreen, ID: "x", Input: "i", State: Dropped, Reason: "mere_mention", Detail: "d", At: at}
		batch := Batch{Records: []schemas.Record{review("b"), review("a")}, Items: []Item{item}, Marks: []Mark{{"m", "7"}}}
		for range 2 { // a second commit of the same batch changes nothing
			if err := s.Commit(t.Context(), batch); err != nil {
				t.Fatal(err)
			}
		}
		s.Close()

		s = open(t, place)
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
	})
}

func TestGoneItemsAreForgotten(t *testing.T) {
	onBoth(t, func(t *testing.T, place string) {
		s := open(t, place)
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
	})
}

func TestABatchIsWrittenWholeOrNotAtAll(t *testing.T) {
	onBoth(t, func(t *testing.T, place string) {
		s := open(t, place)
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
	})
}

func TestDone(t *testing.T) {
	onBoth(t, func(t *testing.T, place string) {
		s := open(t, place)
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
	})
}

func TestFunnelKeepsTheOrderOfTheStages(t *testing.T) {
	onBoth(t, func(t *testing.T, place string) {
		s := open(t, place)
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
	})
}

// TestManyWriters has three processes' stores write the same rows in opposite
// orders: neither may lock the other out.
func TestManyWriters(t *testing.T) {
	onBoth(t, func(t *testing.T, place string) {
		var stores []*Store
		for range 3 {
			stores = append(stores, open(t, place))
		}
		shared := []string{"a", "b", "c", "d", "e"}
		g, ctx := errgroup.WithContext(t.Context())
		for i := range 60 {
			batch := Batch{Items: []Item{{Stage: StageMine, ID: fmt.Sprint(i), State: Kept, At: at}}}
			for _, x := range shared {
				batch.Records = append(batch.Records, review(x))
				batch.Items = append(batch.Items, Item{Stage: StageBuild, ID: x, State: Kept, At: at})
				batch.Gone = append(batch.Gone, Item{Stage: StageScreen, ID: x})
				batch.Marks = append(batch.Marks, Mark{x, "1"})
			}
			shared = slices.Clone(shared)
			slices.Reverse(shared)
			g.Go(func() error { return stores[i%3].Commit(ctx, batch) })
		}
		if err := g.Wait(); err != nil {
			t.Fatal(err)
		}
		if got, err := stores[0].Items(t.Context(), StageMine, Kept); len(got) != 60 || err != nil {
			t.Errorf("got %d items, %v; want 60", len(got), err)
		}
	})
}

func TestAnUnreadableRecordIsAnErrorNotAnEmptyOne(t *testing.T) {
	onBoth(t, func(t *testing.T, place string) {
		s := open(t, place)
		if _, err := s.db.ExecContext(t.Context(), "INSERT INTO records (kind, key, body) VALUES ('review', 'k', '{\"candidate\":\"a-1\",\"novel\":1}')"); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Get[schemas.Review](t.Context(), s, "k"); err == nil || !strings.Contains(err.Error(), "novel") {
			t.Errorf("got %v, want an error that names the unknown field", err)
		}
	})
}

// TestTextComesBack has what engines differ in: blanks, case, bytes that are no
// text, times within a second and of another zone.
func TestTextComesBack(t *testing.T) {
	onBoth(t, func(t *testing.T, place string) {
		s := open(t, place)
		zone := time.FixedZone("", 2*60*60)
		written := []Item{
			{Stage: StageMine, ID: "a b", State: Dropped, Reason: "Zé ", Detail: " \t\n'\"\\ $1 ? :x \U0001F600", At: time.Date(2026, 3, 4, 5, 6, 7, 123456789, zone)},
			{Stage: StageMine, ID: "B", State: Dropped, Detail: "", At: time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC)},
			{Stage: StageMine, ID: "é", State: Dropped, Detail: "nul \x00 and no text \xff\xfe.", At: time.Time{}},
			{Stage: StageMine, ID: "_", State: Dropped, Detail: strings.Repeat("x", 1<<20), At: at},
		}
		mark := Mark{"repository a/B", "2026-03-04T05:06:07.000000089Z \U0001F600"}
		if err := s.Commit(t.Context(), Batch{Items: written, Marks: []Mark{mark}}); err != nil {
			t.Fatal(err)
		}
		want := []Item{written[1], written[3], written[0], written[2]} // by their bytes
		want[2].At = want[2].At.UTC()
		want[3].Detail = "nul \uFFFD and no text \uFFFD."
		got, err := s.Items(t.Context(), StageMine, Dropped)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("items (-want +got): %v\n%s", err, diff)
		}
		if v, err := s.Mark(t.Context(), mark.Name); v != mark.Value || err != nil {
			t.Errorf("mark: got %q, %v; want %q", v, err, mark.Value)
		}
		if v, err := s.Mark(t.Context(), "missing"); v != "" || err != nil {
			t.Errorf("a mark that is not there: got %q, %v", v, err)
		}
	})
}

func TestRecordsAreReadOneByOne(t *testing.T) {
	onBoth(t, func(t *testing.T, place string) {
		s := open(t, place)
		want := review("a")
		want.Notes = "nul \x00, blank  and \u2028"
		if err := s.Commit(t.Context(), Batch{Records: []schemas.Record{want, review("b")}}); err != nil {
			t.Fatal(err)
		}
		got, ok, err := Get[schemas.Review](t.Context(), s, want.RecordKey())
		if diff := cmp.Diff(want, got); diff != "" || !ok || err != nil {
			t.Errorf("record: %v %v (-want +got)\n%s", ok, err, diff)
		}
		if _, ok, err := Get[schemas.Review](t.Context(), s, "missing"); ok || err != nil {
			t.Errorf("a record that is not there: got %v, %v", ok, err)
		}
	})
}

func TestTheLastOfABatchWins(t *testing.T) {
	onBoth(t, func(t *testing.T, place string) {
		s := open(t, place)
		item := func(id, detail string) Item {
			return Item{Stage: StageBuild, ID: id, State: Kept, Detail: detail, At: at}
		}
		batch := Batch{
			Items: []Item{item("a", "first"), item("b", "gone"), item("a", "last")},
			Gone:  []Item{item("b", "")},
			Marks: []Mark{{"m", "first"}, {"m", "last"}},
		}
		if err := s.Commit(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
		got, err := s.Items(t.Context(), StageBuild, Kept)
		if diff := cmp.Diff([]Item{item("a", "last")}, got); diff != "" || err != nil {
			t.Errorf("items (-want +got): %v\n%s", err, diff)
		}
		if v, _ := s.Mark(t.Context(), "m"); v != "last" {
			t.Errorf("mark: got %q, want last", v)
		}
	})
}

func TestWhatAlsoIsWritten(t *testing.T) {
	onBoth(t, func(t *testing.T, place string) {
		s := open(t, place)
		refusal := errors.New("refused")
		also := func(err error) func(*sql.Tx) error {
			return func(tx *sql.Tx) error {
				_, execErr := tx.ExecContext(t.Context(), "INSERT INTO marks (name, value) VALUES ($1, $2)", "also", "1")
				return errors.Join(execErr, err)
			}
		}
		batch := Batch{Marks: []Mark{{"m", "1"}}}
		if err := s.CommitWith(t.Context(), batch, also(refusal)); !errors.Is(err, refusal) {
			t.Fatalf("got %v, want %v", err, refusal)
		}
		marks := func() [2]string {
			a, _ := s.Mark(t.Context(), "also")
			m, _ := s.Mark(t.Context(), "m")
			return [2]string{a, m}
		}
		if got, want := marks(), [2]string{}; got != want {
			t.Errorf("after a refusal: got %q, want %q", got, want)
		}
		if err := s.CommitWith(t.Context(), batch, also(nil)); err != nil {
			t.Fatal(err)
		}
		if got, want := marks(), [2]string{"1", "1"}; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestNow(t *testing.T) {
	onBoth(t, func(t *testing.T, place string) {
		s := open(t, place)
		before := time.Now().Truncate(time.Millisecond)
		first, err := s.Now(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		second, err := s.Now(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if first.Before(before) || second.Before(first) || second.After(time.Now()) || first.Location() != time.UTC {
			t.Errorf("got %v and %v, which are not in order after %v, in UTC", first, second, before)
		}
	})
}

func TestEngineAndListener(t *testing.T) {
	onBoth(t, func(t *testing.T, place string) {
		s := open(t, place)
		pool, err := s.Listener(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := pool != nil, s.Engine() == Postgres; got != want {
			t.Fatalf("%s: listens %v, want %v", s.Engine(), got, want)
		}
		if pool == nil {
			return
		}
		defer pool.Close()
		conn, err := pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Release()
		if _, err := conn.Exec(t.Context(), "LISTEN here"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.DB().ExecContext(t.Context(), "SELECT pg_notify('here', 'news')"); err != nil {
			t.Fatal(err)
		}
		got, err := conn.Conn().WaitForNotification(t.Context())
		if err != nil || got.Payload != "news" {
			t.Errorf("got %v, %v; want news", got, err)
		}
	})
}
