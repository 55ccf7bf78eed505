// Package sides reads the sides of a candidate from their repositories: the
// split into gold and test patch, the trees in every state, and the snapshots
// that inference works on.
package sides

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"crossswe/build/internal/detect"
	"crossswe/build/internal/infer"
	"crossswe/build/internal/link"
	"crossswe/internal/gitrepo"
	"crossswe/internal/mirrors"
	"crossswe/internal/patch"
	"crossswe/schemas"
)

// Side is one repository's part of a candidate, read.
type Side struct {
	schemas.Side
	// Dir is the checkout's directory below the testbed.
	Dir   string
	Git   *gitrepo.Repo
	Split patch.Sides
	// Missing are the paths that the checkout lacks; filled in by the caller
	// that made it.
	Missing []string

	base, head map[string]gitrepo.Entry
}

// Open reads every side of the candidate, in its order, and proves that gold
// and test patch together give the head. Errors: mirrors.ErrUnknown, gitrepo's
// and patch's.
func Open(ctx context.Context, set *mirrors.Set, c schemas.Candidate) ([]Side, error) {
	dirs := infer.Dirs(c.Sides)
	sides := make([]Side, len(c.Sides))
	for i, s := range c.Sides {
		git, err := set.Open(ctx, s.Repo)
		if err != nil {
			return nil, err
		}
		sides[i] = Side{Side: s, Dir: dirs[i], Git: git}
		if err := sides[i].read(ctx); err != nil {
			return nil, fmt.Errorf("reading %s: %w", s.Repo, err)
		}
	}
	return sides, nil
}

func (s *Side) read(ctx context.Context) (err error) {
	if s.Split, err = patch.Split(ctx, s.Git, s.Base, s.Head, patch.SplitOptions{}); err != nil {
		return err
	}
	if err := patch.Prove(ctx, s.Git, s.Split); err != nil {
		return err
	}
	if s.base, err = entries(ctx, s.Git, s.Base); err != nil {
		return err
	}
	s.head, err = entries(ctx, s.Git, s.Head)
	return err
}

func entries(ctx context.Context, repo *gitrepo.Repo, sha schemas.CommitSHA) (map[string]gitrepo.Entry, error) {
	all := map[string]gitrepo.Entry{}
	for e, err := range repo.ListTree(ctx, sha) {
		if err != nil {
			return nil, err
		}
		all[e.Path] = e
	}
	return all, nil
}

// Entries returns the tree of the side in a state, by path. The caller must
// not change it.
func (s Side) Entries(state link.TreeState) map[string]gitrepo.Entry {
	switch state {
	case link.TreeHead:
		return s.head
	case link.TreeTest:
		return s.withTests()
	}
	return s.base
}

// withTests returns the base with the test patch applied.
func (s Side) withTests() map[string]gitrepo.Entry {
	tree := maps.Clone(s.base)
	for _, f := range s.Split.Files {
		if f.Class != schemas.ClassTest || f.Missing {
			continue
		}
		if f.Status == schemas.FileRenamed {
			delete(tree, f.OldPath)
		}
		if e, ok := s.head[f.Path]; ok && f.Status != schemas.FileDeleted {
			tree[f.Path] = e
		} else {
			delete(tree, f.Path)
		}
	}
	return tree
}

// Snapshot reads what inference needs of base and head.
func (s Side) Snapshot(ctx context.Context) (detect.Repo, error) {
	r := detect.Repo{Name: s.Repo, Dir: s.Dir, Files: s.Split.Files}
	var err error
	if r.Base, err = s.snapshot(ctx, s.base); err != nil {
		return r, err
	}
	if r.Head, err = s.snapshot(ctx, s.head); err != nil {
		return r, err
	}
	tag, distance, ok, err := s.Git.Describe(ctx, s.Base)
	if ok {
		r.Version = detect.PyVersion(tag, distance)
	}
	return r, err
}

func (s Side) snapshot(ctx context.Context, tree map[string]gitrepo.Entry) (detect.Tree, error) {
	t := detect.Tree{Paths: slices.Sorted(maps.Keys(tree)), Files: map[string][]byte{}}
	for _, p := range detect.Wanted(t.Paths, s.Split.Files) {
		e := tree[p]
		if e.Mode != gitrepo.ModeFile && e.Mode != gitrepo.ModeExec {
			continue
		}
		body, err := s.Git.ReadBlob(ctx, e.OID, detect.MaxFile)
		var missing *gitrepo.MissingObjectError
		if errors.As(err, &missing) || errors.Is(err, gitrepo.ErrTooLarge) {
			continue
		}
		if err != nil {
			return t, fmt.Errorf("reading %s of %s: %w", p, s.Repo, err)
		}
		t.Files[p] = body
	}
	return t, nil
}

// Snapshots reads the snapshots of all sides, in order.
func Snapshots(ctx context.Context, all []Side) ([]detect.Repo, error) {
	repos := make([]detect.Repo, len(all))
	for i, s := range all {
		var err error
		if repos[i], err = s.Snapshot(ctx); err != nil {
			return nil, err
		}
	}
	return repos, nil
}

// maxBaseFile bounds a file of the base that EachBase gives.
const maxBaseFile = 64 << 20

// EachBase calls read with the content of every file of every base that is at
// hand. Only the reader of the last call is valid.
func EachBase(ctx context.Context, all []Side, read func(io.Reader) error) error {
	for _, s := range all {
		for _, p := range slices.Sorted(maps.Keys(s.base)) {
			e := s.base[p]
			if e.Mode == gitrepo.ModeGitlink {
				continue
			}
			body, err := s.Git.ReadBlob(ctx, e.OID, maxBaseFile)
			var missing *gitrepo.MissingObjectError
			if errors.As(err, &missing) || errors.Is(err, gitrepo.ErrTooLarge) {
				continue
			}
			if err == nil {
				err = read(bytes.NewReader(body))
			}
			if err != nil {
				return fmt.Errorf("reading %s of %s: %w", p, s.Repo, err)
			}
		}
	}
	return nil
}
