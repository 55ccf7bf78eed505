package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crossswe/internal/store"
	"crossswe/schemas"
)

func sideOf(name schemas.RepoName, digit string, day int) schemas.Side {
	return schemas.Side{Repo: name, Base: schemas.CommitSHA(strings.Repeat("0", 40)), Head: schemas.CommitSHA(strings.Repeat(digit, 40)),
		MergedAt: time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC), Role: schemas.RoleBoth}
}

func triple() schemas.Candidate {
	c := schemas.Candidate{
		Origin: schemas.OriginMined,
		Sides:  []schemas.Side{sideOf("o/sctp", "1", 1), sideOf("o/ice", "2", 2), sideOf("o/webrtc", "3", 3)},
		Links: []schemas.Link{
			{From: "o/webrtc", To: "o/sctp", Kind: schemas.LinkVersion, Text: "o/sctp v2"},
			{From: "o/webrtc", To: "o/ice", Kind: schemas.LinkVersion, Text: "o/ice v2"},
		},
		Score:      schemas.Score{Total: 3},
		WindowFrom: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), WindowTo: time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC),
	}
	c.ID = schemas.NewCandidateID(c.Sides)
	return c
}

func TestReduce(t *testing.T) {
	whole := triple()
	got := reduce(whole, []schemas.RepoName{"O/ICE", "o/webrtc"})
	want := schemas.Candidate{
		Origin: schemas.OriginReduced, ReducedFrom: whole.ID, Score: whole.Score,
		Sides:      []schemas.Side{whole.Sides[1], whole.Sides[2]},
		Links:      []schemas.Link{whole.Links[1]},
		WindowFrom: whole.Sides[1].MergedAt, WindowTo: whole.Sides[2].MergedAt,
	}
	want.Sides[0].Role, want.Sides[1].Role = schemas.RoleProvider, schemas.RoleConsumer
	want.ID = schemas.NewCandidateID(want.Sides)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reduce (-want +got):\n%s", diff)
	}
	if err := got.Validate(); err != nil {
		t.Errorf("the reduced candidate is refused: %v", err)
	}
	if whole.Sides[1].Role != schemas.RoleBoth {
		t.Error("the whole candidate was changed")
	}
}

// TestSubsetIsHandedOn: a subset verdict drops the whole and gives build the
// smaller candidate, all in one commit.
func TestSubsetIsHandedOn(t *testing.T) {
	s := newStage(t, nil, nil)
	at := time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC)
	s.now = func() time.Time { return at }
	whole := triple()
	decision := schemas.Decision{Candidate: whole.ID, Choice: schemas.ChoiceKeep, Reason: schemas.ReasonJoint, How: schemas.HowAgreement,
		Intent: schemas.IntentMigration, Domain: "networking", Reviewers: []string{"ann", "bob"}, At: at}
	if err := s.Store.Commit(t.Context(), store.Batch{Records: []schemas.Record{whole, decision}}); err != nil {
		t.Fatal(err)
	}
	v := schemas.Verdict{Candidate: whole.ID, Kind: schemas.VerdictSubset, Reason: "r", Repos: []schemas.RepoName{"o/sctp", "o/ice", "o/webrtc"},
		Minimal: []schemas.RepoName{"o/ice", "o/webrtc"}}
	batch, err := s.outcome(t.Context(), item{candidate: whole, input: "in"}, v)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Store.Commit(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	smaller := reduce(whole, v.Minimal)
	got, ok, err := store.Get[schemas.Decision](t.Context(), s.Store, string(smaller.ID))
	want := decision
	want.Candidate, want.How = smaller.ID, schemas.HowReduced
	if diff := cmp.Diff(want, got); diff != "" || !ok || err != nil {
		t.Errorf("decision (-want +got), %t, %v:\n%s", ok, err, diff)
	}
	if _, ok, err := store.Get[schemas.Candidate](t.Context(), s.Store, string(smaller.ID)); !ok || err != nil {
		t.Errorf("the smaller candidate is not there: %v", err)
	}
	for stage, want := range map[store.Stage]store.Item{
		store.StageScreen: {Stage: store.StageScreen, ID: string(smaller.ID), Input: "in", State: store.Kept, Reason: "reduced", Detail: "the set that the tests of " + string(whole.ID) + " need", At: at},
		store.StageVerify: {Stage: store.StageVerify, ID: string(whole.ID), Input: "in", State: store.Dropped, Reason: "subset", Detail: "r", At: at},
	} {
		got, _, err := s.Store.Item(t.Context(), stage, want.ID)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("item of %s (-want +got), %v:\n%s", stage, err, diff)
		}
	}
}
