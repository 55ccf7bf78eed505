package container

import (
	"context"
	"time"
)

// Options are what Connect needs to know.
type Options struct {
	// Host is the engine's address as in DOCKER_HOST ("unix:///…",
	// "tcp://…"). Empty is the default socket.
	Host string
	// Run names the run that containers and networks belong to; it is put
	// into their labels. Required.
	Run string
	// Now is the clock by which Sweep tells ages. Nil is time.Now.
	Now func() time.Time
}

// Engine is a connection to one container engine.
type Engine struct {
	opts Options
}

// Connect returns an Engine that has answered a ping. The error is ErrNoEngine
// or ErrPermission where that is the cause. The caller closes the Engine.
func Connect(ctx context.Context, opts Options) (*Engine, error) {
	return nil, errNotYet
}

// Close frees the connection. Containers and networks stay.
func (e *Engine) Close() error { return errNotYet }

// Host is the machine and the engine that containers run on, as recorded beside
// results.
type Host struct {
	Engine        string // version, such as "20.10.24"
	API           string // negotiated API version, such as "1.41"
	OS            string // "Debian GNU/Linux 12 (bookworm)"
	Kernel        string
	Arch          string // "x86_64"
	CPUModel      string // empty where the engine is on another machine
	CPUs          int
	MemoryBytes   int64
	CgroupVersion string // "1" or "2"
	StorageDriver string // "overlay2"
}

// Host asks the engine about itself.
func (e *Engine) Host(ctx context.Context) (Host, error) { return Host{}, errNotYet }
