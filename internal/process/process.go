// Package process names processes so that another process of the same machine
// can tell whether one still runs: what it has left behind, containers or jobs,
// is then free.
package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// ID is a process, precise enough that a later one with the same number is
// another.
type ID struct {
	Machine string // boot id and process namespace
	PID     int
	Start   string // in clock ticks since boot
}

// Self returns this process. Where /proc is absent its machine is empty, and it
// is never taken for dead.
func Self() ID {
	pid := os.Getpid()
	start, err := startOf(pid)
	if err != nil {
		return ID{PID: pid}
	}
	return ID{Machine: thisMachine(), PID: pid, Start: start}
}

// thisMachine names the boot of this machine and the process namespace, within
// which a process number has a meaning.
func thisMachine() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + "/" + space
}

// startOf returns the start time of a process, field 22 of its stat file
// (proc_pid_stat(5)); fs.ErrNotExist when there is no such process, or only its
// corpse, which waits for its parent.
func startOf(pid int) (string, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", err
	}
	// The name, field 2, stands in parentheses and may hold any character.
	_, rest, _ := strings.Cut(string(b[strings.LastIndexByte(string(b), ')')+1:]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 20 {
		return "", fmt.Errorf("reading the stat file of process %d: %d fields", pid, len(fields))
	}
	if fields[0] == "Z" || fields[0] == "X" {
		return "", fs.ErrNotExist
	}
	return fields[19], nil
}

// String is the form in a label or a table; Parse reads it.
func (p ID) String() string {
	return fmt.Sprintf("%s %d %s", p.Machine, p.PID, p.Start)
}

// Parse reads what String wrote; false when it did not write this.
func Parse(s string) (ID, bool) {
	parts := strings.Split(s, " ")
	if len(parts) != 3 {
		return ID{}, false
	}
	pid, err := strconv.Atoi(parts[1])
	if err != nil || pid <= 0 {
		return ID{}, false
	}
	return ID{Machine: parts[0], PID: pid, Start: parts[2]}, true
}

// Dead reports that this was a process of the machine that me is on and runs no
// more. False when that cannot be known.
func (p ID) Dead(me ID) bool {
	if p.Machine == "" || p.Machine != me.Machine {
		return false
	}
	start, err := startOf(p.PID)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	return err == nil && start != p.Start
}
