package world

import (
	"maps"
	"strings"
	"time"

	"crossswe/schemas"
)

// change is one repository's part of a story, told in pull requests.
type change struct {
	plan
	pull pull
	// message is that of the second commit, which brings the tests.
	tests  string
	remove []string
	// next is the release that follows the change; empty for none: then those
	// who need the change name it by pseudo-version.
	next string
}

// day is noon of a date, which must be well formed.
func day(year int, month time.Month, d int) time.Time {
	return time.Date(year, month, d, 12, 0, 0, 0, time.UTC)
}

// goRepo is a plan of a Go repository with the usual values.
func goRepo(name schemas.RepoName, about string, first, of int, quiet time.Time) plan {
	return plan{
		name: name, about: about, begin: quiet.AddDate(-1, -11, first*9), share: [2]int{first, of}, license: "MIT",
		goLine: "1.25", matrix: "'1.25', '1.26'", release: "v0.3.0", quiet: quiet,
	}
}

// tell founds the repository, brings its change in with the further edit, and
// lets it grow on. It returns the mark of the change.
func (t *teller) tell(c change, further edit) (*history, int, error) {
	h := t.found(c.plan)
	c.pull.steps = t.steps(h, c, further)
	mark, err := h.take(c.pull)
	if err != nil {
		return nil, 0, err
	}
	if c.next != "" {
		h.advance(h.now.Add(5 * time.Hour))
		h.release(c.next)
	}
	h.grow(len(h.queue), h.now.AddDate(0, 1, 10))
	return h, mark, nil
}

// steps splits the head of the story into the product and its tests.
func (t *teller) steps(h *history, c change, further edit) []step {
	code := t.overlay(h, "head", product)
	maps.Copy(code.write, further.write)
	code.remove = c.remove
	steps := []step{{join(c.pull.title, ""), code}}
	if tests := t.overlay(h, "head", isTest); len(tests.write) > 0 {
		steps = append(steps, step{c.tests, tests})
	}
	return steps
}

// provide tells a repository and finishes it; it returns what others require
// of its base release and of its change.
func (t *teller) provide(c change, further edit) (base, after require, h *history, err error) {
	h, mark, err := t.tell(c, further)
	if err != nil {
		return base, after, nil, err
	}
	if err = t.finish(h); err != nil {
		return base, after, nil, err
	}
	if base, err = h.tagged(c.release); err != nil {
		return base, after, nil, err
	}
	if c.next != "" {
		after, err = h.tagged(c.next)
	} else {
		after, err = h.pseudo(mark, c.release)
	}
	return base, after, h, err
}

// goPair tells of a provider and a consumer that moves to its change; others
// are what the consumer needs besides.
func (t *teller) goPair(provider, consumer change, others ...require) error {
	base, after, _, err := t.provide(provider, edit{})
	if err != nil {
		return err
	}
	consumer.needs = append([]require{base}, others...)
	bump := (&history{name: consumer.name}).modEdit(consumer.goLine, append([]require{after}, others...)...)
	h, _, err := t.tell(consumer, bump)
	if err != nil {
		return err
	}
	return t.finish(h)
}

// fill replaces {id} in a text by the id of a commit.
func fill(text string, id schemas.CommitSHA) string {
	return strings.ReplaceAll(text, "{id}", string(id))
}
