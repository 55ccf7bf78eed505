package gitrepo

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"crossswe/schemas"
)

// maxControlFile bounds the small files of a git directory that are read whole.
const maxControlFile = 16 << 20

// place says where the parts of a repository are.
type place struct {
	gitDir    string // absolute
	commonDir string // differs from gitDir in a linked work tree
	bare      bool
}

// locate finds the git directory of dir by itself, without git: so the owner
// of the directory is no matter, and no parent directory is searched.
func locate(dir string) (place, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return place{}, err
	}
	dotGit := filepath.Join(abs, ".git")
	switch info, err := os.Stat(dotGit); {
	case err == nil && info.IsDir():
		return inspect(dotGit, false)
	case err == nil:
		target, err := readPointer(dotGit, "gitdir:")
		if err != nil {
			return place{}, err
		}
		return inspect(target, false)
	case errors.Is(err, fs.ErrPermission):
		return place{}, err
	default:
		return inspect(abs, filepath.Base(abs) != ".git")
	}
}

// inspect checks that gitDir has the parts of a git directory.
func inspect(gitDir string, bare bool) (place, error) {
	p := place{gitDir: gitDir, commonDir: gitDir, bare: bare}
	common, err := readPointer(filepath.Join(gitDir, "commondir"), "")
	switch {
	case err == nil:
		p.commonDir, p.bare = common, false
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
		return place{}, err
	}
	if _, err := os.Lstat(filepath.Join(p.gitDir, "HEAD")); err != nil {
		return place{}, ErrNotRepository
	}
	for _, sub := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(p.commonDir, sub)); err != nil || !info.IsDir() {
			return place{}, ErrNotRepository
		}
	}
	return p, nil
}

// readPointer reads a file of one line that names another path, relative to
// the file's directory.
func readPointer(file, prefix string) (string, error) {
	b, err := readControl(file)
	if err != nil {
		return "", err
	}
	target, ok := strings.CutPrefix(string(bytes.TrimRight(b, "\r\n")), prefix)
	if target = strings.TrimLeft(target, " "); !ok || target == "" {
		return "", ErrNotRepository
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(file), target)
	}
	return filepath.Clean(target), nil
}

// readShallow returns the commits at which the history is cut off.
func readShallow(p place) (map[schemas.CommitSHA]bool, error) {
	b, err := readControl(filepath.Join(p.commonDir, "shallow"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	shallow := map[schemas.CommitSHA]bool{}
	for line := range strings.Lines(string(b)) {
		sha, err := schemas.ParseCommitSHA(strings.TrimSpace(line))
		if err != nil {
			return nil, fmt.Errorf("reading the shallow boundaries: %w", err)
		}
		shallow[sha] = true
	}
	return shallow, nil
}

func readControl(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxControlFile {
		return nil, fmt.Errorf("reading %s: %w", filepath.Base(file), ErrNotRepository)
	}
	return os.ReadFile(file)
}
