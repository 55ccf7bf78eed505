// Package review decides what the reviews of a candidate come to: who may
// judge, when judgements agree, who settles a disagreement, what a reviewer
// may see. It is pure; package main reads and writes the store.
package review

import (
	"cmp"
	"slices"
	"strings"

	"crossswe/schemas"
)

// Policy is how many people judge, and who settles their disagreements.
type Policy struct {
	Reviewers    int // 1 or more
	Adjudicators []string
}

// Status says what a candidate waits for.
type Status string

// The statuses. More reviews move a candidate from open to disagreed or
// decided, an adjudication from disagreed to decided, and a reviewer's change
// of mind from decided to disputed.
const (
	StatusOpen      Status = "open"      // fewer reviews than the policy asks for
	StatusDisagreed Status = "disagreed" // an adjudicator has to settle it
	StatusDecided   Status = "decided"
	StatusDisputed  Status = "disputed" // the decision stands until an adjudicator settles it anew
)

// Standing is what the reviews of one candidate come to.
type Standing struct {
	Status Status
	// Counting are the latest reviews of each person, adjudications left out,
	// in the order in which they were made.
	Counting []schemas.Review
	// Adjudication is the latest valid one.
	Adjudication *schemas.Review
	// Decision is nil until there is one.
	Decision *schemas.Decision
}

// Judge says where a candidate stands. Earlier is the decision on record, nil
// when there is none: it stands until the reviews come to another.
func Judge(p Policy, candidate schemas.CandidateID, reviews []schemas.Review, earlier *schemas.Decision) Standing {
	s := Standing{Counting: latest(reviews, false)}
	s.Adjudication = adjudication(p, s.Counting, reviews)
	enough := len(s.Counting) >= p.Reviewers
	switch {
	case s.Adjudication != nil && (enough || earlier != nil):
		s.Status, s.Decision = StatusDecided, adjudicated(candidate, s)
	case enough && agreed(s.Counting):
		s.Status, s.Decision = StatusDecided, decision(candidate, s.Counting)
	case enough && earlier != nil:
		s.Status, s.Decision = StatusDisputed, earlier
	case enough:
		s.Status = StatusDisagreed
	case earlier != nil:
		s.Status, s.Decision = StatusDecided, earlier
	default:
		s.Status = StatusOpen
	}
	return s
}

// Same reports whether two names are the same person: case does not count, so
// that nobody judges twice by a slip of the shift key.
func Same(a, b string) bool { return strings.EqualFold(a, b) }

// latest returns the last review of each person, ordered by time and name.
func latest(reviews []schemas.Review, adjudications bool) []schemas.Review {
	var last []schemas.Review
	for _, r := range inOrder(reviews) {
		if r.Adjudication != adjudications {
			continue
		}
		last = slices.DeleteFunc(last, func(o schemas.Review) bool { return Same(o.Reviewer, r.Reviewer) })
		last = append(last, r)
	}
	return last
}

func inOrder(reviews []schemas.Review) []schemas.Review {
	return slices.SortedStableFunc(slices.Values(reviews), func(a, b schemas.Review) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Reviewer, b.Reviewer))
	})
}

// adjudication returns the latest judgement of an adjudicator who is none of
// the reviewers. An unsure one settles nothing.
func adjudication(p Policy, counting, reviews []schemas.Review) *schemas.Review {
	all := latest(reviews, true)
	for _, r := range slices.Backward(all) {
		if adjudicator(p, r.Reviewer) && !hasReviewed(counting, r.Reviewer) && r.Choice != schemas.ChoiceUnsure {
			return &r
		}
	}
	return nil
}

func adjudicator(p Policy, name string) bool {
	return slices.ContainsFunc(p.Adjudicators, func(a string) bool { return Same(a, name) })
}

func hasReviewed(counting []schemas.Review, name string) bool {
	return slices.ContainsFunc(counting, func(r schemas.Review) bool { return Same(r.Reviewer, name) })
}

func agreed(counting []schemas.Review) bool {
	for _, r := range counting {
		if r.Choice == schemas.ChoiceUnsure || r.Choice != counting[0].Choice {
			return false
		}
	}
	return true
}

func adjudicated(candidate schemas.CandidateID, s Standing) *schemas.Decision {
	a := *s.Adjudication
	d := &schemas.Decision{
		Candidate: candidate, Choice: a.Choice, Reason: a.Reason, How: schemas.HowAdjudication,
		Intent: a.Intent, Domain: a.Domain, At: a.At, Reviewers: []string{a.Reviewer},
	}
	for _, r := range s.Counting {
		d.Reviewers = append(d.Reviewers, r.Reviewer)
	}
	if a.Choice == schemas.ChoiceKeep {
		d.Intent = cmp.Or(d.Intent, common(s.Counting, func(r schemas.Review) schemas.TaskIntent { return r.Intent }))
		d.Domain = cmp.Or(d.Domain, common(s.Counting, func(r schemas.Review) string { return r.Domain }))
	}
	slices.Sort(d.Reviewers)
	return d
}

// decision is what agreeing reviewers decided. Where they differ in reason,
// intent or domain the most frequent one is taken, then the earliest.
func decision(candidate schemas.CandidateID, counting []schemas.Review) *schemas.Decision {
	d := &schemas.Decision{
		Candidate: candidate, Choice: counting[0].Choice, How: schemas.HowAgreement,
		Reason: common(counting, func(r schemas.Review) schemas.ReasonCode { return r.Reason }),
		Intent: common(counting, func(r schemas.Review) schemas.TaskIntent { return r.Intent }),
		Domain: common(counting, func(r schemas.Review) string { return r.Domain }),
		At:     counting[len(counting)-1].At,
	}
	for _, r := range counting {
		d.Reviewers = append(d.Reviewers, r.Reviewer)
	}
	slices.Sort(d.Reviewers)
	return d
}

// common returns the most frequent value that is not "", the earliest of several.
func common[T ~string](counting []schemas.Review, of func(schemas.Review) T) T {
	count := map[T]int{}
	for _, r := range counting {
		count[of(r)]++
	}
	var best T
	for _, r := range counting {
		if v := of(r); v != "" && (best == "" || count[v] > count[best]) {
			best = v
		}
	}
	return best
}
