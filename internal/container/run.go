package container

import (
	"context"
	"time"
)

// Container is one running container.
type Container struct {
	ID   string
	Name string

	engine *Engine
	spec   Spec
}

// State is how a container stands.
type State struct {
	Running bool
	// OOMKilled means that the kernel killed a process in it, or all of it,
	// for want of memory, since it was last started.
	OOMKilled bool
	// ExitCode and Error are those of the main process once it ended.
	ExitCode int
	Error    string
	Started  time.Time
}

// Start makes a container and starts it. The file /.dockerenv, by which
// programs tell that they are in a container, is removed before Start returns;
// so the image needs rm. ErrNoImage when the image does not exist. On any error
// nothing is left behind; else the caller calls Remove.
func (e *Engine) Start(ctx context.Context, spec Spec) (*Container, error) {
	return nil, errNotYet
}

// State asks the engine how the container stands; ErrGone when it is removed.
func (c *Container) State(ctx context.Context) (State, error) { return State{}, errNotYet }

// Remove kills the container and removes it with its anonymous volumes. It does
// so even when ctx is cancelled, within a time limit of its own. A container
// that is gone already is no error.
func (c *Container) Remove(ctx context.Context) error { return errNotYet }
