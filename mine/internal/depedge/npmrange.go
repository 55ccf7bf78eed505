package depedge

import (
	"regexp"
	"strconv"
	"strings"
)

var npmComparator = regexp.MustCompile(`(>=|<=|>|<|\^|~>|~|=)?\s*v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?`)

var hexID = regexp.MustCompile(`^[0-9a-f]{7,64}$`)

// npmVersion reads an npm range. A range stands for its floor: the lowest
// version that it admits, of its last alternative.
func npmVersion(written string) Version {
	if commitish, ok := strings.CutPrefix(written, "#"); ok {
		if hexID.MatchString(commitish) {
			return Version{Commit: commitish}
		}
		written = commitish
		if !npmComparator.MatchString(written) {
			return Version{Ref: commitish}
		}
	}
	if i := strings.LastIndex(written, "||"); i >= 0 {
		written = written[i+2:]
	}
	floor := ""
	for _, m := range npmComparator.FindAllStringSubmatch(written, -1) {
		if strings.HasPrefix(m[1], "<") || floor != "" {
			continue
		}
		if m[2] == "*" || m[2] == "x" || m[2] == "X" {
			continue
		}
		floor = npmNumber(m[2]) + "." + npmNumber(m[3]) + "." + npmNumber(m[4]) + m[5]
	}
	return Version{Release: floor}
}

func npmNumber(s string) string {
	if _, err := strconv.Atoi(s); err != nil {
		return "0"
	}
	return s
}
