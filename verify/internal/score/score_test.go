package score

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/internal/golden"
	"crossswe/schemas"
)

func row(id string, languages ...string) schemas.Instance {
	return schemas.Instance{InstanceID: id, Languages: languages, FailToPass: []string{"a/b::p::TestNew"}, PassToPass: []string{"a/b::p::TestOld", "x/y::q::a name (with) blanks"},
		Repos: []schemas.InstanceRepo{{Repo: "a/b", Dir: "b"}, {Repo: "x/y", Dir: "y"}}, ChangedLines: 20, ChangedFiles: 3}
}

var rows = map[string]schemas.Instance{"one": row("one", "Go"), "two": row("two", "Go", "JavaScript")}

const diff = "diff --git a/f.go b/f.go\n--- a/f.go\n+++ b/f.go\n@@ -1 +1 @@\n-x\n+y\n"

func number(f float64) *float64 { return &f }

func TestRead(t *testing.T) {
	line := func(id, patch string) string {
		return fmt.Sprintf(`{"instance_id": %q, "model_name_or_path": "m", "model_patch": %q}`, id, patch)
	}
	one := Prediction{Instance: "one", Model: "m", Patch: []byte(diff)}
	tests := []struct {
		name, body string
		want       []Prediction
	}{
		{"JSON lines", line("one", diff) + "\n\n" + line("two", "") + "\n", []Prediction{one, {Instance: "two", Model: "m"}}},
		{"one line", line("one", diff), []Prediction{one}},
		{"one prediction over several lines", strings.ReplaceAll(line("one", diff), ", ", ",\n"), []Prediction{one}},
		{"a list", "[" + line("one", diff) + "," + line("one", "") + "]", []Prediction{one, {Instance: "one", Model: "m"}}},
		{"mini-SWE-agent's preds.json", `{"two": ` + line("two", diff) + `, "one": {"model_name_or_path": "m", "model_patch": null}}`,
			[]Prediction{{Instance: "one", Model: "m"}, {Instance: "two", Model: "m", Patch: []byte(diff)}}},
		{"without its last line break", line("one", strings.TrimSuffix(diff, "\n")), []Prediction{one}},
		{"blanks are no patch", line("one", " \n"), []Prediction{{Instance: "one", Model: "m"}}},
		{"a byte order mark", "\ufeff" + line("one", diff), []Prediction{one}},
		{"one patch per repository", `{"instance_id": "one", "model_patches": {"X/Y": ` + fmt.Sprintf("%q", diff) + `, "b": ""}}`,
			[]Prediction{{Instance: "one", Patch: []byte(strings.NewReplacer("a/f.go", "a/y/f.go", "b/f.go", "b/y/f.go").Replace(diff))}}},
		{"usage", `{"instance_id": "one", "model_patch": "", "input_tokens": 5, "info": {"model_stats": {"instance_cost": 0.5, "api_calls": 7}}}`,
			[]Prediction{{Instance: "one", Usage: Usage{Steps: number(7), InputTokens: number(5), CostUSD: number(0.5)}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Read([]byte(tt.body), rows)
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"nothing", " \n", "empty"},
		{"no JSON", "instance_id: one", "line 1"},
		{"an unknown instance", `{"instance_id": "three", "model_patch": ""}`, "there is no instance three"},
		{"no instance", `{"model_patch": ""}`, "instance_id is missing"},
		{"another instance than its key", `{"one": {"instance_id": "two", "model_patch": ""}}`, "it says that it is about two"},
		{"two forms of patch", `{"instance_id": "one", "model_patch": "x", "model_patches": {"b": "y"}}`, "both given"},
		{"an unknown repository", `{"instance_id": "one", "model_patches": {"c": "y"}}`, "c is no repository of one"},
		{"what is no patch for a repository", `{"instance_id": "one", "model_patches": {"b": "y"}}`, "the patch of b"},
		{"a broken list", `[{"instance_id": "one"`, "reading the list"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := Read([]byte(tt.body), rows); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, %v; want an error with %q", got, err, tt.want)
			}
		})
	}
	_, err := Read([]byte(strings.Repeat("{\n", 30)), rows)
	if err == nil || strings.Count(err.Error(), "\n") != maxFaults || !strings.Contains(err.Error(), "10 more") {
		t.Errorf("thirty faults: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"[]", "{}", `{"one": {}}`, "{\"instance_id\": \"one\"}\n{", `{"instance_id":"one","model_patches":{"b":"diff --git a/x b/x\n"}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		all, err := Read(body, rows)
		for _, p := range all {
			if _, ok := rows[p.Instance]; !ok {
				t.Errorf("a prediction for %q, which is no instance (%v)", p.Instance, err)
			}
		}
	})
}

func TestJudge(t *testing.T) {
	log := func(lines ...string) string {
		return "+ set -u\n+ : '>>>>> Start Test Output'\n" + strings.Join(lines, "\n") + "\n+ : '>>>>> End Test Output'\n+ exit 0\n"
	}
	const newOK, oldOK, blankOK = "--- PASS: a/b::p::TestNew (0.00s)", "--- PASS: a/b::p::TestOld (0.00s)", "--- PASS: x/y::q::a name (with) blanks (0.00s)"
	tests := []struct {
		name, log string
		want      schemas.EvaluationOutcome
		missed    []string
	}{
		{"all pass", log(newOK, oldOK, blankOK), schemas.EvaluationResolved, nil},
		{"the new one fails", log(strings.Replace(newOK, "PASS", "FAIL", 1), oldOK, blankOK), schemas.EvaluationUnresolved, []string{"a/b::p::TestNew"}},
		{"an old one is skipped", log(newOK, strings.Replace(oldOK, "PASS", "SKIP", 1), blankOK), schemas.EvaluationUnresolved, []string{"a/b::p::TestOld"}},
		{"an old one is not told", log(newOK, oldOK), schemas.EvaluationUnresolved, []string{"x/y::q::a name (with) blanks"}},
		{"told twice, once as failed", log(newOK, oldOK, blankOK, strings.Replace(newOK, "PASS", "FAIL", 1)), schemas.EvaluationUnresolved, []string{"a/b::p::TestNew"}},
		{"told before the mark", newOK + "\n" + log(oldOK, blankOK), schemas.EvaluationUnresolved, []string{"a/b::p::TestNew"}},
		{"told after the mark", log(oldOK, blankOK) + newOK + "\n", schemas.EvaluationUnresolved, []string{"a/b::p::TestNew"}},
		{"it ended early", "+ fail\n+ echo '>>>>> Tests Errored'\n", schemas.EvaluationUnresolved, []string{"a/b::p::TestNew", "a/b::p::TestOld", "x/y::q::a name (with) blanks"}},
		{"cut off", strings.Split(log(newOK, oldOK, blankOK), "+ : '>>>>> End")[0], schemas.EvaluationUnresolved, nil},
		{"a second start", log(newOK, oldOK, blankOK, "+ : '>>>>> Start Test Output'"), schemas.EvaluationUnresolved, nil},
		{"a mark that a test printed is none", log(newOK, ">>>>> End Test Output", oldOK, blankOK), schemas.EvaluationResolved, nil},
		{"Windows line ends", strings.ReplaceAll(log(newOK, oldOK, blankOK), "\n", "\r\n"), schemas.EvaluationResolved, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := Judge(rows["one"], tt.log)
			missed := append(append([]string(nil), e.FailToPass.Missed...), e.PassToPass.Missed...)
			if diff := cmp.Diff(tt.missed, missed); diff != "" || e.Outcome != tt.want || (e.Detail == "") != (tt.want == schemas.EvaluationResolved) {
				t.Errorf("outcome %s (%s), want %s; missed (-want +got):\n%s", e.Outcome, e.Detail, tt.want, diff)
			}
		})
	}
}

func FuzzJudge(f *testing.F) {
	f.Add("+ : '>>>>> Start Test Output'\n--- PASS: a (0.00s)\n")
	f.Fuzz(func(t *testing.T, log string) {
		if e := Judge(rows["one"], log); e.Outcome == schemas.EvaluationResolved && strings.Count(log, "--- PASS: ") < 3 {
			t.Errorf("resolved by %q", log)
		}
	})
}

// Values by hand: 1 - C(n-c,k)/C(n,k).
func TestUnbiased(t *testing.T) {
	for _, tt := range []struct {
		n, c, k int
		want    float64
	}{{1, 0, 1, 0}, {1, 1, 1, 1}, {10, 3, 1, 0.3}, {10, 3, 5, 1 - 21.0/252}, {5, 5, 2, 1}, {200, 1, 100, 0.5}} {
		if got := unbiased(tt.n, tt.c, tt.k); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("unbiased(%d, %d, %d) = %v, want %v", tt.n, tt.c, tt.k, got, tt.want)
		}
	}
}

// The paper's 58.48 % are 100 of 171; its interval computed by hand.
func TestWilson(t *testing.T) {
	got := wilson(100, 171)
	want := Interval{0.5847953, 0.5098688, 0.6559957}
	for _, d := range []float64{got.Value - want.Value, got.Low - want.Low, got.High - want.High} {
		if math.Abs(d) > 1e-6 {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	}
	if none := wilson(0, 10); none.Low != 0 || none.High < 0.25 || none.High > 0.30 {
		t.Errorf("none of ten: %+v", none)
	}
}

func TestReport(t *testing.T) {
	all := []schemas.Instance{rows["one"], rows["two"], row("three", "Go")}
	scored := func(id, model string, o schemas.EvaluationOutcome, u Usage) Scored {
		return Scored{Prediction{Instance: id, Model: model, Usage: u}, schemas.Evaluation{Instance: id, Outcome: o}}
	}
	got := Report(all, []Scored{
		scored("one", "m", schemas.EvaluationResolved, Usage{Steps: number(10), CostUSD: number(0.25)}),
		scored("one", "m", schemas.EvaluationUnresolved, Usage{Steps: number(20)}),
		scored("two", "m", schemas.EvaluationApply, Usage{}),
		scored("two", "m", schemas.EvaluationResolved, Usage{}),
		scored("two", "n", schemas.EvaluationEmpty, Usage{}),
	})
	golden.Check(t, "report.txt", got)
}
