package gitrepo

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"crossswe/internal/process"
	"crossswe/schemas"
)

// makeScratch creates a bare git directory that borrows the objects of p. It
// has no refs and a configuration of its own.
func makeScratch(p place, hexLen int) (dir string, err error) {
	objects := filepath.Join(p.commonDir, "objects")
	if strings.ContainsRune(objects, '\n') {
		return "", fmt.Errorf("making a scratch directory: the path %q has a line break", objects)
	}
	dir, err = process.MkdirTemp("git")
	if err != nil {
		return "", fmt.Errorf("making a scratch directory: %w", err)
	}
	files := map[string]string{
		"HEAD":                    "ref: refs/heads/none\n",
		"config":                  scratchConfig(hexLen),
		"objects/info/alternates": objects + "\n",
		"refs/heads/.keep":        "",
	}
	if err := copyShallow(p, files); err != nil {
		os.RemoveAll(dir)
		return "", err
	}
	if err := writeFiles(dir, files); err != nil {
		os.RemoveAll(dir)
		return "", fmt.Errorf("making a scratch directory: %w", err)
	}
	return dir, nil
}

// scratchConfig leaves out the protection of foreign file systems: paths only
// ever reach an index.
func scratchConfig(hexLen int) string {
	config := "[core]\n\tbare = true\n\tprotectHFS = false\n\tprotectNTFS = false\n\tlogAllRefUpdates = false\n"
	if hexLen == 64 {
		return config + "\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n"
	}
	return config + "\trepositoryformatversion = 0\n"
}

func copyShallow(p place, files map[string]string) error {
	shallow, err := readShallow(p)
	if err != nil || len(shallow) == 0 {
		return err
	}
	files["shallow"] = shallowFile(slices.Collect(maps.Keys(shallow)))
	return nil
}

func shallowFile(boundaries []schemas.CommitSHA) string {
	slices.Sort(boundaries)
	var b strings.Builder
	for _, sha := range boundaries {
		b.WriteString(string(sha) + "\n")
	}
	return b.String()
}

func writeFiles(dir string, files map[string]string) error {
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}
