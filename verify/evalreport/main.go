// Evalreport turns a test runner's report into the lines that the public
// SWE-bench harness reads with its parse_log_gotest, one for each test:
//
//	--- PASS: owner/repo::unit::name (0.00s)
//	--- FAIL: owner/repo::unit::name (0.00s)
//	--- SKIP: owner/repo::unit::name (0.00s)
//
// It stands in every image outside the checkouts, is static, and reads reports
// with the parsers that verify uses, so that a test has the same name at build
// and at grade. A unit that did not load fails as "(load)". Its exit code is 0
// when it could write what it read, whatever the tests did; 1 when it could
// not, 2 for a wrong call.
//
// Usage:
//
//	evalreport -repo owner/name -unit TARGET -runner gotest -report FILE
//	           -root /testbed/name [-dir sub] [-file test/a.js]... [-stderr FILE]
//
// -unit is the target's name; without -report standard input is read.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"crossswe/schemas"
	"crossswe/verify/internal/testlog"
)

// maxReport bounds what is read; a longer report is a half-written one.
const maxReport = 64 << 20

func main() {
	os.Exit(program(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.DirFS("/")))
}

var runners = []schemas.Runner{
	schemas.RunnerGo, schemas.RunnerJUnit, schemas.RunnerMocha, schemas.RunnerJest, schemas.RunnerNodeTest,
	schemas.RunnerPytest, schemas.RunnerSurefire, schemas.RunnerCTest, schemas.RunnerCargo,
}

// call is what the flags say.
type call struct {
	repo, runner, report, stderr string
	place                        testlog.Place
}

// program is main without the process: root is the file system.
func program(args []string, stdin io.Reader, stdout, stderr io.Writer, root fs.FS) int {
	c, err := parse(args, stderr)
	if err != nil {
		fmt.Fprintf(stderr, "evalreport: %v\n", err)
		return 2
	}
	if err := c.run(stdin, stdout, root); err != nil {
		fmt.Fprintf(stderr, "evalreport: %v\n", err)
		return 1
	}
	return 0
}

func parse(args []string, stderr io.Writer) (call, error) {
	var c call
	f := flag.NewFlagSet("evalreport", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&c.repo, "repo", "", "the repository, `owner/name`")
	f.StringVar(&c.runner, "runner", "", fmt.Sprintf("the report's format, one of %q", runners))
	f.StringVar(&c.place.Root, "root", "", "the repository's absolute `directory`")
	f.StringVar(&c.place.Dir, "dir", "", "the `directory` of the test command within the repository")
	f.StringVar(&c.place.Target, "unit", "", "the target's `name`, the unit of tests that tell none")
	f.StringVar(&c.report, "report", "", "the runner's report; standard input without it")
	f.StringVar(&c.stderr, "stderr", "", "a `file` with the runner's standard error")
	f.Func("file", "a test `file` of the target within the repository; may be repeated", func(s string) error {
		c.place.Files = append(c.place.Files, s)
		return nil
	})
	if err := f.Parse(args); err != nil {
		return c, err
	}
	if _, err := schemas.ParseRepoName(c.repo); err != nil {
		return c, err
	}
	if !slices.Contains(runners, schemas.Runner(c.runner)) {
		return c, fmt.Errorf("-runner %q is none of %q", c.runner, runners)
	}
	if !path.IsAbs(c.place.Root) {
		return c, fmt.Errorf("-root %q is not absolute", c.place.Root)
	}
	if f.NArg() > 0 {
		return c, fmt.Errorf("unexpected arguments %q", f.Args())
	}
	return c, nil
}

func (c call) run(stdin io.Reader, stdout io.Writer, root fs.FS) error {
	var log testlog.Log
	var err error
	if c.report == "" {
		log.Report, err = io.ReadAll(io.LimitReader(stdin, maxReport))
	} else if log.Report, err = read(root, c.report); os.IsNotExist(err) {
		err = nil // the runner died before it wrote one
	}
	if err != nil {
		return fmt.Errorf("reading the report: %w", err)
	}
	if c.stderr != "" {
		if log.Stderr, err = read(root, c.stderr); err != nil {
			return fmt.Errorf("reading the standard error: %w", err)
		}
	}
	if c.runner == string(schemas.RunnerGo) {
		c.place.Module, c.place.ModuleDir = module(root, c.place)
	}
	w := bufio.NewWriter(stdout)
	for _, r := range testlog.Parse(schemas.Runner(c.runner), log, c.place).Results {
		if line := line(schemas.RepoName(c.repo), r); line != "" {
			fmt.Fprintln(w, line)
		}
	}
	return w.Flush()
}

// line is one test's line. What was not run has none, and neither has a unit
// that loaded.
func line(repo schemas.RepoName, r testlog.Result) string {
	status := map[schemas.Outcome]string{schemas.OutcomePass: "PASS", schemas.OutcomeFail: "FAIL", schemas.OutcomeError: "FAIL", schemas.OutcomeSkip: "SKIP"}[r.Outcome]
	if status == "" || (r.IsLoad() && r.Outcome == schemas.OutcomePass) {
		return ""
	}
	return fmt.Sprintf("--- %s: %s (0.00s)", status, r.ID(repo))
}

func read(root fs.FS, file string) ([]byte, error) {
	f, err := root.Open(strings.TrimPrefix(path.Clean(file), "/"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxReport))
}

var moduleLine = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)"?`)

// module finds the Go module of the directory in which the command ran.
func module(root fs.FS, p testlog.Place) (name, dir string) {
	for dir := path.Clean("/" + p.Dir); ; dir = path.Dir(dir) {
		body, err := read(root, path.Join(p.Root, dir, "go.mod"))
		if m := moduleLine.FindSubmatch(body); err == nil && m != nil {
			return string(m[1]), strings.TrimPrefix(dir, "/")
		}
		if dir == "/" {
			return "", ""
		}
	}
}
