package main

import (
	"context"
	"errors"
	"fmt"

	"crossswe/e2e/world"
	"crossswe/schemas"
)

// check compares every verdict with its story: a showing that shows something
// else fails.
func (d *demo) check(ctx context.Context) error {
	all, err := readAll[schemas.Verdict](ctx, d)
	if err != nil {
		return err
	}
	verdicts := map[schemas.CandidateID]schemas.Verdict{}
	for _, v := range all {
		verdicts[v.Candidate] = v
	}
	var faults []error
	told := 0
	for _, s := range world.Scenarios() {
		for _, e := range s.Expect {
			if e.Drop != "" {
				continue
			}
			told++
			v, ok := verdicts[e.Candidate(d.changes)]
			if !ok {
				faults = append(faults, fmt.Errorf("%s: no verdict", s.Name))
				continue
			}
			for _, f := range e.Faults(v) {
				faults = append(faults, fmt.Errorf("%s: %s", s.Name, f))
			}
		}
	}
	if len(faults) > 0 {
		return fmt.Errorf("the verdicts are not what the stories tell:\n%w", errors.Join(faults...))
	}
	fmt.Fprintf(d.out, "\nall %d verdicts are what the stories tell\n", told)
	return nil
}
