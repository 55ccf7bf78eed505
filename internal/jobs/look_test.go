package jobs

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"crossswe/internal/store"
)

// TestLook looks at a process from within its work, when of three jobs one runs
// and one is in a queue of its own.
func TestLook(t *testing.T) {
	onEngines(t, func(t *testing.T, open opener) {
		s := open(t)
		var queue []QueueRow
		var processes []Process
		opt := options(t, s, func(ctx context.Context, j *Job) error {
			if queue != nil {
				return commitKept(ctx, j)
			}
			enqueueOwn(t, s)
			var err error
			if queue, err = Queue(ctx, s); err != nil {
				t.Error(err)
			}
			if processes, err = Processes(ctx, s); err != nil {
				t.Error(err)
			}
			return commitKept(ctx, j)
		})
		opt.Needs = Needs{Containers: 1, MemoryMB: 5}
		if err := Drain(t.Context(), opt, tasks(2), false); err != nil {
			t.Fatal(err)
		}
		want := []QueueRow{{"build", rivertype.JobStateAvailable, 2}, {"build", rivertype.JobStateRunning, 1}}
		if diff := cmp.Diff(want, queue); diff != "" {
			t.Errorf("queue (-want +got):\n%s", diff)
		}
		if len(processes) != 1 {
			t.Fatalf("got processes %v, want one", processes)
		}
		p := processes[0]
		if p.Stage != "build" || !strings.HasPrefix(p.ID, "build-") || p.Holds != opt.Needs || p.Left <= 0 || p.Left > leaseTime {
			t.Errorf("got %+v", p)
		}
		if left, err := Processes(t.Context(), s); len(left) != 0 || err != nil {
			t.Errorf("after the end: %v, %v", left, err)
		}
	})
}

// enqueueOwn puts a job into the own queue of some process.
func enqueueOwn(t *testing.T, s *store.Store) {
	client, end, err := OpenClient(t.Context(), s, log(t))
	if err != nil {
		t.Error(err)
		return
	}
	defer end()
	if _, err := client.Insert(t.Context(), args{Stage: "build", ID: "own"}, &river.InsertOpts{Queue: "build-own"}); err != nil {
		t.Error(err)
	}
}
