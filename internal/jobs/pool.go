package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/riverqueue/river"
)

// pool is a process at work: its lease, its clock, its part of River.
type pool struct {
	opt    Options
	lease  *lease
	clock  *clock
	conn   *connection
	client *Client
	once   *slog.Logger       // says the same once a minute
	end    context.CancelFunc // of the rounds
	rounds <-chan struct{}    // closed when they have ended

	mu      sync.Mutex
	running map[int64]context.CancelCauseFunc
	errs    []error       // faults so far, for the one who waits for them
	served  bool          // nobody waits: faults are logged
	unfit   error         // why this machine rests
	until   time.Time     // and how long
	pause   time.Duration // the last one's length
	stop    chan struct{} // closed at the first unfit
	waiting bool          // for room on the machine
	deaf    error         // why the last round could not do its work
	row     int           // faults without a success between them

	forgotten map[int64]time.Time // of the rounds alone
}

// health says why and until when this machine takes no jobs, nil when it does.
func (p *pool) health() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.deaf != nil {
		return p.deaf
	}
	if p.unfit == nil || time.Now().After(p.until) {
		return nil
	}
	return fmt.Errorf("resting until %s: %w", p.until.UTC().Format(time.TimeOnly), p.unfit)
}

// restFirst and restMost bound how long an unfit machine rests: a disk may be
// swept by hand, an engine started.
const (
	restFirst = 30 * time.Second
	restMost  = 10 * time.Minute
)

// open takes a lease, takes over what the dead have left, and makes the client
// for the queues. Close it.
func open(ctx context.Context, opt Options) (*pool, error) {
	opt.Workers = max(opt.Workers, 1)
	if opt.lease == 0 {
		opt.lease = leaseTime
	}
	if err := opt.Needs.Check(opt.Limits); err != nil {
		return nil, err
	}
	p := &pool{opt: opt, lease: newLease(opt.Store, opt.Stage, opt.lease), clock: &clock{}, once: quiet(opt.Log), running: map[int64]context.CancelCauseFunc{}, stop: make(chan struct{}), forgotten: map[int64]time.Time{}}
	if err := p.clock.set(ctx, opt.Store); err != nil {
		return nil, err
	}
	var err error
	if p.conn, err = connect(ctx, opt.Store); err != nil {
		return nil, err
	}
	if _, err := p.lease.renew(ctx); err != nil {
		return nil, errors.Join(err, p.conn.close())
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx)) // the lease is kept while running jobs end
	p.end, p.rounds = end, p.begin(life)
	if err := p.takeOver(ctx, opt.lease); err != nil {
		return nil, errors.Join(err, p.close(ctx))
	}
	return p, nil
}

// start begins to work on the queues.
func (p *pool) start(ctx context.Context, queues ...string) error {
	client, err := river.NewClient(p.conn.driver, p.clientConfig(queues...))
	if err != nil {
		return fmt.Errorf("opening the job queue: %w", err)
	}
	if err := client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("starting the job queue: %w", err)
	}
	p.client = client
	return nil
}

// close stops the work, within the grace time, and gives the lease up.
func (p *pool) close(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	var errs []error
	if p.client != nil {
		stop := p.client.Stop
		if p.opt.Grace == 0 {
			stop = p.client.StopAndCancel
		}
		errs = append(errs, stop(ctx))
	}
	p.end()
	<-p.rounds
	errs = append(errs, p.lease.dropOwn(ctx), p.lease.release(ctx), p.conn.close())
	return errors.Join(errs...)
}

// track makes the context of a job, which ends when the job is lost.
func (p *pool) track(ctx context.Context, id int64) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running[id] = cancel
	return ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.running, id)
		cancel(nil)
	}
}

// tracks reports whether a job runs here.
func (p *pool) tracks(id int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.running[id]
	return ok
}

// idle reports whether no job runs here.
func (p *pool) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.running) == 0
}

// maxRow is how many faults in a row make a machine unfit: the next job would
// most likely meet the same one.
const maxRow = 3

// fault notes a fault of one job.
func (p *pool) fault(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.served {
		p.opt.Log.Error("a job met a fault", "error", err)
	} else {
		p.errs = append(p.errs, err)
	}
	var single *SingleError
	if errors.As(err, &single) {
		return
	}
	if p.row++; p.row >= maxRow {
		p.rested(fmt.Errorf("%d jobs in a row met faults", p.row))
	}
}

// rest stops taking jobs for a while, longer each time.
func (p *pool) rest(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rested(err)
}

func (p *pool) rested(err error) {
	if p.unfit == nil {
		p.pause = 0
		select {
		case <-p.stop:
		default:
			close(p.stop)
		}
	}
	p.pause = min(max(2*p.pause, restFirst), restMost)
	p.unfit, p.until = err, time.Now().Add(p.pause)
	p.opt.Log.Error("this machine cannot work now", "error", err, "again_in", p.pause)
}

// fit notes that a job went well.
func (p *pool) fit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unfit, p.row = nil, 0
}

// waits notes whether there is no room, and reports whether that is news.
func (p *pool) waits(now bool) (news bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	news = now && !p.waiting
	p.waiting = now
	return news
}

func (p *pool) resting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Now().Before(p.until)
}

// takeOver takes the jobs of dead processes.
func (p *pool) takeOver(ctx context.Context, patience time.Duration) error {
	n, err := p.lease.takeOver(ctx, patience)
	if n > 0 {
		p.opt.Log.Info("took over the jobs of processes that are dead", "jobs", n)
	}
	return err
}
