package patch

import (
	"fmt"
	"strings"
)

// escapes are git's short forms in quoted paths (quote.c); other bytes that
// need one become three octal digits.
const (
	escaped = "\a\b\t\n\v\f\r\"\\"
	escapes = "abtnvfr\"\\"
)

// mustQuote reports whether git, with core.quotePath on, quotes a byte.
func mustQuote(c byte) bool { return c < 0x20 || c >= 0x7f || c == '"' || c == '\\' }

func needsQuotes(path string) bool {
	for i := range len(path) {
		if mustQuote(path[i]) {
			return true
		}
	}
	return false
}

// quoted returns a path as it stands in a header: itself, or in quotes.
func quoted(path string) string {
	if !needsQuotes(path) {
		return path
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		c := path[i]
		switch short := strings.IndexByte(escaped, c); {
		case short >= 0:
			b.WriteByte('\\')
			b.WriteByte(escapes[short])
		case mustQuote(c):
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// label returns a path with the prefix a/ or b/, quoted as a whole.
func label(prefix, path string) string { return quoted(prefix + path) }

// labelLine returns a whole "---" or "+++" line. Git ends it with a tab when it
// holds a blank, so that other tools do not take what follows for a date.
func labelLine(marker, prefix, path string) string {
	name := "/dev/null"
	if path != "" {
		name = label(prefix, path)
	}
	if strings.Contains(name, " ") {
		name += "\t"
	}
	return marker + name + "\n"
}

// unquoteLabel returns the path of a label and refuses another prefix.
func unquoteLabel(prefix, s string) (string, error) {
	s, err := unquote(s)
	if err != nil {
		return "", err
	}
	path, ok := strings.CutPrefix(s, prefix)
	if !ok {
		return "", errNames
	}
	return path, nil
}

// unquote reads what quoted writes, and nothing else: one path has one form.
func unquote(s string) (string, error) {
	body, ok := strings.CutPrefix(s, `"`)
	if !ok {
		if needsQuotes(s) {
			return "", errBadHeader
		}
		return s, nil
	}
	body, ok = strings.CutSuffix(body, `"`)
	if !ok {
		return "", errBadHeader
	}
	var b strings.Builder
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			b.WriteByte(body[i])
			continue
		}
		c, used, ok := unescape(body[i+1:])
		if !ok {
			return "", errBadHeader
		}
		b.WriteByte(c)
		i += used
	}
	if path := b.String(); quoted(path) == s {
		return path, nil
	}
	return "", errBadHeader
}

// unescape reads what follows a backslash and says how many bytes that took.
func unescape(s string) (c byte, used int, ok bool) {
	if s == "" {
		return 0, 0, false
	}
	if short := strings.IndexByte(escapes, s[0]); short >= 0 {
		return escaped[short], 1, true
	}
	if len(s) < 3 || s[0] < '0' || s[0] > '3' || s[1] < '0' || s[1] > '7' || s[2] < '0' || s[2] > '7' {
		return 0, 0, false
	}
	return (s[0]-'0')<<6 | (s[1]-'0')<<3 | (s[2] - '0'), 3, true
}
