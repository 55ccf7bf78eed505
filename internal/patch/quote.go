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

// mustQuote reports whether git quotes a byte: always, or only while its
// setting core.quotePath is on, as it is by default.
func mustQuote(c byte, high bool) bool {
	return c < 0x20 || c == 0x7f || c == '"' || c == '\\' || high && c >= 0x80
}

func needsQuotes(path string, high bool) bool {
	for i := range len(path) {
		if mustQuote(path[i], high) {
			return true
		}
	}
	return false
}

// quoted returns a path as it stands in a header: itself, or in quotes.
func quoted(path string) string { return quotedAs(path, true) }

func quotedAs(path string, high bool) string {
	if !needsQuotes(path, high) {
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
		case mustQuote(c, high):
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

// rawLabel is label for a git whose core.quotePath is off.
func rawLabel(prefix, path string) string { return quotedAs(prefix+path, false) }

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

// unquote reads a path with or without quotes, bytes over 0x7f as they are or
// as escapes.
func unquote(s string) (string, error) {
	body, ok := strings.CutPrefix(s, `"`)
	if !ok {
		if needsQuotes(s, false) {
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
		c, used, ok := unescape(body[i:])
		if !ok {
			return "", errBadHeader
		}
		b.WriteByte(c)
		i += used - 1
	}
	return b.String(), nil
}

// unescape reads one byte of a quoted path and says how many it took.
func unescape(s string) (c byte, used int, ok bool) {
	if s[0] != '\\' {
		return s[0], 1, s[0] != '"' && s[0] != 0
	}
	s = s[1:]
	if s == "" {
		return 0, 0, false
	}
	if short := strings.IndexByte(escapes, s[0]); short >= 0 {
		return escaped[short], 2, true
	}
	if len(s) < 3 || s[0] < '0' || s[0] > '3' || s[1] < '0' || s[1] > '7' || s[2] < '0' || s[2] > '7' {
		return 0, 0, false
	}
	c = (s[0]-'0')<<6 | (s[1]-'0')<<3 | (s[2] - '0')
	return c, 4, c != 0
}
