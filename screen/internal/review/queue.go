package review

import (
	"cmp"
	"slices"

	"crossswe/schemas"
)

// Case is one candidate with everything that was said about it.
type Case struct {
	Candidate schemas.Candidate
	Reviews   []schemas.Review
	// Recorded is the decision on record, nil when there is none.
	Recorded *schemas.Decision
	Standing Standing
}

// Cases joins candidates with their reviews and decisions, the queue's order:
// highest score first, then by id.
func Cases(p Policy, candidates []schemas.Candidate, reviews []schemas.Review, decisions []schemas.Decision) []Case {
	said := map[schemas.CandidateID][]schemas.Review{}
	for _, r := range reviews {
		said[r.Candidate] = append(said[r.Candidate], r)
	}
	decided := map[schemas.CandidateID]*schemas.Decision{}
	for _, d := range decisions {
		decided[d.Candidate] = &d
	}
	var cases []Case
	for _, c := range candidates {
		cases = append(cases, Case{
			Candidate: c, Reviews: said[c.ID], Recorded: decided[c.ID],
			Standing: Judge(p, c.ID, said[c.ID], decided[c.ID]),
		})
	}
	slices.SortFunc(cases, func(a, b Case) int {
		return cmp.Or(cmp.Compare(b.Candidate.Score.Total, a.Candidate.Score.Total), cmp.Compare(a.Candidate.ID, b.Candidate.ID))
	})
	return cases
}
