package statement

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

const enough = "The client opens more requests than it should, and a slow server makes it run out of files. "

func TestLintRules(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string // "rule: text"
	}{
		{"clean", "Callers bound the open requests with `WithLimit`.", nil},
		{"an abbreviated commit", "As of `0123456`.", []string{"commit_id: 0123456"}},
		{"a commit in capitals", "As of 0123456789ABCDEF.", []string{"commit_id: 0123456789ABCDEF"}},
		{"a strange commit, whole", "As of " + strings.Repeat("c0ffee0000", 4) + ".", []string{"commit_id: " + strings.Repeat("c0ffee0000", 4)}},
		{"a hex number of another", "At 0xdeadbeef and deadbeef1.", nil},
		{"a link", "See https://github.com/ann/lib/pull/7.", []string{"reference: github.com/ann/lib/pull/7."}},
		{"a link without scheme", "See github.com/ann/lib/commit/0.", []string{"reference: github.com/ann/lib/commit/0."}},
		{"another host's link", "See https://git.example.com/ann/lib/-/merge_requests/7", []string{"reference: git.example.com/ann/lib/-/merge_requests/7"}},
		{"a link to documentation", "See https://pkg.example.com/lib/limit.", nil},
		{"a number", "As in ann/lib#7, #8 and GH-9.", []string{"reference: #8", "reference: GH-9", "reference: ann/lib#7"}},
		{"a number in words", "As pull request 7 says.", []string{"reference: pull request 7"}},
		{"a heading is no number", "# Seven\n", nil},
		{"a gold name", "It has a requestGate.", []string{"gold_name: requestGate"}},
		{"a gold name as code", "It has a `gate`.", []string{"gold_name: gate"}},
		{"a plain word that gold uses too", "It is a gate.", nil},
		{"a gold file", "It stands in limiter.go.", []string{"gold_path: limiter.go"}},
		{"another file", "It stands in rate_limiter.go.", nil},
		{"a line of gold", "It says return &Client{gate: newRequestGate()}.", []string{"gold_line: return &Client{gate: newRequestGate()}", "gold_name: newRequestGate"}},
		{"an address", "Ask ann@example.com.", []string{"email: ann@example.com"}},
	}
	sides := example()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := enough + tt.text + "\n\n" + headInterface + "\n\n- `WithLimit`\n"
			suspects, err := Suspects(sides, text)
			if err != nil {
				t.Fatal(err)
			}
			names, err := Introduced(sides, suspects, make([]map[string]bool, len(sides)))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range Lint(sides, names, text, []string{"WithLimit"}) {
				got = append(got, f.Rule+": "+f.Text)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

func TestUnstatedNames(t *testing.T) {
	sides := example()
	names := namesOf(t, sides)
	tests := []struct {
		name, text string
		interfaces []string
		want       bool // a finding
	}{
		{"in the text and in the interface", enough + "`WithLimit`", []string{"WithLimit"}, false},
		{"not in the text", enough, []string{"WithLimit"}, true},
		{"part of another word", enough + "WithLimits", []string{"WithLimit"}, true},
		{"not in the interface", enough + "`WithLimit`", nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found := Lint(sides, names, tt.text, tt.interfaces)
			got := strings.Contains(fmt.Sprint(found), RuleUnstated)
			if got != tt.want {
				t.Errorf("got %+v, want a finding: %v", found, tt.want)
			}
		})
	}
}

func TestThin(t *testing.T) {
	tests := []struct {
		name, text string
		want       bool
	}{
		{"a person's text without headings", enough, false},
		{"only an interface", headInterface + "\n\n" + enough, true},
		{"only what spans", headWrong + "\n\nIn `a/b`:\n\n" + headSpan + "\n\n" + enough, true},
		{"what is wrong", headWrong + "\n\n" + enough, false},
		{"other headings", "## Summary\n\n" + enough, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found := Lint([]Side{{Side: schemas.Side{Repo: "a/b"}}}, Names{}, tt.text, nil)
			if got := len(found) == 1 && found[0].Rule == RuleThin; got != tt.want {
				t.Errorf("got %+v, want thin: %v", found, tt.want)
			}
		})
	}
}
