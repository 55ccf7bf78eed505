package gitrepo

import (
	"context"
	"errors"

	"crossswe/schemas"
)

// Change is one changed path between two trees.
type Change struct {
	Status           schemas.FileStatus
	Path             string // the new path; the old one of a deletion
	OldPath          string // before a rename, else ""
	OldMode, NewMode Mode
	OldOID, NewOID   OID // "" where the mode is ModeNone
	// Added and Deleted count lines; both are 0 for binaries.
	Added, Deleted int
	Binary         bool
	// Missing says that a blob of the change is absent: lines are not counted
	// and it takes no part in rename detection.
	Missing bool
}

// DiffOptions says what to spend time on.
type DiffOptions struct {
	Renames bool // pair deletions with additions that are alike by half or more
	Lines   bool // count lines and tell binaries
}

// Diff returns the changed paths from base's tree to head's, ordered by path.
// Absent blobs mark their own change as Missing; an absent tree or commit is
// an error (*MissingObjectError, ErrNoCommit).
func (r *Repo) Diff(ctx context.Context, base, head schemas.CommitSHA, opt DiffOptions) ([]Change, error) {
	return nil, errors.ErrUnsupported
}
