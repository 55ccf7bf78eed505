package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"strings"
)

// makeHistory makes a bare repository with that many commits, the same every
// time: a few hundred files in nested directories, three manifests, merges,
// and messages of ordinary length.
func makeHistory(ctx context.Context, dir string, commits int) error {
	if out, err := exec.CommandContext(ctx, "git", "init", "-q", "--bare", "-b", "main", dir).CombinedOutput(); err != nil {
		return fmt.Errorf("making a repository: %w: %s", err, out)
	}
	cmd := exec.CommandContext(ctx, "git", "-C", dir, "fast-import", "--quiet")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	w := bufio.NewWriter(in)
	h := history{w: w, rng: rand.New(rand.NewPCG(20260901, 1))}
	for n := range commits {
		h.commit(n)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := in.Close(); err != nil {
		return err
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("importing the history: %w", err)
	}
	// fast-import packs without care; a clone's pack is what is read in earnest.
	if out, err := exec.CommandContext(ctx, "git", "-C", dir, "repack", "-adfq").CombinedOutput(); err != nil {
		return fmt.Errorf("packing the history: %w: %s", err, out)
	}
	return nil
}

type history struct {
	w   io.Writer
	rng *rand.Rand
}

var words = strings.Fields("anchor keel hull mast sail rope deck oar rudder harbour tide current wind wave chart compass cargo ballast bow stern")

func (h *history) text(n int) string {
	var b strings.Builder
	for i := range n {
		sep := " "
		if i%9 == 8 {
			sep = "\n"
		}
		b.WriteString(words[h.rng.IntN(len(words))] + sep)
	}
	return b.String()
}

func (h *history) data(s string) { fmt.Fprintf(h.w, "data %d\n%s\n", len(s), s) }

func (h *history) commit(n int) {
	fmt.Fprintf(h.w, "commit refs/heads/main\nmark :%d\ncommitter Bench <bench@example.com> %d +0000\n", n+1, 1_600_000_000+n*600)
	h.data(fmt.Sprintf("%s: %s (#%d)\n\n%s", words[n%len(words)], h.text(4), n, h.text(h.rng.IntN(60))))
	if n > 0 {
		fmt.Fprintf(h.w, "from :%d\n", n)
	}
	if n > 20 && n%7 == 0 {
		fmt.Fprintf(h.w, "merge :%d\n", n-5)
	}
	for range 1 + h.rng.IntN(4) {
		dir := []string{"src/", "src/core/", "src/core/io/", "tests/", "tests/core/", "docs/use/", "packages/a/src/", "packages/b/src/"}[h.rng.IntN(8)]
		fmt.Fprintf(h.w, "M 100644 inline %s%s%d.txt\n", dir, words[h.rng.IntN(len(words))], h.rng.IntN(8))
		h.data(h.text(80))
	}
	if n%12 == 0 {
		path := []string{"package.json", "packages/a/package.json", "tools/go.mod"}[n/12%3]
		fmt.Fprintf(h.w, "M 100644 inline %s\n", path)
		if strings.HasSuffix(path, "go.mod") {
			h.data(fmt.Sprintf("module example.com/bench\n\nrequire example.com/dep v1.%d.0\n", n))
		} else {
			h.data(fmt.Sprintf("{\"name\": \"bench\", \"version\": \"1.%d.0\", \"dependencies\": {\"dep\": \"^2.%d.0\"}}\n", n, n))
		}
	}
}
