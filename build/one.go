package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"time"

	"crossswe/build/internal/assemble"
	"crossswe/build/internal/recipe"
	"crossswe/build/internal/sides"
	"crossswe/internal/container"
	"crossswe/internal/process"
	"crossswe/schemas"
)

// candidateLabel names the candidate on its image.
const candidateLabel = "crossswe.candidate"

// one builds one candidate. The error is a *gaveUp when the candidate is to be
// dropped.
func (s *stage) one(ctx context.Context, it item, log *slog.Logger) (schemas.Environment, error) {
	env, err := s.pushed(ctx, it, log)
	return env, reason(err)
}

func (s *stage) build(ctx context.Context, it item, log *slog.Logger) (schemas.Environment, error) {
	env := schemas.Environment{Candidate: it.candidate.ID, Edited: it.spec.body != nil, Input: it.made}
	if err := s.space(ctx); err != nil {
		return env, err
	}
	all, err := sides.Open(ctx, s.set, it.candidate)
	if err != nil {
		return env, err
	}
	if env.Spec, err = s.spec(ctx, it, all); err != nil {
		return env, err
	}
	if env.SpecDigest, err = specDigest(env.Spec); err != nil {
		return env, err
	}
	if env.Bases, err = s.bases(ctx, env.Spec); err != nil {
		return env, err
	}
	if err := s.image(ctx, it, &env, all, log); err != nil {
		return env, err
	}
	if err := s.check(ctx, &env, all, log); err != nil {
		return env, err
	}
	env.Host, err = assemble.Facts(ctx, s.engine)
	env.BuiltAt = s.now().UTC().Truncate(time.Second)
	return env, err
}

// errBase says that a base image is not here and its registry did not answer:
// that may change, so the candidate is not lost.
var errBase = errors.New("a base image cannot be had (pull or load it, or name another in the spec)")

func (s *stage) bases(ctx context.Context, spec schemas.Spec) ([]schemas.BaseUsed, error) {
	used, err := assemble.Bases(ctx, s.engine, spec)
	switch {
	case errors.Is(err, container.ErrNoImage):
		return nil, giveUp(schemas.BuildNoBaseImage, "%v", err)
	case err != nil && ctx.Err() == nil && !hopeless(err):
		return nil, fmt.Errorf("%w: %w", errBase, err)
	}
	return used, err
}

// image builds the image and keeps Dockerfile and log, the log also when the
// build failed.
func (s *stage) image(ctx context.Context, it item, env *schemas.Environment, all []sides.Side, log *slog.Logger) error {
	plan, err := recipe.New(env.Spec, recipe.Options{Pins: assemble.Pins(env.Bases), Args: slices.Sorted(maps.Keys(s.args))})
	if err != nil {
		return giveUp(schemas.BuildBadSpec, "%s: %v", it.spec.file, err)
	}
	if env.Dockerfile, err = s.artefacts.Put(ctx, plan.Dockerfile); err != nil {
		return err
	}
	scratch, err := process.MkdirTemp("build")
	if err != nil {
		return fmt.Errorf("making a scratch directory: %w", err)
	}
	defer os.RemoveAll(scratch)
	prepared, err := assemble.Prepare(ctx, env.Spec, plan, all, assemble.Paths{Scratch: scratch, Report: s.flags.report})
	if err != nil {
		return err
	}
	for i := range all {
		all[i].Missing = prepared.Checkouts[i].Missing
	}
	log.Debug("the build context is ready", "dockerfile", s.artefacts.Location(env.Dockerfile))
	img, text, buildErr := prepared.Build(ctx, s.engine, assemble.BuildOptions{
		Tag: imageTag(env.SpecDigest), Args: s.args, Timeout: time.Duration(s.Config.Build.Timeout),
		Labels: map[string]string{candidateLabel: string(it.candidate.ID)},
	})
	if env.BuildLog, err = s.artefacts.Put(context.WithoutCancel(ctx), text); err != nil {
		return err
	}
	if buildErr != nil {
		log.Info("the build failed", "log", s.artefacts.Location(env.BuildLog))
		return buildReason(buildErr, plan, it.spec.file)
	}
	env.Image, env.ImageID, env.SizeBytes = schemas.ImageRef(imageTag(env.SpecDigest)), schemas.Digest(img.ID), img.Size
	return nil
}
