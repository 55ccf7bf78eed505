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
	rebased               // its commits again, on top; only refs/pull/n/head of a mirror tells
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
	switch p.style {
	case merged:
		at.head, at.merge = h.takeMerged(p)
	case rebased:
		h.takeRebased(p)
		at.head = h.tip
	default:
		h.branchOff(h.tip, p.number, p.by, p.steps)
		at.head = h.commit(p.by, numbered(join(p.title, p.body), p.number), p.whole())
	}
	h.taken = append(h.taken, at)
	return h.tip, nil
}

// takeRebased writes the commits on a branch that began one commit earlier,
// and writes them again: their authors and the times of writing stay.
func (h *history) takeRebased(p pull) {
	for i, mark := range h.branchOff(h.before[h.tip], p.number, p.by, p.steps) {
		h.authored = h.points[mark].at
		h.commit(p.by, p.steps[i].message, p.steps[i].edit)
	}
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
func (h *history) takeMerged(p pull) (head, merge int) {
	branch := fmt.Sprintf("topic-%d", p.number)
	head = h.at(h.tip, branch, func() {
		for _, s := range p.steps {
			h.commit(p.by, s.message, s.edit)
		}
	})
	if h.mirror {
		h.ref(fmt.Sprintf("refs/pull/%d/head", p.number), head)
	}
	h.remove("refs/heads/" + branch)
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
