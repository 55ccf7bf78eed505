package row

import (
	"fmt"
	"strings"

	"crossswe/publish/internal/scrub"
	"crossswe/schemas"
)

// Reason says why a verified candidate is not in the dataset.
type Reason string

// The reasons of publish.
const (
	NotApproved  Reason = "statement_not_approved" // nobody has approved it, and the configuration asks for it
	Findings     Reason = "statement_findings"     // the lint found something and nobody has approved it
	Licence      Reason = "licence_not_allowed"
	Secret       Reason = "secret"
	PersonalData Reason = "personal_data"
	NotText      Reason = "patch_not_text" // a patch is not UTF-8
	NoTestLeft   Reason = "no_test_left"   // every fail-to-pass or joint test has an id that no log can carry
	ScriptMark   Reason = "eval_script"    // a path or command that no script can carry
	NotKept      Reason = "decision_not_keep"
)

// Refusal is a row that cannot be, with its reason.
type Refusal struct {
	Reason Reason
	Detail string
}

// Error implements error.
func (r *Refusal) Error() string { return string(r.Reason) + ": " + r.Detail }

// Policy is what the curator allows.
type Policy struct {
	Approved bool     // only statements that a person approved
	Licenses []string // SPDX ids; empty: all
}

// Check returns why a finished row must not be published, nil when it may be.
func Check(p Policy, r schemas.Instance, st schemas.Statement) *Refusal {
	if st.Approved == "" && p.Approved {
		return &Refusal{NotApproved, fmt.Sprintf("%d findings; screen statement %s shows it", len(st.Findings), r.InstanceID)}
	}
	if st.Approved == "" && len(st.Findings) > 0 {
		return &Refusal{Findings, fmt.Sprintf("%s: %q, and %d more", st.Findings[0].Rule, st.Findings[0].Text, len(st.Findings)-1)}
	}
	for _, repo := range r.Repos {
		if why := scrub.Licence(repo.License, p.Licenses); why != "" {
			return &Refusal{Licence, repo.Repo + ": " + why}
		}
	}
	for _, part := range []struct {
		name  string
		found []scrub.Finding
	}{
		{"problem_statement", scrub.Secrets(r.ProblemStatement)}, {"patch", scrub.Added(r.Patch)}, {"test_patch", scrub.Added(r.TestPatch)},
	} {
		if len(part.found) > 0 {
			return &Refusal{Secret, sentence(part.name, part.found)}
		}
	}
	if found := scrub.Emails(r.ProblemStatement); len(found) > 0 {
		return &Refusal{PersonalData, sentence("problem_statement", found)}
	}
	return nil
}

func sentence(where string, found []scrub.Finding) string {
	var all []string
	for _, f := range found[:min(3, len(found))] {
		all = append(all, fmt.Sprintf("%s line %d: %s", where, f.Line, f.Detail))
	}
	return strings.Join(all, "; ")
}
