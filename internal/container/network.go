package container

import (
	"context"
	"fmt"
	"maps"

	"github.com/moby/moby/client"
)

// Network is a network without a way out.
type Network struct {
	ID   string
	Name string

	engine *Engine
}

// IsolatedNetwork makes a network on which a container has an address, but
// nothing answers: neither the Internet, nor the host, nor another container on
// it. One network serves any number of containers. The caller calls Remove.
//
// One thing gets out: a datagram to 255.255.255.255 reaches sockets of the host
// that are bound to every address. No answer can come back.
func (e *Engine) IsolatedNetwork(ctx context.Context, name string, labels map[string]string) (*Network, error) {
	ctx, cancel := context.WithTimeout(ctx, changeTimeout)
	defer cancel()
	r, err := e.api.NetworkCreate(ctx, name, client.NetworkCreateOptions{
		Driver:   "bridge",
		Internal: true,
		Options: map[string]string{
			// Without an address of its own the bridge, which is the
			// host, does not answer.
			"com.docker.network.bridge.inhibit_ipv4": "true",
			"com.docker.network.bridge.enable_icc":   "false",
		},
		Labels: e.labels(labels),
	})
	if err != nil {
		return nil, fmt.Errorf("making network %s: %w", name, fault(err, nil))
	}
	return &Network{ID: r.ID, Name: name, engine: e}, nil
}

// Join returns spec with the network and what goes with it: ::1, and look-ups
// of names that fail at once.
//
// IPv6 is on for the loopback interface only. With it on everywhere
// (all.disable_ipv6=0) the interface gets a link-local address, and over
// link-local addresses the host and the other containers do answer, since
// neither inhibit_ipv4 nor enable_icc is about IPv6.
func (n *Network) Join(spec Spec) Spec {
	sysctls := map[string]string{"net.ipv6.conf.lo.disable_ipv6": "0"}
	maps.Copy(sysctls, spec.Sysctls)
	spec.Sysctls = sysctls
	spec.Network = n.Name
	spec.NoDNS = true
	return spec
}

// Remove removes the network, even when ctx is cancelled. One that is gone
// already is no error; one with containers on it is.
func (n *Network) Remove(ctx context.Context) error { return n.engine.removeNetwork(ctx, n.ID) }

func (e *Engine) removeNetwork(ctx context.Context, id string) error {
	ctx, cancel := detached(ctx, changeTimeout)
	defer cancel()
	_, err := e.api.NetworkRemove(ctx, id, client.NetworkRemoveOptions{})
	if err != nil && !isAbsent(err) {
		return fmt.Errorf("removing network %s: %w", id, fault(err, nil))
	}
	return nil
}
