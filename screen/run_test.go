package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"crossswe/internal/cli"
	"crossswe/internal/config"
	"crossswe/internal/store"
	"crossswe/schemas"
)

var at = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// desk is a store with two candidates in the queue and one that mine dropped.
type desk struct {
	t      *testing.T
	store  *store.Store
	a, b   string // ids; a has the higher score
	asJSON bool
	stdin  string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	a, b, dropped := candidate(1, 5), candidate(2, 3), candidate(3, 9)
	item := func(c schemas.Candidate, state store.State) store.Item {
		return store.Item{Stage: store.StageMine, ID: string(c.ID), State: state, At: at}
	}
	err = s.Commit(t.Context(), store.Batch{Records: []schemas.Record{a, b, dropped},
		Items: []store.Item{item(a, store.Kept), item(b, store.Kept), item(dropped, store.Dropped)}})
	if err != nil {
		t.Fatal(err)
	}
	return &desk{t: t, store: s, a: string(a.ID), b: string(b.ID)}
}

func candidate(pull int, score float64) schemas.Candidate {
	sha := schemas.CommitSHA(strings.Repeat("a", 40))
	sides := []schemas.Side{
		{Repo: "ann/lib", Pull: pull, Base: sha, Head: sha, Title: "Add a limit", MergedAt: at, Role: schemas.RoleProvider},
		{Repo: "bob/app", Base: sha, Head: sha, Title: "Use the limit", MergedAt: at, Role: schemas.RoleConsumer},
	}
	return schemas.Candidate{ID: schemas.NewCandidateID(sides), Origin: schemas.OriginMined, Sides: sides, Score: schemas.Score{Total: score}, WindowFrom: at, WindowTo: at}
}

// try calls the program with a line of arguments; A and B stand for the ids.
func (d *desk) try(line string) (string, error) {
	d.t.Helper()
	args := strings.Fields(line)
	for i, a := range args {
		args[i] = map[string]string{"A": d.a, "B": d.b}[a]
		if args[i] == "" {
			args[i] = a
		}
	}
	var out bytes.Buffer
	cfg := &config.Config{Screen: config.Screen{Reviewers: 2, Adjudicators: []string{"zoe"}}}
	stage := &cli.Stage{Name: store.StageScreen, Config: cfg, Store: d.store, Log: slog.New(slog.DiscardHandler), Out: cli.NewOutput(&out, d.asJSON), Args: args}
	err := run(d.t.Context(), &session{Stage: stage, now: func() time.Time { return at.Add(time.Millisecond) }, stdin: strings.NewReader(d.stdin)})
	return out.String(), err
}

func (d *desk) do(line string) string {
	d.t.Helper()
	out, err := d.try(line)
	if err != nil {
		d.t.Fatalf("%s: %v", line, err)
	}
	return out
}

// states returns "id state reason" of every item of screen.
func (d *desk) states() string {
	d.t.Helper()
	var all []string
	for _, state := range []store.State{store.Kept, store.Dropped, store.Failed} {
		items, err := d.store.Items(d.t.Context(), store.StageScreen, state)
		if err != nil {
			d.t.Fatal(err)
		}
		for _, it := range items {
			name := strings.NewReplacer(d.a, "A", d.b, "B").Replace(it.ID)
			all = append(all, strings.TrimSpace(name+" "+string(it.State)+" "+it.Reason))
		}
	}
	return strings.Join(all, ", ")
}

func TestTwoReviewersAgreeAndAnAdjudicatorSettlesTheRest(t *testing.T) {
	d := newDesk(t)
	steps := []struct{ line, out, states string }{
		{"decide A keep -reviewer ann -intent bug_fixing", "open", ""},
		{"decide A keep -reviewer ANN", "open", ""}, // the same person again
		{"decide A keep -reviewer bob", "decided", "A kept"},
		{"decide B -reason fork -reviewer ann drop", "open", "A kept"},
		{"decide B keep -reviewer bob", "disagreed", "A kept"},
		{"decide B drop -reason fork -reviewer zoe", "decided", "A kept, B dropped fork"},
		{"decide A drop -reason ci_only -reviewer bob", "disputed", "A kept, B dropped fork"},
		{"decide A drop -reason ci_only -reviewer zoe", "decided", "A dropped ci_only, B dropped fork"},
	}
	for _, step := range steps {
		out := d.do(step.line)
		if !strings.HasSuffix(out, ": "+step.out+"\n") || d.states() != step.states {
			states := d.states()
			t.Errorf("%s: got %q and %q, want %q and %q", step.line, out, states, step.out, step.states)
		}
	}
	if reviews, err := store.All[schemas.Review](t.Context(), d.store); len(reviews) != len(steps) || err != nil {
		t.Errorf("got %d reviews, %v; want all %d kept", len(reviews), err, len(steps))
	}
}

func TestRefusals(t *testing.T) {
	d := newDesk(t)
	for _, line := range []string{"decide A keep -reviewer ann", "decide A keep -reviewer bob"} {
		d.do(line)
	}
	tests := []struct{ line, want string }{
		{"", "a command is required"},
		{"dance", "unknown command"},
		{"show", "want the arguments"},
		{"show A B", "want the arguments"},
		{"show nobody-1", "not in the queue"},
		{"list -nonsense", "-nonsense"},
		{"decide B keep", "reviewer"},
		{"decide B maybe -reviewer ann -reason fork", "unknown choice"},
		{"decide B drop -reviewer ann", "unknown reason"},
		{"decide B keep -reviewer ann -intent fun", "feature_development"},
		{"decide B keep -reviewer ann -domain WEB", "domain"},
		{"decide A drop -reason fork -reviewer eve", "it is decided"},
		{"decide " + string(candidate(3, 9).ID) + " keep -reviewer ann", "not in the queue"},
		{"import missing.jsonl", "no such file"},
		{"statement A", "no statement"},
	}
	before := d.do("export")
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			out, err := d.try(tt.line)
			var usage *cli.UsageError
			if !errors.As(err, &usage) || !strings.Contains(err.Error(), tt.want) || out != "" {
				t.Errorf("got %q, %v; want a usage error with %q", out, err, tt.want)
			}
		})
	}
	if after := d.do("export"); after != before {
		t.Errorf("a refused call changed the store:\n%s", after)
	}
}

func TestTheQueue(t *testing.T) {
	d := newDesk(t)
	d.do("decide A keep -reviewer ann")
	order := func(line string) string {
		var ids []string
		for _, l := range strings.Split(d.do(line), "\n") {
			for name, id := range map[string]string{"A": d.a, "B": d.b} {
				if strings.HasSuffix(l, id) {
					ids = append(ids, name)
				}
			}
		}
		return strings.Join(ids, " ")
	}
	for line, want := range map[string]string{"list": "A B", "list -reviewer ann": "B", "list -reviewer bob": "A B"} {
		if got := order(line); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
	d.do("decide A keep -reviewer bob")
	for line, want := range map[string]string{"list": "B", "list -all": "A B"} {
		if got := order(line); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
	if out := d.do("show A"); !strings.Contains(out, "Add a limit") || !strings.Contains(out, "ann: keep") {
		t.Errorf("show: got %s", out)
	}
	if out := d.do("stats"); !strings.Contains(out, "Krippendorff") {
		t.Errorf("stats: got %s", out)
	}
}

func TestShowHidesTheOtherReviewer(t *testing.T) {
	d := newDesk(t)
	d.do("decide A drop -reason fork -reviewer ann -notes secret")
	for _, asJSON := range []bool{false, true} {
		d.asJSON = asJSON
		if out := d.do("show A -reviewer bob"); strings.Contains(out, "secret") || strings.Contains(out, "fork") {
			t.Errorf("with -json=%v bob sees ann's review: %s", asJSON, out)
		}
		if out := d.do("show A -reviewer ann"); !strings.Contains(out, "secret") {
			t.Errorf("with -json=%v ann does not see her own review: %s", asJSON, out)
		}
	}
}

func TestExportThenImportElsewhere(t *testing.T) {
	from, to := newDesk(t), newDesk(t)
	for _, line := range []string{"decide A keep -reviewer ann", "decide A keep -reviewer bob", "decide B keep -reviewer ann", "decide B drop -reason fork -reviewer bob", "decide B keep -reviewer zoe"} {
		from.do(line)
	}
	file := filepath.Join(t.TempDir(), "reviews.jsonl")
	from.do("export " + file)
	if out := to.do("import " + file); out != "5 reviews and 2 decisions are new, of 7 lines\n" {
		t.Errorf("got %q", out)
	}
	if out := to.do("import " + file); out != "0 reviews and 0 decisions are new, of 7 lines\n" {
		t.Errorf("the second time: got %q", out)
	}
	if diff := cmp.Diff(from.do("export"), to.do("export")); diff != "" {
		t.Errorf("-exported +imported:\n%s", diff)
	}
	if from.states() != to.states() || to.states() != "A kept, B kept" {
		t.Errorf("got states %q, want %q", to.states(), from.states())
	}
}

func TestAnImportWithAFaultWritesNothing(t *testing.T) {
	d := newDesk(t)
	line := `{"record":"review","body":{"candidate":"` + d.a + `","reviewer":"ann","choice":"keep","reason":"joint","at":"2026-01-01T00:00:00Z"}}` + "\n"
	d.stdin = line + strings.Replace(line, "joint", "fork", 1)
	if _, err := d.try("import -"); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("got %v", err)
	}
	if out := d.do("export"); out != "" {
		t.Errorf("half a file was imported: %s", out)
	}
}

func TestJSONHoldsRecordsAndNothingElse(t *testing.T) {
	d := newDesk(t)
	d.asJSON = true
	var kinds []string
	for _, line := range []string{"decide A keep -reviewer ann", "decide A keep -reviewer bob", "list -all", "show A", "stats", "export"} {
		for l := range strings.Lines(d.do(line)) {
			var rec struct {
				Record schemas.Kind    `json:"record"`
				Body   json.RawMessage `json:"body"`
			}
			if err := json.Unmarshal([]byte(l), &rec); err != nil {
				t.Fatalf("%s: %q: %v", line, l, err)
			}
			kinds = append(kinds, string(rec.Record))
		}
	}
	want := "review review decision candidate candidate candidate review review decision review review decision"
	if got := strings.Join(kinds, " "); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestStatements(t *testing.T) {
	d := newDesk(t)
	draft := schemas.Statement{Candidate: schemas.CandidateID(d.a), Text: "# Draft", Interface: []string{"WithLimit"}, Method: "extractive",
		Findings: []schemas.LintFinding{{Rule: "commit_id", Text: "abc"}}, Linted: schemas.Digest("sha256:" + strings.Repeat("0", 64)), At: at}
	if err := d.store.Commit(t.Context(), store.Batch{Records: []schemas.Record{draft}}); err != nil {
		t.Fatal(err)
	}
	stored := func() schemas.Statement {
		t.Helper()
		st, _, err := store.Get[schemas.Statement](t.Context(), d.store, d.a)
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	if out := d.do("statement A"); !strings.Contains(out, "# Draft") || !strings.Contains(out, "commit_id") {
		t.Errorf("got %s", out)
	}
	d.do("approve A -reviewer ann")
	d.do("approve A -reviewer bob")
	if got := stored(); got.Approved != "ann" {
		t.Errorf("approved by %q, want the first: ann", got.Approved)
	}
	file := filepath.Join(t.TempDir(), "text.md")
	if err := os.WriteFile(file, []byte("# Better"), 0o666); err != nil {
		t.Fatal(err)
	}
	d.do("edit A " + file + " -interface WithLimit,Limit")
	want := schemas.Statement{Candidate: schemas.CandidateID(d.a), Text: "# Better", Interface: []string{"WithLimit", "Limit"}, Method: "person", Findings: []schemas.LintFinding{}, At: at}
	if diff := cmp.Diff(want, stored()); diff != "" {
		t.Errorf("after the edit (-want +got):\n%s", diff)
	}
	if _, err := d.try("approve A -reviewer ann"); err == nil || !strings.Contains(err.Error(), "run publish first") {
		t.Errorf("a text that the lint has not read was approved: %v", err)
	}
	if _, err := d.try("approve A"); err == nil {
		t.Error("nobody approved")
	}
}

// Two reviewers who judge at the same moment decide the candidate between them.
func TestReviewsAtTheSameMomentAreCountedTogether(t *testing.T) {
	for range 20 {
		d := newDesk(t)
		var g errgroup.Group
		for _, line := range []string{"decide A keep -reviewer ann", "decide A keep -reviewer bob", "decide B keep -reviewer ann", "decide B keep -reviewer bob"} {
			g.Go(func() error {
				_, err := d.try(line)
				return err
			})
		}
		if err := g.Wait(); err != nil {
			t.Fatal(err)
		}
		if got := d.states(); got != "A kept, B kept" && got != "B kept, A kept" {
			t.Fatalf("states %q, want both candidates kept", got)
		}
	}
}
