package jobs

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivertype"

	"crossswe/internal/store"
)

// Client speaks to the job queue.
type Client = river.Client[*sql.Tx]

// connection is River's way to the database.
type connection struct {
	driver riverdriver.Driver[*sql.Tx]
	close  func() error
}

// connect opens River's connection: to a file one of its own, beside the
// store's pool; to a server the store's pool, with one connection more that
// hears of new jobs.
func connect(ctx context.Context, s *store.Store) (*connection, error) {
	if s.Engine() == store.Postgres {
		listener, err := s.Listener(ctx)
		if err != nil {
			return nil, err
		}
		return &connection{riverdatabasesql.NewWithPgxListener(s.DB(), listener), func() error { listener.Close(); return nil }}, nil
	}
	pool, err := s.Single()
	if err != nil {
		return nil, err
	}
	return &connection{riversqlite.New(pool), pool.Close}, nil
}

// OpenClient returns a Client that works on nothing, to look at the queue with,
// and its close function.
func OpenClient(ctx context.Context, s *store.Store, log *slog.Logger) (*Client, func() error, error) {
	c, err := connect(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	client, err := river.NewClient(c.driver, &river.Config{Logger: quiet(log)})
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("opening the job queue: %w", err), c.close())
	}
	return client, c.close, nil
}

// clientConfig is how this process uses River. Times of the queue are the
// database's: clock says how far it is from this machine's.
func (p *pool) clientConfig(queues ...string) *river.Config {
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{pool: p})
	cfg := &river.Config{
		ID:     p.lease.id,
		Logger: quiet(p.opt.Log),
		Queues: map[string]river.QueueConfig{},
		// Fetching is by notice or poll: waits are short, for whoever waits is a person.
		FetchCooldown:     time.Millisecond,
		FetchPollInterval: 250 * time.Millisecond,
		MaxAttempts:       Attempts,
		RetryPolicy:       backoff{p.clock},
		ErrorHandler:      &faults{p},
		JobTimeout:        -1, // the stages bound their work themselves
		// Leases do this, and at once; River's own way takes from the living.
		RescueStuckJobsAfter: 10 * 365 * 24 * time.Hour,
		SoftStopTimeout:      p.opt.Grace,
		Workers:              workers,
		Test:                 river.TestConfig{Time: p.clock},
	}
	for _, q := range queues {
		cfg.Queues[q] = river.QueueConfig{MaxWorkers: p.opt.Workers}
	}
	return cfg
}

// backoff is the retry policy: 15 s, doubled with every attempt up to ten
// minutes, and up to a tenth more so that a crowd scatters.
type backoff struct{ clock *clock }

// NextRetry implements river.ClientRetryPolicy.
func (b backoff) NextRetry(job *rivertype.JobRow) time.Time {
	wait := min(15*time.Second<<min(max(job.Attempt-1, 0), 10), 10*time.Minute)
	return b.clock.Now().Add(wait + rand.N(wait/10))
}
