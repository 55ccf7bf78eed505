package gitrepo

import (
	"context"
	"errors"
	"time"

	"crossswe/schemas"
)

// Commit is what a commit object holds.
type Commit struct {
	SHA         schemas.CommitSHA
	Parents     []schemas.CommitSHA // as recorded, cut off by a shallow boundary or not
	Tree        OID
	AuthorName  string
	AuthorEmail string
	AuthorTime  time.Time // UTC
	CommitTime  time.Time // UTC; clocks run behind, so order by ancestry, never by this
	Message     []byte    // as stored, in whatever encoding
}

// Commit reads one commit. The error is ErrNoCommit when it is absent.
func (r *Repo) Commit(ctx context.Context, sha schemas.CommitSHA) (Commit, error) {
	return Commit{}, errors.ErrUnsupported
}

// Parents returns the parents of a commit; at a shallow boundary the error is
// a *ShallowError.
func (r *Repo) Parents(ctx context.Context, sha schemas.CommitSHA) ([]schemas.CommitSHA, error) {
	return nil, errors.ErrUnsupported
}

// MergeBase returns the best common ancestor; of several the one that git
// names first. Errors: ErrNoCommit, ErrNoMergeBase, *ShallowError where a cut
// history could hide it.
func (r *Repo) MergeBase(ctx context.Context, a, b schemas.CommitSHA) (schemas.CommitSHA, error) {
	return "", errors.ErrUnsupported
}

// IsAncestor reports whether a is b or reachable from b. A "no" that a shallow
// boundary could have caused is a *ShallowError.
func (r *Repo) IsAncestor(ctx context.Context, a, b schemas.CommitSHA) (bool, error) {
	return false, errors.ErrUnsupported
}

// Between returns the commits that head reaches and base does not, children
// before parents. It is a *ShallowError when the walk meets a boundary.
func (r *Repo) Between(ctx context.Context, base, head schemas.CommitSHA) ([]schemas.CommitSHA, error) {
	return nil, errors.ErrUnsupported
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
	return nil, errors.ErrUnsupported
}
