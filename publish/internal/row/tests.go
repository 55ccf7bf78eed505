package row

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"crossswe/schemas"
)

// chosen are the lists of tests of a row, ordered.
type chosen struct{ failToPass, passToPass, joint, singleSide []string }

// chooseTests returns the lists of the verdict without the tests whose ids a
// test log cannot carry, and how many those are. When that leaves nothing to
// fail and pass, or no joint test where there was one, the row is refused.
func chooseTests(v schemas.Verdict) (chosen, int, error) {
	left := map[schemas.TestID]string{}
	c := chosen{sound(v.FailToPass, left), sound(v.PassToPass, left), sound(v.Joint, left), sound(v.SingleSide, left)}
	if len(c.failToPass) == 0 || len(c.joint) == 0 && len(v.Joint) > 0 {
		return chosen{}, 0, &Refusal{NoTestLeft, fmt.Sprintf("of %d fail-to-pass tests; %s", len(v.FailToPass), example(left))}
	}
	if i := slices.IndexFunc(c.failToPass, func(id string) bool { return slices.Contains(c.passToPass, id) }); i >= 0 {
		return chosen{}, 0, fmt.Errorf("%s is in FAIL_TO_PASS and in PASS_TO_PASS", c.failToPass[i])
	}
	return c, len(left), nil
}

func sound(ids []schemas.TestID, left map[schemas.TestID]string) []string {
	kept := []string{}
	for _, id := range ids {
		if why := unsound(string(id)); why != "" {
			left[id] = why
			continue
		}
		kept = append(kept, string(id))
	}
	slices.Sort(kept)
	return slices.Compact(kept)
}

// example names one of the tests that were left out, the first by id.
func example(left map[schemas.TestID]string) string {
	first := schemas.TestID("")
	for id := range left {
		if first == "" || id < first {
			first = id
		}
	}
	return fmt.Sprintf("%q: %s", first, left[first])
}

// unsound says why a test log cannot carry an id: it is read line by line, and
// an id with an open bracket is one that some tool has cut.
func unsound(id string) string {
	switch {
	case strings.ContainsFunc(id, unicode.IsControl), strings.ContainsAny(id, "\u2028\u2029"):
		return "it holds a control character"
	case !utf8.ValidString(id):
		return "it is not UTF-8"
	case strings.TrimSpace(id) != id:
		return "it begins or ends with a blank"
	case !balanced(id):
		return "its brackets do not match"
	}
	return ""
}

func balanced(id string) bool {
	var open []rune
	for _, r := range id {
		switch r {
		case '(', '[', '{':
			open = append(open, r)
		case ')', ']', '}':
			if len(open) == 0 || open[len(open)-1] != pair[r] {
				return false
			}
			open = open[:len(open)-1]
		}
	}
	return len(open) == 0
}

var pair = map[rune]rune{')': '(', ']': '[', '}': '{'}
