package world

import (
	"time"

	"crossswe/schemas"
)

// The reviewers of the world: two judge every candidate, the third settles
// what they disagree about.
const (
	FirstReviewer  = "ada"
	SecondReviewer = "ben"
	Adjudicator    = "cleo"
)

// Reviews returns the judgements of the world's reviewers on every change that
// mine proposes, as screen imports them. All are kept, so that the tests of
// every story are run; on one the reviewers disagree first.
func Reviews(changes []Change, scenarios ...Scenario) []schemas.Review {
	at := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	var all []schemas.Review
	for _, s := range scenarios {
		for _, e := range s.Expect {
			if e.Drop != "" {
				continue
			}
			id := e.Candidate(changes)
			keep := schemas.Review{Candidate: id, Choice: schemas.ChoiceKeep, Reason: schemas.ReasonJoint, Intent: schemas.IntentFeature, Domain: "simulation"}
			first, second, settled := keep, keep, keep
			first.Reviewer, first.At = FirstReviewer, at
			second.Reviewer, second.At = SecondReviewer, at.Add(time.Minute)
			all = append(all, first)
			if s.Name != independent.Name {
				all = append(all, second)
				at = at.Add(time.Hour)
				continue
			}
			second.Choice, second.Reason, second.Intent, second.Domain = schemas.ChoiceDrop, schemas.ReasonNotCausal, "", ""
			settled.Reviewer, settled.At, settled.Adjudication = Adjudicator, at.Add(2*time.Minute), true
			settled.Notes = "Let the tests tell."
			all = append(all, second, settled)
			at = at.Add(time.Hour)
		}
	}
	return all
}

// Candidate returns the id that mine must give to the expected sides.
func (e Expect) Candidate(changes []Change) schemas.CandidateID {
	var sides []schemas.Side
	for _, name := range e.Sides {
		for _, c := range changes {
			if c.Name() == name {
				sides = append(sides, schemas.Side{Repo: c.Repo, Pull: c.Pull, Base: c.Base, Head: c.Head})
			}
		}
	}
	return schemas.NewCandidateID(sides)
}
