package atomicfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestWriteLeavesLinksAndDevicesWhatTheyAre(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info.Mode(), err)
	}
	if body, err := os.ReadFile(target); string(body) != "new" || err != nil {
		t.Errorf("the link's target holds %q, %v; want the new bytes", body, err)
	}

	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	read := make(chan []byte)
	go func() {
		body, err := os.ReadFile(pipe)
		if err != nil {
			t.Error(err)
		}
		read <- body
	}()
	if err := Write(pipe, []byte("through")); err != nil {
		t.Fatal(err)
	}
	if got := <-read; string(got) != "through" {
		t.Errorf("the pipe's reader got %q", got)
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the pipe became %v, %v", info.Mode(), err)
	}
}
