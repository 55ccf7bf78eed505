package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"crossswe/internal/container"
	"crossswe/schemas"
)

// errOtherImage says that a registry gave an image that is not the one that
// was built. Nothing is verified on it.
var errOtherImage = errors.New("another image than the one that was built")

// haveImage sees to it that the engine has the image that was built, which it
// pulls by digest when it was built elsewhere. The error is
// container.ErrNoImage when the image is nowhere.
func (s *stage) haveImage(ctx context.Context, env schemas.Environment, log *slog.Logger) error {
	_, there, err := s.engine.Image(ctx, string(env.ImageID))
	switch {
	case err != nil || there:
		return err
	case env.Pushed == "":
		return fmt.Errorf("%w: %s (%s) is not on this engine, and build pushed it to no registry", container.ErrNoImage, env.Image, env.ImageID)
	}
	log.Info("pulling", "image", env.Pushed)
	start := s.now()
	img, err := s.engine.Pull(ctx, string(env.Pushed))
	if err != nil {
		return err
	}
	if img.ID != string(env.ImageID) {
		return fmt.Errorf("%w: %s is %s, not %s", errOtherImage, env.Pushed, img.ID, env.ImageID)
	}
	log.Info("pulled", "image", env.Pushed, "took", s.now().Sub(start).Round(100*time.Millisecond))
	return nil
}
