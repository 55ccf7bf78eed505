package artefact

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"gocloud.dev/blob/fileblob"
)

// abandoned is the age from which a temporary file is taken for what a killed
// writer left. No write lasts as long, and clocks of file servers are not as far off.
const abandoned = 24 * time.Hour

// directory does what fileblob leaves to its callers: it makes renames last,
// and takes away what killed writers left.
type directory struct {
	path  string
	swept sync.Map // shard → struct{}
}

// openDirectory makes the directory as needed. Temporary files lie beside the
// artefacts, as a rename is atomic only within one file system.
func openDirectory(path string) (*Store, error) {
	bucket, err := fileblob.OpenBucket(path, &fileblob.Options{CreateDir: true, NoTempDir: true, Metadata: fileblob.MetadataDontWrite})
	if err != nil {
		return nil, fmt.Errorf("opening the directory of artefacts: %w", err)
	}
	return &Store{bucket: bucket, dir: &directory{path: path}, root: path}, nil
}

func (d *directory) shard(key string) string {
	return filepath.Join(d.path, filepath.Dir(filepath.FromSlash(key)))
}

// settle makes the name of a stored file last through a power cut. The bytes
// themselves were synced before.
func (d *directory) settle(key string) error {
	for _, dir := range []string{d.shard(key), d.path} {
		if err := syncDirectory(dir); err != nil {
			return err
		}
	}
	return nil
}

func syncDirectory(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	// Some network file systems cannot sync directories, and need not.
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}

// sweep removes abandoned temporary files from the part of the directory that
// a key belongs to, once in the life of the store. It does its best: they are
// no artefacts, and only take up space.
func (d *directory) sweep(key string) {
	shard := d.shard(key)
	if _, done := d.swept.LoadOrStore(shard, struct{}{}); done {
		return
	}
	entries, err := os.ReadDir(shard)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !temporary(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > abandoned {
			os.Remove(filepath.Join(shard, e.Name()))
		}
	}
}

// temporary knows the names that fileblob gives (<key>.<time>.tmp) and those
// of earlier versions.
func temporary(name string) bool {
	return strings.HasSuffix(name, ".tmp") || strings.HasPrefix(name, ".tmp-")
}
