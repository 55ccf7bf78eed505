package main

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"time"

	"crossswe/internal/classify"
	"crossswe/internal/gitrepo"
	"crossswe/internal/store"
	"crossswe/publish/internal/row"
	"crossswe/publish/internal/statement"
	"crossswe/schemas"
)

// lintVersion changes whenever drafts or rules do, so that what was read
// before is read again.
const lintVersion = "1"

// maxSource bounds the files of a base tree that are searched for names.
const maxSource = 2 << 20

// statement returns the candidate's statement as the lint has read it,
// drafting it when there is none or only an older draft. What a person has
// written or approved keeps its text.
func (p *stage) statement(ctx context.Context, in row.Input) (schemas.Statement, error) {
	st, found, err := store.Get[schemas.Statement](ctx, p.Store, string(in.Candidate.ID))
	if err != nil {
		return st, err
	}
	if found && st.Linted == linted(in, st) {
		return st, nil
	}
	was := st
	sides, err := sidesOf(in)
	if err != nil {
		return st, err
	}
	names, err := p.names(ctx, sides, st.Text)
	if err != nil {
		return st, err
	}
	if !found || st.Method == statement.MethodExtractive && st.Approved == "" {
		st = schemas.Statement{Candidate: in.Candidate.ID, Text: statement.Draft(sides, names), Interface: names.Needed, Method: statement.MethodExtractive}
	}
	st.Findings = statement.Lint(sides, names, st.Text, st.Interface)
	st.Linted, st.At = linted(in, st), p.now().UTC().Truncate(time.Second)
	if st, err = p.keep(ctx, was, st); err != nil {
		return st, err
	}
	p.Log.Info("statement", "candidate", in.Candidate.ID, "method", st.Method, "findings", len(st.Findings))
	return st, nil
}

// keep writes what became of a statement, unless somebody has edited or approved
// it meanwhile: then theirs stands, and the next run reads it again.
func (p *stage) keep(ctx context.Context, was, st schemas.Statement) (schemas.Statement, error) {
	err := p.Store.Update(ctx, func(ctx context.Context, view *store.Store) (store.Batch, error) {
		now, _, err := store.Get[schemas.Statement](ctx, view, string(st.Candidate))
		if err != nil {
			return store.Batch{}, err
		}
		if !reflect.DeepEqual(now, was) {
			st = now
			return store.Batch{}, nil
		}
		return store.Batch{Records: []schemas.Record{st}}, nil
	})
	return st, err
}

// linted is the digest of everything that drafts and findings follow from.
func linted(in row.Input, st schemas.Statement) schemas.Digest {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%q\n%q\n", lintVersion, st.Text, st.Interface)
	for _, s := range in.Candidate.Sides {
		fmt.Fprintf(&b, "%s %s %s %s %q %q %s\n", s.Repo.Key(), s.Base, s.Head, s.Merge, s.Title, s.Body, s.Role)
	}
	for _, s := range in.Verdict.Patches {
		fmt.Fprintf(&b, "%s %s %s\n", s.Repo.Key(), s.Gold, s.Test)
	}
	for _, r := range in.Environment.Spec.Repos {
		fmt.Fprintf(&b, "%s %s\n", r.Repo.Key(), r.Dir)
	}
	return schemas.DigestOf([]byte(b.String()))
}

// sidesOf joins sides, directories and patches in the verdict's order.
func sidesOf(in row.Input) ([]statement.Side, error) {
	var sides []statement.Side
	for i, repo := range in.Verdict.Repos {
		s := statement.Side{Gold: in.Patches[i].Gold, Test: in.Patches[i].Test}
		for _, side := range in.Candidate.Sides {
			if side.Repo.Same(repo) {
				s.Side = side
			}
		}
		for _, spec := range in.Environment.Spec.Repos {
			if spec.Repo.Same(repo) {
				s.Dir = spec.Dir
			}
		}
		if s.Repo == "" || s.Dir == "" {
			return nil, &recordError{fmt.Errorf("repository %s of the verdict is not in the candidate and the environment", repo)}
		}
		sides = append(sides, s)
	}
	return sides, nil
}

// names tells the names that only the change has from those of the base trees.
func (p *stage) names(ctx context.Context, sides []statement.Side, text string) (statement.Names, error) {
	texts := []string{text}
	for _, s := range sides {
		texts = append(texts, s.Title, s.Body)
	}
	suspects, err := statement.Suspects(sides, texts...)
	if err != nil {
		return statement.Names{}, &recordError{err}
	}
	held := make([]map[string]bool, len(sides))
	for i, s := range sides {
		repo, err := p.repos.Open(ctx, s.Repo)
		if err != nil {
			return statement.Names{}, err
		}
		held[i] = map[string]bool{}
		if err := search(ctx, repo, s.Base, suspects, held[i]); err != nil {
			return statement.Names{}, fmt.Errorf("searching %s: %w", s.Repo, err)
		}
	}
	names, err := statement.Introduced(sides, suspects, held)
	if err != nil {
		return statement.Names{}, &recordError{err}
	}
	return names, nil
}

// search notes which of the wanted names the tree of a commit holds. Binary,
// very large and missing files are passed over.
func search(ctx context.Context, repo *gitrepo.Repo, base schemas.CommitSHA, wanted, held map[string]bool) error {
	for e, err := range repo.ListTree(ctx, base) {
		if err != nil {
			return err
		}
		if len(held) == len(wanted) {
			return nil
		}
		if e.Mode != gitrepo.ModeFile && e.Mode != gitrepo.ModeExec {
			continue
		}
		if size, err := repo.BlobSize(ctx, e.OID); err != nil || size > maxSource {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			continue
		}
		content, err := repo.ReadBlob(ctx, e.OID, maxSource)
		if err != nil {
			return err
		}
		if !classify.IsBinary(content) {
			statement.Find(string(content), wanted, held)
		}
	}
	return nil
}
