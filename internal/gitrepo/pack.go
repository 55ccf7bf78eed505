package gitrepo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"

	"crossswe/schemas"
)

// PackOptions says what to pack.
type PackOptions struct {
	Commit schemas.CommitSHA
	// History is none for the commit alone, as in a repository of depth 1, or
	// past for everything that it reaches.
	History schemas.History
}

// PackResult says what a pack holds and what a repository made from it needs.
type PackResult struct {
	Objects int
	// Missing are the objects that the repository lacks and the pack therefore
	// too: first those of Commit's own tree, one for each path, in the tree's
	// order; then those of older commits, by id and without a path.
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
// The bytes depend on the objects and git's version alone, not on how the
// repository stores them, so equal checkouts give equal image layers. That
// costs about a minute for each 100,000 objects.
func (r *Repo) Pack(ctx context.Context, w io.Writer, opt PackOptions) (PackResult, error) {
	result, err := r.pack(ctx, w, opt)
	if err != nil {
		return PackResult{}, fmt.Errorf("packing %s: %w", opt.Commit, err)
	}
	return result, nil
}

func (r *Repo) pack(ctx context.Context, w io.Writer, opt PackOptions) (PackResult, error) {
	var result PackResult
	err := r.present(ctx, opt.Commit)
	if err != nil {
		return result, err
	}
	if result.Shallow, err = r.boundaries(ctx, opt); err != nil {
		return result, err
	}
	absent, err := r.packObjects(ctx, w, opt, &result)
	if err != nil {
		return result, err
	}
	result.Missing, err = r.nameMissing(ctx, opt.Commit, absent)
	return result, err
}

// boundaries returns where the new repository's history is cut off.
func (r *Repo) boundaries(ctx context.Context, opt PackOptions) ([]schemas.CommitSHA, error) {
	reached := []schemas.CommitSHA{opt.Commit}
	switch opt.History {
	case schemas.HistoryNone:
		c, err := r.Commit(ctx, opt.Commit)
		if err != nil || len(c.Parents) == 0 {
			return nil, err
		}
		return reached, nil
	case schemas.HistoryPast:
		if !r.Shallow() {
			return nil, nil
		}
	default:
		return nil, fmt.Errorf("unknown history %q", opt.History)
	}
	reached, err := r.revList(ctx, string(opt.Commit))
	if err != nil {
		return nil, err
	}
	reached = slices.DeleteFunc(reached, func(sha schemas.CommitSHA) bool { return !r.shallow[sha] })
	slices.Sort(reached)
	return reached, nil
}

// packObjects pipes the list of reachable objects, less the absent ones, into
// git pack-objects, and returns the absent ones.
func (r *Repo) packObjects(ctx context.Context, w io.Writer, opt PackOptions, result *PackResult) ([]OID, error) {
	list := r.listCommand(ctx, opt)
	complaint := &headWriter{}
	list.Stderr = complaint
	out, err := list.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("listing objects: %w", err)
	}
	pack := r.packCommand(ctx)
	in, err := pack.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("packing objects: %w", err)
	}
	if err := list.Start(); err != nil {
		return nil, fmt.Errorf("listing objects: %w", err)
	}
	var absent []OID
	fed := make(chan error, 1)
	go func() {
		var feedErr error
		result.Objects, absent, feedErr = feed(in, out)
		feedErr = errors.Join(feedErr, in.Close())
		fed <- errors.Join(commandError(list, complaint, list.Wait()), feedErr)
	}()
	packErr := run(pack, w)
	if packErr != nil {
		out.Close() // the lister ends at its next write
	}
	return absent, errors.Join(<-fed, packErr)
}

func (r *Repo) listCommand(ctx context.Context, opt PackOptions) *exec.Cmd {
	args := []string{"rev-list", "--objects", "--missing=print"}
	if opt.History == schemas.HistoryNone {
		args = append(args, "--no-walk")
	}
	return r.scratchCommand(ctx, append(args, "--end-of-options", string(opt.Commit))...)
}

// packCommand computes every delta anew, on one thread: reusing the
// repository's own would be faster and give other bytes from another copy.
func (r *Repo) packCommand(ctx context.Context) *exec.Cmd {
	return r.scratchCommand(ctx, "-c", "core.compression=6",
		"pack-objects", "--stdout", "-q", "--threads=1", "--no-reuse-delta", "--no-reuse-object",
		"--delta-base-offset", "--window=10", "--depth=50")
}

// feed copies the lines "OID PATH" and sorts out the lines "?OID" of absent objects.
func feed(w io.Writer, r io.Reader) (objects int, absent []OID, err error) {
	in := bufio.NewReaderSize(r, 1<<20)
	out := bufio.NewWriterSize(w, 1<<16)
	for {
		line, err := in.ReadBytes('\n')
		switch {
		case err == io.EOF && len(line) == 0:
			return objects, absent, out.Flush()
		case err != nil:
			return objects, absent, fmt.Errorf("listing objects: %w", err)
		case line[0] == '?':
			absent = append(absent, OID(bytes.TrimSpace(line[1:])))
			continue
		}
		objects++
		if _, err := out.Write(line); err != nil {
			return objects, absent, fmt.Errorf("packing objects: %w", err)
		}
	}
}

// nameMissing finds the paths of absent objects in the commit's own tree.
func (r *Repo) nameMissing(ctx context.Context, sha schemas.CommitSHA, absent []OID) ([]MissingObjectError, error) {
	if len(absent) == 0 {
		return nil, nil
	}
	unnamed := map[OID]bool{}
	wanted := map[OID]bool{}
	for _, oid := range absent {
		unnamed[oid], wanted[oid] = true, true
	}
	var missing []MissingObjectError
	for e, err := range r.ListTree(ctx, sha) {
		if err != nil {
			return nil, err
		}
		if e.Mode != ModeGitlink && wanted[e.OID] {
			missing = append(missing, MissingObjectError{OID: e.OID, Path: e.Path})
			delete(unnamed, e.OID)
		}
	}
	slices.SortFunc(absent, func(a, b OID) int { return strings.Compare(string(a), string(b)) })
	for _, oid := range absent {
		if unnamed[oid] {
			missing = append(missing, MissingObjectError{OID: oid})
		}
	}
	return missing, nil
}
