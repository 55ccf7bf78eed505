package jobs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// process names a process so that another on the same machine can tell whether
// it is alive.
type process struct {
	host    string // the machine since its last start, and the process ids it shares; "" when unknown
	pid     int
	started string // clock ticks after the machine's start, from /proc/PID/stat
}

// thisProcess describes this one. Where there is no /proc the host is unique,
// so that nobody judges from its process ids: the lease alone counts.
func thisProcess() process {
	p := process{pid: os.Getpid()}
	boot, errBoot := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, errSpace := os.Readlink("/proc/self/ns/pid")
	started, errStart := startTime(p.pid)
	name, _ := os.Hostname()
	if err := errors.Join(errBoot, errSpace, errStart); err != nil {
		p.host = fmt.Sprintf("%s/%d", name, p.pid)
		return p
	}
	p.host = name + "/" + strings.TrimSpace(string(boot)) + "/" + space
	p.started = started
	return p
}

// alive reports whether a process of this host still runs. In doubt it does.
func (p process) alive() bool {
	started, err := startTime(p.pid)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return err != nil || started == p.started
}

// startTime reads the 22nd field of /proc/PID/stat (proc_pid_stat(5)). The
// second, the program's name, may hold blanks and ends with the last bracket. A
// zombie has ended: it is as good as absent.
func startTime(pid int) (string, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", err
	}
	_, rest, ok := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 20 {
		return "", fmt.Errorf("/proc/%d/stat is not as proc_pid_stat(5) says", pid)
	}
	if fields[0] == "Z" || fields[0] == "X" {
		return "", fs.ErrNotExist
	}
	return fields[19], nil
}
