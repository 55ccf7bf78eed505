package page

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"crossswe/internal/agreement"
	"crossswe/internal/golden"
	"crossswe/schemas"
	"crossswe/screen/internal/review"
)

var at = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// hostile clears the screen, sets the title and turns the text round.
const hostile = "\x1b[2J\x1b]0;owned\x07 \u202egnp.exe \x9b31m\r\nsecond line"

func example() review.Case {
	sha := schemas.CommitSHA(strings.Repeat("a", 40))
	c := schemas.Candidate{ID: "lib-7_app-bbbbbbb-0123456789",
		Sides: []schemas.Side{
			{Repo: "ann/lib", Pull: 7, Base: sha, Head: sha, Commits: 2, Title: "Add a limit " + hostile, Body: "The limit is missing.\r\n\r\n" + hostile, Labels: []string{"bug\x1b[1m"},
				MergedAt: at, Role: schemas.RoleProvider, License: "MIT", Language: "Go",
				Files: []schemas.File{
					{Path: "limit.go", Status: schemas.FileAdded, Class: schemas.ClassSource, Added: 12},
					{Path: "b\x1b[2J.go", OldPath: "a.go", Status: schemas.FileRenamed, Class: schemas.ClassTest, Deleted: 3, Missing: true},
				}},
			{Repo: "bob/app", Base: sha, Head: sha, Commits: 1, Title: "Use the limit", MergedAt: at, Role: schemas.RoleConsumer},
		},
		Links: []schemas.Link{
			{From: "bob/app", To: "ann/lib", Kind: schemas.LinkVersion, Where: schemas.PlaceManifest, Path: "go.mod", Text: "ann/lib v1.2.0", OldVersion: "v1.1.0", NewVersion: "v1.2.0"},
			{From: "bob/app", To: "ann/lib", Kind: schemas.LinkDependsOn, Where: schemas.PlaceCommitMessage, Text: "Depends-On: ann/lib#7" + hostile},
		},
		Cues:  []schemas.Cue{{Kind: schemas.CueSharedIdentifier, Detail: "WithLimit: limit.go of ann/lib, main.go of bob/app"}},
		Score: schemas.Score{Total: 4.5, Parts: []schemas.ScorePart{{Name: "version", Value: 5, Detail: "go.mod"}, {Name: "age", Value: -0.5, Detail: "12 days"}}},
	}
	reviews := []schemas.Review{
		{Candidate: c.ID, Reviewer: "ann", Choice: schemas.ChoiceKeep, Reason: schemas.ReasonJoint, Intent: schemas.IntentAPI, Domain: "networking", Notes: "sure\x1b[2J", At: at},
		{Candidate: c.ID, Reviewer: "bob", Choice: schemas.ChoiceDrop, Reason: schemas.ReasonMention, At: at.Add(time.Hour)},
		{Candidate: c.ID, Reviewer: "zoe", Choice: schemas.ChoiceKeep, Reason: schemas.ReasonJoint, At: at.Add(2 * time.Hour), Adjudication: true},
	}
	policy := review.Policy{Reviewers: 2, Adjudicators: []string{"zoe"}}
	return review.Cases(policy, []schemas.Candidate{c}, reviews, nil)[0]
}

func TestCandidate(t *testing.T) {
	var decided, blind strings.Builder
	c := example()
	Candidate(&decided, c, c.Reviews)
	golden.Check(t, "decided.golden", decided.String())
	Candidate(&blind, c, nil)
	if strings.Contains(blind.String(), "mere_mention") || !strings.Contains(blind.String(), "3 by others, hidden") {
		t.Errorf("hidden reviews:\n%s", blind.String())
	}
	for _, r := range decided.String() {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			t.Errorf("the page holds the control character %q", r)
		}
	}
}

func TestLongThingsAreCut(t *testing.T) {
	c := example()
	c.Candidate.Sides[0].Body = strings.Repeat("é", maxBody)
	c.Candidate.Sides[0].Files = make([]schemas.File, maxFiles+5)
	var b strings.Builder
	Candidate(&b, c, nil)
	if !strings.Contains(b.String(), "… and 5 files more") || !strings.Contains(b.String(), "| […]") || strings.Contains(b.String(), `\x`) && !strings.Contains(b.String(), `\x1b`) {
		t.Errorf("got\n%s", b.String())
	}
}

func TestList(t *testing.T) {
	var b strings.Builder
	List(&b, []review.Case{example()})
	golden.Check(t, "list.golden", b.String())
}

func TestStatement(t *testing.T) {
	var b strings.Builder
	Statement(&b, schemas.Statement{Candidate: "lib-7_app-bbbbbbb-0123456789", Text: "# Task\n" + hostile, Interface: []string{"WithLimit"}, Method: "extractive",
		Findings: []schemas.LintFinding{{Rule: "commit_id", Text: "abc1234", Detail: "of ann/lib"}}})
	golden.Check(t, "statement.golden", b.String())
}

func TestEstimate(t *testing.T) {
	tests := []struct {
		in   agreement.Estimate
		want string
	}{
		{agreement.Estimate{}, "undefined, no candidate has enough reviews"},
		{agreement.Estimate{Units: 3}, "undefined, all reviews of 3 candidates say the same"},
		{agreement.Estimate{Units: 1, Defined: true, Value: -1}, "-1.00 over 1 candidates"},
		{agreement.Estimate{Units: 50, Defined: true, Value: 0.4, HasInterval: true, Low: 0.15, High: 0.649}, "0.40 (95 %: 0.15 to 0.65) over 50 candidates"},
	}
	for _, tt := range tests {
		if got := Estimate(tt.in); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestSafe(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "a\tb\nc é 🦀", "a\tb\nc é 🦀"},
		{"escape sequence", "\x1b[2J", `\x1b[2J`},
		{"eight-bit control", "\u009b31m", `\x9b31m`},
		{"byte that is no text", "\xff\xfe", `\xff\xfe`},
		{"a real replacement character", "\uFFFD", "\uFFFD"},
		{"CRLF", "a\r\nb", "a\nb"},
		{"a lone carriage return hides", "evil\rgood", `evil\x0dgood`},
		{"right-to-left override", "a\u202eb", `a\u202eb`},
		{"zero width", "a\u200bb", `a\u200bb`},
		{"NUL and DEL", "\x00\x7f", `\x00\x7f`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Safe(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if got := Line("a\n\x1b  b c", 6); got != `a \x1b`[:5]+"…" {
		t.Errorf("got %q", got)
	}
}

func FuzzSafe(f *testing.F) {
	f.Add(hostile)
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range Safe(s) {
			if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
				t.Errorf("%q gave %q", s, r)
			}
		}
	})
}
