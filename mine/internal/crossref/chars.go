package crossref

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// class is a set of byte properties.
type class uint8

const (
	clsDigit   class = 1 << iota
	clsHex           // hex digit of either case
	clsWord          // letter, digit, underscore
	clsName          // allowed in a repository's name
	clsOwner         // allowed in an owner's name
	clsURL           // allowed in a URL as people paste it
	clsTrigger       // may be part of a reference: worth a look
)

var classes = func() (t [256]class) {
	for c := range 256 {
		b := byte(c)
		digit, lower := b >= '0' && b <= '9', b|0x20
		letter := lower >= 'a' && lower <= 'z'
		if digit {
			t[c] |= clsDigit | clsTrigger
		}
		if digit || lower >= 'a' && lower <= 'f' {
			t[c] |= clsHex
		}
		if digit || letter || b == '_' {
			t[c] |= clsWord | clsName | clsOwner
		}
		if b > ' ' && b < utf8.RuneSelf && b != 0x7f && bytes.IndexByte([]byte("<>\"`{}|^"), b) < 0 {
			t[c] |= clsURL
		}
	}
	t['-'] |= clsName | clsOwner
	t['.'] |= clsName
	for _, b := range []byte("#@/:") {
		t[b] |= clsTrigger
	}
	return t
}()

func is(b byte, c class) bool { return classes[b]&c != 0 }

// runEnd returns the end of the run of bytes of class c that starts at i.
func runEnd(t []byte, i int, c class) int {
	for i < len(t) && is(t[i], c) {
		i++
	}
	return i
}

// runStart returns the start of the run of bytes of class c that ends at i,
// looking no further back than floor.
func runStart(t []byte, i, floor int, c class) int {
	for i > floor && is(t[i-1], c) {
		i--
	}
	return i
}

// wordEndsAt reports whether no word goes on at i.
func wordEndsAt(t []byte, i int) bool { return i >= len(t) || !is(t[i], clsWord) }

// foreignLetterBefore reports whether a letter of an alphabet stands before i.
// Scripts without blanks between words do not count: "修复#12" is a reference.
func foreignLetterBefore(t []byte, i int) bool {
	if i == 0 || t[i-1] < utf8.RuneSelf {
		return false
	}
	r, _ := utf8.DecodeLastRune(t[:i])
	return unicode.IsLetter(r) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

// zeroWidths are the invisible characters that bots put into references so
// that GitHub does not see them.
var zeroWidths = [][]byte{
	[]byte("\u200b"), []byte("\u200c"), []byte("\u200d"), []byte("\u2060"), []byte("\ufeff"), []byte("&#8203;"),
}

func skipZeroWidth(t []byte, i int) int {
	for more := i < len(t) && (t[i] >= utf8.RuneSelf || t[i] == '&'); more; {
		more = false
		for _, z := range zeroWidths {
			if bytes.HasPrefix(t[i:], z) {
				i, more = i+len(z), true
			}
		}
	}
	return i
}

func skipZeroWidthBack(t []byte, i, floor int) int {
	for more := i > floor && (t[i-1] >= utf8.RuneSelf || t[i-1] == ';'); more; {
		more = false
		for _, z := range zeroWidths {
			if i-len(z) >= floor && bytes.HasSuffix(t[:i], z) {
				i, more = i-len(z), true
			}
		}
	}
	return i
}

func skipBlanks(t []byte, i int) int {
	for i < len(t) && (t[i] == ' ' || t[i] == '\t') {
		i++
	}
	return i
}

func skipBlanksBack(t []byte, i, floor int) int {
	for i > floor && (t[i-1] == ' ' || t[i-1] == '\t') {
		i--
	}
	return i
}

// maxDigits bounds issue numbers: GitHub's have seven digits at most so far.
const maxDigits = 9

// numberAt reads an issue number that starts at i and ends as a word. Leading
// zeros, versions ("1.2") and longer runs of digits are none.
func numberAt(t []byte, i int) (n, end int, ok bool) {
	end = i
	for end < len(t) && is(t[end], clsDigit) && end-i <= maxDigits {
		n = n*10 + int(t[end]-'0')
		end++
	}
	version := end+1 < len(t) && t[end] == '.' && is(t[end+1], clsDigit)
	emphasis := end < len(t) && t[end] == '_' && wordEndsAt(t, end+1)
	ok = end > i && end-i <= maxDigits && t[i] != '0' && (emphasis || wordEndsAt(t, end)) && !version
	return n, end, ok
}

// equalFold compares with an ASCII string of lower case.
func equalFold(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

func allOf[T []byte | string](b T, c class) bool {
	for i := range len(b) {
		if !is(b[i], c) {
			return false
		}
	}
	return len(b) > 0
}

// isSHA reports whether b could be an abbreviated or full SHA-1.
func isSHA[T []byte | string](b T) bool { return len(b) >= 7 && len(b) <= 40 && allOf(b, clsHex) }
