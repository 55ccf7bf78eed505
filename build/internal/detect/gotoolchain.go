package detect

import (
	"fmt"
	"go/version"
	"slices"
	"strings"
	"time"
)

// GoToolchain is the Go release that an instance is built with.
type GoToolchain struct {
	Version string // 1.25.8
	From    string // why, for people
}

// firstWorkspaces is the first minor that knows go.work.
const firstWorkspaces = 18

// ChooseGo returns the Go release for repositories that changed together at a
// time: the highest minor that the CI of every one names (else the highest go
// or toolchain line), never below a go line, in the newest patch release of
// that day. False when no repository has a Go module.
func ChooseGo(repos []Repo, at time.Time) (GoToolchain, bool) {
	floor, lines, any := goLines(repos)
	if !any {
		return GoToolchain{}, false
	}
	newest := newestMinor(at)
	minor, from := commonMinor(repos, newest)
	if minor < floor.Minor {
		minor, from = max(floor.Minor, lines.Minor), "the highest go or toolchain line of go.mod"
	}
	if minor < firstWorkspaces {
		return GoToolchain{Version: goVersion{firstWorkspaces, 0}.String(), From: "the first with workspaces; " + from + " is older"}, true
	}
	patch, known := newestPatch(minor, at)
	if known {
		from += fmt.Sprintf("; newest patch release on %s", at.UTC().Format(time.DateOnly))
	} else {
		patch = goVersion{minor, 0}
		from += "; its release dates are not known"
	}
	if patch.less(floor) {
		patch, from = floor, "the highest go line of go.mod"
	}
	return GoToolchain{Version: patch.String(), From: from}, true
}

// goLines returns the highest go line, which is a lower bound, and the highest
// of go and toolchain lines, over base and head of every repository.
func goLines(repos []Repo) (floor, lines goVersion, any bool) {
	for _, m := range allGoModules(repos) {
		any = true
		if v, ok := parseGoVersion(m.Go); ok && floor.less(v) {
			floor = v
		}
		if v, ok := parseGoVersion(m.Toolchain); ok && lines.less(v) {
			lines = v
		}
	}
	if lines.less(floor) {
		lines = floor
	}
	return floor, lines, any
}

// commonMinor returns the highest minor that the CI of every repository names
// at head. A repository whose CI names none has no say.
func commonMinor(repos []Repo, newest int) (int, string) {
	var common map[int]bool
	var who []string
	for _, r := range repos {
		minors := ciGoMinors(r.Head, newest)
		if len(minors) == 0 {
			continue
		}
		who = append(who, string(r.Name))
		if common == nil {
			common = minors
			continue
		}
		for m := range common {
			if !minors[m] {
				delete(common, m)
			}
		}
	}
	best := 0
	for m := range common {
		best = max(best, m)
	}
	return best, "highest minor in the CI of " + strings.Join(who, ", ")
}

// allGoModules returns the modules of base and head of every repository.
func allGoModules(repos []Repo) []GoModule {
	var all []GoModule
	for _, r := range repos {
		for _, t := range []Tree{r.Base, r.Head} {
			mods, _ := GoModules(t)
			all = append(all, mods...)
		}
	}
	return all
}

// HighestGo returns the highest of go lines, "" when there is none. By the go
// command's order 1.21 is lower than 1.21.0.
func HighestGo(lines []string) string {
	return slices.MaxFunc(append([]string{""}, lines...), func(a, b string) int { return version.Compare("go"+a, "go"+b) })
}
