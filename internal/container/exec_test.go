package container

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// sh runs a shell script in a container, with a minute to do it in.
func sh(t *testing.T, c *Container, script string) (string, ExecResult) {
	t.Helper()
	return shFor(t, c, script, time.Minute)
}

func shFor(t *testing.T, c *Container, script string, timeout time.Duration) (string, ExecResult) {
	t.Helper()
	var out bytes.Buffer
	r, err := c.Exec(t.Context(), ExecSpec{Cmd: []string{"bash", "-c", script}, Stdout: &out, Stderr: &out, Timeout: timeout})
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return out.String(), r
}

func TestExec(t *testing.T) {
	c := start(t, connect(t), small())
	tests := []struct {
		name           string
		spec           ExecSpec
		want           ExecResult
		stdout, stderr string
	}{
		{"streams apart", ExecSpec{Cmd: []string{"sh", "-c", "echo out; echo err >&2"}}, ExecResult{}, "out\n", "err\n"},
		{"exit code", ExecSpec{Cmd: []string{"sh", "-c", "exit 7"}}, ExecResult{ExitCode: 7}, "", ""},
		{"signal", ExecSpec{Cmd: []string{"sh", "-c", "kill -SEGV $$"}}, ExecResult{ExitCode: 139}, "", ""},
		{"input", ExecSpec{Cmd: []string{"wc", "-c"}, Stdin: strings.NewReader(strings.Repeat("x", 1<<20))}, ExecResult{}, "1048576\n", ""},
		{"input not read", ExecSpec{Cmd: []string{"true"}, Stdin: strings.NewReader(strings.Repeat("x", 1<<20))}, ExecResult{}, "", ""},
		{"no input", ExecSpec{Cmd: []string{"cat"}}, ExecResult{}, "", ""},
		{"no shell", ExecSpec{Cmd: []string{"echo", "$HOME; exit 1"}}, ExecResult{}, "$HOME; exit 1\n", ""},
		{"environment and directory", ExecSpec{Cmd: []string{"sh", "-c", "echo $A; pwd"}, Env: []string{"A=b c"}, WorkDir: "/usr"}, ExecResult{}, "b c\n/usr\n", ""},
		{"user", ExecSpec{Cmd: []string{"id", "-u"}, User: "nobody"}, ExecResult{}, "65534\n", ""},
		{"output cut", ExecSpec{Cmd: []string{"sh", "-c", "echo 12345; echo 67890"}, MaxOutput: 8}, ExecResult{Truncated: true}, "12345\n67", ""},
		{"left process", ExecSpec{Cmd: []string{"sh", "-c", "sleep 300 & echo done"}}, ExecResult{}, "done\n", ""},
		{"output closed early", ExecSpec{Cmd: []string{"sh", "-c", "exec >&- 2>&-; sleep 1; exit 3"}}, ExecResult{ExitCode: 3}, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			tt.spec.Stdout, tt.spec.Stderr, tt.spec.Timeout = &stdout, &stderr, time.Minute
			got, err := c.Exec(t.Context(), tt.spec)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(ExecResult{}, "Duration")); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{tt.stdout, tt.stderr}, []string{stdout.String(), stderr.String()}); diff != "" {
				t.Errorf("output (-want +got):\n%s", diff)
			}
			if got.Duration <= 0 || got.Duration > 20*time.Second {
				t.Errorf("got a duration of %s", got.Duration)
			}
		})
	}
}

func TestExecCannotStart(t *testing.T) {
	c := start(t, connect(t), small())
	for _, program := range []string{"/no/such/program", "no-such-program", "/etc/passwd"} {
		t.Run(program, func(t *testing.T) {
			var out bytes.Buffer
			got, err := c.Exec(t.Context(), ExecSpec{Cmd: []string{program}, Stdout: &out, Timeout: time.Minute})
			if err != nil || got.ExitCode != 126 && got.ExitCode != 127 {
				t.Errorf("got %+v, %v, want exit code 126 or 127", got, err)
			}
			if !strings.Contains(out.String(), program) {
				t.Errorf("got %q, want a reason that names %s", out.String(), program)
			}
		})
	}
}

func TestExecRefuses(t *testing.T) {
	c := &Container{}
	for _, spec := range []ExecSpec{{Timeout: time.Second}, {Cmd: []string{"true"}}} {
		if _, err := c.Exec(t.Context(), spec); err == nil {
			t.Errorf("%+v: got no error", spec)
		}
	}
}

// A process that left the session and ignores signals dies with the rest, and
// what was written stays.
func TestExecTimeoutKillsTheTree(t *testing.T) {
	spec := small()
	spec.NoDNS = true
	c := start(t, connect(t), spec)
	out, r := shFor(t, c, `trap "" TERM HUP
		echo kept >/root/file
		setsid bash -c 'trap "" TERM HUP; while :; do sleep 0.1; date +%s%N >/root/alive; done' &
		while [ ! -s /root/alive ]; do :; done
		echo up
		while :; do sleep 1; done`, 3*time.Second)
	want := ExecResult{ExitCode: -1, TimedOut: true}
	if diff := cmp.Diff(want, r, cmpopts.IgnoreFields(ExecResult{}, "Duration")); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	if out != "up\n" {
		t.Errorf("got output %q, want what came before the timeout", out)
	}
	if r.Duration < 3*time.Second || r.Duration > 10*time.Second {
		t.Errorf("got a duration of %s, want 3 s and little more", r.Duration)
	}
	out, r = sh(t, c, `cat /root/file; a=$(cat /root/alive); sleep 0.5; [ "$a" = "$(cat /root/alive)" ] && echo dead; ls /.dockerenv 2>/dev/null; cat /etc/resolv.conf`)
	if want := "kept\ndead\nnameserver 127.0.0.1\n"; out != want || r.ExitCode != 0 {
		t.Errorf("after the timeout: got %q, %+v, want %q", out, r, want)
	}
}

func TestExecForkBomb(t *testing.T) {
	c := start(t, connect(t), small())
	_, r := shFor(t, c, `bomb() { bomb | bomb & }; bomb; while :; do :; done`, 4*time.Second)
	if !r.TimedOut || r.Duration > time.Minute {
		t.Errorf("got %+v, want a timeout", r)
	}
	out, r := sh(t, c, `ls -d /proc/[0-9]* | wc -l`)
	if r.ExitCode != 0 || len(out) > 3 {
		t.Errorf("after the bomb: got %q processes, %+v, want a handful", out, r)
	}
}

func TestExecOutputFlood(t *testing.T) {
	c := start(t, connect(t), small())
	var out bytes.Buffer
	r, err := c.Exec(t.Context(), ExecSpec{
		Cmd:       []string{"sh", "-c", "yes | head -c 200000000; exit 5"},
		Stdout:    &out,
		Timeout:   time.Minute,
		MaxOutput: 1 << 20,
	})
	want := ExecResult{ExitCode: 5, Truncated: true}
	if diff := cmp.Diff(want, r, cmpopts.IgnoreFields(ExecResult{}, "Duration")); diff != "" || err != nil {
		t.Errorf("result, %v (-want +got):\n%s", err, diff)
	}
	if out.Len() != 1<<20 {
		t.Errorf("got %d bytes, want %d", out.Len(), 1<<20)
	}
}

func TestExecOutOfMemory(t *testing.T) {
	c := start(t, connect(t), small())
	_, r := sh(t, c, `exec perl -e '$x = "x" x (1 << 30); print length $x'`)
	if !r.OOMKilled || r.ExitCode != 137 || r.Died {
		t.Errorf("got %+v, want killed for want of memory", r)
	}
	if out, r := sh(t, c, "echo usable"); out != "usable\n" {
		t.Errorf("afterwards: got %q, %+v", out, r)
	}
}

func TestExecContainerDies(t *testing.T) {
	c := start(t, connect(t), small())
	_, r := sh(t, c, `kill -KILL -1; sleep 60`)
	want := ExecResult{ExitCode: -1, Died: true}
	if diff := cmp.Diff(want, r, cmpopts.IgnoreFields(ExecResult{}, "Duration")); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	_, err := c.Exec(t.Context(), ExecSpec{Cmd: []string{"true"}, Timeout: time.Minute})
	if !errors.Is(err, ErrGone) {
		t.Errorf("the next command: got %v, want %v", err, ErrGone)
	}
	if _, err := c.ReadFile(t.Context(), "/etc/passwd", 1<<20); err != nil {
		t.Errorf("reading from an ended container: %v", err)
	}
}

// signalWriter tells when the first byte came.
type signalWriter struct{ came chan struct{} }

func (s signalWriter) Write(p []byte) (int, error) {
	select {
	case s.came <- struct{}{}:
	default:
	}
	return len(p), nil
}

func TestExecCancelRemoves(t *testing.T) {
	c := start(t, connect(t), small())
	ctx, cancel := context.WithCancel(t.Context())
	w := signalWriter{make(chan struct{}, 1)}
	go func() {
		<-w.came
		cancel()
	}()
	_, err := c.Exec(ctx, ExecSpec{Cmd: []string{"sh", "-c", "echo up; exec sleep 300"}, Stdout: w, Timeout: time.Minute})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if s, err := c.State(t.Context()); !errors.Is(err, ErrGone) {
		t.Errorf("got %+v, %v, want %v", s, err, ErrGone)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error)  { return 0, io.ErrUnexpectedEOF }
func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestExecBrokenStreams(t *testing.T) {
	c := start(t, connect(t), small())
	tests := []struct {
		name string
		spec ExecSpec
		want error
	}{
		{"input", ExecSpec{Cmd: []string{"cat"}, Stdin: failing{}}, io.ErrUnexpectedEOF},
		{"output", ExecSpec{Cmd: []string{"echo", "x"}, Stdout: failing{}}, io.ErrShortWrite},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.spec.Timeout = time.Minute
			if _, err := c.Exec(t.Context(), tt.spec); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}
