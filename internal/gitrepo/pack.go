package gitrepo

import (
	"context"
	"errors"
	"io"

	"crossswe/schemas"
)

// History says how much of a commit's past goes into a pack.
type History string

// The histories of a checkout.
const (
	HistoryNone History = "none" // the commit alone: a shallow repository of depth 1
	HistoryPast History = "past" // everything that the commit reaches
)

// PackOptions says what to pack.
type PackOptions struct {
	Commit  schemas.CommitSHA
	History History
}

// PackResult says what a pack holds and what a repository made from it needs.
type PackResult struct {
	Objects int
	// Missing are the objects that the repository lacks and the pack therefore
	// too, ordered by id; Path is set for those of Commit's own tree.
	Missing []MissingObjectError
	// Shallow are the boundaries, one per line of the new repository's
	// "shallow" file; empty when the history is whole.
	Shallow []schemas.CommitSHA
}

// Pack writes a pack of the real objects, with their real ids, for a clean
// repository that holds nothing beyond what is reachable from the commit: run
// "git index-pack --stdin" on it in an empty repository, write the "shallow"
// file, and make one branch. No ref, tag, note or reflog goes along.
//
// The bytes depend on the objects alone, not on how the repository stores
// them, so equal checkouts give equal image layers.
func (r *Repo) Pack(ctx context.Context, w io.Writer, opt PackOptions) (PackResult, error) {
	return PackResult{}, errors.ErrUnsupported
}
