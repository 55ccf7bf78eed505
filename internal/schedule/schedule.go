// Package schedule tells when something that recurs is due. Times are in UTC,
// written as in crontab(5): minute, hour, day of month, month, day of week.
package schedule

import (
	"fmt"
	"time"

	"github.com/robfig/cron/v3"
)

// Check says what is wrong with a schedule. An empty one is right: never.
func Check(spec string) error {
	_, err := parse(spec)
	return err
}

func parse(spec string) (cron.Schedule, error) {
	if spec == "" {
		return nil, nil
	}
	s, err := cron.ParseStandard("CRON_TZ=UTC " + spec)
	if err != nil {
		return nil, fmt.Errorf("%q is no schedule (write minute, hour, day of month, month, day of week, such as 0 3 * * 1): %w", spec, err)
	}
	return s, nil
}

// Due returns the latest time of the schedule that is not after now, when it is
// after last, the one that was seen to before. What was missed while nobody ran
// is due once, and what was missed for more than a year not at all. Without a
// last one nothing is due.
func Due(spec string, last, now time.Time) (slot time.Time, due bool, err error) {
	s, err := parse(spec)
	if err != nil || s == nil || last.IsZero() {
		return time.Time{}, false, err
	}
	if year := now.AddDate(-1, 0, 0); last.Before(year) {
		last = year
	}
	for next := s.Next(last.UTC()); !next.IsZero() && !next.After(now); next = s.Next(next) {
		slot, due = next, true
	}
	return slot, due, nil
}
