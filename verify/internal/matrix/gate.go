package matrix

import (
	"fmt"
	"slices"
	"strings"

	"crossswe/schemas"
)

// fault is a gate that did not hold.
type fault struct {
	kind   schemas.VerdictKind
	reason string
}

// gate returns the first gate that the runs show to be broken, nil when there
// is none: no run void, base health, and a full mask that builds and in which
// something passes.
func (s *Set) gate(done []Run) *fault {
	for _, r := range done {
		if r.Failure != "" {
			return &fault{schemas.VerdictEnvironment, fmt.Sprintf("%s is void (%s): %s", s.runName(r.Job), r.Failure, oneLine(r.Detail))}
		}
		if len(r.Unbuilt) > 0 && (r.Health || r.Mask == s.full()) {
			return &fault{schemas.VerdictEnvironment, fmt.Sprintf("%s: %s does not build: %s", s.runName(r.Job), r.Unbuilt[0], oneLine(r.Detail))}
		}
	}
	for _, r := range done {
		if r.Health {
			if f := s.health(r); f != nil {
				return f
			}
		}
	}
	return s.fullGate(done)
}

func (s *Set) runName(j Job) string {
	if j.Health {
		return "the health run"
	}
	return "mask " + j.Mask.Name(len(s.Repos))
}

// health is the base health gate. A unit that does not load without any patch
// breaks it, and so does a repository most of whose target tests fail as they
// were. Single failing tests do not: they are left out of the judgement.
func (s *Set) health(r Run) *fault {
	passed, ran := map[int]int{}, map[int]int{}
	for _, id := range sortedIDs(r.Tests) {
		res := r.Tests[id]
		if id.IsLoad() && loadError(res.Failure) && res.Outcome == schemas.OutcomeError {
			return &fault{schemas.VerdictEnvironment, fmt.Sprintf("base health: %s of %s does not load without any patch (%s): %s", id.Unit(), id.Repo(), res.Failure, oneLine(res.Detail))}
		}
		if i := s.repo(id); !id.IsLoad() && i >= 0 && res.Outcome != schemas.OutcomeSkip {
			ran[i]++
			if res.Outcome == schemas.OutcomePass {
				passed[i]++
			}
		}
	}
	for i, name := range s.Repos {
		if ran[i] > 0 && passed[i]*2 < ran[i] {
			return &fault{schemas.VerdictEnvironment, fmt.Sprintf("base health: only %d of %d target tests of %s pass without any patch", passed[i], ran[i], name)}
		}
	}
	return nil
}

// fullGate asks that something passes in the full mask: "all states fail" is
// no verdict about the change.
func (s *Set) fullGate(done []Run) *fault {
	t := s.table(done)
	if len(t.runs[s.full()]) == 0 {
		return nil
	}
	for _, id := range t.ids {
		if o := t.cell(id, s.full()).Outcome; o == schemas.OutcomePass || o == schemas.OutcomeVaries {
			return nil
		}
	}
	reason := "no test passes in the full mask"
	for _, id := range t.loads {
		if c := t.cell(id, s.full()); c.Outcome != schemas.OutcomePass {
			reason += fmt.Sprintf(": %s of %s (%s) %s", id.Unit(), id.Repo(), c.Failure, oneLine(c.detail))
			break
		}
	}
	return &fault{schemas.VerdictEnvironment, reason}
}

func sortedIDs(m map[schemas.TestID]Result) []schemas.TestID {
	ids := make([]schemas.TestID, 0, len(m))
	for id := range m {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// oneLine is the beginning of a text, for a sentence.
func oneLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if len(line) > 300 {
		line = strings.ToValidUTF8(line[:300], "") + "…"
	}
	if line == "" {
		return "no details"
	}
	return line
}
