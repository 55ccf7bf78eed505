package container

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/build"
	"github.com/moby/moby/client"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
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
	// Labels are put on the image beside Label. The labels of run and owner
	// are not: they would make equal builds differ.
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
	if b.Step == 0 {
		return "building image: " + b.Message
	}
	return fmt.Sprintf("building image: step %d of %d (%s): %s", b.Step, b.Steps, b.Instruction, b.Message)
}

// Is reports a full disk as ErrNoSpace.
func (b *BuildError) Is(target error) bool {
	return target == ErrNoSpace && (isNoSpace(b.Message) || slices.ContainsFunc(b.Tail, isNoSpace))
}

// Build builds an image and returns it. The error is a *BuildError when the
// Dockerfile's own steps failed. Cancelling ctx ends the build and leaves no
// container.
func (e *Engine) Build(ctx context.Context, spec BuildSpec) (Image, error) {
	opts, err := spec.options()
	if err != nil {
		return Image{}, fmt.Errorf("building image: %w", err)
	}
	log := newBuildLog(spec.Log, spec.MaxLog)
	limited, cancel := context.WithTimeout(ctx, spec.Timeout)
	defer cancel()
	err = e.build(limited, spec, opts, log)
	switch {
	case ctx.Err() != nil:
		return Image{}, fmt.Errorf("building image %s: %w", spec.Tag, ctx.Err())
	case limited.Err() != nil:
		return Image{}, log.failure(FailureTimeout, fmt.Sprintf("not done after %s", spec.Timeout))
	case err != nil:
		return Image{}, fmt.Errorf("building image %s: %w", spec.Tag, err)
	}
	img, there, err := e.Image(ctx, log.imageID)
	if err == nil && !there {
		err = fmt.Errorf("building image %s: %w after the build", spec.Tag, ErrNoImage)
	}
	return img, err
}

// build sends the context, while it is being written, and reads the log to its
// end.
func (e *Engine) build(ctx context.Context, spec BuildSpec, opts client.ImageBuildOptions, log *buildLog) error {
	r, w := io.Pipe()
	written := make(chan error, 1)
	go func() {
		err := spec.writeContext(ctx, w)
		w.CloseWithError(err)
		written <- err
	}()
	err := e.sendBuild(ctx, r, opts, log)
	r.CloseWithError(errContextUnread)
	if werr := <-written; werr != nil && !errors.Is(werr, errContextUnread) {
		return fmt.Errorf("writing the build context: %w", werr)
	}
	return err
}

var errContextUnread = errors.New("the engine reads no more of the build context")

func (e *Engine) sendBuild(ctx context.Context, content io.Reader, opts client.ImageBuildOptions, log *buildLog) error {
	r, err := e.api.ImageBuild(ctx, content, opts)
	if cerrdefs.IsInvalidArgument(err) {
		return log.failure(FailureOther, err.Error())
	}
	if err != nil {
		return fault(err, nil)
	}
	defer r.Body.Close()
	return log.read(r.Body)
}

// dockerfileName is where the Dockerfile stands in the context; a name that no
// COPY of a repository wants.
const dockerfileName = ".crossswe.Dockerfile"

func (s BuildSpec) writeContext(ctx context.Context, w io.Writer) error {
	t := tar.NewWriter(w)
	header := &tar.Header{Name: dockerfileName, Mode: 0o644, Size: int64(len(s.Dockerfile))}
	if err := t.WriteHeader(header); err != nil {
		return err
	}
	if _, err := t.Write(s.Dockerfile); err != nil {
		return err
	}
	if s.Context != nil {
		if err := s.Context(ctx, t); err != nil {
			return err
		}
	}
	return t.Close()
}

// options translates the spec, or says what it lacks.
func (s BuildSpec) options() (client.ImageBuildOptions, error) {
	if s.Tag == "" || len(s.Dockerfile) == 0 || s.Timeout <= 0 {
		return client.ImageBuildOptions{}, errors.New("tag, Dockerfile and timeout are required")
	}
	o := client.ImageBuildOptions{
		Tags:        []string{s.Tag},
		Dockerfile:  dockerfileName,
		BuildArgs:   make(map[string]*string, len(s.Args)),
		Labels:      map[string]string{Label: "1"},
		NetworkMode: s.Network,
		NoCache:     s.NoCache,
		Remove:      true,
		ForceRemove: true,
		Memory:      s.MemoryBytes,
		MemorySwap:  s.MemoryBytes,
		Version:     build.BuilderV1,
	}
	if s.CPUs > 0 {
		o.CPUPeriod, o.CPUQuota = cpuPeriod, int64(s.CPUs*cpuPeriod)
	}
	for k, v := range s.Args {
		o.BuildArgs[k] = &v
	}
	for k, v := range s.Labels {
		o.Labels[k] = v
	}
	if s.Platform != "" {
		os, arch, ok := strings.Cut(s.Platform, "/")
		if !ok {
			return o, fmt.Errorf("platform %q: want os/architecture", s.Platform)
		}
		arch, variant, _ := strings.Cut(arch, "/")
		o.Platforms = []ocispec.Platform{{OS: os, Architecture: arch, Variant: variant}}
	}
	return o, nil
}

// cpuPeriod is the scheduler's usual period, in microseconds.
const cpuPeriod = 100_000
