package pairing

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"crossswe/schemas"
)

// Plan is a candidate before its sides are read.
type Plan struct {
	Sides []SidePlan // providers first
	Pairs []Scored   // strongest first
	Score schemas.Score
}

// ID names a plan for people, where it cannot become a candidate.
func (p Plan) ID(w *World) string {
	var names []string
	for _, s := range p.Sides {
		names = append(names, string(w.Repos[s.Repo].Name)+"@"+w.node(s.Repo, s.Head).SHA.Short())
	}
	return strings.Join(names, " + ")
}

// SidePlan is one side: the commits after Base up to Head, -1 for the very
// beginning.
type SidePlan struct {
	Repo              int
	Base, Head, Merge int32
	Pull              int
	// Changes are what the range was made for, oldest first.
	Changes []Ref
	Role    schemas.Role
	// Notes say how the range was decided.
	Notes []string
}

const (
	// widestSide is how many commits a range may hold that joins several
	// changes, or that goes back to the commit the consumer pins: a larger one
	// is the provider's work of weeks and no longer one task.
	widestSide = 20
	// fellow is the part of the best score that a further change of the same
	// provider needs to belong to the side, fellowWords the weight of its
	// identifiers: one invention of its own.
	fellow      = 0.4
	fellowWords = 0.8
	// strong is the score from which a provider's own providers come along.
	strong = 3.5
	// furtherSide is what a further side adds of its pair's score.
	furtherSide = 0.2
)

// Assemble makes candidates of the pairs, strongest first. Plans whose sides
// are all held by another are left out.
func (j *Judge) Assemble(scored []Scored) []Plan {
	a := assembler{j: j, stars: map[Ref][]Scored{}}
	var consumers []Ref
	for _, s := range scored {
		if a.stars[s.Consumer] == nil {
			consumers = append(consumers, s.Consumer)
		}
		a.stars[s.Consumer] = append(a.stars[s.Consumer], s)
	}
	var plans []Plan
	for _, c := range consumers {
		plans = append(plans, a.plan(c))
	}
	slices.SortStableFunc(plans, func(x, y Plan) int {
		return cmp.Or(cmp.Compare(len(y.Sides), len(x.Sides)), cmp.Compare(y.Score.Total, x.Score.Total))
	})
	plans = a.distinct(plans)
	slices.SortStableFunc(plans, func(x, y Plan) int { return cmp.Compare(y.Score.Total, x.Score.Total) })
	return plans
}

type assembler struct {
	j     *Judge
	stars map[Ref][]Scored // by consumer, strongest first
}

// plan grows a candidate from its last consumer.
func (a *assembler) plan(last Ref) Plan {
	members := map[int][]Ref{last.Repo: {last}}
	var pairs []Scored
	for queue := []Ref{last}; len(queue) > 0; {
		c := queue[0]
		queue = queue[1:]
		for _, s := range a.stars[c] {
			have, in := members[s.Provider.Repo]
			switch {
			case !in && len(members) == a.j.MaxSides:
				continue
			case !in && c != last && s.Score.Total < strong:
				continue
			case !in && !a.worth(s, pairs):
				continue
			case in && !slices.Contains(have, s.Provider) && (s.Provider.Repo == last.Repo || !a.fellow(s, have, pairs)):
				continue
			}
			if !slices.Contains(have, s.Provider) {
				members[s.Provider.Repo] = append(have, s.Provider)
				if s.Score.Total >= strong {
					queue = append(queue, s.Provider)
				}
			}
			pairs = append(pairs, s)
		}
	}
	return a.finish(members, pairs)
}

// worth reports whether a further repository belongs to the candidate: it has
// half of the strongest pair's score.
func (a *assembler) worth(s Scored, pairs []Scored) bool {
	return len(pairs) == 0 || s.Score.Total >= pairs[0].Score.Total/2
}

// fellow reports whether one more change of a provider joins its side: its
// identifiers tell that the consumer uses it too, and the range stays small.
func (a *assembler) fellow(s Scored, have []Ref, pairs []Scored) bool {
	fresh, _ := sum(s.Shared)
	touched, _ := sum(s.Touched)
	if fresh+touched < fellowWords {
		return false
	}
	best := 0.0
	for _, p := range pairs {
		if p.Provider.Repo == s.Provider.Repo {
			best = max(best, p.Score.Total)
		}
	}
	if s.Score.Total < fellow*best {
		return false
	}
	_, _, ok := a.j.World.span(append(slices.Clone(have), s.Provider))
	return ok
}

// span returns the range over several changes of one repository, false when
// they do not follow one another or it is too wide.
func (w *World) span(refs []Ref) (base, head int32, ok bool) {
	g := w.Repos[refs[0].Repo].Set.Graph
	first, last := refs[0], refs[0]
	for _, r := range refs[1:] {
		if g.IsAncestor(w.change(r).Head, w.change(first).Head) {
			first = r
		}
		if g.IsAncestor(w.change(last).Head, w.change(r).Head) {
			last = r
		}
	}
	base, head = w.change(first).Base, w.change(last).Head
	if len(refs) == 1 {
		return base, head, true
	}
	if base < 0 {
		return base, head, false
	}
	nodes, all := g.Between(base, head, widestSide)
	for _, r := range refs {
		if !slices.Contains(nodes, w.change(r).Head) {
			return base, head, false
		}
	}
	return base, head, all
}

// finish orders the sides, decides their ranges and adds up the score.
func (a *assembler) finish(members map[int][]Ref, pairs []Scored) Plan {
	p := Plan{Pairs: pairs}
	slices.SortStableFunc(p.Pairs, func(x, y Scored) int { return cmp.Compare(y.Score.Total, x.Score.Total) })
	for repo, refs := range members {
		p.Sides = append(p.Sides, a.j.World.side(repo, refs, pairs))
	}
	a.j.World.order(&p)
	p.Score = total(p.Pairs)
	return p
}

// total is the strongest pair's score, part by part, and a share of the best
// pair of each further provider.
func total(pairs []Scored) schemas.Score {
	if len(pairs) == 0 {
		return schemas.Score{Parts: []schemas.ScorePart{}}
	}
	sum := schemas.Score{Total: pairs[0].Score.Total, Parts: slices.Clone(pairs[0].Score.Parts)}
	seen := map[int]bool{pairs[0].Provider.Repo: true}
	for _, s := range pairs[1:] {
		if seen[s.Provider.Repo] {
			continue
		}
		seen[s.Provider.Repo] = true
		value := math.Round(furtherSide*s.Score.Total*1000) / 1000
		sum.Total = math.Round((sum.Total+value)*1000) / 1000
		sum.Parts = append(sum.Parts, schemas.ScorePart{Name: "further_side", Value: value,
			Detail: fmt.Sprintf("a fifth of the score of a further pair, %.1f", s.Score.Total)})
	}
	return sum
}

// side decides the range of one repository.
func (w *World) side(repo int, refs []Ref, pairs []Scored) SidePlan {
	g := w.Repos[repo].Set.Graph
	s := SidePlan{Repo: repo, Merge: -1, Changes: refs}
	s.Base, s.Head, _ = w.span(refs)
	slices.SortFunc(s.Changes, func(a, b Ref) int { return cmp.Compare(w.Landed(a).Unix(), w.Landed(b).Unix()) })
	last := w.change(s.Changes[len(s.Changes)-1])
	s.Merge, s.Pull = last.Merge, last.Pull
	if len(refs) > 1 {
		s.Notes = append(s.Notes, fmt.Sprintf("the range joins %d changes", len(refs)))
	}
	for _, p := range pairs {
		pin, ok := w.Pinned(p.Pair)
		if p.Provider.Repo != repo || !ok || s.Base < 0 || pin == s.Base || !g.IsAncestor(pin, s.Base) {
			continue
		}
		between, all := g.Between(pin, s.Head, widestSide)
		if !all {
			s.Notes = append(s.Notes, fmt.Sprintf("the consumer's base pins %s, too far back to begin there", g.Nodes[pin].SHA.Short()))
			continue
		}
		s.Base = pin
		s.Notes = append(s.Notes, fmt.Sprintf("the range begins at %s, which the consumer's base pins; %d commits", g.Nodes[pin].SHA.Short(), len(between)))
	}
	return s
}

// order puts providers first and gives the roles.
func (w *World) order(p *Plan) {
	provides, consumes := map[int]bool{}, map[int]bool{}
	needs := map[int]map[int]bool{}
	for _, s := range p.Pairs {
		if needs[s.Consumer.Repo] == nil {
			needs[s.Consumer.Repo] = map[int]bool{}
		}
		needs[s.Consumer.Repo][s.Provider.Repo] = true
		provides[s.Provider.Repo], consumes[s.Consumer.Repo] = true, true
	}
	for i := range p.Sides {
		p.Sides[i].Role = RoleOf(provides[p.Sides[i].Repo], consumes[p.Sides[i].Repo])
	}
	p.Sides = Order(p.Sides, func(s SidePlan) string { return w.Repos[s.Repo].Name.Key() },
		func(a, b SidePlan) bool { return needs[a.Repo][b.Repo] })
}

// RoleOf names the part of a repository that provides, consumes, or both.
func RoleOf(provides, consumes bool) schemas.Role {
	switch {
	case provides && consumes:
		return schemas.RoleBoth
	case provides:
		return schemas.RoleProvider
	case consumes:
		return schemas.RoleConsumer
	}
	return schemas.RoleUnknown
}

// Order sorts sides so that none stands before one that it needs, as far as
// that is possible, and by key where nothing decides.
func Order[S any](sides []S, key func(S) string, needs func(a, b S) bool) []S {
	rest := slices.Clone(sides)
	slices.SortFunc(rest, func(a, b S) int { return cmp.Compare(key(a), key(b)) })
	var out []S
	for len(rest) > 0 {
		at := slices.IndexFunc(rest, func(s S) bool {
			return !slices.ContainsFunc(rest, func(o S) bool { return key(o) != key(s) && needs(s, o) })
		})
		at = max(at, 0) // a circle: the first by key
		out = append(out, rest[at])
		rest = slices.Delete(rest, at, at+1)
	}
	return out
}

// distinct leaves out plans whose changes are all in an earlier one, and
// repeats of one change on another branch.
func (a *assembler) distinct(plans []Plan) []Plan {
	var out []Plan
	for _, p := range plans {
		if !slices.ContainsFunc(out, func(o Plan) bool { return holds(o, p) }) {
			out = append(out, p)
		}
	}
	return out
}

func holds(big, small Plan) bool {
	for _, s := range small.Sides {
		if !slices.ContainsFunc(big.Sides, func(b SidePlan) bool {
			return b.Repo == s.Repo && !slices.ContainsFunc(s.Changes, func(r Ref) bool { return !slices.Contains(b.Changes, r) })
		}) {
			return false
		}
	}
	return true
}
