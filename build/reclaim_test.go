package main

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crossswe/internal/store"
	"crossswe/schemas"
)

func TestExpendable(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	env := func(id string, built int, pushed string) schemas.Environment {
		return schemas.Environment{Candidate: schemas.CandidateID(id), BuiltAt: day(built), Pushed: schemas.ImageRef(pushed)}
	}
	envs := []schemas.Environment{
		env("waits", 1, ""), env("failed", 1, "r@d"), env("only-copy", 1, ""), env("kept-late", 1, "r@d"), env("kept-early", 1, "r@d"),
		env("dropped-rebuilt", 9, ""), env("dropped", 1, ""),
	}
	verified := map[schemas.CandidateID]store.Item{
		"failed": {State: store.Failed, At: day(2)}, "only-copy": {State: store.Kept, At: day(2)},
		"kept-late": {State: store.Kept, At: day(8)}, "kept-early": {State: store.Kept, At: day(3)},
		"dropped-rebuilt": {State: store.Dropped, At: day(2)}, "dropped": {State: store.Dropped, At: day(5)},
	}
	var got []string
	for _, e := range expendable(envs, verified) {
		got = append(got, string(e.Candidate))
	}
	if diff := cmp.Diff([]string{"dropped", "dropped-rebuilt", "kept-early", "kept-late"}, got); diff != "" {
		t.Errorf("images that may go (-want +got):\n%s", diff)
	}
}

func TestReclaim(t *testing.T) {
	list := []schemas.Environment{{Candidate: "a"}, {Candidate: "b"}, {Candidate: "c"}}
	broken := errors.New("the image is in use")
	tests := []struct {
		name    string
		enough  int   // removals after which there is room
		fails   error // of the second removal
		removed int
		want    error
	}{
		{"room from the start", 0, nil, 0, nil},
		{"room after two", 2, nil, 2, nil},
		{"never enough", 9, nil, 3, errDiskFull},
		{"an image that cannot be removed", 9, broken, 2, broken},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			removed := 0
			err := reclaim(list, func() error {
				if removed < tt.enough {
					return errDiskFull
				}
				return nil
			}, func(schemas.Environment) error {
				removed++
				if removed == 2 {
					return tt.fails
				}
				return nil
			})
			if !errors.Is(err, tt.want) || tt.want == nil && err != nil || removed != tt.removed {
				t.Errorf("got %v after %d removals, want %v after %d", err, removed, tt.want, tt.removed)
			}
		})
	}
}
