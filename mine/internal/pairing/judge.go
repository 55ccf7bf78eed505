package pairing

import (
	"cmp"
	"slices"

	"crossswe/mine/internal/depedge"
	"crossswe/mine/internal/facts"
	"crossswe/schemas"
)

// Judge turns pairs into candidates and drops, once the facts about the
// changes are known.
type Judge struct {
	World      *World
	Vocabulary *facts.Vocabulary
	// Facts of every change of the pairs that Wanted named.
	Facts map[Ref]*facts.Facts
	// MinScore drops weaker pairs.
	MinScore float64
	// MaxSides bounds the repositories of a candidate.
	MaxSides int
}

// refusal is a drop that stands unless something else is made of what was found.
type refusal struct {
	reason schemas.DropReason
	detail string
}

// Screen drops the pairs against which the paths alone speak. It returns those
// left, and the drops of what no pair is left of.
func (j *Judge) Screen(found []*Pair) ([]*Pair, []Drop) {
	var kept []*Pair
	refused := map[string]refusal{}
	for _, p := range found {
		provider, consumer := j.Facts[p.Provider], j.Facts[p.Consumer]
		reason, detail := j.World.refuse(p, provider, consumer)
		if reason == "" && !touchesPackage(p, provider) {
			reason, detail = schemas.DropNoChange, "the provider's change is outside the package's directory"
		}
		if reason == "" {
			kept = append(kept, p)
			continue
		}
		note(refused, p, refusal{reason, detail})
	}
	return kept, unused(refused, kept)
}

// note remembers a refusal of everything that a pair was found by; what speaks
// against the consumer stands for the whole interval, so the last one of a
// provider's changes does not hide it.
func note(refused map[string]refusal, p *Pair, r refusal) {
	for _, e := range p.Evidence {
		if _, had := refused[e.What]; !had {
			refused[e.What] = r
		}
	}
}

// unused turns refusals into drops, less those of which a pair was kept.
func unused(refused map[string]refusal, kept []*Pair) []Drop {
	for _, p := range kept {
		for _, e := range p.Evidence {
			delete(refused, e.What)
		}
	}
	drops := map[string]Drop{}
	for what, r := range refused {
		drops[what] = Drop{ID: what, Reason: r.reason, Detail: r.detail}
	}
	return sortedDrops(drops)
}

// touchesPackage reports whether the provider's change touches a package that
// was moved, or was found by something else than a move.
func touchesPackage(p *Pair, provider *facts.Facts) bool {
	for _, e := range p.Evidence {
		if e.Kind != schemas.LinkVersion || e.Dir == "" {
			return true
		}
		for _, f := range provider.Files {
			if inPackage(e.Dir, f.Path) && f.Class == schemas.ClassSource {
				return true
			}
		}
	}
	return false
}

// Score weighs the pairs and drops those that are refused by the contents or
// too weak. The rest comes strongest first.
func (j *Judge) Score(pairs []*Pair) ([]Scored, []Drop) {
	r := newRarity(j.Vocabulary, j.Facts)
	pairs, drops := j.Screen(pairs)
	interval, moved := intervals(pairs)
	refused := map[string]refusal{}
	var kept []Scored
	var keptPairs []*Pair
	for _, p := range pairs {
		s := j.World.score(p, r, j.Facts[p.Provider], j.Facts[p.Consumer], narrowest(interval, p), moved[p.Consumer])
		switch {
		case onlyKind(p, schemas.LinkSameTitle) && len(s.Shared) == 0:
			note(refused, p, refusal{schemas.DropLowScore, "nothing but equal titles"})
		case s.Score.Total < j.MinScore:
			note(refused, p, refusal{schemas.DropLowScore, j.World.name(p.Provider) + " is the best match and too weak"})
		default:
			kept = append(kept, s)
			keptPairs = append(keptPairs, p)
		}
	}
	slices.SortStableFunc(kept, func(a, b Scored) int { return cmp.Compare(b.Score.Total, a.Score.Total) })
	return kept, append(drops, unused(refused, keptPairs)...)
}

func onlyKind(p *Pair, kind schemas.LinkKind) bool {
	for _, e := range p.Evidence {
		if e.Kind != kind {
			return false
		}
	}
	return true
}

// intervals counts, per version move, the provider's changes that are left,
// and per consumer the repositories that it moves.
func intervals(pairs []*Pair) (map[string]int, map[Ref]int) {
	interval, moved := map[string]int{}, map[Ref]int{}
	seen := map[[3]int]bool{}
	for _, p := range pairs {
		for _, e := range p.Evidence {
			if e.Kind != schemas.LinkVersion {
				continue
			}
			interval[e.What]++
			if k := [3]int{p.Consumer.Repo, p.Consumer.Change, p.Provider.Repo}; !seen[k] {
				seen[k] = true
				moved[p.Consumer]++
			}
		}
	}
	return interval, moved
}

func narrowest(interval map[string]int, p *Pair) int {
	least := 0
	for _, e := range p.Evidence {
		if n := interval[e.What]; e.Kind == schemas.LinkVersion && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

// Overlap returns for a pair the words that decide its score, so that the
// caller can look for them in the provider's tree before the change.
func (j *Judge) Overlap(p *Pair) []facts.Word {
	return intersect(j.Facts[p.Provider].New, j.Facts[p.Consumer].Uses)
}

// Pinned returns the provider's commit that the consumer's base names, if any.
func (w *World) Pinned(p *Pair) (int32, bool) {
	for _, e := range p.Evidence {
		if e.Pin == "" {
			continue
		}
		if n, ok := w.Repos[p.Provider.Repo].Set.Graph.Find(e.Pin); ok {
			return n, true
		}
	}
	return 0, false
}

// Depends reports the packages of the provider's repository that a manifest
// names, for the direction of sides put together by hand.
func (w *World) Depends(m depedge.Manifest, provider int) bool {
	for _, d := range m.Deps {
		for _, p := range w.providers[providerKey{d.Ecosystem, d.Name}] {
			if p.repo == provider {
				return true
			}
		}
	}
	return false
}
