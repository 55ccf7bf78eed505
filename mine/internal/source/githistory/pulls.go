package githistory

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"crossswe/internal/gitrepo"
	"crossswe/schemas"
)

// Pull is what a mirror knows of one pull request: where its branch ended.
type Pull struct {
	Number int
	Head   schemas.CommitSHA
	// Onto is the commit of the target branch onto which GitHub last tried to
	// merge it, "" where the copy has no refs/pull/N/merge.
	Onto schemas.CommitSHA
	// Own are the commits of its branch that no branch of the repository
	// holds: all of them when it was squashed or rebased, none when it was
	// merged as it stood. Newest first.
	Own []PullCommit
}

// PullCommit is what survives when a commit is rebased.
type PullCommit struct {
	SHA        schemas.CommitSHA
	AuthorTime int64
	Subject    string
}

// maxPullCommits bounds the commits of one pull request; longer branches are
// forks of the whole history.
const maxPullCommits = 250

// Pulls returns the pull requests under refs/pull/, by number. A repository
// cloned without them has none.
func Pulls(ctx context.Context, repo *gitrepo.Repo) ([]Pull, error) {
	refs, err := repo.Refs(ctx, "refs/pull/")
	if err != nil {
		return nil, err
	}
	var pulls []Pull
	trial := map[int]schemas.CommitSHA{}
	for _, r := range refs {
		number, end, ok := pullRef(r.Name)
		switch {
		case !ok || r.Commit == "":
		case end == "head":
			pulls = append(pulls, Pull{Number: number, Head: r.Commit})
		case end == "merge":
			trial[number] = r.Commit
		}
	}
	if len(pulls) == 0 {
		return nil, nil
	}
	graph, err := unlanded(ctx, repo)
	if err != nil {
		return nil, err
	}
	for i := range pulls {
		pulls[i].Own = graph.own(pulls[i].Head)
		if merge, ok := graph[trial[pulls[i].Number]]; ok && len(merge.parents) == 2 && merge.parents[1] == pulls[i].Head {
			pulls[i].Onto = merge.parents[0]
		}
	}
	return pulls, nil
}

// pullRef reads refs/pull/12/head and refs/pull/12/merge.
func pullRef(ref string) (number int, end string, ok bool) {
	digits, end, ok := strings.Cut(strings.TrimPrefix(ref, "refs/pull/"), "/")
	n, err := strconv.Atoi(digits)
	return n, end, ok && err == nil && n > 0
}

type unlandedCommit struct {
	PullCommit
	parents []schemas.CommitSHA
}

// unlandedGraph holds the commits that only pull requests reach.
type unlandedGraph map[schemas.CommitSHA]unlandedCommit

// own walks a pull request's branch; commits beyond the bound make it empty.
func (g unlandedGraph) own(head schemas.CommitSHA) []PullCommit {
	var out []PullCommit
	seen := map[schemas.CommitSHA]bool{}
	for next := []schemas.CommitSHA{head}; len(next) > 0; {
		sha := next[0]
		next = next[1:]
		c, ok := g[sha]
		if !ok || seen[sha] {
			continue
		}
		seen[sha] = true
		if len(out) == maxPullCommits {
			return nil
		}
		if len(c.parents) < 2 {
			out = append(out, c.PullCommit)
		}
		next = append(next, c.parents...)
	}
	return out
}

func unlanded(ctx context.Context, repo *gitrepo.Repo) (unlandedGraph, error) {
	g := unlandedGraph{}
	args := []string{"log", "-z", "--encoding=UTF-8", "--no-color", "--no-decorate", "--format=%H%x00%P%x00%at%x00%s",
		"--glob=refs/pull/*", "--not"}
	args = append(append(args, branchRefs...), "--")
	err := stream(repo.Command(ctx, args...), func(r *bufio.Reader) error {
		for {
			var f [4]string
			for i := range f {
				s, err := field(r)
				if err == io.EOF && i == 0 {
					return nil
				}
				if err != nil {
					return fmt.Errorf("reading pull requests: %w", noEOF(err))
				}
				f[i] = s
			}
			c := unlandedCommit{PullCommit: PullCommit{SHA: schemas.CommitSHA(f[0]), Subject: strings.ToValidUTF8(strings.TrimSpace(f[3]), "\uFFFD")}}
			c.AuthorTime, _ = strconv.ParseInt(f[2], 10, 64)
			for p := range strings.FieldsSeq(f[1]) {
				c.parents = append(c.parents, schemas.CommitSHA(p))
			}
			g[c.SHA] = c
		}
	})
	return g, err
}
