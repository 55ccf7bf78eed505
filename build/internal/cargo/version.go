// Package cargo reads and edits what Cargo keeps in files: manifests, lock
// files, and the versions in them. It is pure; what it reads is hostile, and
// nothing in it panics. detect and link plan with it, and the program cargolink
// does in every mask what they planned.
package cargo

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Version is a semantic version; build metadata is dropped.
type Version struct {
	Major, Minor, Patch uint64
	Pre                 string
}

// ParseVersion reads a whole version, MAJOR.MINOR.PATCH[-PRE][+BUILD].
func ParseVersion(s string) (Version, bool) {
	p, ok := parsePartial(s)
	return p.Version, ok && p.parts == 3
}

// String writes the version without build metadata.
func (v Version) String() string {
	s := strconv.FormatUint(v.Major, 10) + "." + strconv.FormatUint(v.Minor, 10) + "." + strconv.FormatUint(v.Patch, 10)
	if v.Pre != "" {
		s += "-" + v.Pre
	}
	return s
}

// Line is the version line in which Cargo allows one release only: the major
// number, or what takes its place before 1.0.0.
func (v Version) Line() string {
	switch {
	case v.Major > 0:
		return strconv.FormatUint(v.Major, 10)
	case v.Minor > 0:
		return "0." + strconv.FormatUint(v.Minor, 10)
	}
	return "0.0." + strconv.FormatUint(v.Patch, 10)
}

// Compare orders versions as semver.org does.
func (v Version) Compare(o Version) int {
	return cmp.Or(v.compareRelease(o), comparePre(v.Pre, o.Pre))
}

func (v Version) compareRelease(o Version) int {
	return cmp.Or(cmp.Compare(v.Major, o.Major), cmp.Compare(v.Minor, o.Minor), cmp.Compare(v.Patch, o.Patch))
}

// comparePre orders pre-releases: one is lower than none, numbers are lower
// than words.
func comparePre(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == "":
		return 1
	case b == "":
		return -1
	}
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(x, y string) int {
		n, errN := strconv.ParseUint(x, 10, 64)
		m, errM := strconv.ParseUint(y, 10, 64)
		switch {
		case errN == nil && errM == nil:
			return cmp.Compare(n, m)
		case errN == nil:
			return -1
		case errM == nil:
			return 1
		}
		return strings.Compare(x, y)
	})
}

// partial is a version of which the last numbers may be absent.
type partial struct {
	Version
	parts int
}

func parsePartial(s string) (partial, bool) {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "+")
	numbers, pre, hasPre := strings.Cut(s, "-")
	var p partial
	for i, f := range strings.Split(numbers, ".") {
		if f == "*" || f == "x" || f == "X" {
			return p, !hasPre
		}
		n, err := strconv.ParseUint(f, 10, 64)
		if err != nil || i > 2 {
			return partial{}, false
		}
		*[]*uint64{&p.Major, &p.Minor, &p.Patch}[i] = n
		p.parts++
	}
	p.Pre = pre
	return p, !hasPre || p.parts == 3 && pre != ""
}
