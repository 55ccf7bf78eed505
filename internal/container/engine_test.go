package container

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// testImage is what scripts/base-images.sh provides everywhere.
const testImage = "debian:bookworm-slim"

// connect returns an engine for one test. Without an engine or the image the
// test fails: it is not skipped.
func connect(t *testing.T) *Engine {
	t.Helper()
	e, err := Connect(t.Context(), Options{Host: os.Getenv("DOCKER_HOST"), Run: t.Name()})
	if err != nil {
		t.Fatalf("these tests need a container engine: %v", err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, there, err := e.Image(t.Context(), testImage); err != nil || !there {
		t.Fatalf("these tests need the image %s (make base-images): %v", testImage, err)
	}
	return e
}

// small is a container that waits for Exec under tight limits.
func small() Spec {
	return Spec{
		Image:       testImage,
		Network:     NetworkNone,
		CPUs:        1,
		MemoryBytes: 128 << 20,
		PidsLimit:   64,
	}
}

// start starts a container that ends with the test.
func start(t *testing.T, e *Engine, spec Spec) *Container {
	t.Helper()
	c, err := e.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Remove(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return c
}

func TestConnectTells(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	tests := []struct {
		name string
		host string
		want error
	}{
		{"no socket", "unix://" + filepath.Join(t.TempDir(), "none.sock"), ErrNoEngine},
		{"nobody listens", "tcp://" + closed.Addr().String(), ErrNoEngine},
		{"socket that nobody serves", "unix://" + deadSocket(t), ErrNoEngine},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Connect(t.Context(), Options{Host: tt.host, Run: "r"})
			if !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

// deadSocket leaves the file of a socket whose listener is gone.
func deadSocket(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "dead.sock")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	return name
}

func TestConnectSilentEngine(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := Connect(ctx, Options{Host: "tcp://" + l.Addr().String(), Run: "r"}); !errors.Is(err, ErrNoEngine) {
		t.Errorf("got %v, want %v", err, ErrNoEngine)
	}
}

func TestConnectRefuses(t *testing.T) {
	tests := []struct {
		name string
		opts Options
		want string
	}{
		{"no run", Options{}, "connecting to the container engine: no run is named"},
		{"no address", Options{Host: "nonsense", Run: "r"}, "connecting to the container engine at nonsense: unable to parse docker host `nonsense`"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Connect(t.Context(), tt.opts)
			if got := fmt.Sprint(err); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestConnectError(t *testing.T) {
	denied := errors.New("permission denied while trying to connect to the docker API at unix:///run/x.sock")
	tests := []struct {
		name string
		err  error
		want error
	}{
		{"permission", denied, ErrPermission},
		{"deadline", context.DeadlineExceeded, ErrNoEngine},
		{"interrupt", context.Canceled, context.Canceled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := connectError("unix:///run/x.sock", tt.err)
			for _, sentinel := range []error{ErrPermission, ErrNoEngine, context.Canceled} {
				if got, want := errors.Is(err, sentinel), sentinel == tt.want; got != want {
					t.Errorf("%v is %v: got %v, want %v", err, sentinel, got, want)
				}
			}
		})
	}
}

func TestHost(t *testing.T) {
	h, err := connect(t).Host(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", h)
	empty := Host{CPUModel: h.CPUModel}
	if h.Engine == "" || h.API == "" || h.Kernel == "" || h.Arch == "" || h.CPUs < 1 || h.MemoryBytes < 1<<20 || h.StorageDriver == "" {
		t.Errorf("got %+v, want every field filled", h)
	}
	if cmp.Equal(h, empty) {
		t.Error("got nothing")
	}
}
