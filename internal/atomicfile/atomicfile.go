// Package atomicfile writes files that are never seen half written.
package atomicfile

import (
	"bytes"
	"os"
	"path/filepath"
)

// Write writes a file aside, syncs it and renames it into place: readers see
// the old content or the new, never a part. A symbolic link is followed, and
// what is there and no regular file (a pipe, a device) is written into.
func Write(file string, body []byte) error {
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
