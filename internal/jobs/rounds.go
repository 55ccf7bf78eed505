package jobs

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"time"

	"github.com/riverqueue/river/rivertype"
)

// unheard notes whether the last round could do its work, for health.
func (p *pool) unheard(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deaf = err
}

// begin starts the rounds: renewing the lease and taking over from the dead until
// the context ends; the channel is closed then.
func (p *pool) begin(ctx context.Context) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(p.opt.lease / 3)
		defer ticker.Stop()
		trust := time.Now().Add(p.opt.lease)
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			patience := time.Duration(0)
			if time.Now().Before(trust) {
				patience = p.opt.lease
			}
			err := p.round(ctx, patience)
			p.unheard(err)
			if err != nil && ctx.Err() == nil {
				p.once.Warn("the store cannot be reached or written as it should", "error", err)
				// When the database was away, all leases may have run out: everybody
				// gets the time to renew before anybody is taken for dead.
				trust = time.Now().Add(p.opt.lease)
			}
		}
	}()
	return done
}

func (p *pool) round(ctx context.Context, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, p.opt.lease)
	defer cancel()
	lost, err := p.lease.renew(ctx)
	if err != nil {
		return err
	}
	if lost {
		if err := p.dropLost(ctx); err != nil {
			return err
		}
		patience = p.opt.lease
	}
	return errors.Join(
		p.clock.set(ctx, p.opt.Store),
		p.lease.forgotten(ctx, p.tracks, p.forgotten),
		p.takeOver(ctx, patience),
	)
}

// dropLost stops the work on jobs that others have taken over: their rows bear
// new numbers.
func (p *pool) dropLost(ctx context.Context) error {
	p.mu.Lock()
	running := maps.Clone(p.running)
	p.mu.Unlock()
	for id, cancel := range running {
		var state string
		err := p.opt.Store.DB().QueryRowContext(ctx, "SELECT state FROM river_job WHERE id = $1", id).Scan(&state)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if err != nil || state != string(rivertype.JobStateRunning) {
			cancel(ErrLost)
		}
	}
	return nil
}
