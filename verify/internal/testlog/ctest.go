package testlog

import (
	"bytes"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"crossswe/schemas"
)

// ctestReport is the report that the image's script writes, in four parts:
// what CTest lists (--show-only=json-v1), compile_commands.json, CTest's JUnit
// XML, and CTest's own words, which alone tell a time-out and a crash from a
// failure.
type ctestReport struct {
	commands map[string][]string // a test's command line
	order    []string            // the tests by number
	root     string              // the build directory
	// sources maps an executable, relative to the build directory, to the
	// files of the repository that it is compiled from.
	sources map[string][]string
	ends    map[string]string // a test's end in CTest's words
	steps   []buildStep       // the build's failed steps
	// waiting are the tests whose executable is not there: they stand for their
	// unit, unless it holds tests that ran.
	waiting []Result
}

// parseCTest reads such a report.
func parseCTest(b *builder) {
	c := &ctestReport{commands: map[string][]string{}, sources: map[string][]string{}, ends: map[string]string{}, steps: failedSteps(b.log.text())}
	rest := c.head(b.log.Report, b.at)
	begin := bytes.Index(rest, []byte("<?xml"))
	if begin < 0 {
		b.fault = FaultAbsent
		b.absent(ctestUnits(b.at))
		return
	}
	if end := bytes.LastIndex(rest, []byte("</testsuite>")); end > begin {
		c.words(rest[end:])
	}
	b.log.Report = rest[begin:]
	parseJUnit(b, func(b *builder, t junitCase) { c.test(b, t) })
	ran := map[string]bool{}
	for _, r := range b.results {
		ran[r.Unit] = true
	}
	for _, r := range c.waiting {
		if ran[r.Unit] {
			b.add(r)
		}
	}
}

// ctestUnits are the units that a target may have: its test files, less what
// merely lists them, and the target itself for tests of other programs.
func ctestUnits(at Place) []string {
	units := slices.DeleteFunc(slices.Clone(at.Files), func(f string) bool {
		return path.Base(f) == "CMakeLists.txt" || path.Ext(f) == ".cmake"
	})
	return append(units, at.Target)
}

// head reads the two parts before the XML and returns what follows them.
func (c *ctestReport) head(report []byte, at Place) []byte {
	dec := json.NewDecoder(bytes.NewReader(report))
	var list struct {
		Tests []struct {
			Name    string   `json:"name"`
			Command []string `json:"command"`
		} `json:"tests"`
	}
	if dec.Decode(&list) != nil {
		return nil
	}
	for _, t := range list.Tests {
		c.order = append(c.order, t.Name)
		c.commands[t.Name] = t.Command
	}
	var compiled []struct {
		Directory string `json:"directory"`
		Command   string `json:"command"`
		File      string `json:"file"`
	}
	if dec.Decode(&compiled) != nil {
		return nil
	}
	for _, u := range compiled {
		c.source(u.Directory, u.Command, relative(at.Root, path.Clean(u.File)))
	}
	return report[dec.InputOffset():]
}

var ctestObject = regexp.MustCompile(`(?:^|\s)-o (\S*?)CMakeFiles/([^/\s]+)\.dir/`)

// source notes what a file is compiled into: CMake's objects lie below
// CMakeFiles/<target>.dir in the target's directory.
func (c *ctestReport) source(dir, command, file string) {
	m := ctestObject.FindStringSubmatch(command)
	if m == nil || path.IsAbs(file) {
		return
	}
	c.root = dir
	target := path.Join(m[1], m[2])
	if !slices.Contains(c.sources[target], file) {
		c.sources[target] = append(c.sources[target], file)
	}
}

var ctestEnd = regexp.MustCompile(`^ *\d+/\d+ +Test +#(\d+): .*\*\*\*(Timeout|Exception: ?\w*) +[\d.]+ sec\s*$`)

// words reads CTest's progress: a line for each test, by its number.
func (c *ctestReport) words(text []byte) {
	for line := range bytes.Lines(text) {
		m := ctestEnd.FindSubmatch(line)
		if m == nil {
			continue
		}
		if n := number(m[1]); n >= 1 && n <= len(c.order) {
			c.ends[c.order[n-1]], _, _ = strings.Cut(string(m[2]), ":")
		}
	}
}

// number reads a few digits.
func number(digits []byte) int {
	n := 0
	for _, d := range digits[:min(len(digits), 9)] {
		n = n*10 + int(d-'0')
	}
	return n
}

// unbuilt marks the tests of an executable that was never built, as the
// discovery of GoogleTest and of Catch2 name them.
var unbuilt = regexp.MustCompile(`_NOT_BUILT(?:-[0-9a-f]+)?$`)

const ctestNoProgram = "Unable to find executable"

// test turns a testcase into a result.
func (c *ctestReport) test(b *builder, t junitCase) {
	target := c.target(t.name)
	if t.verdict == "skipped" && strings.HasPrefix(t.message, ctestNoProgram) {
		_, file, _ := strings.Cut(t.output, ctestNoProgram+": ")
		c.lost(b, t, c.missing(strings.TrimSpace(file)))
		return
	}
	if own, _ := c.complaints(target); t.verdict == "failure" && own != nil {
		c.lost(b, t, target) // a shell did not find it
		return
	}
	r := Result{Unit: c.unit(b.at, target), Names: []string{t.name}}
	r.Outcome, r.Failure, r.Message = c.outcome(t)
	b.add(r)
}

// lost is a test whose executable is not there.
func (c *ctestReport) lost(b *builder, t junitCase, target string) {
	own, all := c.complaints(target)
	text := own
	switch {
	case own == nil && all == nil:
		text = b.log.text()
	case own == nil:
		text = all
	}
	unit := c.unit(b.at, target)
	b.broken(unit, schemas.FailureCompileOwn, text)
	c.waiting = append(c.waiting, Result{Unit: unit, Names: []string{t.name}, Outcome: schemas.OutcomeError, Failure: schemas.FailureCompileOwn, Message: string(text)})
}

// outcome is the one table of CTest's statuses.
func (c *ctestReport) outcome(t junitCase) (schemas.Outcome, schemas.Failure, string) {
	switch t.status {
	case "run":
		if t.verdict == "" {
			return schemas.OutcomePass, schemas.FailureNone, ""
		}
	case "disabled":
		return schemas.OutcomeSkip, schemas.FailureNone, "disabled"
	case "notrun":
		if strings.HasPrefix(t.message, "SKIP_") {
			return schemas.OutcomeSkip, schemas.FailureNone, t.output
		}
		return schemas.OutcomeNotRun, schemas.FailureNone, t.message
	}
	switch end := c.ends[t.name]; end {
	case "Timeout":
		return schemas.OutcomeFail, schemas.FailureHang, t.output
	case "Exception":
		return schemas.OutcomeError, schemas.FailureAssertion, t.output
	}
	return schemas.OutcomeFail, schemas.FailureAssertion, t.output
}

// target is the executable of the build that a test runs, "" for another
// program. It may stand behind an emulator or a shell.
func (c *ctestReport) target(name string) string {
	for _, word := range c.commands[name] {
		if rel := relative(c.root, word); !path.IsAbs(rel) && len(c.sources[rel]) > 0 {
			return rel
		}
	}
	return ""
}

// missing is the executable that CTest did not find: by its path, or by the
// name that the discovery of single tests made up.
func (c *ctestReport) missing(file string) string {
	name := unbuilt.ReplaceAllString(file, "")
	if path.IsAbs(name) {
		return relative(c.root, name)
	}
	var found []string
	for target := range c.sources {
		if path.Base(target) == path.Base(name) {
			found = append(found, target)
		}
	}
	if len(found) == 0 {
		return name
	}
	return slices.Min(found)
}

// unit is the source file of an executable that has one, or the first touched
// one; else the executable itself.
func (c *ctestReport) unit(at Place, target string) string {
	files := c.sources[target]
	if len(files) == 1 {
		return files[0]
	}
	touched := slices.DeleteFunc(slices.Clone(at.Files), func(f string) bool { return !slices.Contains(files, f) })
	switch {
	case len(touched) > 0:
		return slices.Min(touched)
	case target != "":
		return target
	}
	return at.Target
}

var ninjaProgress = regexp.MustCompile(`^\[\d+/\d+\] `)

// buildStep is a failed step of Ninja: what it makes, and what was said.
type buildStep struct {
	outputs string
	text    []byte
}

// failedSteps reads Ninja's output.
func failedSteps(log []byte) []buildStep {
	var steps []buildStep
	failed := false
	for line := range bytes.Lines(log) {
		if outputs, ok := bytes.CutPrefix(line, []byte("FAILED: ")); ok {
			failed = true
			steps = append(steps, buildStep{outputs: string(outputs)})
		} else if ninjaProgress.Match(line) || bytes.HasPrefix(line, []byte("ninja: ")) {
			failed = false
		}
		if failed {
			last := &steps[len(steps)-1]
			last.text = append(last.text, line...)
		}
	}
	return steps
}

// complaints is what the build says: of the failed steps that make an
// executable, and of all failed steps, since it may be a part of it that failed.
func (c *ctestReport) complaints(target string) (own, all []byte) {
	for _, s := range c.steps {
		all = append(all, s.text[:min(len(s.text), max(0, MaxLoad-len(all)))]...)
		if target != "" && stepOf(target, s.outputs) {
			own = append(own, s.text...)
		}
	}
	return own, all
}

// stepOf reports whether a step's outputs are an executable or its objects.
func stepOf(target, outputs string) bool {
	objects := path.Join(path.Dir(target), "CMakeFiles", path.Base(target)+".dir") + "/"
	return slices.ContainsFunc(strings.Fields(outputs), func(o string) bool { return o == target || strings.HasPrefix(o, objects) })
}
