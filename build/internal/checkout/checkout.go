// Package checkout writes a repository's checkout at one commit as a tar
// archive: the work tree byte for byte as the blobs are, and a git directory
// that holds the real objects reachable from the commit and nothing else. No
// remote, tag, reflog or second branch goes along.
//
// The bytes follow from the commit and the options alone, so that instances
// that use the same checkout share its image layer.
package checkout

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"crossswe/internal/gitrepo"
	"crossswe/schemas"
)

// Branch is the one branch of a checkout.
const Branch = "main"

// maxBlob bounds one file of the work tree.
const maxBlob = 512 << 20

// Options says what to write.
type Options struct {
	// Dir is the directory that every name in the archive begins with.
	Dir     string
	Commit  schemas.CommitSHA
	History schemas.History
	// Exclude are patterns of info/exclude: what the image build puts into
	// the work tree and the repository does not ignore itself.
	Exclude []string
}

// Result says what a checkout holds.
type Result struct {
	// Files counts the paths of the work tree that were written.
	Files   int
	Objects int
	// Missing are the paths whose blobs the repository lacks. They are absent
	// from the work tree, and git takes that for right.
	Missing []string
}

// ErrUnsafePath says that a tree holds a path that git itself would not check out.
var ErrUnsafePath = errors.New("the tree holds an unsafe path")

// Write writes the archive. Its errors are gitrepo's, ErrUnsafePath, and those
// of w. It uses scratch for temporary files.
func Write(ctx context.Context, w io.Writer, repo *gitrepo.Repo, scratch string, opt Options) (Result, error) {
	commit, err := repo.Commit(ctx, opt.Commit)
	if err != nil {
		return Result{}, fmt.Errorf("reading the base commit: %w", err)
	}
	c := &writer{tar: tar.NewWriter(w), dirs: map[string]bool{}, root: opt.Dir, at: clampTime(commit.CommitTime)}
	if err := c.workTree(ctx, repo, opt); err != nil {
		return Result{}, fmt.Errorf("checking out %s: %w", opt.Dir, err)
	}
	if err := c.gitDir(ctx, repo, scratch, opt); err != nil {
		return Result{}, fmt.Errorf("packing %s: %w", opt.Dir, err)
	}
	return c.result, c.tar.Close()
}

// clampTime keeps a committer's clock within what tar and the index can hold.
func clampTime(t time.Time) time.Time {
	const first, last = 1, 1<<31 - 100
	return time.Unix(min(max(t.Unix(), first), last), 0).UTC()
}

type writer struct {
	tar    *tar.Writer
	dirs   map[string]bool
	root   string
	at     time.Time
	index  []indexEntry
	result Result
}

func (c *writer) workTree(ctx context.Context, repo *gitrepo.Repo, opt Options) error {
	for e, err := range repo.ListTree(ctx, opt.Commit) {
		if err != nil {
			return err
		}
		if err := safePath(e.Path); err != nil {
			return err
		}
		if err := c.entry(ctx, repo, e); err != nil {
			return fmt.Errorf("%q: %w", e.Path, err)
		}
	}
	return nil
}

// entry writes one path of the work tree and notes it for the index.
func (c *writer) entry(ctx context.Context, repo *gitrepo.Repo, e gitrepo.Entry) error {
	ix := indexEntry{Entry: e, Mtime: c.at.Unix()}
	if e.Mode == gitrepo.ModeGitlink {
		c.index = append(c.index, ix)
		return c.mkdir(path.Join(c.root, e.Path))
	}
	body, err := repo.ReadBlob(ctx, e.OID, maxBlob)
	var missing *gitrepo.MissingObjectError
	if errors.As(err, &missing) {
		ix.Absent = true
		c.result.Missing = append(c.result.Missing, e.Path)
		c.index = append(c.index, ix)
		return nil
	}
	if err != nil {
		return err
	}
	ix.Size = int64(len(body))
	c.index = append(c.index, ix)
	c.result.Files++
	return c.blob(path.Join(c.root, e.Path), e.Mode, body)
}

func (c *writer) blob(name string, mode gitrepo.Mode, body []byte) error {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(body)), ModTime: c.at}
	switch mode {
	case gitrepo.ModeExec:
		h.Mode = 0o755
	case gitrepo.ModeSymlink:
		h.Typeflag, h.Linkname, h.Size, h.Mode = tar.TypeSymlink, string(body), 0, 0o777
		body = nil
	}
	return c.write(h, body)
}

// write writes an entry after the directories above it.
func (c *writer) write(h *tar.Header, body []byte) error {
	if err := c.mkdir(path.Dir(h.Name)); err != nil {
		return err
	}
	if err := c.tar.WriteHeader(h); err != nil {
		return err
	}
	_, err := c.tar.Write(body)
	return err
}

func (c *writer) mkdir(dir string) error {
	if dir == "." || c.dirs[dir] {
		return nil
	}
	if err := c.mkdir(path.Dir(dir)); err != nil {
		return err
	}
	c.dirs[dir] = true
	return c.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755, ModTime: c.at})
}

// safePath refuses what git refuses to check out.
func safePath(p string) error {
	for _, part := range strings.Split(p, "/") {
		if part == "" || part == "." || part == ".." || strings.EqualFold(part, ".git") {
			return fmt.Errorf("%w: %q", ErrUnsafePath, p)
		}
	}
	return nil
}

// gitConfig makes git compare what an image keeps (size and whole seconds)
// and not what it changes (inode, device, change time).
const gitConfig = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	logallrefupdates = true
	checkStat = minimal
	trustctime = false
`

const gitConfig256 = `[core]
	repositoryformatversion = 1
	filemode = true
	bare = false
	logallrefupdates = true
	checkStat = minimal
	trustctime = false
[extensions]
	objectformat = sha256
`

func (c *writer) gitDir(ctx context.Context, repo *gitrepo.Repo, scratch string, opt Options) error {
	git := path.Join(c.root, ".git")
	for _, d := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags", "info"} {
		if err := c.mkdir(path.Join(git, d)); err != nil {
			return err
		}
	}
	packed, err := c.pack(ctx, repo, scratch, git, opt)
	if err != nil {
		return err
	}
	c.result.Objects = packed.Objects
	index, err := writeIndex(c.index)
	if err != nil {
		return err
	}
	files := map[string]string{
		"HEAD":                 "ref: refs/heads/" + Branch + "\n",
		"config":               gitConfig,
		"info/exclude":         lines(opt.Exclude),
		"refs/heads/" + Branch: string(opt.Commit) + "\n",
	}
	if len(opt.Commit) == 64 {
		files["config"] = gitConfig256
	}
	if len(packed.Shallow) > 0 {
		files["shallow"] = lines(packed.Shallow)
	}
	for _, name := range []string{"HEAD", "config", "info/exclude", "refs/heads/" + Branch, "shallow"} {
		if body, ok := files[name]; ok {
			if err := c.blob(path.Join(git, name), gitrepo.ModeFile, []byte(body)); err != nil {
				return err
			}
		}
	}
	// An index as old as the files makes git read every one of them again.
	c.at = c.at.Add(10 * time.Second)
	return c.blob(path.Join(git, "index"), gitrepo.ModeFile, index)
}

// pack writes the pack of the commit's objects and its index.
func (c *writer) pack(ctx context.Context, repo *gitrepo.Repo, scratch, git string, opt Options) (gitrepo.PackResult, error) {
	dir, err := os.MkdirTemp(scratch, "pack-")
	if err != nil {
		return gitrepo.PackResult{}, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "checkout.pack")
	packed, err := writePack(ctx, repo, file, opt)
	if err != nil {
		return packed, err
	}
	name, err := indexPack(ctx, file, len(opt.Commit) == 64)
	if err != nil {
		return packed, err
	}
	for _, ext := range []string{".pack", ".idx"} {
		from := strings.TrimSuffix(file, ".pack") + ext
		if err := c.file(from, path.Join(git, "objects/pack", "pack-"+name+ext)); err != nil {
			return packed, err
		}
	}
	return packed, nil
}

func writePack(ctx context.Context, repo *gitrepo.Repo, file string, opt Options) (gitrepo.PackResult, error) {
	f, err := os.Create(file)
	if err != nil {
		return gitrepo.PackResult{}, err
	}
	packed, err := repo.Pack(ctx, f, gitrepo.PackOptions{Commit: opt.Commit, History: opt.History})
	return packed, errors.Join(err, f.Close())
}

// indexPack writes the .idx file beside a pack and returns the pack's name.
func indexPack(ctx context.Context, file string, sha256 bool) (string, error) {
	args := []string{"index-pack"}
	if sha256 {
		args = append(args, "--object-format=sha256")
	}
	cmd := exec.CommandContext(ctx, "git", append(args, file)...)
	cmd.Dir = filepath.Dir(file)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("indexing the pack: %w: %s", err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimSpace(string(out)), nil
}

// file streams a file of this machine into the archive, read-only as git's packs are.
func (c *writer) file(from, name string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o444, Size: info.Size(), ModTime: c.at}
	if err := c.write(h, nil); err != nil {
		return err
	}
	_, err = io.Copy(c.tar, f)
	return err
}

func lines[T ~string](all []T) string {
	var b strings.Builder
	for _, s := range all {
		b.WriteString(string(s) + "\n")
	}
	return b.String()
}
