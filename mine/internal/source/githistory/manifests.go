package githistory

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
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

// Read is Commits, and then the changes of dependency manifests: what each
// commit did to them against its first parent, in the order of the commits, by
// path within one. A missing tree is a *gitrepo.MissingObjectError.
func Read(ctx context.Context, repo *gitrepo.Repo, workers int, each func(*Commit) error) ([]FileChange, error) {
	s := steps{index: map[schemas.CommitSHA]int32{}}
	f := newForest(repo, workers)
	defer f.close()
	g, gctx := errgroup.WithContext(ctx)
	batches := make(chan []oid)
	g.Go(func() error { return f.grow(gctx, batches) })
	g.Go(func() error {
		defer close(batches)
		return Commits(gctx, repo, func(c *Commit) error {
			s.add(c)
			if len(s.trees)%batch == 0 && !s.send(gctx, batches) {
				return gctx.Err()
			}
			return each(c)
		})
	})
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if s.foreign {
		return s.byGit(ctx, repo)
	}
	if err := f.add(ctx, s.trees[s.sent:]); err != nil {
		return nil, err
	}
	f.prune()
	return s.changes(f), nil
}

// batch is how many commits' trees are read while git goes on listing commits.
const batch = 2000

// send hands over the trees that have come since the last time; false when
// nobody takes them any more.
func (s *steps) send(ctx context.Context, batches chan<- []oid) bool {
	if s.foreign {
		return true
	}
	select {
	case batches <- s.trees[s.sent:len(s.trees):len(s.trees)]:
		s.sent = len(s.trees)
		return true
	case <-ctx.Done():
		return false
	}
}

// grow adds batches as they come.
func (f *forest) grow(ctx context.Context, batches <-chan []oid) error {
	for roots := range batches {
		if err := f.add(ctx, roots); err != nil {
			return err
		}
	}
	return nil
}

// Manifests is Read without the messages.
func Manifests(ctx context.Context, repo *gitrepo.Repo, workers int) ([]FileChange, error) {
	return Read(ctx, repo, workers, func(*Commit) error { return nil })
}

// steps are the commits, each with its tree and its first parent.
type steps struct {
	shas    []schemas.CommitSHA
	trees   []oid
	parents []schemas.CommitSHA
	index   map[schemas.CommitSHA]int32
	// foreign says that the repository has ids of another format.
	foreign bool
	// sent counts the trees that were handed over.
	sent int
}

func (s *steps) add(c *Commit) {
	tree, ok := parseOID(c.Tree)
	s.foreign = s.foreign || !ok
	s.index[c.SHA] = int32(len(s.shas))
	s.shas, s.trees = append(s.shas, c.SHA), append(s.trees, tree)
	parent := schemas.CommitSHA("")
	if len(c.Parents) > 0 {
		parent = c.Parents[0]
	}
	s.parents = append(s.parents, parent)
}

// changes compares each commit's tree with its first parent's.
func (s *steps) changes(f *forest) []FileChange {
	var all []FileChange
	roots := make([]int32, len(s.trees))
	for i, id := range s.trees {
		roots[i], _ = f.number(id, nil)
	}
	for i, sha := range s.shas {
		from := empty
		if s.parents[i] != "" {
			at, ok := s.index[s.parents[i]]
			if !ok {
				continue // beyond a shallow boundary
			}
			from = roots[at]
		}
		first := len(all)
		f.diff(from, roots[i], "", func(path string, old, new gitrepo.OID, status byte) {
			all = append(all, FileChange{Commit: sha, Path: path, Old: old, New: new, Status: status})
		})
		slices.SortFunc(all[first:], func(a, b FileChange) int { return cmp.Compare(a.Path, b.Path) })
	}
	return all
}

// byGit lets git compare the trees.
func (s *steps) byGit(ctx context.Context, repo *gitrepo.Repo) ([]FileChange, error) {
	args := []string{"diff-tree", "--stdin", "-r", "--root", "-z", "--raw", "--no-abbrev", "--no-renames", "--diff-merges=first-parent", "--"}
	for _, name := range depedge.FileNames() {
		args = append(args, "*"+name)
	}
	var in strings.Builder
	for _, sha := range s.shas {
		in.WriteString(string(sha) + "\n")
	}
	cmd := repo.Command(ctx, args...)
	cmd.Stdin = strings.NewReader(in.String())
	var all []FileChange
	err := stream(cmd, func(r *bufio.Reader) error {
		return readRaw(r, func(c FileChange) error {
			if depedge.IsManifest(c.Path) && c.Old != c.New { // equal: only the mode changed
				all = append(all, c)
			}
			return nil
		})
	})
	return all, err
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
	c := FileChange{Old: blobID(f[0], f[2]), New: blobID(f[1], f[3]), Status: f[4][0]}
	return c, nil
}

// blobID returns a blob's id, "" for none and for submodule pointers.
func blobID(mode, id []byte) gitrepo.OID {
	if string(mode) == "160000" || len(bytes.Trim(id, "0")) == 0 {
		return ""
	}
	return gitrepo.OID(id)
}
