package main

import (
	"context"
	"flag"
	"slices"
	"strings"

	"crossswe/internal/cli"
	"crossswe/internal/store"
	"crossswe/schemas"
	"crossswe/screen/internal/page"
	"crossswe/screen/internal/review"
)

func listFlags(fs *flag.FlagSet, o *options) {
	fs.BoolVar(&o.all, "all", false, "")
	reviewerFlag(fs, o)
}

func list(ctx context.Context, s *session, o options) error {
	cases, err := s.cases(ctx, s.Store)
	if err != nil {
		return err
	}
	if !o.all {
		cases = slices.DeleteFunc(cases, func(c review.Case) bool { return !review.Waits(s.policy(), c.Standing, o.reviewer) })
	}
	for _, c := range cases {
		s.Out.Record(c.Candidate)
	}
	var text strings.Builder
	page.List(&text, cases)
	s.Out.Textf("%s", text.String())
	return nil
}

func show(ctx context.Context, s *session, o options) error {
	c, err := s.find(ctx, o.args[0])
	if err != nil {
		return err
	}
	visible := review.Visible(s.policy(), c.Standing, c.Reviews, o.reviewer)
	s.Out.Record(c.Candidate)
	for _, r := range visible {
		s.Out.Record(r)
	}
	if d := c.Standing.Decision; d != nil {
		s.Out.Record(*d)
	}
	var text strings.Builder
	page.Candidate(&text, c, visible)
	s.Out.Textf("%s", text.String())
	return nil
}

func decideFlags(fs *flag.FlagSet, o *options) {
	reviewerFlag(fs, o)
	fs.StringVar(&o.reason, "reason", "", "")
	fs.StringVar(&o.intent, "intent", "", "")
	fs.StringVar(&o.domain, "domain", "", "")
	fs.StringVar(&o.notes, "notes", "", "")
}

func decide(ctx context.Context, s *session, o options) error {
	if _, err := s.find(ctx, o.args[0]); err != nil {
		return err
	}
	r := schemas.Review{
		Candidate: schemas.CandidateID(o.args[0]), Choice: schemas.Choice(o.args[1]), Reviewer: o.reviewer,
		Reason: schemas.ReasonCode(o.reason), Intent: schemas.TaskIntent(o.intent), Domain: o.domain, Notes: o.notes, At: s.clock(),
	}
	if r.Reason == "" && r.Choice == schemas.ChoiceKeep {
		r.Reason = schemas.ReasonJoint
	}
	if err := r.Validate(); err != nil {
		return cli.Usagef("%w\nreasons: %q\nintents: %q", err, schemas.ReasonCodes, schemas.TaskIntents)
	}
	err := s.update(ctx, func(cases []review.Case) (review.Change, error) {
		change, err := review.Add(s.policy(), cases, r)
		if err != nil {
			return change, cli.Usagef("%s: %w", r.Candidate, err)
		}
		return change, nil
	})
	if err != nil {
		return err
	}
	c, err := s.find(ctx, o.args[0])
	if err != nil {
		return err
	}
	s.Out.Textf("%s: %s\n", c.Candidate.ID, c.Standing.Status)
	return nil
}

func stats(ctx context.Context, s *session, _ options) error {
	reviews, err := store.All[schemas.Review](ctx, s.Store)
	if err != nil {
		return err
	}
	var text strings.Builder
	page.Agreement(&text, review.Agree(s.Config.Screen.Reviewers, reviews))
	s.Out.Textf("%s", text.String())
	return nil
}
