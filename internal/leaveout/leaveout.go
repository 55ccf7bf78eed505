// Package leaveout tells test commands to leave tests out: those that kill
// their process in the full mask and take others along. verify finds them, and
// the published evaluation leaves them out too.
package leaveout

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"crossswe/schemas"
)

var goRelease = regexp.MustCompile(`^(?:go)?1\.(\d+)`)

// Possible reports whether a target's command can be told to leave tests
// out: go test, from Go 1.20 on, and pytest with our plugin.
func Possible(spec schemas.Spec, target schemas.Target) bool {
	if target.Runner == schemas.RunnerPytest {
		return isPytest(target.Command.Run)
	}
	if target.Runner != schemas.RunnerGo || !slices.Contains(target.Command.Run, "test") {
		return false
	}
	version := ""
	for _, tool := range spec.Toolchains {
		if tool.Name == "go" {
			version = tool.Version
		}
	}
	for _, env := range slices.Concat(spec.Env, target.Command.Env) {
		if v, ok := strings.CutPrefix(env, "GOTOOLCHAIN="); ok && goRelease.MatchString(v) {
			version = v
		}
	}
	m := goRelease.FindStringSubmatch(version)
	if m == nil {
		return false
	}
	minor, err := strconv.Atoi(m[1])
	return err == nil && minor >= 20
}

// Command returns the command that leaves the tests of these names out, beside
// what the command leaves out already.
func Command(run, names []string) []string {
	if isPytest(run) {
		return pytestCommand(run, names)
	}
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = regexp.QuoteMeta(n)
	}
	pattern := "^(?:" + strings.Join(quoted, "|") + ")$"
	run = slices.Clone(run)
	for i, arg := range run {
		if old, ok := strings.CutPrefix(arg, "-skip="); ok {
			run[i] = "-skip=" + old + "|" + pattern
			return run
		}
		if arg == "-skip" && i+1 < len(run) {
			run[i+1] += "|" + pattern
			return run
		}
	}
	at := slices.Index(run, "test") + 1
	return slices.Insert(run, at, "-skip="+pattern)
}

// Spec returns the spec with commands that leave tests out. The given one stays
// as it is.
func Spec(spec schemas.Spec, all []schemas.LeftOut) schemas.Spec {
	spec.Repos = slices.Clone(spec.Repos)
	for i, r := range spec.Repos {
		r.Targets = slices.Clone(r.Targets)
		for j, t := range r.Targets {
			for _, l := range all {
				if l.Repo.Same(r.Repo) && l.Target == t.Name && len(l.Tests) > 0 {
					r.Targets[j].Command.Run = Command(t.Command.Run, l.Tests)
				}
			}
		}
		spec.Repos[i] = r
	}
	return spec
}
