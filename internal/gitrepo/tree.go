package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// TreeEdit sets or removes one path of a tree.
type TreeEdit struct {
	Path string
	Mode Mode // ModeNone removes the path
	OID  OID
}

// TreeWith returns the id of the tree that base (a tree or commit, "" for the
// empty tree) becomes by the edits. A path that is set replaces what stands in
// its way: a file where it needs a directory, and the reverse. The tree is
// written to the scratch directory; blobs need not be present.
func (r *Repo) TreeWith(ctx context.Context, base OID, edits []TreeEdit) (OID, error) {
	return r.inIndex(ctx, base, func(ix index) error { return ix.edit(ctx, edits) })
}

// Apply returns the id of the tree that base becomes when the patches are
// applied by "git apply", one after the other. The error is an *ApplyError
// when one does not apply. An empty patch changes nothing.
func (r *Repo) Apply(ctx context.Context, base OID, patches ...[]byte) (OID, error) {
	return r.inIndex(ctx, base, func(ix index) error {
		for i, p := range patches {
			if err := ix.apply(ctx, i, p); err != nil {
				return err
			}
		}
		return nil
	})
}

// ApplyError says that a patch does not apply.
type ApplyError struct {
	Index  int    // which of the patches
	Output string // what git said, cut
}

// Error implements error.
func (e *ApplyError) Error() string { return "the patch does not apply: " + e.Output }

// index is a temporary index in the scratch directory.
type index struct {
	repo *Repo
	file string
}

// inIndex loads base into a fresh index, lets change change it, and writes the tree.
func (r *Repo) inIndex(ctx context.Context, base OID, change func(index) error) (OID, error) {
	dir, err := os.MkdirTemp(r.scratch, "index-")
	if err != nil {
		return "", fmt.Errorf("making a temporary index: %w", err)
	}
	defer os.RemoveAll(dir)
	ix := index{repo: r, file: filepath.Join(dir, "index")}
	if err := ix.load(ctx, base); err != nil {
		return "", err
	}
	if err := change(ix); err != nil {
		return "", err
	}
	out, err := r.output(ix.command(ctx, "write-tree", "--missing-ok"))
	if err != nil {
		return "", fmt.Errorf("writing a tree: %w", err)
	}
	return OID(strings.TrimSpace(string(out))), nil
}

func (ix index) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := ix.repo.scratchCommand(ctx, args...)
	cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+ix.file)
	return cmd
}

func (ix index) load(ctx context.Context, base OID) error {
	args := []string{"read-tree", "--empty"}
	if base != "" {
		if !ix.repo.isOID(string(base)) {
			return fmt.Errorf("loading tree %q: no object id", base)
		}
		args = []string{"read-tree", string(base)}
	}
	if _, err := ix.repo.output(ix.command(ctx, args...)); err != nil {
		return fmt.Errorf("loading tree %s: %w", base, err)
	}
	return nil
}

// edit removes first, so that a directory can take the place of a file.
func (ix index) edit(ctx context.Context, edits []TreeEdit) error {
	var removed, set bytes.Buffer
	for _, e := range edits {
		if e.Mode == ModeNone {
			fmt.Fprintf(&removed, "0 %s\t%s\x00", strings.Repeat("0", ix.repo.hexLen), e.Path)
		} else {
			fmt.Fprintf(&set, "%06o %s\t%s\x00", e.Mode, e.OID, e.Path)
		}
	}
	if removed.Len()+set.Len() == 0 {
		return nil
	}
	cmd := ix.command(ctx, "update-index", "-z", "--replace", "--index-info")
	removed.Write(set.Bytes())
	cmd.Stdin = &removed
	if _, err := ix.repo.output(cmd); err != nil {
		return fmt.Errorf("editing a tree: %w", err)
	}
	return nil
}

func (ix index) apply(ctx context.Context, i int, patch []byte) error {
	if len(patch) == 0 {
		return nil
	}
	cmd := ix.command(ctx, "apply", "--cached", "--whitespace=nowarn", "-p1", "-")
	cmd.Stdin = bytes.NewReader(patch)
	complaint := &headWriter{}
	cmd.Stderr = complaint
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &exit):
		return &ApplyError{Index: i, Output: complaint.text()}
	case err != nil:
		return fmt.Errorf("running git apply: %w", err)
	}
	return nil
}
