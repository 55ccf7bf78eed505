package container

import (
	"context"
	"io"
	"time"
)

// Image is what the engine says of one image.
type Image struct {
	ID          string   // "sha256:…", the digest of the image's configuration
	Tags        []string // "name:tag", sorted
	RepoDigests []string // "name@sha256:…"; empty for an image that was built here and never pushed
	Size        int64    // bytes, all layers
	Layers      []string // diff ids, lowest first; empty in lists
	Labels      map[string]string
	Env         []string // "KEY=value"; empty in lists
	Created     time.Time
}

// Image returns the image that ref names (a tag, a digest or an id); false when
// the engine does not have it. Nothing is pulled.
func (e *Engine) Image(ctx context.Context, ref string) (Image, bool, error) {
	return Image{}, false, errNotYet
}

// Pull fetches ref from its registry. ErrNoImage means that the registry does
// not have it.
func (e *Engine) Pull(ctx context.Context, ref string) (Image, error) {
	return Image{}, errNotYet
}

// Images returns the images that carry every one of the labels, sorted by id.
// A label with an empty value matches any value.
func (e *Engine) Images(ctx context.Context, labels map[string]string) ([]Image, error) {
	return nil, errNotYet
}

// Tag gives the image that ref names a further name.
func (e *Engine) Tag(ctx context.Context, ref, name string) error { return errNotYet }

// RemoveImage removes a tag and, with its last tag, the image. An absent image
// is no error; one that a container uses is.
func (e *Engine) RemoveImage(ctx context.Context, ref string) error { return errNotYet }

// SaveImage streams the image as "docker save" writes it: a tar with
// manifest.json, the configuration and a tar for every layer. ErrNoImage when
// it does not exist. The caller closes the stream.
func (e *Engine) SaveImage(ctx context.Context, ref string) (io.ReadCloser, error) {
	return nil, errNotYet
}
