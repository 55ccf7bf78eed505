package touch

import (
	"regexp"
	"strings"

	"crossswe/schemas"
)

// native is what the C and C++ files of a patch say about tests, by the names
// that GoogleTest and Catch2 give them. An executable without such macros is
// one test, and is touched when its file is.
type native struct {
	tests map[string]schemas.Touch
	files map[string]schemas.Touch // those without macros
}

var (
	gtestMacro = regexp.MustCompile(`^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P)\s*\(\s*(\w+)\s*,\s*(?:DISABLED_)?(\w+)\s*\)`)
	catchMacro = regexp.MustCompile(`^\s*(?:TEST_CASE|SCENARIO|TEMPLATE_TEST_CASE|TEST_CASE_METHOD|TEST_CASE_FIXTURE)\s*\((?:\s*\w+\s*,)?\s*"((?:[^"\\]|\\.)*)"`)
)

// macro is one test of a file, from its line to the next one's.
type macro struct {
	name        string
	first, last int
}

func macros(src []byte) []macro {
	var all []macro
	n := 0
	for line := range strings.Lines(string(src)) {
		n++
		name := ""
		if m := gtestMacro.FindStringSubmatch(line); m != nil {
			name = m[1] + "." + m[2]
		} else if m := catchMacro.FindStringSubmatch(line); m != nil {
			name = unescape(m[1])
			if strings.HasPrefix(strings.TrimSpace(line), "SCENARIO") {
				name = "Scenario: " + name
			}
		}
		switch {
		case name != "":
			all = append(all, macro{name, n, n})
		case len(all) > 0 && all[len(all)-1].last == n-1 && line[0] != '}':
			all[len(all)-1].last = n
		case len(all) > 0 && all[len(all)-1].last == n-1:
			// What stands between this brace and the next test is no test's.
			all[len(all)-1].last = n
			all = append(all, macro{"", n + 1, n})
		}
	}
	return all
}

// read notes the tests of a file.
func (x *native) read(f File) {
	was := map[string]bool{}
	for _, m := range macros(f.Base) {
		was[m.name] = true
	}
	tests := macros(f.Head)
	for _, m := range tests {
		switch {
		case m.name == "":
		case f.Touched.New, f.Touched.Has(m.first, m.last) && !was[m.name]:
			x.tests[m.name] = schemas.TouchNew
		case f.Touched.Has(m.first, m.last):
			x.tests[m.name] = schemas.TouchChanged
		}
	}
	switch {
	case len(tests) > 0:
	case f.Touched.New:
		x.files[f.Touched.Path] = schemas.TouchNew
	default:
		x.files[f.Touched.Path] = schemas.TouchChanged
	}
}

// of returns what the patch does to a test of CTest. One with a parameter is
// Instance/Suite.Name/parameter, one with a type Suite.Name<type>.
func (x *native) of(unit, name string) schemas.Touch {
	if t, ok := x.tests[name]; ok {
		return t
	}
	plain, _, _ := strings.Cut(name, "<")
	for _, part := range strings.Split(plain, "/") {
		if t, ok := x.tests[part]; ok {
			return t
		}
	}
	if t, ok := x.files[unit]; ok {
		return t
	}
	return schemas.TouchUnchanged
}
