package score

import (
	"fmt"
	"regexp"
	"strings"

	"crossswe/schemas"
)

// How the evaluation script of a row marks its output; see publish.
const (
	startMark = ">>>>> Start Test Output"
	endMark   = ">>>>> End Test Output"
)

// testLine is a line of the report program. The id may hold anything.
var testLine = regexp.MustCompile(`^--- (PASS|FAIL|SKIP): (.+) \(0\.00s\)$`)

// Judge says what the log of a row's evaluation script means. Only lines between
// the marks count: whatever else printed them, the report program did not.
func Judge(row schemas.Instance, log string) schemas.Evaluation {
	e := schemas.Evaluation{Instance: row.InstanceID, Outcome: schemas.EvaluationUnresolved}
	status, whole := statuses(log)
	if !whole {
		e.Detail = "the evaluation ended before its tests had"
	}
	e.FailToPass = judged(row.FailToPass, status)
	e.PassToPass = judged(row.PassToPass, status)
	if whole && len(e.FailToPass.Missed) == 0 && len(e.PassToPass.Missed) == 0 && len(row.FailToPass) > 0 {
		e.Outcome = schemas.EvaluationResolved
	} else if e.Detail == "" {
		e.Detail = fmt.Sprintf("%d of %d fail-to-pass tests and %d of %d pass-to-pass tests do not pass",
			len(e.FailToPass.Missed), len(row.FailToPass), len(e.PassToPass.Missed), len(row.PassToPass))
	}
	return e
}

// statuses reads the tests between the marks; whole says that both are there,
// once each. A test that is told twice must have passed twice.
func statuses(log string) (map[string]string, bool) {
	status := map[string]string{}
	starts, ends := 0, 0
	for line := range strings.Lines(log) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case marks(line, startMark):
			starts++
			continue
		case marks(line, endMark):
			ends++
			continue
		}
		m := testLine.FindStringSubmatch(line)
		if m == nil || starts != 1 || ends != 0 {
			continue
		}
		if had, again := status[m[2]]; again && had != m[1] {
			m[1] = "FAIL"
		}
		status[m[2]] = m[1]
	}
	return status, starts == 1 && ends == 1
}

// marks knows a mark as the shell traces it: + : '>>>>> Start Test Output'.
func marks(line, mark string) bool {
	return strings.HasPrefix(line, "+ : '") && strings.Contains(line, mark)
}

func judged(tests []string, status map[string]string) schemas.TestCount {
	c := schemas.TestCount{Passed: 0, Missed: []string{}}
	for _, id := range tests {
		if status[id] == "PASS" {
			c.Passed++
		} else {
			c.Missed = append(c.Missed, id)
		}
	}
	return c
}
