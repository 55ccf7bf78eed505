package page

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Safe returns text from a repository as a terminal may show it: newlines and
// tabs stay, everything else that a terminal would act upon, or that reorders
// or hides text, is written out as an escape: \x1b, \u202e.
func Safe(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r == '\r' && strings.HasPrefix(s[i+1:], "\n"): // GitHub's bodies have CRLF
		case r < 0x100 && unicode.IsControl(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		case !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Line returns text on one line of at most width runes, safe to show.
func Line(s string, width int) string {
	runes := []rune(Safe(strings.Join(strings.Fields(s), " ")))
	if len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return string(runes)
}
