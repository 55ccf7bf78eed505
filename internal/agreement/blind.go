package agreement

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"crossswe/schemas"
)

// Blind returns what reviewers said independently of one another: the first
// review of each person, adjudications left out, grouped by candidate.
// Candidates are ordered by id, people by name; names are in lower case, since
// case does not tell people apart.
func Blind(reviews []schemas.Review) [][]schemas.Review {
	type key struct {
		candidate schemas.CandidateID
		person    string
	}
	first := map[key]schemas.Review{}
	for _, r := range reviews {
		r.Reviewer = strings.ToLower(r.Reviewer)
		k := key{r.Candidate, r.Reviewer}
		if have, ok := first[k]; !r.Adjudication && (!ok || r.At.Before(have.At)) {
			first[k] = r
		}
	}
	ordered := slices.SortedFunc(maps.Values(first), func(a, b schemas.Review) int {
		return cmp.Or(cmp.Compare(a.Candidate, b.Candidate), cmp.Compare(a.Reviewer, b.Reviewer))
	})
	var groups [][]schemas.Review
	for i, r := range ordered {
		if i == 0 || r.Candidate != ordered[i-1].Candidate {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], r)
	}
	return groups
}

// Choices returns the choices of each group as a unit.
func Choices(groups [][]schemas.Review) []Unit {
	var units []Unit
	for _, group := range groups {
		var u Unit
		for _, r := range group {
			u = append(u, string(r.Choice))
		}
		units = append(units, u)
	}
	return units
}
