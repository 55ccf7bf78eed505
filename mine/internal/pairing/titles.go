package pairing

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"crossswe/schemas"
)

// titlesWithin is how far apart changes with one title may land.
const titlesWithin = 7 * 24 * time.Hour

var titleNoise = regexp.MustCompile(`\(#\d+\)|[^a-z0-9@.]+`)

// normalTitle is a title without its pull request number, case and marks.
func normalTitle(s string) string {
	return strings.TrimSpace(titleNoise.ReplaceAllString(strings.ToLower(s), " "))
}

// shortestTitle keeps out "fix tests", "update go.mod" and their like.
const shortestTitle = 18

// popularTitle is how many changes may share a title within the window: more
// is housekeeping that is pushed to every repository.
const popularTitle = 12

type titleKey struct {
	author uint64
	title  string
}

// titles links changes of two repositories by one author that bear one title
// within days. Near-identical titles are weighed in sameTitle; here equal ones
// suffice, since a title alone makes no candidate.
func (f *finder) titles() {
	groups := map[titleKey][]Ref{}
	for repo, r := range f.w.Repos {
		for i, c := range r.Set.Changes {
			ref := Ref{repo, i}
			if _, ok := f.w.refOf(repo, c.Head); !ok || !f.w.inWindow(ref) {
				continue
			}
			title := normalTitle(f.w.Subject(ref))
			if len(title) >= shortestTitle {
				k := titleKey{f.w.author(ref), title}
				groups[k] = append(groups[k], ref)
			}
		}
	}
	keys := slices.SortedFunc(maps.Keys(groups), func(a, b titleKey) int {
		return cmp.Or(cmp.Compare(a.title, b.title), cmp.Compare(a.author, b.author))
	})
	for _, k := range keys {
		f.titleGroup(groups[k])
	}
}

func (f *finder) titleGroup(refs []Ref) {
	for i, a := range refs {
		near := 0
		for _, b := range refs[:i] {
			if a.Repo == b.Repo || f.w.apart(a, b) > titlesWithin || f.w.forks[[2]int{a.Repo, b.Repo}] {
				continue
			}
			if near++; near > popularTitle {
				break
			}
			f.pairs.add(a, b, Evidence{What: f.what(a, f.w.name(b)+" by title"), Link: schemas.Link{Kind: schemas.LinkSameTitle, Text: f.w.Subject(a),
				Where: schemas.PlaceCommitMessage, Commit: f.w.node(a.Repo, f.w.change(a).Landed()).SHA}})
		}
	}
}

func (w *World) author(r Ref) uint64 {
	c := w.change(r)
	return w.node(r.Repo, c.Nodes[len(c.Nodes)-1]).Author
}

// sameTitle reports near-identical titles: three quarters of their words.
func sameTitle(a, b string) bool {
	x, y := strings.Fields(normalTitle(a)), strings.Fields(normalTitle(b))
	if len(x) < 3 || len(y) < 3 {
		return false
	}
	both := 0
	for _, word := range x {
		if slices.Contains(y, word) {
			both++
		}
	}
	return 4*both >= 3*max(len(x), len(y))
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func sortedDrops(m map[string]Drop) []Drop {
	out := make([]Drop, 0, len(m))
	for _, k := range sortedKeys(m) {
		out = append(out, m[k])
	}
	return out
}
