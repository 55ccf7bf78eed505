// Package trial runs one mask: a fresh container from the image, patches,
// rebuild, link proof, tests, reports. A fault of the machinery is an error
// and is retried; whatever the repositories' own code does is a result.
package trial

import (
	"context"
	"errors"
	"fmt"
	"time"

	"crossswe/internal/container"
	"crossswe/schemas"
	"crossswe/verify/internal/matrix"
)

// Box is a container for one trial.
type Box interface {
	Exec(ctx context.Context, spec container.ExecSpec) (container.ExecResult, error)
	ReadFile(ctx context.Context, path string, maxBytes int64) ([]byte, error)
	Remove(ctx context.Context) error
}

// Options are what all trials of one candidate share.
type Options struct {
	// Start makes a fresh container of the image. Required.
	Start func(ctx context.Context) (Box, error)
	// Keep stores a log or result and returns its digest. Required.
	Keep func(ctx context.Context, body []byte) (schemas.Digest, error)
	Spec schemas.Spec
	// Patches stand in the order of Spec.Repos.
	Patches []Patch
	// Timeout is the longest that one target, or one command of a rebuild
	// without a timeout of its own, may take. Required.
	Timeout time.Duration
	// Now is the clock for durations. Required.
	Now func() time.Time
}

// Patch is one repository's part of the change.
type Patch struct {
	Gold, Test []byte
	// Added are the files that do not exist at base: in the health run a
	// target of such files alone may be absent.
	Added map[string]bool
}

// Runner runs trials. It is safe for concurrent use.
type Runner struct{ opt Options }

// New returns a Runner.
func New(opt Options) *Runner { return &Runner{opt: opt} }

// Key names a target among all repositories'.
type Key struct {
	Repo   int
	Target string
}

// Pace is what the full mask taught about the targets.
type Pace struct {
	// Took is how long each target took under the full mask; a target that is
	// not in it has the full limit.
	Took map[Key]time.Duration
	// LeaveOut are the top-level tests of Go targets that kill their process
	// under the full mask. They are run in no other trial.
	LeaveOut map[Key][]string
}

// Outcome is one trial's outcome, twice: for the judgement and for the record.
type Outcome struct {
	Run    matrix.Run
	Record schemas.Run
	// Pace is what this trial would teach.
	Pace Pace
}

// attempts bounds the trials of one job. An engine that fails three times in a
// row is out of order.
const attempts = 3

// voidAttempts bounds those of a job whose link does not hold, since that has
// never yet been chance.
const voidAttempts = 2

// Run runs one job. Engine faults are retried in a fresh container; the error
// is the last of them, or ctx's, and then says nothing about the candidate.
func (r *Runner) Run(ctx context.Context, job matrix.Job, pace Pace) (Outcome, error) {
	var faults []error
	voids := 0
	for range attempts {
		out, err := r.once(ctx, job, pace)
		switch {
		case ctx.Err() != nil:
			return Outcome{}, ctx.Err()
		case err != nil && final(err):
			return Outcome{}, fmt.Errorf("running a trial: %w", err)
		case err != nil:
			faults = append(faults, err)
			continue
		case out.Run.Failure == schemas.FailureLinkVoid:
			if voids++; voids < voidAttempts {
				continue
			}
		}
		return out, nil
	}
	return Outcome{}, fmt.Errorf("running a trial %d times: %w", attempts, errors.Join(faults...))
}

// final reports whether an engine fault would come again.
func final(err error) bool {
	for _, e := range []error{container.ErrNoImage, container.ErrNoSpace, container.ErrNoEngine, container.ErrPermission} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// once runs one job in one container.
func (r *Runner) once(ctx context.Context, job matrix.Job, pace Pace) (out Outcome, err error) {
	begin := r.opt.Now()
	box, err := r.opt.Start(ctx)
	if err != nil {
		return Outcome{}, fmt.Errorf("starting a container: %w", err)
	}
	defer func() { err = errors.Join(err, box.Remove(ctx)) }()
	t := &trial{Runner: r, box: box, job: job, pace: pace, results: map[schemas.TestID]matrix.Result{},
		next: Pace{Took: map[Key]time.Duration{}, LeaveOut: map[Key][]string{}}}
	if err := t.do(ctx); err != nil {
		return Outcome{}, err
	}
	return t.outcome(ctx, r.opt.Now().Sub(begin))
}

// trial is one container's work.
type trial struct {
	*Runner
	box     Box
	job     matrix.Job
	pace    Pace
	next    Pace
	record  schemas.Run
	results map[schemas.TestID]matrix.Result
	unbuilt []schemas.RepoName
	failure schemas.Failure
	detail  string
	dead    bool // the container ended and no command can run
}

// do goes through the stages; each may end the trial by a failure.
func (t *trial) do(ctx context.Context) error {
	for _, stage := range []func(context.Context) error{t.apply, t.clean, t.rebuild, t.prove, t.test} {
		if err := stage(ctx); err != nil {
			return err
		}
		if t.failure != "" {
			return nil
		}
	}
	return nil
}

// fail ends the trial: it is evidence of nothing.
func (t *trial) fail(f schemas.Failure, format string, args ...any) {
	if t.failure == "" {
		t.failure, t.detail = f, fmt.Sprintf(format, args...)
	}
}

func (t *trial) outcome(ctx context.Context, took time.Duration) (Outcome, error) {
	results, err := encode(t.results)
	if err != nil {
		return Outcome{}, fmt.Errorf("writing the results: %w", err)
	}
	t.record.Mask, t.record.Repetition, t.record.Health = t.job.Mask, t.job.Repetition, t.job.Health
	t.record.Alone = t.job.Alone
	t.record.Failure, t.record.Detail, t.record.Duration = t.failure, t.detail, took
	if t.record.Results, err = t.opt.Keep(ctx, results); err != nil {
		return Outcome{}, err
	}
	run := matrix.Run{Job: t.job, Tests: t.results, Unbuilt: t.unbuilt, Failure: t.failure, Detail: t.detail}
	return Outcome{Run: run, Record: t.record, Pace: t.next}, nil
}
