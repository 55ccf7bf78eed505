package detect

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// pyLines are the minors of Python 3 and the day on which each came out, from
// the project's release schedules. Older ones have no build tools that can be
// had today.
var pyLines = []struct {
	minor int
	day   string
}{
	{8, "2019-10-14"}, {9, "2020-10-05"}, {10, "2021-10-04"}, {11, "2022-10-24"}, {12, "2023-10-02"}, {13, "2024-10-07"}, {14, "2025-10-07"},
}

var (
	pyKey    = regexp.MustCompile(`(?i)^(python|py|python[-_]?versions?|pyver)$`)
	pyImage  = regexp.MustCompile(`(?:^|/)python:3\.\d+`)
	pyNumber = regexp.MustCompile(`(?:^|[^\d.])3\.(\d{1,2})(?:\.\d+|\.x)?(?:$|[^\d])`)
	pyOther  = regexp.MustCompile(`pypy|graalpy|dev|alpha|rc|\dt$`)
	pyBound  = regexp.MustCompile(`(>=?|<=?|==|~=)\s*3(?:\.(\d{1,2}))?`)
)

// ChoosePython returns the minor of Python 3 for repositories that changed
// together at a time: the lowest, over the repositories, of the highest that
// was out and that a repository's classifiers name (else its CI, else what it
// requires). False when no repository has a distribution of Python.
func ChoosePython(repos []Repo, at time.Time) (minor int, from string, ok bool) {
	day := at.UTC().Format(time.DateOnly)
	floor := pyLines[0].minor
	for _, r := range repos {
		all := PyProjects(r.Head)
		if len(all) == 0 {
			continue
		}
		low, _ := pyBounds(all)
		floor = max(floor, low)
		n, why := pyHighest(r.Head, all, day)
		if !ok || n < minor {
			minor, from = n, fmt.Sprintf("the highest that was out on %s by %s of %s", day, why, r.Name)
		}
		ok = true
	}
	if ok && minor < floor {
		minor, from = floor, "the lowest that every repository allows and that can be had"
	}
	return minor, from, ok
}

// pyHighest returns the highest minor that a repository names and that was out.
func pyHighest(t Tree, all []PyProject, day string) (minor int, from string) {
	_, high := pyBounds(all)
	var classifiers []int
	for _, p := range all {
		classifiers = append(classifiers, p.Minors...)
	}
	for _, source := range []struct {
		minors []int
		from   string
	}{{classifiers, "the classifiers"}, {ciPythonMinors(t), "the CI"}} {
		for _, line := range slices.Backward(pyLines) {
			if line.day <= day && line.minor <= high && slices.Contains(source.minors, line.minor) {
				return line.minor, source.from
			}
		}
	}
	for _, line := range slices.Backward(pyLines) {
		if line.day <= day && line.minor <= high {
			return line.minor, "the date alone"
		}
	}
	return pyLines[0].minor, "no record"
}

// pyBounds returns the lowest and the highest minor that all distributions allow.
func pyBounds(all []PyProject) (low, high int) {
	low, high = 0, pyLines[len(pyLines)-1].minor
	for _, p := range all {
		for _, m := range pyBound.FindAllStringSubmatch(p.RequiresPython, -1) {
			n := number(m[2])
			if m[2] == "" {
				continue
			}
			switch m[1] {
			case ">=", "~=":
				low = max(low, n)
			case ">":
				low = max(low, n+1)
			case "<":
				high = min(high, n-1)
			case "<=":
				high = min(high, n)
			case "==":
				low, high = max(low, n), min(high, n)
			}
		}
	}
	return low, high
}

// ciPythonMinors returns the minors that the tree's CI and its version file name.
func ciPythonMinors(t Tree) []int {
	values := ciValues(t, pyKey.MatchString, pyImage.MatchString)
	if len(values) == 0 {
		values = append(values, string(t.Files[".python-version"]))
	}
	var minors []int
	for _, v := range values {
		for _, word := range strings.FieldsFunc(v, func(r rune) bool { return strings.ContainsRune(" ,;'\"[]\n", r) }) {
			if m := pyNumber.FindStringSubmatch(word); m != nil && !pyOther.MatchString(word) {
				minors = append(minors, number(m[1]))
			}
		}
	}
	return minors
}

var pyTagVersion = regexp.MustCompile(`\d+(?:\.\d+)*(?:\.?(?:a|b|rc|dev|post)\d*)*`)

// PyVersion turns a tag and the number of commits since into a version as the
// tools that ask git write it: after 1.2.3 comes 1.2.4.dev7.
func PyVersion(tag string, distance int) string {
	v := pyTagVersion.FindString(tag)
	if v == "" || distance == 0 {
		return v
	}
	last := pyLastNumber.FindString(v)
	return fmt.Sprintf("%s%d.dev%d", strings.TrimSuffix(v, last), number(last)+1, distance)
}

var pyLastNumber = regexp.MustCompile(`\d*$`)
