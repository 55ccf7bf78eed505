package testlog

import (
	"bytes"
	"encoding/json"
	"path"
	"regexp"
	"strings"

	"crossswe/schemas"
)

// pytestLine is one line of the report that our plugin of pytest writes: a
// start, what did not collect, links that do not hold, what was collected, a beginning and up to three
// phases for each test, a finish.
type pytestLine struct {
	Event   string   `json:"event"`
	Root    string   `json:"root"` // start: what ids are relative to
	ID      string   `json:"id"`
	IDs     []string `json:"ids"`
	When    string   `json:"when"`    // setup, call or teardown
	Outcome string   `json:"outcome"` // passed, failed or skipped
	XFail   bool     `json:"xfail"`   // the test was expected to fail
	Text    string   `json:"text"`
	Exit    *int     `json:"exit"`
}

// pytestCase is what is known of one test.
type pytestCase struct {
	id       string
	outcome  schemas.Outcome
	failure  schemas.Failure
	text     string
	finished bool // its teardown was reported
}

// pytestRun reads the lines.
type pytestRun struct {
	b        *builder
	root     string
	cases    []*pytestCase
	byID     map[string]*pytestCase
	planned  []string
	internal string
	whole    bool
}

// parsePytest reads the report. A run without a finish is half written: what it
// began and did not end took its process along.
func parsePytest(b *builder) {
	r := &pytestRun{b: b, root: b.at.Root, byID: map[string]*pytestCase{}}
	began := false
	for line := range bytes.Lines(b.log.Report) {
		var l pytestLine
		if json.Unmarshal(line, &l) != nil || l.Event == "" {
			continue
		}
		began = began || l.Event == "start"
		r.line(l)
	}
	if !began {
		b.fault = FaultAbsent
		b.absent(b.expected(func(f string) string { return f }))
		return
	}
	r.end()
}

func (r *pytestRun) line(l pytestLine) {
	switch l.Event {
	case "start":
		if path.IsAbs(l.Root) {
			r.root = l.Root
		}
	case "collect":
		r.collect(l)
	case "collected":
		r.planned = l.IDs
	case "void":
		if r.b.void == "" {
			r.b.void = cleanName(l.ID) + " from " + excerpt(l.Text)
		}
	case "begin":
		r.of(l.ID)
	case "test":
		r.phase(l)
	case "internal":
		r.internal = l.Text
	case "finish":
		r.whole = true
	}
}

// collect takes a file over that did not load, or that skipped itself whole.
func (r *pytestRun) collect(l pytestLine) {
	unit, names := r.split(l.ID)
	if l.Outcome == "failed" {
		r.b.broken(unit, schemas.FailureCompileOwn, []byte(l.Text))
		return
	}
	if len(names) == 0 {
		r.b.broken(unit, schemas.FailureNotCollected, []byte("skipped as a whole: "+l.Text))
	}
}

func (r *pytestRun) of(id string) *pytestCase {
	c := r.byID[id]
	if c == nil {
		c = &pytestCase{id: id}
		r.byID[id] = c
		r.cases = append(r.cases, c)
	}
	return c
}

// phase takes one phase over. What is worse wins: a test whose teardown fails
// has not passed, and one of several parts fails with any of them. A runner
// that tries again reports the last try only as passed or failed.
func (r *pytestRun) phase(l pytestLine) {
	c := r.of(l.ID)
	switch {
	case l.Outcome == "failed" && l.When == "call":
		c.worsen(schemas.OutcomeFail, schemas.FailureAssertion, l.Text)
	case l.Outcome == "failed":
		c.worsen(schemas.OutcomeError, schemas.FailureAssertion, l.Text)
	case l.Outcome == "skipped" && l.XFail:
		c.worsen(schemas.OutcomeSkip, schemas.FailureNone, "failed as expected")
	case l.Outcome == "skipped":
		c.worsen(schemas.OutcomeSkip, schemas.FailureNone, l.Text)
	case l.Outcome == "passed" && l.When == "call" && c.outcome == "":
		c.outcome = schemas.OutcomePass
	}
	c.finished = c.finished || l.When == "teardown"
}

var pytestWeight = map[schemas.Outcome]int{schemas.OutcomePass: 1, schemas.OutcomeSkip: 2, schemas.OutcomeError: 3, schemas.OutcomeFail: 4}

func (c *pytestCase) worsen(o schemas.Outcome, f schemas.Failure, text string) {
	if pytestWeight[o] > pytestWeight[c.outcome] {
		c.outcome, c.failure, c.text = o, f, text
	}
}

// end makes results of what was read.
func (r *pytestRun) end() {
	if !r.whole {
		r.b.fault = FaultHalf
	}
	for _, c := range r.cases {
		r.result(c)
	}
	r.unrun()
	text := []byte(r.internal)
	if r.internal == "" {
		text = r.b.log.text()
	}
	for _, u := range r.b.expected(func(f string) string { return f }) {
		if r.b.seen[u] {
			continue
		}
		failure := schemas.FailureNotCollected
		if of := r.around(u); of != nil {
			r.b.broken(u, schemas.FailureCompileOwn, of)
			continue
		}
		if !r.whole || r.internal != "" {
			failure = schemas.FailureRunnerDead
		}
		if r.b.log.TimedOut {
			failure = schemas.FailureHang
		}
		r.b.broken(u, failure, text)
	}
}

// around returns the text about a package that did not load and that holds the
// file: its __init__ or its conftest.
func (r *pytestRun) around(file string) []byte {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		for _, u := range []string{dir, path.Join(dir, "__init__.py"), path.Join(dir, "conftest.py")} {
			if _, ok := r.b.loads[u]; ok {
				return r.b.text[u]
			}
		}
		if dir == "." || dir == "/" {
			return nil
		}
	}
}

func (r *pytestRun) result(c *pytestCase) {
	unit, names := r.split(c.id)
	if len(names) == 0 {
		names = []string{path.Base(unit)}
	}
	res := Result{Unit: unit, Names: names, Outcome: c.outcome, Failure: c.failure, Message: c.text}
	if c.outcome == "" || c.outcome == schemas.OutcomePass && !c.finished && !r.whole {
		res.Outcome, res.Failure, res.Message = schemas.OutcomeError, schemas.FailureRunnerDead, "it began and did not end"
		if r.b.log.TimedOut {
			res.Failure = schemas.FailureHang
		}
		res.Deadly = true
	}
	r.b.add(res)
}

// unrun records what was collected and never began, since the run broke off: a
// test may end it in order too.
func (r *pytestRun) unrun() {
	for _, id := range r.planned {
		if r.byID[id] == nil {
			unit, names := r.split(id)
			if len(names) > 0 {
				r.b.add(Result{Unit: unit, Names: names, Outcome: schemas.OutcomeNotRun, Failure: schemas.FailureRunnerDead})
			}
		}
	}
}

// address is where an object lay in memory: it differs from run to run and
// stands in the parameters of tests that were given no better name.
var address = regexp.MustCompile(`\b0x[0-9a-f]{6,16}\b`)

// split takes an id apart: file::Class::test[parameters]. The parameters may
// hold the separator, and are one part with the name.
func (r *pytestRun) split(id string) (unit string, names []string) {
	head, params := id, ""
	if i := strings.IndexByte(id, '['); i >= 0 {
		head, params = id[:i], id[i:]
	}
	parts := strings.Split(head, "::")
	file := parts[0]
	if len(parts) == 1 && params != "" { // a directory's name with a bracket
		file, params = id, ""
		if i := strings.Index(id, "::"); i >= 0 {
			file, parts = id[:i], append(parts, id[i+2:])
		}
	}
	for _, p := range parts[1:] {
		if p != "" && p != "()" { // old releases write an instance so
			names = append(names, p)
		}
	}
	if len(names) > 0 {
		names[len(names)-1] += address.ReplaceAllString(params, "0x…")
	}
	if !path.IsAbs(file) {
		file = path.Join(r.root, file)
	}
	return r.b.at.fileUnit(file), names
}
