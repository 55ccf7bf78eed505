package testlog

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strings"

	"crossswe/schemas"
)

// junitCase is one testcase of a JUnit XML report, whoever wrote it.
type junitCase struct {
	suites    []string // names of the testsuites around it, outermost first
	file      string   // its own file attribute, or the nearest suite's
	classname string
	name      string
	verdict   string // "", failure, error, skipped
	kind      string // the verdict's type attribute
	message   string
	status    string // the status attribute, as CTest writes it
	output    string // what the test printed
}

// dialect turns a testcase into a result.
type dialect func(*builder, junitCase)

// parseJUnit reads JUnit XML. There is no standard; this takes what JUnit,
// Surefire, pytest, node and the JavaScript reporters write.
func parseJUnit(b *builder, as dialect) {
	start := bytes.Index(b.log.Report, []byte("<testsuite"))
	if head := bytes.Index(b.log.Report, []byte("<?xml")); head >= 0 && (start < 0 || head < start) {
		start = head
	}
	if start < 0 {
		b.fault = FaultAbsent
		b.absent(b.expected(func(f string) string { return f }))
		return
	}
	whole := newJUnitReader(b.log.Report[start:]).read(func(c junitCase) { as(b, c) })
	if !whole {
		b.fault = FaultHalf
	}
	if len(b.order) == 0 {
		b.absent(b.expected(func(f string) string { return f }))
	}
}

func newJUnitReader(report []byte) *junitReader {
	r := &junitReader{dec: xml.NewDecoder(bytes.NewReader(validXML(report)))}
	r.dec.Strict = false
	r.dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	return r
}

// junitReader walks the elements of a report.
type junitReader struct {
	dec    *xml.Decoder
	suites []string
	files  []string
	open   *junitCase
	text   strings.Builder
	within int // depth of elements inside a verdict or an output
	// printed says that it is an output.
	printed bool
}

// read calls found for every testcase that ends. It reports whether the
// document is whole.
func (r *junitReader) read(found func(junitCase)) bool {
	depth, began := 0, false
	for {
		tok, err := r.dec.Token()
		if err != nil {
			return errors.Is(err, io.EOF) && began && depth == 0
		}
		switch t := tok.(type) {
		case xml.StartElement:
			depth, began = depth+1, true
			r.start(t)
		case xml.EndElement:
			depth--
			r.end(t, found)
			if depth == 0 {
				return true // what follows is the runner's later output
			}
		case xml.CharData:
			if r.open != nil && r.within > 0 && r.text.Len() < MaxLoad {
				r.text.Write(t)
			}
		}
	}
}

func (r *junitReader) start(t xml.StartElement) {
	switch name := t.Name.Local; {
	case r.within > 0:
		r.within++
	case name == "testsuite":
		r.suites = append(r.suites, attr(t, "name"))
		r.files = append(r.files, first(attr(t, "file"), attr(t, "filepath")))
	case name == "testcase":
		r.open = &junitCase{suites: append([]string{}, r.suites...), classname: attr(t, "classname"), name: attr(t, "name"), file: attr(t, "file"), status: attr(t, "status")}
		for i := len(r.files) - 1; i >= 0 && r.open.file == ""; i-- {
			r.open.file = r.files[i]
		}
	case r.open != nil && name == "system-out":
		r.within, r.printed = 1, true
		r.text.Reset()
	case r.open != nil && (name == "flakyFailure" || name == "flakyError"): // it passed when it was run again
		r.within = 1
		r.text.Reset()
		r.open.verdict, r.open.kind, r.open.message = "failure", attr(t, "type"), "flaky: "+attr(t, "message")
	case r.open != nil && (name == "failure" || name == "error" || name == "skipped"):
		r.within = 1
		r.text.Reset()
		if r.open.verdict != "skipped" { // a test that may fail is written as skipped and failed
			r.open.verdict, r.open.kind, r.open.message = name, attr(t, "type"), attr(t, "message")
		}
	}
}

func (r *junitReader) end(t xml.EndElement, found func(junitCase)) {
	switch name := t.Name.Local; {
	case r.within > 0:
		if r.within--; r.within > 0 {
			break
		}
		if r.printed {
			r.open.output, r.printed = r.text.String(), false
		} else {
			r.open.message = strings.TrimSpace(r.open.message + "\n" + strings.TrimSpace(r.text.String()))
		}
	case name == "testcase" && r.open != nil:
		found(*r.open)
		r.open = nil
	case name == "testsuite" && len(r.suites) > 0:
		r.suites, r.files = r.suites[:len(r.suites)-1], r.files[:len(r.files)-1]
	}
}

func attr(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// genericJUnit names a test by its file or class: pytest, Surefire, jest-junit.
func genericJUnit(b *builder, c junitCase) {
	r := Result{Names: []string{c.name}}
	switch {
	case c.classname == "" && c.verdict == "error" && strings.HasPrefix(c.message, "collection failure"):
		b.broken(c.name, schemas.FailureCompileOwn, []byte(c.message)) // pytest
		return
	case c.file != "":
		r.Unit = b.at.fileUnit(c.file)
		if c.classname != "" && c.classname != c.file {
			r.Names = []string{c.classname, c.name}
		}
	case c.classname != "":
		r.Unit = c.classname
	default:
		r.Unit = b.at.theUnit()
		r.Names = append(append([]string{}, c.suites...), c.name)
	}
	r.Outcome, r.Failure, r.Message = c.outcome()
	b.add(r)
}

func (c junitCase) outcome() (schemas.Outcome, schemas.Failure, string) {
	switch c.verdict {
	case "failure":
		return schemas.OutcomeFail, schemas.FailureAssertion, c.message
	case "error":
		return schemas.OutcomeError, schemas.FailureAssertion, c.message
	case "skipped":
		return schemas.OutcomeSkip, schemas.FailureNone, c.message
	}
	return schemas.OutcomePass, schemas.FailureNone, ""
}

// sameFile reports whether two spellings of a path may be one file.
func (p Place) sameFile(a, b string) bool {
	return p.fileUnit(a) == p.fileUnit(b) || path.Clean(a) == path.Clean(b)
}
