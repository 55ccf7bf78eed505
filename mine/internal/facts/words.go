package facts

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// Word is an identifier's number in a Vocabulary.
type Word uint32

// Vocabulary numbers identifiers, so that sets of them are small. It is safe
// for concurrent use.
type Vocabulary struct {
	mu    sync.Mutex
	ids   map[string]Word
	words []string
}

// NewVocabulary returns an empty vocabulary.
func NewVocabulary() *Vocabulary { return &Vocabulary{ids: map[string]Word{}} }

// String returns a word's text.
func (v *Vocabulary) String(w Word) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.words[w]
}

// Words returns the numbers of some identifiers, sorted, without repeats.
func (v *Vocabulary) Words(words ...string) []Word {
	set := map[string]bool{}
	for _, w := range words {
		set[w] = true
	}
	return v.numbers(set)
}

// numbers returns the words of a set, sorted.
func (v *Vocabulary) numbers(set map[string]bool) []Word {
	v.mu.Lock()
	defer v.mu.Unlock()
	out := make([]Word, 0, len(set))
	for s := range set {
		w, ok := v.ids[s]
		if !ok {
			w = Word(len(v.words))
			s = strings.Clone(s)
			v.ids[s] = w
			v.words = append(v.words, s)
		}
		out = append(out, w)
	}
	slices.Sort(out)
	return out
}

const (
	shortestWord = 3
	longestWord  = 80
)

// EachWord calls each for the identifiers of one line of code, in any
// language: letters, digits, _ and $, not beginning with a digit. Bytes beyond
// ASCII count as letters.
func EachWord(line []byte, each func([]byte)) {
	for i := 0; i < len(line); {
		if !isLetter(line[i]) {
			if isDigit(line[i]) { // 0xff, 1e9, 12px: no identifier
				for i < len(line) && (isLetter(line[i]) || isDigit(line[i])) {
					i++
				}
				continue
			}
			i++
			continue
		}
		start := i
		for i < len(line) && (isLetter(line[i]) || isDigit(line[i])) {
			i++
		}
		if n := i - start; n >= shortestWord && n <= longestWord {
			each(line[start:i])
		}
	}
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// code returns the part of a line that is no comment, as far as one line
// tells: comments are prose, whose words would pass for identifiers. Strings
// stay, since protocols and options are spelt in them.
func code(line []byte, hash bool) []byte {
	line = bytes.TrimSpace(line)
	for _, mark := range []string{"//", "/*", "*", "<!--", "--", ";;", "%%"} {
		if bytes.HasPrefix(line, []byte(mark)) {
			return nil
		}
	}
	if hash && bytes.HasPrefix(line, []byte("#")) {
		return nil
	}
	marks := []string{" //", "\t//"}
	if hash {
		marks = []string{" #", "\t#"}
	}
	for _, mark := range marks {
		if at := bytes.Index(line, []byte(mark)); at >= 0 {
			line = line[:at]
		}
	}
	return line
}

// hashComments says that a language's comments begin with "#".
func hashComments(language string) bool {
	switch language {
	case "Python", "Ruby", "Shell", "Perl", "YAML", "TOML", "Makefile", "Dockerfile", "R", "Elixir", "CMake", "Julia", "Nix":
		return true
	}
	return false
}

// Shape says how much an identifier's form tells, from 0 to 1: a compound name
// is somebody's invention, a plain word may be anything.
func Shape(word string) float64 {
	lower, upper, breaks := 0, 0, 0
	for i := range len(word) {
		c := word[i]
		switch {
		case c >= 'a' && c <= 'z':
			lower++
			if i > 0 && word[i-1] >= 'A' && word[i-1] <= 'Z' && i > 1 {
				breaks++
			}
		case c >= 'A' && c <= 'Z':
			upper++
			if i > 0 && word[i-1] >= 'a' && word[i-1] <= 'z' {
				breaks++
			}
		case c == '_' && i > 0 && i < len(word)-1:
			breaks++
		}
	}
	switch {
	case breaks > 0 && len(word) >= 7:
		return 1
	case breaks > 0:
		return 0.6
	case len(word) >= 8:
		return 0.35
	}
	return 0.15
}
