package container

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// owner is a process by which something was created, precise enough that a
// later process with the same number is another.
type owner struct {
	machine string // boot id and process namespace
	pid     int
	start   string // in clock ticks since boot
}

// thisProcess returns the owner that this process is. Where /proc is absent the
// machine is empty, and nothing of it is ever taken for dead.
func thisProcess() owner {
	pid := os.Getpid()
	start, err := processStart(pid)
	if err != nil {
		return owner{pid: pid}
	}
	return owner{machine: thisMachine(), pid: pid, start: start}
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

// processStart returns the start time of a process, field 22 of its stat file
// (proc(5)); fs.ErrNotExist when there is no such process.
func processStart(pid int) (string, error) {
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
	return fields[19], nil
}

// String is the form in a label; parseOwner reads it.
func (o owner) String() string {
	return fmt.Sprintf("%s %d %s", o.machine, o.pid, o.start)
}

// parseOwner reads what String wrote.
func parseOwner(s string) (owner, bool) {
	parts := strings.Split(s, " ")
	if len(parts) != 3 {
		return owner{}, false
	}
	pid, err := strconv.Atoi(parts[1])
	if err != nil || pid <= 0 {
		return owner{}, false
	}
	return owner{machine: parts[0], pid: pid, start: parts[2]}, true
}

// dead reports that the owner was a process of the machine that me is on and
// runs no more. False when that cannot be known.
func (o owner) dead(me owner) bool {
	if o.machine == "" || o.machine != me.machine {
		return false
	}
	start, err := processStart(o.pid)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	return err == nil && start != o.start
}
