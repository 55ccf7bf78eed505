package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// notMirrored are what a checkout holds beside the code: git's directory and
// what cargo builds.
var notMirrored = map[string]bool{".git": true, "target": true}

// mirror makes dst a copy of src by symbolic links, with the files of edited in
// their new form. What is there already and right stays, with its times: cargo
// builds anew what changed.
func mirror(src, dst string, edited map[string][]byte) error {
	return mirrorDir(src, dst, "", edited)
}

func mirrorDir(src, dst, rel string, edited map[string][]byte) error {
	if err := directory(filepath.Join(dst, rel)); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Join(src, rel))
	if err != nil {
		return err
	}
	want := map[string]bool{}
	for _, e := range entries {
		name := filepath.Join(rel, e.Name())
		if rel == "" && notMirrored[e.Name()] {
			continue
		}
		want[e.Name()] = true
		switch body, ok := edited[name]; {
		case ok:
			err = file(filepath.Join(dst, name), body)
		case holds(name, edited):
			err = mirrorDir(src, dst, name, edited)
		default:
			err = symlink(filepath.Join(src, name), filepath.Join(dst, name))
		}
		if err != nil {
			return err
		}
	}
	return prune(filepath.Join(dst, rel), want)
}

// holds reports whether an edited file lies below a directory.
func holds(dir string, edited map[string][]byte) bool {
	for name := range edited {
		if strings.HasPrefix(name, dir+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// directory makes a directory, in place of whatever else stands there.
func directory(dir string) error {
	info, err := os.Lstat(dir)
	if err == nil && !info.IsDir() {
		err = os.Remove(dir)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.MkdirAll(dir, 0o755)
}

func file(name string, body []byte) error {
	info, err := os.Lstat(name)
	if err == nil && info.Mode().IsRegular() {
		if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, body) {
			return nil
		}
	}
	if err := os.RemoveAll(name); err != nil {
		return err
	}
	return os.WriteFile(name, body, 0o644)
}

func symlink(to, name string) error {
	if old, err := os.Readlink(name); err == nil && old == to {
		return nil
	}
	if err := os.RemoveAll(name); err != nil {
		return err
	}
	return os.Symlink(to, name)
}

// prune removes what the source no longer has.
func prune(dir string, want map[string]bool) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !want[e.Name()] {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
