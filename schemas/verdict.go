package schemas

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// TestID names one test, unique and stable across runs and machines:
// "owner/repo::unit::name", where unit is the file or package, and name is the
// suite path and the title joined by " > ". The second and later tests of one
// name carry an ordinal: " #2".
type TestID string

// NewTestID builds a TestID. ordinal counts equal names from 1.
func NewTestID(repo RepoName, unit string, names []string, ordinal int) TestID {
	id := string(repo) + "::" + unit + "::" + strings.Join(names, " > ")
	if ordinal > 1 {
		id += " #" + strconv.Itoa(ordinal)
	}
	return TestID(id)
}

// LoadName is the name of the pseudo-test that stands for a file or package
// as a whole: it passes when the unit loads, and errors when it does not.
const LoadName = "(load)"

// Repo returns the repository part.
func (t TestID) Repo() RepoName {
	repo, _, _ := strings.Cut(string(t), "::")
	return RepoName(repo)
}

// Unit returns the file or package part.
func (t TestID) Unit() string {
	_, rest, _ := strings.Cut(string(t), "::")
	unit, _, _ := strings.Cut(rest, "::")
	return unit
}

// Name returns the suite path, title and ordinal.
func (t TestID) Name() string {
	parts := strings.SplitN(string(t), "::", 3)
	return parts[len(parts)-1]
}

// IsLoad reports whether it is a unit's pseudo-test.
func (t TestID) IsLoad() bool { return t.Name() == LoadName }

// Outcome is what became of one test in one run.
type Outcome string

// The outcomes. Absent is not failed, and skipped is not passed.
const (
	OutcomePass   Outcome = "pass"
	OutcomeFail   Outcome = "fail"  // an assertion
	OutcomeError  Outcome = "error" // it, or the unit that holds it, broke: panic, load error, compile error
	OutcomeSkip   Outcome = "skip"
	OutcomeNotRun Outcome = "not_run" // no result: see the run's failure
	OutcomeVaries Outcome = "varies"  // repetitions disagree
)

// Failure says why a mask, or a unit in it, did not pass.
type Failure string

// The kinds of failure.
const (
	FailureNone           Failure = ""
	FailurePatch          Failure = "patch"           // a patch did not apply
	FailureLinkVoid       Failure = "link_void"       // a consumer did not use its sibling's checkout: void, never evidence
	FailureResolution     Failure = "resolution"      // a package manager found no version
	FailureThirdParty     Failure = "third_party"     // code that belongs to no repository of the set
	FailureCompileSibling Failure = "compile_sibling" // a compile or load error that names the sibling
	FailureCompileOwn     Failure = "compile_own"     // a compile or load error of the repository's own
	FailureAssertion      Failure = "assertion"
	FailureHang           Failure = "hang"        // the unit's time limit passed
	FailureRunnerDead     Failure = "runner_dead" // panic of the process, killed, out of memory
	FailureNotCollected   Failure = "not_collected"
	FailureNoReport       Failure = "no_report" // the runner ended and left no readable report
)

// Verdict is what the masks of one candidate prove. verify writes it.
type Verdict struct {
	Candidate CandidateID `json:"candidate"`
	Kind      VerdictKind `json:"kind"`
	// Level is the strictest reading under which the set is joint, "" when it
	// is under none. Kind is joint by the strictest only.
	Level JointLevel `json:"level,omitempty"`
	// Levels says for each of the three readings whether it holds.
	Levels Levels `json:"levels"`
	// Evidence says how strong the joint tests are, "" when there are none.
	Evidence Evidence `json:"evidence,omitempty"`
	// Reason is one sentence for people.
	Reason string `json:"reason"`
	// Repos gives the bits of the masks: bit i is Repos[i].
	Repos []RepoName `json:"repos"`
	// Minimal is the smallest set of repositories that the joint tests need.
	Minimal []RepoName  `json:"minimal"`
	Image   ImageRef    `json:"image"`
	ImageID Digest      `json:"image_id"`
	Patches []SidePatch `json:"patches"`
	Masks   []MaskRow   `json:"masks"`
	// Health is the run with the links on and no patch at all, tests included.
	Health MaskRow   `json:"health"`
	Runs   []Run     `json:"runs"`
	Tests  []TestRow `json:"tests"`

	FailToPass []TestID `json:"fail_to_pass"`
	PassToPass []TestID `json:"pass_to_pass"`
	// Joint are the tests that need the whole set: new and changed ones, or
	// unchanged ones when there are no others.
	Joint      []TestID `json:"joint"`
	SingleSide []TestID `json:"single_side"`
	Flaky      []TestID `json:"flaky"`
	// LeftOut are the tests that kill their process under the full mask and so
	// take others along: they are run under no other mask, and whoever runs
	// the targets again leaves them out too (internal/leaveout).
	LeftOut []LeftOut `json:"left_out"`

	Repetitions int       `json:"repetitions"`
	Host        HostFacts `json:"host"`
	VerifiedAt  time.Time `json:"verified_at"`
}

// VerdictKind is the typed verdict.
type VerdictKind string

// The verdicts.
const (
	VerdictJoint         VerdictKind = "joint"         // every repository is needed, together
	VerdictSubset        VerdictKind = "subset"        // a smaller set of two or more is joint: Minimal
	VerdictIndependent   VerdictKind = "independent"   // each side has tests of its own and needs no other
	VerdictOneSide       VerdictKind = "one_side"      // one side's patch alone makes its tests pass
	VerdictLockstep      VerdictKind = "lockstep"      // partial states break, but nothing goes from fail to pass
	VerdictNoTest        VerdictKind = "no_test"       // no test covers the change: a target test must be written
	VerdictFlaky         VerdictKind = "flaky"         // the deciding tests vary
	VerdictEnvironment   VerdictKind = "environment"   // base health or the full mask is broken, or a link is void
	VerdictIndeterminate VerdictKind = "indeterminate" // target tests fail in the full mask, or evidence is not enough
)

// JointLevel is one of the three readings of "the target tests fail in every partial mask".
type JointLevel string

// The levels, strictest first.
const (
	LevelSingleTest JointLevel = "single_test" // one test fails in every mask but the full one
	LevelSet        JointLevel = "set"         // the fail-to-pass set is not whole in any partial mask
	LevelSuite      JointLevel = "suite"       // the suite does not pass in any partial mask
)

// Levels reports the three readings.
type Levels struct {
	SingleTest bool `json:"single_test"`
	Set        bool `json:"set"`
	Suite      bool `json:"suite"`
}

// Evidence says what kind of tests the joint ones are, strongest first.
type Evidence string

// The kinds of evidence.
const (
	EvidenceNew         Evidence = "new"          // the test patch adds them
	EvidenceChanged     Evidence = "changed"      // the test patch changes their text
	EvidenceCompileOnly Evidence = "compile_only" // unchanged tests whose unit does not load
)

// SidePatch is one repository's gold and test patch, both artefacts.
type SidePatch struct {
	Repo  RepoName `json:"repo"`
	Gold  Digest   `json:"gold"`
	Test  Digest   `json:"test"`
	Files []File   `json:"files"`
}

// MaskRow sums up one mask over its repetitions.
type MaskRow struct {
	Mask    Mask       `json:"mask"`
	Name    string     `json:"name"` // A0B1
	Patched []RepoName `json:"patched"`
	Runs    int        `json:"runs"` // 0 when every cell was inferred
	Passed  int        `json:"passed"`
	Failed  int        `json:"failed"`
	Errored int        `json:"errored"`
	Skipped int        `json:"skipped"`
	NotRun  int        `json:"not_run"`
	// Outcome is pass when every fail-to-pass test passes under it, not_run
	// when no test was, else fail.
	Outcome Outcome `json:"outcome"`
	// Failure is the most telling failing unit's kind; Detail is its evidence, a line or two.
	Failure Failure `json:"failure,omitempty"`
	Detail  string  `json:"detail,omitempty"`
}

// Run is one container: one mask, one repetition.
type Run struct {
	Mask       Mask `json:"mask"`
	Repetition int  `json:"repetition"` // from 1
	Health     bool `json:"health,omitempty"`
	// Alone says that nothing else ran on the machine.
	Alone bool        `json:"alone,omitempty"`
	Links []LinkProof `json:"links"`
	Steps []Step      `json:"steps"`
	// Results is an artefact: the outcome of every test, JSON.
	Results  Digest        `json:"results"`
	Failure  Failure       `json:"failure,omitempty"`
	Detail   string        `json:"detail,omitempty"`
	Duration time.Duration `json:"duration_ns"`
}

// Step is one command of a run.
type Step struct {
	Repo     RepoName      `json:"repo,omitempty"`
	Name     string        `json:"name"` // apply, prove, rebuild, test
	Target   string        `json:"target,omitempty"`
	Run      []string      `json:"run"`
	Exit     int           `json:"exit"`
	TimedOut bool          `json:"timed_out,omitempty"`
	Duration time.Duration `json:"duration_ns"`
	Log      Digest        `json:"log,omitempty"` // artefact
}

// LeftOut names tests of one target by their top-level names.
type LeftOut struct {
	Repo   RepoName `json:"repo"`
	Target string   `json:"target"`
	Tests  []string `json:"tests"`
}

// Touch says what the test patch does to a test's own text.
type Touch string

// The touches.
const (
	TouchNew       Touch = "new"
	TouchChanged   Touch = "changed"
	TouchUnchanged Touch = "unchanged"
)

// TestRow is one test's truth table.
type TestRow struct {
	ID    TestID   `json:"id"`
	Touch Touch    `json:"touch"`
	Needs []Mask   `json:"needs"` // the minimal masks under which it passes
	Joint bool     `json:"joint"` // it passes exactly under the full mask, whatever its touch
	Cells []Cell   `json:"cells"` // one per mask, ascending
	Repo  RepoName `json:"repo"`
}

// Cell is one test under one mask.
type Cell struct {
	Mask     Mask    `json:"mask"`
	Outcome  Outcome `json:"outcome"`
	Failure  Failure `json:"failure,omitempty"`
	Inferred bool    `json:"inferred,omitempty"` // not run: the test cannot see the repositories that differ
}

// RecordKind implements Record.
func (Verdict) RecordKind() Kind { return KindVerdict }

// RecordKey implements Record.
func (v Verdict) RecordKey() string { return string(v.Candidate) }

// Validate implements Record.
func (v Verdict) Validate() error {
	if v.Candidate == "" || v.Kind == "" {
		return errors.New("candidate and kind are required")
	}
	if n := len(v.Repos); n < 2 || n > MaxSides {
		return fmt.Errorf("%d repositories: want 2 to %d", n, MaxSides)
	}
	if v.Kind == VerdictJoint && (len(v.Joint) == 0) != (v.Level != LevelSingleTest) {
		return fmt.Errorf("level %q does not fit %d joint tests", v.Level, len(v.Joint))
	}
	return nil
}
