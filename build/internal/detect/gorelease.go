package detect

import (
	_ "embed" // for the table of releases
	"strconv"
	"strings"
	"time"
)

//go:embed goreleases.txt
var goReleases string

// goVersion is a release of Go, 1.Minor.Patch.
type goVersion struct{ Minor, Patch int }

// String writes it as the toolchain's name does, without "go": the first
// release of a minor carries a zero from 1.21 on and none before.
func (v goVersion) String() string {
	s := "1." + strconv.Itoa(v.Minor)
	if v.Patch > 0 || v.Minor >= 21 {
		s += "." + strconv.Itoa(v.Patch)
	}
	return s
}

func (v goVersion) less(o goVersion) bool {
	return v.Minor < o.Minor || v.Minor == o.Minor && v.Patch < o.Patch
}

// parseGoVersion reads the versions of go lines and CI files: 1.22, 1.22.5,
// 1.22.x, ^1.22, 1.22rc1.
func parseGoVersion(s string) (goVersion, bool) {
	s = strings.TrimLeft(s, "^~>=v ")
	rest, ok := strings.CutPrefix(s, "1.")
	if !ok {
		return goVersion{}, false
	}
	minor, rest := leadingInt(rest)
	patch := 0
	if r, ok := strings.CutPrefix(rest, "."); ok {
		patch, _ = leadingInt(r)
	}
	return goVersion{minor, max(patch, 0)}, minor > 0
}

// leadingInt returns the number that s begins with, -1 when there is none.
func leadingInt(s string) (int, string) {
	end := 0
	for end < len(s) && end < 4 && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(s[:end])
	if err != nil {
		return -1, s
	}
	return n, s[end:]
}

// release is a goVersion and the day it came out.
type release struct {
	goVersion
	day time.Time
}

// releases reads the embedded table, oldest first.
func releases() []release {
	var all []release
	for line := range strings.Lines(goReleases) {
		date, version, ok := strings.Cut(strings.TrimSpace(line), " ")
		day, err := time.Parse(time.DateOnly, date)
		v, known := parseGoVersion(version)
		if ok && err == nil && known {
			all = append(all, release{v, day})
		}
	}
	return all
}

// newestPatch returns the newest release of a minor on the day; false when the
// table has none of that minor by then.
func newestPatch(minor int, at time.Time) (goVersion, bool) {
	best, found := goVersion{}, false
	for _, r := range releases() {
		if r.Minor == minor && !r.day.After(at) && !r.less(best) {
			best, found = r.goVersion, true
		}
	}
	return best, found
}

// newestMinor returns the newest minor that was out on the day.
func newestMinor(at time.Time) int {
	newest := 0
	for _, r := range releases() {
		if !r.day.After(at) {
			newest = max(newest, r.Minor)
		}
	}
	return newest
}
