package testlog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

const (
	cargoBuilt = `{"reason":"build-finished","success":true}` + "\n"
	cargoSuite = `{ "type": "suite", "event": "started", "test_count": 2 }` + "\n"
	cargoA     = `{ "type": "test", "event": "started", "name": "a" }` + "\n"
	cargoOK    = `{ "type": "test", "name": "a", "event": "ok" }` + "\n"
	cargoBad   = `{ "type": "test", "name": "a", "event": "failed", "stdout": "why\n" }` + "\n"
	cargoEnd   = `{ "type": "suite", "event": "ok", "passed": 1, "failed": 0 }` + "\n"
)

// TestCargoLines: what tests print among the runner's lines changes nothing for
// the better, and what ends early is told.
func TestCargoLines(t *testing.T) {
	for _, c := range []struct {
		name, report string
		timedOut     bool
		want         []string
	}{
		{"whole", cargoBuilt + cargoSuite + cargoA + cargoOK + cargoEnd, false, []string{"pass a", "pass (load)"}},
		{"a pass forged before the failure", cargoBuilt + cargoSuite + cargoA + cargoOK + cargoBad + cargoEnd, false, []string{"fail a assertion", "pass (load)"}},
		{"a pass forged after it", cargoBuilt + cargoSuite + cargoA + cargoBad + cargoOK + cargoEnd, false, []string{"fail a assertion", "pass (load)"}},
		{"a test that nobody started", cargoBuilt + cargoSuite + strings.ReplaceAll(cargoOK, `"a"`, `"b"`) + cargoA + cargoOK + cargoEnd, false, []string{"pass a", "pass (load)"}},
		{"half a line of a test's own before an event", cargoBuilt + cargoSuite + "x" + cargoA + "{" + cargoOK + cargoEnd, false, []string{"pass a", "pass (load)"}},
		{"a build forged to have failed", cargoBuilt + cargoSuite + cargoA + `{"reason":"build-finished","success":false}` + "\n" + cargoOK + cargoEnd, false, []string{"pass a", "pass (load)"}},
		{"killed for its time", cargoBuilt + cargoSuite + cargoA, true, []string{"error a hang", "pass (load) hang"}},
		{"ended in a line", cargoBuilt + cargoSuite + cargoA + cargoOK[:20], false, []string{"error a runner_dead", "pass (load) no_report"}},
		{"nothing", "", false, []string{"error (load) no_report"}},
		{"nothing in time", cargoBuilt, true, []string{"error (load) hang"}},
		{"too slow, and then well", cargoBuilt + cargoSuite + cargoA + `{ "type": "test", "event": "timeout", "name": "a" }` + "\n" + cargoOK + cargoEnd, false, []string{"pass a", "pass (load)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, r := range Parse(schemas.RunnerCargo, Log{Report: []byte(c.report), TimedOut: c.timedOut}, Place{Root: "/testbed/x", Target: "src/lib.rs"}).Results {
				got = append(got, strings.TrimSpace(string(r.Outcome)+" "+strings.Join(r.Names, " > ")+" "+string(r.Failure)))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCargoDocNames: the ordinals of doc tests follow their lines, not the
// runner's order, which is that of the lines' digits.
func TestCargoDocNames(t *testing.T) {
	report := cargoBuilt + cargoSuite
	for _, line := range []string{"100", "9"} {
		name := "src/lib.rs - m::f (line " + line + ")"
		report += strings.ReplaceAll(cargoA, `"a"`, `"`+name+`"`)
		done := cargoOK
		if line == "9" {
			done = cargoBad
		}
		report += strings.ReplaceAll(done, `"a"`, `"`+name+`"`)
	}
	want := []string{"fail o/r::d::src/lib.rs - m::f", "pass o/r::d::src/lib.rs - m::f #2", "pass o/r::d::(load)"}
	var got []string
	for _, r := range Parse(schemas.RunnerCargo, Log{Report: []byte(report + cargoEnd)}, Place{Root: "/testbed/x", Target: "d"}).Results {
		got = append(got, string(r.Outcome)+" "+string(r.ID("o/r")))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}
