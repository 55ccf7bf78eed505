package change

import (
	"slices"
	"strings"
)

// Change is what one pull request, merge or push brought as a whole.
type Change struct {
	// Base is the commit before it, -1 when it begins the history; Head its
	// last commit, Merge the merge commit or -1.
	Base, Head, Merge int32
	// Nodes are the commits of Base..Head, newest first.
	Nodes []int32
	// Pull is the pull request's number, 0 where none is known.
	Pull int
	// Main says that it landed on the first of the tips: the default branch.
	Main bool
}

// Landed returns the commit with which it landed.
func (c Change) Landed() int32 {
	if c.Merge >= 0 {
		return c.Merge
	}
	return c.Head
}

// Pull is what is known of a pull request, see githistory.Pull.
type Pull struct {
	Number int
	Head   string
	Onto   string
	Own    []PullCommit
}

// PullCommit is what survives when a commit is rebased.
type PullCommit struct {
	AuthorTime int64
	Subject    string
}

// Tip is a branch or tag; a tag has no name here, since none is merged by it.
type Tip struct {
	Name string // short: main
	Node int32
}

// Set is the changes of one repository.
type Set struct {
	Graph   *Graph
	Changes []Change
	// pulls says which pull requests are known to exist, landed or not; empty
	// when the copy has no refs/pull.
	pulls  map[int]bool
	byPull map[int][]int
	of     []int32 // node → change, -1 for none
}

// largestBranch is how many commits a merged branch may have and still be one
// change, unless it was a pull request. Longer ones are lines of development
// of their own, whose commits are taken one by one.
const largestBranch = 20

// NewSet finds the changes. The first tip is the default branch. Every commit
// belongs to one change at most: that by which it first landed on the first
// tip that holds it.
func NewSet(g *Graph, tips []Tip, pulls []Pull) *Set {
	s := &Set{Graph: g, pulls: map[int]bool{}, byPull: map[int][]int{}, of: make([]int32, len(g.Nodes))}
	b := builder{s: s, line: make([]bool, len(g.Nodes)), owned: make([]int32, len(g.Nodes)), branches: map[string]bool{}, tagged: map[int32]bool{}, pullHeads: map[int32]bool{}}
	for i, t := range tips {
		b.branches[t.Name] = true
		if i > 0 && t.Name == "" {
			b.tagged[t.Node] = true
		}
	}
	for i, t := range tips {
		b.walk(t.Node, i == 0)
	}
	for _, p := range pulls {
		s.pulls[p.Number] = true
	}
	b.number(pulls)
	s.index()
	return s
}

// index numbers the changes and fills the look-ups.
func (s *Set) index() {
	for i := range s.of {
		s.of[i] = -1
	}
	for i, c := range s.Changes {
		for _, n := range c.Nodes {
			s.of[n] = int32(i)
		}
		if c.Merge >= 0 {
			s.of[c.Merge] = int32(i)
		}
		if c.Pull > 0 {
			s.byPull[c.Pull] = append(s.byPull[c.Pull], i)
		}
	}
}

// Of returns the change to which a commit belongs.
func (s *Set) Of(node int32) (int, bool) {
	c := s.of[node]
	return int(c), c >= 0
}

// ByPull returns the changes by which a pull request landed: on the default
// branch first.
func (s *Set) ByPull(number int) []int { return s.byPull[number] }

// IsPull reports whether the number is known to be a pull request, landed or not.
func (s *Set) IsPull(number int) bool { return s.pulls[number] || len(s.byPull[number]) > 0 }

// builder walks the lines of development.
type builder struct {
	s        *Set
	line     []bool  // the node stands on a line that was walked
	owned    []int32 // 1 + the merge that brought the node; 0 for none
	branches map[string]bool
	tagged   map[int32]bool
	// pullHeads are commits at which pull requests end.
	pullHeads map[int32]bool
}

// walk takes a line: tip and its first parents down to where another line has
// been. Merges bring their branch as one change, or as a line of its own.
func (b *builder) walk(tip int32, main bool) {
	var line []int32
	for n := tip; !b.line[n] && b.owned[n] == 0; {
		b.line[n] = true
		line = append(line, n)
		parents := b.s.Graph.Nodes[n].Parents
		if len(parents) == 0 {
			break
		}
		n = parents[0]
	}
	for _, n := range slices.Backward(line) {
		b.land(n, main)
	}
}

// land makes the change of one commit of a line.
func (b *builder) land(n int32, main bool) {
	node := b.s.Graph.Nodes[n]
	pull := PullOfSubject(node.Subject)
	if len(node.Parents) < 2 {
		base := int32(-1)
		if len(node.Parents) == 1 {
			base = node.Parents[0]
		}
		b.s.Changes = append(b.s.Changes, Change{Base: base, Head: n, Merge: -1, Nodes: []int32{n}, Pull: pull, Main: main})
		return
	}
	for _, tip := range node.Parents[1:] {
		b.merge(n, tip, pull, main && len(node.Parents) == 2)
	}
}

func (b *builder) merge(n, tip int32, pull int, main bool) {
	isPull := strings.HasPrefix(b.s.Graph.Nodes[n].Subject, "Merge pull request #")
	brought := b.brought(tip)
	if len(brought) == 0 {
		return
	}
	if !isPull && (len(brought) > largestBranch || b.branches[mergedBranch(b.s.Graph.Nodes[n].Subject)]) {
		b.walk(tip, main)
		return
	}
	for _, o := range brought {
		b.owned[o] = n + 1
	}
	base := b.s.Graph.MergeBase(b.s.Graph.Nodes[n].Parents[0], tip)
	b.s.Changes = append(b.s.Changes, Change{Base: base, Head: tip, Merge: n, Nodes: brought, Pull: pull, Main: main})
}

// brought returns what a merged branch adds: what it reaches and no line or
// earlier merge does.
func (b *builder) brought(tip int32) []int32 {
	var out []int32
	seen := map[int32]bool{}
	for stack := []int32{tip}; len(stack) > 0; {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[n] || b.line[n] || b.owned[n] != 0 {
			continue
		}
		seen[n] = true
		out = append(out, n)
		stack = append(stack, b.s.Graph.Nodes[n].Parents...)
	}
	slices.SortFunc(out, func(x, y int32) int { return int(b.s.Graph.gen[y]) - int(b.s.Graph.gen[x]) })
	return out
}
