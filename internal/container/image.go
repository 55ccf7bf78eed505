package container

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/moby/moby/client"
)

// Image is what the engine says of one image.
type Image struct {
	ID          string   // "sha256:…", the digest of the image's configuration
	Tags        []string // "name:tag", sorted
	RepoDigests []string // "name@sha256:…", sorted; none for an image that was built here and never pushed
	Size        int64    // bytes, all layers
	Layers      []string // diff ids, lowest first; empty in lists
	Labels      map[string]string
	Env         []string // "KEY=value"; empty in lists
	Created     time.Time
}

// Image returns the image that ref names (a tag, a digest or an id); false when
// the engine does not have it. Nothing is pulled.
func (e *Engine) Image(ctx context.Context, ref string) (Image, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	r, err := e.api.ImageInspect(ctx, ref)
	if isAbsent(err) {
		return Image{}, false, nil
	}
	if err != nil {
		return Image{}, false, fmt.Errorf("inspecting image %s: %w", ref, fault(err, nil))
	}
	return inspected(r), true, nil
}

func inspected(r client.ImageInspectResult) Image {
	img := Image{
		ID:          r.ID,
		Tags:        slices.Sorted(slices.Values(r.RepoTags)),
		RepoDigests: slices.Sorted(slices.Values(r.RepoDigests)),
		Size:        r.Size,
		Layers:      r.RootFS.Layers,
	}
	// An image without a date has the zero time.
	img.Created, _ = time.Parse(time.RFC3339Nano, r.Created)
	if r.Config != nil {
		img.Labels, img.Env = r.Config.Labels, r.Config.Env
	}
	return img
}

// Images returns the images that carry Label and every one of the labels,
// sorted by id. A label with an empty value matches any value.
func (e *Engine) Images(ctx context.Context, labels map[string]string) ([]Image, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	list, err := e.api.ImageList(ctx, client.ImageListOptions{Filters: filters(labels)})
	if err != nil {
		return nil, fmt.Errorf("listing images: %w", fault(err, nil))
	}
	images := make([]Image, 0, len(list.Items))
	for _, s := range list.Items {
		images = append(images, Image{
			ID:          s.ID,
			Tags:        slices.Sorted(slices.Values(s.RepoTags)),
			RepoDigests: slices.Sorted(slices.Values(s.RepoDigests)),
			Size:        s.Size,
			Labels:      s.Labels,
			Created:     time.Unix(s.Created, 0),
		})
	}
	slices.SortFunc(images, func(a, b Image) int { return cmp.Compare(a.ID, b.ID) })
	return images, nil
}

// Tag gives the image that ref names a further name.
func (e *Engine) Tag(ctx context.Context, ref, name string) error {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	if _, err := e.api.ImageTag(ctx, client.ImageTagOptions{Source: ref, Target: name}); err != nil {
		return fmt.Errorf("tagging image %s as %s: %w", ref, name, fault(err, ErrNoImage))
	}
	return nil
}

// RemoveImage removes a tag and, with its last tag, the image. An absent image
// is no error; one that a container uses is.
func (e *Engine) RemoveImage(ctx context.Context, ref string) error {
	ctx, cancel := context.WithTimeout(ctx, changeTimeout)
	defer cancel()
	_, err := e.api.ImageRemove(ctx, ref, client.ImageRemoveOptions{PruneChildren: true})
	if err != nil && !isAbsent(err) {
		return fmt.Errorf("removing image %s: %w", ref, fault(err, nil))
	}
	return nil
}

// DiscardImage removes the image with this id and all its names, those in
// registries too. An absent image is no error; one that a container uses is.
func (e *Engine) DiscardImage(ctx context.Context, id string) error {
	img, there, err := e.Image(ctx, id)
	if err != nil || !there {
		return err
	}
	// Names by digest go with the last tag of their repository.
	for _, name := range slices.Concat(img.Tags, img.RepoDigests) {
		if err := e.RemoveImage(ctx, name); err != nil {
			return err
		}
	}
	return e.RemoveImage(ctx, img.ID)
}

// SaveImage streams the image as "docker save" writes it: a tar with
// manifest.json, the configuration and a tar for every layer. ErrNoImage when
// it does not exist. The caller closes the stream.
func (e *Engine) SaveImage(ctx context.Context, ref string) (io.ReadCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, streamTimeout)
	r, err := e.api.ImageSave(ctx, []string{ref})
	if err != nil {
		cancel()
		return nil, fmt.Errorf("saving image %s: %w", ref, fault(err, ErrNoImage))
	}
	return &stream{Reader: r, close: r.Close, cancel: cancel}, nil
}

// stream is an answer of the engine that frees its context when closed.
type stream struct {
	io.Reader
	close  func() error
	cancel context.CancelFunc
}

func (s *stream) Close() error {
	defer s.cancel()
	return s.close()
}

// isAbsent reports that the object of a call does not exist.
func isAbsent(err error) bool { return err != nil && cerrdefs.IsNotFound(err) }
