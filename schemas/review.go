package schemas

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Review is one person's judgement of one candidate. A person may judge a
// candidate again: the later one counts, the earlier one is kept.
type Review struct {
	Candidate CandidateID `json:"candidate"`
	Reviewer  string      `json:"reviewer"`
	Choice    Choice      `json:"choice"`
	Reason    ReasonCode  `json:"reason"`
	Intent    TaskIntent  `json:"intent,omitempty"`
	Domain    string      `json:"domain,omitempty"`
	Notes     string      `json:"notes,omitempty"`
	// Seconds is the time spent, 0 when not measured.
	Seconds int       `json:"seconds,omitempty"`
	At      time.Time `json:"at"`
	// Adjudication marks the judgement that settles a disagreement.
	Adjudication bool `json:"adjudication,omitempty"`
}

// Choice is what a reviewer decided.
type Choice string

// The choices of a reviewer. A decision is keep or drop only.
const (
	ChoiceKeep   Choice = "keep"
	ChoiceDrop   Choice = "drop"
	ChoiceUnsure Choice = "unsure"
)

// ReasonCode says why; ReasonJoint is the one reason to keep.
type ReasonCode string

// The reason codes of a review.
const (
	ReasonJoint        ReasonCode = "joint"
	ReasonDocsOnly     ReasonCode = "docs_only"
	ReasonChangelog    ReasonCode = "changelog"
	ReasonVendoring    ReasonCode = "vendoring"
	ReasonBotBump      ReasonCode = "bot_bump"
	ReasonBackport     ReasonCode = "backport_or_copy"
	ReasonFork         ReasonCode = "fork"
	ReasonMention      ReasonCode = "mere_mention"
	ReasonCIOnly       ReasonCode = "ci_only"
	ReasonNotCausal    ReasonCode = "not_causal"
	ReasonInsufficient ReasonCode = "insufficient_evidence"
	ReasonOther        ReasonCode = "other"
)

// ReasonCodes lists every reason code, in the order in which a form shows them.
var ReasonCodes = []ReasonCode{ReasonJoint, ReasonDocsOnly, ReasonChangelog, ReasonVendoring, ReasonBotBump,
	ReasonBackport, ReasonFork, ReasonMention, ReasonCIOnly, ReasonNotCausal, ReasonInsufficient, ReasonOther}

// MaxReviewer and MaxNotes bound, in bytes, what a person may write; MaxDomain
// the domain.
const (
	MaxReviewer = 100
	MaxDomain   = 60
	MaxNotes    = 16 << 10
)

// Decision is what the reviews of a candidate came to. screen writes it, build waits for it.
type Decision struct {
	Candidate CandidateID `json:"candidate"`
	Choice    Choice      `json:"choice"` // keep or drop
	Reason    ReasonCode  `json:"reason"`
	Intent    TaskIntent  `json:"intent,omitempty"`
	Domain    string      `json:"domain,omitempty"`
	// How says how it came about.
	How       DecisionHow `json:"how"`
	Reviewers []string    `json:"reviewers"`
	At        time.Time   `json:"at"`
}

// DecisionHow says how a decision came about.
type DecisionHow string

// The ways to a decision.
const (
	HowAgreement    DecisionHow = "agreement"
	HowAdjudication DecisionHow = "adjudication"
	HowImported     DecisionHow = "imported"
	HowReduced      DecisionHow = "reduced" // verify cut a kept candidate down to the set that its tests need
)

// RecordKind implements Record.
func (Review) RecordKind() Kind { return KindReview }

// RecordKey implements Record: reviews are kept, never replaced.
func (r Review) RecordKey() string {
	return fmt.Sprintf("%s/%s/%s", r.Candidate, r.Reviewer, r.At.UTC().Format(time.RFC3339Nano))
}

// Validate implements Record.
func (r Review) Validate() error {
	switch {
	case r.Candidate == "" || r.Reviewer == "":
		return errors.New("candidate and reviewer are required")
	case r.At.IsZero():
		return errors.New("the time is required")
	case r.Seconds < 0:
		return fmt.Errorf("%d seconds: want 0 or more", r.Seconds)
	case len(r.Notes) > MaxNotes:
		return fmt.Errorf("notes of %d bytes: at most %d are kept", len(r.Notes), MaxNotes)
	}
	if err := ValidReviewer(r.Reviewer); err != nil {
		return err
	}
	if err := validTask(r.Intent, r.Domain); err != nil {
		return err
	}
	return validChoice(r.Choice, r.Reason, true)
}

// ValidReviewer reports what is wrong with a person's name: it stands in keys
// and on terminals, so it has no slash, no control character and no blank at
// its ends.
func ValidReviewer(name string) error {
	switch {
	case name == "" || len(name) > MaxReviewer:
		return fmt.Errorf("reviewer %q: want 1 to %d bytes", name, MaxReviewer)
	case strings.TrimSpace(name) != name, strings.ContainsRune(name, '/'), !utf8.ValidString(name), strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Errorf("reviewer %q: want no slash, no control character and no blank at the ends", name)
	}
	return nil
}

// RecordKind implements Record.
func (Decision) RecordKind() Kind { return KindDecision }

// RecordKey implements Record.
func (d Decision) RecordKey() string { return string(d.Candidate) }

// Validate implements Record.
func (d Decision) Validate() error {
	if d.Candidate == "" {
		return errors.New("candidate is required")
	}
	switch d.How {
	case HowAgreement, HowAdjudication, HowImported, HowReduced:
	default:
		return fmt.Errorf("unknown way to a decision %q", d.How)
	}
	for _, r := range d.Reviewers {
		if err := ValidReviewer(r); err != nil {
			return err
		}
	}
	if err := validTask(d.Intent, d.Domain); err != nil {
		return err
	}
	return validChoice(d.Choice, d.Reason, false)
}

func validChoice(c Choice, r ReasonCode, unsure bool) error {
	known := slices.Contains(ReasonCodes, r)
	switch {
	case c != ChoiceKeep && c != ChoiceDrop && (c != ChoiceUnsure || !unsure):
		return fmt.Errorf("unknown choice %q", c)
	case !known:
		return fmt.Errorf("unknown reason %q", r)
	case c == ChoiceKeep && r != ReasonJoint:
		return fmt.Errorf("a kept candidate has the reason %q, not %q", ReasonJoint, r)
	case c == ChoiceDrop && r == ReasonJoint:
		return fmt.Errorf("%q is no reason to drop", r)
	}
	return nil
}
