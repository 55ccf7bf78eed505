package container

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCopy(t *testing.T) {
	c := start(t, connect(t), small())
	if err := c.WriteFile(t.Context(), "/srv/report.xml", []byte("<ok/>\n")); err != nil {
		t.Fatal(err)
	}
	out, r := sh(t, c, `mkdir -p /srv/tree/sub && cd /srv/tree && echo a >a && echo b >sub/b && ln -s /etc/passwd link && mkfifo fifo && ln a hard && stat -c '%U %a' ../report.xml`)
	if out != "root 644\n" || r.ExitCode != 0 {
		t.Fatalf("got %q, %+v", out, r)
	}
	got, err := c.ReadFile(t.Context(), "/srv/report.xml", 6)
	if err != nil || string(got) != "<ok/>\n" {
		t.Errorf("got %q, %v", got, err)
	}
	tree, err := c.ReadTree(t.Context(), "/srv/tree", Bounds{Files: 10, FileBytes: 10, TotalBytes: 10})
	if err != nil {
		t.Fatal(err)
	}
	// Of two hard links the engine sends one as a file.
	want := map[string]string{"a": "a\n", "sub/b": "b\n"}
	if diff := cmp.Diff(want, texts(tree)); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
}

func texts(files map[string][]byte) map[string]string {
	m := make(map[string]string, len(files))
	for k, v := range files {
		m[k] = string(v)
	}
	return m
}

func TestCopyFails(t *testing.T) {
	c := start(t, connect(t), small())
	sh(t, c, `mkdir -p /srv/tree && head -c 100000 /dev/zero >/srv/tree/big && ln -s /etc/passwd /srv/link`)
	read := func(name string, max int64) func() error {
		return func() error { _, err := c.ReadFile(t.Context(), name, max); return err }
	}
	tree := func(name string, b Bounds) func() error {
		return func() error { _, err := c.ReadTree(t.Context(), name, b); return err }
	}
	enough := Bounds{Files: 10, FileBytes: 1 << 20, TotalBytes: 1 << 20}
	notRegular := errors.New("any")
	tests := []struct {
		name string
		call func() error
		want error
	}{
		{"no file", read("/srv/none", 10), fs.ErrNotExist},
		{"no directory above", read("/none/none", 10), fs.ErrNotExist},
		{"file too large", read("/srv/tree/big", 99_999), ErrTooLarge},
		{"file large enough", read("/srv/tree/big", 100_000), nil},
		{"file far too large", read("/srv/tree/big", 10), ErrTooLarge},
		{"link", read("/srv/link", 1<<20), notRegular},
		{"directory", read("/srv/tree", 1<<20), notRegular},
		{"device", read("/dev/zero", 1<<20), notRegular},
		{"tree of a file", tree("/srv/tree/big", enough), notRegular},
		{"no tree", tree("/srv/none", enough), fs.ErrNotExist},
		{"tree with large file", tree("/srv/tree", Bounds{10, 99_999, 1 << 20}), ErrTooLarge},
		{"tree too large", tree("/srv/tree", Bounds{10, 1 << 20, 99_999}), ErrTooLarge},
		{"tree of too many", tree("/etc", Bounds{3, 1 << 20, 1 << 20}), ErrTooLarge},
		{"write below nothing", func() error { return c.WriteFile(t.Context(), "/none/x", nil) }, fs.ErrNotExist},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.call()
			if tt.want == notRegular {
				if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrTooLarge) {
					t.Errorf("got %v, want a refusal of what it is", err)
				}
				return
			}
			if !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
	if err := c.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := read("/etc/passwd", 10)(); !errors.Is(err, ErrGone) {
		t.Errorf("after the end: got %v, want %v", err, ErrGone)
	}
}

func TestCopyFromIsBounded(t *testing.T) {
	c := start(t, connect(t), small())
	s, err := c.CopyFrom(t.Context(), "/usr/bin", 1<<16)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	n, err := io.Copy(io.Discard, s)
	if n != 1<<16 || !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %d bytes, %v, want %d, %v", n, err, 1<<16, ErrTooLarge)
	}
}

// entry is one header of a tar with as many bytes as it says.
type entry struct {
	name string
	kind byte
	size int64
}

func pack(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: e.kind, Size: e.size, Mode: 0o644}
		if e.kind == tar.TypeSymlink || e.kind == tar.TypeLink {
			h.Linkname = "d/a"
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(bytes.Repeat([]byte("x"), int(e.size))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadTreeOfHostileTar(t *testing.T) {
	content := pack(t,
		entry{"d/", tar.TypeDir, 0},
		entry{"d/a", tar.TypeReg, 2},
		entry{"d/../../etc/passwd", tar.TypeReg, 1},
		entry{"/abs", tar.TypeReg, 1},
		entry{"d//double", tar.TypeReg, 1},
		entry{"d/./dot", tar.TypeReg, 1},
		entry{"alone", tar.TypeReg, 1},
		entry{"d/link", tar.TypeSymlink, 0},
		entry{"d/hard", tar.TypeLink, 0},
		entry{"d/device", tar.TypeChar, 0},
		entry{"d/s/b", tar.TypeReg, 1},
	)
	got, err := readTree(bytes.NewReader(content), Bounds{100, 100, 100})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"a": "xx", "abs": "x", "s/b": "x"}
	if diff := cmp.Diff(want, texts(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for cut := range content {
		part, err := readTree(bytes.NewReader(content[:cut]), Bounds{100, 100, 100})
		for name := range part {
			if text := string(part[name]); err == nil && text != want[name] {
				t.Fatalf("cut at %d: got %q in %s, want it whole or an error", cut, text, name)
			}
		}
	}
}

func FuzzReadTree(f *testing.F) {
	f.Add(pack(f, entry{"d/", tar.TypeDir, 0}, entry{"d/a", tar.TypeReg, 5}, entry{"d/../x", tar.TypeReg, 1}))
	b := Bounds{Files: 3, FileBytes: 1000, TotalBytes: 1500}
	f.Fuzz(func(t *testing.T, content []byte) {
		files, err := readTree(bytes.NewReader(content), b)
		if err != nil {
			return
		}
		total := 0
		for name, text := range files {
			total += len(text)
			if !fs.ValidPath(name) || len(text) > 1000 {
				t.Errorf("got %q with %d bytes", name, len(text))
			}
		}
		if len(files) > b.Files+1 || total > 1500 {
			t.Errorf("got %d files with %d bytes", len(files), total)
		}
	})
}

func TestSaveImage(t *testing.T) {
	e := connect(t)
	img, err := buildImage(t, e, BuildSpec{
		Dockerfile: dockerfile("COPY mark /mark", "RUN rm /mark"),
		Context:    oneFile("mark", "deleted, but in a layer\n"),
		Network:    NetworkNone,
		Timeout:    time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.SaveImage(t.Context(), img.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var manifest []struct{ Layers []string }
	marks := 0
	for r := tar.NewReader(s); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case h.Name == "manifest.json":
			if err := json.NewDecoder(r).Decode(&manifest); err != nil {
				t.Fatal(err)
			}
		case strings.HasSuffix(h.Name, "/layer.tar") && h.Typeflag == tar.TypeReg:
			marks += count(t, r, "mark")
		}
	}
	if len(manifest) != 1 || len(manifest[0].Layers) != len(img.Layers) {
		t.Errorf("got manifest %+v, want %d layers", manifest, len(img.Layers))
	}
	if marks != 1 {
		t.Errorf("found the deleted file in %d layers, want 1", marks)
	}
}

// count counts the entries of a tar with a name.
func count(t *testing.T, r io.Reader, name string) int {
	t.Helper()
	n := 0
	for r := tar.NewReader(r); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return n
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Name == name {
			n++
		}
	}
}

func TestCappedWriter(t *testing.T) {
	var a, b bytes.Buffer
	budget := newBudget(5)
	wa, wb, none := budget.writer(&a), budget.writer(&b), budget.writer(nil)
	for _, w := range []io.Writer{wa, none, wb, wa} {
		if n, err := w.Write([]byte("abc")); n != 3 || err != nil {
			t.Errorf("got %d, %v, want 3 and no error", n, err)
		}
	}
	got := map[string]string{"a": a.String(), "b": b.String()}
	if diff := cmp.Diff(map[string]string{"a": "abc", "b": "ab"}, got); diff != "" || !budget.truncated {
		t.Errorf("truncated %v, (-want +got):\n%s", budget.truncated, diff)
	}
	if keys := slices.Sorted(maps.Keys(got)); len(keys) != 2 {
		t.Errorf("got %v", keys)
	}
}
