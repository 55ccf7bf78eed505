package schemas

import (
	"errors"
	"time"
)

// Statement is the problem statement of a candidate. publish drafts it; people
// approve it in screen.
type Statement struct {
	Candidate CandidateID `json:"candidate"`
	Text      string      `json:"text"`
	// Interface lists the names that hidden tests need and nobody could guess.
	Interface []string `json:"interface"`
	// Method says how it was written: extractive, model, or person.
	Method   string        `json:"method"`
	Findings []LintFinding `json:"findings"`
	// Linted is a digest of what Findings are about: the text, the interface
	// and the change. It is "" after an edit, until publish has read the text.
	Linted Digest `json:"linted,omitempty"`
	// Approved names who approved it, "" while nobody has.
	Approved string    `json:"approved,omitempty"`
	At       time.Time `json:"at"`
}

// LintFinding is one thing wrong with a statement.
type LintFinding struct {
	Rule   string `json:"rule"`
	Text   string `json:"text"` // the offending words
	Detail string `json:"detail"`
}

// Instance is one row of the dataset. The first block follows SWE-bench's
// names and types, so that its tools read the row unchanged; patch and
// test_patch are one diff over all repositories, each path prefixed by the
// repository's directory, for git apply at TestbedDir.
type Instance struct {
	InstanceID             string    `json:"instance_id" parquet:"instance_id"`
	Repo                   string    `json:"repo" parquet:"repo"` // the repositories, joined by "+"
	BaseCommit             string    `json:"base_commit" parquet:"base_commit"`
	Patch                  string    `json:"patch" parquet:"patch"`
	TestPatch              string    `json:"test_patch" parquet:"test_patch"`
	ProblemStatement       string    `json:"problem_statement" parquet:"problem_statement"`
	HintsText              string    `json:"hints_text" parquet:"hints_text"`
	CreatedAt              time.Time `json:"created_at" parquet:"created_at,timestamp(millisecond)"`
	Version                string    `json:"version" parquet:"version"`
	FailToPass             []string  `json:"FAIL_TO_PASS" parquet:"FAIL_TO_PASS,list"`
	PassToPass             []string  `json:"PASS_TO_PASS" parquet:"PASS_TO_PASS,list"`
	EnvironmentSetupCommit string    `json:"environment_setup_commit" parquet:"environment_setup_commit"`
	Image                  string    `json:"image" parquet:"image"`
	ImageName              string    `json:"image_name" parquet:"image_name"` // the same, as mini-SWE-agent names it
	EvalScript             string    `json:"eval_script" parquet:"eval_script"`
	LogParser              string    `json:"log_parser" parquet:"log_parser"`
	EvalType               string    `json:"eval_type" parquet:"eval_type"`

	Repos           []InstanceRepo `json:"repos" parquet:"repos,list"`
	Masks           []InstanceMask `json:"masks" parquet:"masks,list"`
	JointTests      []string       `json:"joint_tests" parquet:"joint_tests,list"`
	SingleSideTests []string       `json:"single_side_tests" parquet:"single_side_tests,list"`
	Verdict         string         `json:"verdict" parquet:"verdict"`
	JointLevel      string         `json:"joint_level" parquet:"joint_level"`
	Evidence        string         `json:"evidence" parquet:"evidence"`
	TaskIntent      string         `json:"task_intent" parquet:"task_intent"`
	Domain          string         `json:"domain" parquet:"domain"`
	Languages       []string       `json:"languages" parquet:"languages,list"`
	LatestMergeAt   time.Time      `json:"latest_merge_at" parquet:"latest_merge_at,timestamp(millisecond)"`
	ChangedFiles    int32          `json:"changed_files" parquet:"changed_files"` // of the gold patch
	ChangedLines    int32          `json:"changed_lines" parquet:"changed_lines"` // added and deleted, of the gold patch
	ImageBytes      int64          `json:"image_bytes" parquet:"image_bytes"`
	// StatementApproved tells a statement that a person approved from a draft.
	StatementApproved bool     `json:"statement_approved" parquet:"statement_approved"`
	Interface         []string `json:"interface" parquet:"interface,list"`
	// DenyList is what a run of this task must not fetch: the sides' pages.
	DenyList   []string `json:"deny_list" parquet:"deny_list,list"`
	Provenance string   `json:"provenance" parquet:"provenance"` // program version, candidate id, spec digest; one line of JSON
	Canary     string   `json:"canary" parquet:"canary"`
	Digest     string   `json:"digest" parquet:"digest"` // over every other column
}

// InstanceRepo is one repository of a row.
type InstanceRepo struct {
	Repo       string    `json:"repo" parquet:"repo"`
	Dir        string    `json:"dir" parquet:"dir"`
	BaseCommit string    `json:"base_commit" parquet:"base_commit"`
	HeadCommit string    `json:"head_commit" parquet:"head_commit"`
	PullNumber int32     `json:"pull_number" parquet:"pull_number"` // 0 where none is known
	Role       string    `json:"role" parquet:"role"`
	Language   string    `json:"language" parquet:"language"`
	License    string    `json:"license" parquet:"license"`
	Patch      string    `json:"patch" parquet:"patch"` // paths relative to the repository
	TestPatch  string    `json:"test_patch" parquet:"test_patch"`
	MergedAt   time.Time `json:"merged_at" parquet:"merged_at,timestamp(millisecond)"`
}

// InstanceMask is one row of the truth table.
type InstanceMask struct {
	Mask    string   `json:"mask" parquet:"mask"` // A0B1
	Patched []string `json:"patched" parquet:"patched,list"`
	Runs    int32    `json:"runs" parquet:"runs"`
	Passed  int32    `json:"passed" parquet:"passed"`
	Failed  int32    `json:"failed" parquet:"failed"`
	Errored int32    `json:"errored" parquet:"errored"`
	Skipped int32    `json:"skipped" parquet:"skipped"`
	Verdict string   `json:"verdict" parquet:"verdict"` // pass or fail of the fail-to-pass set
	Failure string   `json:"failure" parquet:"failure"`
}

// RecordKind implements Record.
func (Statement) RecordKind() Kind { return KindStatement }

// RecordKey implements Record.
func (s Statement) RecordKey() string { return string(s.Candidate) }

// Validate implements Record.
func (s Statement) Validate() error {
	if s.Candidate == "" || s.Text == "" {
		return errors.New("candidate and text are required")
	}
	return nil
}

// RecordKind implements Record.
func (Instance) RecordKind() Kind { return KindInstance }

// RecordKey implements Record.
func (i Instance) RecordKey() string { return i.InstanceID }

// Validate implements Record.
func (i Instance) Validate() error {
	switch {
	case i.InstanceID == "" || i.Patch == "" || i.Image == "":
		return errors.New("instance_id, patch and image are required")
	case len(i.FailToPass) == 0:
		return errors.New("FAIL_TO_PASS is empty")
	case len(i.Repos) < 2:
		return errors.New("a row has two repositories or more")
	}
	return nil
}
