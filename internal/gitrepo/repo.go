// Package gitrepo reads one local git repository: a clone, a mirror or a bare
// copy, whole, shallow or with blobs missing. It never writes to it and never
// reaches a network.
//
// Commands run in a scratch git directory that borrows the repository's
// objects. So nothing of the repository's configuration, hooks, attributes,
// replace refs or grafts has a say in what is read, an absent object is never
// fetched, and objects that are made on the way (see TreeWith) land in the
// scratch directory.
package gitrepo

import (
	"context"
	"errors"

	"crossswe/schemas"
)

// OID is a full object id: 40 (SHA-1) or 64 (SHA-256) lower-case hex digits.
type OID string

// Repo is an open repository. It is safe for concurrent use.
type Repo struct{}

// Open opens the repository in dir, which is a work tree's root, a linked work
// tree or a git directory; it does not search the parents of dir. The error is
// ErrNotRepository when there is none. The caller closes the Repo.
func Open(ctx context.Context, dir string) (*Repo, error) { return nil, errors.ErrUnsupported }

// Close ends the processes that the Repo started and removes its scratch directory.
func (r *Repo) Close() error { return errors.ErrUnsupported }

// Dir returns the absolute path of the git directory.
func (r *Repo) Dir() string { return "" }

// Bare reports whether the repository has no work tree.
func (r *Repo) Bare() bool { return false }

// Shallow reports whether the repository's history is cut off somewhere.
func (r *Repo) Shallow() bool { return false }

// Resolve returns the commit that a revision names: an id, a ref, a tag
// (peeled) or any expression git takes. The error is ErrNoCommit when it names
// none that is present.
func (r *Repo) Resolve(ctx context.Context, rev string) (schemas.CommitSHA, error) {
	return "", errors.ErrUnsupported
}
