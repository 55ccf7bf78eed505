package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// fitWait is when a job that does not fit on the machine is looked at again.
const fitWait = 2 * time.Second

// worker is what River calls for every job.
type worker struct {
	river.WorkerDefaults[args]
	pool *pool
}

// Work implements river.Worker.
func (w *worker) Work(ctx context.Context, rj *river.Job[args]) error {
	p := w.pool
	ctx, done := p.track(ctx, rj.ID)
	defer done()
	if p.resting() {
		return river.JobSnooze(fitWait)
	}
	fits, err := p.lease.hold(ctx, p.opt.Needs, p.opt.Limits)
	if err != nil {
		p.opt.Log.Warn("handing a job back", "candidate", rj.Args.ID, "error", err)
		return river.JobSnooze(fitWait)
	}
	if p.waits(!fits) {
		p.opt.Log.Info("waiting for room on the machine", "candidate", rj.Args.ID)
	}
	if !fits {
		return river.JobSnooze(fitWait)
	}
	defer func() {
		if err := p.lease.let(context.WithoutCancel(ctx), p.opt.Needs); err != nil {
			p.opt.Log.Warn("room on the machine was not given back", "error", err)
		}
	}()
	start := time.Now()
	err = p.opt.Work(ctx, &Job{Task: Task{ID: rj.Args.ID, Again: rj.Args.Again}, store: p.opt.Store, river: rj})
	out := p.outcome(ctx, rj, err)
	p.opt.Metrics.job(p.opt.Stage, out.name, time.Since(start))
	return out.answer
}

// outcome is what became of a job, and what River is told.
type outcome struct {
	name   string // done, handed_back, lost, unfit, fault
	answer error
}

func (p *pool) outcome(ctx context.Context, rj *river.Job[args], err error) outcome {
	var unfit *UnfitError
	switch {
	case err == nil:
		p.fit()
		return outcome{"done", nil}
	case errors.Is(err, ErrLost), errors.Is(context.Cause(ctx), ErrLost):
		p.opt.Log.Warn("another process has taken this job over; nothing was written", "candidate", rj.Args.ID)
		return outcome{"lost", river.JobSnooze(0)} // finds no row
	case ctx.Err() != nil:
		return outcome{"handed_back", river.JobSnooze(0)}
	case p.storeAway(ctx, err):
		p.once.Warn("handing a job back: the store was away", "candidate", rj.Args.ID, "error", err)
		return outcome{"handed_back", river.JobSnooze(fitWait)}
	case errors.As(err, &unfit):
		p.rest(err)
		return outcome{"unfit", river.JobSnooze(fitWait)}
	}
	p.fault(err)
	return outcome{"fault", err}
}

// storeAway reports whether a job met the loss of the store, which is no fault of
// its own: the database's own errors tell, others only while it does not answer.
func (p *pool) storeAway(ctx context.Context, err error) bool {
	if !transient(err) {
		return false
	}
	if databases(err) {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, fitWait)
	defer cancel()
	_, away := p.opt.Store.Now(ctx)
	return away != nil
}

// faults hears of panics: they are faults of our own and end the run.
type faults struct{ pool *pool }

// HandleError implements river.ErrorHandler.
func (*faults) HandleError(context.Context, *rivertype.JobRow, error) *river.ErrorHandlerResult {
	return nil
}

// HandlePanic implements river.ErrorHandler.
func (f *faults) HandlePanic(_ context.Context, job *rivertype.JobRow, v any, trace string) *river.ErrorHandlerResult {
	f.pool.opt.Log.Error("a job panicked", "job", string(job.EncodedArgs), "panic", v, "trace", trace)
	f.pool.rest(&UnfitError{fmt.Errorf("job %s: panic: %v", job.EncodedArgs, v)})
	return nil
}
