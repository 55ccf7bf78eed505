package testlog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"crossswe/schemas"
)

// cargoMessage is a line that cargo writes for --message-format=json: its own
// (the book of cargo, "External tools"), or one of libtest's (library/test,
// formatters/json.rs). The two share no key.
type cargoMessage struct {
	Reason  string `json:"reason"`
	Success bool   `json:"success"`
	Message json.RawMessage
	Target  struct {
		Src string `json:"src_path"`
	} `json:"target"`

	Type      string `json:"type"`
	Event     string `json:"event"`
	Name      string `json:"name"`
	Stdout    string `json:"stdout"`
	TestCount int    `json:"test_count"`
}

// diagnostic is the compiler's message within one of cargo's.
type diagnostic struct {
	Level    string `json:"level"`
	Rendered string `json:"rendered"`
}

// cargoTest is what is known of one test.
type cargoTest struct {
	name    string
	outcome schemas.Outcome
	message string
	timeout bool
}

// cargoReport reads messages into tests.
type cargoReport struct {
	tests   map[string]*cargoTest
	order   []*cargoTest
	errors  strings.Builder // of the compiler
	failed  bool            // the build did
	open    int             // suites that began and did not end
	suites  int
	half    bool
	unknown strings.Builder // lines that are no message
}

// parseCargo reads what cargo test --message-format=json writes for one target,
// whose root file is the unit.
func parseCargo(b *builder) {
	r := &cargoReport{tests: map[string]*cargoTest{}}
	r.read(b.log.Report)
	unit := b.at.Target
	switch {
	case r.failed:
		b.broken(unit, schemas.FailureCompileOwn, slices.Concat([]byte(r.errors.String()), b.log.Stderr))
		return
	case r.suites == 0:
		b.fault = FaultAbsent
		b.log.Stdout = []byte(r.unknown.String())
		b.absent([]string{unit})
		return
	}
	b.unit(unit)
	if r.half || r.open > 0 {
		b.fault = FaultHalf
	}
	slices.SortStableFunc(r.order, byLine)
	for _, t := range r.order {
		b.add(r.result(b, unit, t))
	}
}

// libtest is how its events begin; a test's own output may stand before one on
// the same line.
var libtest = []byte(`{ "type": "`)

func (r *cargoReport) read(report []byte) {
	for line := range bytes.Lines(report) {
		whole := bytes.HasSuffix(line, []byte("\n"))
		line = bytes.TrimRight(line, "\r\n")
		var m cargoMessage
		if i := bytes.LastIndex(line, libtest); i >= 0 && json.Unmarshal(line[i:], &m) == nil {
			r.event(m)
			continue
		}
		m = cargoMessage{}
		if len(line) > 0 && line[0] == '{' && json.Unmarshal(line, &m) == nil && m.Reason != "" {
			r.message(m)
			continue
		}
		r.half = r.half || !whole && len(line) > 0 && line[0] == '{'
		if r.unknown.Len() < MaxLoad {
			r.unknown.Write(line)
			r.unknown.WriteByte('\n')
		}
	}
}

// message takes one of cargo's own. After the first suite there is none: a test
// may have printed it.
func (r *cargoReport) message(m cargoMessage) {
	if r.suites > 0 {
		return
	}
	switch m.Reason {
	case "compiler-message":
		var d diagnostic
		if json.Unmarshal(m.Message, &d) == nil && d.Level == "error" && r.errors.Len() < MaxLoad {
			r.errors.WriteString(d.Rendered)
		}
	case "build-finished":
		r.failed = r.failed || !m.Success
	}
}

// event takes one of libtest's.
func (r *cargoReport) event(m cargoMessage) {
	switch m.Type {
	case "suite":
		if m.Event == "started" {
			r.suites, r.open = r.suites+1, r.open+1
		} else {
			r.open = max(r.open-1, 0)
		}
	case "test":
		r.test(m)
	}
}

func (r *cargoReport) test(m cargoMessage) {
	t := r.tests[m.Name]
	if t == nil {
		if m.Event != "started" {
			return
		}
		t = &cargoTest{name: m.Name}
		r.tests[m.Name], r.order = t, append(r.order, t)
	}
	switch m.Event {
	case "ok":
		t.finish(schemas.OutcomePass, m)
	case "failed":
		t.finish(schemas.OutcomeFail, m)
	case "ignored":
		t.finish(schemas.OutcomeSkip, m)
	case "timeout":
		t.timeout = true // it goes on
	}
}

// finish takes a result. libtest writes one for each test; of two, one is some
// test's own output, and the worse counts.
func (t *cargoTest) finish(o schemas.Outcome, m cargoMessage) {
	if t.outcome == schemas.OutcomeFail || t.outcome == schemas.OutcomeSkip && o == schemas.OutcomePass {
		return
	}
	t.outcome, t.message = o, strings.TrimLeft(m.Stdout, "\n")
	var why string
	if json.Unmarshal(m.Message, &why) == nil && why != "" {
		t.message = why + "\n" + t.message
	}
}

// docTest is the name of a doc test: file, item, and a line that moves with
// everything above it.
var docTest = regexp.MustCompile(`^(.+\.(?:rs|md)) - (.*?) ?\(line (\d+)\)( - .+)?$`)

// byLine puts the doc tests of one item in the order of their lines, so that
// their ordinals are the same wherever they stand.
func byLine(a, b *cargoTest) int {
	m, n := docTest.FindStringSubmatch(a.name), docTest.FindStringSubmatch(b.name)
	if m == nil || n == nil || stableName(a.name) != stableName(b.name) {
		return strings.Compare(stableName(a.name), stableName(b.name))
	}
	return cmp.Or(len(m[3])-len(n[3]), strings.Compare(m[3], n[3]))
}

// result says what became of a test. One that began and did not end took its
// process along, or was under way when another did.
func (r *cargoReport) result(b *builder, unit string, t *cargoTest) Result {
	res := Result{Unit: unit, Names: []string{stableName(t.name)}, Outcome: t.outcome}
	switch t.outcome {
	case schemas.OutcomeFail:
		res.Failure, res.Message = schemas.FailureAssertion, t.message
	case schemas.OutcomePass, schemas.OutcomeSkip:
	default:
		res.Outcome, res.Failure, res.Message = schemas.OutcomeError, schemas.FailureRunnerDead, string(b.log.Stderr)
		if b.log.TimedOut || t.timeout {
			res.Failure = schemas.FailureHang
		}
	}
	return res
}

// stableName drops what shifts from a test's name.
func stableName(name string) string {
	if m := docTest.FindStringSubmatch(name); m != nil {
		return strings.TrimSuffix(m[1]+" - "+m[2], " - ") + m[4]
	}
	return name
}
