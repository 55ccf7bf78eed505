package container

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
)

// conclude adds to a result what only the container can tell, and kills what
// runs too long.
func (c *Container) conclude(ctx context.Context, r *ExecResult) error {
	switch {
	case r.TimedOut:
		r.ExitCode = -1
		s, err := c.restart(ctx)
		r.OOMKilled = s.OOMKilled
		return err
	case r.ExitCode == 0:
		return nil
	}
	killed, alive, err := c.oomKilled(ctx)
	if err != nil {
		return err
	}
	r.OOMKilled = killed
	if alive {
		return nil
	}
	s, err := c.ended(ctx, noticeTimeout)
	if err != nil {
		return err
	}
	if !s.Running {
		r.Died, r.ExitCode, r.OOMKilled = true, -1, s.OOMKilled
	}
	return nil
}

// restart kills everything in the container and starts it again. It returns
// how the container stood in between.
func (c *Container) restart(ctx context.Context) (State, error) {
	limited, cancel := context.WithTimeout(ctx, changeTimeout)
	defer cancel()
	_, err := c.engine.api.ContainerKill(limited, c.ID, client.ContainerKillOptions{Signal: "KILL"})
	if err != nil && !isNotRunning(err) {
		return State{}, fmt.Errorf("killing container %s: %w", c.ID, fault(err, ErrGone))
	}
	s, err := c.ended(limited, endTimeout)
	if err != nil {
		return s, err
	}
	if s.Running {
		return s, fmt.Errorf("killing container %s: it still runs", c.ID)
	}
	if err := c.start(limited); err != nil {
		return s, fmt.Errorf("starting container %s again: %w", c.ID, err)
	}
	return s, nil
}

// Bounds of the wait for the end of a container.
const (
	// endTimeout is for one that was killed. A process in uninterruptible
	// input or output delays its end.
	endTimeout = 30 * time.Second
	// noticeTimeout is for one that may have ended by itself, of which the
	// engine takes notice a few milliseconds late.
	noticeTimeout = 3 * time.Second
)

// ended waits until the engine has taken notice that the container ended, and
// returns its state; Running is true when it did not.
func (c *Container) ended(ctx context.Context, limit time.Duration) (State, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	w := c.engine.api.ContainerWait(limited, c.ID, client.ContainerWaitOptions{Condition: container.WaitConditionNotRunning})
	select {
	case <-w.Result:
	case err := <-w.Error:
		if limited.Err() == nil {
			return State{}, fmt.Errorf("waiting for container %s: %w", c.ID, fault(err, ErrGone))
		}
	}
	return c.State(ctx)
}

// oomFiles count kills for want of memory, in cgroup version 1 and 2. Engines
// tell of them only when the whole container ended.
var oomFiles = []string{"/sys/fs/cgroup/memory/memory.oom_control", "/sys/fs/cgroup/memory.events"}

var oomCount = regexp.MustCompile(`(?m)^oom_kill [1-9]`)

// oomKilled reads the count by a command in the container; alive is false when
// no command can be run there any more.
func (c *Container) oomKilled(ctx context.Context) (killed, alive bool, err error) {
	var out bytes.Buffer
	r, err := c.run(ctx, ExecSpec{
		Cmd:       append([]string{"cat"}, oomFiles...),
		WorkDir:   "/",
		User:      "0",
		Stdout:    &out,
		Timeout:   queryTimeout,
		MaxOutput: 64 << 10,
	})
	if errors.Is(err, ErrGone) {
		return false, false, nil
	}
	// One of the files is always absent, so 1 is the usual code.
	alive = r.ExitCode == 0 || r.ExitCode == 1
	return oomCount.Match(out.Bytes()), alive, err
}
