package artefact

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// diskEnv names the directory on which the test program, in a mount namespace
// of its own, is to mount a disk.
const diskEnv = "CROSSSWE_TEST_DISK"

// onADisk runs a test once more in a mount namespace, where a small file
// system can be made that goes away by itself. It returns the directory there, and ""
// in the test that only waits for the other.
func onADisk(t *testing.T, options string) string {
	t.Helper()
	dir := os.Getenv(diskEnv)
	if dir == "" {
		rerun(t)
		return ""
	}
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		t.Fatalf("keeping mounts to ourselves: %v", err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Fatalf("mounting a small disk: %v", err)
	}
	return dir
}

func rerun(t *testing.T) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, "-test.run=^"+t.Name()+"$")
	c.Env = append(os.Environ(), diskEnv+"="+t.TempDir())
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Getuid() != 0 {
		c.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		c.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		c.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("in a mount namespace: %v\n%s", err, out)
	}
}

func TestAFullDisk(t *testing.T) {
	dir := onADisk(t, "size=256k")
	if dir == "" {
		return
	}
	s := mustOpen(t, dir)
	first := mustPut(t, s, bytes.Repeat([]byte("a"), 64<<10))
	before := files(t, dir)
	for range 3 {
		if _, err := s.Put(t.Context(), bytes.Repeat([]byte("b"), 1<<20)); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("got %v, want ENOSPC", err)
		}
	}
	if diff := cmp.Diff(before, files(t, dir)); diff != "" {
		t.Errorf("the disk holds (-before +after):\n%s", diff)
	}
	if _, err := s.Get(t.Context(), first); err != nil {
		t.Error(err)
	}
	mustPut(t, s, bytes.Repeat([]byte("c"), 64<<10))
}

func TestAReadOnlyDirectory(t *testing.T) {
	dir := onADisk(t, "")
	if dir == "" {
		return
	}
	d := mustPut(t, mustOpen(t, dir), []byte("log"))
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, dir)
	if got, err := s.Get(t.Context(), d); string(got) != "log" || err != nil {
		t.Errorf("reading: got %q, %v", got, err)
	}
	if again, err := s.Put(t.Context(), []byte("log")); again != d || err != nil {
		t.Errorf("what is there: got %s, %v", again, err)
	}
	if _, err := s.Put(t.Context(), []byte("new")); !errors.Is(err, syscall.EROFS) {
		t.Errorf("got %v, want EROFS", err)
	}
	if _, err := Open(t.Context(), filepath.Join(dir, "new")); !errors.Is(err, syscall.EROFS) {
		t.Errorf("a new directory: got %v, want EROFS", err)
	}
}
