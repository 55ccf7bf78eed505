package container

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/moby/moby/client"

	"crossswe/internal/process"
)

// Time limits of single calls to the engine. They only have to be longer than
// a healthy engine on a busy machine ever takes.
const (
	pingTimeout   = 15 * time.Second
	queryTimeout  = time.Minute
	changeTimeout = 3 * time.Minute
	streamTimeout = 30 * time.Minute
)

// Options are what Connect needs to know.
type Options struct {
	// Host is the engine's address as in DOCKER_HOST ("unix:///…",
	// "tcp://…"). Empty is the default socket.
	Host string
	// Run names the run that containers and networks belong to; it is put
	// into their labels. Required.
	Run string
	// Keychain has the logins of registries. Nil is none.
	Keychain authn.Keychain
	// Now is the clock by which Sweep tells ages. Nil is time.Now.
	Now func() time.Time
}

// Engine is a connection to one container engine.
type Engine struct {
	api   *client.Client
	run   string
	now   func() time.Time
	local bool // the engine runs on this machine
	owner process.ID
	keys  authn.Keychain
}

// Connect returns an Engine that has answered a ping. The error is ErrNoEngine
// or ErrPermission where that is the cause. The caller closes the Engine.
func Connect(ctx context.Context, opts Options) (*Engine, error) {
	if opts.Run == "" {
		return nil, errors.New("connecting to the container engine: no run is named")
	}
	host := opts.Host
	if host == "" {
		host = client.DefaultDockerHost
	}
	api, err := client.New(client.WithHost(host), client.WithUserAgent("crossswe"))
	if err != nil {
		return nil, fmt.Errorf("connecting to the container engine at %s: %w", host, err)
	}
	e := &Engine{api: api, run: opts.Run, now: opts.Now, local: strings.HasPrefix(host, "unix://"), owner: process.Self(), keys: opts.Keychain}
	if e.now == nil {
		e.now = time.Now
	}
	if e.keys == nil {
		e.keys = authn.NewMultiKeychain()
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	if _, err := api.Ping(ctx, client.PingOptions{NegotiateAPIVersion: true}); err != nil {
		return nil, errors.Join(connectError(host, err), api.Close())
	}
	return e, nil
}

// Close frees the connection. Containers and networks stay.
func (e *Engine) Close() error { return e.api.Close() }

// labels returns the labels of something new: the caller's and our own.
func (e *Engine) labels(more map[string]string) map[string]string {
	all := map[string]string{Label: "1", LabelRun: e.run, LabelOwner: e.owner.String()}
	for k, v := range more {
		if _, ours := all[k]; !ours {
			all[k] = v
		}
	}
	return all
}

// filters returns the engine's filter for everything that has Label and the
// given labels. An empty value matches any value.
func filters(labels map[string]string) client.Filters {
	f := client.Filters{}.Add("label", Label)
	for k, v := range labels {
		if v != "" {
			k += "=" + v
		}
		f.Add("label", k)
	}
	return f
}

// detached returns a context for clean-up: it has ctx's values and a time limit,
// but does not end with ctx.
func detached(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), limit)
}
