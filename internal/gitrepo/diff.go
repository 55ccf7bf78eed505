package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"crossswe/schemas"
)

// Change is one changed path between two trees.
type Change struct {
	Status           schemas.FileStatus
	Path             string // the new path; the old one of a deletion
	OldPath          string // before a rename, else ""
	OldMode, NewMode Mode
	OldOID, NewOID   OID // "" where the mode is ModeNone
	// Added and Deleted count lines; both are 0 for binaries and submodules.
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

// fixedDiff are the options that make git's diffs the same on every machine
// and of every configuration. The rename limit is git's default; over it only
// exact renames are found.
var fixedDiff = []string{"--no-ext-diff", "--no-textconv", "--no-color", "--no-relative",
	"--submodule=short", "--ignore-submodules=none", "--full-index", "--no-abbrev",
	"--diff-algorithm=myers", "--indent-heuristic", "--inter-hunk-context=0",
	"--src-prefix=a/", "--dst-prefix=b/", "-l1000", "-O/dev/null"}

// Diff returns the changed paths from base's tree to head's, ordered by path.
// Absent blobs mark their own change as Missing; an absent tree or commit is
// an error (*MissingObjectError, ErrNoCommit).
func (r *Repo) Diff(ctx context.Context, base, head schemas.CommitSHA, opt DiffOptions) ([]Change, error) {
	from, err := r.Commit(ctx, base)
	if err != nil {
		return nil, err
	}
	to, err := r.Commit(ctx, head)
	if err != nil {
		return nil, err
	}
	changes, err := r.DiffTrees(ctx, from.Tree, to.Tree, opt)
	if err != nil {
		return nil, fmt.Errorf("comparing %s and %s: %w", base.Short(), head.Short(), err)
	}
	return changes, nil
}

// DiffTrees is Diff for two trees.
func (r *Repo) DiffTrees(ctx context.Context, from, to OID, opt DiffOptions) ([]Change, error) {
	changes, err := r.rawDiff(ctx, from, to)
	if err != nil {
		return nil, err
	}
	if err := r.markMissing(ctx, changes); err != nil {
		return nil, err
	}
	if !opt.Renames && !opt.Lines {
		return changes, nil
	}
	return r.readDiff(ctx, from, to, changes, opt)
}

// rawDiff compares the trees alone: no blob is read.
func (r *Repo) rawDiff(ctx context.Context, from, to OID) ([]Change, error) {
	out, err := r.diffTree(ctx, from, to, "--raw", "-z", "--no-renames")
	if err != nil {
		return nil, r.explain(ctx, err, from, to)
	}
	changes, _, err := parseRaw(out)
	return changes, err
}

func (r *Repo) diffTree(ctx context.Context, from, to OID, args ...string) ([]byte, error) {
	var out bytes.Buffer
	err := r.diffTreeInto(ctx, from, to, &limitWriter{w: &out, left: maxOutput}, args...)
	return out.Bytes(), err
}

func (r *Repo) diffTreeInto(ctx context.Context, from, to OID, w io.Writer, args ...string) error {
	for _, oid := range []OID{from, to} {
		if !r.isOID(string(oid)) {
			return fmt.Errorf("comparing trees: %q is no object id", oid)
		}
	}
	all := append([]string{"diff-tree", "-r"}, fixedDiff...)
	all = append(append(all, args...), string(from), string(to), "--")
	return run(r.scratchCommand(ctx, all...), w)
}

// explain turns git's failure into a *MissingObjectError when a tree is absent.
func (r *Repo) explain(ctx context.Context, failure error, trees ...OID) error {
	for _, oid := range trees {
		var missing *MissingObjectError
		for _, err := range r.Entries(ctx, oid) {
			if errors.As(err, &missing) {
				return missing
			}
		}
	}
	return failure
}

func (r *Repo) markMissing(ctx context.Context, changes []Change) error {
	for i := range changes {
		oid, err := r.MissingBlob(ctx, changes[i])
		if err != nil {
			return err
		}
		changes[i].Missing = oid != ""
	}
	return nil
}

// MissingBlob returns the first blob of a change that is absent, or "".
// Submodule pointers have no blob here.
func (r *Repo) MissingBlob(ctx context.Context, c Change) (OID, error) {
	for _, side := range []Entry{{c.Path, c.OldMode, c.OldOID}, {c.Path, c.NewMode, c.NewOID}} {
		if side.Mode == ModeNone || side.Mode == ModeGitlink {
			continue
		}
		var missing *MissingObjectError
		_, err := r.header(ctx, "blob", side)
		switch {
		case errors.As(err, &missing):
			return missing.OID, nil
		case err != nil:
			return "", err
		}
	}
	return "", nil
}

// readDiff compares again with the blobs, the paths of missing changes left
// out of both trees, and puts those back.
func (r *Repo) readDiff(ctx context.Context, from, to OID, raw []Change, opt DiffOptions) ([]Change, error) {
	var missing []string
	for _, c := range raw {
		if c.Missing {
			missing = append(missing, c.Path)
		}
	}
	from, err := r.Without(ctx, from, missing)
	if err != nil {
		return nil, err
	}
	if to, err = r.Without(ctx, to, missing); err != nil {
		return nil, err
	}
	args := []string{"--raw", "-z", "--no-renames"}
	if opt.Renames {
		args[2] = "-M50%"
	}
	if opt.Lines {
		args = append(args, "--numstat")
	}
	out, err := r.diffTree(ctx, from, to, args...)
	if err != nil {
		return nil, err
	}
	changes, rest, err := parseRaw(out)
	if err != nil {
		return nil, err
	}
	if err := parseNumstat(rest, changes, opt.Lines); err != nil {
		return nil, err
	}
	for _, c := range raw {
		if c.Missing {
			changes = append(changes, c)
		}
	}
	slices.SortStableFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return changes, nil
}

// Without returns the id of a tree less the given paths.
func (r *Repo) Without(ctx context.Context, tree OID, paths []string) (OID, error) {
	if len(paths) == 0 {
		return tree, nil
	}
	edits := make([]TreeEdit, len(paths))
	for i, p := range paths {
		edits[i].Path = p
	}
	return r.TreeWith(ctx, tree, edits)
}

// PatchText returns the patch between two trees in git's format, renames
// detected and copies not, byte for byte the same on every machine. A blob
// that is absent fails it: take such paths out of both trees. The error is
// ErrTooLarge over max bytes.
func (r *Repo) PatchText(ctx context.Context, from, to OID, max int64) ([]byte, error) {
	var out bytes.Buffer
	if err := r.diffTreeInto(ctx, from, to, &limitWriter{w: &out, left: max}, "--patch", "--binary", "--unified=3", "-M50%"); err != nil {
		return nil, fmt.Errorf("writing a patch: %w", err)
	}
	return out.Bytes(), nil
}
