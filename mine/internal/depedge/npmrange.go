package depedge

import (
	"regexp"
	"strconv"
	"strings"
)

// npmComparator is one part of a range. A blank after the operator is allowed
// by npm and taken out before.
var npmComparator = regexp.MustCompile(`^(>=|<=|>|<|\^|~>|~|=)?v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$`)

var afterOperator = regexp.MustCompile(`([<>=^~])\s+`)

var hexID = regexp.MustCompile(`^[0-9a-f]{7,64}$`)

// npmVersion reads an npm range. A range stands for its floor: the lowest
// version that it admits, of its last alternative.
func npmVersion(written string) Version {
	if commitish, ok := strings.CutPrefix(written, "#"); ok {
		if hexID.MatchString(commitish) {
			return Version{Commit: commitish}
		}
		if floor := npmFloor(commitish); floor != "" {
			return Version{Release: floor}
		}
		return Version{Ref: commitish}
	}
	return Version{Release: npmFloor(written)}
}

// npmFloor returns the lowest version of a range's last alternative, "" when
// it has none.
func npmFloor(written string) string {
	if i := strings.LastIndex(written, "||"); i >= 0 {
		written = written[i+2:]
	}
	for part := range strings.FieldsSeq(afterOperator.ReplaceAllString(written, "$1")) {
		m := npmComparator.FindStringSubmatch(part)
		if m == nil || strings.HasPrefix(m[1], "<") || strings.ContainsAny(m[2], "xX*") {
			continue
		}
		return npmNumber(m[2]) + "." + npmNumber(m[3]) + "." + npmNumber(m[4]) + m[5]
	}
	return ""
}

func npmNumber(s string) string {
	if _, err := strconv.Atoi(s); err != nil {
		return "0"
	}
	return s
}
