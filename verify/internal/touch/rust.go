package touch

import (
	"bytes"
	"regexp"
	"strings"

	"crossswe/schemas"
)

// rust are the touched Rust files of one repository. A target's name is that
// of its root file, and the file of a test in it is not told: a test is looked
// for by its function, in the files of the target's package.
type rust struct{ files []rustFile }

type rustFile struct {
	pkg   string // the directory of the package, as far as the path tells
	fns   []rustFn
	base  map[string]bool // functions that stood there before
	old   []byte
	added string // the touched lines, for names that macros make tests of
	isNew bool
	File
}

// rustFn is a function with its attributes.
type rustFn struct {
	name        string
	first, last int
}

var (
	rustFnLine = regexp.MustCompile(`\bfn\s+([A-Za-z_]\w*)`)
	rustAbove  = regexp.MustCompile(`^\s*(?:#\[|#!\[|//|\)\]|\]$)`)
)

func (r *rust) read(f File) {
	x := rustFile{pkg: rustPackage(f.Touched.Path), base: map[string]bool{}, old: f.Base, isNew: f.Touched.New, File: f}
	x.fns = rustFns(f.Head)
	for _, fn := range rustFns(f.Base) {
		x.base[fn.name] = true
	}
	var b strings.Builder
	for n, line := range strings.Split(string(f.Head), "\n") {
		if f.Touched.Has(n+1, n+1) {
			b.WriteString(line + "\n")
		}
	}
	x.added = b.String()
	r.files = append(r.files, x)
}

// rustPackage is what stands before the directory src or tests of a path.
func rustPackage(file string) string {
	parts := strings.Split(file, "/")
	for i, p := range parts[:len(parts)-1] {
		if p == "src" || p == "tests" {
			return strings.Join(parts[:i], "/")
		}
	}
	return strings.Join(parts[:len(parts)-1], "/")
}

// of says what became of a test, by the last parts of its path: a function, or
// one of the cases that a macro makes of it.
func (r *rust) of(unit, name string) schemas.Touch {
	if strings.Contains(name, ".rs - ") { // a doc test
		return schemas.TouchUnchanged
	}
	parts := strings.Split(ordinal.ReplaceAllString(name, ""), "::")
	best := schemas.TouchUnchanged
	for _, f := range r.files {
		if f.pkg != rustPackage(unit) {
			continue
		}
		for i := len(parts) - 1; i >= 0 && i >= len(parts)-2; i-- {
			if t := f.of(parts[i]); t == schemas.TouchNew {
				return t
			} else if t == schemas.TouchChanged {
				best = t
			}
		}
	}
	return best
}

func (f rustFile) of(name string) schemas.Touch {
	found := false
	for _, fn := range f.fns {
		if fn.name != name {
			continue
		}
		found = true
		switch {
		case f.isNew, f.Touched.Has(fn.first, fn.last) && !f.base[name]:
			return schemas.TouchNew
		case f.Touched.Has(fn.first, fn.last):
			return schemas.TouchChanged
		}
	}
	if word := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`); !found && len(name) > 4 && word.MatchString(f.added) {
		if word.Match(f.old) {
			return schemas.TouchChanged
		}
		return schemas.TouchNew
	}
	return schemas.TouchUnchanged
}

// rustFns returns the functions of a file, each from its first attribute to the
// end of its body.
func rustFns(src []byte) []rustFn {
	blank := rustBlank(src)
	lines := strings.Split(string(src), "\n")
	var all []rustFn
	for _, m := range rustFnLine.FindAllSubmatchIndex(blank, -1) {
		first := 1 + bytes.Count(blank[:m[0]], []byte("\n"))
		last := 1 + bytes.Count(blank[:rustEnd(blank, m[1])], []byte("\n"))
		for first > 1 && rustAbove.MatchString(lines[first-2]) {
			first--
		}
		all = append(all, rustFn{string(blank[m[2]:m[3]]), first, last})
	}
	return all
}

// rustEnd is where the body that follows a function's name ends; a declaration
// without one ends at its semicolon.
func rustEnd(blank []byte, at int) int {
	depth, round := 0, 0
	for i := at; i < len(blank); i++ {
		switch blank[i] {
		case '(', '[':
			round++
		case ')', ']':
			round--
		case ';':
			if depth == 0 && round <= 0 {
				return i
			}
		case '{':
			depth++
		case '}':
			if depth--; depth <= 0 {
				return i
			}
		}
	}
	return len(blank)
}

// rustBlank returns the source with blanks in place of comments and of what
// stands in quotes, line by line as it was.
func rustBlank(src []byte) []byte {
	out := bytes.Clone(src)
	wipe := func(from, to int) {
		for i := from; i < min(to, len(out)); i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	for i := 0; i < len(src); {
		end := i
		switch rest := src[i:]; {
		case bytes.HasPrefix(rest, []byte("//")):
			end = i + lineEnd(rest)
		case bytes.HasPrefix(rest, []byte("/*")):
			end = i + commentEnd(rest)
		case rawString.Match(rest[:min(len(rest), 260)]):
			end = i + rawEnd(rest)
		case src[i] == '"':
			end = i + quoteEnd(rest)
		case charLiteral.Match(rest[:min(len(rest), 16)]):
			end = i + len(charLiteral.Find(rest[:min(len(rest), 16)]))
		}
		if end > i {
			wipe(i, end)
			i = end
			continue
		}
		i += wordLength(src[i:])
	}
	return out
}

var (
	rawString   = regexp.MustCompile(`^(?:b|c)?r(#*)"`)
	charLiteral = regexp.MustCompile(`^b?'(?:\\(?:x[0-9a-fA-F]{2}|u\{[0-9a-fA-F_]{1,8}\}|.)|[^'\\\n])'`)
	rustWord    = regexp.MustCompile(`^[A-Za-z_0-9]+`)
)

// wordLength is how far to go on: over a whole word, so that its last letter is
// no mark of a raw string.
func wordLength(rest []byte) int {
	if n := len(rustWord.Find(rest)); n > 0 {
		return n
	}
	return 1
}

func lineEnd(rest []byte) int {
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		return i
	}
	return len(rest)
}

// commentEnd ends a block comment; they nest.
func commentEnd(rest []byte) int {
	depth := 0
	for i := 0; i+1 < len(rest); i++ {
		switch {
		case rest[i] == '/' && rest[i+1] == '*':
			depth, i = depth+1, i+1
		case rest[i] == '*' && rest[i+1] == '/':
			i++
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(rest)
}

func rawEnd(rest []byte) int {
	m := rawString.FindSubmatch(rest)
	end := append([]byte(`"`), m[1]...)
	if i := bytes.Index(rest[len(m[0]):], end); i >= 0 {
		return len(m[0]) + i + len(end)
	}
	return len(rest)
}

func quoteEnd(rest []byte) int {
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(rest)
}
