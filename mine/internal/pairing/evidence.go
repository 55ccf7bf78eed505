package pairing

import (
	"cmp"
	"slices"

	"crossswe/mine/internal/depedge"
	"crossswe/schemas"
)

// Evidence is one reason to believe that two changes belong together.
type Evidence struct {
	schemas.Link
	// FromIsConsumer says how the link runs: +1 when From's side needs To's,
	// -1 when To's needs From's, 0 when it does not tell.
	Direction int
	// Dir is the directory of the package that was moved, "" for the root.
	Dir string
	// Exact says that the new version names the change's very commit.
	Exact bool
	// Pin is the provider's commit that the consumer's base names exactly, "" when
	// it names a release or a range.
	Pin string
	// Use says what the package that was moved is for.
	Use depedge.Use
	// What names what was found, the same for all changes between two versions.
	What string
}

// Pair is two changes of two repositories and what connects them. Provider
// and Consumer are guesses where the evidence does not tell.
type Pair struct {
	Provider, Consumer Ref
	Evidence           []Evidence
	// Directed says that the evidence tells which is which.
	Directed bool
}

// Drop is something found that is no candidate.
type Drop struct {
	ID     string // what was found: stable over runs
	Reason schemas.DropReason
	Detail string
}

// pairs collects evidence by pair of changes.
type pairs struct {
	w     *World
	byKey map[[2]Ref]*Pair
}

func (ps *pairs) add(from, to Ref, e Evidence) {
	key := [2]Ref{from, to}
	if compareRefs(from, to) > 0 {
		key = [2]Ref{to, from}
	}
	p := ps.byKey[key]
	if p == nil {
		p = &Pair{}
		p.Provider, p.Consumer = key[0], key[1]
		ps.byKey[key] = p
	}
	e.From, e.To = ps.w.Repos[from.Repo].Name, ps.w.Repos[to.Repo].Name
	for _, have := range p.Evidence {
		if have.Link == e.Link {
			return
		}
	}
	p.Evidence = append(p.Evidence, e)
}

func compareRefs(a, b Ref) int {
	return cmp.Or(cmp.Compare(a.Repo, b.Repo), cmp.Compare(a.Change, b.Change))
}

// list returns the pairs in a stable order, each with its direction.
func (ps *pairs) list() []*Pair {
	var out []*Pair
	for _, p := range ps.byKey {
		ps.w.direct(p)
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b *Pair) int {
		return cmp.Or(compareRefs(a.Consumer, b.Consumer), compareRefs(a.Provider, b.Provider))
	})
	return out
}

// direct decides which change is the provider's: by the links, by which
// repository ever depended on the other, else by which landed first.
func (w *World) direct(p *Pair) {
	vote := 0
	for _, e := range p.Evidence {
		weight := 1
		if e.Kind == schemas.LinkVersion {
			weight = 4
		}
		if e.From == w.Repos[p.Consumer.Repo].Name {
			vote += weight * e.Direction
		} else {
			vote -= weight * e.Direction
		}
	}
	p.Directed = vote != 0
	if vote == 0 {
		a, b := w.depends[[2]int{p.Consumer.Repo, p.Provider.Repo}], w.depends[[2]int{p.Provider.Repo, p.Consumer.Repo}]
		switch {
		case a && !b:
			vote, p.Directed = 1, true
		case b && !a:
			vote, p.Directed = -1, true
		case w.Landed(p.Provider).After(w.Landed(p.Consumer)):
			vote = -1
		}
	}
	if vote < 0 {
		p.Provider, p.Consumer = p.Consumer, p.Provider
	}
}
