package touch

import (
	"regexp"
	"strings"

	"crossswe/schemas"
)

// titleCall finds the calls that name a test or a suite. The title may stand
// on the same line only; template titles are matched up to their first hole.
var titleCall = regexp.MustCompile(`^(\s*)(?:await\s+)?(?:[\w$]+\.)?(it|test|specify|describe|context|suite|Deno\.test)(?:\.\w+)*(?:\([^()]*\)|` + "`[^`]*`" + `)?\(\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|` + "`((?:[^`\\\\]|\\\\.)*)`" + `)`)

// titles is what a JavaScript or TypeScript file says about its tests. There
// is no parsing: a test's text runs from the line of its title to the next
// line that stands no deeper.
type titles struct {
	file    File
	entries []entry
	base    map[string]bool // titles that stood there before
	added   string          // the added lines, to look for titles that are data
}

type entry struct {
	title       string
	indent      int
	first, last int
}

func readTitles(f File) *titles {
	t := &titles{file: f, entries: entries(f.Head), base: map[string]bool{}}
	for _, e := range entries(f.Base) {
		t.base[e.title] = true
	}
	var b strings.Builder
	for n, line := range strings.Split(string(f.Head), "\n") {
		if f.Touched.Has(n+1, n+1) {
			b.WriteString(line + "\n")
		}
	}
	t.added = b.String()
	return t
}

func entries(src []byte) []entry {
	var all []entry
	lines := strings.Split(string(src), "\n")
	for n, line := range lines {
		m := titleCall.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		title := unescape(m[3] + m[4] + m[5])
		if m[5] != "" {
			title, _, _ = strings.Cut(title, "${")
		}
		all = append(all, entry{title: title, indent: len(m[1]), first: n + 1})
	}
	for i, e := range all {
		all[i].last = e.end(lines)
	}
	return all
}

// end returns the last line of the call that begins at e.first: the first line
// that stands no deeper, which belongs to it when it closes it.
func (e entry) end(lines []string) int {
	for n := e.first; n < len(lines); n++ {
		text := strings.TrimLeft(lines[n], " \t")
		if indent := len(lines[n]) - len(text); text == "" || indent > e.indent {
			continue
		} else if indent == e.indent && strings.ContainsAny(text[:1], "})`") {
			return n + 1
		}
		return n
	}
	return len(lines)
}

var escapes = strings.NewReplacer(`\\`, `\`, `\n`, `\n`, `\t`, `\t`, `\`, ``)

func unescape(s string) string { return escapes.Replace(s) }

// of says what became of a test, by the last part of its name. An equal title
// elsewhere in the file counts too: it cannot be told apart by text alone.
func (t *titles) of(name string) schemas.Touch {
	if t.file.Touched.New {
		return schemas.TouchNew
	}
	parts := strings.Split(name, " > ")
	title := ordinal.ReplaceAllString(parts[len(parts)-1], "")
	touch, found := schemas.TouchUnchanged, false
	for _, e := range t.entries {
		if !e.is(title) {
			continue
		}
		found = true
		switch {
		case !t.file.Touched.Has(e.first, e.last):
		case !t.base[e.title]:
			return schemas.TouchNew
		default:
			touch = schemas.TouchChanged
		}
	}
	if !found && t.isData(title) {
		return schemas.TouchNew
	}
	return touch
}

var ordinal = regexp.MustCompile(` #\d+$`)

// is reports whether the entry's title is the one: whole, or as far as a
// template or a printf-like title goes.
func (e entry) is(title string) bool {
	if e.title == title {
		return true
	}
	head, _, cut := strings.Cut(e.title, "%")
	return cut && len(head) > 3 && strings.HasPrefix(title, head)
}

// isData reports whether a title that no call names stands in the added lines,
// as the code samples of a rule tester do.
func (t *titles) isData(title string) bool {
	line, _, _ := strings.Cut(title, `\n`)
	return len(line) > 5 && strings.Contains(t.added, line)
}
