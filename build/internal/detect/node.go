package detect

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// nodeLines are the even major lines of Node.js and the day on which each came
// out, from the project's release schedule.
var nodeLines = []struct {
	major int
	day   string
}{
	{10, "2018-04-24"}, {12, "2019-04-23"}, {14, "2020-04-21"}, {16, "2021-04-20"}, {18, "2022-04-19"},
	{20, "2023-04-18"}, {22, "2024-04-24"}, {24, "2025-05-06"}, {26, "2026-04-22"},
}

var (
	nodeKey    = regexp.MustCompile(`(?i)^(node|nodejs|node[-_]?js[-_]?versions?|node[-_]?versions?)$`)
	nodeNumber = regexp.MustCompile(`(?:^|[^\w.])v?(\d{1,2})(?:\.[\dx]+)*`)
	nodeImage  = regexp.MustCompile(`(?:^|/)node:\d+`)
)

// ChooseNode returns the major of Node.js for repositories that changed
// together at a time: the newest even one that was out and that the CI of
// every one names (else that any does, else the newest). False when no
// repository has a package.json.
func ChooseNode(repos []Repo, at time.Time) (major int, from string, ok bool) {
	var sets []map[int]bool
	var who []string
	for _, r := range repos {
		if len(NPMPackages(r.Head)) == 0 {
			continue
		}
		ok = true
		if named := ciNodeMajors(r.Head); len(named) > 0 {
			sets, who = append(sets, named), append(who, string(r.Name))
		}
	}
	if !ok {
		return 0, "", false
	}
	day := at.UTC().Format(time.DateOnly)
	for _, line := range slices.Backward(nodeLines) {
		if line.day <= day && len(sets) > 0 && !slices.ContainsFunc(sets, func(s map[int]bool) bool { return !s[line.major] }) {
			return line.major, fmt.Sprintf("newest even major on %s in the CI of %s", day, strings.Join(who, ", ")), true
		}
	}
	for _, line := range slices.Backward(nodeLines) {
		if line.day <= day {
			return line.major, "newest even major on " + day + ": the CI names none in common", true
		}
	}
	return nodeLines[0].major, "the oldest known major", true
}

// ciNodeMajors returns the majors of Node.js that the tree's CI names.
func ciNodeMajors(t Tree) map[int]bool {
	majors := map[int]bool{}
	values := ciValues(t, nodeKey.MatchString, nodeImage.MatchString)
	if len(values) == 0 {
		values = append(values, string(t.Files[".nvmrc"]), string(t.Files[".node-version"]))
	}
	for _, v := range values {
		for _, m := range nodeNumber.FindAllStringSubmatch(v, -1) {
			if n, err := strconv.Atoi(m[1]); err == nil && n >= 8 {
				majors[n] = true
			}
		}
	}
	return majors
}
