package container

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/moby/moby/client"
)

// Bounds of a push or a pull.
const (
	// transferTimeout is for all of it: ten gigabytes at a megabyte a second.
	transferTimeout = 3 * time.Hour
	// quietTimeout is for the time between two messages of the engine. A
	// registry that moves a large layer to its place is silent for minutes.
	quietTimeout = 10 * time.Minute
)

// Push gives the image a further name (repository:tag, with the registry's
// host), pushes it there and returns the digest of its manifest. The image and
// its other names stay as they are. Layers that the registry has are not sent
// again.
//
// The error is ErrNoImage when the engine does not have the image, and
// ErrRegistryUnreachable, ErrRegistryDenied or ErrNoSpace where the registry is
// the cause. It never holds a login.
func (e *Engine) Push(ctx context.Context, image, name string) (digest string, err error) {
	if err := e.Tag(ctx, image, name); err != nil {
		return "", err
	}
	digest, err = e.transfer(ctx, name, nil, func(ctx context.Context, auth string) (io.ReadCloser, error) {
		return e.api.ImagePush(ctx, name, client.ImagePushOptions{RegistryAuth: auth})
	})
	if err == nil && digest == "" {
		err = errors.New("the engine does not say under which digest")
	}
	if err != nil {
		return "", fmt.Errorf("pushing image %s: %w", name, err)
	}
	return digest, nil
}

// Pull fetches ref from its registry. ErrNoImage means that the registry does
// not have it, or does not show it: some do not tell which, and then the error
// is ErrRegistryDenied too. The other errors are Push's; ErrNoSpace is about
// the engine's disk.
func (e *Engine) Pull(ctx context.Context, ref string) (Image, error) {
	_, err := e.transfer(ctx, ref, ErrNoImage, func(ctx context.Context, auth string) (io.ReadCloser, error) {
		return e.api.ImagePull(ctx, ref, client.ImagePullOptions{RegistryAuth: auth})
	})
	if err != nil {
		return Image{}, fmt.Errorf("pulling image %s: %w", ref, err)
	}
	img, there, err := e.Image(ctx, ref)
	if err == nil && !there {
		err = fmt.Errorf("pulling image %s: %w after the pull", ref, ErrNoImage)
	}
	return img, err
}

// transfer makes the call and follows its messages to their end. It returns the
// digest of what was pushed. missing is the sentinel for an absent image, nil
// where none can be.
func (e *Engine) transfer(ctx context.Context, ref string, missing error, call func(context.Context, string) (io.ReadCloser, error)) (string, error) {
	login, err := e.login(ctx, ref)
	if err != nil {
		return "", err
	}
	limited, watch := newWatch(ctx, transferTimeout, quietTimeout)
	defer watch.stop()
	digest := ""
	r, err := call(limited, login.header)
	if err == nil {
		digest, err = follow(r, watch.heard)
		err = errors.Join(err, r.Close())
	}
	switch {
	case err == nil:
		return digest, nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	case limited.Err() != nil:
		return "", context.Cause(limited)
	}
	return "", transferFault(err, missing, login)
}

// watch ends a transfer that takes too long or falls silent.
type watch struct {
	cancel context.CancelFunc
	silent *time.Timer
	quiet  time.Duration
}

func newWatch(ctx context.Context, all, quiet time.Duration) (context.Context, *watch) {
	ctx, cancelAll := context.WithTimeoutCause(ctx, all, fmt.Errorf("%w: not done after %s", ErrRegistryUnreachable, all))
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watch{quiet: quiet, cancel: func() { cancel(nil); cancelAll() }}
	w.silent = time.AfterFunc(quiet, func() {
		cancel(fmt.Errorf("%w: nothing was heard for %s", ErrRegistryUnreachable, quiet))
	})
	return ctx, w
}

// heard starts the time of silence anew.
func (w *watch) heard() { w.silent.Reset(w.quiet) }

func (w *watch) stop() {
	w.silent.Stop()
	w.cancel()
}
