package container

import (
	"context"
	"io"
	"time"
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
	// Stdin is copied to the command and then closed. Nil is no input.
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
	// 127 when it could not be started; -1 when TimedOut or Died.
	ExitCode int
	// TimedOut means that Timeout passed and everything in the container was
	// killed.
	TimedOut bool
	// Died means that the container itself ended while the command ran.
	Died bool
	// OOMKilled means that the kernel killed a process in the container for
	// want of memory while the command ran.
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
	return ExecResult{}, errNotYet
}
