package githistory

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"crossswe/internal/gitrepo"
	"crossswe/mine/internal/depedge"
	"crossswe/schemas"
)

// FileChange is one path that a commit changed against its first parent.
type FileChange struct {
	Commit schemas.CommitSHA
	Path   string
	// Old and New are the blobs, "" where the file does not exist.
	Old, New gitrepo.OID
	Status   byte // git's letter
}

// Manifests calls each for every change of a dependency manifest on the
// repository's branches and tags, newest commits first. A merge is compared
// with its first parent.
func Manifests(ctx context.Context, repo *gitrepo.Repo, each func(FileChange) error) error {
	if empty, err := isEmpty(ctx, repo); err != nil || empty {
		return err
	}
	args := append([]string{"log", "-z", "--raw", "--no-abbrev", "--no-renames", "--full-history", "--diff-merges=first-parent",
		"--topo-order", "--no-color", "--no-decorate", "--format=%H"}, branchRefs...)
	args = append(args, "--")
	for _, name := range depedge.FileNames() {
		args = append(args, "*"+name)
	}
	return stream(repo.Command(ctx, args...), func(r *bufio.Reader) error {
		return readRaw(r, func(c FileChange) error {
			if !depedge.IsManifest(c.Path) {
				return nil
			}
			return each(c)
		})
	})
}

// readRaw reads what "git log -z --raw --format=%H" and "git diff-tree --stdin
// -z --raw" write: commit ids, and for each of them change lines (which begin
// with a colon) followed by paths.
func readRaw(r *bufio.Reader, each func(FileChange) error) error {
	var commit schemas.CommitSHA
	for {
		head, err := r.ReadSlice(0)
		if err == io.EOF && len(head) == 0 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading changed files: %w", noEOF(err))
		}
		head = bytes.TrimLeft(head[:len(head)-1], "\n")
		if len(head) == 0 {
			continue
		}
		if head[0] != ':' {
			commit = schemas.CommitSHA(strings.Clone(string(head)))
			continue
		}
		c, err := parseRaw(head)
		if err != nil {
			return err
		}
		c.Commit = commit
		path, err := r.ReadString(0)
		if err != nil {
			return fmt.Errorf("reading changed files: %w", noEOF(err))
		}
		c.Path = path[:len(path)-1]
		if err := each(c); err != nil {
			return err
		}
	}
}

// parseRaw reads ":100644 100644 <old> <new> M".
func parseRaw(line []byte) (FileChange, error) {
	f := bytes.Fields(line[1:])
	if len(f) != 5 || len(f[4]) == 0 {
		return FileChange{}, fmt.Errorf("reading changed files: unexpected line %q", line)
	}
	c := FileChange{Old: oid(f[0], f[2]), New: oid(f[1], f[3]), Status: f[4][0]}
	return c, nil
}

// oid returns a blob's id, "" for none and for submodule pointers.
func oid(mode, id []byte) gitrepo.OID {
	if string(mode) == "160000" || len(bytes.Trim(id, "0")) == 0 {
		return ""
	}
	return gitrepo.OID(id)
}
