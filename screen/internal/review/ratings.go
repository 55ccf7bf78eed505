package review

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"crossswe/internal/agreement"
	"crossswe/schemas"
)

// Agreement is how far the reviewers agree on keep, drop or unsure, by what
// each said blind: the first review of each person, adjudications left out.
type Agreement struct {
	Pairs        []PairAgreement // by names
	Fleiss       agreement.Estimate
	Krippendorff agreement.Estimate
}

// PairAgreement is Cohen's kappa of two people.
type PairAgreement struct {
	First, Second string
	Cohen         agreement.Estimate
}

// Agree measures the agreement. Reviewers is the number of ratings that a
// candidate must have for Fleiss' kappa.
func Agree(reviewers int, reviews []schemas.Review) Agreement {
	blind := firsts(reviews)
	all := make([]agreement.Unit, 0, len(blind))
	pairs := map[[2]string][]agreement.Unit{}
	for _, said := range blind {
		var unit agreement.Unit
		for i, r := range said {
			unit = append(unit, string(r.Choice))
			for _, o := range said[i+1:] {
				names := [2]string{r.Reviewer, o.Reviewer}
				pairs[names] = append(pairs[names], agreement.Unit{string(r.Choice), string(o.Choice)})
			}
		}
		all = append(all, unit)
	}
	a := Agreement{Fleiss: agreement.Fleiss(all, reviewers), Krippendorff: agreement.Krippendorff(all)}
	for names, units := range pairs {
		a.Pairs = append(a.Pairs, PairAgreement{names[0], names[1], agreement.Cohen(units)})
	}
	slices.SortFunc(a.Pairs, func(x, y PairAgreement) int {
		return cmp.Or(cmp.Compare(x.First, y.First), cmp.Compare(x.Second, y.Second))
	})
	return a
}

// firsts groups everybody's first review by candidate: candidates by id,
// people by name, names in one spelling.
func firsts(reviews []schemas.Review) [][]schemas.Review {
	said := map[schemas.CandidateID][]schemas.Review{}
	for _, r := range inOrder(reviews) {
		if !r.Adjudication && !hasReviewed(said[r.Candidate], r.Reviewer) {
			r.Reviewer = strings.ToLower(r.Reviewer)
			said[r.Candidate] = append(said[r.Candidate], r)
		}
	}
	ids := slices.Sorted(maps.Keys(said))
	var groups [][]schemas.Review
	for _, id := range ids {
		group := said[id]
		slices.SortFunc(group, func(a, b schemas.Review) int { return cmp.Compare(a.Reviewer, b.Reviewer) })
		groups = append(groups, group)
	}
	return groups
}
