package artefact

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestPutAndGet(t *testing.T) {
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range [][]byte{nil, []byte("a\r\n\x00"), bytes.Repeat([]byte{7}, 1<<20)} {
		d, err := s.Put(t.Context(), body)
		if err != nil {
			t.Fatal(err)
		}
		again, err := s.Put(t.Context(), body)
		if again != d || err != nil {
			t.Errorf("storing twice: got %s, %v; want %s", again, err, d)
		}
		if got, err := s.Get(t.Context(), d); !bytes.Equal(got, body) || err != nil {
			t.Errorf("got %d bytes, %v; want the %d bytes that were stored", len(got), err, len(body))
		}
	}
}

func TestGetRefusesWhatIsNotTheArtefact(t *testing.T) {
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), DigestOf([]byte("never stored"))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an unknown digest: got %v, want fs.ErrNotExist", err)
	}
	d, err := s.Put(t.Context(), []byte("log"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.Path(d), []byte("lag"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), d); !errors.Is(err, ErrCorrupt) {
		t.Errorf("changed bytes: got %v, want ErrCorrupt", err)
	}
	if _, err := s.Get(t.Context(), "sha256:../../etc/passwd"); err == nil {
		t.Error("a digest that is a path was read")
	}
}

func TestWriteFileLeavesLinksAndDevicesWhatTheyAre(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(link, []byte("new")); err != nil {
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
	if err := WriteFile(pipe, []byte("through")); err != nil {
		t.Fatal(err)
	}
	if got := <-read; string(got) != "through" {
		t.Errorf("the pipe's reader got %q", got)
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the pipe became %v, %v", info.Mode(), err)
	}
}
