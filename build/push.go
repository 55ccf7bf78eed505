package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"strings"
	"time"

	"crossswe/internal/store"
	"crossswe/schemas"
)

// withRegistry returns the input of an item whose image goes to a registry: a
// registry that is configured later takes the images that are there already.
func withRegistry(made, registry string) string {
	if registry == "" {
		return made
	}
	sum := sha256.Sum256([]byte(made + "\n" + registry))
	return hex.EncodeToString(sum[:])
}

// pushed builds the candidate's image and pushes it, when there is a registry.
// The record is kept before the push, without a state: when the push fails the
// next run finds the image and has only to push it.
func (s *stage) pushed(ctx context.Context, it item, log *slog.Logger) (schemas.Environment, error) {
	env, there, err := s.earlier(ctx, it)
	if err != nil {
		return env, err
	}
	if !there {
		if env, err = s.build(ctx, it, log); err != nil {
			return env, err
		}
	}
	if s.inPlace(env) {
		return env, nil
	}
	if there {
		log.Info("the image is here already: it only has to be pushed", "image", env.Image)
	} else if err := s.Store.Commit(ctx, store.Batch{Records: []schemas.Record{env}}); err != nil {
		return env, err
	}
	env.Pushed, err = s.push(ctx, env, log)
	return env, err
}

// inPlace reports whether the image is in the registry that is configured, or
// has to be in none.
func (s *stage) inPlace(env schemas.Environment) bool {
	to := s.Config.Build.Registry
	return to == "" || strings.HasPrefix(string(env.Pushed), to+"@")
}

// earlier returns what an earlier run built of the same input, if its image can
// still be had.
func (s *stage) earlier(ctx context.Context, it item) (schemas.Environment, bool, error) {
	env, ok, err := store.Get[schemas.Environment](ctx, s.Store, string(it.candidate.ID))
	if err != nil || !ok || it.again || env.Input != it.made {
		return schemas.Environment{}, false, err
	}
	if env.Pushed != "" && s.inPlace(env) {
		return env, true, nil
	}
	_, ok, err = s.engine.Image(ctx, string(env.ImageID))
	return env, ok, err
}

// push sends the image to the registry, under the tag that it has here, and
// returns its name by digest.
func (s *stage) push(ctx context.Context, env schemas.Environment, log *slog.Logger) (schemas.ImageRef, error) {
	_, tag, _ := strings.Cut(string(env.Image), ":")
	name := s.Config.Build.Registry + ":" + tag
	start := s.now()
	digest, err := s.engine.Push(ctx, string(env.ImageID), name)
	if err != nil {
		return "", err
	}
	ref := schemas.ImageRef(s.Config.Build.Registry + "@" + digest)
	log.Info("pushed", "image", ref, "took", s.now().Sub(start).Round(100*time.Millisecond))
	return ref, nil
}
