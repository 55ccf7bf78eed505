package container

import (
	"context"
	"io"
)

// Bounds limit what is read out of a container.
type Bounds struct {
	Files      int   // number of entries
	FileBytes  int64 // of one file
	TotalBytes int64 // of all files
}

// CopyTo unpacks a tar stream into dir, which must exist. Owners and modes are
// those in the stream.
func (c *Container) CopyTo(ctx context.Context, dir string, content io.Reader) error {
	return errNotYet
}

// CopyFrom returns a tar stream of the file or directory at path; names begin
// with its last element. It ends with ErrTooLarge after maxBytes.
// fs.ErrNotExist when there is none. It works on a container that has ended
// too. The content is hostile. The caller closes the stream.
func (c *Container) CopyFrom(ctx context.Context, path string, maxBytes int64) (io.ReadCloser, error) {
	return nil, errNotYet
}

// ReadFile returns the content of a regular file. ErrTooLarge when it has more
// than maxBytes, fs.ErrNotExist when there is none; a link, a directory or a
// device is an error.
func (c *Container) ReadFile(ctx context.Context, path string, maxBytes int64) ([]byte, error) {
	return nil, errNotYet
}

// ReadTree returns the regular files below dir by their slash-separated path
// relative to it. Links, devices and names that leave dir are left out.
// ErrTooLarge when a bound is passed, fs.ErrNotExist when there is no dir.
func (c *Container) ReadTree(ctx context.Context, dir string, b Bounds) (map[string][]byte, error) {
	return nil, errNotYet
}

// WriteFile writes one file, owned by root with mode 0644, into a directory
// that exists.
func (c *Container) WriteFile(ctx context.Context, path string, content []byte) error {
	return errNotYet
}
