package schemas

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// EvaluationOutcome is what became of a prediction.
type EvaluationOutcome string

// The outcomes.
const (
	EvaluationResolved   EvaluationOutcome = "resolved"     // every fail-to-pass and pass-to-pass test passes
	EvaluationUnresolved EvaluationOutcome = "unresolved"   // it applies, and some test does not pass
	EvaluationApply      EvaluationOutcome = "apply_failed" // git does not apply the patch
	EvaluationEmpty      EvaluationOutcome = "empty"        // there is no patch
	EvaluationTimeout    EvaluationOutcome = "timeout"      // the evaluation overran its time
	EvaluationError      EvaluationOutcome = "error"        // a fault of the machinery: it says nothing of the patch
)

// EvaluationOutcomes lists the outcomes in the order of reports.
var EvaluationOutcomes = []EvaluationOutcome{EvaluationResolved, EvaluationUnresolved, EvaluationApply, EvaluationEmpty, EvaluationTimeout, EvaluationError}

// Evaluation is the judgement of one patch for one instance. verify writes it;
// the same patch, image and script are not evaluated twice.
type Evaluation struct {
	Instance string `json:"instance"`
	// Patch, Image and Script are what the outcome follows from: the digest of
	// the patch, the image's id and the digest of the evaluation script.
	Patch  Digest `json:"patch"`
	Image  Digest `json:"image"`
	Script Digest `json:"script"`

	Outcome    EvaluationOutcome `json:"outcome"`
	Detail     string            `json:"detail"` // one line for people, "" when resolved
	FailToPass TestCount         `json:"fail_to_pass"`
	PassToPass TestCount         `json:"pass_to_pass"`
	Log        Digest            `json:"log,omitempty"` // artefact
	Seconds    float64           `json:"seconds"`
	At         time.Time         `json:"at"`
}

// TestCount counts the tests of a list that passed, and names the others.
type TestCount struct {
	Passed int      `json:"passed"`
	Missed []string `json:"missed"`
}

// RecordKind implements Record.
func (Evaluation) RecordKind() Kind { return KindEvaluation }

// RecordKey implements Record.
func (e Evaluation) RecordKey() string { return EvaluationKey(e.Instance, e.Patch, e.Image, e.Script) }

// EvaluationKey is the identity of an evaluation.
func EvaluationKey(instance string, patch, image, script Digest) string {
	return instance + " " + string(patch) + " " + string(image) + " " + string(script)
}

// Validate implements Record.
func (e Evaluation) Validate() error {
	switch {
	case e.Instance == "" || e.Patch == "" || e.Image == "" || e.Script == "":
		return errors.New("instance, patch, image and script are required")
	case !slices.Contains(EvaluationOutcomes, e.Outcome):
		return fmt.Errorf("unknown outcome %q", e.Outcome)
	}
	return nil
}
