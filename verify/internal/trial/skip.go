package trial

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"crossswe/schemas"
)

var goRelease = regexp.MustCompile(`^(?:go)?1\.(\d+)`)

// canLeaveOut reports whether a target's command can be told to leave tests
// out: go test, from Go 1.20 on.
func canLeaveOut(spec schemas.Spec, target schemas.Target) bool {
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

// withSkip tells go test to leave tests out, beside what the command leaves
// out already.
func withSkip(run, names []string) []string {
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
