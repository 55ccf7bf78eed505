package row

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crossswe/internal/golden"
	"crossswe/schemas"
)

func TestBuild(t *testing.T) {
	w := plainWorld(t)
	got, err := Build(w.input())
	if err != nil {
		t.Fatal(err)
	}
	if err := got.Validate(); err != nil {
		t.Error(err)
	}
	body, err := json.MarshalIndent(got, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "row.json", string(body)+"\n")
	if strings.Contains(string(body), ": null") || strings.Contains(string(body), "zoe") {
		t.Error("the row holds a null, or the name of a person")
	}
}

func TestAPushedImageIsNamedByItsDigest(t *testing.T) {
	in := plainWorld(t).input()
	in.Environment.Pushed = schemas.ImageRef("registry.example.org/env@" + string(dig))
	got, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	if want := string(in.Environment.Pushed); got.Image != want || got.ImageName != want {
		t.Errorf("got %s and %s, want %s", got.Image, got.ImageName, want)
	}
}

func TestTheDigestIsOverEveryOtherColumn(t *testing.T) {
	in := plainWorld(t).input()
	a, errA := Build(in)
	b, errB := Build(in)
	in.Options.Canary = "another"
	c, errC := Build(in)
	if err := errors.Join(errA, errB, errC); err != nil {
		t.Fatal(err)
	}
	if a.Digest != b.Digest || a.Digest == c.Digest {
		t.Errorf("got %s, %s for the same and %s for another row", a.Digest, b.Digest, c.Digest)
	}
}

// TestTheJoinedPatchesApplyAboveTheCheckouts applies them as the harness does:
// git apply in the testbed, which is itself no repository.
func TestTheJoinedPatchesApplyAboveTheCheckouts(t *testing.T) {
	nul := "a\x00b"
	w := newWorld(t,
		[2]files{
			{"same.txt": {"1\n", "2\n"}, "crlf.txt": {"a\r\nb\r\n", "a\r\nc\r\n"}, "no newline": {"x", "y"}, "gone.txt": {"gone\n", ""}, "dir/ü \"q\".txt": {"", "emoji 🦀\n"}},
			{"same.txt": {"1\n", "3\n"}, "bin.dat": {nul, nul + nul}, "new/deep/file": {"", "lone\rcr\n"}},
		},
		[2]files{{"t_test.go": {"package a\n", "package b\n"}}, {}})
	r, err := Build(w.input())
	if err != nil {
		t.Fatal(err)
	}
	apply(t, w.root, r.Patch)
	apply(t, w.root, r.TestPatch)
	want := map[string]string{"lib/same.txt": "2\n", "app/same.txt": "3\n", "lib/crlf.txt": "a\r\nc\r\n", "lib/no newline": "y", "lib/dir/ü \"q\".txt": "emoji 🦀\n",
		"app/bin.dat": nul + nul, "app/new/deep/file": "lone\rcr\n", "lib/t_test.go": "package b\n"}
	for name, content := range want {
		got, err := os.ReadFile(filepath.Join(w.root, name))
		if err != nil || string(got) != content {
			t.Errorf("%s: got %q, %v; want %q", name, got, err, content)
		}
	}
	if _, err := os.Stat(filepath.Join(w.root, "lib/gone.txt")); err == nil {
		t.Error("gone.txt is still there")
	}
	if r.ChangedFiles != 8 || r.ChangedLines != 11 {
		t.Errorf("got %d files and %d lines, want 8 and 11", r.ChangedFiles, r.ChangedLines)
	}
}

func TestAPatchThatDoesNotApplyInOneRepositoryChangesNone(t *testing.T) {
	w := plainWorld(t)
	r, err := Build(w.input())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(w.root, "app/app.go")); err != nil {
		t.Fatal(err)
	}
	if err := applies(w.root, r.Patch); err == nil {
		t.Fatal("the patch applies without one of its files")
	}
	if got, _ := os.ReadFile(filepath.Join(w.root, "lib/lib.go")); string(got) != "package lib\n" {
		t.Errorf("the first repository was changed: %q", got)
	}
}

func TestHostileRows(t *testing.T) {
	big := strings.Repeat("0123456789abcdef 🦀\n", 100_000) // over 2 MB
	w := newWorld(t, [2]files{{"big.txt": {"", big}}, {"z": {"", "nul in text is binary to git: \x00\n"}}}, [2]files{{"t_test.go": {"", "x\n"}}, {}})
	in := w.input()
	for i := range 20_000 {
		in.Verdict.PassToPass = append(in.Verdict.PassToPass, schemas.TestID(fmt.Sprintf("ann/lib::lib::TestMany/%05d", i)))
	}
	in.Verdict.SingleSide, in.Candidate.Sides[0].Language, in.Candidate.Sides[1].Language = nil, "", ""
	in.Statement.Text = "emoji 🦀 and NUL \x00"
	r, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Patch) < 2_000_000 || len(r.PassToPass) != 20_001 || r.ProblemStatement != in.Statement.Text {
		t.Errorf("got a patch of %d bytes, %d tests, statement %q", len(r.Patch), len(r.PassToPass), r.ProblemStatement)
	}
	if r.SingleSideTests == nil || r.Languages == nil {
		t.Error("empty lists are nil")
	}
	apply(t, w.root, r.Patch)
}

func TestTestsThatNoLogCarriesAreLeftOut(t *testing.T) {
	const good = schemas.TestID("bob/app::app::TestX[a (b) {c}]")
	tests := []struct {
		name    string
		bad     schemas.TestID
		refused bool // when it is the only one
	}{
		{"balanced", good, false},
		{"differing in case only", "bob/app::app::testx", false},
		{"an open bracket", "bob/app::app::test_x[a", true},
		{"crossed brackets", "bob/app::app::test_x[(])", true},
		{"a smile", "bob/app::app::is happy :)", true},
		{"a newline", "bob/app::app::a\nb", true},
		{"a line separator", "bob/app::app::a\u2028b", true},
		{"NUL", "bob/app::app::a\x00b", true},
		{"no text", "bob/app::app::a\xff", true},
		{"a blank at the end", "bob/app::app::a ", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := plainWorld(t).input()
			in.Verdict.FailToPass, in.Verdict.Joint, in.Verdict.SingleSide = []schemas.TestID{tt.bad}, []schemas.TestID{tt.bad}, nil
			_, err := Build(in)
			var refusal *Refusal
			if errors.As(err, &refusal) != tt.refused || tt.refused && refusal.Reason != NoTestLeft || !tt.refused && err != nil {
				t.Errorf("alone: got %v, want refused: %v", err, tt.refused)
			}
			in.Verdict.FailToPass, in.Verdict.Joint = []schemas.TestID{tt.bad, good}, []schemas.TestID{tt.bad, good}
			in.Verdict.PassToPass = []schemas.TestID{"bob/app::app::TestOld"}
			r, err := Build(in)
			if err != nil {
				t.Fatal(err)
			}
			left := strings.Contains(r.Provenance, `"tests_left_out":1`)
			if has := len(r.FailToPass) == 1 && r.FailToPass[0] == string(good); left != tt.refused || has != (tt.refused || tt.bad == good) {
				t.Errorf("beside a good one: got %q, left out: %v", r.FailToPass, left)
			}
		})
	}
}

func TestBuildRefuses(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(*Input)
		want  string
	}{
		{"a verdict of another image", func(in *Input) { in.Verdict.ImageID = "sha256:1" }, "the verdict is of image"},
		{"a repository that the environment lacks", func(in *Input) { in.Environment.Spec.Repos[1].Repo = "x/y" }, "bob/app"},
		{"another base", func(in *Input) { in.Environment.Spec.Repos[1].Base = "0" }, "has base"},
		{"no merge time", func(in *Input) { in.Candidate.Sides[0].MergedAt = time.Time{} }, "merge time"},
		{"a patch too few", func(in *Input) { in.Patches = in.Patches[:1] }, "pairs of patches"},
		{"a patch that is none", func(in *Input) { in.Patches[0].Gold = []byte("hello") }, "gold patch of ann/lib"},
		{"a test in both lists", func(in *Input) { in.Verdict.PassToPass = in.Verdict.FailToPass }, "FAIL_TO_PASS and in PASS_TO_PASS"},
		{"a patch in another encoding", func(in *Input) {
			in.Patches[0].Gold = []byte(strings.Replace(string(in.Patches[0].Gold), "WithLimit", "\xe9t\xe9", 1))
		}, string(NotText)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := plainWorld(t).input()
			tt.spoil(&in)
			if _, err := Build(in); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	finding := schemas.LintFinding{Rule: "commit_id", Text: "abc"}
	key := "+-----BEGIN " + "PRIVATE KEY-----\n+" + strings.Repeat("MIIEvQ", 10)
	tests := []struct {
		name   string
		policy Policy
		spoil  func(*schemas.Instance, *schemas.Statement)
		want   Reason
	}{
		{"approved", Policy{Approved: true}, func(_ *schemas.Instance, s *schemas.Statement) { s.Approved = "zoe" }, ""},
		{"a draft", Policy{Approved: true}, func(*schemas.Instance, *schemas.Statement) {}, NotApproved},
		{"a draft, where drafts may be", Policy{}, func(*schemas.Instance, *schemas.Statement) {}, ""},
		{"a draft with findings", Policy{}, func(_ *schemas.Instance, s *schemas.Statement) { s.Findings = append(s.Findings, finding) }, Findings},
		{"findings that a person approved", Policy{Approved: true}, func(_ *schemas.Instance, s *schemas.Statement) {
			s.Findings, s.Approved = append(s.Findings, finding), "zoe"
		}, ""},
		{"a licence that is allowed", Policy{Licenses: []string{"MIT"}}, func(*schemas.Instance, *schemas.Statement) {}, ""},
		{"a licence that is not", Policy{Licenses: []string{"Apache-2.0"}}, func(*schemas.Instance, *schemas.Statement) {}, Licence},
		{"an unknown licence", Policy{Licenses: []string{"MIT"}}, func(r *schemas.Instance, _ *schemas.Statement) { r.Repos[0].License = "" }, Licence},
		{"a secret in the gold patch", Policy{}, func(r *schemas.Instance, _ *schemas.Statement) { r.Patch = key }, Secret},
		{"a secret in the test patch", Policy{}, func(r *schemas.Instance, _ *schemas.Statement) { r.TestPatch = key }, Secret},
		{"an address", Policy{}, func(r *schemas.Instance, _ *schemas.Statement) { r.ProblemStatement = "ask ann@mit.edu" }, PersonalData},
		{"an address in code", Policy{}, func(r *schemas.Instance, _ *schemas.Statement) { r.Patch = "+// ann@mit.edu" }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, st := schemas.Instance{InstanceID: "a", Repos: []schemas.InstanceRepo{{Repo: "a/b", License: "MIT"}}}, schemas.Statement{}
			tt.spoil(&r, &st)
			var got Reason
			if refusal := Check(tt.policy, r, st); refusal != nil {
				got = refusal.Reason
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
