package githistory

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"crossswe/internal/gitrepo"
)

// TreePair asks for the difference between two trees.
type TreePair struct{ Base, Head string }

// Files returns, for each pair of trees in order, the paths that differ. It
// reads trees only, so absent blobs do not matter. Renames are not paired.
func Files(ctx context.Context, repo *gitrepo.Repo, pairs []TreePair) ([][]FileChange, error) {
	out := make([][]FileChange, len(pairs))
	index := map[string][]int{}
	var in strings.Builder
	for i, p := range pairs {
		key := p.Base + " " + p.Head
		if len(index[key]) == 0 {
			fmt.Fprintln(&in, key)
		}
		index[key] = append(index[key], i)
	}
	cmd := repo.Command(ctx, "diff-tree", "--stdin", "-r", "-z", "--raw", "--no-abbrev", "--no-renames")
	cmd.Stdin = strings.NewReader(in.String())
	err := stream(cmd, func(r *bufio.Reader) error {
		return readPairs(r, func(pair string, c FileChange) {
			for _, i := range index[pair] {
				out[i] = append(out[i], c)
			}
		})
	})
	return out, err
}

// readPairs reads "git diff-tree --stdin" of tree pairs. A pair's line ends
// with a newline, also under -z.
func readPairs(r *bufio.Reader, each func(pair string, c FileChange)) error {
	pair := ""
	for {
		b, err := r.Peek(1)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if b[0] != ':' {
			line, err := r.ReadString('\n')
			if err != nil {
				return fmt.Errorf("reading changed files: %w", noEOF(err))
			}
			pair = strings.TrimSpace(line)
			continue
		}
		head, err := r.ReadString(0)
		if err != nil {
			return fmt.Errorf("reading changed files: %w", noEOF(err))
		}
		c, err := parseRaw([]byte(head[:len(head)-1]))
		if err != nil {
			return err
		}
		path, err := r.ReadString(0)
		if err != nil {
			return fmt.Errorf("reading changed files: %w", noEOF(err))
		}
		c.Path = path[:len(path)-1]
		each(pair, c)
	}
}
