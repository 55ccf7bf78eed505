package recipe

import (
	"crossswe/schemas"
)

// providersFirst orders the repositories so that none stands before one that
// it uses, as verify does.
func providersFirst(spec schemas.Spec) []schemas.RepoSpec {
	var all []schemas.RepoSpec
	seen := map[string]bool{}
	var visit func(schemas.RepoSpec)
	visit = func(r schemas.RepoSpec) {
		if seen[r.Repo.Key()] {
			return
		}
		seen[r.Repo.Key()] = true
		for _, l := range spec.Links {
			for _, p := range spec.Repos {
				if l.Consumer.Same(r.Repo) && l.Provider.Same(p.Repo) {
					visit(p)
				}
			}
		}
		all = append(all, r)
	}
	for _, r := range spec.Repos {
		visit(r)
	}
	return all
}
