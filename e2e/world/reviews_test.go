package world

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

// TestDemoDecisions keeps the file that the demonstration imports in step with
// the world.
func TestDemoDecisions(t *testing.T) {
	changes, err := Make(t.Context(), t.TempDir(), Scenarios()...)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	for _, r := range Reviews(changes, Scenarios()...) {
		if err := r.Validate(); err != nil {
			t.Errorf("the review of %s by %s: %v", r.Candidate, r.Reviewer, err)
		}
		line, err := json.Marshal(schemas.Line{Record: r.RecordKind(), Body: r})
		if err != nil {
			t.Fatal(err)
		}
		got.Write(append(line, '\n'))
	}
	const file = "../../examples/demo/decisions.jsonl"
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s differs; run with -update (-want +got):\n%s", file, diff)
	}
}
