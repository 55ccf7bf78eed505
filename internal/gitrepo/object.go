package gitrepo

import (
	"context"
	"errors"
	"iter"

	"crossswe/schemas"
)

// Mode is the mode of a tree entry.
type Mode uint32

// The modes that git writes.
const (
	ModeNone    Mode = 0 // no entry: the missing side of an addition or deletion
	ModeTree    Mode = 0o040000
	ModeFile    Mode = 0o100644
	ModeExec    Mode = 0o100755
	ModeSymlink Mode = 0o120000
	ModeGitlink Mode = 0o160000 // a submodule's pointer: its OID is a commit elsewhere
)

// Entry is one path of a commit's tree.
type Entry struct {
	Path string // from the root, with slashes; any bytes but NUL
	Mode Mode   // never ModeTree
	OID  OID
}

// ListTree yields every file, symlink and submodule pointer of a commit in
// git's order. It needs trees only, so it works although blobs are missing.
// An error is yielded last.
func (r *Repo) ListTree(ctx context.Context, sha schemas.CommitSHA) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) { yield(Entry{}, errors.ErrUnsupported) }
}

// Lookup returns the entry of one path, trees included; the error wraps
// fs.ErrNotExist when the commit has no such path.
func (r *Repo) Lookup(ctx context.Context, sha schemas.CommitSHA, path string) (Entry, error) {
	return Entry{}, errors.ErrUnsupported
}

// ReadFile returns the blob of one path: a symlink's is its target. Errors:
// fs.ErrNotExist, *MissingObjectError with the path, ErrTooLarge over max bytes.
func (r *Repo) ReadFile(ctx context.Context, sha schemas.CommitSHA, path string, max int64) ([]byte, error) {
	return nil, errors.ErrUnsupported
}

// ReadBlob returns a blob. Errors: *MissingObjectError, ErrTooLarge over max bytes.
func (r *Repo) ReadBlob(ctx context.Context, oid OID, max int64) ([]byte, error) {
	return nil, errors.ErrUnsupported
}

// BlobSize returns a blob's size in bytes, or a *MissingObjectError.
func (r *Repo) BlobSize(ctx context.Context, oid OID) (int64, error) {
	return 0, errors.ErrUnsupported
}
