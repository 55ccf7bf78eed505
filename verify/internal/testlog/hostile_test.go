package testlog

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

// TestTruncated cuts every fixture at many places: what the beginning holds is
// told, nothing is invented, and nothing passes that did not.
func TestTruncated(t *testing.T) {
	for _, x := range fixtures(t) {
		whole := map[schemas.TestID]schemas.Outcome{}
		for _, r := range Parse(x.runner, x.log, x.place).Results {
			whole[r.ID("o/r")] = r.Outcome
		}
		for n := 0; n < len(x.log.Report); n += 1 + len(x.log.Report)/40 {
			log := x.log
			log.Report = log.Report[:n]
			for _, r := range Parse(x.runner, log, x.place).Results {
				if r.Outcome == schemas.OutcomePass && !r.IsLoad() && whole[r.ID("o/r")] != schemas.OutcomePass && !orphan(r) {
					t.Errorf("%s cut at %d: %s passes, in the whole report it is %q", x.file, n, r.ID("o/r"), whole[r.ID("o/r")])
				}
			}
		}
	}
}

// orphan reports whether a nested result's parent may not have come yet.
func orphan(r Result) bool { return strings.HasSuffix(r.Unit, ".mjs") || r.Unit == "all" }

func TestHalfWritten(t *testing.T) {
	cases := map[string]struct {
		file   string
		runner schemas.Runner
		at     string // the report ends before this
		want   []string
	}{
		"go, in the middle of an event": {
			"testdata/gotest/126-mixed.json", schemas.RunnerGo, `"Test":"TestSub/a_b","Elapsed"`,
			[]string{"pass TestPass", "fail TestFail", "skip TestSkip", "error TestSub", "error TestSub/a_b", "pass (load)"},
		},
		"mocha, before its list of passes": {
			"testdata/mocha/mocha11-a.out", schemas.RunnerMocha, `"passes": [`,
			[]string{"fail times out", "fail fails", "skip is pending", "skip is skipped", `fail "before all" hook for "never runs"`, "pass (load)"},
		},
		"node's junit, within a testcase": {
			"testdata/nodetest/node24-a.junit", schemas.RunnerNodeTest, `		<testcase name="child b"`,
			[]string{"pass top level passes", "fail top level fails", "skip skipped", "skip to do", "pass child a", "pass (load)"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			body := read(t, c.file)
			end := bytes.Index(body, []byte(c.at))
			if end < 0 {
				t.Fatalf("%s does not hold %q", c.file, c.at)
			}
			got := Parse(c.runner, Log{Report: body[:end]}, jsPlace)
			if got.Fault != FaultHalf {
				t.Errorf("fault = %q, want %q", got.Fault, FaultHalf)
			}
			var lines []string
			for _, r := range got.Results {
				lines = append(lines, string(r.Outcome)+" "+r.Names[len(r.Names)-1])
			}
			if diff := cmp.Diff(c.want, lines); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
		})
	}
}

func TestKilledForTime(t *testing.T) {
	body := read(t, "testdata/gotest/126-slow.json")
	body = body[:bytes.Index(body, []byte(`"Output":"panic: test timed out`))]
	body = body[:bytes.LastIndexByte(body, '\n')+1]
	want := "pass    o/r::slow::TestBefore\n" +
		"error   o/r::slow::TestHangs [hang] deadly\n" +
		"error   o/r::slow::TestHangs/inner [hang] deadly\n" +
		"pass    o/r::slow::(load) [hang]\n"
	if diff := cmp.Diff(want, show(Parse(schemas.RunnerGo, Log{Report: body, TimedOut: true}, goPlace))); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}

// TestPanicSparesTheOthers: a test whose own panic kills the process leaves
// the tests that ran beside it unknown, not failed.
func TestPanicSparesTheOthers(t *testing.T) {
	report := `{"Action":"run","Package":"example.com/fix/p","Test":"TestA"}
{"Action":"pause","Package":"example.com/fix/p","Test":"TestA"}
{"Action":"run","Package":"example.com/fix/p","Test":"TestB"}
{"Action":"pause","Package":"example.com/fix/p","Test":"TestB"}
{"Action":"cont","Package":"example.com/fix/p","Test":"TestA"}
{"Action":"output","Package":"example.com/fix/p","Test":"TestA","Output":"--- FAIL: TestA (0.00s)\n"}
{"Action":"output","Package":"example.com/fix/p","Test":"TestA","Output":"panic: no [recovered]\n"}
{"Action":"fail","Package":"example.com/fix/p","Test":"TestA"}
{"Action":"cont","Package":"example.com/fix/p","Test":"TestB"}
{"Action":"fail","Package":"example.com/fix/p"}
`
	want := "error   o/r::p::TestA [assertion] deadly | --- FAIL: TestA (0.00s)\n" +
		"not_run o/r::p::TestB [runner_dead]\n" +
		"pass    o/r::p::(load)\n"
	if diff := cmp.Diff(want, show(Parse(schemas.RunnerGo, Log{Report: []byte(report)}, goPlace))); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}

// TestPytestVoid: what the tests' own process loaded from elsewhere is told apart
// from every failure.
func TestPytestVoid(t *testing.T) {
	report := `{"event": "start", "root": "/testbed/py"}
{"event": "void", "id": "harbor", "text": "/opt/venv/lib/harbor.py"}
{"event": "void", "id": "quay", "text": "/elsewhere"}
{"event": "test", "id": "t.py::test_a", "when": "call", "outcome": "passed"}
{"event": "test", "id": "t.py::test_a", "when": "teardown", "outcome": "passed"}
{"event": "finish", "exit": 0}
`
	got := Parse(schemas.RunnerPytest, Log{Report: []byte(report)}, Place{Root: "/testbed/py", Files: []string{"t.py"}})
	if want := "harbor from /opt/venv/lib/harbor.py"; got.Void != want || len(got.Results) != 2 {
		t.Errorf("void %q, want %q; %d results", got.Void, want, len(got.Results))
	}
}

func TestTwoPackagesOneName(t *testing.T) {
	report := slicesConcat(read(t, "testdata/gotest/126-mixed.json"), read(t, "testdata/gotest/126-broken.json"), read(t, "testdata/gotest/126-panics.json"))
	got := map[schemas.TestID]schemas.Outcome{}
	for _, r := range Parse(schemas.RunnerGo, Log{Report: report}, goPlace).Results {
		got[r.ID("o/r")] = r.Outcome
	}
	for id, want := range map[schemas.TestID]schemas.Outcome{
		"o/r::mixed::TestPass": "pass", "o/r::broken::(load)": "error", "o/r::mixed::(load)": "pass", "o/r::panics::TestBefore": "pass",
	} {
		if got[id] != want {
			t.Errorf("%s = %q, want %q", id, got[id], want)
		}
	}
}

func TestGoUnit(t *testing.T) {
	for pkg, want := range map[string]string{
		"example.com/m/v3":       "sub",
		"example.com/m/v3/a/b":   "sub/a/b",
		"example.com/m/v3other":  "example.com/m/v3other",
		"example.com/elsewhere":  "example.com/elsewhere",
		"command-line-arguments": "command-line-arguments",
	} {
		if got := (Place{Module: "example.com/m/v3", ModuleDir: "sub"}).goUnit(pkg); got != want {
			t.Errorf("goUnit(%q) = %q, want %q", pkg, got, want)
		}
	}
	if got := (Place{Module: "example.com/m"}).goUnit("example.com/m"); got != "." {
		t.Errorf("the root package is %q, want %q", got, ".")
	}
}

func TestCleanName(t *testing.T) {
	for in, want := range map[string]string{
		"a\nb\tc":       `a\nb\tc`,
		"caf\xe9":       "caf\uFFFD",
		"x\x00y\u2028z": `x\x00y\u2028z`,
		"plain – ünï":   "plain – ünï",
	} {
		if got := cleanName(in); got != want {
			t.Errorf("cleanName(%q) = %q, want %q", in, got, want)
		}
	}
	long := cleanName(strings.Repeat("ü", maxName))
	if len(long) > maxName+40 || !strings.HasSuffix(long, "… (4000 bytes)") {
		t.Errorf("a long name has %d bytes and ends in %q", len(long), long[len(long)-20:])
	}
}

func TestBadBytesInXML(t *testing.T) {
	report := "<testsuite name=\"s\"><testcase name=\"a\x01\xff\"><failure message=\"m\">\x1b[31mred\x00</failure></testcase></testsuite>"
	got := show(Parse(schemas.RunnerJUnit, Log{Report: []byte(report)}, jsPlace))
	want := "fail    o/r::all::s > a\uFFFD\uFFFD [assertion] | m\npass    o/r::all::(load)\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}

func TestUnknownRunner(t *testing.T) {
	if got := Parse("prove", Log{Report: []byte("x")}, jsPlace); got.Fault != FaultAbsent || len(got.Results) != 0 {
		t.Errorf("got %+v, want no result and %q", got, FaultAbsent)
	}
}

// TestNoiseImitates: JSON that a test prints before the report is not the report.
func TestNoiseImitates(t *testing.T) {
	noise := "{\"stats\": {}}\n{\"stats\": {\"tests\": 1}, \"tests\": []}\n"
	log := Log{Report: slicesConcat([]byte(noise), read(t, "testdata/mocha/mocha11-a.out"))}
	if got := Parse(schemas.RunnerMocha, log, jsPlace); len(got.Results) != 10 || got.Fault != FaultNone {
		t.Errorf("%d results, fault %q; want the 10 of the report", len(got.Results), got.Fault)
	}
}

func slicesConcat(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func FuzzParse(f *testing.F) {
	runners := []schemas.Runner{schemas.RunnerGo, schemas.RunnerJUnit, schemas.RunnerMocha, schemas.RunnerJest, schemas.RunnerNodeTest, schemas.RunnerPytest, schemas.RunnerCTest, schemas.RunnerSurefire}
	for i, seed := range []string{
		`{"Action":"run","Package":"p","Test":"T"}` + "\nFAIL\tp [build failed]\n# p\n",
		`<testsuites><testsuite name="a"><testcase name="x"><failure>`,
		`noise {"stats":{},"tests":[{"title":"a","fullTitle":"b a","err":{}}],"passes":[{"fullTitle":"b a"}]}`,
		`{"numFailedTestSuites":1,"testResults":[{"name":"/x","assertionResults":[{"title":"t","status":"passed"}]}]}`,
		`{"event":"start","root":"/testbed/x"}` + "\n" + `{"event":"collected","ids":["a.py::T::t[x::y]"]}` + "\n" + `{"event":"test","id":"a.py::t","when":"call","outcome":"failed"}` + "\n",
		`{"tests":[{"name":"a","command":["/b/t/a"]}]}[{"directory":"/b","command":"c++ -o t/CMakeFiles/a.dir/a.cpp.o -c /testbed/x/a.cpp","file":"/testbed/x/a.cpp"}]<?xml version="1.0"?><testsuite><testcase name="a" status="fail"><failure/><system-out>x</system-out></testcase></testsuite>` + "\n1/1 Test #1: a ...***Timeout 1.00 sec\n",
		"TAP version 13\n# Subtest: a\n    ok 1 - b # SKIP\n      ---\n      type: 'suite'\n      ...\nnot ok 1 - a\n1..1\n",
	} {
		f.Add([]byte(seed), []byte("# p\nerror"), byte(i), i%2 == 0)
		f.Add([]byte(seed), []byte("# p\nerror"), byte(i+1), false)
	}
	f.Fuzz(func(t *testing.T, report, stderr []byte, runner byte, timedOut bool) {
		place := Place{Root: "/testbed/x", Target: "t", Files: []string{"a.js"}}
		rep := Parse(runners[int(runner)%len(runners)], Log{Report: report, Stderr: stderr, TimedOut: timedOut}, place)
		ids := map[schemas.TestID]bool{}
		for _, r := range rep.Results {
			if r.Outcome == "" || len(r.Names) == 0 || r.Ordinal < 1 {
				t.Fatalf("incomplete result %+v", r)
			}
			for _, n := range r.Names {
				if cleanName(n) != n && len(n) < maxName {
					t.Fatalf("name %q is not clean", n)
				}
			}
			if id := r.ID("o/r"); !r.IsLoad() && ids[id] && len(r.Names) == 1 {
				t.Fatalf("%s stands twice", id)
			} else {
				ids[id] = true
			}
		}
	})
}
