package artefact

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"gocloud.dev/blob"

	"crossswe/schemas"
)

// TestConformance runs one suite on every kind of place.
func TestConformance(t *testing.T) {
	places := []struct {
		name string
		make func(*testing.T) string
	}{
		{"directory", func(t *testing.T) string { return filepath.Join(t.TempDir(), "new", "artefacts") }},
		{"file URL", func(t *testing.T) string { return "file://" + t.TempDir() }},
		{"bucket", func(t *testing.T) string { return newServer(t).place("") }},
		{"prefix of a bucket", func(t *testing.T) string { return newServer(t).place("/team/one") }},
	}
	suite := []struct {
		name string
		run  func(t *testing.T, a, b *Store)
	}{
		{"what one puts another gets", putAndGet},
		{"nothing is there", nothingThere},
		{"changed bytes", changedBytes},
		{"a short object is healed", shortObject},
		{"many at once", manyAtOnce},
		{"cancelled before", cancelledBefore},
		{"too large", tooLarge},
	}
	for _, p := range places {
		t.Run(p.name, func(t *testing.T) {
			for _, s := range suite {
				t.Run(s.name, func(t *testing.T) {
					at := p.make(t)
					s.run(t, mustOpen(t, at), mustOpen(t, at))
				})
			}
		})
	}
}

func mustOpen(t *testing.T, at string) *Store {
	t.Helper()
	s, err := open(t.Context(), at, testPatience)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustPut(t *testing.T, s *Store, body []byte) schemas.Digest {
	t.Helper()
	d, err := s.Put(t.Context(), body)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// keysOf lists everything in the store.
func keysOf(t *testing.T, s *Store) []string {
	t.Helper()
	var keys []string
	it := s.bucket.List(&blob.ListOptions{Prefix: s.prefix})
	for {
		o, err := it.Next(context.WithoutCancel(t.Context()))
		if errors.Is(err, io.EOF) {
			return keys
		}
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, o.Key)
	}
}

// putAndGet includes a body beyond the size from which the SDK uploads in parts.
func putAndGet(t *testing.T, a, b *Store) {
	bodies := [][]byte{nil, []byte("a\r\n\x00"), bytes.Repeat([]byte{7}, 1<<20), bytes.Repeat([]byte("parts"), 4<<20)}
	for _, body := range bodies {
		d := mustPut(t, a, body)
		if again, err := b.Put(t.Context(), body); again != d || err != nil {
			t.Errorf("storing twice: got %s, %v; want %s", again, err, d)
		}
		if got, err := b.Get(t.Context(), d); !bytes.Equal(got, body) || err != nil {
			t.Errorf("got %d bytes, %v; want the %d bytes that were stored", len(got), err, len(body))
		}
		if at := a.Location(d); !strings.HasSuffix(at, "/"+d.Hex()[:2]+"/"+d.Hex()[2:]) {
			t.Errorf("it is said to be at %s", at)
		}
	}
	if keys := keysOf(t, a); len(keys) != len(bodies) {
		t.Errorf("there are %q, want %d artefacts", keys, len(bodies))
	}
}

func nothingThere(t *testing.T, a, _ *Store) {
	if _, err := a.Get(t.Context(), schemas.DigestOf([]byte("never stored"))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an unknown digest: got %v, want fs.ErrNotExist", err)
	}
	if _, err := a.Get(t.Context(), "sha256:../../etc/passwd"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a digest that is a path: got %v", err)
	}
}

func changedBytes(t *testing.T, a, b *Store) {
	d := mustPut(t, a, []byte("log"))
	if err := a.bucket.WriteAll(t.Context(), a.key(d), []byte("lag"), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Get(t.Context(), d); !errors.Is(err, ErrCorrupt) {
		t.Errorf("got %v, want ErrCorrupt", err)
	}
}

func shortObject(t *testing.T, a, b *Store) {
	body := []byte("the whole log")
	for _, wrong := range []string{"", "the whole", "the whole log and more"} {
		if err := a.bucket.WriteAll(t.Context(), a.key(schemas.DigestOf(body)), []byte(wrong), nil); err != nil {
			t.Fatal(err)
		}
		d := mustPut(t, b, body)
		if got, err := a.Get(t.Context(), d); !bytes.Equal(got, body) || err != nil {
			t.Errorf("over %q: got %q, %v", wrong, got, err)
		}
	}
}

// manyAtOnce writes the same bytes from two stores while others read them.
func manyAtOnce(t *testing.T, a, b *Store) {
	bodies := [][]byte{bytes.Repeat([]byte("one"), 1<<16), bytes.Repeat([]byte("two"), 1<<16)}
	var all sync.WaitGroup
	for i := range 24 {
		s, body := a, bodies[i/2%2]
		if i%2 == 1 {
			s = b
		}
		all.Go(func() {
			if _, err := s.Put(t.Context(), body); err != nil {
				t.Errorf("writing: %v", err)
			}
		})
		all.Go(func() {
			got, err := s.Get(t.Context(), schemas.DigestOf(body))
			if err == nil && !bytes.Equal(got, body) || err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("reading: got %d bytes, %v", len(got), err)
			}
		})
	}
	all.Wait()
	if keys := keysOf(t, a); len(keys) != len(bodies) {
		t.Errorf("there are %q, want %d artefacts", keys, len(bodies))
	}
}

func cancelledBefore(t *testing.T, a, _ *Store) {
	d := mustPut(t, a, []byte("there"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Put(ctx, []byte("not there")); !errors.Is(err, context.Canceled) {
		t.Errorf("putting: got %v, want context.Canceled", err)
	}
	if _, err := a.Get(ctx, d); !errors.Is(err, context.Canceled) {
		t.Errorf("getting: got %v, want context.Canceled", err)
	}
	if keys := keysOf(t, a); len(keys) != 1 {
		t.Errorf("there are %q", keys)
	}
}

// tooLarge maps a body that takes no memory.
func tooLarge(t *testing.T, a, _ *Store) {
	body, err := syscall.Mmap(-1, 0, maxSize+1, syscall.PROT_READ, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(body)
	if d, err := a.Put(t.Context(), body); err == nil || !strings.Contains(err.Error(), fmt.Sprint(maxSize+1)) {
		t.Errorf("got %s, %v; want an error with the size", d, err)
	}
}
