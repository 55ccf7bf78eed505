package jobs

import (
	"context"
	"sync/atomic"
	"time"

	"crossswe/internal/store"
)

// clock is the database's, kept by this machine's: machines differ, and a retry
// that one sets is waited for by another.
type clock struct{ ahead atomic.Int64 } // of this machine's, in nanoseconds

// set compares the two clocks.
func (c *clock) set(ctx context.Context, s *store.Store) error {
	before := time.Now()
	theirs, err := s.Now(ctx)
	if err != nil {
		return err
	}
	mine := before.Add(time.Since(before) / 2)
	c.ahead.Store(int64(theirs.Sub(mine)))
	return nil
}

// Now implements rivertype.TimeGenerator.
func (c *clock) Now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// NowOrNil implements rivertype.TimeGenerator: nil, so that statements use the
// database's clock where they can.
func (c *clock) NowOrNil() *time.Time { return nil }
