package container

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/moby/moby/client"
)

func isolated(t *testing.T, e *Engine) *Network {
	t.Helper()
	n, err := e.IsolatedNetwork(t.Context(), "crossswe-test-"+strings.ToLower(t.Name()), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Remove(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return n
}

// listenOnHost answers connections on every address of this machine, loopback
// and link-local ones too, and counts them.
func listenOnHost(t *testing.T) (port int, accepted func() int) {
	t.Helper()
	var listeners []net.Listener
	l4, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	port = l4.Addr().(*net.TCPAddr).Port
	listeners = append(listeners, l4)
	if l6, err := net.Listen("tcp6", fmt.Sprintf("[::]:%d", port)); err == nil {
		listeners = append(listeners, l6)
	}
	count := make(chan int, 1)
	count <- 0
	for _, l := range listeners {
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				count <- 1 + <-count
				conn.Close()
			}
		}()
		t.Cleanup(func() { l.Close(); <-done })
	}
	return port, func() int { n := <-count; count <- n; return n }
}

// hostAddresses are all addresses of this machine as a container would write
// them, with its own interface as the zone of link-local ones. It waits until
// the kernel uses them all: a new link-local address is tentative for a while.
func hostAddresses(t *testing.T) []string {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); tentative(t); {
		if time.Now().After(deadline) {
			t.Fatal("this machine's addresses stay tentative")
		}
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, a := range addrs {
		ip := a.(*net.IPNet).IP
		switch {
		case ip.IsLoopback():
		case ip.IsLinkLocalUnicast() && ip.To4() == nil:
			all = append(all, ip.String()+"%eth0")
		default:
			all = append(all, ip.String())
		}
	}
	return all
}

// tentative reports that an address of this machine is not in use yet; flag 0x40
// in the fifth column (IFA_F_TENTATIVE).
func tentative(t *testing.T) bool {
	t.Helper()
	b, err := os.ReadFile("/proc/net/if_inet6")
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		flags, err := strconv.ParseUint(strings.Fields(line)[4], 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		if flags&0x40 != 0 {
			return true
		}
	}
	return false
}

// dial connects from a container to addresses, all at once, and says for each
// what comes of it: "connected" or bash's reason.
func dial(t *testing.T, c *Container, port int, addresses ...string) map[string]string {
	t.Helper()
	out, _ := sh(t, c, fmt.Sprintf(`for a in %s; do
		{ r=$(timeout 5 bash -c "exec 3<>/dev/tcp/$a/%d && echo connected" 2>&1 | tail -n 1); echo "$a $r"; } &
	done; wait`, strings.Join(addresses, " "), port))
	got := make(map[string]string)
	for line := range strings.Lines(out) {
		address, result, _ := strings.Cut(strings.TrimSpace(line), " ")
		got[address] = result
	}
	if len(got) != len(addresses) {
		t.Fatalf("dialling %v: got %q", addresses, out)
	}
	return got
}

func TestIsolatedNetworkHasNoWayOut(t *testing.T) {
	e := connect(t)
	n := isolated(t, e)
	spec := small()
	spec.PidsLimit = 1000
	a, b := start(t, e, n.Join(spec)), start(t, e, n.Join(spec))
	port, accepted := listenOnHost(t)

	// Without an address of the bridge nothing leaves by it anyway; that the
	// network is internal is the second lock.
	r, err := e.api.NetworkInspect(t.Context(), n.ID, client.NetworkInspectOptions{})
	if err != nil || !r.Network.Internal {
		t.Errorf("got %+v, %v, want an internal network", r.Network, err)
	}

	open := spec
	open.Network = NetworkBridge
	host := gateway(t, e, NetworkBridge)
	if got := dial(t, start(t, e, open), port, host)[host]; got != "connected" || accepted() != 1 {
		t.Fatalf("the probe itself: on the default network the host gives %q and accepted %d, want connected", got, accepted())
	}
	addresses := append(hostAddresses(t), gateway(t, e, n.Name))
	slices.Sort(addresses)
	for address, got := range dial(t, a, port, slices.Compact(addresses)...) {
		if got == "connected" {
			t.Errorf("the host answers at %s", address)
		}
	}
	if got := accepted(); got != 1 {
		t.Errorf("the host accepted %d connections, want none from the isolated container", got-1)
	}
	// Documentation addresses stand for the Internet: with a route they
	// would stay silent, without one they are refused.
	for address, got := range dial(t, a, 80, "198.51.100.1", "2001:db8::1") {
		if !strings.Contains(got, "No route to host") && !strings.Contains(got, "unreachable") {
			t.Errorf("%s: got %q, want no route", address, got)
		}
	}
	for _, address := range addressesOf(t, b) {
		listen(t, b)
		if got := dial(t, b, listenPort, address)[address]; got != "connected" {
			t.Fatalf("the probe itself: a container gives %q at its own address %s", got, address)
		}
		listen(t, b)
		if got := dial(t, a, listenPort, address)[address]; got == "connected" {
			t.Errorf("another container answers at %s", address)
		}
	}
}

// gateway is the address that the engine means the bridge to have.
func gateway(t *testing.T, e *Engine, network string) string {
	t.Helper()
	r, err := e.api.NetworkInspect(t.Context(), network, client.NetworkInspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Network.IPAM.Config {
		if c.Gateway.IsValid() {
			return c.Gateway.String()
		}
		return c.Subnet.Addr().Next().String()
	}
	t.Fatalf("network %s has no subnet", network)
	return ""
}

// addressesOf are the addresses of a container but for loopback.
func addressesOf(t *testing.T, c *Container) []string {
	t.Helper()
	out, r := sh(t, c, `hostname -I | tr ' ' '\n'
		grep -v ' lo$' /proc/net/if_inet6 | cut -c1-32 | sed 's/..../&:/g; s/:$/%eth0/'`)
	all := strings.Fields(out)
	if len(all) == 0 {
		t.Fatalf("got no address: %q %+v", out, r)
	}
	return all
}

const listenPort = 4711

// listen answers one connection in the container, at every address.
func listen(t *testing.T, c *Container) {
	t.Helper()
	out, _ := sh(t, c, `perl -MSocket -e '
		socket(S, PF_INET6, SOCK_STREAM, 0) or die $!;
		setsockopt(S, SOL_SOCKET, SO_REUSEADDR, 1) or die $!;
		bind(S, pack_sockaddr_in6(`+fmt.Sprint(listenPort)+`, Socket::inet_pton(AF_INET6, "::"))) or exit 0;
		listen(S, 5) or die $!;
		exit 0 if fork;
		accept(C, S)' </dev/null >/dev/null 2>&1`)
	if out != "" {
		t.Fatal(out)
	}
}

func TestIsolatedNetworkInside(t *testing.T) {
	e := connect(t)
	c := start(t, e, isolated(t, e).Join(small()))
	if got := addressesOf(t, c); len(got) != 1 || net.ParseIP(got[0]).To4() == nil {
		t.Errorf("got addresses %v, want one IPv4 address", got)
	}
	out, r := sh(t, c, `perl -MSocket -e '
		my $at = pack_sockaddr_in6(0, Socket::inet_pton(AF_INET6, "::1"));
		socket(S, PF_INET6, SOCK_STREAM, 0) or die $!;
		bind(S, $at) or die $!;
		listen(S, 1) or die $!;
		socket(C, PF_INET6, SOCK_STREAM, 0) or die $!;
		connect(C, getsockname(S)) or die $!;
		print "connected\n"' 2>&1`)
	if out != "connected\n" || r.ExitCode != 0 {
		t.Errorf("::1: got %q, %+v", out, r)
	}
	out, r = sh(t, c, "getent hosts example.org; echo $?; getent hosts localhost >/dev/null; echo $?")
	if diff := cmp.Diff("2\n0\n", out); diff != "" {
		t.Errorf("look-ups (-want +got):\n%s", diff)
	}
	if r.Duration > time.Second {
		t.Errorf("the look-ups took %s, want an answer at once", r.Duration)
	}
}

func TestNetworkRemove(t *testing.T) {
	e := connect(t)
	n := isolated(t, e)
	c := start(t, e, n.Join(small()))
	if err := n.Remove(t.Context()); err == nil {
		t.Error("a network with a container on it was removed")
	}
	if err := c.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for range 2 {
		if err := n.Remove(cancelled); err != nil {
			t.Error(err)
		}
	}
	if _, err := e.IsolatedNetwork(t.Context(), "", nil); err == nil || errors.Is(err, ErrNoEngine) {
		t.Errorf("a network without a name: got %v", err)
	}
}
