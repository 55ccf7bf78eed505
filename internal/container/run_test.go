package container

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
)

// What a container must not be able to do, and what it must.
func TestStartHardens(t *testing.T) {
	spec := small()
	spec.Env = []string{"A=1"}
	spec.WorkDir = "/usr"
	spec.Hostname = "box"
	spec.ShmBytes = 8 << 20
	spec.Tmpfs = map[string]string{"/scratch": "size=1m,mode=1777"}
	c := start(t, connect(t), spec)
	tests := []struct {
		name, script, want string
	}{
		{"no capabilities", "grep Cap /proc/self/status | cut -f2 | sort -u", "0000000000000000\n"},
		{"no new privileges", "grep NoNewPrivs /proc/self/status", "NoNewPrivs:\t1\n"},
		{"no other user's files", "chown nobody /etc/passwd; echo $?; su nobody -s /bin/true; echo $?", "1\n1\n"},
		{"own files", "echo x >>/etc/passwd && mkdir /new && touch /new/file; echo $?", "0\n"},
		{"no mounts of the host", "mount -t tmpfs none /mnt; echo $?; grep -c ' /host' /proc/mounts", "32\n0\n"},
		{"no mark of a container", "ls /.dockerenv /run/.containerenv", ""},
		{"init process", "cat /proc/1/comm", "docker-init\n"},
		{"environment", "echo $A; pwd; hostname", "1\n/usr\nbox\n"},
		{"no core files", "ulimit -c", "0\n"},
		{"shared memory", "df --output=size -BM /dev/shm | tail -1 | tr -d ' '", "8M\n"},
		{"tmpfs", "df --output=size -BM /scratch | tail -1 | tr -d ' '", "1M\n"},
		{"loopback only", "ls /sys/class/net", "lo\n"},
		{"no swap, one processor", "cat /sys/fs/cgroup/memory/memory.memsw.limit_in_bytes /sys/fs/cgroup/memory.swap.max 2>/dev/null | head -1 | grep -cE '^(134217728|0)$'; cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/cpu.max 2>/dev/null | cut -d' ' -f1", "1\n100000\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, _ := sh(t, c, "exec 2>/dev/null; "+tt.script)
			if diff := cmp.Diff(tt.want, out); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestStartProcessLimit(t *testing.T) {
	c := start(t, connect(t), small())
	out, _ := sh(t, c, "for i in $(seq 100); do (sleep 1 || true) 2>/dev/null & done; ls -d /proc/[0-9]* | wc -l")
	if !strings.Contains(out, "Resource temporarily unavailable") {
		t.Errorf("100 processes under a limit of 64: got %q, want a refusal", out)
	}
}

func TestStartRefuses(t *testing.T) {
	want := strings.Join([]string{
		"starting a container: no image is named",
		"no network is named",
		"CPUs: 0 is not above 0",
		"memory: 0 is not above 0",
		"processes: 0 is not above 0",
		`environment: "=x" is not KEY=value`,
	}, "\n")
	_, err := (&Engine{}).Start(t.Context(), Spec{Env: []string{"A=", "=x"}})
	if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStartFailsLeavesNothing(t *testing.T) {
	e := connect(t)
	tests := []struct {
		name string
		edit func(*Spec)
		want error
	}{
		{"no image", func(s *Spec) { s.Image = "crossswe-test/none:1" }, ErrNoImage},
		{"main process cannot start", func(s *Spec) { s.Cmd = []string{"/no/such/program"} }, nil},
		{"main process ends", func(s *Spec) { s.Cmd = []string{"true"} }, nil},
		{"network is absent", func(s *Spec) { s.Network = "crossswe-test-none" }, nil},
		{"unknown sysctl", func(s *Spec) { s.Sysctls = map[string]string{"net.none": "1"} }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			spec := small()
			spec.Labels = map[string]string{"test": t.Name()}
			tt.edit(&spec)
			c, err := e.Start(t.Context(), spec)
			if err == nil {
				t.Fatalf("got container %s", c.ID)
			}
			if tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if got := labelled(t, e, spec.Labels); len(got) > 0 {
				t.Errorf("left behind: %+v", got)
			}
		})
	}
}

func labelled(t *testing.T, e *Engine, labels map[string]string) []container.Summary {
	t.Helper()
	list, err := e.api.ContainerList(t.Context(), client.ContainerListOptions{All: true, Filters: filters(labels)})
	if err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// An interrupt at any time of a container's life leaves nothing.
func TestStartCancelled(t *testing.T) {
	e := connect(t)
	for _, after := range []time.Duration{0, 20, 80, 160, 240, 320} {
		t.Run(fmt.Sprintf("%d ms", after), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), after*time.Millisecond)
			defer cancel()
			spec := small()
			spec.Labels = map[string]string{"test": t.Name()}
			c, err := e.Start(ctx, spec)
			if err == nil {
				<-ctx.Done()
				err = errors.Join(c.Remove(ctx), ctx.Err())
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
			}
			if got := labelled(t, e, spec.Labels); len(got) > 0 {
				t.Errorf("left behind: %+v", got)
			}
		})
	}
}

func TestRemoveTwice(t *testing.T) {
	c := start(t, connect(t), small())
	for range 2 {
		if err := c.Remove(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if _, err := c.Exec(t.Context(), ExecSpec{Cmd: []string{"true"}, Timeout: time.Minute}); !errors.Is(err, ErrGone) {
		t.Errorf("got %v, want %v", err, ErrGone)
	}
}

func TestState(t *testing.T) {
	c := start(t, connect(t), small())
	s, err := c.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !s.Running || s.OOMKilled || s.Started.IsZero() {
		t.Errorf("got %+v, want a running container", s)
	}
}

func TestImageAbsent(t *testing.T) {
	e := connect(t)
	const none = "crossswe-test/none:1"
	if img, there, err := e.Image(t.Context(), none); there || err != nil {
		t.Errorf("got %+v, %v, %v", img, there, err)
	}
	if _, err := e.SaveImage(t.Context(), none); !errors.Is(err, ErrNoImage) {
		t.Errorf("saving: got %v, want %v", err, ErrNoImage)
	}
	if err := e.Tag(t.Context(), none, "crossswe-test/other:1"); !errors.Is(err, ErrNoImage) {
		t.Errorf("tagging: got %v, want %v", err, ErrNoImage)
	}
	if err := e.RemoveImage(t.Context(), none); err != nil {
		t.Errorf("removing: %v", err)
	}
	if _, err := e.Pull(t.Context(), "127.0.0.1:9/none:1"); err == nil {
		t.Error("pulling: got no error")
	}
}
