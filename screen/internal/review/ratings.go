package review

import (
	"cmp"
	"slices"

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
	blind := agreement.Blind(reviews)
	pairs := map[[2]string][]agreement.Unit{}
	for _, said := range blind {
		for i, r := range said {
			for _, o := range said[i+1:] {
				names := [2]string{r.Reviewer, o.Reviewer}
				pairs[names] = append(pairs[names], agreement.Unit{string(r.Choice), string(o.Choice)})
			}
		}
	}
	all := agreement.Choices(blind)
	a := Agreement{Fleiss: agreement.Fleiss(all, reviewers), Krippendorff: agreement.Krippendorff(all)}
	for names, units := range pairs {
		a.Pairs = append(a.Pairs, PairAgreement{names[0], names[1], agreement.Cohen(units)})
	}
	slices.SortFunc(a.Pairs, func(x, y PairAgreement) int {
		return cmp.Or(cmp.Compare(x.First, y.First), cmp.Compare(x.Second, y.Second))
	})
	return a
}
