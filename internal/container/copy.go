package container

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/moby/moby/client"
)

// Bounds limit what is read out of a container.
type Bounds struct {
	Files      int   // number of entries, of any kind
	FileBytes  int64 // of one file
	TotalBytes int64 // of all files
}

// CopyTo unpacks a tar stream into dir, which must exist (fs.ErrNotExist).
// Owners and modes are those in the stream.
func (c *Container) CopyTo(ctx context.Context, dir string, content io.Reader) error {
	limited, cancel := context.WithTimeout(ctx, streamTimeout)
	defer cancel()
	_, err := c.engine.api.CopyToContainer(limited, c.ID, client.CopyToContainerOptions{DestinationPath: dir, Content: content})
	if err != nil {
		return fmt.Errorf("copying to %s in container %s: %w", dir, c.ID, c.absent(ctx, err))
	}
	return nil
}

// CopyFrom returns a tar stream of the file or directory at name; the names in
// it begin with its last element. Reading ends with ErrTooLarge after maxBytes.
// fs.ErrNotExist when there is none. It works on a container that has ended
// too. The content is hostile. The caller closes the stream.
func (c *Container) CopyFrom(ctx context.Context, name string, maxBytes int64) (io.ReadCloser, error) {
	s, _, err := c.copyFrom(ctx, name, maxBytes)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (c *Container) copyFrom(ctx context.Context, name string, maxBytes int64) (*stream, fs.FileMode, error) {
	limited, cancel := context.WithTimeout(ctx, streamTimeout)
	r, err := c.engine.api.CopyFromContainer(limited, c.ID, client.CopyFromContainerOptions{SourcePath: name})
	if err != nil {
		cancel()
		return nil, 0, fmt.Errorf("copying %s from container %s: %w", name, c.ID, c.absent(ctx, err))
	}
	return &stream{Reader: &boundedReader{r: r.Content, left: maxBytes}, close: r.Content.Close, cancel: cancel}, r.Stat.Mode, nil
}

// absent tells an absent path from an absent container, which the engine
// reports alike.
func (c *Container) absent(ctx context.Context, err error) error {
	if !isAbsent(err) {
		return fault(err, nil)
	}
	if _, serr := c.State(ctx); serr != nil {
		return serr
	}
	return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
}

// ReadFile returns the content of a regular file. ErrTooLarge when it has more
// than maxBytes, fs.ErrNotExist when there is none; a link, a directory or a
// device is ErrIrregular.
func (c *Container) ReadFile(ctx context.Context, name string, maxBytes int64) ([]byte, error) {
	s, mode, err := c.copyFrom(ctx, name, maxBytes+tarOverhead)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if !mode.IsRegular() {
		return nil, fmt.Errorf("reading %s in container %s: %w (%s)", name, c.ID, ErrIrregular, mode)
	}
	b, err := readOne(s, maxBytes)
	if err != nil {
		return nil, fmt.Errorf("reading %s in container %s: %w", name, c.ID, err)
	}
	return b, nil
}

// ReadTree returns the regular files below dir by their slash-separated path
// relative to it. Links, devices and names that leave dir are left out.
// ErrTooLarge when a bound is passed, fs.ErrNotExist when there is no dir.
func (c *Container) ReadTree(ctx context.Context, dir string, b Bounds) (map[string][]byte, error) {
	s, mode, err := c.copyFrom(ctx, dir, b.TotalBytes+int64(b.Files+1)*tarOverhead)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if !mode.IsDir() {
		return nil, fmt.Errorf("reading %s in container %s: not a directory (%s)", dir, c.ID, mode)
	}
	files, err := readTree(s, b)
	if err != nil {
		return nil, fmt.Errorf("reading %s in container %s: %w", dir, c.ID, err)
	}
	return files, nil
}

// WriteFile writes one file, owned by root with mode 0644, into a directory
// that exists.
func (c *Container) WriteFile(ctx context.Context, name string, content []byte) error {
	var b bytes.Buffer
	t := tar.NewWriter(&b)
	err := t.WriteHeader(&tar.Header{Name: path.Base(name), Mode: 0o644, Size: int64(len(content))})
	if err == nil {
		_, err = t.Write(content)
	}
	if err := errors.Join(err, t.Close()); err != nil {
		return fmt.Errorf("packing %s: %w", name, err)
	}
	return c.CopyTo(ctx, path.Dir(name), &b)
}

// tarOverhead is more than a tar stream adds to one file: its headers, the
// longest of them for a long name, the padding and the end.
const tarOverhead = 16 << 10

// readOne returns the content of the stream's first entry.
func readOne(r io.Reader, maxBytes int64) ([]byte, error) {
	t := tar.NewReader(r)
	h, err := t.Next()
	if err != nil {
		return nil, err
	}
	if h.Typeflag != tar.TypeReg {
		return nil, fmt.Errorf("%w (%q)", ErrIrregular, h.Typeflag)
	}
	if h.Size > maxBytes {
		return nil, fmt.Errorf("%d bytes: %w", h.Size, ErrTooLarge)
	}
	return io.ReadAll(t)
}

// readTree returns the regular files of a tar stream whose names begin with
// one and the same element.
func readTree(r io.Reader, b Bounds) (map[string][]byte, error) {
	files := make(map[string][]byte)
	var total int64
	entries := 0
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		// The first entry is the directory itself.
		if entries++; entries > b.Files+1 {
			return nil, fmt.Errorf("more than %d entries: %w", b.Files, ErrTooLarge)
		}
		_, name, _ := strings.Cut(h.Name, "/")
		if h.Typeflag != tar.TypeReg || !fs.ValidPath(name) || name == "." {
			continue
		}
		if total += h.Size; h.Size > b.FileBytes || total > b.TotalBytes {
			return nil, fmt.Errorf("%s has %d bytes: %w", name, h.Size, ErrTooLarge)
		}
		if files[name], err = io.ReadAll(t); err != nil {
			return nil, err
		}
	}
}

// boundedReader ends with ErrTooLarge where io.LimitReader ends with io.EOF, so
// that what is cut off is not taken for what is whole.
type boundedReader struct {
	r    io.Reader
	left int64
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		// Only the end of the stream may follow.
		if n, err := io.ReadFull(b.r, make([]byte, 1)); n == 0 {
			return 0, err
		}
		return 0, ErrTooLarge
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
