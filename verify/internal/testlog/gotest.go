package testlog

import (
	"bytes"
	"encoding/json"
	"path"
	"regexp"
	"strings"

	"crossswe/schemas"
)

// goEvent is one line of go test -json (cmd/internal/test2json) or of go build
// -json (cmd/go/internal/load), which go test writes too since Go 1.24.
type goEvent struct {
	Action      string
	Package     string
	ImportPath  string
	Test        string
	Output      string
	FailedBuild string
}

// goPackage is what is known of one package.
type goPackage struct {
	path    string
	tests   map[string]*goTest
	order   []*goTest
	output  strings.Builder // outside any test
	action  string          // the package's own last action
	blamed  string          // import path of the build that failed
	noBuild bool
	alarm   []string // tests that ran when the runner's own alarm went off
	alarmed bool
}

// goTest is what is known of one test.
type goTest struct {
	name    string
	outcome schemas.Outcome
	paused  bool
	panics  bool
	output  limited
}

// limited keeps the first part of what is written to it.
type limited struct{ strings.Builder }

func (l *limited) add(s string) {
	if room := 16<<10 - l.Len(); room > 0 {
		l.WriteString(s[:min(room, len(s))])
	}
}

// goReport reads events into packages.
type goReport struct {
	packages map[string]*goPackage
	order    []*goPackage
	builds   map[string]*limited // build output by import path
	half     bool
}

var (
	noBuildLine = regexp.MustCompile(`^FAIL\t(\S+) \[(?:build|setup) failed\]`)
	resultTail  = regexp.MustCompile(`--- (PASS|FAIL|SKIP): (\S+) \(\d+\.\d+s\)\n$`)
	alarmTest   = regexp.MustCompile(`^\t+(\S+) \([0-9hms.]+\)\n?$`)
)

// parseGo reads the output of go test -json, of any Go version. Lines that are
// no event (build errors of old versions, output of TestMain helpers) are text.
func parseGo(b *builder) {
	g := &goReport{packages: map[string]*goPackage{}, builds: map[string]*limited{}}
	g.read(b.log.Report)
	unbuilt := g.textBuilds(b.log.Stderr)
	for _, p := range g.order {
		b.goPackage(g, p, unbuilt)
	}
	if g.half {
		b.fault = FaultHalf
	}
	if len(b.order) == 0 {
		b.fault = FaultAbsent
		b.log.Stdout = b.log.Report
		b.absent(b.expected(func(f string) string { return path.Dir(f) }))
	}
}

func (g *goReport) read(report []byte) {
	for line := range bytes.Lines(report) {
		whole := bytes.HasSuffix(line, []byte("\n"))
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			continue
		}
		var e goEvent
		if line[0] == '{' && json.Unmarshal(line, &e) == nil && e.Action != "" {
			g.event(e)
			continue
		}
		if line[0] == '{' && !whole {
			g.half = true
			continue
		}
		if m := noBuildLine.FindSubmatch(line); m != nil {
			g.pkg(string(m[1])).noBuild = true
		}
	}
}

// textBuilds collects the build output that came as text: blocks that begin
// with "# import/path". It returns all of it.
func (g *goReport) textBuilds(stderr []byte) []byte {
	var block *limited
	for line := range bytes.Lines(stderr) {
		if rest, ok := bytes.CutPrefix(line, []byte("# ")); ok {
			block = g.build(strings.TrimSpace(string(rest)))
		}
		if block != nil {
			block.add(string(line))
		}
	}
	return stderr
}

func (g *goReport) build(importPath string) *limited {
	if g.builds[importPath] == nil {
		g.builds[importPath] = &limited{}
	}
	return g.builds[importPath]
}

func (g *goReport) pkg(path string) *goPackage {
	p := g.packages[path]
	if p == nil {
		p = &goPackage{path: path, tests: map[string]*goTest{}}
		g.packages[path], g.order = p, append(g.order, p)
	}
	return p
}

func (p *goPackage) test(name string) *goTest {
	t := p.tests[name]
	if t == nil {
		t = &goTest{name: name}
		p.tests[name], p.order = t, append(p.order, t)
	}
	return t
}

func (g *goReport) event(e goEvent) {
	switch {
	case e.Action == "build-output":
		g.build(e.ImportPath).add(e.Output)
	case e.Package == "":
	case e.Test == "":
		g.pkg(e.Package).event(e)
	default:
		p := g.pkg(e.Package)
		p.alarms(e.Output)
		p.test(e.Test).event(e)
	}
}

func (p *goPackage) event(e goEvent) {
	switch e.Action {
	case "output":
		p.alarms(e.Output)
		if p.output.Len() < MaxLoad {
			p.output.WriteString(e.Output)
		}
		if noBuildLine.MatchString(e.Output) {
			p.noBuild = true
		}
	case "pass", "fail", "skip":
		p.action = e.Action
		if e.FailedBuild != "" {
			p.blamed, p.noBuild = e.FailedBuild, true
		}
	}
}

// alarms notes the tests that the testing package lists when its own time
// limit passes.
func (p *goPackage) alarms(output string) {
	if strings.HasPrefix(output, "panic: test timed out after ") {
		p.alarmed = true
	} else if p.alarmed {
		if m := alarmTest.FindStringSubmatch(output); m != nil {
			p.alarm = append(p.alarm, m[1])
		}
	}
}

func (t *goTest) event(e goEvent) {
	switch e.Action {
	case "pause":
		t.paused = true
	case "run", "cont":
		t.paused = false
	case "output":
		if !strings.HasPrefix(e.Output, "=== ") { // RUN, PAUSE, CONT, NAME
			t.output.add(e.Output)
		}
		t.panics = t.panics || strings.HasPrefix(e.Output, "panic: ")
		// Before Go 1.20 a result that stands behind other output on its
		// line was not recognised.
		if m := resultTail.FindStringSubmatch(e.Output); m != nil && m[2] == t.name && len(m[0]) < len(e.Output) {
			t.finish(map[string]schemas.Outcome{"PASS": schemas.OutcomePass, "FAIL": schemas.OutcomeFail, "SKIP": schemas.OutcomeSkip}[m[1]])
		}
	case "pass":
		t.finish(schemas.OutcomePass)
	case "fail":
		t.finish(schemas.OutcomeFail)
	case "skip":
		t.finish(schemas.OutcomeSkip)
	}
}

// finish takes the first result: a later one for the same test is forged by
// another test's output.
func (t *goTest) finish(o schemas.Outcome) {
	if t.outcome == "" {
		t.outcome = o
	}
}
