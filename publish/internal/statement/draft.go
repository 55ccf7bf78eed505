// Package statement drafts and checks the problem statement of a task, from
// the view before the fix: what is wrong, what is expected, what spans the
// repositories, and the names that hidden tests need. It is extractive: every
// sentence stands in the changes' own titles and descriptions, with everything
// taken out that points to the solution. It is pure.
package statement

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"crossswe/schemas"
)

// MethodExtractive is the Method of a Statement that Draft wrote.
const MethodExtractive = "extractive"

// The headings of a statement.
const (
	headWrong     = "## What is wrong"
	headExpected  = "## Expected behaviour"
	headSpan      = "## What spans the repositories"
	headInterface = "## Interface"
)

// nothingYet stands for what is wrong where no text says it.
const nothingYet = "What is expected below is not so yet."

// maxSentences bounds what one side says in one section.
const maxSentences = 12

var (
	wrongCue    = regexp.MustCompile(`(?i)\b(bugs?|fix(?:es|ed)?|fail(?:s|ed|ing|ure|ures)?|errors?|panics?|crash(?:es|ed)?|hangs?|deadlocks?|leaks?|races?|wrong(?:ly)?|incorrect(?:ly)?|invalid|missing|broken?|breaks|cannot|can't|could not|couldn't|doesn't|does not|don't|do not|didn't|did not|isn't|is not|wasn't|never|unable|impossible|currently|at the moment|today|previously|until now|so far|instead of|regression|unexpected(?:ly)?|lacks?|no way|problem|issue|unsupported|not supported)\b`)
	wrongHead   = regexp.MustCompile(`\b(?:problem|bug|issue|actual|current|motivation|why|background|context|reproduc|symptom)`)
	expectHead  = regexp.MustCompile(`\b(?:expected|solution|proposal|what|change|feature|behaviou?r)`)
	chore       = regexp.MustCompile(`(?i)^(?:chore|docs?|ci|style|build|tests?)(?:\([^)]*\))?!?: |^(?:fix(?:e[sd])?|resolve[sd]?|address(?:e[sd])?) (?:the |some |a |more |failing |broken |merge |review |linter? |fmt )*(?:conflicts?|lint\w*|typos?|tests?|ci|comments?|feedback|nits?|format\w*|examples?|imports?|build)\b|\b(?:go\.mod|go\.sum|package\.json|lock ?file|change ?log|github workflows?|code review|merge (?:branch|conflicts?)|remote-tracking)\b|^(?:wip|clean ?up|rebase|bump|typo|lint|gofmt|format|revert) |^use (?:the branch|go \d)|^(?:update|upgrade|change|add|adapt|align|run|remove redundant) (?:\w+ )?(?:tests?|docs?|dependenc\w+|deps|comments?|workflows?|migration guide)\b`)
	ignoredHead = regexp.MustCompile(`\b(?:check ?list|test(?:s|ing)? plan|how .*test|testing|screenshots?|reviewers?|related|references?|links?|release notes?|changelog|type of change|notes for|todo|credits?)`)
)

// Draft writes the statement of a change. A sentence that the lint would not
// pass is left out. The text always ends with a newline.
func Draft(sides []Side, names Names) string {
	l := newLinter(sides, names.Needed, names)
	var wrong, expected strings.Builder
	for _, s := range sides {
		w, e := l.extract(s)
		section(&wrong, s, w)
		section(&expected, s, e)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# A change across %s\n\n", enumerate(sides, func(s Side) string { return string(s.Repo) }))
	write(&b, headWrong, cmp.Or(wrong.String(), nothingYet))
	write(&b, headExpected, expected.String())
	write(&b, headSpan, span(sides))
	write(&b, headInterface, interfaces(names))
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func write(b *strings.Builder, head, text string) {
	if text != "" {
		fmt.Fprintf(b, "%s\n\n%s\n\n", head, strings.TrimSpace(text))
	}
}

func section(b *strings.Builder, s Side, list []paragraph) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "In `%s` (`%s/`):\n\n", s.Repo, s.Dir)
	for _, p := range list {
		if p.code {
			fmt.Fprintf(b, "```\n%s\n```\n", p.text)
			continue
		}
		fmt.Fprintf(b, "- %s\n", p.text)
	}
	b.WriteString("\n")
}

// extract sorts what a side says into what is wrong and what is expected.
func (l *linter) extract(s Side) (wrong, expected []paragraph) {
	said := []paragraph{}
	if t := title(s.Title); words(t) >= 2 {
		said = append(said, paragraph{text: t})
	}
	for _, p := range append(said, clean(s.Body)...) {
		switch {
		case ignoredHead.MatchString(p.heading), !p.code && chore.MatchString(p.text), len(l.textual(p.text)) > 0, l.repeats(p.text):
		case p.code && strings.Contains(p.text, "```"):
		case isWrong(p) && len(wrong) < maxSentences:
			wrong = append(wrong, p)
		case !p.code && !isWrong(p) && len(expected) < maxSentences:
			expected = append(expected, p)
		}
	}
	return wrong, expected
}

// repeats reports whether the text was said before, and notes it.
func (l *linter) repeats(text string) bool {
	key := strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !isWord(byte(min(r, 0x80))) }), " ")
	seen := l.said[key]
	l.said[key] = true
	return seen
}

func isWrong(p paragraph) bool {
	switch {
	case wrongHead.MatchString(p.heading):
		return true
	case expectHead.MatchString(p.heading) && !p.code:
		return false
	}
	return wrongCue.MatchString(p.text)
}

// span says who depends on whom, and that one repository alone is not enough.
func span(sides []Side) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The change has to be made in %s together; a part of it in one repository alone does not give the expected behaviour.\n\n",
		enumerate(sides, func(s Side) string { return fmt.Sprintf("`%s/`", s.Dir) }))
	for _, s := range sides {
		fmt.Fprintf(&b, "- `%s/` is `%s`: %s.\n", s.Dir, s.Repo, roleText(s.Role))
	}
	return b.String()
}

func roleText(r schemas.Role) string {
	switch r {
	case schemas.RoleProvider:
		return "others of these repositories use it"
	case schemas.RoleConsumer:
		return "it uses others of these repositories, as they stand in this working directory"
	case schemas.RoleBoth:
		return "it uses some of these repositories, as they stand in this working directory, and others use it"
	}
	return "it works together with the others"
}

// interfaces lists the needed names, each with the line that declares it if
// that line shows no further name that only the change has.
func interfaces(names Names) string {
	if len(names.Needed) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("The tests use these names, which do not exist yet:\n\n")
	for _, name := range names.Needed {
		d := names.Declared[name]
		fmt.Fprintf(&b, "- `%s`", name)
		if d.Repo != "" {
			fmt.Fprintf(&b, " in `%s`", d.Repo)
		}
		if d.Line != "" && len(d.Line) < 200 && !names.leaks(d.Line) {
			fmt.Fprintf(&b, ": `%s`", strings.ReplaceAll(d.Line, "`", ""))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// leaks reports whether a line holds a new name that is not a needed one.
func (n Names) leaks(line string) bool {
	for name := range identifiers(line) {
		if n.Gold[name] && !slices.Contains(n.Needed, name) {
			return true
		}
	}
	return false
}

func enumerate(sides []Side, of func(Side) string) string {
	var all []string
	for _, s := range sides {
		all = append(all, of(s))
	}
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]
}
