package githistory

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

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

// Read is Commits, and in the same pass the changes of dependency manifests:
// what each commit did to them against its first parent, newest commits first,
// by path within one. The trees are compared by several git processes, which
// get the commits as they come.
func Read(ctx context.Context, repo *gitrepo.Repo, workers int, each func(*Commit) error) ([]FileChange, error) {
	d := newDiffers(ctx, repo, max(workers, 1))
	err := Commits(ctx, repo, func(c *Commit) error {
		if err := d.take(c.SHA); err != nil {
			return err
		}
		return each(c)
	})
	return d.finish(err)
}

// Manifests is Read without the messages.
func Manifests(ctx context.Context, repo *gitrepo.Repo, workers int) ([]FileChange, error) {
	return Read(ctx, repo, workers, func(*Commit) error { return nil })
}

// run is how many commits in a row one process gets: neighbours share most of
// their trees, and so what git keeps of them.
const run = 1000

// differs are the processes that compare trees.
type differs struct {
	order map[schemas.CommitSHA]int
	procs []*differ
	group *errgroup.Group
}

type differ struct {
	in    *io.PipeWriter
	buf   *bufio.Writer
	found []FileChange
}

func newDiffers(ctx context.Context, repo *gitrepo.Repo, workers int) *differs {
	d := &differs{order: map[schemas.CommitSHA]int{}}
	d.group, ctx = errgroup.WithContext(ctx)
	args := []string{"diff-tree", "--stdin", "-r", "--root", "-z", "--raw", "--no-abbrev", "--no-renames", "--diff-merges=first-parent", "--"}
	for _, name := range depedge.FileNames() {
		args = append(args, "*"+name)
	}
	for range workers {
		r, w := io.Pipe()
		p := &differ{in: w, buf: bufio.NewWriterSize(w, 64<<10)}
		d.procs = append(d.procs, p)
		d.group.Go(func() error {
			cmd := repo.Command(ctx, args...)
			cmd.Stdin = r
			err := stream(cmd, p.read)
			r.CloseWithError(io.ErrClosedPipe) // frees a writer that git no longer reads from
			return err
		})
	}
	return d
}

func (p *differ) read(r *bufio.Reader) error {
	return readRaw(r, func(c FileChange) error {
		if depedge.IsManifest(c.Path) {
			p.found = append(p.found, c)
		}
		return nil
	})
}

// take hands a commit to its process.
func (d *differs) take(sha schemas.CommitSHA) error {
	n := len(d.order)
	d.order[sha] = n
	p := d.procs[n/run%len(d.procs)]
	p.buf.WriteString(string(sha))
	return p.buf.WriteByte('\n')
}

// finish waits for the processes and puts what they found in order. The first
// error counts: err is that of the commits.
func (d *differs) finish(err error) ([]FileChange, error) {
	for _, p := range d.procs {
		if err == nil {
			_ = p.buf.Flush() // a process that is gone says why itself
		}
		p.in.CloseWithError(err)
	}
	procErr := d.group.Wait()
	if procErr != nil && (err == nil || errors.Is(err, io.ErrClosedPipe)) {
		err = procErr
	}
	if err != nil {
		return nil, err
	}
	var all []FileChange
	for _, p := range d.procs {
		all = append(all, p.found...)
	}
	slices.SortFunc(all, func(a, b FileChange) int {
		return cmp.Or(cmp.Compare(d.order[a.Commit], d.order[b.Commit]), cmp.Compare(a.Path, b.Path))
	})
	return all, nil
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
