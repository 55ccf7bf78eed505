package gitrepo

import (
	"errors"
	"fmt"

	"crossswe/schemas"
)

var (
	// ErrNotRepository says that a directory is no git repository.
	ErrNotRepository = errors.New("not a git repository")
	// ErrNoCommit says that a revision names no commit that is present.
	ErrNoCommit = errors.New("no such commit")
	// ErrNoMergeBase says that two commits have no common ancestor.
	ErrNoMergeBase = errors.New("no merge base")
	// ErrTooLarge says that something is over the limit that the caller set.
	ErrTooLarge = errors.New("larger than the limit")
)

// MissingObjectError says that the repository refers to an object that it does
// not hold, as partial and size-limited copies do.
type MissingObjectError struct {
	OID  OID
	Path string // the path through which it was reached, "" when unknown
}

// Error implements error.
func (e *MissingObjectError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("object %s is missing", e.OID)
	}
	return fmt.Sprintf("object %s of %q is missing", e.OID, e.Path)
}

// ShallowError says that an answer needs history beyond a shallow boundary.
type ShallowError struct {
	Commit schemas.CommitSHA // a boundary: present, but its parents are cut off
}

// Error implements error.
func (e *ShallowError) Error() string {
	return fmt.Sprintf("history is cut off at the shallow commit %s", e.Commit)
}
