package main

import (
	"slices"
	"time"

	"crossswe/internal/store"
	"crossswe/schemas"
)

// reduce returns the candidate that is left when only the minimal set's sides
// remain.
func reduce(c schemas.Candidate, minimal []schemas.RepoName) schemas.Candidate {
	in := func(name schemas.RepoName) bool {
		return slices.ContainsFunc(minimal, name.Same)
	}
	r := schemas.Candidate{Origin: schemas.OriginReduced, Cues: slices.Clone(c.Cues), Score: c.Score, ReducedFrom: c.ID}
	for _, side := range c.Sides {
		if in(side.Repo) {
			r.Sides = append(r.Sides, side)
		}
	}
	for _, l := range c.Links {
		if in(l.From) && in(l.To) {
			r.Links = append(r.Links, l)
		}
	}
	for i, side := range r.Sides {
		if i == 0 || side.MergedAt.Before(r.WindowFrom) {
			r.WindowFrom = side.MergedAt
		}
		if i == 0 || side.MergedAt.After(r.WindowTo) {
			r.WindowTo = side.MergedAt
		}
		r.Sides[i].Role = role(side.Repo, r.Links)
	}
	r.ID = schemas.NewCandidateID(r.Sides)
	return r
}

// role says what a repository is to the others that remain; links whose
// direction tells nothing leave it unknown.
func role(name schemas.RepoName, links []schemas.Link) schemas.Role {
	var provider, consumer bool
	for _, l := range links {
		if l.Kind == schemas.LinkVersion || l.Kind == schemas.LinkDependsOn {
			consumer = consumer || l.From.Same(name)
			provider = provider || l.To.Same(name)
		}
	}
	switch {
	case provider && consumer:
		return schemas.RoleBoth
	case provider:
		return schemas.RoleProvider
	case consumer:
		return schemas.RoleConsumer
	}
	return schemas.RoleUnknown
}

// reducedDecision keeps the smaller candidate on the strength of the decision
// about the whole one.
func reducedDecision(whole schemas.Decision, id schemas.CandidateID, at time.Time) schemas.Decision {
	return schemas.Decision{Candidate: id, Choice: schemas.ChoiceKeep, Reason: schemas.ReasonJoint, Intent: whole.Intent,
		Domain: whole.Domain, How: schemas.HowReduced, Reviewers: whole.Reviewers, At: at.UTC().Truncate(time.Second)}
}

// reducedItems let the smaller candidate into the stages before this one, as
// if it had gone through them.
func reducedItems(whole item, id schemas.CandidateID, at time.Time) []store.Item {
	var items []store.Item
	for _, stage := range []store.Stage{store.StageMine, store.StageScreen} {
		items = append(items, store.Item{Stage: stage, ID: string(id), Input: whole.input, State: store.Kept, Reason: "reduced", Detail: "the set that the tests of " + string(whole.candidate.ID) + " need", At: at})
	}
	return items
}
