package gitrepo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"strconv"
	"strings"

	"crossswe/schemas"
)

const (
	// maxMetaObject bounds commits and single trees.
	maxMetaObject = 256 << 20
	// maxTreeDepth is git's own limit on nested trees.
	maxTreeDepth = 2048
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
	Mode Mode   // ModeTree from Lookup only
	OID  OID
}

// ListTree yields every file, symlink and submodule pointer of a commit in
// git's order. It needs trees only, so it works although blobs are missing.
// An error is yielded last.
func (r *Repo) ListTree(ctx context.Context, sha schemas.CommitSHA) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		c, err := r.Commit(ctx, sha)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		r.walk(ctx, Entry{Mode: ModeTree, OID: c.Tree}, 0, yield)
	}
}

// Entries is ListTree for a tree, such as one that TreeWith or Apply made.
func (r *Repo) Entries(ctx context.Context, tree OID) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		r.walk(ctx, Entry{Mode: ModeTree, OID: tree}, 0, yield)
	}
}

// walk yields what is below a tree; false ends it.
func (r *Repo) walk(ctx context.Context, dir Entry, depth int, yield func(Entry, error) bool) bool {
	if depth > maxTreeDepth {
		yield(Entry{}, fmt.Errorf("reading the tree at %q: %w", dir.Path, ErrTooLarge))
		return false
	}
	entries, err := r.tree(ctx, dir)
	if err != nil {
		yield(Entry{}, err)
		return false
	}
	for _, e := range entries {
		if e.Mode == ModeTree {
			if !r.walk(ctx, e, depth+1, yield) {
				return false
			}
		} else if !yield(e, nil) {
			return false
		}
	}
	return true
}

// Lookup returns the entry of one path, trees included; the error wraps
// fs.ErrNotExist when the commit has no such path.
func (r *Repo) Lookup(ctx context.Context, sha schemas.CommitSHA, path string) (Entry, error) {
	c, err := r.Commit(ctx, sha)
	if err != nil {
		return Entry{}, err
	}
	at := Entry{Mode: ModeTree, OID: c.Tree}
	for name := range strings.SplitSeq(path, "/") {
		if at, err = r.child(ctx, at, name); err != nil {
			return Entry{}, fmt.Errorf("looking for %q in %s: %w", path, sha.Short(), err)
		}
	}
	return at, nil
}

func (r *Repo) child(ctx context.Context, dir Entry, name string) (Entry, error) {
	if dir.Mode != ModeTree {
		return Entry{}, fs.ErrNotExist
	}
	entries, err := r.tree(ctx, dir)
	if err != nil {
		return Entry{}, err
	}
	for _, e := range entries {
		if e.Path == join(dir.Path, name) {
			return e, nil
		}
	}
	return Entry{}, fs.ErrNotExist
}

// ReadFile returns the blob of one path: a symlink's is its target. Errors:
// fs.ErrNotExist (also for directories and submodules), *MissingObjectError
// with the path, ErrTooLarge over max bytes.
func (r *Repo) ReadFile(ctx context.Context, sha schemas.CommitSHA, path string, max int64) ([]byte, error) {
	e, err := r.Lookup(ctx, sha, path)
	if err != nil {
		return nil, err
	}
	if e.Mode == ModeTree || e.Mode == ModeGitlink {
		return nil, fmt.Errorf("reading %q in %s: no file: %w", path, sha.Short(), fs.ErrNotExist)
	}
	return r.object(ctx, "blob", e, max)
}

// ReadBlob returns a blob. Errors: *MissingObjectError, ErrTooLarge over max bytes.
func (r *Repo) ReadBlob(ctx context.Context, oid OID, max int64) ([]byte, error) {
	return r.object(ctx, "blob", Entry{OID: oid}, max)
}

// BlobSize returns a blob's size in bytes, or a *MissingObjectError.
func (r *Repo) BlobSize(ctx context.Context, oid OID) (int64, error) {
	h, err := r.header(ctx, "blob", Entry{OID: oid})
	return h.size, err
}

// header returns what kind and size an object is of; it must be of the given kind.
func (r *Repo) header(ctx context.Context, kind string, e Entry) (header, error) {
	if !r.isOID(string(e.OID)) {
		return header{}, fmt.Errorf("reading %s %q: no object id", kind, e.OID)
	}
	got, err := r.info.askHeader(ctx, string(e.OID))
	switch {
	case err != nil:
		return header{}, fmt.Errorf("reading %s %s: %w", kind, e.OID, err)
	case got.kind == "":
		return header{}, &MissingObjectError{OID: e.OID, Path: e.Path}
	case got.kind != kind:
		return header{}, fmt.Errorf("reading %s %s: it is a %s", kind, e.OID, got.kind)
	}
	return got, nil
}

// object returns the content of an object of the given kind.
func (r *Repo) object(ctx context.Context, kind string, e Entry, max int64) ([]byte, error) {
	h, err := r.header(ctx, kind, e)
	if err != nil {
		return nil, err
	}
	if h.size > max {
		return nil, fmt.Errorf("reading %s %s of %d bytes: %w", kind, e.OID, h.size, ErrTooLarge)
	}
	var body []byte
	err = r.content.ask(ctx, string(e.OID), func(h header, out *bufio.Reader) error {
		if h.kind != kind || h.size > max {
			return errors.New("the object changed while it was read")
		}
		body = make([]byte, h.size+1)
		_, err := io.ReadFull(out, body)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading %s %s: %w", kind, e.OID, err)
	}
	return body[:h.size], nil
}

// tree returns the entries of one tree, with their paths from the root.
func (r *Repo) tree(ctx context.Context, dir Entry) ([]Entry, error) {
	b, err := r.object(ctx, "tree", dir, maxMetaObject)
	if err != nil {
		return nil, err
	}
	entries, err := parseTree(b, r.hexLen/2, dir.Path)
	if err != nil {
		return nil, fmt.Errorf("reading tree %s: %w", dir.OID, err)
	}
	return entries, nil
}

var errBadTree = errors.New("malformed tree")

// parseTree reads git's binary form: mode, blank, name, NUL, raw id.
func parseTree(b []byte, rawLen int, dir string) ([]Entry, error) {
	var entries []Entry
	for len(b) > 0 {
		mode, rest, ok := bytes.Cut(b, []byte{' '})
		if !ok {
			return nil, errBadTree
		}
		name, rest, ok := bytes.Cut(rest, []byte{0})
		if !ok || len(rest) < rawLen || len(name) == 0 {
			return nil, errBadTree
		}
		bits, err := strconv.ParseUint(string(mode), 8, 32)
		if err != nil {
			return nil, errBadTree
		}
		entries = append(entries, Entry{
			Path: join(dir, string(name)),
			Mode: canonicalMode(Mode(bits)),
			OID:  OID(hex.EncodeToString(rest[:rawLen])),
		})
		b = rest[rawLen:]
	}
	return entries, nil
}

// canonicalMode maps the modes of old histories (100664, 100640, …) the way
// git does when it reads them.
func canonicalMode(m Mode) Mode {
	switch m & 0o170000 {
	case ModeTree, ModeSymlink, ModeGitlink:
		return m & 0o170000
	}
	if m&0o100 != 0 {
		return ModeExec
	}
	return ModeFile
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// isOID reports whether s is a full object id of this repository's kind.
func (r *Repo) isOID(s string) bool {
	if len(s) != r.hexLen {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
