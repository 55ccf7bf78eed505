package detect

import (
	"regexp"
	"strings"
)

// CMakeCall is one command of a CMake file.
type CMakeCall struct {
	Name string // in lower case
	Args []string
}

// maxCalls bounds what is read of one file.
const maxCalls = 20_000

// ParseCMake reads the commands of a CMake file: quoted and bracket arguments
// and comments are known, references to variables stay as they are. What is no
// command is passed over; a file that ends within one ends there.
func ParseCMake(src []byte) []CMakeCall {
	l := &cmakeLexer{src: string(src)}
	var calls []CMakeCall
	for len(calls) < maxCalls {
		name, ok := l.command()
		if !ok {
			return calls
		}
		calls = append(calls, CMakeCall{strings.ToLower(name), l.args()})
	}
	return calls
}

// cmakeLexer goes over a file.
type cmakeLexer struct {
	src string
	pos int
}

// command finds the next identifier that stands before a parenthesis, and
// steps over both.
func (l *cmakeLexer) command() (string, bool) {
	name := ""
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		switch {
		case c == '#':
			l.comment()
		case wordByte(c):
			name = l.word()
		case c == '(' && name != "":
			l.pos++
			return name, true
		default:
			if c != ' ' && c != '\t' {
				name = ""
			}
			l.pos++
		}
	}
	return "", false
}

func wordByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func (l *cmakeLexer) word() string {
	start := l.pos
	for l.pos < len(l.src) && wordByte(l.src[l.pos]) {
		l.pos++
	}
	return l.src[start:l.pos]
}

// args reads up to the closing parenthesis. Nested ones, which conditions
// have, are left out.
func (l *cmakeLexer) args() []string {
	var args []string
	for depth := 1; l.pos < len(l.src); {
		switch c := l.src[l.pos]; c {
		case '#':
			l.comment()
		case '(':
			depth++
			l.pos++
		case ')':
			l.pos++
			if depth--; depth == 0 {
				return args
			}
		case ' ', '\t', '\r', '\n', ';':
			l.pos++
		case '"':
			args = append(args, l.quoted())
		default:
			if text, ok := l.bracket(); ok {
				args = append(args, text)
			} else {
				args = append(args, l.unquoted())
			}
		}
	}
	return args
}

// comment steps over a comment of one line or in brackets.
func (l *cmakeLexer) comment() {
	l.pos++
	if _, ok := l.bracket(); ok {
		return
	}
	for l.pos < len(l.src) && l.src[l.pos] != '\n' {
		l.pos++
	}
}

func (l *cmakeLexer) quoted() string {
	var b strings.Builder
	for l.pos++; l.pos < len(l.src); l.pos++ {
		switch c := l.src[l.pos]; {
		case c == '"':
			l.pos++
			return b.String()
		case c == '\\' && l.pos+1 < len(l.src):
			l.pos++
			b.WriteByte(l.src[l.pos])
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func (l *cmakeLexer) unquoted() string {
	start := l.pos
	for l.pos < len(l.src) && !strings.ContainsRune(" \t\r\n;()#\"", rune(l.src[l.pos])) {
		l.pos++
	}
	if l.pos == start {
		l.pos++
	}
	return l.src[start:l.pos]
}

var bracketOpen = regexp.MustCompile(`^\[(=*)\[`)

// bracket reads [[…]] or [=[…]=].
func (l *cmakeLexer) bracket() (string, bool) {
	rest := l.src[l.pos:]
	if len(rest) < 2 || rest[0] != '[' {
		return "", false
	}
	m := bracketOpen.FindStringSubmatch(rest)
	if m == nil {
		return "", false
	}
	body, _, closed := strings.Cut(rest[len(m[0]):], "]"+m[1]+"]")
	l.pos += len(m[0]) + len(body)
	if closed {
		l.pos += len(m[1]) + 2
	}
	return body, true
}

var cmakeReference = regexp.MustCompile(`\$\{(\w+)\}`)

// cmakeVariables are what the files of a project set plainly.
type cmakeVariables map[string]string

// note keeps what a command sets.
func (v cmakeVariables) note(c CMakeCall) {
	switch {
	case c.Name == "project" && len(c.Args) > 0:
		v["PROJECT_NAME"] = v.expand(c.Args[0])
		if _, ok := v["CMAKE_PROJECT_NAME"]; !ok {
			v["CMAKE_PROJECT_NAME"] = v["PROJECT_NAME"]
		}
		if i := keyword(c.Args, "VERSION"); i > 0 {
			v["PROJECT_VERSION"] = v.expand(c.Args[i])
		}
	case c.Name == "set" && len(c.Args) >= 2 && (len(c.Args) == 2 || c.Args[2] == "CACHE" || c.Args[2] == "PARENT_SCOPE"):
		v[c.Args[0]] = v.expand(c.Args[1])
	}
}

// maxValue bounds what references can grow to.
const maxValue = 4096

// expand replaces the references whose values are known.
func (v cmakeVariables) expand(s string) string {
	out := cmakeReference.ReplaceAllStringFunc(s, func(ref string) string {
		if value, ok := v[ref[2:len(ref)-1]]; ok {
			return value
		}
		return ref
	})
	if len(out) > maxValue {
		return s
	}
	return out
}

// keyword returns the index of the argument after a keyword, 0 for none.
func keyword(args []string, word string) int {
	for i, a := range args {
		if i > 0 && a == word && i+1 < len(args) {
			return i + 1
		}
	}
	return 0
}
