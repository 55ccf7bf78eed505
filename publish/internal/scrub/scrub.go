// Package scrub finds what must not be published: secrets in texts and
// patches, people's addresses in statements, code under licences that the
// curator does not allow. It is pure.
package scrub

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/github/go-spdx/v2/spdxexp"
)

// Rule names what was found.
type Rule string

// The rules.
const (
	RulePrivateKey Rule = "private_key"
	RuleToken      Rule = "token"
	RuleEmail      Rule = "email"
)

// Finding is one thing that must not be published. It never holds the secret
// itself, so that it can go into logs.
type Finding struct {
	Rule   Rule
	Line   int // counted from 1
	Detail string
}

// tokens are the shapes of common credentials, by the issuers' documentation.
var tokens = []struct {
	issuer string
	shape  *regexp.Regexp
}{
	{"GitHub", regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{36,251}|github_pat_[A-Za-z0-9_]{60,})`)},
	{"GitLab", regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{20,}`)},
	{"AWS", regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z2-7]{16}\b`)},
	{"Google", regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{35}\b`)},
	{"Slack", regexp.MustCompile(`\bxox[abposr]-[A-Za-z0-9-]{10,}|hooks\.slack\.com/services/T[A-Za-z0-9]+/B[A-Za-z0-9]+/[A-Za-z0-9]{16,}`)},
	{"npm", regexp.MustCompile(`\bnpm_[A-Za-z0-9]{36}\b`)},
	{"PyPI", regexp.MustCompile(`\bpypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{40,}`)},
	{"Stripe", regexp.MustCompile(`\b[rs]k_live_[A-Za-z0-9]{20,}`)},
	{"Hugging Face", regexp.MustCompile(`\bhf_[A-Za-z]{34}\b`)},
	{"OpenAI", regexp.MustCompile(`\bsk-(?:proj-)?[A-Za-z0-9_-]{40,}`)},
	{"SendGrid", regexp.MustCompile(`\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}\b`)},
}

// A key's header alone is code that reads keys; one with a line of data is a key.
var (
	keyHeader = regexp.MustCompile(`-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----`)
	keyData   = regexp.MustCompile(`[A-Za-z0-9+/]{40,}`)
	// Addresses at example domains are nobody's (RFC 2606, RFC 6761).
	email   = regexp.MustCompile(`\b[A-Za-z0-9._%+-]+@((?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,})\b`)
	nobodys = regexp.MustCompile(`(?i)(?:^|\.)(?:example\.(?:com|net|org)|(?:example|test|invalid|localhost|local))$`)
)

// Secrets returns the credentials in a text.
func Secrets(text string) []Finding {
	var found []Finding
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if keyHeader.MatchString(line) && (keyData.MatchString(line) || keyFollows(lines[i+1:])) {
			found = append(found, Finding{RulePrivateKey, i + 1, "a private key"})
		}
		for _, t := range tokens {
			if t.shape.MatchString(line) {
				found = append(found, Finding{RuleToken, i + 1, "looks like a token of " + t.issuer})
			}
		}
	}
	return found
}

// keyFollows looks a few lines ahead: headers such as Proc-Type may stand first.
func keyFollows(lines []string) bool {
	for _, line := range lines[:min(5, len(lines))] {
		if keyData.MatchString(line) {
			return true
		}
	}
	return false
}

// Added returns the secrets in the added lines of a patch: what stands in its
// context is published by the repository itself. Lines are those of the patch.
func Added(patch string) []Finding {
	lines := strings.Split(patch, "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, "+") {
			lines[i] = ""
		}
	}
	return Secrets(strings.Join(lines, "\n"))
}

// Emails returns the addresses of people in a text.
func Emails(text string) []Finding {
	var found []Finding
	for i, line := range strings.Split(text, "\n") {
		for _, m := range email.FindAllStringSubmatch(line, -1) {
			if !nobodys.MatchString(m[1]) {
				found = append(found, Finding{RuleEmail, i + 1, "an address at " + m[1]})
			}
		}
	}
	return found
}

// Licence reports why a repository under the SPDX expression must not be
// published, given the allowed SPDX ids; "" when it may be. An empty list
// allows everything, an unknown licence only then.
func Licence(expression string, allowed []string) string {
	switch {
	case len(allowed) == 0:
		return ""
	case expression == "":
		return "no licence was detected"
	}
	ok, err := spdxexp.Satisfies(expression, allowed)
	switch {
	case err != nil:
		return fmt.Sprintf("%q is no SPDX expression: %v", expression, err)
	case !ok:
		return fmt.Sprintf("%s is not among the allowed licences", expression)
	}
	return ""
}

// CheckAllowed reports an id of the allow-list that SPDX does not know, which
// would otherwise refuse every row without a word.
func CheckAllowed(allowed []string) error {
	if ok, bad := spdxexp.ValidateLicenses(allowed); !ok {
		return fmt.Errorf("publish.licenses: SPDX knows no %q", bad)
	}
	return nil
}
