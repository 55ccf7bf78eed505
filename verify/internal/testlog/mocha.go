package testlog

import (
	"encoding/json"
	"slices"
	"strings"

	"crossswe/schemas"
)

// mochaTest is an entry of mocha's JSON reporter.
type mochaTest struct {
	Title     string
	FullTitle string
	File      string // since mocha 7
	Duration  *float64
	Err       struct {
		Message string
		Stack   string
		Code    string
	}
}

func (t mochaTest) failed() bool { return t.Err.Message != "" || t.Err.Stack != "" }

// key tells entries apart across the report's lists, which repeat them.
func (t mochaTest) key() string { return t.File + "\x00" + t.FullTitle }

// mochaLists are the lists of the report.
type mochaLists struct {
	tests, failures []mochaTest
	pending, passes map[string]int
	whole           bool
}

// parseMocha reads mocha --reporter json. Its list of passes decides: an entry
// without an error may also be a pending one.
func parseMocha(b *builder) {
	var m *mochaLists
	for body := range objects(b.log.Report, map[string]string{"stats": "{"}) {
		if m = readMocha(body); len(m.tests)+len(m.failures) > 0 {
			break
		}
	}
	if m == nil {
		b.fault = FaultAbsent
		b.log.Stdout = slices.Concat(b.log.Stdout, b.log.Report)
		b.absentJS()
		return
	}
	b.mocha(m)
}

func (b *builder) mocha(m *mochaLists) {
	if !m.whole {
		b.fault = FaultHalf
	}
	for _, t := range append(m.tests, m.hooks()...) {
		if o := m.outcome(t); o != "" {
			b.add(b.mochaResult(t, o))
		}
	}
	if len(b.order) == 0 && m.whole {
		for _, u := range b.expected(func(f string) string { return f }) {
			b.unit(u)
		}
	}
}

func readMocha(body []byte) *mochaLists {
	m := &mochaLists{pending: map[string]int{}, passes: map[string]int{}}
	m.whole = eachField(body, func(key string, dec *json.Decoder) error {
		switch key {
		case "tests":
			return eachElement(dec, func(t mochaTest) { m.tests = append(m.tests, t) })
		case "failures":
			return eachElement(dec, func(t mochaTest) { m.failures = append(m.failures, t) })
		case "pending":
			return eachElement(dec, func(t mochaTest) { m.pending[t.key()]++ })
		case "passes":
			return eachElement(dec, func(t mochaTest) { m.passes[t.key()]++ })
		}
		return skipValue(dec)
	})
	return m
}

// hooks are the failures that are no test: hooks stand only there.
func (m *mochaLists) hooks() []mochaTest {
	count := map[string]int{}
	for _, t := range m.tests {
		if t.failed() {
			count[t.key()]++
		}
	}
	var hooks []mochaTest
	for _, f := range m.failures {
		if count[f.key()]--; count[f.key()] < 0 {
			hooks = append(hooks, f)
		}
	}
	return hooks
}

// outcome is "" for a test of which a half-written report does not tell.
func (m *mochaLists) outcome(t mochaTest) schemas.Outcome {
	switch k := t.key(); {
	case t.failed():
		return schemas.OutcomeFail
	case m.passes[k] > 0:
		m.passes[k]--
		return schemas.OutcomePass
	case m.pending[k] > 0:
		m.pending[k]--
		return schemas.OutcomeSkip
	case t.Duration == nil && m.whole:
		return schemas.OutcomeSkip
	}
	return ""
}

func (b *builder) mochaResult(t mochaTest, o schemas.Outcome) Result {
	r := Result{Unit: b.at.theUnit(), Names: []string{t.FullTitle}, Outcome: o}
	if suite, ok := strings.CutSuffix(t.FullTitle, " "+t.Title); ok && suite != "" && t.Title != "" {
		r.Names = []string{suite, t.Title}
	}
	if t.File != "" {
		r.Unit = b.at.fileUnit(t.File)
	}
	if o == schemas.OutcomeFail {
		r.Failure, r.Message = schemas.FailureAssertion, first(t.Err.Stack, t.Err.Message)
		if t.Err.Code == "ERR_MOCHA_TIMEOUT" || strings.HasPrefix(t.Err.Message, "Timeout of ") {
			r.Failure = schemas.FailureHang
		}
	}
	return r
}

// absentJS records what a runner that died before its report leaves: the files
// that it was to run did not load.
func (b *builder) absentJS() {
	b.absent(b.expected(func(f string) string { return f }))
}
