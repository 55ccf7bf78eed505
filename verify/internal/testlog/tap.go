package testlog

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"crossswe/schemas"
)

// tapLine is a result of TAP 13 as node writes it, nested by four blanks.
var tapLine = regexp.MustCompile(`^( *)(not )?ok \d+(?: - (.*?))?(?: # (SKIP|TODO)\b(.*))?$`)

// tapNode is a result with what stood below it.
type tapNode struct {
	nodeCase
	children []*tapNode
	suite    bool // a describe block, no test
}

// tapReader nests results. node writes a parent after its children.
type tapReader struct {
	pending [][]*tapNode // by depth: results whose parent has not come yet
	last    *tapNode
	yaml    bool
	text    strings.Builder // diagnostics since the last result, for load errors
	planned bool            // the final plan came: the report is whole
}

// parseTAP reads TAP as node --test --test-reporter=tap writes it.
func parseTAP(b *builder) {
	if !bytes.Contains(b.log.Report, []byte("TAP version ")) {
		b.fault = FaultAbsent
		b.log.Stdout = slices.Concat(b.log.Stdout, b.log.Report)
		b.absentJS()
		return
	}
	r := &tapReader{}
	for line := range bytes.Lines(b.log.Report) {
		r.line(strings.TrimRight(string(line), "\r\n"))
	}
	if !r.planned {
		b.fault = FaultHalf
	}
	for depth := len(r.pending) - 1; depth >= 0; depth-- { // children first, as they ran
		for _, n := range r.pending[depth] {
			b.tapNode(n, nil)
		}
	}
	if len(b.order) == 0 {
		b.absentJS()
	}
}

func (r *tapReader) line(s string) {
	trimmed := strings.TrimLeft(s, " ")
	switch {
	case r.yaml && trimmed == "...":
		r.yaml = false
	case r.yaml:
		r.detail(trimmed)
	case trimmed == "---" && r.last != nil:
		r.yaml = true
	case strings.HasPrefix(trimmed, "#"):
		if r.text.Len() < MaxLoad && !strings.HasPrefix(trimmed, "# Subtest: ") {
			r.text.WriteString(strings.TrimPrefix(trimmed[1:], " ") + "\n")
		}
	case strings.HasPrefix(s, "1.."):
		r.planned = true
	default:
		if m := tapLine.FindStringSubmatch(s); m != nil {
			r.result(len(m[1])/4, m)
		}
	}
}

func (r *tapReader) result(depth int, m []string) {
	const deepest = 64 // of nested suites; more is no report
	if depth > deepest {
		return
	}
	for len(r.pending) <= depth+1 {
		r.pending = append(r.pending, nil)
	}
	n := &tapNode{nodeCase: nodeCase{names: []string{tapUnescape(m[3])}, outcome: schemas.OutcomePass}}
	if m[2] != "" {
		n.outcome, n.message = schemas.OutcomeFail, r.text.String()
	}
	if m[4] != "" {
		n.outcome = schemas.OutcomeSkip
	}
	n.children = r.pending[depth+1]
	r.pending = append(r.pending[:depth+1], nil)
	r.pending[depth] = append(r.pending[depth], n)
	r.last = n
	r.text.Reset()
}

// detail reads one line of a result's YAML block. The block's own format is
// node's; only four of its keys matter.
func (r *tapReader) detail(s string) {
	key, value, _ := strings.Cut(s, ": ")
	value = strings.Trim(value, "'\"")
	switch key {
	case "type":
		r.last.suite = value == "suite"
	case "failureType":
		r.last.kind = value
	case "error", "stack", "exitCode":
		r.last.message += s + "\n"
	default:
		if r.last.outcome == schemas.OutcomeFail && len(r.last.message) < 4*maxMessage && strings.Contains(s, "(") {
			r.last.message += s + "\n"
		}
	}
}

// tapNode adds a result after its children. A suite is no test, unless it
// failed by itself: then its hook did.
func (b *builder) tapNode(n *tapNode, above []string) {
	n.names = append(append([]string{}, above...), n.names...)
	for _, c := range n.children {
		b.tapNode(c, n.names)
	}
	own := n.outcome == schemas.OutcomeFail && n.kind != "subtestsFailed"
	if n.suite && !own {
		return
	}
	b.nodeCase(n.nodeCase)
}

// tapUnescape undoes node's escaping of backslashes and hashes.
func tapUnescape(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\#`, `#`).Replace(s)
}
