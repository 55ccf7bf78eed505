package container

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
