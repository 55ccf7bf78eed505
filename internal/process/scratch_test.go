package process

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMkdirTempSweepsWhatTheDeadHaveLeft(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	me := Self()
	keep := []string{
		fmt.Sprintf("crossswe-git-%s-%d-%s-1", me.short(), me.PID, me.Start), // ours
		fmt.Sprintf("crossswe-git-00000000-%d-%s-1", 1<<30, "1"),             // of another machine
		"crossswe-git-x", "other",
	}
	gone := []string{
		fmt.Sprintf("crossswe-git-%s-%d-%s-1", me.short(), 1<<30, "1"),          // no such process
		fmt.Sprintf("crossswe-build-%s-%d-%s0-1", me.short(), me.PID, me.Start), // one that had our number before
	}
	for _, name := range append(keep, gone...) {
		if err := os.MkdirAll(filepath.Join(dir, name, "inside"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	made, err := MkdirTemp("git")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{filepath.Base(made): true}
	for _, name := range keep {
		want[name] = true
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, e := range entries {
		got[e.Name()] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("directories (-want +got):\n%s", diff)
	}
}
