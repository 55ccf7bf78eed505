package main

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"crossswe/internal/gitrepo"
	"crossswe/mine/internal/facts"
	"crossswe/mine/internal/pairing"
	"crossswe/mine/internal/source/githistory"
	"crossswe/schemas"
)

// collector gathers the facts that the judge needs.
type collector struct {
	judge *pairing.Judge
	repos []*gitrepo.Repo // by the world's index
	raw   rawChanges
}

// rawChanges are the changed paths with their blobs.
type rawChanges map[pairing.Ref][]githistory.FileChange

// byRepo groups the changes of pairs by repository, in order.
func byRepo(pairs []*pairing.Pair, have func(pairing.Ref) bool) map[int][]int {
	seen := map[pairing.Ref]bool{}
	out := map[int][]int{}
	for _, p := range pairs {
		for _, r := range []pairing.Ref{p.Provider, p.Consumer} {
			if !seen[r] && !have(r) {
				seen[r] = true
				out[r.Repo] = append(out[r.Repo], r.Change)
			}
		}
	}
	for _, c := range out {
		slices.Sort(c)
	}
	return out
}

func (c *collector) reader(repo int) *facts.Reader {
	return &facts.Reader{Repo: c.repos[repo], Set: c.judge.World.Repos[repo].Set, Vocabulary: c.judge.Vocabulary, Workers: workers}
}

// files reads the paths of every change of the pairs.
func (c *collector) files(ctx context.Context, pairs []*pairing.Pair) error {
	groups := byRepo(pairs, func(r pairing.Ref) bool { return c.judge.Facts[r] != nil })
	for _, repo := range slices.Sorted(maps.Keys(groups)) {
		fs, raw, err := c.reader(repo).Files(ctx, groups[repo])
		if err != nil {
			return err
		}
		for i, at := range groups[repo] {
			ref := pairing.Ref{Repo: repo, Change: at}
			c.judge.Facts[ref], c.raw[ref] = fs[i], raw[i]
		}
	}
	return nil
}

// words reads the contents of the changes of the pairs that are left.
func (c *collector) words(ctx context.Context, pairs []*pairing.Pair) error {
	groups := byRepo(pairs, func(r pairing.Ref) bool { return c.judge.Facts[r].Read })
	for _, repo := range slices.Sorted(maps.Keys(groups)) {
		var fs []*facts.Facts
		var raw [][]githistory.FileChange
		for _, at := range groups[repo] {
			ref := pairing.Ref{Repo: repo, Change: at}
			fs, raw = append(fs, c.judge.Facts[ref]), append(raw, c.raw[ref])
		}
		if err := c.reader(repo).Words(ctx, fs, raw); err != nil {
			return err
		}
	}
	return nil
}

// maxSearched bounds the words of one change that are looked for in its base.
const maxSearched = 60

// known looks for the shared words in the tree before the provider's change:
// those that stand there already are not new.
func (c *collector) known(ctx context.Context, pairs []*pairing.Pair) error {
	wanted := map[pairing.Ref]map[facts.Word]bool{}
	for _, p := range pairs {
		for _, w := range c.judge.Overlap(p) {
			if wanted[p.Provider] == nil {
				wanted[p.Provider] = map[facts.Word]bool{}
			}
			wanted[p.Provider][w] = true
		}
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	for ref, words := range wanted {
		g.Go(func() error { return c.search(ctx, ref, words) })
	}
	return g.Wait()
}

func (c *collector) search(ctx context.Context, ref pairing.Ref, words map[facts.Word]bool) error {
	set := c.judge.World.Repos[ref.Repo].Set
	base := set.Changes[ref.Change].Base
	if base < 0 {
		return nil
	}
	byText := map[string]facts.Word{}
	for w := range words {
		byText[c.judge.Vocabulary.String(w)] = w
	}
	texts := slices.SortedFunc(maps.Keys(byText), func(a, b string) int {
		return cmp.Or(cmp.Compare(facts.Shape(b), facts.Shape(a)), cmp.Compare(a, b))
	})
	texts = texts[:min(len(texts), maxSearched)]
	found, err := grep(ctx, c.repos[ref.Repo], set.Graph.Nodes[base].SHA, texts)
	if err != nil {
		return err
	}
	f := c.judge.Facts[ref]
	f.Known = map[facts.Word]bool{}
	for text := range found {
		f.Known[byText[text]] = true
	}
	return nil
}

// maxGrep bounds what is read of a search: a word that common shows early.
const maxGrep = 1 << 20

// grep returns which of the words stand in a commit's tree. Absent blobs are
// passed over by git with a complaint, and here without one.
func grep(ctx context.Context, repo *gitrepo.Repo, sha schemas.CommitSHA, words []string) (map[string]bool, error) {
	args := []string{"grep", "-I", "-w", "-F", "-h", "-o", "--no-color", "--threads=1"}
	for _, w := range words {
		args = append(args, "-e", w)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := repo.Command(ctx, append(args, "--end-of-options", string(sha))...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	found := map[string]bool{}
	lines := bufio.NewScanner(io.LimitReader(out, maxGrep))
	for lines.Scan() && len(found) < len(words) {
		found[strings.Clone(lines.Text())] = true
	}
	cancel()
	_ = cmd.Wait() // 1 means nothing found; killed means enough was found
	for w := range found {
		if !slices.Contains(words, w) {
			delete(found, w)
		}
	}
	return found, nil
}
