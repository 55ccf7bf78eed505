package patch

import (
	"context"
	"errors"

	"crossswe/internal/gitrepo"
	"crossswe/schemas"
)

// SplitOptions bounds a split; the zero value has the defaults.
type SplitOptions struct {
	// MaxBytes limits each of the two patches; 0 means 64 MiB.
	MaxBytes int64
}

// Sides is a change from base to head, split in two.
type Sides struct {
	Base, Head schemas.CommitSHA
	// Gold and Test are patches in git's format, both against Base; either may
	// be empty. They touch no path in common. Files of class test are in Test,
	// all others in Gold.
	Gold, Test []byte
	// Files are all changed paths, ordered by path, those of Missing and
	// Gitlinks included. A rename that crosses from one patch to the other
	// is a deletion and an addition.
	Files []schemas.File
	// Missing are the changes that neither patch holds, with the reason.
	Missing []Missing
	// Gitlinks are the moved submodule pointers. Neither patch holds them,
	// since "git apply" passes over them in a checkout without a word.
	Gitlinks []Gitlink
	// BaseTree and HeadTree are the trees of the commits. GoldTree and TestTree
	// are Base with one patch applied, BothTree with both: it is HeadTree when
	// Missing and Gitlinks are empty.
	BaseTree, GoldTree, TestTree, BothTree, HeadTree gitrepo.OID
}

// Missing is a change that a patch cannot hold.
type Missing struct {
	Path   string
	Class  schemas.FileClass
	Reason MissingReason
	OID    gitrepo.OID // the object at fault
	// The entries before and after; the mode is ModeNone where there is none.
	Old, New gitrepo.TreeEdit
}

// MissingReason says why a patch lacks a change.
type MissingReason string

// The reasons for a missing change.
const (
	MissingBlob MissingReason = "missing_blob" // the repository lacks the blob
)

// Gitlink is a moved, added ("" before) or removed ("" after) submodule pointer.
type Gitlink struct {
	Path     string
	Old, New gitrepo.OID
}

// Split makes the gold and the test patch of a change. The patches are what
// "git diff --binary --full-index" writes, files in git's order, renames
// detected within each patch and copies not. Errors: gitrepo's, and
// gitrepo.ErrTooLarge.
func Split(ctx context.Context, repo *gitrepo.Repo, base, head schemas.CommitSHA, opt SplitOptions) (Sides, error) {
	return Sides{}, errors.ErrUnsupported
}

// Prove applies the patches to base by "git apply", in both orders, and
// compares the outcome with head's tree, less what Missing and Gitlinks name.
// The error is a *ProofError when they differ or do not apply.
func Prove(ctx context.Context, repo *gitrepo.Repo, s Sides) error { return errors.ErrUnsupported }

// ProofError says that a split does not give head again.
type ProofError struct {
	Step string // which patches, in which order
	Err  error  // what went wrong
}

// Error implements error.
func (e *ProofError) Error() string { return "proving the split, " + e.Step + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *ProofError) Unwrap() error { return e.Err }
