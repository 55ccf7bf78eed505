package change

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	mergedPull   = regexp.MustCompile(`^Merge pull request #(\d{1,9}) from `)
	squashedPull = regexp.MustCompile(`\(#(\d{1,9})\)`)
	branchMerge  = regexp.MustCompile(`^Merge (?:remote-tracking )?branch '(?:origin/|refs/heads/)?([^']+)'`)
)

// PullOfSubject returns the pull request that a commit's subject names as its
// own, 0 when there is none: the last "(#123)", not always at the very end, and
// not the one inside a revert's quotation.
func PullOfSubject(subject string) int {
	if m := mergedPull.FindStringSubmatch(subject); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	if strings.HasPrefix(subject, `Revert "`) {
		subject = subject[strings.LastIndexByte(subject, '"')+1:]
	}
	all := squashedPull.FindAllStringSubmatch(subject, -1)
	if len(all) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(all[len(all)-1][1])
	return n
}

func mergedBranch(subject string) string {
	if m := branchMerge.FindStringSubmatch(subject); m != nil {
		return m[1]
	}
	return ""
}

// number gives pull requests their changes: by the head's id when the branch
// was merged as it stood, else by author time and subject of its commits, which
// survive a rebase. Rebased commits that follow one another become one change.
func (b *builder) number(pulls []Pull) {
	s := b.s
	single := map[int32]int{} // node → its change, of changes with one commit
	heads := map[int32]int{}
	for i, c := range s.Changes {
		if c.Merge < 0 && len(c.Nodes) == 1 {
			single[c.Head] = i
		}
		heads[c.Head] = i
	}
	b.dropFalseNumbers(pulls)
	for _, p := range pulls {
		if n, ok := s.Graph.Find(p.Head); ok {
			b.pullHeads[n] = true
		}
	}
	landed := b.landedByKey(single)
	gone := map[int]bool{}
	sorted := slices.Clone(pulls)
	slices.SortFunc(sorted, func(x, y Pull) int { return x.Number - y.Number })
	for _, p := range sorted {
		at, ok := b.headOf(p, heads)
		if ok && s.Changes[at].Pull == 0 {
			s.Changes[at].Pull = p.Number
		}
		ours := b.rebased(p, landed, single)
		if ok && len(ours) == 0 && s.Changes[at].Merge < 0 && s.Changes[at].Pull == p.Number {
			ours = b.forwarded(p, s.Changes[at].Head, single)
		}
		b.join(p, ours, single, gone)
	}
	kept := s.Changes[:0]
	for i, c := range s.Changes {
		if !gone[i] {
			kept = append(kept, c)
		}
	}
	s.Changes = kept
}

// dropFalseNumbers forgets numbers of subjects that are issues: where the copy
// knows its pull requests, only those count.
func (b *builder) dropFalseNumbers(pulls []Pull) {
	if len(pulls) == 0 {
		return
	}
	last := 0
	for _, p := range pulls {
		last = max(last, p.Number)
	}
	for i, c := range b.s.Changes {
		if c.Merge < 0 && c.Pull <= last && !b.s.pulls[c.Pull] {
			b.s.Changes[i].Pull = 0
		}
	}
}

func (b *builder) headOf(p Pull, heads map[int32]int) (int, bool) {
	n, ok := b.s.Graph.Find(p.Head)
	if !ok {
		return 0, false
	}
	at, ok := heads[n]
	return at, ok
}

func (b *builder) landedByKey(single map[int32]int) map[PullCommit][]int32 {
	landed := make(map[PullCommit][]int32, len(single))
	for i, c := range b.s.Changes {
		if c.Merge < 0 && len(c.Nodes) == 1 && single[c.Head] == i {
			n := b.s.Graph.Nodes[c.Head]
			key := PullCommit{n.AuthorTime, n.Subject}
			landed[key] = append(landed[key], c.Head)
		}
	}
	return landed
}

// rebased returns the landed commits that are a pull request's own.
func (b *builder) rebased(p Pull, landed map[PullCommit][]int32, single map[int32]int) map[int32]bool {
	ours := map[int32]bool{}
	for _, c := range p.Own {
		for _, n := range landed[c] {
			at, ok := single[n]
			if ok && (b.s.Changes[at].Pull == 0 || b.s.Changes[at].Pull == p.Number) {
				ours[n] = true
			}
		}
	}
	return ours
}

// forwarded returns the commits of a pull request that was fast-forwarded: they
// landed as they stood, and no merge tells where it began. GitHub's last trial
// merge tells, when the copy has it; else it is as many commits in a row as
// one author made at one go and no other pull request, number or tag claims.
func (b *builder) forwarded(p Pull, head int32, single map[int32]int) map[int32]bool {
	g := b.s.Graph
	onto, known := g.Find(p.Onto)
	ours := map[int32]bool{}
	for n := head; len(ours) < largestBranch; {
		at, ok := single[n]
		if !ok || known && g.IsAncestor(n, onto) {
			break
		}
		claimed := b.s.Changes[at].Pull != 0 || b.tagged[n] || b.pullHeads[n] ||
			!atOneGo(g.Nodes[head], g.Nodes[n])
		if n != head && !known && claimed {
			break
		}
		ours[n] = true
		if len(g.Nodes[n].Parents) != 1 {
			break
		}
		n = g.Nodes[n].Parents[0]
	}
	return ours
}

// atOneGo reports two commits of one author that were rebased together, within seconds, or
// that were never rebased and made within two hours.
func atOneGo(a, b Node) bool {
	between := abs(a.CommitTime - b.CommitTime)
	asMade := a.AuthorTime == a.CommitTime && b.AuthorTime == b.CommitTime
	return a.Author == b.Author && (between <= 5 || asMade && between <= 2*3600)
}

func abs(n int64) int64 { return max(n, -n) }

// join makes one change of each run of a pull request's commits.
func (b *builder) join(p Pull, ours map[int32]bool, single map[int32]int, gone map[int]bool) {
	for _, run := range b.runs(ours) {
		at := single[run[0]]
		for _, n := range run[1:] {
			gone[single[n]] = true
		}
		first := b.s.Changes[single[run[len(run)-1]]]
		b.s.Changes[at].Base, b.s.Changes[at].Nodes, b.s.Changes[at].Pull = first.Base, run, p.Number
		for _, n := range run {
			delete(single, n)
		}
	}
}

// runs splits commits into runs of first parents, newest first.
func (b *builder) runs(nodes map[int32]bool) [][]int32 {
	isParent := map[int32]bool{}
	for n := range nodes {
		if ps := b.s.Graph.Nodes[n].Parents; len(ps) > 0 && nodes[ps[0]] {
			isParent[ps[0]] = true
		}
	}
	var tops []int32
	for n := range nodes {
		if !isParent[n] {
			tops = append(tops, n)
		}
	}
	slices.Sort(tops)
	var out [][]int32
	used := map[int32]bool{}
	for _, top := range tops {
		var run []int32
		for n := top; nodes[n] && !used[n]; {
			used[n] = true
			run = append(run, n)
			ps := b.s.Graph.Nodes[n].Parents
			if len(ps) == 0 {
				break
			}
			n = ps[0]
		}
		out = append(out, run)
	}
	return out
}
