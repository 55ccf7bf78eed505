package patch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"crossswe/internal/gitrepo"
	"crossswe/schemas"
)

// defaultMaxBytes bounds one patch unless the caller says otherwise.
const defaultMaxBytes = 64 << 20

// SplitOptions bounds a split; the zero value has the defaults.
type SplitOptions struct {
	// MaxBytes limits each of the two patches; 0 means 64 MiB.
	MaxBytes int64
}

// Sides is a change from base to head, split in two.
type Sides struct {
	Base, Head schemas.CommitSHA
	// Gold and Test are patches in git's format, both against Base; either may
	// be empty. They apply in any order and touch no path in common. Files of
	// class test are in Test, all others in Gold.
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
	// Trees are ids of the states that the patches lead to.
	Trees Trees
}

// Trees are the states of a split. The paths of Missing and Gitlinks are in
// none of them; without such paths Base and Both are the trees of the commits.
type Trees struct {
	Base gitrepo.OID
	Gold gitrepo.OID // Base with the gold patch
	Test gitrepo.OID // Base with the test patch
	Both gitrepo.OID // Base with both patches, which is the head
}

// Missing is a change that a patch cannot hold.
type Missing struct {
	Path   string
	Class  schemas.FileClass
	Status schemas.FileStatus
	Reason MissingReason
	OID    gitrepo.OID // the object at fault
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
	Class    schemas.FileClass
	Old, New gitrepo.OID
}

// ErrEntangled says that a file gives way to a directory, or the reverse, with
// both source and test files in it, so that neither patch can stand alone.
var ErrEntangled = errors.New("gold and test files take the place of one path")

// Split makes the gold and the test patch of a change. The patches are what
// "git diff --binary --full-index" writes, files in git's order, renames
// detected within each patch and copies not. Errors: gitrepo's (ErrNoCommit,
// *MissingObjectError for a tree, ErrTooLarge) and ErrEntangled.
func Split(ctx context.Context, repo *gitrepo.Repo, base, head schemas.CommitSHA, opt SplitOptions) (Sides, error) {
	if opt.MaxBytes == 0 {
		opt.MaxBytes = defaultMaxBytes
	}
	s := Sides{Base: base, Head: head}
	if err := s.split(ctx, repo, opt); err != nil {
		return Sides{}, fmt.Errorf("splitting %s..%s: %w", base.Short(), head.Short(), err)
	}
	return s, nil
}

func (s *Sides) split(ctx context.Context, repo *gitrepo.Repo, opt SplitOptions) error {
	changes, err := repo.Diff(ctx, s.Base, s.Head, gitrepo.DiffOptions{})
	if err != nil {
		return err
	}
	plan, err := makePlan(ctx, repo, changes)
	if err != nil {
		return err
	}
	s.Missing, s.Gitlinks = plan.missing, plan.gitlinks
	if err := s.makeTrees(ctx, repo, plan); err != nil {
		return err
	}
	if s.Gold, err = repo.PatchText(ctx, s.Trees.Base, s.Trees.Gold, opt.MaxBytes); err != nil {
		return err
	}
	if s.Test, err = repo.PatchText(ctx, s.Trees.Base, s.Trees.Test, opt.MaxBytes); err != nil {
		return err
	}
	s.Files, err = s.listFiles(plan)
	return err
}

func (s *Sides) makeTrees(ctx context.Context, repo *gitrepo.Repo, plan plan) (err error) {
	before, after, err := s.expected(ctx, repo)
	if err != nil {
		return err
	}
	s.Trees.Base, s.Trees.Both = before, after
	if s.Trees.Gold, err = repo.TreeWith(ctx, before, plan.gold); err != nil {
		return err
	}
	s.Trees.Test, err = repo.TreeWith(ctx, before, plan.test)
	return err
}

// expected returns the trees of base and head without the paths that no patch holds.
func (s *Sides) expected(ctx context.Context, repo *gitrepo.Repo) (before, after gitrepo.OID, err error) {
	from, err := repo.Commit(ctx, s.Base)
	if err != nil {
		return "", "", err
	}
	to, err := repo.Commit(ctx, s.Head)
	if err != nil {
		return "", "", err
	}
	var oldPaths, newPaths []string
	for _, m := range s.Missing {
		oldPaths, newPaths = append(oldPaths, m.Path), append(newPaths, m.Path)
	}
	for _, g := range s.Gitlinks {
		if g.Old != "" {
			oldPaths = append(oldPaths, g.Path)
		}
		if g.New != "" {
			newPaths = append(newPaths, g.Path)
		}
	}
	if before, err = repo.Without(ctx, from.Tree, oldPaths); err != nil {
		return "", "", err
	}
	after, err = repo.Without(ctx, to.Tree, newPaths)
	return before, after, err
}

// listFiles gathers what the patches, read back, and the lists say.
func (s *Sides) listFiles(plan plan) ([]schemas.File, error) {
	var files []schemas.File
	for _, patch := range [][]byte{s.Gold, s.Test} {
		parsed, err := Parse(patch)
		if err != nil {
			return nil, err
		}
		for _, f := range parsed {
			files = append(files, plan.record(f))
		}
	}
	files = mergeTypeChanges(files)
	for _, m := range s.Missing {
		files = append(files, schemas.File{Path: m.Path, Status: m.Status, Class: m.Class, Missing: true})
	}
	for _, g := range s.Gitlinks {
		files = append(files, schemas.File{Path: g.Path, Status: g.status(), Class: g.Class})
	}
	slices.SortStableFunc(files, func(a, b schemas.File) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

// mergeTypeChanges makes one record of a deletion followed by an addition of
// the same path.
func mergeTypeChanges(files []schemas.File) []schemas.File {
	var merged []schemas.File
	for _, f := range files {
		if n := len(merged); n > 0 && merged[n-1].Path == f.Path && merged[n-1].Status == schemas.FileDeleted {
			f.Status, f.Deleted = schemas.FileType, merged[n-1].Deleted
			f.Binary = f.Binary || merged[n-1].Binary
			merged[n-1] = f
			continue
		}
		merged = append(merged, f)
	}
	return merged
}

func (g Gitlink) status() schemas.FileStatus {
	switch {
	case g.Old == "":
		return schemas.FileAdded
	case g.New == "":
		return schemas.FileDeleted
	}
	return schemas.FileModified
}
