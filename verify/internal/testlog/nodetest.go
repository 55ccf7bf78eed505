package testlog

import (
	"bytes"
	"html"
	"regexp"

	"crossswe/schemas"
)

// parseNodeTest reads node --test with its junit or its tap reporter.
func parseNodeTest(b *builder) {
	if bytes.Contains(b.log.Report, []byte("<testsuites")) {
		parseJUnit(b, nodeJUnit)
		return
	}
	parseTAP(b)
}

// nodeJUnit is what node's junit reporter writes: suites nest, every classname
// is "test", the file is told since Node 24 only. A file that fails as a whole
// stands among the tests under its own path.
func nodeJUnit(b *builder, c junitCase) {
	names := make([]string, 0, len(c.suites)+1)
	for _, n := range append(c.suites, c.name) {
		names = append(names, html.UnescapeString(n)) // node escapes quotes twice
	}
	n := nodeCase{file: c.file, names: names, kind: c.kind, message: c.message}
	switch c.verdict {
	case "skipped":
		n.outcome = schemas.OutcomeSkip
	case "":
		n.outcome = schemas.OutcomePass
	default:
		n.outcome = schemas.OutcomeFail
	}
	b.nodeCase(n)
}

// nodeCase is one test of node's runner, in either form.
type nodeCase struct {
	file    string
	names   []string
	outcome schemas.Outcome
	kind    string // node's failureType
	message string
}

// nodeCase adds the test, or what it says about its whole file.
func (b *builder) nodeCase(n nodeCase) {
	if len(n.names) == 1 && b.isFile(n.names[0], n.file, n.message) {
		b.nodeFile(n)
		return
	}
	r := Result{Unit: b.at.theUnit(), Names: n.names, Outcome: n.outcome}
	if n.file != "" {
		r.Unit = b.at.fileUnit(n.file)
	}
	if n.outcome == schemas.OutcomeFail {
		r.Failure, r.Message = schemas.FailureAssertion, n.message
		switch n.kind {
		case "testTimeoutFailure":
			r.Failure = schemas.FailureHang
		case "cancelledByParent":
			r.Outcome = schemas.OutcomeError
		}
	} else {
		r.Message = ""
	}
	b.add(r)
}

// exitCode stands in node's account of a process, never in that of a test.
var exitCode = regexp.MustCompile(`(?m)^exitCode: |code: 'ERR_TEST_FAILURE', failureType: 'testCodeFailure', cause: 'test failed', exitCode: `)

// isFile reports whether a test's title is the path of its own file: node
// reports files so that end without a test, or not in order.
func (b *builder) isFile(title, file, message string) bool {
	if file != "" && b.at.sameFile(title, file) {
		return true
	}
	if exitCode.MatchString(message) {
		return true
	}
	for _, f := range b.at.Files {
		if b.at.fileUnit(title) == f {
			return true
		}
	}
	return false
}

// uncaught is how node's process ends by an error that nobody caught, as when
// a file does not load; any other code was somebody's exit call or a signal.
var uncaught = regexp.MustCompile(`exitCode: 1\b`)

// nodeFile is a file as a whole: it passed without a test, or its process failed.
func (b *builder) nodeFile(n nodeCase) {
	unit := b.at.fileUnit(n.names[0])
	if n.outcome == schemas.OutcomePass {
		b.unit(unit)
		return
	}
	text := append([]byte(n.message+"\n"), b.log.text()...)
	failure := schemas.FailureCompileOwn
	if !uncaught.Match(text) {
		failure = schemas.FailureRunnerDead
	}
	b.broken(unit, failure, text)
}
