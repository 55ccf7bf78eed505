package testlog

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

// crashLog is the end of what Maven 3.8 and Surefire 2.22 say when a test ends
// its process, cut.
const crashLog = `[INFO] Running com.acme.CrashTest
[INFO] Results:
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:2.22.2:test (default-test) on project x: There are test failures.
[ERROR] ExecutionException The forked VM terminated without properly saying goodbye. VM crash or System.exit called?
[ERROR] Process Exit Code: 3
[ERROR] Crashed tests:
[ERROR] com.acme.CrashTest
[ERROR] 	at org.apache.maven.plugin.surefire.booterclient.ForkStarter.fork(ForkStarter.java:669)
[ERROR] -> [Help 1]
`

func TestSurefireWithoutReport(t *testing.T) {
	at := Place{Root: "/testbed/fix", Target: "x", Files: []string{"x/src/test/java/com/acme/CrashTest.java", "x/src/test/java/com/acme/LaterTest.java"}}
	for name, c := range map[string]struct {
		log  Log
		want []schemas.Failure
	}{
		"a test ends the process": {Log{Stdout: []byte(crashLog)}, []schemas.Failure{schemas.FailureRunnerDead, schemas.FailureNoReport}},
		"no test was compiled":    {Log{Stdout: []byte("[ERROR] COMPILATION ERROR : \n")}, []schemas.Failure{schemas.FailureNoReport, schemas.FailureNoReport}},
		"the time is over":        {Log{Stdout: []byte("[INFO] Running com.acme.CrashTest\n"), TimedOut: true}, []schemas.Failure{schemas.FailureHang, schemas.FailureHang}},
		"one class ran": {Log{Report: []byte(`<testsuites><testsuite><testcase name="a" classname="com.acme.LaterTest"/></testsuite></testsuites>`)},
			[]schemas.Failure{"", "", schemas.FailureNotCollected}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []schemas.Failure
			for _, r := range Parse(schemas.RunnerSurefire, c.log, at).Results {
				got = append(got, r.Failure)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("failures (-want +got):\n%s", diff)
			}
		})
	}
}

func TestClassUnit(t *testing.T) {
	for file, want := range map[string]string{
		"src/test/java/com/acme/ATest.java":            "com.acme.ATest",
		"core/sub/src/test/java/ATest.java":            "core/sub/ATest",
		"a/src/integrationTest/kotlin/com/acme/BIT.kt": "a/com.acme.BIT",
		"ATest.java":                             "ATest.java",
		"src/test/resources/com/acme/table.json": "src/test/resources/com/acme/table.json",
		"":                                       "",
	} {
		if got := ClassUnit(file); got != want {
			t.Errorf("ClassUnit(%q) = %q, want %q", file, got, want)
		}
	}
}

// A class whose set-up fails beside tests that ran is a result of its own.
func TestSurefireClassFails(t *testing.T) {
	report := `<testsuites><testsuite>
<testcase name="a" classname="com.acme.ATest"/><testcase name="" classname="com.acme.ATest$In"><error message="no set-up"/></testcase>
<testcase name="com.acme.BTest" classname="com.acme.BTest"><skipped message="off"/></testcase></testsuite></testsuites>`
	want := `pass    o/r::com.acme.ATest::a
error   o/r::com.acme.ATest::In > (class) [assertion] | no set-up
skip    o/r::com.acme.BTest::(class) | off
pass    o/r::com.acme.ATest::(load)
pass    o/r::com.acme.BTest::(load)
`
	at := Place{Root: "/testbed/fix", Target: "x", Files: []string{"src/test/java/com/acme/ATest.java"}}
	if diff := cmp.Diff(want, show(Parse(schemas.RunnerSurefire, Log{Report: []byte(report)}, at))); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}
