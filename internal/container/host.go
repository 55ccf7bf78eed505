package container

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/moby/moby/client"
)

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
func (e *Engine) Host(ctx context.Context) (Host, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	r, err := e.api.Info(ctx, client.InfoOptions{})
	if err != nil {
		return Host{}, fmt.Errorf("asking the container engine about itself: %w", fault(err, nil))
	}
	h := Host{
		Engine:        r.Info.ServerVersion,
		API:           e.api.ClientVersion(),
		OS:            r.Info.OperatingSystem,
		Kernel:        r.Info.KernelVersion,
		Arch:          r.Info.Architecture,
		CPUs:          r.Info.NCPU,
		MemoryBytes:   r.Info.MemTotal,
		CgroupVersion: r.Info.CgroupVersion,
		StorageDriver: r.Info.Driver,
	}
	if e.local {
		h.CPUModel = cpuModel()
	}
	return h, nil
}

// cpuModel reads this machine's processor name; empty where the kernel gives
// none.
func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), ":")
		if strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
