package container

import (
	"context"
	"errors"
	"fmt"
	"strings"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/moby/moby/client"
)

// Errors that callers branch on, matched with errors.Is. An absent file in a
// container is fs.ErrNotExist.
var (
	// ErrNoEngine means that nothing answers at the engine's address. Its
	// text says what to do.
	ErrNoEngine = errors.New("no container engine answers")
	// ErrPermission means that an engine is there but this user may not use
	// its socket. Its text says what to do.
	ErrPermission = errors.New("no permission to use the container engine")
	// ErrNoImage means that an image does not exist in the engine.
	ErrNoImage = errors.New("no such image")
	// ErrGone means that the container no longer exists or no longer runs.
	ErrGone = errors.New("container is gone")
	// ErrNoSpace means that the engine's disk is full, or after a push that
	// the registry's is.
	ErrNoSpace = errors.New("no space left on the disk")
	// ErrRegistryUnreachable means that a registry could not be reached, broke
	// off, or is out of order.
	ErrRegistryUnreachable = errors.New("the registry is out of reach or out of order")
	// ErrRegistryDenied means that a registry wants a login, refuses the one
	// that it was given, or that the login could not be read.
	ErrRegistryDenied = errors.New("the registry denies access")
	// ErrTooLarge means that a file or tree in a container is over the bound
	// that the caller gave.
	ErrTooLarge = errors.New("larger than allowed")
	// ErrIrregular means that a path in a container is no regular file.
	ErrIrregular = errors.New("not a regular file")
)

// connectError turns the error of a first call into one that says what to do.
// A context that ended while the engine was silent is no engine either, unless
// the caller cancelled it.
func connectError(host string, err error) error {
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("connecting to the container engine at %s: %w", host, err)
	case strings.Contains(err.Error(), "permission denied"):
		return fmt.Errorf("%w at %s: run as root, or as root add this user to the group that owns the socket (usermod -aG docker USER) and log in again: %w",
			ErrPermission, host, err)
	case client.IsErrConnectionFailed(err), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w at %s: run \"make engine\" as root, or start Docker or Podman and set DOCKER_HOST to its address: %w",
			ErrNoEngine, host, err)
	default:
		return fmt.Errorf("connecting to the container engine at %s: %w", host, err)
	}
}

// fault adds the sentinel that a caller may branch on to an engine's error.
// missing is the sentinel for an absent object.
func fault(err, missing error) error {
	switch {
	case err == nil:
		return nil
	case client.IsErrConnectionFailed(err):
		return fmt.Errorf("%w: %w", ErrNoEngine, err)
	case missing != nil && cerrdefs.IsNotFound(err):
		return fmt.Errorf("%w: %w", missing, err)
	case isNoSpace(err.Error()):
		return fmt.Errorf("%w: %w", ErrNoSpace, err)
	default:
		return err
	}
}

// isNoSpace tells a full disk by the kernel's text, the only form in which it
// comes through the engine.
func isNoSpace(message string) bool {
	return strings.Contains(message, "no space left on device") || strings.Contains(message, "No space left on device")
}

// isNotRunning reports that a call needs a running container and that this one
// is not.
func isNotRunning(err error) bool { return err != nil && cerrdefs.IsConflict(err) }

// Unfit reports whether an error means that the engine can serve nobody at the
// moment, whatever is asked of it.
func Unfit(err error) bool {
	return errors.Is(err, ErrNoSpace) || errors.Is(err, ErrNoEngine) || errors.Is(err, ErrPermission)
}
