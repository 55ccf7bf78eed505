package schemas

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEncodeThenDecode(t *testing.T) {
	body, err := Encode(fullReview())
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode[Review](body)
	if diff := cmp.Diff(fullReview(), got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestEncodeWritesEmptyListsAndLeavesTheRecordAlone(t *testing.T) {
	c := fullCandidate()
	body, err := Encode(c)
	if err != nil || strings.Contains(string(body), "null") {
		t.Errorf("got %s, %v", body, err)
	}
	if c.Cues != nil || c.Sides[0].Labels != nil {
		t.Error("the caller's record was changed")
	}
}

func TestDecodeRefuses(t *testing.T) {
	good, err := Encode(fullReview())
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, body, want string }{
		{"an unknown field", `{"colour":1}`, "unknown field"},
		{"data after the end", string(good) + "{}", "after its end"},
		{"half a record", string(good[:20]), "reading a review"},
		{"an invalid record", `{"candidate":"a-1"}`, "required"},
		{"nothing", "", "reading a review"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Decode[Review]([]byte(tt.body))
			wantError(t, err, tt.want)
		})
	}
}

func TestReviewValidate(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(*Review)
		want  string
	}{
		{"as it is", func(*Review) {}, ""},
		{"unsure", func(r *Review) { r.Choice, r.Reason = ChoiceUnsure, ReasonInsufficient }, ""},
		{"keep for another reason", func(r *Review) { r.Reason = ReasonFork }, "kept"},
		{"drop because joint", func(r *Review) { r.Choice = ChoiceDrop }, "no reason to drop"},
		{"unknown reason", func(r *Review) { r.Reason = "mood" }, "unknown reason"},
		{"unknown choice", func(r *Review) { r.Choice = "" }, "unknown choice"},
		{"unknown intent", func(r *Review) { r.Intent = "fun" }, "unknown task intent"},
		{"shouted domain", func(r *Review) { r.Domain = "WEB" }, "domain"},
		{"long domain", func(r *Review) { r.Domain = strings.Repeat("a", 61) }, "domain"},
		{"no time", func(r *Review) { r.At = time.Time{} }, "time"},
		{"negative seconds", func(r *Review) { r.Seconds = -1 }, "seconds"},
		{"name with an escape", func(r *Review) { r.Reviewer = "a\x1b[2J" }, "reviewer"},
		{"name with a slash", func(r *Review) { r.Reviewer = "a/b" }, "reviewer"},
		{"notes without end", func(r *Review) { r.Notes = strings.Repeat("n", MaxNotes+1) }, "notes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := fullReview()
			tt.spoil(&r)
			wantError(t, r.Validate(), tt.want)
		})
	}
}

func TestDecisionValidate(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(*Decision)
		want  string
	}{
		{"as it is", func(*Decision) {}, ""},
		{"unsure", func(d *Decision) { d.Choice = ChoiceUnsure }, "unknown choice"},
		{"no way", func(d *Decision) { d.How = "" }, "unknown way"},
		{"no candidate", func(d *Decision) { d.Candidate = "" }, "candidate"},
		{"unknown intent", func(d *Decision) { d.Intent = "x" }, "task intent"},
		{"bad reviewer", func(d *Decision) { d.Reviewers = []string{""} }, "reviewer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := fullDecision()
			tt.spoil(&d)
			wantError(t, d.Validate(), tt.want)
		})
	}
}

func TestEnvironmentValidate(t *testing.T) {
	hex := strings.Repeat("0", 64)
	tests := []struct {
		name   string
		pushed ImageRef
		want   string
	}{
		{"not pushed", "", ""},
		{"by digest", ImageRef("registry.example.org/crossswe/env@sha256:" + hex), ""},
		{"with a port", ImageRef("127.0.0.1:5000/env@sha256:" + hex), ""},
		{"by tag", "registry.example.org/crossswe/env:1", "pushed"},
		{"by tag and digest", ImageRef("registry.example.org/crossswe/env:1@sha256:" + hex), "pushed"},
		{"a digest alone", ImageRef("sha256:" + hex), "pushed"},
		{"a short digest", "registry.example.org/env@sha256:00", "pushed"},
		{"another algorithm", ImageRef("registry.example.org/env@sha512:" + hex), "pushed"},
		{"with a login", ImageRef("user:word@registry.example.org/env@sha256:" + hex), "pushed"},
		{"an address", ImageRef("https://registry.example.org/env@sha256:" + hex), "pushed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := fullEnvironment()
			e.Pushed = tt.pushed
			wantError(t, e.Validate(), tt.want)
		})
	}
}

func TestSpecValidate(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(*Spec)
		want  string
	}{
		{"as it is", func(*Spec) {}, ""},
		{"no base image", func(s *Spec) { s.Base = "" }, "image"},
		{"unknown history", func(s *Spec) { s.History = "all" }, "history"},
		{"one repository", func(s *Spec) { s.Repos = s.Repos[:1] }, "two or more"},
		{"a directory that climbs", func(s *Spec) { s.Repos[0].Dir = ".." }, "path segment"},
		{"a directory twice", func(s *Spec) { s.Repos[1].Dir = "LIB" }, "used twice"},
		{"a report in a checkout", func(s *Spec) { s.Repos[0].Targets[0].Report = "/testbed/lib/r" }, "outside"},
		{"a target without a command", func(s *Spec) { s.Repos[0].Targets[0].Command.Run = nil }, "command"},
		{"a link without a proof", func(s *Spec) { s.Links[0].Want = "" }, "proof"},
		{"a link to a stranger", func(s *Spec) { s.Links[0].Provider = "x/y" }, "among repos"},
		{"a file with a relative path", func(s *Spec) { s.Files = []SpecFile{{Path: "go.work"}} }, "absolute"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := fullSpec()
			tt.spoil(&s)
			wantError(t, s.Validate(), tt.want)
		})
	}
}

func TestVerdictAndInstanceValidate(t *testing.T) {
	v := fullVerdict()
	v.Joint = nil
	wantError(t, v.Validate(), "joint tests")
	v = fullVerdict()
	v.Repos = v.Repos[:1]
	wantError(t, v.Validate(), "repositories")
	i := fullInstance()
	i.FailToPass = nil
	wantError(t, i.Validate(), "FAIL_TO_PASS")
	i = fullInstance()
	i.Repos = nil
	wantError(t, i.Validate(), "two repositories")
	wantError(t, Statement{Candidate: "a-1"}.Validate(), "text")
	wantError(t, Environment{Candidate: "a-1"}.Validate(), "image")
}
