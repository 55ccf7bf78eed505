package statement

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/internal/golden"
	"crossswe/schemas"
)

func TestDraft(t *testing.T) {
	sides := example()
	names := namesOf(t, sides, "limit", "open", "requests", "number", "bounds", "return", "apply", "the")
	got := Draft(sides, names)
	golden.Check(t, "draft.md", got)
	if found := Lint(sides, names, got, names.Needed); len(found) > 0 {
		t.Errorf("the lint finds %+v in the draft", found)
	}
}

func TestADraftOfNothingIsThin(t *testing.T) {
	sides := example()
	for i := range sides {
		sides[i].Title, sides[i].Body = "", "Fixes #1"
	}
	names := namesOf(t, sides)
	found := Lint(sides, names, Draft(sides, names), names.Needed)
	want := []schemas.LintFinding{{Rule: RuleThin, Text: "0 words", Detail: "about what is wrong and what is expected"}}
	if d := cmp.Diff(want, found); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestIntroduced(t *testing.T) {
	sides := example()
	names := namesOf(t, sides, "the")
	if d := cmp.Diff([]string{"WithLimit"}, names.Needed); d != "" {
		t.Errorf("needed (-want +got):\n%s", d)
	}
	want := Declaration{Repo: "ann/lib", Line: "func WithLimit(n int) Option"}
	if d := cmp.Diff(want, names.Declared["WithLimit"]); d != "" {
		t.Errorf("declared (-want +got):\n%s", d)
	}
	if !names.Gold["requestGate"] || names.Gold["Client"] || names.Gold["TestLimit"] {
		t.Errorf("gold names: got %v", names.Gold)
	}
	if d := cmp.Diff([]string{"limiter.go"}, names.Paths); d != "" {
		t.Errorf("paths (-want +got):\n%s", d)
	}
	if got := namesOf(t, sides, "WithLimit"); len(got.Needed) > 0 {
		t.Errorf("a name of the base tree is needed: %v", got.Needed)
	}
}

func TestNeeded(t *testing.T) {
	tests := []struct {
		name, gold, test string
		want             []string
	}{
		{"a function", "+func Fresh() {}", "+	Fresh()", []string{"Fresh"}},
		{"a comment of the test", "+func Fresh() {}", "+	// Fresh is not called", nil},
		{"a variable of the test's own", "+	fresh := 1", "+	fresh := 2", nil},
		{"one of two variables", "+func fresh() {}", "+	a, fresh := 1, 2", nil},
		{"a function of the test's own", "+func fresh() {}", "+func fresh(t *testing.T) {}", nil},
		{"a key", `+	opts["freshKey"]`, `+	got["freshKey"]`, []string{"freshKey"}},
		{"a word in a title", "+function fresh() {}", "+it('is fresh and new', () => {", nil},
		{"unpacked from an import", "+exports.fresh = 1", "+const { fresh } = require('lib')", []string{"fresh"}},
		{"an import", "+export class Fresh {", "+import { Fresh } from 'lib'", []string{"Fresh"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sides := []Side{{Side: schemas.Side{Repo: "a/b"}, Gold: []byte(diff("x.go", " old", tt.gold)), Test: []byte(diff("x_test.go", " old", tt.test))}}
			if d := cmp.Diff(tt.want, namesOf(t, sides, "func", "function", "class").Needed); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

func TestANameOfAnotherRepositoryIsNeededWhereItIsDeclaredAnew(t *testing.T) {
	sides := []Side{
		{Side: schemas.Side{Repo: "a/lib"}, Gold: []byte(diff("x.go", " old", "+other"))},
		{Side: schemas.Side{Repo: "b/app"}, Gold: []byte(diff("y.go", " old", "+func (c *Conn) Drain() error {", "+	Helper()")), Test: []byte(diff("y_test.go", "+	c.Drain(); Helper()"))},
	}
	suspects, err := Suspects(sides)
	if err != nil {
		t.Fatal(err)
	}
	names, err := Introduced(sides, suspects, []map[string]bool{{"Drain": true, "Helper": true}, {}})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"Drain"}, names.Needed); d != "" || names.Gold["Drain"] {
		t.Errorf("gold %v, needed (-want +got):\n%s", names.Gold, d)
	}
	want := Declaration{Repo: "b/app", Line: "func (c *Conn) Drain() error"}
	if d := cmp.Diff(want, names.Declared["Drain"]); d != "" {
		t.Errorf("declared (-want +got):\n%s", d)
	}
}

func TestChoresAreLeftOut(t *testing.T) {
	sides := []Side{{Dir: "b", Side: schemas.Side{Repo: "a/b", Title: "feat: Close gracefully and wait", Body: `* Close gracefully and wait

* fix failing tests

* Update go.mod of the module

* chore: align tests with it

* Fix merge conflicts again

* Merge branch 'main' into x

* feat!: the client waits for goroutines`}}}
	text := Draft(sides, Names{})
	got := strings.Count(text, "\n- ") - 1 // less the list of repositories
	if got != 2 || !strings.Contains(text, "- Close gracefully and wait\n- The client waits for goroutines\n") {
		t.Errorf("got %d sentences in\n%s", got, text)
	}
}

func TestAFileThatATestLoadsIsNeeded(t *testing.T) {
	sides := []Side{{Side: schemas.Side{Repo: "a/b"}, Gold: []byte(diff("lib/fresh-thing.js", "+exports.x = 1")), Test: []byte(diff("t.js", "+require('../lib/fresh-thing')"))}}
	names := namesOf(t, sides)
	if d := cmp.Diff([]string{"lib/fresh-thing.js"}, names.Needed); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if text := Draft(sides, names); !strings.Contains(text, "- `lib/fresh-thing.js` in `a/b`\n") {
		t.Errorf("got %s", text)
	}
}

func TestAPatchThatIsNoneIsRefused(t *testing.T) {
	if _, err := Suspects([]Side{{Gold: []byte("nonsense")}}); err == nil {
		t.Error("got no error")
	}
}
