package testlog

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// goPlace and jsPlace are where the fixtures were made.
var (
	goPlace = Place{Root: "/testbed/fix", Module: "example.com/fix", Target: "all"}
	jsPlace = Place{Root: "/testbed/js", Target: "all"}
	pyPlace = Place{Root: "/testbed/py", Target: "all"}
	cPlace  = Place{Root: "/testbed/fix", Target: "t"}
)

// fixtures are the real reports under testdata. Each was written by the
// program that its name tells, on files like those in the golden file.
func fixtures(t *testing.T) []fixture {
	t.Helper()
	var all []fixture
	for _, kind := range []struct {
		pattern string
		runner  schemas.Runner
		place   Place
		file    func(name string) string
	}{
		{"gotest/*.json", schemas.RunnerGo, goPlace, func(n string) string { return n[4:] + "/a_test.go" }},
		{"nodetest/*.tap", schemas.RunnerNodeTest, jsPlace, nodeFixture},
		{"nodetest/*.junit", schemas.RunnerNodeTest, jsPlace, nodeFixture},
		{"mocha/*.out", schemas.RunnerMocha, jsPlace, func(n string) string { return "m/" + n[strings.Index(n, "-")+1:] + ".js" }},
		{"jest/*.json", schemas.RunnerJest, jsPlace, func(string) string { return "" }},
		{"pytest/*.jsonl", schemas.RunnerPytest, pyPlace, func(n string) string { return "t/test_" + n[strings.Index(n, "-")+1:] + ".py" }},
		{"ctest/*.report", schemas.RunnerCTest, cPlace, func(string) string { return "t/area_test.cpp" }},
		{"cargo/*.json", schemas.RunnerCargo, Place{Root: "/testbed/rs", Target: "src/lib.rs"}, func(n string) string { return "tests/" + n[strings.Index(n, "-")+1:] + ".rs" }},
		{"junit/*.xml", schemas.RunnerJUnit, jsPlace, func(string) string { return "" }},
		{"surefire/*.xml", schemas.RunnerSurefire, Place{Root: "/testbed/fix", Target: "all"}, func(string) string { return "core/src/test/java/com/acme/AbsentTest.java" }},
	} {
		files, err := filepath.Glob("testdata/" + kind.pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("testdata/%s: no fixtures (%v)", kind.pattern, err)
		}
		for _, f := range files {
			name := strings.TrimSuffix(filepath.Base(f), filepath.Ext(f))
			x := fixture{file: f, runner: kind.runner, place: kind.place}
			if of := kind.file(name); of != "" {
				x.place.Files = []string{of}
			}
			x.log.Report = read(t, f)
			if errs, err := os.ReadFile(strings.TrimSuffix(f, filepath.Ext(f)) + ".err"); err == nil {
				x.log.Stderr = errs
			}
			all = append(all, x)
		}
	}
	return all
}

func nodeFixture(name string) string {
	if strings.HasSuffix(name, "-ab") {
		return "" // two files in one run
	}
	return "t/" + name[len(name)-1:] + ".test.mjs"
}

type fixture struct {
	file   string
	runner schemas.Runner
	log    Log
	place  Place
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestFixtures(t *testing.T) {
	for _, x := range fixtures(t) {
		t.Run(strings.TrimPrefix(x.file, "testdata/"), func(t *testing.T) {
			got := show(Parse(x.runner, x.log, x.place))
			golden := x.file + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(read(t, golden)), got); diff != "" {
				t.Errorf("outcomes of %s (-want +got):\n%s", x.file, diff)
			}
		})
	}
}

// show writes a report for people: one result a line, then the load errors.
func show(r Report) string {
	var b strings.Builder
	if r.Fault != FaultNone {
		fmt.Fprintf(&b, "fault: %s\n", r.Fault)
	}
	for _, t := range r.Results {
		fmt.Fprintf(&b, "%-7s %s", t.Outcome, t.ID("o/r"))
		if t.Failure != "" {
			fmt.Fprintf(&b, " [%s]", t.Failure)
		}
		if t.Deadly {
			b.WriteString(" deadly")
		}
		if t.Message != "" && !t.IsLoad() {
			line, _, _ := strings.Cut(t.Message, "\n")
			fmt.Fprintf(&b, " | %.60s", line)
		}
		b.WriteString("\n")
		if text, ok := r.Loads[t.Unit]; ok && t.IsLoad() {
			for line := range strings.Lines(string(text)) {
				b.WriteString("        > " + strings.TrimRight(line, "\n") + "\n")
			}
		}
	}
	return b.String()
}
