package container

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/moby/moby/client"
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
// so the image needs /bin/sh and rm. ErrNoImage when the image does not exist.
// On any error nothing is left behind; else the caller calls Remove.
func (e *Engine) Start(ctx context.Context, spec Spec) (*Container, error) {
	if err := spec.validate(); err != nil {
		return nil, fmt.Errorf("starting a container: %w", err)
	}
	c, err := e.create(ctx, spec)
	if err != nil {
		return nil, fmt.Errorf("starting a container of %s: %w", spec.Image, err)
	}
	if err := c.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("starting a container of %s: %w", spec.Image, err), c.Remove(ctx))
	}
	return c, nil
}

// create does not end with ctx: a call that is broken off may still have made
// a container, of which nobody would know the name.
func (e *Engine) create(ctx context.Context, spec Spec) (*Container, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	limited, cancel := detached(ctx, changeTimeout)
	defer cancel()
	r, err := e.api.ContainerCreate(limited, spec.options(e.labels(spec.Labels)))
	if err != nil {
		return nil, fault(err, ErrNoImage)
	}
	return &Container{ID: r.ID, Name: spec.Name, engine: e, spec: spec}, nil
}

// start starts the container, for the first time or again, and readies it.
func (c *Container) start(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, changeTimeout)
	defer cancel()
	if _, err := c.engine.api.ContainerStart(limited, c.ID, client.ContainerStartOptions{}); err != nil {
		return fault(err, ErrGone)
	}
	return c.ready(limited)
}

// ready runs the prelude.
func (c *Container) ready(ctx context.Context) error {
	var out bytes.Buffer
	r, err := c.run(ctx, ExecSpec{
		Cmd:     []string{"/bin/sh", "-c", c.spec.prelude()},
		WorkDir: "/",
		User:    "0",
		Stdout:  &out,
		Stderr:  &out,
		Timeout: changeTimeout,
	})
	if err == nil && (r.ExitCode != 0 || r.TimedOut) {
		err = fmt.Errorf("exit code %d: %s", r.ExitCode, strings.TrimSpace(out.String()))
	}
	if err != nil {
		return fmt.Errorf("readying the container: %w", err)
	}
	return nil
}

// State asks the engine how the container stands; ErrGone when it is removed.
func (c *Container) State(ctx context.Context) (State, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	r, err := c.engine.api.ContainerInspect(ctx, c.ID, client.ContainerInspectOptions{})
	if err != nil {
		return State{}, fmt.Errorf("inspecting container %s: %w", c.ID, fault(err, ErrGone))
	}
	in := r.Container.State
	if in == nil {
		return State{}, fmt.Errorf("inspecting container %s: the engine gives no state", c.ID)
	}
	s := State{Running: in.Running, OOMKilled: in.OOMKilled, ExitCode: in.ExitCode, Error: in.Error}
	// A container that never started has the zero time.
	s.Started, _ = time.Parse(time.RFC3339Nano, in.StartedAt)
	return s, nil
}

// Remove kills the container and removes it with its anonymous volumes. It does
// so even when ctx is cancelled, within a time limit of its own. A container
// that is gone already is no error.
func (c *Container) Remove(ctx context.Context) error { return c.engine.removeContainer(ctx, c.ID) }

func (e *Engine) removeContainer(ctx context.Context, id string) error {
	ctx, cancel := detached(ctx, changeTimeout)
	defer cancel()
	_, err := e.api.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	if err != nil && !isAbsent(err) && !isBeingRemoved(err) {
		return fmt.Errorf("removing container %s: %w", id, fault(err, nil))
	}
	return nil
}

// isBeingRemoved reports that another call removes the container already.
func isBeingRemoved(err error) bool {
	return strings.Contains(err.Error(), "removal of container") && strings.Contains(err.Error(), "already in progress")
}
