package leaveout

import (
	"slices"
	"strings"

	"crossswe/schemas"
)

// pytestOption is the option of our plugin of pytest that leaves a function out.
// Pytest's own goes by ids, which begin with a path that depends on where its
// configuration stands.
const pytestOption = "--crossswe-leave-out="

// Name is how a test that took its process along is left out: of go test the
// top-level test, of pytest the function with its classes and all parameters.
func Name(runner schemas.Runner, names []string) string {
	if runner == schemas.RunnerPytest {
		name, _, _ := strings.Cut(strings.Join(names, "::"), "[")
		return name
	}
	top, _, _ := strings.Cut(names[0], "/")
	return top
}

// isPytest reports whether a command calls pytest with our plugin.
func isPytest(run []string) bool { return slices.Contains(run, "crossswe_pytest") }

func pytestCommand(run, names []string) []string {
	at := slices.Index(run, "crossswe_pytest") + 1
	options := make([]string, len(names))
	for i, n := range names {
		options[i] = pytestOption + n
	}
	return slices.Insert(slices.Clone(run), at, options...)
}
