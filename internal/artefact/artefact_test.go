package artefact

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
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
