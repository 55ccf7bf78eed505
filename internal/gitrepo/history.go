package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"crossswe/schemas"
)

// Resolve returns the commit that a revision names: an id, a ref, a tag
// (peeled) or any expression git takes. The error is ErrNoCommit when it names
// none that is present.
func (r *Repo) Resolve(ctx context.Context, rev string) (schemas.CommitSHA, error) {
	oid := rev
	if !r.isOID(rev) {
		out, err := r.output(r.Command(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}"))
		switch {
		case ctx.Err() != nil:
			return "", fmt.Errorf("resolving %q: %w", rev, ctx.Err())
		case err != nil:
			return "", fmt.Errorf("resolving %q: %w", rev, ErrNoCommit)
		}
		oid = strings.TrimSpace(string(out))
	}
	return r.peel(ctx, OID(oid))
}

// peel follows tags to a commit that is present.
func (r *Repo) peel(ctx context.Context, oid OID) (schemas.CommitSHA, error) {
	if !r.isOID(string(oid)) {
		return "", fmt.Errorf("resolving %q: %w", oid, ErrNoCommit)
	}
	h, err := r.info.askHeader(ctx, string(oid)+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("resolving %q: %w", oid, err)
	}
	if h.kind != "commit" {
		return "", fmt.Errorf("resolving %q: %w", oid, ErrNoCommit)
	}
	return schemas.CommitSHA(h.oid), nil
}

// Parents returns the parents of a commit; at a shallow boundary the error is
// a *ShallowError.
func (r *Repo) Parents(ctx context.Context, sha schemas.CommitSHA) ([]schemas.CommitSHA, error) {
	c, err := r.Commit(ctx, sha)
	if err != nil {
		return nil, err
	}
	if r.shallow[sha] && len(c.Parents) > 0 {
		return nil, &ShallowError{Commit: sha}
	}
	return c.Parents, nil
}

// MergeBase returns the best common ancestor; of several the one that git
// names first. Errors: ErrNoCommit, ErrNoMergeBase, *ShallowError where a cut
// history could hide it.
func (r *Repo) MergeBase(ctx context.Context, a, b schemas.CommitSHA) (schemas.CommitSHA, error) {
	if err := r.present(ctx, a, b); err != nil {
		return "", err
	}
	out, err := r.output(r.scratchCommand(ctx, "merge-base", "--end-of-options", string(a), string(b)))
	switch {
	case exitCode(err) == 1:
		return "", fmt.Errorf("merging %s and %s: %w", a.Short(), b.Short(), r.orShallow(ctx, ErrNoMergeBase, a, b))
	case err != nil:
		return "", err
	}
	return schemas.ParseCommitSHA(strings.TrimSpace(string(out)))
}

// IsAncestor reports whether a is b or reachable from b. A "no" that a shallow
// boundary could have caused is a *ShallowError.
func (r *Repo) IsAncestor(ctx context.Context, a, b schemas.CommitSHA) (bool, error) {
	if err := r.present(ctx, a, b); err != nil {
		return false, err
	}
	_, err := r.output(r.scratchCommand(ctx, "merge-base", "--is-ancestor", "--end-of-options", string(a), string(b)))
	if exitCode(err) == 1 {
		return false, r.orShallow(ctx, nil, b)
	}
	return err == nil, err
}

// Between returns the commits that head reaches and base does not, children
// before parents. It is a *ShallowError when the walk meets a boundary.
func (r *Repo) Between(ctx context.Context, base, head schemas.CommitSHA) ([]schemas.CommitSHA, error) {
	if err := r.present(ctx, base, head); err != nil {
		return nil, err
	}
	commits, err := r.revList(ctx, string(head), "^"+string(base))
	if err != nil {
		return nil, err
	}
	for _, sha := range commits {
		if _, err := r.Parents(ctx, sha); r.shallow[sha] && err != nil {
			return nil, err
		}
	}
	return commits, nil
}

func (r *Repo) revList(ctx context.Context, revs ...string) ([]schemas.CommitSHA, error) {
	out, err := r.output(r.scratchCommand(ctx, append([]string{"rev-list", "--topo-order", "--end-of-options"}, revs...)...))
	if err != nil {
		return nil, err
	}
	var commits []schemas.CommitSHA
	for line := range bytes.Lines(out) {
		commits = append(commits, schemas.CommitSHA(bytes.TrimSpace(line)))
	}
	return commits, nil
}

// present returns ErrNoCommit unless every id names a commit that is there.
func (r *Repo) present(ctx context.Context, commits ...schemas.CommitSHA) error {
	for _, sha := range commits {
		if got, err := r.peel(ctx, OID(sha)); err != nil {
			return err
		} else if got != sha {
			return fmt.Errorf("resolving %q: a tag, not a commit: %w", sha, ErrNoCommit)
		}
	}
	return nil
}

// orShallow returns a *ShallowError when a boundary is among the ancestors of
// the commits, and otherwise the given answer.
func (r *Repo) orShallow(ctx context.Context, answer error, commits ...schemas.CommitSHA) error {
	if !r.Shallow() {
		return answer
	}
	var revs []string
	for _, sha := range commits {
		revs = append(revs, string(sha))
	}
	ancestors, err := r.revList(ctx, revs...)
	if err != nil {
		return err
	}
	for _, sha := range ancestors {
		if r.shallow[sha] {
			return &ShallowError{Commit: sha}
		}
	}
	return answer
}

// Ref is a reference or a tag.
type Ref struct {
	Name   string            // full: refs/tags/v1.0.0
	OID    OID               // what it points to, a tag object for annotated tags
	Commit schemas.CommitSHA // peeled; "" when it leads to no commit that is present
}

// Refs returns the references whose full name starts with the prefix, which
// ends at a component boundary ("refs/tags/", "refs/pull/"); "" gives all.
// They are ordered by name.
func (r *Repo) Refs(ctx context.Context, prefix string) ([]Ref, error) {
	out, err := r.output(r.refCommand(ctx, prefix))
	if err != nil {
		return nil, fmt.Errorf("listing refs: %w", err)
	}
	var refs []Ref
	for line := range bytes.Lines(out) {
		oid, name, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
		ref := Ref{Name: name, OID: OID(oid)}
		ref.Commit, err = r.peel(ctx, ref.OID)
		if err != nil && !errors.Is(err, ErrNoCommit) {
			return nil, fmt.Errorf("listing refs: %w", err)
		}
		refs = append(refs, ref)
	}
	return refs, nil
}

// refCommand prints ids and names only: any other field makes git read the
// objects, and an absent one would end the list.
func (r *Repo) refCommand(ctx context.Context, prefix string) *exec.Cmd {
	args := []string{"for-each-ref", "--format=%(objectname) %(refname)", "--"}
	if prefix != "" {
		args = append(args, prefix)
	}
	return r.Command(ctx, args...)
}
