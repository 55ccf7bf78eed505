package scrub

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The examples are put together at run time, so that no scanner takes this
// file for a leak.
var (
	data  = strings.Repeat("MIIEvQ", 10)
	begin = "-----BEGIN " + "RSA PRIVATE KEY-----"
)

func TestSecrets(t *testing.T) {
	tests := []struct {
		name, text string
		want       []Finding
	}{
		{"none", "key := os.Getenv(\"KEY\")", nil},
		{"a private key", "x\n" + begin + "\n" + data, []Finding{{RulePrivateKey, 2, "a private key"}}},
		{"a private key with headers", begin + "\nProc-Type: 4,ENCRYPTED\nDEK-Info: x\n\n" + data, []Finding{{RulePrivateKey, 1, "a private key"}}},
		{"a private key on one line", begin + `\n` + data, []Finding{{RulePrivateKey, 1, "a private key"}}},
		{"code that looks for keys", "if strings.Contains(s, \"" + begin + "\") {\n	return errKey\n}", nil},
		{"a public key", "-----BEGIN PUBLIC KEY-----\n" + data, nil},
		{"GitHub", "token: ghp_" + strings.Repeat("a1", 18), []Finding{{RuleToken, 1, "looks like a token of GitHub"}}},
		{"AWS", "AKIA" + strings.Repeat("A2", 8), []Finding{{RuleToken, 1, "looks like a token of AWS"}}},
		{"a longer word", "XAKIA" + strings.Repeat("A2", 9), nil},
		{"Slack", "xoxb-" + strings.Repeat("1", 12), []Finding{{RuleToken, 1, "looks like a token of Slack"}}},
		{"npm", "\n\n//r/:_authToken=npm_" + strings.Repeat("x", 36), []Finding{{RuleToken, 3, "looks like a token of npm"}}},
		{"a hash", strings.Repeat("0f", 32), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Secrets(tt.text)
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
			for _, f := range got {
				if strings.Contains(f.Detail, "MII") || strings.Contains(f.Detail, "ghp_") {
					t.Errorf("the finding holds the secret: %+v", f)
				}
			}
		})
	}
}

func TestOnlyAddedLinesOfAPatchCount(t *testing.T) {
	token := "ghp_" + strings.Repeat("a1", 18)
	if got := Added(" " + token + "\n-" + token); got != nil {
		t.Errorf("context and deleted lines: got %+v", got)
	}
	if got := Added(" x\n+" + token); len(got) != 1 || got[0].Line != 2 {
		t.Errorf("an added line: got %+v, want one in line 2", got)
	}
	if got := Added("+" + begin + "\n+" + data); len(got) != 1 {
		t.Errorf("an added key: got %+v, want one", got)
	}
}

func TestEmails(t *testing.T) {
	tests := []struct {
		text string
		want int
	}{
		{"ask ann.other@mail.mit.edu", 1}, {"a@b.com, c@d.org", 2}, {"ann@example.com", 0}, {"ann@sub.example.org", 0}, {"x@host.invalid", 0},
		{"git@v1.2.3", 0}, {"@ann", 0}, {"user@localhost", 0}, {"notexample@myexample.com", 1},
	}
	for _, tt := range tests {
		if got := Emails(tt.text); len(got) != tt.want {
			t.Errorf("%q: got %+v, want %d", tt.text, got, tt.want)
		}
	}
}

func TestLicence(t *testing.T) {
	allowed := []string{"MIT", "Apache-2.0", "BSD-3-Clause"}
	tests := []struct {
		expression string
		allowed    []string
		want       string // part of the reason, "" for allowed
	}{
		{"MIT", allowed, ""}, {"MIT OR GPL-3.0-only", allowed, ""}, {"MIT AND BSD-3-Clause", allowed, ""},
		{"MIT AND GPL-3.0-only", allowed, "not among"}, {"GPL-3.0-or-later", allowed, "not among"}, {"(MIT OR GPL-2.0-only) AND Apache-2.0", allowed, ""},
		{"", allowed, "no licence"}, {"Do What You Want", allowed, "no SPDX expression"}, {"", nil, ""}, {"GPL-3.0-only", nil, ""},
	}
	for _, tt := range tests {
		got := Licence(tt.expression, tt.allowed)
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%q: got %q, want %q", tt.expression, got, tt.want)
		}
	}
	if err := CheckAllowed(allowed); err != nil {
		t.Error(err)
	}
	if err := CheckAllowed([]string{"MIT", "MITT"}); err == nil || !strings.Contains(err.Error(), "MITT") {
		t.Errorf("a misspelt licence: got %v", err)
	}
}
