package process

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// MkdirTemp makes a directory for temporary files, named after this process,
// and removes those that dead processes of this machine have left. The caller
// removes it.
func MkdirTemp(kind string) (string, error) {
	me := Self()
	sweep(os.TempDir(), me)
	return os.MkdirTemp("", fmt.Sprintf("crossswe-%s-%s-%d-%s-", kind, me.short(), me.PID, me.Start))
}

// short is the machine in a file's name.
func (p ID) short() string {
	sum := sha256.Sum256([]byte(p.Machine))
	return hex.EncodeToString(sum[:4])
}

// sweep removes the directories of dead processes. What cannot be removed is
// somebody else's, and stays.
func sweep(dir string, me ID) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if owner, ok := ownerOf(e.Name(), me); ok && e.IsDir() && owner.Dead(me) {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}

// ownerOf reads the name of a directory that MkdirTemp made on this machine.
func ownerOf(name string, me ID) (ID, bool) {
	parts := strings.Split(name, "-")
	if len(parts) != 6 || parts[0] != "crossswe" || parts[2] != me.short() {
		return ID{}, false
	}
	pid, err := strconv.Atoi(parts[3])
	if err != nil || pid <= 0 || parts[4] == "" {
		return ID{}, false
	}
	return ID{Machine: me.Machine, PID: pid, Start: parts[4]}, true
}
