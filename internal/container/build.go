package container

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// BuildSpec says how to build an image with the classic builder.
type BuildSpec struct {
	// Tag is the name that the image gets. Required.
	Tag string
	// Dockerfile is its text. Required.
	Dockerfile []byte
	// Context writes the files that COPY and ADD can see. It runs while the
	// engine reads, and its error ends the build. Nil is an empty context.
	Context func(ctx context.Context, w *tar.Writer) error
	// Args are the values of the Dockerfile's ARGs.
	Args map[string]string
	// Labels are put on the image beside Label.
	Labels map[string]string
	// Network is what RUN steps see: NetworkBridge when empty, or NetworkNone.
	Network string
	// Platform is "linux/amd64" and the like; empty is the engine's own.
	Platform string
	// NoCache runs every step anew.
	NoCache bool
	// CPUs and MemoryBytes bound each RUN step; zero is no bound.
	CPUs        float64
	MemoryBytes int64
	// Timeout bounds the whole build. Required.
	Timeout time.Duration
	// Log receives the build's output as text, at most MaxLog bytes of it
	// (DefaultMaxOutput when zero). Nil drops it.
	Log    io.Writer
	MaxLog int64
}

// BuildFailure says what kind of step failed.
type BuildFailure string

// The kinds of failure.
const (
	// FailureCommand is a RUN step that ended with a non-zero code.
	FailureCommand BuildFailure = "command"
	// FailureBase is a FROM whose image cannot be had.
	FailureBase BuildFailure = "base-image"
	// FailureTimeout is a build that took longer than BuildSpec.Timeout.
	FailureTimeout BuildFailure = "timeout"
	// FailureOther is everything else that the builder refuses: a syntax
	// error, a COPY of an absent file.
	FailureOther BuildFailure = "other"
)

// BuildError is a build that the engine carried out and that failed. Faults of
// the engine itself are other errors. It matches ErrNoSpace when the disk was
// full, and then says nothing about the Dockerfile.
type BuildError struct {
	Failure     BuildFailure
	Step        int      // 1-based; 0 before the first step
	Steps       int      // in all; 0 when unknown
	Instruction string   // as in the Dockerfile, one line
	Command     string   // the shell command of a RUN step; else empty
	ExitCode    int      // of a RUN step; else 0
	Message     string   // the engine's
	Tail        []string // the last lines of the log, at most 40
}

// Error gives the step, the instruction and the engine's message on one line.
func (b *BuildError) Error() string {
	return fmt.Sprintf("step %d of %d (%s): %s", b.Step, b.Steps, b.Instruction, b.Message)
}

// Build builds an image and returns it. The error is a *BuildError when the
// Dockerfile's own steps failed. Cancelling ctx ends the build and leaves no
// container.
func (e *Engine) Build(ctx context.Context, spec BuildSpec) (Image, error) {
	return Image{}, errNotYet
}

var errNotYet = errors.New("not yet")
