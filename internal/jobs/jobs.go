// Package jobs hands the records that wait for a stage to the processes that
// work on that stage, on one machine or many, through River on the store's own
// database.
//
// A job is one item of one stage, at most one of a kind at a time. Jobs are
// derived: what waits is known from the items, so a lost job is made again and
// a superfluous one finds its item done. A job's outcome and its completion
// are one transaction (Job.Commit); whoever has lost a job writes nothing.
//
// A process holds a lease by the database's clock. When it runs out, or when the
// process is seen to be dead on this machine, its jobs go to others without
// having used up an attempt.
//
//	available ──► running ──► completed            Commit, or nothing to do
//	    ▲            ├──────► available            stop, lost lease, no room on the machine
//	    │            ├──────► retryable ──► …      a fault; back-off, Attempts times at most
//	    └────────────┘        discarded            the last attempt; the item stays failed
package jobs

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	"crossswe/internal/store"
)

// Attempts is how often a job that meets faults of the machinery is tried
// before it is given up. The back-off between them adds up to about eight minutes.
const Attempts = 6

// ErrLost says that the job has been given to another process.
var ErrLost = errors.New("the job was given to another process")

// UnfitError says that this machine cannot work at the moment (no engine, a
// full disk): the job is not at fault and keeps its attempts. A run that is not
// served ends with it; one that is served rests.
type UnfitError struct{ Err error }

// Error implements error.
func (e *UnfitError) Error() string { return e.Err.Error() }

// Unwrap implements errors.Unwrap.
func (e *UnfitError) Unwrap() error { return e.Err }

// SingleError is a fault that says nothing about the jobs that follow; several
// other faults in a row make the machine unfit.
type SingleError struct{ Err error }

// Error implements error.
func (e *SingleError) Error() string { return e.Err.Error() }

// Unwrap implements errors.Unwrap.
func (e *SingleError) Unwrap() error { return e.Err }

// Task is an item that waits for a stage.
type Task struct {
	ID string
	// Again asks for the work even when the item is done from the same input.
	Again bool
	// Failed says that the item failed from the same input before. A person's
	// run takes it again; a served one does not, once its attempts are used up.
	Failed bool
}

// Job is a task that this process works on.
type Job struct {
	Task
	store *store.Store
	river *river.Job[args]
}

// args are what River keeps of a task.
type args struct {
	Stage store.Stage `json:"stage" river:"unique"`
	ID    string      `json:"id" river:"unique"`
	Again bool        `json:"again,omitempty"`
}

// Kind implements river.JobArgs.
func (args) Kind() string { return "item" }

// Commit writes the outcome, and that the job is done, in one transaction. It
// must be the job's last write. With ErrLost nothing was written. A connection
// that breaks is tried again for two minutes: a result may have taken an hour.
func (j *Job) Commit(ctx context.Context, b store.Batch) error {
	wait := 100 * time.Millisecond
	for end := time.Now().Add(commitPatience); ; wait = min(2*wait, 5*time.Second) {
		err := j.store.CommitWith(ctx, b, func(tx *sql.Tx) error { return j.complete(ctx, tx) })
		switch {
		case errors.Is(err, errCommitted):
			return nil
		case !transient(err) || time.Now().After(end):
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

const commitPatience = 2 * time.Minute

// errCommitted says that the commit whose answer was lost had been made.
var errCommitted = errors.New("the outcome is written already")

// complete holds the job's row, so that nobody takes it away meanwhile, and
// completes it. River's own statement is content with a job that runs no more.
func (j *Job) complete(ctx context.Context, tx *sql.Tx) error {
	q := "SELECT state FROM river_job WHERE id = $1"
	if j.store.Engine() == store.Postgres {
		q += " FOR UPDATE"
	}
	var state string
	err := tx.QueryRowContext(ctx, q, j.river.ID).Scan(&state)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return ErrLost
	case err != nil:
		return fmt.Errorf("completing the job of %s: %w", j.ID, err)
	case state == string(rivertype.JobStateCompleted):
		return errCommitted
	case state != string(rivertype.JobStateRunning):
		return ErrLost
	}
	if _, err := river.JobCompleteTx[riverdriver.Driver[*sql.Tx]](ctx, tx, j.river); err != nil {
		return fmt.Errorf("completing the job of %s: %w", j.ID, err)
	}
	return nil
}

// Options describe a process that works on one stage.
type Options struct {
	Store *store.Store
	Stage store.Stage
	Log   *slog.Logger
	// Work does one job. It writes the outcome by Job.Commit; when there is none
	// to write it returns nil. Any other error is a fault of the machinery: the
	// job is tried again, later. A cancelled context hands the job back.
	Work func(context.Context, *Job) error
	// Workers is how many jobs are worked on at once; 1 when it is 0.
	Workers int
	// Needs is what one job takes of the machine, Limits what its processes may
	// hold together. A job that would not fit waits.
	Needs  Needs
	Limits Needs
	// Metrics counts the jobs; nil counts nothing.
	Metrics *Metrics
	// Grace is how long a stop waits for the jobs that run before it hands them back.
	Grace time.Duration

	lease time.Duration // leaseTime, but in tests
}
