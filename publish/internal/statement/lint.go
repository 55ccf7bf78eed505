package statement

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"crossswe/internal/patch"
	"crossswe/schemas"
)

// The rules of the lint.
const (
	RuleCommitID  = "commit_id"     // the id of a commit, whole or abbreviated
	RuleReference = "reference"     // a link to, or the number of, an issue, pull request or commit
	RuleGoldName  = "gold_name"     // a name that only the gold patch has, outside the interface
	RuleGoldPath  = "gold_path"     // a path that only the gold patch has, outside the interface
	RuleGoldLine  = "gold_line"     // a line of the gold patch, word for word
	RuleUnstated  = "unstated_name" // a name that the tests need and the statement does not give
	RuleThin      = "thin"          // too little is said about what is wrong and what is expected
	RuleEmail     = "email"         // somebody's address
)

// minGoldLine is the length from which an equal line is no chance; minWords is
// the least that a statement says.
const (
	minGoldLine = 32
	minWords    = 12
)

// Lint returns everything wrong with a statement, in order of rule and text.
// Interface are the names that the statement may give; names are those of the
// change, whose paths and needed names the rules ask for.
func Lint(sides []Side, names Names, text string, interfaces []string) []schemas.LintFinding {
	l := newLinter(sides, interfaces, names)
	found := append(l.textual(text), l.unstated(text)...)
	if said := words(behaviour(text)); said < minWords {
		found = append(found, schemas.LintFinding{Rule: RuleThin, Text: fmt.Sprintf("%d words", said), Detail: "about what is wrong and what is expected"})
	}
	slices.SortFunc(found, func(a, b schemas.LintFinding) int {
		return cmp.Or(strings.Compare(a.Rule, b.Rule), strings.Compare(a.Text, b.Text))
	})
	return slices.Compact(found)
}

type linter struct {
	sides     []Side
	names     Names
	allowed   map[string]bool   // the interface
	commits   []string          // full ids
	goldLines map[string]string // trimmed added line → repository
	said      map[string]bool
}

func newLinter(sides []Side, interfaces []string, names Names) *linter {
	l := &linter{sides: sides, names: names, allowed: map[string]bool{}, goldLines: map[string]string{}, said: map[string]bool{}}
	for _, name := range interfaces {
		l.allowed[name] = true
	}
	for _, s := range sides {
		l.commits = append(l.commits, string(s.Base), string(s.Head), string(s.Merge))
		files, err := patch.Parse(s.Gold)
		if err != nil {
			continue // Suspects has refused it
		}
		for _, f := range files {
			for _, line := range f.AddedLines() {
				if t := strings.TrimSpace(string(line)); len(t) >= minGoldLine && !isComment(line) && !l.mayQuote(t) {
					l.goldLines[t] = string(s.Repo)
				}
			}
		}
	}
	return l
}

// mayQuote reports whether the interface section may hold a line: it declares
// a name of the interface, or is nothing else than such names.
func (l *linter) mayQuote(line string) bool {
	all := true
	for name := range identifiers(line) {
		if l.allowed[name] && declares.MatchString(line) {
			return true
		}
		all = all && l.allowed[name]
	}
	return all
}

// textual applies every rule that a single sentence can break.
func (l *linter) textual(text string) []schemas.LintFinding {
	return slices.Concat(l.commitIDs(text), l.references(text), l.goldNames(text), l.goldPaths(text), l.copied(text), emails(text))
}

var anyHex = regexp.MustCompile(`(?i)\b[0-9a-f]{7,64}\b`)

func (l *linter) commitIDs(text string) []schemas.LintFinding {
	var found []schemas.LintFinding
	for _, w := range anyHex.FindAllString(text, -1) {
		ofSide := slices.ContainsFunc(l.commits, func(id string) bool { return strings.HasPrefix(id, strings.ToLower(w)) })
		switch {
		case ofSide:
			found = append(found, schemas.LintFinding{Rule: RuleCommitID, Text: w, Detail: "a commit of this change"})
		case len(w) == 40 || len(w) == 64:
			found = append(found, schemas.LintFinding{Rule: RuleCommitID, Text: w, Detail: "looks like a commit"})
		}
	}
	return found
}

var (
	numbered = regexp.MustCompile(`(?i)[\w./-]*#\d+\b|\bGH-\d+\b|\b(?:PR|pull request|merge request)\s*#?\d+\b`)
	linked   = regexp.MustCompile(`(?i)\b[\w.-]+\.[a-z]{2,}/[\w.-]+/[\w.-]+/(?:-/)?(?:pull|pulls|issues|commit|commits|compare|merge_requests)\b[^\s)>\]]*`)
)

func (l *linter) references(text string) []schemas.LintFinding {
	var found []schemas.LintFinding
	for _, w := range linked.FindAllString(text, -1) {
		found = append(found, schemas.LintFinding{Rule: RuleReference, Text: w, Detail: "a link to a change or an issue"})
	}
	for _, w := range numbered.FindAllString(linked.ReplaceAllString(text, " "), -1) {
		found = append(found, schemas.LintFinding{Rule: RuleReference, Text: w, Detail: "the number of a change or an issue"})
	}
	return found
}

// inCode finds what a text marks as code, and calls.
var inCode = regexp.MustCompile("`[^`\n]+`|[A-Za-z_$][A-Za-z0-9_$]*\\(")

// goldNames reports names that only the change has. Words that could be plain
// English count only where the text marks them as code.
func (l *linter) goldNames(text string) []schemas.LintFinding {
	marked := map[string]bool{}
	for _, code := range inCode.FindAllString(text, -1) {
		for name := range identifiers(code) {
			marked[name] = true
		}
	}
	var found []schemas.LintFinding
	for name := range identifiers(text) {
		if l.names.Gold[name] && !l.allowed[name] && (shaped(name) || marked[name]) {
			found = append(found, schemas.LintFinding{Rule: RuleGoldName, Text: name, Detail: "only the gold patch has this name"})
		}
	}
	return found
}

func (l *linter) goldPaths(text string) []schemas.LintFinding {
	var found []schemas.LintFinding
	for _, p := range l.names.Paths {
		base := path.Base(p)
		named := standsAlone(text, p) || strings.Contains(base, ".") && standsAlone(text, base)
		if named && !l.allowed[p] {
			found = append(found, schemas.LintFinding{Rule: RuleGoldPath, Text: p, Detail: "the gold patch adds this file"})
		}
	}
	return found
}

// standsAlone reports whether word stands in text with no letter or digit at its sides.
func standsAlone(text, word string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(word)
		if (i == 0 || !isWord(text[i-1])) && (end == len(text) || !isWord(text[end])) {
			return true
		}
		from = i + 1
	}
}

func (l *linter) copied(text string) []schemas.LintFinding {
	var found []schemas.LintFinding
	for line, repo := range l.goldLines {
		if strings.Contains(text, line) {
			found = append(found, schemas.LintFinding{Rule: RuleGoldLine, Text: line, Detail: "a line of the gold patch of " + repo})
		}
	}
	return found
}

func emails(text string) []schemas.LintFinding {
	var found []schemas.LintFinding
	for _, w := range email.FindAllString(text, -1) {
		found = append(found, schemas.LintFinding{Rule: RuleEmail, Text: w, Detail: "an address"})
	}
	return found
}

// unstated reports the needed names that the interface, or the text, lacks.
func (l *linter) unstated(text string) []schemas.LintFinding {
	var found []schemas.LintFinding
	for _, name := range l.names.Needed {
		if !l.allowed[name] || !standsAlone(text, name) {
			found = append(found, schemas.LintFinding{Rule: RuleUnstated, Text: name, Detail: "the tests use it and the interface section lacks it"})
		}
	}
	return found
}

// behaviour returns what a text says under the first two headings; all of it
// but the interface when it has other headings.
func behaviour(text string) string {
	all := !strings.Contains(text, headWrong) && !strings.Contains(text, headExpected) && !strings.Contains(text, headSpan)
	keep := all
	var b strings.Builder
	for line := range strings.Lines(text) {
		switch t := strings.TrimSpace(line); {
		case strings.HasPrefix(t, "## "):
			keep = t == headWrong || t == headExpected || all && t != headInterface
		case strings.HasPrefix(t, "#"), strings.HasPrefix(t, "In `"), t == nothingYet:
		case keep:
			b.WriteString(line)
		}
	}
	return b.String()
}
