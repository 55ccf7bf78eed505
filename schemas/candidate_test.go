package schemas

import (
	"slices"
	"strings"
	"testing"
)

func TestNewCandidateID(t *testing.T) {
	a := Side{Repo: "Pion/ice", Pull: 718, Base: shaA, Head: shaB}
	b := Side{Repo: "pion/webrtc", Base: shaA, Head: shaC}
	id := NewCandidateID([]Side{a, b})
	if want := "ice-718_webrtc-ccccccc-"; !strings.HasPrefix(string(id), want) || len(id) != len(want)+10 {
		t.Errorf("got %s, want %s and ten digits", id, want)
	}
	if _, err := ParseCandidateID(string(id)); err != nil {
		t.Error(err)
	}
	change := func(f func(*Side)) CandidateID { s := a; f(&s); return NewCandidateID([]Side{s, b}) }
	same := map[string]CandidateID{
		"another order":    NewCandidateID([]Side{b, a}),
		"another spelling": change(func(s *Side) { s.Repo = "pion/ICE" }),
		"another title":    change(func(s *Side) { s.Title = "x" }),
	}
	for name, got := range same {
		if got != id {
			t.Errorf("%s: got %s, want %s", name, got, id)
		}
	}
	other := map[string]CandidateID{
		"another base":  change(func(s *Side) { s.Base = shaB }),
		"another head":  change(func(s *Side) { s.Head = shaA }),
		"another owner": change(func(s *Side) { s.Repo = "x/ice" }),
	}
	for name, got := range other {
		if got == id {
			t.Errorf("%s: the id stayed %s", name, got)
		}
	}
}

func TestNewCandidateIDIsAlwaysParsable(t *testing.T) {
	long := RepoName("o/" + strings.Repeat("x", 100))
	for _, name := range []RepoName{long, "o/..a", "o/a..b", "o/a...b", "o/-", "o/_x_", "o/A.B"} {
		id := NewCandidateID([]Side{{Repo: name, Base: shaA, Head: shaB}, {Repo: long, Pull: 1 << 30, Base: shaA, Head: shaC}})
		if _, err := ParseCandidateID(string(id)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCandidateValidate(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(*Candidate)
		want  string // part of the error
	}{
		{"as it is", func(*Candidate) {}, ""},
		{"one side", func(c *Candidate) { c.Sides = c.Sides[:1] }, "two sides"},
		{"six sides", func(c *Candidate) { c.Sides = slices.Repeat(c.Sides, 3) }, "at most 5"},
		{"a repository twice", func(c *Candidate) { c.Sides[1].Repo = "ANN/lib" }, "two sides"},
		{"no base", func(c *Candidate) { c.Sides[0].Base = "" }, "required"},
		{"a link to a stranger", func(c *Candidate) { c.Links[0].To = "x/y" }, "not both are sides"},
		{"a made-up id", func(c *Candidate) { c.ID = "a-1_b-2-0123456789" }, "does not follow"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := fullCandidate()
			tt.spoil(&c)
			wantError(t, c.Validate(), tt.want)
		})
	}
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("got %v, want no error", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("got %v, want one with %q", err, want)
	}
}
