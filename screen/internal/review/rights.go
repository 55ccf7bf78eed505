package review

import (
	"errors"
	"fmt"

	"crossswe/schemas"
)

// May reports whether the person may judge the candidate now, and whether
// that judgement is an adjudication. The error says who may instead.
func May(p Policy, s Standing, name string) (adjudication bool, err error) {
	switch {
	case hasReviewed(s.Counting, name):
		return false, nil // a change of mind
	case s.Status == StatusOpen:
		return false, nil
	case adjudicator(p, name):
		return true, nil
	case s.Status == StatusDecided:
		return false, errors.New("it is decided; an adjudicator may settle it anew")
	case len(p.Adjudicators) == 0:
		return false, errors.New("its reviewers disagree and screen.adjudicators names nobody to settle it")
	}
	return false, fmt.Errorf("its reviewers disagree; one of screen.adjudicators settles it: %q", p.Adjudicators)
}

// Visible returns the reviews that the person may see. Reviewers are blind to
// one another until the candidate is decided: before, everybody sees their own,
// and an adjudicator who is to settle a disagreement sees all. Name is "" for
// somebody who did not say who they are.
func Visible(p Policy, s Standing, reviews []schemas.Review, name string) []schemas.Review {
	settles := s.Status == StatusDisagreed && adjudicator(p, name) && !hasReviewed(s.Counting, name)
	if settles || s.Status == StatusDecided || s.Status == StatusDisputed {
		return inOrder(reviews)
	}
	var own []schemas.Review
	for _, r := range inOrder(reviews) {
		if Same(r.Reviewer, name) {
			own = append(own, r)
		}
	}
	return own
}

// Waits reports whether the candidate waits for this person: it is open and
// they have not judged it, or they are the adjudicator it needs. With the name
// "" it reports whether it waits for anybody.
func Waits(p Policy, s Standing, name string) bool {
	if s.Status == StatusDecided {
		return false
	}
	if name == "" {
		return true
	}
	_, err := May(p, s, name)
	return err == nil && !hasReviewed(s.Counting, name)
}
