package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

// testPredictions evaluates what models may propose for a published row: the
// gold patch resolves it, and nothing else does.
func testPredictions(t *testing.T, p *pipeline) {
	rows := records[schemas.Instance](t, p)
	if len(rows) != 1 {
		t.Fatalf("%d rows, want 1", len(rows))
	}
	row := rows[0]
	half := func(i int) map[string]any {
		return map[string]any{"model_patches": map[string]string{row.Repos[i].Repo: row.Repos[i].Patch}}
	}
	cheat := fmt.Sprintf("diff --git a/%[1]s/cheat_test.go b/%[1]s/cheat_test.go\nnew file mode 100644\n--- /dev/null\n+++ b/%[1]s/cheat_test.go\n@@ -0,0 +1,9 @@\n+package %[1]s\n+\n"+
		"+import \"os\"\n+\n+func init() {\n+\tprintln(`+ : '>>>>> Start Test Output'`)\n+\tprintln(`--- PASS: %[2]s (0.00s)`)\n+\tos.Exit(0)\n+}\n", row.Repos[1].Dir, row.FailToPass[0])
	proposals := map[string]map[string]any{
		"gold": {"model_patch": row.Patch}, "gold-again": {"model_patch": row.Patch}, "one-side": half(0), "other-side": half(1),
		"nothing": {"model_patch": ""}, "garbled": {"model_patch": "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-no\n+yes\n"},
		"outside": {"model_patch": "diff --git a/../../etc/x b/../../etc/x\nnew file mode 100644\n--- /dev/null\n+++ b/../../etc/x\n@@ -0,0 +1 @@\n+x\n"},
		"cheat":   {"model_patch": cheat},
	}
	want := map[string]schemas.EvaluationOutcome{
		"gold": schemas.EvaluationResolved, "gold-again": schemas.EvaluationResolved, "one-side": schemas.EvaluationUnresolved, "other-side": schemas.EvaluationUnresolved,
		"nothing": schemas.EvaluationEmpty, "garbled": schemas.EvaluationApply, "outside": schemas.EvaluationApply, "cheat": schemas.EvaluationUnresolved,
	}
	var lines strings.Builder
	for model, proposal := range proposals {
		proposal["instance_id"], proposal["model_name_or_path"] = row.InstanceID, model
		line, err := json.Marshal(proposal)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&lines, "%s\n", line)
	}
	file := p.write(t, "predictions.jsonl", lines.String())
	report := p.must(t, "verify", "-predictions", file).stdout
	got := map[string]schemas.EvaluationOutcome{}
	for _, e := range evaluationsByModel(report) {
		got[e[0]] = schemas.EvaluationOutcome(e[1])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s\n%s", diff, report)
	}
	again := p.must(t, "verify", "-predictions", file)
	if again.stdout != report {
		t.Errorf("the second report differs:\n%s", cmp.Diff(report, again.stdout))
	}
	if all := records[schemas.Evaluation](t, p); len(all) != len(proposals)-1 {
		t.Errorf("%d evaluations are kept, want one for every patch", len(all))
	}
	if r := p.run(t, "verify", "-predictions", p.write(t, "broken.json", `[{"instance_id": "unknown", "model_patch": ""}]`)); r.code != 2 || !strings.Contains(r.stderr, "no instance unknown") {
		t.Errorf("an unknown instance: %d %s", r.code, r.stderr)
	}
}

// evaluationsByModel reads a report of one prediction a model: the model, and
// the outcome that is counted 1.
func evaluationsByModel(report string) [][2]string {
	var all [][2]string
	model := ""
	for line := range strings.Lines(report) {
		if name, _, ok := strings.Cut(line, ": 1 predictions for"); ok {
			model = name
		}
		if f := strings.Fields(line); len(f) == 2 && f[1] == "1" && strings.HasPrefix(line, "  ") {
			all = append(all, [2]string{model, f[0]})
		}
	}
	return all
}
