package world

import (
	"fmt"
	"maps"
	"strings"
)

// style is how a pull request came into its branch.
type style int

const (
	squashed style = iota // one commit, its subject ends in (#n)
	merged                // a merge commit, "Merge pull request #n from …"
	rebased               // its commits as they are; only refs/pull/n/head tells
)

// pull is one pull request of a story.
type pull struct {
	number int
	title  string
	body   string
	style  style
	by     person
	steps  []step
}

// take brings the pull request in and returns the mark of its last commit on
// the branch. Its number must be higher than those before.
func (h *history) take(p pull) (int, error) {
	if p.number <= h.pulls {
		return 0, fmt.Errorf("%s: pull request %d comes after %d", h.name, p.number, h.pulls)
	}
	h.pulls = p.number
	if p.by == (person{}) {
		p.by = people[h.rng.IntN(len(people))]
	}
	at := taken{number: p.number, base: h.tip}
	ref := fmt.Sprintf("refs/pull/%d/head", p.number)
	switch p.style {
	case merged:
		at.head, at.merge = h.takeMerged(p, ref)
	case rebased:
		for _, s := range p.steps {
			h.commit(p.by, s.message, s.edit)
		}
		at.head = h.tip
		h.ref(ref, at.head)
	default:
		at.head = h.commit(p.by, numbered(join(p.title, p.body), p.number), p.whole())
	}
	h.taken = append(h.taken, at)
	return h.tip, nil
}

// whole joins the edits of the steps.
func (p pull) whole() edit {
	all := edit{write: map[string]string{}}
	for _, s := range p.steps {
		maps.Copy(all.write, s.edit.write)
		all.remove = append(all.remove, s.edit.remove...)
	}
	return all
}

// takeMerged writes the commits on a branch of their own, and the merge.
func (h *history) takeMerged(p pull, ref string) (head, merge int) {
	branch := "topic-" + fmt.Sprint(p.number)
	head = h.at(h.tip, branch, func() {
		for _, s := range p.steps {
			h.commit(p.by, s.message, s.edit)
		}
	})
	h.ref(ref, head)
	fmt.Fprintf(&h.stream, "reset refs/heads/%s\nfrom 0000000000000000000000000000000000000000\n\n", branch)
	first, _, _ := strings.Cut(p.by.name, " ")
	subject := fmt.Sprintf("Merge pull request #%d from %s/%s", p.number, strings.ToLower(first), branch)
	return head, h.commit(people[0], join(subject, join(p.title, p.body)), p.whole(), head)
}

func join(subject, body string) string {
	if body == "" {
		return subject
	}
	return subject + "\n\n" + body
}
