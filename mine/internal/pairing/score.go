package pairing

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"crossswe/mine/internal/depedge"
	"crossswe/mine/internal/facts"
	"crossswe/schemas"
)

// The weights of a score. They are set so that the strongest single sign, the
// shared new identifiers, outweighs any other, and so that a version bump over
// a wide interval with nothing else stays below a default threshold. They were
// fitted by eye to recorded sets, joint and not.
const (
	mostIdentifiers   = 5.0 // reached asymptotically
	mostTouched       = 1.5 // reached asymptotically
	weightTitleWord   = 1.0
	weightStated      = 3.0 // depends on, needed by, companion
	weightMention     = 1.2
	weightCommonRef   = 1.2
	weightExact       = 2.5
	weightNarrow      = 1.5 // divided by the number of changes in the interval
	weightBothSources = 0.5
	weightTests       = 0.5
	weightSoon        = 0.8
	weightTitle       = 1.5
	weightMadeFor     = 0.5
	weightAuthor      = 0.6
	weightDepends     = 0.3
	weightMixed       = 0.2 // per further package moved, subtracted
	mostMixed         = 0.8
	weightHuge        = 1.0
	weightDev         = 0.8 // subtracted: a tool of the consumer's own development
)

// hugeChange is the number of product lines from which on a side is hard to
// ask for as one task.
const hugeChange = 3000

// takenUpWithin is how many days may lie between a provider's change and its
// use when it was made for that use.
const takenUpWithin = 3

// Shared is an identifier that the provider's change introduces and the
// consumer's change uses.
type Shared struct {
	Word   string
	Weight float64
}

// Scored is a pair with its score.
type Scored struct {
	*Pair
	Score  schemas.Score
	Shared []Shared // heaviest first
	// Touched are names that were there before, which the provider's change
	// works on and the consumer's product code comes to use.
	Touched []Shared
}

// rarity weighs words by how few of the changes at hand use them.
type rarity struct {
	vocabulary *facts.Vocabulary
	docs       map[facts.Word]int
	n          int
}

func newRarity(v *facts.Vocabulary, all map[Ref]*facts.Facts) *rarity {
	r := &rarity{vocabulary: v, docs: map[facts.Word]int{}}
	for _, f := range all {
		if f.Read {
			r.n++
			for _, w := range f.Uses {
				r.docs[w]++
			}
		}
	}
	return r
}

// weight is between 0 and 1.
func (r *rarity) weight(w facts.Word) float64 {
	return facts.Shape(r.vocabulary.String(w)) * math.Log(1+float64(r.n)/float64(1+r.docs[w])) / math.Log(1+float64(r.n))
}

// saturation is the weight of identifiers at which two thirds of a part are
// reached: some three inventions of one's own.
const saturation = 2.5

// mostShared bounds the identifiers that count and are shown.
const mostShared = 20

// shared returns the identifiers that the provider introduces and the consumer
// uses, and those that the provider only touches and the consumer comes to
// use. One that the consumer's files already held counts half: its use is not
// new there.
func (r *rarity) shared(provider, consumer *facts.Facts) (fresh, touched []Shared) {
	for _, w := range intersect(provider.Uses, consumer.Uses) {
		_, introduced := slices.BinarySearch(provider.New, w)
		_, first := slices.BinarySearch(consumer.New, w)
		weight := r.weight(w)
		switch {
		case introduced && !provider.Known[w] && first:
			fresh = append(fresh, Shared{r.vocabulary.String(w), weight})
		case introduced && !provider.Known[w]:
			fresh = append(fresh, Shared{r.vocabulary.String(w), weight / 2})
		case first:
			touched = append(touched, Shared{r.vocabulary.String(w), weight})
		}
	}
	return heaviest(fresh), heaviest(touched)
}

func heaviest(words []Shared) []Shared {
	slices.SortFunc(words, func(a, b Shared) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), strings.Compare(a.Word, b.Word))
	})
	return words[:min(len(words), mostShared)]
}

// sum adds up weights and writes the first words.
func sum(words []Shared) (float64, string) {
	total := 0.0
	var shown []string
	for _, x := range words {
		total += x.Weight
		if len(shown) < 6 {
			shown = append(shown, x.Word)
		}
	}
	return total, strings.Join(shown, " ")
}

func intersect(a, b []facts.Word) []facts.Word {
	var out []facts.Word
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case b[0] < a[0]:
			b = b[1:]
		default:
			out = append(out, a[0])
			a, b = a[1:], b[1:]
		}
	}
	return out
}

// scorer adds up the parts of one pair.
type scorer struct {
	w     *World
	score schemas.Score
}

func (s *scorer) part(name string, value float64, detail string, args ...any) {
	value = math.Round(value*1000) / 1000
	if value != 0 {
		s.score.Parts = append(s.score.Parts, schemas.ScorePart{Name: name, Value: value, Detail: fmt.Sprintf(detail, args...)})
		s.score.Total = math.Round((s.score.Total+value)*1000) / 1000
	}
}

// score weighs a pair. Interval is the number of the provider's changes that
// the consumer's version move brings in, moved the number of packages at hand
// that the consumer's change moves.
func (w *World) score(p *Pair, r *rarity, provider, consumer *facts.Facts, interval, moved int) Scored {
	s := &scorer{w: w}
	out := Scored{Pair: p}
	out.Shared, out.Touched = r.shared(provider, consumer)
	weight, words := sum(out.Shared)
	s.part("shared_new_identifiers", mostIdentifiers*(1-math.Exp(-weight/saturation)), "%s", words)
	weight, words = sum(out.Touched)
	s.part("touched_identifiers", mostTouched*(1-math.Exp(-weight/saturation)), "%s", words)
	s.links(p, interval)
	if provider.Has(schemas.ClassSource) && consumer.Has(schemas.ClassSource) {
		s.part("both_sides_change_code", weightBothSources, "product code on both sides")
	}
	if consumer.Has(schemas.ClassTest) {
		s.part("consumer_tests", weightTests, "the consumer's change touches tests")
	}
	days := w.apart(p.Provider, p.Consumer).Hours() / 24
	s.part("close_in_time", weightSoon*math.Exp(-days/7), "%.1f days apart", days)
	if sameTitle(w.Subject(p.Provider), w.Subject(p.Consumer)) {
		s.part("same_title", weightTitle, "%s", w.Subject(p.Provider))
	}
	if words := titleWords(w.Subject(p.Provider), w.Subject(p.Consumer)); words != "" {
		s.part("title_identifier", weightTitleWord, "%s", words)
	}
	if devOnly(p) {
		s.part("development_dependency", -weightDev, "the consumer needs it for its own development only")
	}
	if w.author(p.Provider) == w.author(p.Consumer) {
		s.part("same_author", weightAuthor, "one author on both sides")
	}
	if interval == 1 && days <= takenUpWithin && w.author(p.Provider) == w.author(p.Consumer) {
		s.part("made_for_it", weightMadeFor, "one author made the only change of the new version and took it up within %d days", takenUpWithin)
	}
	if w.depends[[2]int{p.Consumer.Repo, p.Provider.Repo}] {
		s.part("depends", weightDepends, "%s names a package of %s in its manifests", w.Repos[p.Consumer.Repo].Name, w.Repos[p.Provider.Repo].Name)
	}
	if moved > 1 {
		s.part("mixed_bump", -min(mostMixed, weightMixed*float64(moved-1)), "the consumer moves %d packages at hand", moved)
	}
	if lines := max(provider.Added+provider.Removed, consumer.Added+consumer.Removed); lines > hugeChange {
		s.part("huge", -weightHuge, "%d lines of product code on one side", lines)
	}
	out.Score = s.score
	return out
}

// links weighs the links, each kind once.
func (s *scorer) links(p *Pair, interval int) {
	seen := map[schemas.LinkKind]bool{}
	exact := false
	for _, e := range p.Evidence {
		exact = exact || e.Exact
	}
	for _, e := range p.Evidence {
		if seen[e.Kind] {
			continue
		}
		seen[e.Kind] = true
		switch e.Kind {
		case schemas.LinkDependsOn, schemas.LinkNeededBy, schemas.LinkCompanion:
			s.part("stated_dependency", weightStated, "%s: %s", e.Kind, e.Text)
		case schemas.LinkMentions, schemas.LinkCloses:
			s.part("reference", weightMention, "%s", e.Text)
		case schemas.LinkCommonRef:
			s.part("common_reference", weightCommonRef, "%s", e.Text)
		case schemas.LinkVersion:
			s.version(e, exact, interval)
		}
	}
}

func (s *scorer) version(e Evidence, exact bool, interval int) {
	if exact {
		s.part("exact_version", weightExact, "%s", e.Text)
		return
	}
	s.part("version_interval", weightNarrow/float64(max(interval, 1)), "%s to %s brings %d changes", e.OldVersion, e.NewVersion, interval)
}

// titleWords returns the invented names that both titles hold.
func titleWords(a, b string) string {
	in := map[string]bool{}
	facts.EachWord([]byte(a), func(w []byte) { in[string(w)] = true })
	var out []string
	facts.EachWord([]byte(b), func(w []byte) {
		if in[string(w)] && facts.Shape(string(w)) >= inventedName && !slices.Contains(out, string(w)) {
			out = append(out, string(w))
		}
	})
	return strings.Join(out, " ")
}

// inventedName is the shape from which a word is a compound.
const inventedName = 0.6

// devOnly reports a pair that only a development dependency connects.
func devOnly(p *Pair) bool {
	for _, e := range p.Evidence {
		if e.Kind != schemas.LinkVersion || e.Use != depedge.UseDev {
			return false
		}
	}
	return true
}
