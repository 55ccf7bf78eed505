package main

import (
	"cmp"
	"context"
	"fmt"
	"path"

	"crossswe/internal/patch"
	"crossswe/schemas"
	"crossswe/verify/internal/matrix"
	"crossswe/verify/internal/touch"
	"crossswe/verify/internal/trial"
)

// change is a candidate's patches, and what is known of its tests.
type change struct {
	set     *matrix.Set
	splits  []patch.Sides
	patches []trial.Patch
}

// read makes the patches from git and looks at the tests that they touch.
func (s *stage) read(ctx context.Context, it item) (*change, error) {
	v := s.Config.Verify
	c := &change{set: &matrix.Set{Repetitions: v.Repetitions, Exhaustive: v.Exhaustive, Parallel: v.Workers > 1}}
	touches := map[schemas.RepoName]*touch.Index{}
	for i, r := range it.env.Spec.Repos {
		split, index, err := s.side(ctx, it.candidate.Sides[i])
		if err != nil {
			return nil, fmt.Errorf("reading the change of %s: %w", r.Repo, err)
		}
		c.splits = append(c.splits, split)
		c.patches = append(c.patches, trial.Patch{Gold: split.Gold, Test: split.Test, Added: added(split.Files)})
		c.set.Repos = append(c.set.Repos, r.Repo)
		if len(r.Targets) > 0 {
			c.set.Targets |= 1 << i
		}
		touches[r.Repo] = index
	}
	c.set.Sees = matrix.Closures(c.set.Repos, it.env.Spec.Links)
	c.set.Touch = func(id schemas.TestID) schemas.Touch {
		if x := touches[id.Repo()]; x != nil {
			return x.Of(id)
		}
		return schemas.TouchUnchanged
	}
	return c, nil
}

// added are the paths that do not exist at base.
func added(files []schemas.File) map[string]bool {
	m := map[string]bool{}
	for _, f := range files {
		if f.Status == schemas.FileAdded || f.Status == schemas.FileRenamed || f.Status == schemas.FileCopied {
			m[f.Path] = true
		}
	}
	return m
}

// maxTestFile bounds a test file whose text is looked at.
const maxTestFile = 8 << 20

// side splits one side's change and indexes the tests that it touches.
func (s *stage) side(ctx context.Context, side schemas.Side) (patch.Sides, *touch.Index, error) {
	repo, err := s.set.Open(ctx, side.Repo)
	if err != nil {
		return patch.Sides{}, nil, err
	}
	split, err := patch.Split(ctx, repo, side.Base, side.Head, patch.SplitOptions{})
	if err != nil {
		return patch.Sides{}, nil, err
	}
	touched, err := patch.TouchedLines(split.Test)
	if err != nil {
		return patch.Sides{}, nil, err
	}
	old := map[string]string{}
	for _, f := range split.Files {
		old[f.Path] = path.Clean(cmp.Or(f.OldPath, f.Path))
	}
	var files []touch.File
	for _, t := range touched {
		if len(t.Lines)+len(t.Cuts) == 0 {
			continue
		}
		f := touch.File{Touched: t}
		if f.Head, err = repo.ReadFile(ctx, side.Head, t.Path, maxTestFile); err != nil {
			return patch.Sides{}, nil, err
		}
		if !t.New {
			if f.Base, err = repo.ReadFile(ctx, side.Base, old[t.Path], maxTestFile); err != nil {
				return patch.Sides{}, nil, err
			}
		}
		files = append(files, f)
	}
	return split, touch.NewIndex(files), nil
}
