// Package artefact keeps the large things that records point to (logs, patches,
// Dockerfiles, results), each under the SHA-256 of its bytes, in a directory or
// in a bucket of S3. The same bytes are stored once; what is stored is there
// whole or not at all, also after a kill; what is read is checked.
package artefact

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/aws/smithy-go"
	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"crossswe/internal/artefact/place"
	"crossswe/schemas"
)

// ErrCorrupt says that the bytes under a digest are not the ones it names.
var ErrCorrupt = errors.New("artefact is corrupt")

const (
	// maxSize bounds one artefact in bytes. It is held in memory whole, and what
	// is larger than this is no log or patch that anyone reads.
	maxSize = 1 << 30
	// longest bounds one Put or Get: maxSize at 300 KB/s.
	longest = time.Hour
)

// Store holds artefacts. It is safe for concurrent use, also by several
// processes and machines at once, and needs no closing.
type Store struct {
	bucket *blob.Bucket
	dir    *directory // nil on S3
	s3     *uploads   // nil for a directory
	prefix string     // of every key: "" or "a/b/"
	root   string     // what Location puts before a key
}

// Open returns the store at a place, written as place.Parse takes it. A
// directory is made as needed; a bucket must exist and answer, and its
// credentials are those that AWS's programs use: the environment
// (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY), their configuration, the
// machine's role.
func Open(ctx context.Context, at string) (*Store, error) {
	return open(ctx, at, defaultPatience)
}

func open(ctx context.Context, at string, p patience) (*Store, error) {
	to, err := place.Parse(at)
	if err != nil {
		return nil, err
	}
	if to.Dir != "" {
		return openDirectory(to.Dir)
	}
	return openS3(ctx, to, p)
}

// Put stores the bytes and returns their digest. An object of another size
// than theirs is replaced.
func (s *Store) Put(ctx context.Context, body []byte) (schemas.Digest, error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if len(body) > maxSize {
		return "", fmt.Errorf("storing an artefact: %d bytes are more than %d", len(body), maxSize)
	}
	d := schemas.DigestOf(body)
	if err := s.put(ctx, s.key(d), body); err != nil {
		return "", fmt.Errorf("storing an artefact at %s: %w", s.Location(d), err)
	}
	return d, nil
}

func (s *Store) put(ctx context.Context, key string, body []byte) error {
	size, err := s.size(ctx, key)
	if err != nil || size == int64(len(body)) {
		return err
	}
	if size < 0 {
		err = s.write(ctx, key, body, &blob.WriterOptions{IfNotExist: true})
		if !s.refused(err) {
			return err
		}
		if size, err = s.size(ctx, key); err != nil || size == int64(len(body)) {
			return err
		}
	}
	// The key is the digest: whoever else writes here writes the same bytes.
	return s.write(ctx, key, body, &blob.WriterOptions{})
}

// size returns the size of what is under a key, -1 when there is nothing.
func (s *Store) size(ctx context.Context, key string) (int64, error) {
	attrs, err := s.bucket.Attributes(ctx, key)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return -1, nil
	}
	if err != nil {
		return 0, err
	}
	return attrs.Size, nil
}

// refused says that a write failed because of its condition, not of itself:
// the object is there by now, someone else writes it at this moment (S3's 409),
// or the server knows no conditions.
func (s *Store) refused(err error) bool {
	var api smithy.APIError
	if s.bucket.ErrorAs(err, &api) {
		switch api.ErrorCode() {
		case "PreconditionFailed", "ConditionalRequestConflict", "NotImplemented":
			return true
		}
	}
	return gcerrors.Code(err) == gcerrors.FailedPrecondition
}

// write stores the bytes under a key in one step.
func (s *Store) write(ctx context.Context, key string, body []byte, opt *blob.WriterOptions) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if s.dir != nil {
		s.dir.sweep(key)
	}
	var file *os.File // nil on S3
	opt.ContentType = "application/octet-stream"
	opt.BeforeWrite = func(as func(any) bool) error {
		if !as(&file) {
			s.s3.whole(as)
		}
		return nil
	}
	w, err := s.bucket.NewWriter(ctx, key, opt)
	if err != nil {
		return err
	}
	if _, err = w.Write(body); err == nil && file != nil {
		err = file.Sync()
	}
	if err != nil {
		cancel() // Close then drops what was written
		w.Close()
		return err
	}
	if err := w.Close(); err != nil || s.dir == nil {
		return err
	}
	return s.dir.settle(key)
}

// Get reads the bytes under a digest. ErrCorrupt is returned when they are not
// the ones that were stored, fs.ErrNotExist when there are none.
func (s *Store) Get(ctx context.Context, d schemas.Digest) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if _, err := schemas.ParseDigest(string(d)); err != nil {
		return nil, err
	}
	body, err := s.read(ctx, s.key(d))
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, s.absent(ctx, d)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the artefact %s: %w", s.Location(d), err)
	}
	if schemas.DigestOf(body) != d {
		return nil, fmt.Errorf("%s: %w", d, ErrCorrupt)
	}
	return body, nil
}

func (s *Store) read(ctx context.Context, key string) ([]byte, error) {
	r, err := s.bucket.NewReader(ctx, key, nil)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if r.Size() > maxSize {
		return nil, fmt.Errorf("its %d bytes are more than %d: %w", r.Size(), maxSize, ErrCorrupt)
	}
	return io.ReadAll(io.LimitReader(r, maxSize))
}

// absent is the error for a digest under which nothing is. It tells a missing
// artefact from a store that is gone: the first is a fault of one record.
func (s *Store) absent(ctx context.Context, d schemas.Digest) error {
	if err := s.reach(ctx); err != nil {
		return err
	}
	return fmt.Errorf("artefact %s: %w", d, fs.ErrNotExist)
}

// reach returns an error unless the directory or bucket is there.
func (s *Store) reach(ctx context.Context) error {
	ok, err := s.there(ctx)
	if err != nil {
		return fmt.Errorf("reaching the artefacts at %s: %w", s.root, err)
	}
	if !ok {
		return fmt.Errorf("reaching the artefacts at %s: there is no such place", s.root)
	}
	return nil
}

func (s *Store) there(ctx context.Context) (bool, error) {
	if s.dir != nil { // fileblob takes a directory that is gone for an empty one
		_, err := os.Stat(s.dir.path)
		return err == nil, nil
	}
	return s.bucket.IsAccessible(ctx)
}

// Location says where a digest is kept, for people: a file or an s3:// URL.
func (s *Store) Location(d schemas.Digest) string {
	return s.root + "/" + s.key(d)[len(s.prefix):]
}

// key returns the name of a digest in the store: ab/cdef….
func (s *Store) key(d schemas.Digest) string {
	hex := d.Hex()
	if len(hex) < 3 {
		return s.prefix + "none"
	}
	return s.prefix + hex[:2] + "/" + hex[2:]
}
