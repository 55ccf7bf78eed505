package container

import "errors"

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
	// ErrGone means that the container no longer exists.
	ErrGone = errors.New("container is gone")
	// ErrNoSpace means that the engine's disk is full.
	ErrNoSpace = errors.New("no space left on the engine's disk")
	// ErrTooLarge means that a file or tree in a container is over the bound
	// that the caller gave.
	ErrTooLarge = errors.New("larger than allowed")
)
