// Package gitrepo reads one local git repository: a clone, a mirror or a bare
// copy, whole, shallow or with blobs missing. It never reaches a network, and
// never writes to the repository, but for the times of object files: git
// refreshes those of an object that it finds there instead of writing it.
//
// Commands run in a scratch git directory that borrows the repository's
// objects. So nothing of the repository's configuration, hooks, attributes,
// replace refs or grafts has a say in what is read, an absent object is never
// fetched, and objects that are made on the way (see TreeWith) land in the
// scratch directory.
package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"crossswe/schemas"
)

// OID is a full object id: 40 (SHA-1) or 64 (SHA-256) lower-case hex digits.
type OID string

// Repo is an open repository. It is safe for concurrent use.
type Repo struct {
	place   place
	scratch string // the scratch git directory
	shallow map[schemas.CommitSHA]bool
	hexLen  int // digits of an object id
	info    *catFile
	content *catFile
}

// Open opens the repository in dir, which is a work tree's root, a linked work
// tree or a git directory; it does not search the parents of dir. The error is
// ErrNotRepository when there is none. The caller closes the Repo.
func Open(ctx context.Context, dir string) (*Repo, error) {
	p, err := locate(dir)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", dir, err)
	}
	r := &Repo{place: p}
	format, err := r.output(r.Command(ctx, "rev-parse", "--show-object-format"))
	if exitCode(err) > 0 { // git ran and refused
		err = errors.Join(ErrNotRepository, err)
	}
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", dir, err)
	}
	if r.shallow, err = readShallow(p); err != nil {
		return nil, fmt.Errorf("opening %s: %w", dir, err)
	}
	r.hexLen = hexLength(strings.TrimSpace(string(format)))
	if r.scratch, err = makeScratch(p, r.hexLen); err != nil {
		return nil, fmt.Errorf("opening %s: %w", dir, err)
	}
	r.info = newCatFile(r, "--batch-check")
	r.content = newCatFile(r, "--batch")
	return r, nil
}

// Close ends the processes that the Repo started and removes its scratch
// directory. No method may be called during or after it.
func (r *Repo) Close() error {
	r.info.close()
	r.content.close()
	if err := os.RemoveAll(r.scratch); err != nil {
		return fmt.Errorf("closing %s: %w", r.place.gitDir, err)
	}
	return nil
}

// Dir returns the absolute path of the git directory.
func (r *Repo) Dir() string { return r.place.gitDir }

// Bare reports whether the repository has no work tree.
func (r *Repo) Bare() bool { return r.place.bare }

// Shallow reports whether the repository's history is cut off somewhere.
func (r *Repo) Shallow() bool { return len(r.shallow) > 0 }

func hexLength(objectFormat string) int {
	if objectFormat == "sha256" {
		return 64
	}
	return 40
}
