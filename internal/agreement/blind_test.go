package agreement

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

func TestBlind(t *testing.T) {
	say := func(candidate, who string, choice schemas.Choice, minute int, adjudication bool) schemas.Review {
		return schemas.Review{Candidate: schemas.CandidateID(candidate), Reviewer: who, Choice: choice, Adjudication: adjudication, At: time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC)}
	}
	reviews := []schemas.Review{
		say("c2", "bob", "drop", 3, false), say("c2", "ANN", "drop", 9, false), say("c2", "ann", "keep", 1, false),
		say("c1", "ann", "unsure", 1, false), say("c2", "zoe", "keep", 0, true),
	}
	if d := cmp.Diff([]Unit{{"unsure"}, {"keep", "drop"}}, Choices(Blind(reviews))); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if got := Blind(nil); got != nil {
		t.Errorf("got %v of nothing", got)
	}
}
