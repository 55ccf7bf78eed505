package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"crossswe/internal/store"
	"crossswe/schemas"
)

// space sees to it that enough of the disk is free: when it is not, images of
// this pipeline that nothing waits for are removed, one after the other.
func (s *stage) space(ctx context.Context) error {
	check := func() error { return checkSpace(s.Config.Build.MinFreeGB, os.TempDir(), engineRoot) }
	err := check()
	if !errors.Is(err, errDiskFull) {
		return err
	}
	list, listErr := s.expendable(ctx)
	if listErr != nil {
		return errors.Join(err, listErr)
	}
	return reclaim(list, check, func(env schemas.Environment) error {
		s.Log.Info("removing an image to make room", "candidate", env.Candidate, "image", env.Image)
		return s.engine.DiscardImage(ctx, string(env.ImageID))
	})
}

// reclaim removes images until check is content or none is left.
func reclaim(list []schemas.Environment, check func() error, remove func(schemas.Environment) error) error {
	err := check()
	for _, env := range list {
		if !errors.Is(err, errDiskFull) {
			return err
		}
		if err := remove(env); err != nil {
			return err
		}
		err = check()
	}
	return err
}

// expendable lists the images that may go. Images without a record of this
// pipeline are somebody else's.
func (s *stage) expendable(ctx context.Context) ([]schemas.Environment, error) {
	envs, err := store.All[schemas.Environment](ctx, s.Store)
	if err != nil {
		return nil, err
	}
	verified := map[schemas.CandidateID]store.Item{}
	for _, state := range []store.State{store.Kept, store.Dropped} {
		items, err := s.Store.Items(ctx, store.StageVerify, state)
		if err != nil {
			return nil, err
		}
		for _, it := range items {
			verified[schemas.CandidateID(it.ID)] = it
		}
	}
	return expendable(envs, verified), nil
}

// expendable orders what may go: first the images of candidates that verify has
// dropped, then those of kept ones that a registry has; of each kind the least
// recently used first. An image that is to be verified, or of which there is no
// other copy, is not among them.
func expendable(envs []schemas.Environment, verified map[schemas.CandidateID]store.Item) []schemas.Environment {
	class := func(e schemas.Environment) int {
		it, ok := verified[e.Candidate]
		switch {
		case ok && it.State == store.Dropped:
			return 1
		case ok && it.State == store.Kept && e.Pushed != "":
			return 2
		}
		return 0
	}
	used := func(e schemas.Environment) time.Time {
		if at := verified[e.Candidate].At; at.After(e.BuiltAt) {
			return at
		}
		return e.BuiltAt
	}
	list := slices.DeleteFunc(slices.Clone(envs), func(e schemas.Environment) bool { return class(e) == 0 })
	slices.SortFunc(list, func(a, b schemas.Environment) int {
		return cmp.Or(cmp.Compare(class(a), class(b)), used(a).Compare(used(b)), cmp.Compare(a.Candidate, b.Candidate))
	})
	return list
}
