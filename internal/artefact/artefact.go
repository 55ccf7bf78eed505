// Package artefact keeps the large things that records point to (logs, patches,
// Dockerfiles, results) in a directory, each under the SHA-256 of its bytes.
// The same bytes are stored once; a file is written aside and renamed, so that
// a killed program leaves no half of one; what is read is checked.
package artefact

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"crossswe/schemas"
)

// ErrCorrupt says that the bytes under a digest are not the ones it names.
var ErrCorrupt = errors.New("artefact is corrupt")

// Store is a directory of artefacts, safe for concurrent use.
type Store struct{ dir string }

// Open returns the store in dir, making the directory as needed.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("making the directory of artefacts: %w", err)
	}
	return &Store{dir: dir}, nil
}

// DigestOf returns the digest under which the bytes are kept.
func DigestOf(body []byte) schemas.Digest {
	sum := sha256.Sum256(body)
	return schemas.Digest("sha256:" + hex.EncodeToString(sum[:]))
}

// Put stores the bytes and returns their digest.
func (s *Store) Put(ctx context.Context, body []byte) (schemas.Digest, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	d := DigestOf(body)
	file := s.Path(d)
	if info, err := os.Stat(file); err == nil && info.Size() == int64(len(body)) {
		return d, nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return "", fmt.Errorf("storing an artefact: %w", err)
	}
	if err := WriteFile(file, body); err != nil {
		return "", fmt.Errorf("storing an artefact: %w", err)
	}
	return d, nil
}

// Get reads the bytes under a digest. ErrCorrupt is returned when they are not
// the ones that were stored, fs.ErrNotExist when there are none.
func (s *Store) Get(_ context.Context, d schemas.Digest) ([]byte, error) {
	if _, err := schemas.ParseDigest(string(d)); err != nil {
		return nil, err
	}
	body, err := os.ReadFile(s.Path(d))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("artefact %s: %w", d, fs.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("reading an artefact: %w", err)
	}
	if DigestOf(body) != d {
		return nil, fmt.Errorf("%s: %w", d, ErrCorrupt)
	}
	return body, nil
}

// Path returns the file of a digest, for people to open.
func (s *Store) Path(d schemas.Digest) string {
	hex := d.Hex()
	if len(hex) < 3 {
		return filepath.Join(s.dir, "none")
	}
	return filepath.Join(s.dir, hex[:2], hex[2:])
}

// WriteFile writes a file aside, syncs it and renames it into place: readers
// see the old content or the new, never a part. A symbolic link is followed,
// and what is there and no regular file (a pipe, a device) is written into.
func WriteFile(file string, body []byte) error {
	info, err := os.Stat(file)
	if err != nil {
		return replace(file, body)
	}
	if !info.Mode().IsRegular() {
		return os.WriteFile(file, body, 0o644)
	}
	if file, err = filepath.EvalSymlinks(file); err != nil {
		return err
	}
	return replace(file, body)
}

func replace(file string, body []byte) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(file), ".tmp-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			tmp.Close()
			os.Remove(tmp.Name())
		}
	}()
	if _, err = bytes.NewReader(body).WriteTo(tmp); err != nil {
		return err
	}
	if err = tmp.Chmod(0o644); err != nil {
		return err
	}
	if err = tmp.Sync(); err != nil {
		return err
	}
	if err = tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}
