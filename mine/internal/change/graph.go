// Package change turns a history of commits into changes: what one pull
// request, merge or push brought as a whole. It is pure; package githistory
// feeds it.
package change

import (
	"container/heap"
	"slices"
	"strings"

	"crossswe/schemas"
)

// Node is one commit.
type Node struct {
	SHA     schemas.CommitSHA
	Tree    string
	Parents []int32
	// AuthorTime and CommitTime are Unix seconds.
	AuthorTime, CommitTime int64
	// Author tells equal authors apart within a run; it is never stored.
	Author  uint64
	Bot     bool
	Subject string
}

// Graph is a repository's commits. Its methods are safe for concurrent use
// once it is complete.
type Graph struct {
	Nodes  []Node
	index  map[schemas.CommitSHA]int32
	sorted []int32 // by SHA
	gen    []int32 // generation: greater than every parent's
}

// Input is one commit for NewGraph: a Node with its parents by id.
type Input struct {
	Node
	Parents []schemas.CommitSHA
}

// NewGraph builds the graph of the commits, in any order. Parents that are not
// among them are left out, as at a shallow boundary.
func NewGraph(commits []Input) *Graph {
	g := &Graph{Nodes: make([]Node, len(commits)), index: make(map[schemas.CommitSHA]int32, len(commits))}
	for i, c := range commits {
		g.index[c.SHA] = int32(i)
	}
	for i, c := range commits {
		g.Nodes[i] = c.Node
		for _, p := range c.Parents {
			if at, ok := g.index[p]; ok {
				g.Nodes[i].Parents = append(g.Nodes[i].Parents, at)
			}
		}
		g.sorted = append(g.sorted, int32(i))
	}
	slices.SortFunc(g.sorted, func(a, b int32) int { return strings.Compare(string(g.Nodes[a].SHA), string(g.Nodes[b].SHA)) })
	g.number()
	return g
}

// number computes generations without recursion: histories are deep.
func (g *Graph) number() {
	g.gen = make([]int32, len(g.Nodes))
	for start := range g.Nodes {
		for stack := []int32{int32(start)}; len(stack) > 0; {
			n := stack[len(stack)-1]
			if g.gen[n] > 0 {
				stack = stack[:len(stack)-1]
				continue
			}
			top, ready := int32(0), true
			for _, p := range g.Nodes[n].Parents {
				if g.gen[p] == 0 {
					stack, ready = append(stack, p), false
				}
				top = max(top, g.gen[p])
			}
			if ready {
				g.gen[n] = top + 1
				stack = stack[:len(stack)-1]
			}
		}
	}
}

// Generation is greater for a commit than for everything that it reaches,
// whatever the clocks say.
func (g *Graph) Generation(n int32) int32 { return g.gen[n] }

// At returns the node of a commit.
func (g *Graph) At(sha schemas.CommitSHA) (int32, bool) {
	n, ok := g.index[sha]
	return n, ok
}

// Find returns the only commit whose id begins with the prefix, which has 7
// digits or more.
func (g *Graph) Find(prefix string) (int32, bool) {
	if len(prefix) < 7 {
		return 0, false
	}
	at, _ := slices.BinarySearchFunc(g.sorted, prefix, func(n int32, p string) int {
		return strings.Compare(string(g.Nodes[n].SHA), p)
	})
	if at == len(g.sorted) || !strings.HasPrefix(string(g.Nodes[g.sorted[at]].SHA), prefix) {
		return 0, false
	}
	if at+1 < len(g.sorted) && strings.HasPrefix(string(g.Nodes[g.sorted[at+1]].SHA), prefix) {
		return 0, false
	}
	return g.sorted[at], true
}

// colours of a walk.
const (
	fromNew = 1 << iota
	fromOld
)

// frontier is a heap of nodes, highest generation first.
type frontier struct {
	nodes []int32
	gen   []int32
}

func (f *frontier) Len() int           { return len(f.nodes) }
func (f *frontier) Less(i, j int) bool { return f.gen[f.nodes[i]] > f.gen[f.nodes[j]] }
func (f *frontier) Swap(i, j int)      { f.nodes[i], f.nodes[j] = f.nodes[j], f.nodes[i] }
func (f *frontier) Push(x any)         { f.nodes = append(f.nodes, x.(int32)) }
func (f *frontier) Pop() any {
	n := f.nodes[len(f.nodes)-1]
	f.nodes = f.nodes[:len(f.nodes)-1]
	return n
}

// Between returns the commits that new reaches and old does not, children
// before parents; at most limit of them, and whether that is all. An old of -1
// reaches nothing.
func (g *Graph) Between(old, new int32, limit int) (nodes []int32, all bool) {
	colour := map[int32]byte{new: fromNew}
	f := &frontier{nodes: []int32{new}, gen: g.gen}
	open := 1 // nodes in the frontier that only new reaches
	if old >= 0 {
		if old == new {
			return nil, true
		}
		colour[old] = fromOld
		heap.Push(f, old)
	}
	for f.Len() > 0 && open > 0 {
		n := heap.Pop(f).(int32)
		mine := colour[n]
		if mine == fromNew {
			open--
			if len(nodes) == limit {
				return nodes, false
			}
			nodes = append(nodes, n)
		}
		for _, p := range g.Nodes[n].Parents {
			had, queued := colour[p]
			now := had | mine
			colour[p] = now
			switch {
			case !queued:
				heap.Push(f, p)
				if now == fromNew {
					open++
				}
			case had == fromNew && now != fromNew:
				open--
			}
		}
	}
	return nodes, true
}

// MergeBase returns a best common ancestor, -1 when there is none.
func (g *Graph) MergeBase(a, b int32) int32 {
	if a == b {
		return a
	}
	colour := map[int32]byte{a: fromNew, b: fromOld}
	f := &frontier{nodes: []int32{a}, gen: g.gen}
	heap.Push(f, b)
	for f.Len() > 0 {
		n := heap.Pop(f).(int32)
		if colour[n] == fromNew|fromOld {
			return n
		}
		for _, p := range g.Nodes[n].Parents {
			if _, queued := colour[p]; !queued {
				heap.Push(f, p)
			}
			colour[p] |= colour[n]
		}
	}
	return -1
}

// IsAncestor reports whether a is b or reachable from it.
func (g *Graph) IsAncestor(a, b int32) bool { return g.MergeBase(a, b) == a }
