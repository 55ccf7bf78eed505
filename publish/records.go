package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"crossswe/internal/store"
	"crossswe/publish/internal/row"
	"crossswe/schemas"
)

// recordError says that the records of a candidate do not belong together: an
// earlier stage has to be run again.
type recordError struct{ err error }

// Error implements error.
func (e *recordError) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *recordError) Unwrap() error { return e.err }

// records reads everything about one candidate but its statement.
func (p *stage) records(ctx context.Context, id string) (row.Input, error) {
	in := row.Input{Options: row.Options{Canary: p.Config.Publish.Canary, Program: p.program, Timeout: time.Duration(p.Config.Verify.TestTimeout)}}
	var found [4]bool
	var errs [4]error
	in.Candidate, found[0], errs[0] = store.Get[schemas.Candidate](ctx, p.Store, id)
	in.Decision, found[1], errs[1] = store.Get[schemas.Decision](ctx, p.Store, id)
	in.Environment, found[2], errs[2] = store.Get[schemas.Environment](ctx, p.Store, id)
	in.Verdict, found[3], errs[3] = store.Get[schemas.Verdict](ctx, p.Store, id)
	if err := errors.Join(errs[:]...); err != nil {
		return in, err
	}
	for i, kind := range []schemas.Kind{schemas.KindCandidate, schemas.KindDecision, schemas.KindEnvironment, schemas.KindVerdict} {
		if !found[i] {
			return in, &recordError{fmt.Errorf("there is no %s", kind)}
		}
	}
	return in, p.patches(ctx, &in)
}

// patches reads the gold and test patches in the order of the verdict's repositories.
func (p *stage) patches(ctx context.Context, in *row.Input) error {
	for _, repo := range in.Verdict.Repos {
		var one row.Patches
		found := false
		for _, side := range in.Verdict.Patches {
			if !side.Repo.Same(repo) {
				continue
			}
			found = true
			var errGold, errTest error
			one.Gold, errGold = p.artefact(ctx, side.Gold)
			one.Test, errTest = p.artefact(ctx, side.Test)
			if err := errors.Join(errGold, errTest); err != nil {
				return fmt.Errorf("reading the patches of %s: %w", repo, err)
			}
		}
		if !found {
			return &recordError{fmt.Errorf("the verdict has no patches of %s", repo)}
		}
		in.Patches = append(in.Patches, one)
	}
	return nil
}

// artefact reads an artefact; no digest is an empty one.
func (p *stage) artefact(ctx context.Context, d schemas.Digest) ([]byte, error) {
	if d == "" {
		return nil, nil
	}
	return p.artefacts.Get(ctx, d)
}

// hash is over everything that the outcome follows from.
func (p *stage) hash(in row.Input) (string, error) {
	var b strings.Builder
	for _, r := range []schemas.Record{in.Candidate, in.Decision, in.Environment, in.Verdict, in.Statement} {
		body, err := schemas.Encode(r)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s\n", body)
	}
	fmt.Fprintf(&b, "%+v\n%v %q\n", in.Options, p.Config.Publish.Approved, p.Config.Publish.Licenses)
	return string(schemas.DigestOf([]byte(b.String()))), nil
}
