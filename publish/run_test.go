package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crossswe/internal/artefact"
	"crossswe/internal/cli"
	"crossswe/internal/config"
	"crossswe/internal/gitrepo"
	"crossswe/internal/gitrepo/gitrepotest"
	"crossswe/internal/patch"
	"crossswe/internal/store"
	"crossswe/schemas"
)

var at = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// desk is a store with one verified candidate over two real repositories.
type desk struct {
	t         *testing.T
	stage     *cli.Stage
	artefacts *artefact.Store
	id        string
	clock     time.Time
}

const provider = "ann/lib"

func newDesk(t *testing.T) *desk {
	t.Helper()
	dir := t.TempDir()
	s, err := store.Open(t.Context(), filepath.Join(dir, "s.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	kept := filepath.Join(dir, "artefacts")
	a, err := artefact.Open(t.Context(), kept)
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, clock: at, artefacts: a, stage: &cli.Stage{Name: store.StagePublish, Store: s, Log: slog.New(slog.DiscardHandler),
		Config: &config.Config{Store: config.Store{Artefacts: kept}, Publish: config.Publish{Directory: filepath.Join(dir, "dataset"), Name: "owner/name", Approved: true, Canary: "canary 1"}, Verify: config.Verify{TestTimeout: config.Duration(time.Minute)}}}}
	d.verified()
	return d
}

// verified makes the repositories and the records that the stages before leave.
func (d *desk) verified() {
	d.t.Helper()
	lib, app := d.side(provider, gitrepotest.Files{"lib.go": gitrepotest.Text("package lib\n\nfunc New() {}\n"), "lib_test.go": gitrepotest.Text("package lib\n")},
		gitrepotest.Files{"lib.go": gitrepotest.Text("package lib\n\nfunc New() {}\n\n// WithLimit bounds.\nfunc WithLimit(n int) { internalGate(n) }\n"), "lib_test.go": gitrepotest.Text("package lib\n\nfunc use() { WithLimit(1) }\n")}),
		d.side("bob/app", gitrepotest.Files{"app.go": gitrepotest.Text("package app\n")}, gitrepotest.Files{"app.go": gitrepotest.Text("package app\n\nvar limit = 8\n")})
	lib.side.Title, lib.side.Body = "Add a limit on open requests", "Currently the client opens as many requests as it is asked for and fails. It uses internalGate.\n\nFixes #3"
	lib.side.Pull, lib.side.License, lib.side.Role = 7, "MIT", schemas.RoleProvider
	app.side.Title, app.side.Role = "Do not run out of file descriptors while crawling", schemas.RoleConsumer
	sides := []schemas.Side{lib.side, app.side}
	c := schemas.Candidate{ID: schemas.NewCandidateID(sides), Origin: schemas.OriginMined, Sides: sides, WindowFrom: at, WindowTo: at}
	spec := schemas.Spec{Candidate: c.ID, Base: "golang:1.26", History: schemas.HistoryPast}
	for _, s := range sides {
		spec.Repos = append(spec.Repos, schemas.RepoSpec{Repo: s.Repo, Dir: s.Repo.Name(), Base: s.Base})
	}
	image := schemas.DigestOf([]byte("image"))
	joint := []schemas.TestID{"bob/app::app::TestLimit"}
	d.commit(store.Batch{
		Records: []schemas.Record{c,
			schemas.Decision{Candidate: c.ID, Choice: schemas.ChoiceKeep, Reason: schemas.ReasonJoint, How: schemas.HowAgreement, At: at},
			schemas.Environment{Candidate: c.ID, Spec: spec, SpecDigest: image, Image: "crossswe/env:1", ImageID: image, BuiltAt: at},
			schemas.Verdict{Candidate: c.ID, Kind: schemas.VerdictJoint, Level: schemas.LevelSingleTest, Repos: []schemas.RepoName{provider, "bob/app"}, Image: "crossswe/env:1", ImageID: image,
				Patches: []schemas.SidePatch{app.patch, lib.patch}, FailToPass: joint, Joint: joint, VerifiedAt: at}},
		Items: []store.Item{{Stage: store.StageVerify, ID: string(c.ID), State: store.Kept, At: at}},
	})
	d.id = string(c.ID)
}

type made struct {
	side  schemas.Side
	patch schemas.SidePatch
}

// side makes one repository with a base and a head commit.
func (d *desk) side(name schemas.RepoName, before, after gitrepotest.Files) made {
	d.t.Helper()
	repo := gitrepotest.New(d.t)
	base := repo.Commit("base", before)
	head := repo.Commit("head", after, base)
	d.stage.Config.Repositories.List = append(d.stage.Config.Repositories.List, config.Repository{Name: name, Path: repo.Dir})
	r, err := gitrepo.Open(d.t.Context(), repo.Dir)
	if err != nil {
		d.t.Fatal(err)
	}
	defer r.Close()
	split, err := patch.Split(d.t.Context(), r, base, head, patch.SplitOptions{})
	if err != nil {
		d.t.Fatal(err)
	}
	return made{schemas.Side{Repo: name, Base: base, Head: head, MergedAt: at, Language: "Go", Commits: 1, Files: split.Files},
		schemas.SidePatch{Repo: name, Gold: d.put(split.Gold), Test: d.put(split.Test)}}
}

func (d *desk) put(body []byte) schemas.Digest {
	d.t.Helper()
	digest, err := d.artefacts.Put(d.t.Context(), body)
	if err != nil {
		d.t.Fatal(err)
	}
	return digest
}

func (d *desk) commit(b store.Batch) {
	d.t.Helper()
	if err := d.stage.Store.Commit(d.t.Context(), b); err != nil {
		d.t.Fatal(err)
	}
}

// publish runs the stage, an hour after the run before.
func (d *desk) publish() (string, error) {
	d.t.Helper()
	var out bytes.Buffer
	d.stage.Out = cli.NewOutput(&out, true)
	d.clock = d.clock.Add(time.Hour)
	err := run(d.t.Context(), d.stage, func() time.Time { return d.clock }, "test")
	return out.String(), err
}

// want runs the stage and checks what became of the candidate.
func (d *desk) want(state store.State, reason string) store.Item {
	d.t.Helper()
	if _, err := d.publish(); err != nil {
		d.t.Fatal(err)
	}
	it, _, err := d.stage.Store.Item(d.t.Context(), store.StagePublish, d.id)
	if err != nil || it.State != state || it.Reason != reason {
		d.t.Fatalf("got %q, reason %q (%s), %v; want %q, %q", it.State, it.Reason, it.Detail, err, state, reason)
	}
	return it
}

func (d *desk) statement() schemas.Statement {
	d.t.Helper()
	st, ok, err := store.Get[schemas.Statement](d.t.Context(), d.stage.Store, d.id)
	if err != nil || !ok {
		d.t.Fatalf("no statement: %v", err)
	}
	return st
}

func (d *desk) approve() {
	d.t.Helper()
	st := d.statement()
	st.Approved = "zoe"
	d.commit(store.Batch{Records: []schemas.Record{st}})
}

// files returns the dataset's files: name → content and time of change.
func (d *desk) files() map[string]string {
	d.t.Helper()
	found := map[string]string{}
	for _, name := range []string{"README.md", "data/default/test-00000-of-00001.parquet", "data/swebench/test-00000-of-00001.parquet"} {
		file := filepath.Join(d.stage.Config.Publish.Directory, name)
		body, err := os.ReadFile(file)
		if err != nil {
			d.t.Fatal(err)
		}
		info, err := os.Stat(file)
		if err != nil {
			d.t.Fatal(err)
		}
		found[name] = fmt.Sprint(schemas.DigestOf(body), " ", info.ModTime().UnixNano())
	}
	return found
}

func TestADraftWaitsForApprovalAndIsThenPublished(t *testing.T) {
	d := newDesk(t)
	d.want(store.Dropped, "statement_not_approved")
	st := d.statement()
	if len(st.Findings) > 0 || !strings.Contains(st.Text, "as many requests") || strings.Contains(st.Text, "internalGate") {
		t.Errorf("got findings %+v in\n%s", st.Findings, st.Text)
	}
	if diff := cmp.Diff([]string{"WithLimit"}, st.Interface); diff != "" {
		t.Errorf("interface (-want +got):\n%s", diff)
	}
	d.approve()
	d.want(store.Kept, "")
	r, ok, err := store.Get[schemas.Instance](t.Context(), d.stage.Store, d.id)
	if err != nil || !ok {
		t.Fatal(err)
	}
	if !r.StatementApproved || r.Repo != "ann/lib+bob/app" || !strings.Contains(r.Patch, "b/lib/lib.go") || strings.Contains(r.Patch, "lib_test.go") || !strings.Contains(r.TestPatch, "b/lib/lib_test.go") {
		t.Errorf("got %+v", r)
	}
	card, err := os.ReadFile(filepath.Join(d.stage.Config.Publish.Directory, "README.md"))
	if err != nil || !strings.Contains(string(card), "| instances | 1 |") || !strings.Contains(string(card), "| publish | kept |  | 1 |") {
		t.Errorf("the card: %v\n%s", err, card)
	}
}

func TestASecondRunTouchesNothing(t *testing.T) {
	d := newDesk(t)
	d.want(store.Dropped, "statement_not_approved")
	d.approve()
	item, st := d.want(store.Kept, ""), d.statement()
	files := d.files()
	if again := d.want(store.Kept, ""); again != item {
		t.Errorf("the item: got %+v, want %+v", again, item)
	}
	if diff := cmp.Diff(st, d.statement()); diff != "" {
		t.Errorf("the statement changed:\n%s", diff)
	}
	if diff := cmp.Diff(files, d.files()); diff != "" {
		t.Errorf("files were written again (-before +after):\n%s", diff)
	}
}

func TestJSONIsTheRowsOfTheDataset(t *testing.T) {
	d := newDesk(t)
	d.stage.Config.Publish.Approved = false
	out, err := d.publish()
	if err != nil || strings.Count(out, "\n") != 1 || !strings.HasPrefix(out, `{"record":"instance","body":{"instance_id":"`+d.id) {
		t.Errorf("got %s, %v", out, err)
	}
}

func TestAChangedInputIsTakenAgain(t *testing.T) {
	d := newDesk(t)
	d.want(store.Dropped, "statement_not_approved")
	d.stage.Config.Publish.Approved = false
	d.want(store.Kept, "")
	d.stage.Config.Publish.Licenses = []string{"MIT"}
	d.want(store.Dropped, "licence_not_allowed")
	if got := d.rowsInCard(); got != "0" {
		t.Errorf("the dataset still has %s rows", got)
	}
	d.stage.Config.Publish.Licenses = nil
	d.want(store.Kept, "")
	if got := d.rowsInCard(); got != "1" {
		t.Errorf("the dataset has %s rows, want 1", got)
	}
}

func (d *desk) rowsInCard() string {
	d.t.Helper()
	card, err := os.ReadFile(filepath.Join(d.stage.Config.Publish.Directory, "README.md"))
	if err != nil {
		d.t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(card), "| instances | ")
	n, _, _ := strings.Cut(rest, " ")
	return n
}

func TestAnEditedStatementIsReadAgainAndKept(t *testing.T) {
	d := newDesk(t)
	d.want(store.Dropped, "statement_not_approved")
	edited := schemas.Statement{Candidate: schemas.CandidateID(d.id), Text: "# Mine\n\nSee ann/lib#7.", Method: "person", At: at}
	d.commit(store.Batch{Records: []schemas.Record{edited}})
	d.want(store.Dropped, "statement_not_approved")
	st := d.statement()
	var rules []string
	for _, f := range st.Findings {
		rules = append(rules, f.Rule)
	}
	if diff := cmp.Diff([]string{"reference", "thin", "unstated_name"}, rules); diff != "" || st.Text != edited.Text || st.Linted == "" {
		t.Errorf("got %+v\n%s", st, diff)
	}
	d.stage.Config.Publish.Approved = false
	d.want(store.Dropped, "statement_findings")
	d.approve()
	d.want(store.Kept, "")
}

func TestFaultsAreFailedAndTakenAgain(t *testing.T) {
	verdict := func(change func(*schemas.Verdict)) func(*desk) func() {
		return func(d *desk) func() {
			before := d.setVerdict(change)
			return func() { d.setVerdict(func(v *schemas.Verdict) { *v = before }) }
		}
	}
	tests := []struct {
		name, reason string
		spoil        func(*desk) (mend func())
	}{
		{"a repository that is not at hand", "repository_not_at_hand", func(d *desk) func() {
			list := d.stage.Config.Repositories.List
			d.stage.Config.Repositories.List = list[1:]
			return func() { d.stage.Config.Repositories.List = list }
		}},
		{"a patch that is gone", "missing_artefact", verdict(func(v *schemas.Verdict) { v.Patches[0].Gold = schemas.DigestOf([]byte("gone")) })},
		{"a verdict of another image", "records_disagree", verdict(func(v *schemas.Verdict) { v.ImageID = schemas.DigestOf(nil) })},
		{"a verdict without patches", "records_disagree", verdict(func(v *schemas.Verdict) { v.Patches = nil })},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			mend := tt.spoil(d)
			d.want(store.Failed, tt.reason)
			mend()
			d.want(store.Dropped, "statement_not_approved")
		})
	}
}

// setVerdict changes the verdict on record and returns the one before.
func (d *desk) setVerdict(change func(*schemas.Verdict)) schemas.Verdict {
	d.t.Helper()
	get := func() schemas.Verdict {
		v, _, err := store.Get[schemas.Verdict](d.t.Context(), d.stage.Store, d.id)
		if err != nil {
			d.t.Fatal(err)
		}
		return v
	}
	v := get()
	change(&v)
	before := get()
	d.commit(store.Batch{Records: []schemas.Record{v}})
	return before
}

func TestWhatIsNotVerifiedAnyMoreIsNotPublished(t *testing.T) {
	d := newDesk(t)
	d.stage.Config.Publish.Approved = false
	d.want(store.Kept, "")
	d.commit(store.Batch{Items: []store.Item{{Stage: store.StageVerify, ID: d.id, State: store.Dropped, Reason: "flaky", At: at}}})
	if _, err := d.publish(); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := d.stage.Store.Item(t.Context(), store.StagePublish, d.id); ok || err != nil {
		t.Errorf("the item is still there, %v", err)
	}
	if got := d.rowsInCard(); got != "0" {
		t.Errorf("the dataset still has %s rows", got)
	}
}

func TestADecisionToDropStopsTheRow(t *testing.T) {
	d := newDesk(t)
	d.commit(store.Batch{Records: []schemas.Record{schemas.Decision{Candidate: schemas.CandidateID(d.id), Choice: schemas.ChoiceDrop, Reason: schemas.ReasonFork, How: schemas.HowAdjudication, At: at}}})
	d.want(store.Dropped, "decision_not_keep")
}

func TestAMisspeltLicenceIsAFaultOfTheConfiguration(t *testing.T) {
	d := newDesk(t)
	d.stage.Config.Publish.Licenses = []string{"MITT"}
	if _, err := d.publish(); err == nil || !strings.Contains(err.Error(), "MITT") {
		t.Errorf("got %v", err)
	}
}

func TestAnInterruptedRunLeavesNoState(t *testing.T) {
	d := newDesk(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d.stage.Out = cli.NewOutput(&bytes.Buffer{}, false)
	if err := run(ctx, d.stage, time.Now, "test"); err == nil {
		t.Error("got no error")
	}
	if _, ok, _ := d.stage.Store.Item(t.Context(), store.StagePublish, d.id); ok {
		t.Error("an interrupted item has a state")
	}
	d.want(store.Dropped, "statement_not_approved")
}

func TestADirectoryOfSomebodyElseIsNotOverwritten(t *testing.T) {
	d := newDesk(t)
	card := filepath.Join(d.stage.Config.Publish.Directory, "README.md")
	if err := os.MkdirAll(filepath.Dir(card), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(card, []byte("# My own project\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var usage *cli.UsageError
	if _, err := d.publish(); !errors.As(err, &usage) {
		t.Errorf("got %v, want a usage error", err)
	}
	if body, err := os.ReadFile(card); string(body) != "# My own project\n" || err != nil {
		t.Errorf("the README is now %q, %v", body, err)
	}
}

func TestAnEmptyStoreLeavesAPublishedDatasetAlone(t *testing.T) {
	full, empty := newDesk(t), newDesk(t)
	if _, err := full.publish(); err != nil {
		t.Fatal(err)
	}
	full.approve()
	if _, err := full.publish(); err != nil {
		t.Fatal(err)
	}
	before := full.files()
	other, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "misspelt.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	empty.stage.Store, empty.stage.Config = other, full.stage.Config
	if _, err := empty.publish(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(before, full.files()); diff != "" {
		t.Errorf("the dataset changed (-before +after):\n%s", diff)
	}
}

func TestAStrayArgumentIsAWrongCall(t *testing.T) {
	d := newDesk(t)
	d.stage.Args = []string{"x"}
	var usage *cli.UsageError
	if _, err := d.publish(); !errors.As(err, &usage) {
		t.Errorf("got %v, want a usage error", err)
	}
}
