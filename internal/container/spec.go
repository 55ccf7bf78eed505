package container

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
)

// The networks that every engine has. An isolated one is made by
// Engine.IsolatedNetwork.
const (
	// NetworkNone leaves only the loopback interface.
	NetworkNone = "none"
	// NetworkBridge is the engine's default network, with a way out.
	NetworkBridge = "bridge"
)

// Spec says how a container is made. Whatever it says, the container has no
// capabilities but CapAdd, no new privileges, no mounts from the host, no
// published ports and an init process, and its engine log is off.
//
// Root in it has no CAP_DAC_OVERRIDE or CAP_CHOWN: for files it is an ordinary
// user, who can write what root owns.
type Spec struct {
	// Image is the reference or id to run. Required; it is never pulled.
	Image string
	// Name is the container's name; empty lets the engine choose.
	Name string
	// Env holds "KEY=value", beside the image's own.
	Env []string
	// Cmd is the main process. Empty is one that waits for ever, for Exec.
	// The image's entry point is not used.
	Cmd []string
	// WorkDir and User are the defaults for Exec; empty is the image's.
	WorkDir string
	User    string
	// Network is NetworkNone, NetworkBridge or the name of a network.
	// Required, so that a way out is never there by default. Use
	// Network.Join for an isolated one.
	Network string
	// Hostname is the container's; empty lets the engine choose.
	Hostname string
	// Sysctls of the container's own namespaces.
	Sysctls map[string]string
	// DNSOptions are options of resolv.conf, such as "timeout:1".
	DNSOptions []string
	// NoDNS makes every look-up of a name fail at once, except those of
	// /etc/hosts.
	NoDNS bool
	// CPUs, MemoryBytes and PidsLimit are required. Swap is off.
	CPUs        float64
	MemoryBytes int64
	PidsLimit   int64
	// ShmBytes is the size of /dev/shm; zero is the engine's 64 MB.
	ShmBytes int64
	// Tmpfs maps a path to mount options ("size=64m,mode=1777").
	Tmpfs map[string]string
	// CapAdd are capabilities to give back, such as "SYS_PTRACE".
	CapAdd []string
	// Labels are put on beside Label.
	Labels map[string]string
}

// forever is the main process of a container that is there for Exec.
var forever = []string{"sleep", "infinity"}

// validate says all that the spec lacks.
func (s Spec) validate() error {
	var errs []error
	refuse := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	refuse(s.Image == "", "no image is named")
	refuse(s.Network == "", "no network is named")
	refuse(s.NoDNS && s.Network == "host", "the host's network has no resolver of its own")
	refuse(s.CPUs <= 0, "CPUs: %v is not above 0", s.CPUs)
	refuse(s.MemoryBytes <= 0, "memory: %d is not above 0", s.MemoryBytes)
	refuse(s.PidsLimit <= 0, "processes: %d is not above 0", s.PidsLimit)
	for _, kv := range s.Env {
		refuse(strings.Index(kv, "=") < 1, "environment: %q is not KEY=value", kv)
	}
	return errors.Join(errs...)
}

// options translates the spec; it is where the hardening stands.
func (s Spec) options(labels map[string]string) client.ContainerCreateOptions {
	cmd := s.Cmd
	if len(cmd) == 0 {
		cmd = forever
	}
	return client.ContainerCreateOptions{
		Name: s.Name,
		Config: &container.Config{
			Image:      s.Image,
			Hostname:   s.Hostname,
			User:       s.User,
			WorkingDir: s.WorkDir,
			Env:        s.Env,
			// An entry point of our own is the one way to be sure
			// that the image's is not used.
			Entrypoint: cmd[:1],
			Cmd:        cmd[1:],
			Labels:     labels,
		},
		HostConfig: s.hostConfig(),
	}
}

func (s Spec) hostConfig() *container.HostConfig {
	yes := true
	h := &container.HostConfig{
		NetworkMode: container.NetworkMode(s.Network),
		CapDrop:     []string{"ALL"},
		CapAdd:      s.CapAdd,
		SecurityOpt: []string{"no-new-privileges"},
		Init:        &yes,
		LogConfig:   container.LogConfig{Type: "none"},
		Sysctls:     s.Sysctls,
		DNSOptions:  s.DNSOptions,
		ShmSize:     s.ShmBytes,
		Tmpfs:       s.Tmpfs,
		Resources: container.Resources{
			NanoCPUs:   int64(s.CPUs * 1e9),
			Memory:     s.MemoryBytes,
			MemorySwap: s.MemoryBytes,
			PidsLimit:  &s.PidsLimit,
			// A core file would be written where the host says, not
			// within any limit.
			Ulimits: []*container.Ulimit{{Name: "core"}},
		},
	}
	if s.NoDNS {
		// The engine's own resolver passes questions on to the host's,
		// in some versions even from an internal network
		// (CVE-2024-29018). This gives it nobody to ask.
		h.DNS = []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}
	}
	return h
}

// prelude is the shell script that a started container needs as root.
func (s Spec) prelude() string {
	script := "rm -f /.dockerenv /run/.containerenv"
	if s.NoDNS {
		// Nobody listens there: a refused question fails at once, an
		// unanswered one after a timeout.
		script += " && echo nameserver 127.0.0.1 >/etc/resolv.conf"
	}
	return script
}
