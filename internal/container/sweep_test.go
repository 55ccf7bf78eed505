package container

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestSweep lets another process make a container and a network, kills it, and
// looks at what is removed.
func TestSweep(t *testing.T) {
	e := connect(t)
	child := exec.Command(os.Args[0], "-test.run=^TestSweepChild$", "-test.v")
	child.Env = append(os.Environ(), "CROSSSWE_TEST_SWEEP=1")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "made"; {
	}
	labels := map[string]string{"test": "TestSweep"}
	alive, err := e.Sweep(t.Context(), SweepSpec{Labels: labels})
	if diff := cmp.Diff(Swept{}, alive); diff != "" || err != nil {
		t.Errorf("while it lives: %v (-want +got):\n%s", err, diff)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed

	mine := small()
	mine.Labels = labels
	c := start(t, e, mine)
	got, err := e.Sweep(t.Context(), SweepSpec{Labels: labels})
	want := Swept{Containers: []string{"crossswe-test-sweep"}, Networks: []string{"crossswe-test-sweep"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("after its death: %v (-want +got):\n%s", err, diff)
	}
	if s, err := c.State(t.Context()); err != nil || !s.Running {
		t.Errorf("our own container: %+v, %v, want it untouched", s, err)
	}
}

// TestSweepChild is the process that TestSweep kills.
func TestSweepChild(t *testing.T) {
	if os.Getenv("CROSSSWE_TEST_SWEEP") == "" {
		return
	}
	e, err := Connect(t.Context(), Options{Host: os.Getenv("DOCKER_HOST"), Run: t.Name()})
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{"test": "TestSweep"}
	n, err := e.IsolatedNetwork(t.Context(), "crossswe-test-sweep", labels)
	if err != nil {
		t.Fatal(err)
	}
	spec := n.Join(small())
	spec.Name, spec.Labels = "crossswe-test-sweep", labels
	if _, err := e.Start(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	os.Stdout.WriteString("\nmade\n")
	<-t.Context().Done()
}

func TestSweepByAge(t *testing.T) {
	e := connect(t)
	labels := map[string]string{"test": t.Name()}
	spec := small()
	spec.Labels = labels
	c := start(t, e, spec)
	e.now = func() time.Time { return time.Now().Add(time.Hour) }
	for _, tt := range []struct {
		older time.Duration
		want  error
	}{{2 * time.Hour, nil}, {59 * time.Minute, ErrGone}} {
		if _, err := e.Sweep(t.Context(), SweepSpec{Labels: labels, OlderThan: tt.older}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.State(context.Background()); !errors.Is(err, tt.want) {
			t.Errorf("older than %s: got %v, want %v", tt.older, err, tt.want)
		}
	}
}
