package trial

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crossswe/internal/container"
	"crossswe/schemas"
	"crossswe/verify/internal/matrix"
)

func run(t *testing.T, r *Runner, j matrix.Job, pace Pace) Outcome {
	t.Helper()
	out, err := r.Run(t.Context(), j, pace)
	if err != nil {
		t.Fatalf("Run: %v", err)
	}
	return out
}

func TestOrder(t *testing.T) {
	s := newScript()
	spec := pairSpec()
	spec.Repos[1].Targets[0].Report = "/tmp/reports/b.json"
	r := newRunner(t, s, func(o *Options) { o.Spec = spec })
	s.files["/tmp/reports/b.json"] = events("example.com/cons", "run A", "pass A", "pass")
	out := run(t, r, job(2), Pace{})
	want := []string{
		"prov$ git apply --whitespace=nowarn - < test a",
		"cons$ git apply --whitespace=nowarn - < test b",
		"cons$ git apply --whitespace=nowarn - < gold b",
		"/$ rm -rf -- /tmp/reports/b.json",
		"/$ mkdir -p -- /tmp/reports",
		"cons$ make all",
		"cons$ go list",
		"prov$ go test -json ./...",
		"cons$ go test -json ./...",
	}
	if diff := cmp.Diff(want, s.calls); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	results := map[schemas.TestID]matrix.Result{
		"o/prov::.::TestA": {Outcome: schemas.OutcomePass}, "o/prov::.::(load)": {Outcome: schemas.OutcomePass},
		"o/cons::.::TestA": {Outcome: schemas.OutcomePass}, "o/cons::.::(load)": {Outcome: schemas.OutcomePass},
	}
	if diff := cmp.Diff(results, out.Run.Tests); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if len(out.Record.Steps) != len(want) || out.Record.Results == "" || !out.Record.Links[0].Holds {
		t.Errorf("record %+v", out.Record)
	}
	if s.started != 1 || s.removed != 1 {
		t.Errorf("%d containers started, %d removed", s.started, s.removed)
	}
}

func TestHealthHasNoPatch(t *testing.T) {
	s := newScript()
	run(t, newRunner(t, s, nil), matrix.Job{Repetition: 1, Health: true, Repos: 3}, Pace{})
	for _, c := range s.calls {
		if strings.Contains(c, "git apply") {
			t.Errorf("the health run applies a patch: %s", c)
		}
	}
}

// TestHealthOfNewTargets: a target whose files come with the change has
// nothing to load without it; one with old files must load.
func TestHealthOfNewTargets(t *testing.T) {
	broken := "# example.com/cons\na_test.go:1:2: undefined: x\n"
	for name, c := range map[string]struct {
		added map[string]bool
		want  bool
	}{
		"new": {map[string]bool{"a_test.go": true}, false},
		"old": {nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript()
			s.replies["cons$ go test"] = []reply{{stdout: "FAIL\texample.com/cons [build failed]\n", stderr: broken, result: container.ExecResult{ExitCode: 1}}}
			r := newRunner(t, s, func(o *Options) { o.Patches[1].Added = c.added })
			out := run(t, r, matrix.Job{Repetition: 1, Health: true, Repos: 3}, Pace{})
			if _, got := out.Run.Tests["o/cons::.::(load)"]; got != c.want {
				t.Errorf("load error recorded: %t, want %t", got, c.want)
			}
		})
	}
}

func TestEngineFaults(t *testing.T) {
	flaw := errors.New("the engine stumbles")
	cases := map[string]struct {
		script  func(*script)
		started int
		wantErr error
	}{
		"one is retried in a fresh container": {
			func(s *script) {
				s.replies["cons$ go test"] = append([]reply{{err: flaw}}, s.replies["cons$ go test"]...)
			}, 2, nil,
		},
		"a start that fails is retried": {func(s *script) { s.starts = []error{flaw, flaw} }, 3, nil},
		"three end it":                  {func(s *script) { s.replies["prov$ go test"] = []reply{{err: flaw}} }, 3, flaw},
		"a full disk is not retried":    {func(s *script) { s.starts = []error{container.ErrNoSpace} }, 1, container.ErrNoSpace},
		"nor is an image that is gone":  {func(s *script) { s.starts = []error{container.ErrNoImage} }, 1, container.ErrNoImage},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScript()
			c.script(s)
			out, err := newRunner(t, s, nil).Run(t.Context(), job(3), Pace{})
			if !errors.Is(err, c.wantErr) || (err == nil) != (c.wantErr == nil) {
				t.Errorf("error %v, want %v", err, c.wantErr)
			}
			if err == nil && len(out.Run.Tests) != 4 {
				t.Errorf("%d results, want those of the trial that went through: 4", len(out.Run.Tests))
			}
			if s.started != c.started || s.removed != c.started {
				t.Errorf("%d containers started, %d removed; want %d", s.started, s.removed, c.started)
			}
		})
	}
}

func TestVoidLink(t *testing.T) {
	published := reply{stdout: "v1.2.3|/go/pkg/mod/example.com/prov@v1.2.3\n"}
	t.Run("twice is a void trial, and no test is run", func(t *testing.T) {
		s := newScript()
		s.replies["cons$ go list"] = []reply{published}
		out := run(t, newRunner(t, s, nil), job(3), Pace{})
		if out.Run.Failure != schemas.FailureLinkVoid || out.Record.Links[0].Holds || s.started != 2 {
			t.Errorf("failure %q after %d trials, proof %+v", out.Run.Failure, s.started, out.Record.Links)
		}
		if len(out.Run.Tests) != 0 {
			t.Errorf("a void trial has results: %v", out.Run.Tests)
		}
	})
	t.Run("once is retried", func(t *testing.T) {
		s := newScript()
		s.replies["cons$ go list"] = append([]reply{published}, s.replies["cons$ go list"]...)
		if out := run(t, newRunner(t, s, nil), job(3), Pace{}); out.Run.Failure != "" || s.started != 2 {
			t.Errorf("failure %q after %d trials, want none after 2", out.Run.Failure, s.started)
		}
	})
	t.Run("the right answer of a failing command is none", func(t *testing.T) {
		s := newScript()
		s.replies["cons$ go list"] = []reply{{stdout: "|/testbed/prov\n", result: container.ExecResult{ExitCode: 1}}}
		if out := run(t, newRunner(t, s, nil), job(3), Pace{}); out.Run.Failure != schemas.FailureLinkVoid {
			t.Errorf("failure %q, want %q", out.Run.Failure, schemas.FailureLinkVoid)
		}
	})
}

func TestPatchThatDoesNotApply(t *testing.T) {
	s := newScript()
	s.replies["cons$ git apply"] = []reply{{stderr: "error: patch failed: a.go:1", result: container.ExecResult{ExitCode: 1}}}
	out := run(t, newRunner(t, s, nil), job(3), Pace{})
	if out.Run.Failure != schemas.FailurePatch || !strings.Contains(out.Run.Detail, "a.go:1") || s.started != 1 {
		t.Errorf("failure %q (%s) after %d trials", out.Run.Failure, out.Run.Detail, s.started)
	}
}

func TestRebuildThatFails(t *testing.T) {
	s := newScript()
	s.replies["cons$ make"] = []reply{{stderr: "make: *** no rule", result: container.ExecResult{ExitCode: 2}}}
	out := run(t, newRunner(t, s, nil), job(3), Pace{})
	if diff := cmp.Diff([]schemas.RepoName{"o/cons"}, out.Run.Unbuilt); diff != "" || out.Run.Failure != "" {
		t.Errorf("unbuilt (-want +got):\n%s; failure %q, want none: what loads still runs", diff, out.Run.Failure)
	}
}

// TestVoidFromInside: tests whose own process loaded another copy of the sibling
// make the trial void, though the proof before them held.
func TestVoidFromInside(t *testing.T) {
	s := newScript()
	s.replies["cons$ pytest"] = []reply{{stdout: `{"event":"start","root":"/testbed/cons"}` + "\n" + `{"event":"void","id":"harbor","text":"/opt/x"}` + "\n" + `{"event":"finish"}` + "\n"}}
	r := newRunner(t, s, func(o *Options) {
		o.Spec.Repos[1].Targets = []schemas.Target{{Name: "t.py", Runner: schemas.RunnerPytest, Command: schemas.Command{Run: []string{"pytest", "t.py"}}}}
	})
	out := run(t, r, job(3), Pace{})
	if out.Run.Failure != schemas.FailureLinkVoid || !strings.Contains(out.Run.Detail, "harbor from /opt/x") {
		t.Errorf("failure %q (%s), want %q", out.Run.Failure, out.Run.Detail, schemas.FailureLinkVoid)
	}
}

func TestDeadlyTestIsLeftOut(t *testing.T) {
	s := newScript()
	dies := events("example.com/cons", "run A", "pass A", "run B", "output B:panic: watchdog", "fail")
	s.replies["cons$ go test"] = []reply{{stdout: dies, result: container.ExecResult{ExitCode: 1, Duration: 30 * time.Second}}}
	s.replies["cons$ go test -skip=^(?:TestB)$"] = []reply{{stdout: events("example.com/cons", "run A", "pass A", "run C", "fail C", "fail"), result: container.ExecResult{ExitCode: 1, Duration: 40 * time.Second}}}
	r := newRunner(t, s, nil)
	out := run(t, r, job(3), Pace{})
	got := map[schemas.TestID]schemas.Outcome{}
	for id, res := range out.Run.Tests {
		if id.Repo() == "o/cons" {
			got[id] = res.Outcome
		}
	}
	want := map[schemas.TestID]schemas.Outcome{"o/cons::.::TestA": "pass", "o/cons::.::TestB": "error", "o/cons::.::TestC": "fail", "o/cons::.::(load)": "pass"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	key := Key{1, "example.com/cons"}
	if diff := cmp.Diff([]string{"TestB"}, out.Pace.LeaveOut[key]); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}

	s.calls = nil
	run(t, r, job(1), out.Pace)
	for _, c := range s.calls {
		if strings.HasPrefix(c, "cons$ go test -json") {
			t.Errorf("another mask runs the deadly test: %s", c)
		}
	}
	if got, want := s.limits["cons$ go test -skip=^(?:TestB)$ -json ./..."], 2*time.Minute; got != want {
		t.Errorf("the limit in another mask is %s, want three times the full mask's: %s", got, want)
	}
	if got := s.limits["prov$ go test -json ./..."]; got != minLimit {
		t.Errorf("the limit of a quick target is %s, want %s", got, minLimit)
	}
}

// TestHangsEndTheReruns: a target whose every run hangs is not run for ever.
func TestHangsEndTheReruns(t *testing.T) {
	s := newScript()
	hang := func(test string) reply {
		return reply{stdout: events("example.com/cons", "run "+test), result: container.ExecResult{ExitCode: -1, TimedOut: true, Duration: 10 * time.Minute}}
	}
	s.replies["cons$ go test"] = []reply{hang("A"), hang("B"), hang("C"), hang("D")}
	out := run(t, newRunner(t, s, nil), job(3), Pace{})
	runs := 0
	for _, c := range s.calls {
		if strings.HasPrefix(c, "cons$ go test") {
			runs++
		}
	}
	if runs != 3 {
		t.Errorf("the target was run %d times, want 3: no try begins after twice its limit", runs)
	}
	if diff := cmp.Diff([]string{"TestA", "TestB", "TestC"}, out.Pace.LeaveOut[Key{1, "example.com/cons"}]); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
}

func TestHang(t *testing.T) {
	s := newScript()
	s.replies["cons$ go test"] = []reply{{stdout: events("example.com/cons", "run A", "pass A", "run B"), result: container.ExecResult{ExitCode: -1, TimedOut: true}}}
	s.replies["cons$ go test -skip"] = []reply{{stdout: events("example.com/cons", "run A", "pass A", "pass")}}
	out := run(t, newRunner(t, s, nil), job(3), Pace{})
	if got := out.Run.Tests["o/cons::.::TestB"]; got.Outcome != schemas.OutcomeError || got.Failure != schemas.FailureHang {
		t.Errorf("the test that hangs is %+v", got)
	}
	if got := out.Run.Tests["o/prov::.::TestA"]; got.Outcome != schemas.OutcomePass {
		t.Errorf("another target's test is %+v", got)
	}
}

func TestContainerDies(t *testing.T) {
	s := newScript()
	s.replies["prov$ go test"] = []reply{{stdout: events("example.com/prov", "run A"), result: container.ExecResult{ExitCode: -1, Died: true, OOMKilled: true}}}
	out := run(t, newRunner(t, s, nil), job(3), Pace{})
	want := map[schemas.TestID]schemas.Failure{
		"o/prov::.::TestA": schemas.FailureRunnerDead, "o/prov::.::(load)": "", "o/cons::example.com/cons::(load)": schemas.FailureRunnerDead,
	}
	got := map[schemas.TestID]schemas.Failure{}
	for id, r := range out.Run.Tests {
		got[id] = r.Failure
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("failures (-want +got):\n%s", diff)
	}
}

func TestNoReport(t *testing.T) {
	spec := pairSpec()
	spec.Repos[1].Targets[0].Report, spec.Repos[1].Targets[0].Runner = "/tmp/r.json", schemas.RunnerMocha
	spec.Repos[1].Targets[0].Files = []string{"t.js"}
	cases := map[string]struct {
		report, stderr string
		want           matrix.Result
	}{
		"none":         {"", "", matrix.Result{Outcome: "error", Failure: schemas.FailureNoReport}},
		"zero tests":   {`{"stats":{},"tests":[],"passes":[]}`, "", matrix.Result{Outcome: "error", Failure: schemas.FailureNotCollected, Detail: "no test was collected"}},
		"load error":   {"", "Error: Cannot find module 'chai'\n", matrix.Result{Outcome: "error", Failure: schemas.FailureThirdParty, Detail: "Error: Cannot find module 'chai'\nError: Cannot find module 'chai'"}},
		"half written": {`{"stats":{},"tests":[{"title":"a","fullTitle":"a","err":{"message":"no"}},{"ti`, "", matrix.Result{Outcome: "pass", Failure: schemas.FailureNoReport}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScript()
			if c.report != "" {
				s.files["/tmp/r.json"] = c.report
			}
			s.replies["cons$ go test"] = []reply{{stderr: c.stderr}}
			out := run(t, newRunner(t, s, func(o *Options) { o.Spec = spec }), job(3), Pace{})
			unit := schemas.TestID("o/cons::t.js::(load)")
			if name == "half written" {
				if got := out.Run.Tests["o/cons::t.js::a"]; got.Outcome != schemas.OutcomeFail {
					t.Errorf("what the half report holds is lost: %+v", out.Run.Tests)
				}
			}
			if diff := cmp.Diff(c.want, out.Run.Tests[unit]); diff != "" {
				t.Errorf("the unit (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBlame(t *testing.T) {
	s := newScript()
	s.replies["cons$ go test"] = []reply{{stdout: "FAIL\texample.com/cons [build failed]\n", stderr: "# example.com/cons\n./a_test.go:5:2: undefined: renamed.Fresh\n"}}
	s.files["/testbed/cons/a_test.go"] = "package cons\nimport renamed \"example.com/prov\"\n"
	out := run(t, newRunner(t, s, nil), job(2), Pace{})
	want := matrix.Result{Outcome: schemas.OutcomeError, Failure: schemas.FailureCompileSibling,
		Detail: "./a_test.go: undefined: renamed.Fresh\n# example.com/cons\n./a_test.go:5:2: undefined: renamed.Fresh"}
	if diff := cmp.Diff(want, out.Run.Tests["o/cons::.::(load)"]); diff != "" {
		t.Errorf("the unit (-want +got):\n%s", diff)
	}
}

func TestCancelled(t *testing.T) {
	s := newScript()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newRunner(t, s, nil).Run(ctx, job(3), Pace{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if s.started != s.removed {
		t.Errorf("%d containers started, %d removed", s.started, s.removed)
	}
}
