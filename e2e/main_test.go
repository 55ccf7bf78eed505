// Package e2e runs the built programs, in order, on the world of
// crossswe/e2e/world, against a real container engine. Its tests fail where no
// engine answers.
package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// bin is the directory of the programs, built once for all tests.
var bin string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "crossswe-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	bin = filepath.Join(dir, "bin")
	// The audit of build reads every byte of an image: with the race detector
	// that takes minutes. What goes into images must be static.
	for _, b := range []struct{ env, args []string }{
		{args: []string{"-race", "./mine", "./screen", "./verify", "./publish", "./demo"}},
		{args: []string{"./build"}},
		{env: []string{"CGO_ENABLED=0"}, args: []string{"-trimpath", "./verify/evalreport", "./build/cargolink"}},
	} {
		cmd := exec.Command("go", append([]string{"build", "-o", bin + string(filepath.Separator)}, b.args...)...)
		cmd.Env = append(os.Environ(), b.env...)
		cmd.Dir = ".."
		if out, err := cmd.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "building the programs: %v\n%s", err, out)
			return 1
		}
	}
	return postgres.Run(m)
}
