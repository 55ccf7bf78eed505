package crossref

import (
	"bytes"
	"strings"
)

// splitWords returns the words of t in lower case. Apostrophes are dropped
// ("shouldn't" is "shouldnt"). Names are no words: what is marked as code is
// left out, and parts joined as in "space-before-blocks" stay together, unless
// they are a trailer ("Depends-On:") or an expression that people write so.
func splitWords(t []byte) []string {
	plain := make([]byte, 0, len(t))
	for i := 0; i < len(t); i++ {
		c := t[i]
		switch {
		case c >= 'A' && c <= 'Z':
			c |= 0x20
		case c == '\'' || c == '`':
			if n := bytes.IndexByte(t[i+1:], c); c == '`' && n >= 0 {
				i += n + 1
			}
			continue
		case bytes.HasPrefix(t[i:], []byte("’")):
			i += len("’") - 1
			continue
		case joins(t, i):
		case c == ':' && i > 0 && is(t[i-1], clsWord):
			splitLast(plain)
			c = ' '
		case c < 0x80 && !is(c, clsWord) || c == '_':
			c = ' '
		}
		plain = append(plain, c)
	}
	return spelledWords(string(plain))
}

// joins reports whether the byte at i makes one name of what stands around it.
func joins(t []byte, i int) bool {
	return (t[i] == '-' || t[i] == '_' || t[i] == '.' || t[i] == '/') && i > 0 && i+1 < len(t) &&
		is(t[i-1], clsWord) && is(t[i+1], clsWord)
}

// splitLast parts the last word of plain at its hyphens.
func splitLast(plain []byte) {
	for i := len(plain) - 1; i >= 0 && plain[i] != ' '; i-- {
		if plain[i] == '-' {
			plain[i] = ' '
		}
	}
}

// spelledWords splits s at blanks, and some words at their hyphen too.
func spelledWords(s string) []string {
	words := strings.Fields(s)
	if strings.IndexByte(s, '-') < 0 {
		return words
	}
	var out []string
	for _, w := range words {
		first, _, _ := strings.Cut(w, "-")
		if hyphenated[first] {
			out = append(out, strings.Split(w, "-")...)
		} else {
			out = append(out, w)
		}
	}
	return out
}

// hyphenated are the first parts of expressions written with a hyphen or without.
var hyphenated = wordSet("depends cherry pre x forward needed required blocked see follow hand")

// sentenceBefore returns the words of the sentence, list item or trailer that
// t ends in.
func sentenceBefore(t []byte) []string {
	start := 0
	for i := range t {
		if breaksAt(t, i) {
			start = i + 1
		}
	}
	return splitWords(t[start:])
}

// breaksAt reports whether a sentence ends at i: at its full stop, or at a line
// break before a blank line, a list item or a trailer.
func breaksAt(t []byte, i int) bool {
	if t[i] == '\n' {
		return breaksLine(t[i+1:])
	}
	if strings.IndexByte(".!?;", t[i]) < 0 || i+1 == len(t) {
		return false
	}
	return t[i+1] <= ' '
}

// breaksLine reports whether next begins something new.
func breaksLine(next []byte) bool {
	at := skipBlanks(next, 0)
	if at == len(next) {
		return false
	}
	if next[at] == '\n' || next[at] == '\r' || bulletEnd(next[at:]) > 0 {
		return true
	}
	end := at
	for end < len(next) && is(next[end], clsOwner) {
		end++
	}
	return end > at && end < len(next) && next[end] == ':'
}

// sentenceAfter returns the words of the sentence that goes on at the start of
// t. With across, blank lines before its first word are passed over.
func sentenceAfter(t []byte, across bool) []string {
	end, begun := 0, false
	for ; end < len(t); end++ {
		begun = begun || is(t[end], clsWord)
		if t[end] == '\n' && !begun && across && bulletEnd(bytes.TrimLeft(t[end:], " \t\r\n")) == 0 {
			continue
		}
		if breaksAt(t, end) && (begun || !across || t[end] == '\n') {
			break
		}
	}
	return splitWords(t[:end])
}
