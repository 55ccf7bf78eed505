package container

import "context"

// Network is a network without a way out.
type Network struct {
	ID   string
	Name string

	engine *Engine
}

// IsolatedNetwork makes a network on which a container has an address but no
// route: neither the Internet, nor the host, nor another container on it
// answers. The caller calls Remove.
func (e *Engine) IsolatedNetwork(ctx context.Context, name string, labels map[string]string) (*Network, error) {
	return nil, errNotYet
}

// Join returns spec with the network and what goes with it: IPv6 on (for ::1),
// and a resolver that gives up at once.
func (n *Network) Join(spec Spec) Spec { return spec }

// Remove removes the network, even when ctx is cancelled. One that is gone
// already is no error; one with containers on it is.
func (n *Network) Remove(ctx context.Context) error { return errNotYet }
