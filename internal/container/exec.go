package container

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/client"
)

// DefaultMaxOutput bounds output where the caller gives no bound.
const DefaultMaxOutput = 64 << 20

// ExecSpec is one command to run in a container.
type ExecSpec struct {
	// Cmd is an argument list; no shell is added. Required.
	Cmd []string
	// WorkDir, Env and User override or add to the container's own.
	WorkDir string
	Env     []string
	User    string
	// Stdin is copied to the command and then closed. Nil is no input. Exec
	// waits for a Read that is under way.
	Stdin io.Reader
	// Stdout and Stderr receive the two streams apart. Nil drops one. The
	// same writer may serve both; writes do not overlap.
	Stdout io.Writer
	Stderr io.Writer
	// Timeout bounds the command. Required.
	Timeout time.Duration
	// MaxOutput bounds the bytes written to Stdout and Stderr together;
	// DefaultMaxOutput when zero. What comes after is read and dropped.
	MaxOutput int64
}

// ExecResult is how a command ended.
type ExecResult struct {
	// ExitCode is the command's, 128+signal when a signal ended it, 126 or
	// 127 (the engine's choice) when it could not be started, with the
	// reason on Stdout; -1 when TimedOut or Died.
	ExitCode int
	// TimedOut means that Timeout passed and everything in the container was
	// killed.
	TimedOut bool
	// Died means that the container itself ended while the command ran.
	Died bool
	// OOMKilled means that the kernel has killed a process in the container
	// for want of memory since it was started. It is not looked for when the
	// command ended with 0.
	OOMKilled bool
	// Truncated means that output was over MaxOutput.
	Truncated bool
	Duration  time.Duration
}

// Exec runs a command and waits for its end. Whatever the command does is a
// result; the error is for faults of the engine, of a stream that the caller
// gave, and for ctx.
//
// When Timeout passes, every process in the container is killed (the process
// namespace ends with its first process, so nothing escapes by a new session)
// and the container is started again: its files stay, tmpfs mounts and /dev/shm
// are empty. Other commands running in it die too.
//
// When ctx is done, the container is removed before Exec returns ctx's error.
//
// A process that the command leaves behind lives on, for a later Exec to see;
// it does not keep Exec waiting.
func (c *Container) Exec(ctx context.Context, spec ExecSpec) (ExecResult, error) {
	if len(spec.Cmd) == 0 || spec.Timeout <= 0 {
		return ExecResult{}, errors.New("running a command: command and timeout are required")
	}
	r, err := c.run(ctx, spec)
	if ctx.Err() != nil {
		return ExecResult{}, errors.Join(fmt.Errorf("running %s: %w", spec.Cmd[0], ctx.Err()), c.Remove(ctx))
	}
	if err != nil {
		return r, fmt.Errorf("running %s: %w", spec.Cmd[0], err)
	}
	if err := c.conclude(ctx, &r); err != nil {
		return r, fmt.Errorf("running %s: %w", spec.Cmd[0], err)
	}
	return r, nil
}

// run starts the command, passes its streams and waits for its end, or for
// the timeout; then the command still runs.
func (c *Container) run(ctx context.Context, spec ExecSpec) (ExecResult, error) {
	id, conn, err := c.attach(ctx, spec)
	if err != nil {
		return ExecResult{}, err
	}
	defer conn.Close()
	limited, cancel := context.WithTimeout(ctx, spec.Timeout)
	defer cancel()
	begin := time.Now()
	budget, err := passStreams(limited, conn, spec)
	if err != nil && limited.Err() == nil {
		return ExecResult{}, err
	}
	code, ended, err := c.awaitExit(limited, id)
	if !ended && ctx.Err() != nil {
		return ExecResult{}, ctx.Err()
	}
	return ExecResult{
		ExitCode:  code,
		TimedOut:  !ended && err == nil,
		Truncated: budget.truncated,
		Duration:  time.Since(begin),
	}, err
}

// attach starts the command and returns its id and its streams.
func (c *Container) attach(ctx context.Context, spec ExecSpec) (string, client.HijackedResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, changeTimeout)
	defer cancel()
	user := spec.User
	if user == "" {
		user = c.spec.User
	}
	created, err := c.engine.api.ExecCreate(ctx, c.ID, client.ExecCreateOptions{
		Cmd:          spec.Cmd,
		WorkingDir:   spec.WorkDir,
		Env:          spec.Env,
		User:         user,
		AttachStdin:  spec.Stdin != nil,
		AttachStdout: true,
		AttachStderr: true,
	})
	if isNotRunning(err) {
		return "", client.HijackedResponse{}, fmt.Errorf("%w: %w", ErrGone, err)
	}
	if err != nil {
		return "", client.HijackedResponse{}, fault(err, ErrGone)
	}
	r, err := c.engine.api.ExecAttach(ctx, created.ID, client.ExecAttachOptions{})
	if err != nil {
		return "", client.HijackedResponse{}, fault(err, ErrGone)
	}
	return created.ID, r.HijackedResponse, nil
}

// passStreams copies until the command's output ends or ctx is done. The error
// is the first of reading input, of writing output, or of the connection.
func passStreams(ctx context.Context, conn client.HijackedResponse, spec ExecSpec) (*budget, error) {
	stop := context.AfterFunc(ctx, conn.Close)
	defer stop()
	input := make(chan error, 1)
	go func() { input <- passInput(conn, spec.Stdin) }()
	b := newBudget(spec.MaxOutput)
	stdout, stderr := b.writer(spec.Stdout), b.writer(spec.Stderr)
	_, err := stdcopy.StdCopy(stdout, stderr, conn.Reader)
	conn.Close()
	return b, errors.Join(<-input, err, stdout.err, stderr.err)
}

// passInput copies the input. That the command does not read all of it is no
// error, so only the error of the reader counts.
func passInput(conn client.HijackedResponse, stdin io.Reader) error {
	if stdin == nil {
		return nil
	}
	r := &errorReader{r: stdin}
	_, _ = io.Copy(conn.Conn, r)
	_ = conn.CloseWrite()
	if r.err != nil {
		return fmt.Errorf("reading the command's input: %w", r.err)
	}
	return nil
}

// errorReader keeps the error of its reader apart from that of a writer.
type errorReader struct {
	r   io.Reader
	err error
}

func (e *errorReader) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		e.err = err
	}
	return n, err
}

// Bounds of the pause between two looks at a command. The engine learns of the
// end a little after the output ended, and the command may have closed its
// output long before; it sends no message for either.
const (
	minPause = 5 * time.Millisecond
	maxPause = 250 * time.Millisecond
)

// awaitExit returns the exit code, or false when ctx is done first.
func (c *Container) awaitExit(ctx context.Context, id string) (code int, ended bool, err error) {
	for pause := minPause; ; pause = min(2*pause, maxPause) {
		code, ended, err = c.exitCode(ctx, id)
		if ended || err != nil {
			return code, ended, err
		}
		select {
		case <-ctx.Done():
			return -1, false, nil
		case <-time.After(pause):
		}
	}
}

// exitCode looks once. It does not end with ctx: a command that ended in time
// must not be taken for one that did not.
func (c *Container) exitCode(ctx context.Context, id string) (code int, ended bool, err error) {
	ctx, cancel := detached(ctx, queryTimeout)
	defer cancel()
	r, err := c.engine.api.ExecInspect(ctx, id, client.ExecInspectOptions{})
	if err != nil {
		return -1, false, fault(err, ErrGone)
	}
	return r.ExitCode, !r.Running, nil
}
