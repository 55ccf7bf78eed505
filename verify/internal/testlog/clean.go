package testlog

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"
)

// maxName bounds one name; a longer one is cut and told apart by its length.
const maxName = 2000

// maxMessage bounds the evidence kept for one test.
const maxMessage = 2000

// cleanName makes a name that is one line of valid UTF-8: control characters
// are written as Go writes them, broken bytes become U+FFFD.
func cleanName(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.ContainsFunc(s, isControl) {
		var b strings.Builder
		for _, r := range s {
			if isControl(r) {
				quoted := fmt.Sprintf("%q", r)
				b.WriteString(quoted[1 : len(quoted)-1])
				continue
			}
			b.WriteRune(r)
		}
		s = b.String()
	}
	if len(s) > maxName {
		return strings.ToValidUTF8(s[:maxName], "") + fmt.Sprintf("… (%d bytes)", len(s))
	}
	return s
}

func isControl(r rune) bool {
	return r < 0x20 || r == 0x7f || (r >= 0x80 && r < 0xa0) || r == '\u2028' || r == '\u2029'
}

// excerpt cuts text to its beginning and its end.
func excerpt(s string) string {
	s = strings.TrimRight(strings.ToValidUTF8(s, "\uFFFD"), " \t\r\n")
	s = strings.ReplaceAll(s, "\x00", "\uFFFD")
	if len(s) <= maxMessage {
		return s
	}
	head, tail := s[:maxMessage*3/4], s[len(s)-maxMessage/4:]
	return strings.ToValidUTF8(head, "") + "\n…\n" + strings.ToValidUTF8(tail, "")
}

// cut keeps the beginning of b, up to n bytes, and copies it.
func cut(b []byte, n int) []byte { return bytes.Clone(b[:min(n, len(b))]) }

// relative returns file within root, or file itself when it lies outside.
func relative(root, file string) string {
	if rest, ok := strings.CutPrefix(file, strings.TrimSuffix(root, "/")+"/"); ok && root != "" {
		return rest
	}
	return path.Clean(file)
}

// validXML replaces what no XML document may hold by U+FFFD, so that one bad
// byte in a test's output does not lose the report.
func validXML(b []byte) []byte {
	bad := func(r rune) bool {
		return r != '\t' && r != '\n' && r != '\r' && (r < 0x20 || r == utf8.RuneError || r == 0xFFFE || r == 0xFFFF)
	}
	if !bytes.ContainsFunc(b, bad) {
		return b
	}
	return bytes.Map(func(r rune) rune {
		if bad(r) {
			return utf8.RuneError
		}
		return r
	}, b)
}
