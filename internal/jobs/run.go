package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"crossswe/internal/store"
)

// look is how often a run that is not served looks whether anything is left.
const look = 50 * time.Millisecond

// tellAfter is when a run that only waits says so.
const tellAfter = 3 * time.Second

// Drain enqueues the tasks and works until nothing is left for the stage,
// together with whatever other processes do so. With own set it works on these
// tasks alone. It returns the faults that jobs met, joined; those jobs are
// tried again by the next run.
func Drain(ctx context.Context, opt Options, tasks []Task, own bool) error {
	p, err := open(ctx, opt)
	if err != nil {
		return err
	}
	queue := string(opt.Stage)
	if own {
		queue = p.lease.id
	}
	err = p.drain(ctx, tasks, queue)
	err = errors.Join(err, p.close(ctx))
	return errors.Join(append(p.faults(), err)...)
}

func (p *pool) drain(ctx context.Context, tasks []Task, queue string) error {
	if err := p.start(ctx, queue); err != nil {
		return err
	}
	for {
		busy, err := p.hurry(ctx, tasks, queue)
		if err != nil {
			return err
		}
		if err := p.wait(ctx, queue); err != nil || len(busy) == 0 || p.stopped() {
			return err
		}
		// Another process works on these: they are looked at again when it is done.
		p.once.Warn("another process works on what was asked for; waiting", "candidate", busy[0].ID, "jobs", len(busy))
		tasks = busy
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(askAgain):
		}
	}
}

// askAgain is how often a run looks whether another process is done with what
// the run was asked for.
const askAgain = 250 * time.Millisecond

// stopped reports whether the machine has become unfit.
func (p *pool) stopped() bool {
	select {
	case <-p.stop:
		return true
	default:
		return false
	}
}

// faults are what jobs met, and why the machine rests.
func (p *pool) faults() []error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append(slices.Clone(p.errs), p.unfit)
}

// wait returns when nothing is left in the queue and nothing runs here, for a job
// whose outcome is written may have a word to say; when the machine is unfit; or
// when the context ends.
func (p *pool) wait(ctx context.Context, queue string) error {
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	tell := time.After(tellAfter)
	for {
		n, err := left(ctx, p.opt.Store, queue)
		if err != nil && !transient(err) || err == nil && n == 0 && p.idle() {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-p.stop:
			return nil
		case <-tell:
			tell = time.After(time.Minute)
			if p.idle() {
				p.opt.Log.Info(p.waitsFor(ctx, queue), "jobs", n)
			}
		case <-ticker.C:
		}
	}
}

// waitsFor says why nothing runs here while jobs are left.
func (p *pool) waitsFor(ctx context.Context, queue string) string {
	var paused bool
	err := p.opt.Store.DB().QueryRowContext(ctx, "SELECT paused_at IS NOT NULL FROM river_queue WHERE name = $1", queue).Scan(&paused)
	if err == nil && paused {
		return "somebody has paused this queue: resume it on the pages of screen -serve, at /jobs/"
	}
	return "waiting for jobs that other processes work on, or that do not fit on this machine now"
}

// left counts the jobs of a queue that are to be done now: those that wait for
// their back-off are not.
func left(ctx context.Context, s *store.Store, queue string) (int, error) {
	var n int
	err := s.DB().QueryRowContext(ctx, "SELECT count(*) FROM river_job WHERE kind = $1 AND queue = $2 AND state IN ('available', 'running', 'scheduled')", args{}.Kind(), queue).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("looking what is left in the queue: %w", err)
	}
	return n, nil
}

// Left counts the jobs of a stage that wait, or that other processes work on.
func Left(ctx context.Context, s *store.Store, stage store.Stage) (int, error) {
	return left(ctx, s, string(stage))
}

// Server is a process that works on a stage until it is stopped.
type Server struct {
	pool  *pool
	ready func(context.Context) ([]Task, error)
}

// poll is how often a server looks for records that have become ready.
const poll = 5 * time.Second

// NewServer takes a lease and begins to work. ready lists what waits for the
// stage; it is called every few seconds. Close it by ending the context of Run.
func NewServer(ctx context.Context, opt Options, ready func(context.Context) ([]Task, error)) (*Server, error) {
	p, err := open(ctx, opt)
	if err != nil {
		return nil, err
	}
	p.served = true
	if err := p.start(ctx, string(opt.Stage)); err != nil {
		return nil, errors.Join(err, p.close(ctx))
	}
	return &Server{pool: p, ready: ready}, nil
}

// Run works until the context ends; then it finishes or hands back what runs.
func (s *Server) Run(ctx context.Context) error {
	p := s.pool
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for ctx.Err() == nil {
		if err := s.refill(ctx); err != nil && ctx.Err() == nil {
			p.once.Error("looking for what is ready", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
	p.opt.Log.Info("stopping", "grace", p.opt.Grace)
	return p.close(ctx)
}

// Health says why the process takes no jobs at the moment, nil when it does.
func (s *Server) Health() error { return s.pool.health() }

// refill enqueues what is ready. What failed and has no attempts left waits for
// a person.
func (s *Server) refill(ctx context.Context) error {
	tasks, err := s.ready(ctx)
	if err != nil {
		return err
	}
	fresh := tasks[:0:0]
	for _, t := range tasks {
		if !t.Failed {
			fresh = append(fresh, t)
		}
	}
	_, err = s.pool.enqueue(ctx, fresh, string(s.pool.opt.Stage))
	return err
}
