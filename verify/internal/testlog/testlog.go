// Package testlog reads what test runners leave behind: their structured
// reports where they write one, and the text around them. It turns bytes into
// outcomes and does nothing else. One file per format.
//
// Every parser is total: whatever the bytes, it returns what they hold and
// says what is wrong with them. Text in them is untrusted; a test can print
// anything, so results come from the runner's own structure and never from a
// line that merely looks like one.
package testlog

import (
	"path"
	"slices"

	"crossswe/schemas"
)

// Log is what one run of a target left.
type Log struct {
	// Report is the runner's report: the file that it wrote, or its standard
	// output. Nil when there is none.
	Report []byte
	// Stdout and Stderr are the two streams; Stdout is nil when it is the Report.
	Stdout, Stderr []byte
	// TimedOut says that the run was killed for its time limit.
	TimedOut bool
	// Exit is the exit code; its value alone decides nothing.
	Exit int
}

// text returns everything that a person would have seen, for load errors.
func (l Log) text() []byte { return slices.Concat(l.Stderr, l.Stdout) }

// Place says where a target ran and what it was to run. Paths use slashes.
type Place struct {
	Root string // absolute directory of the repository
	Dir  string // directory of the command, relative to Root; "" is Root
	// Module and ModuleDir are the Go module that holds Dir: its path, and its
	// directory relative to Root. Empty for other runners.
	Module, ModuleDir string
	// Target is the target's name, the unit of tests that tell none.
	Target string
	// Files are the test files that it was to run, relative to Root.
	Files []string
}

// Result is the outcome of one test.
type Result struct {
	Unit    string   // file or package, relative to the repository
	Names   []string // suites and title
	Ordinal int      // counts equal names of a unit from 1
	Outcome schemas.Outcome
	Failure schemas.Failure
	// Message is the evidence of a failure, cut to a few lines' worth.
	Message string
	// Deadly says that this test took its process along: what comes after it
	// was not run.
	Deadly bool
}

// ID returns the test's name within the whole set.
func (r Result) ID(repo schemas.RepoName) schemas.TestID {
	return schemas.NewTestID(repo, r.Unit, r.Names, r.Ordinal)
}

// IsLoad reports whether it stands for its whole unit.
func (r Result) IsLoad() bool { return len(r.Names) == 1 && r.Names[0] == schemas.LoadName }

// Fault says what is wrong with a report as a whole.
type Fault string

// The faults of a report.
const (
	FaultNone   Fault = ""
	FaultAbsent Fault = "absent"       // there is no report
	FaultHalf   Fault = "half_written" // it ends before its end
	FaultEmpty  Fault = "empty"        // it is whole and holds no test
)

// Report is what a run of a target says.
type Report struct {
	// Results are in the report's order. Every unit has one pseudo-test named
	// schemas.LoadName: it passes when the unit loaded and held a test, and is
	// an error otherwise. A failure beside a pass says that tests may be
	// missing: the run was killed, or the report is half written.
	Results []Result
	// Loads is the text about each unit that did not load, cut to MaxLoad.
	Loads map[string][]byte
	Fault Fault
	// Void says that the tests' own process used something else than the
	// sibling's checkout: which module, and from where.
	Void string
}

// MaxLoad bounds the text kept about a unit that did not load.
const MaxLoad = 64 << 10

// Parse reads a runner's report. An unknown runner gives no result and FaultAbsent.
func Parse(runner schemas.Runner, log Log, at Place) Report {
	b := newBuilder(log, at)
	switch runner {
	case schemas.RunnerGo:
		parseGo(b)
	case schemas.RunnerJUnit:
		parseJUnit(b, genericJUnit)
	case schemas.RunnerMocha:
		parseMocha(b)
	case schemas.RunnerJest:
		parseJest(b)
	case schemas.RunnerNodeTest:
		parseNodeTest(b)
	case schemas.RunnerPytest:
		parsePytest(b)
	case schemas.RunnerCargo:
		parseCargo(b)
	case schemas.RunnerCTest:
		parseCTest(b)
	case schemas.RunnerSurefire:
		parseSurefire(b)
	default:
		b.fault = FaultAbsent
	}
	return b.report()
}

// builder collects results and completes them.
type builder struct {
	log     Log
	at      Place
	results []Result
	loads   map[string]Result // by unit, only those that did not load
	order   []string          // units in order of appearance
	seen    map[string]bool
	text    map[string][]byte
	fault   Fault
	void    string
}

func newBuilder(log Log, at Place) *builder {
	return &builder{log: log, at: at, loads: map[string]Result{}, seen: map[string]bool{}, text: map[string][]byte{}}
}

// unit notes that the report speaks of the unit.
func (b *builder) unit(name string) {
	if !b.seen[name] {
		b.seen[name] = true
		b.order = append(b.order, name)
	}
}

// add adds a test's result; names are cleaned.
func (b *builder) add(r Result) {
	for i, n := range r.Names {
		r.Names[i] = cleanName(n)
	}
	r.Message = excerpt(r.Message)
	b.unit(r.Unit)
	b.results = append(b.results, r)
}

// broken says that a unit did not load, with the text about it. The failure is
// a first guess: who is to blame for a load error is not told by its form.
func (b *builder) broken(unit string, failure schemas.Failure, text []byte) {
	b.unit(unit)
	if _, ok := b.loads[unit]; ok {
		return
	}
	b.loads[unit] = Result{Unit: unit, Names: []string{schemas.LoadName}, Ordinal: 1,
		Outcome: schemas.OutcomeError, Failure: failure, Message: excerpt(string(text))}
	b.text[unit] = cut(text, MaxLoad)
}

// expected returns the units that the target was to run.
func (b *builder) expected(unitOf func(file string) string) []string {
	var units []string
	for _, f := range b.at.Files {
		if u := unitOf(f); !slices.Contains(units, u) {
			units = append(units, u)
		}
	}
	if len(units) == 0 {
		units = []string{b.at.Target}
	}
	return units
}

// absent records every expected unit as not loaded, when nothing was reported.
func (b *builder) absent(units []string) {
	failure := schemas.FailureNoReport
	if b.log.TimedOut {
		failure = schemas.FailureHang
	}
	for _, u := range units {
		if !b.seen[u] {
			b.broken(u, failure, b.log.text())
		}
	}
}

// report gives equal names their ordinals and every unit its pseudo-test.
func (b *builder) report() Report {
	rep := Report{Results: b.results, Loads: b.text, Fault: b.fault, Void: b.void}
	count, held := map[string]int{}, map[string]bool{}
	for i, r := range rep.Results {
		id := string(r.ID(""))
		count[id]++
		rep.Results[i].Ordinal = count[id]
		held[r.Unit] = true
	}
	for _, u := range b.order {
		load, failed := b.loads[u]
		switch {
		case failed && !held[u]:
		case held[u]: // what breaks after its tests ran is no load error
			delete(rep.Loads, u)
			load = Result{Unit: u, Names: []string{schemas.LoadName}, Ordinal: 1, Outcome: schemas.OutcomePass, Failure: b.incomplete()}
		default:
			load = Result{Unit: u, Names: []string{schemas.LoadName}, Ordinal: 1,
				Outcome: schemas.OutcomeError, Failure: schemas.FailureNotCollected, Message: "no test was collected"}
		}
		rep.Results = append(rep.Results, load)
	}
	if rep.Fault == FaultNone && len(held) == 0 && len(b.loads) == 0 {
		rep.Fault = FaultEmpty
	}
	return rep
}

// incomplete says why a unit that loaded may lack tests.
func (b *builder) incomplete() schemas.Failure {
	switch {
	case b.log.TimedOut:
		return schemas.FailureHang
	case b.fault == FaultHalf:
		return schemas.FailureNoReport
	}
	return schemas.FailureNone
}

// fileUnit is the unit of runners that know files: the path within the
// repository, or the path as it is when it lies outside.
func (p Place) fileUnit(file string) string {
	if !path.IsAbs(file) {
		return path.Join(p.Dir, file)
	}
	return relative(p.Root, path.Clean(file))
}

// theUnit is the unit of reports that name no file.
func (p Place) theUnit() string {
	if len(p.Files) == 1 {
		return p.Files[0]
	}
	return p.Target
}
