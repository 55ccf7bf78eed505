package gitrepo

import (
	"context"
	"errors"
)

// TreeEdit sets or removes one path of a tree.
type TreeEdit struct {
	Path string
	Mode Mode // ModeNone removes the path
	OID  OID
}

// TreeWith returns the id of the tree that base (a tree or commit, "" for the
// empty tree) becomes by the edits. The tree is written to the scratch
// directory; blobs need not be present.
func (r *Repo) TreeWith(ctx context.Context, base OID, edits []TreeEdit) (OID, error) {
	return "", errors.ErrUnsupported
}

// Apply returns the id of the tree that base becomes when the patches are
// applied by "git apply", one after the other. The error is an *ApplyError
// when one does not apply.
func (r *Repo) Apply(ctx context.Context, base OID, patches ...[]byte) (OID, error) {
	return "", errors.ErrUnsupported
}

// ApplyError says that a patch does not apply.
type ApplyError struct {
	Index  int    // which of the patches
	Output string // what git said, cut
}

// Error implements error.
func (e *ApplyError) Error() string { return "the patch does not apply: " + e.Output }
