package artefact

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

// writerEnv makes the test program a writer that someone else kills.
const writerEnv = "CROSSSWE_TEST_WRITER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerEnv); dir != "" {
		fmt.Println(writeForEver(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeForEver prints the digest of everything that it has stored.
func writeForEver(dir string) error {
	s, err := Open(context.Background(), dir)
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		d, err := s.Put(context.Background(), bytes.Repeat(fmt.Append(nil, i, "\n"), 1<<20))
		if err != nil {
			return err
		}
		fmt.Println(d)
	}
}

func TestAKilledWriterLeavesNoHalfArtefact(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		for _, d := range killAfter(t, dir, 3) {
			if _, err := mustOpen(t, dir).Get(t.Context(), d); err != nil {
				t.Errorf("what was stored is lost: %v", err)
			}
		}
	}
	for _, name := range files(t, dir) {
		if temporary(filepath.Base(name)) {
			continue
		}
		body, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := "sha256:"+filepath.Dir(name)+filepath.Base(name), string(schemas.DigestOf(body)); got != want {
			t.Errorf("%s holds %s", got, want)
		}
	}
}

// killAfter kills a writer after some digests and returns all that it printed.
func killAfter(t *testing.T, dir string, n int) (stored []schemas.Digest) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self)
	c.Env = append(os.Environ(), writerEnv+"="+dir)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		d, err := schemas.ParseDigest(lines.Text())
		if err != nil {
			t.Fatalf("the writer says %q", lines.Text())
		}
		if stored = append(stored, d); len(stored) == n {
			c.Process.Kill()
		}
	}
	if err := c.Wait(); err == nil || len(stored) < n {
		t.Fatalf("the writer stored %d and ended with %v", len(stored), err)
	}
	return stored
}

// files lists the files below a directory.
func files(t *testing.T, dir string) []string {
	t.Helper()
	names := []string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestTheDirectoryHoldsPlainFiles pins the layout: stores of earlier versions
// are read, and nothing lies beside the artefacts.
func TestTheDirectoryHoldsPlainFiles(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir)
	d := mustPut(t, s, []byte("log"))
	want := []string{d.Hex()[:2] + "/" + d.Hex()[2:]}
	if diff := cmp.Diff(want, files(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if at := filepath.Join(dir, want[0]); s.Location(d) != at {
		t.Errorf("it is said to be at %s, want %s", s.Location(d), at)
	}

	old := schemas.DigestOf([]byte("old"))
	if err := os.MkdirAll(filepath.Dir(s.Location(old)), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.Location(old), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(t.Context(), old); string(got) != "old" || err != nil {
		t.Errorf("what an earlier version stored: got %q, %v", got, err)
	}
}

func TestLeftoversAreSweptAfterADay(t *testing.T) {
	dir := t.TempDir()
	body := []byte("log")
	at := mustOpen(t, dir).Location(schemas.DigestOf(body))
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		t.Fatal(err)
	}
	yesterday := time.Now().Add(-abandoned - time.Minute)
	for _, name := range []string{at + ".18.tmp", filepath.Join(filepath.Dir(at), ".tmp-18"), at + ".19.tmp"} {
		if err := os.WriteFile(name, body[:1], 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, yesterday, yesterday); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(at+".19.tmp", time.Now(), time.Now()); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, dir)
	if _, err := s.Get(t.Context(), schemas.DigestOf(body)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
	mustPut(t, s, body)
	shard := filepath.Base(filepath.Dir(at))
	want := []string{shard + "/" + filepath.Base(at), shard + "/" + filepath.Base(at) + ".19.tmp"}
	if diff := cmp.Diff(want, files(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestADirectoryThatIsAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "artefacts")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{file, filepath.Join(file, "below")} {
		if s, err := Open(t.Context(), at); err == nil {
			t.Errorf("%s was opened: %v", at, s)
		}
	}
}

// TestADirectoryThatIsGone tells a store that is gone from an artefact that
// is, which would be held against one record.
func TestADirectoryThatIsGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "artefacts")
	s := mustOpen(t, dir)
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), schemas.DigestOf(nil)); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want an error about the directory", err)
	}
}

func TestAHugeFileIsNotRead(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	d := mustPut(t, s, nil)
	if err := os.Truncate(s.Location(d), maxSize+1); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), d); !errors.Is(err, ErrCorrupt) {
		t.Errorf("got %v, want ErrCorrupt", err)
	}
}

// TestCancelledAtAnyMoment spreads the moment over the length of one write.
func TestCancelledAtAnyMoment(t *testing.T) {
	const moments = 40
	body := bytes.Repeat([]byte("log\n"), 1<<20)
	start := time.Now()
	mustPut(t, mustOpen(t, t.TempDir()), body)
	whole := time.Since(start)
	cancelled := 0
	for i := range moments {
		dir := t.TempDir()
		s := mustOpen(t, dir)
		ctx, cancel := context.WithTimeout(t.Context(), whole*time.Duration(i)/moments)
		d, err := s.Put(ctx, body)
		cancel()
		if err == nil {
			if _, err := s.Get(t.Context(), d); err != nil {
				t.Errorf("after success: %v", err)
			}
			continue
		}
		cancelled++
		if left := files(t, dir); !errors.Is(err, context.DeadlineExceeded) || len(left) > 0 {
			t.Errorf("got %v and left %q; want no file", err, left)
		}
	}
	if cancelled == 0 {
		t.Error("no write was cancelled")
	}
}
