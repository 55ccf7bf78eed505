package review

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"crossswe/schemas"
)

// Change is what to write: reviews that are new, and decisions that are new or
// other than those on record.
type Change struct {
	Reviews   []schemas.Review
	Decisions []schemas.Decision
}

// Merge says what an import changes. What is there already is passed over, so
// a second import changes nothing. Nothing is overwritten: a review that
// differs from the one of the same person and time, or a decision against the
// one on record, is a fault. The error holds all faults with their lines, and
// then there is nothing to write.
func Merge(p Policy, cases []Case, entries []Entry) (Change, error) {
	m := merger{policy: p, cases: map[schemas.CandidateID]*Case{}, seen: map[string]schemas.Review{}, told: map[schemas.CandidateID]Entry{}}
	for _, c := range cases {
		c.Reviews = slices.Clone(c.Reviews)
		m.cases[c.Candidate.ID] = &c
		for _, r := range c.Reviews {
			m.seen[r.RecordKey()] = r
		}
	}
	for _, e := range entries {
		m.faults.add(e.Line, m.take(e))
	}
	for _, id := range slices.Sorted(maps.Keys(m.cases)) {
		e := m.told[id]
		m.faults.add(e.Line, m.settle(m.cases[id], e.Decision))
	}
	if err := m.faults.err(); err != nil {
		return Change{}, err
	}
	return m.change, nil
}

type merger struct {
	policy Policy
	cases  map[schemas.CandidateID]*Case
	seen   map[string]schemas.Review
	told   map[schemas.CandidateID]Entry // the decision that the file holds
	change Change
	faults faults
}

func (m *merger) take(e Entry) error {
	if e.Decision != nil {
		return m.takeDecision(e)
	}
	return m.takeReview(*e.Review)
}

func (m *merger) takeReview(r schemas.Review) error {
	c, known := m.cases[r.Candidate]
	if !known {
		return fmt.Errorf("candidate %s is not known", r.Candidate)
	}
	if r.Adjudication && !adjudicator(m.policy, r.Reviewer) {
		return fmt.Errorf("%s adjudicates and is none of screen.adjudicators", r.Reviewer)
	}
	have, ok := m.seen[r.RecordKey()]
	if ok && !sameReview(have, r) {
		return fmt.Errorf("it differs from the review of %s by %s at the same time", r.Candidate, r.Reviewer)
	}
	if ok {
		return nil
	}
	m.seen[r.RecordKey()] = r
	c.Reviews = append(c.Reviews, r)
	m.change.Reviews = append(m.change.Reviews, r)
	return nil
}

func sameReview(a, b schemas.Review) bool {
	sameTime := a.At.Equal(b.At)
	a.At, b.At = a.At.UTC(), a.At.UTC()
	return sameTime && a == b
}

func (m *merger) takeDecision(e Entry) error {
	d := e.Decision
	c, known := m.cases[d.Candidate]
	if !known {
		return fmt.Errorf("candidate %s is not known", d.Candidate)
	}
	if before, ok := m.told[d.Candidate]; ok && before.Decision.Choice != d.Choice {
		return fmt.Errorf("it says %s, line %d says %s", d.Choice, before.Line, before.Decision.Choice)
	}
	if c.Recorded != nil && c.Recorded.Choice != d.Choice {
		return fmt.Errorf("it says %s, but %s is decided already: %s", d.Choice, d.Candidate, c.Recorded.Choice)
	}
	m.told[d.Candidate] = e
	return nil
}

// settle judges a case anew with the file's decision, if it holds one. The
// reviews come first: a decision that they do not come to is an imported one.
func (m *merger) settle(c *Case, told *schemas.Decision) error {
	standing := Judge(m.policy, c.Candidate.ID, c.Reviews, c.Recorded)
	if told != nil && standing.Decision != nil && standing.Decision.Choice != told.Choice {
		return fmt.Errorf("it says %s, but the reviews of %s come to %s", told.Choice, told.Candidate, standing.Decision.Choice)
	}
	d := standing.Decision
	if d == nil && told != nil {
		imported := *told
		imported.How = schemas.HowImported
		d = &imported
	}
	if d != nil && (c.Recorded == nil || !SameDecision(*d, *c.Recorded)) {
		m.change.Decisions = append(m.change.Decisions, *d)
	}
	return nil
}

// SameDecision reports whether two decisions are equal in everything.
func SameDecision(a, b schemas.Decision) bool {
	return a.Candidate == b.Candidate && a.Choice == b.Choice && a.Reason == b.Reason && a.Intent == b.Intent &&
		a.Domain == b.Domain && a.How == b.How && a.At.Equal(b.At) && slices.Equal(a.Reviewers, b.Reviewers)
}

// tick is the resolution of a review's time.
const tick = time.Second

// Add says what one more review changes. The time of the review is moved on
// until it is later than every other review of the same person. The error says
// why the person may not judge.
func Add(p Policy, cases []Case, r schemas.Review) (Change, error) {
	c, ok := Find(cases, r.Candidate)
	if !ok {
		return Change{}, fmt.Errorf("candidate %s is not known", r.Candidate)
	}
	adjudication, err := May(p, c.Standing, r.Reviewer)
	if err != nil {
		return Change{}, err
	}
	if r.Adjudication = adjudication; adjudication && r.Choice == schemas.ChoiceUnsure {
		return Change{}, errors.New("an adjudicator decides keep or drop")
	}
	for _, o := range inOrder(c.Reviews) {
		if Same(o.Reviewer, r.Reviewer) && !r.At.After(o.At) {
			r.At = o.At.Add(tick)
		}
	}
	return Merge(p, cases, []Entry{{Line: 1, Review: &r}})
}

// Find returns the case of a candidate.
func Find(cases []Case, id schemas.CandidateID) (Case, bool) {
	i := slices.IndexFunc(cases, func(c Case) bool { return c.Candidate.ID == id })
	if i < 0 {
		return Case{}, false
	}
	return cases[i], true
}
