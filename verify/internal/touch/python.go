package touch

import (
	"regexp"
	"strings"

	"crossswe/schemas"
)

var (
	pyDef       = regexp.MustCompile(`^(\s*)(?:async\s+)?(def|class)\s+(\w+)`)
	pyDecorator = regexp.MustCompile(`^\s*@`)
)

// python is what a file of Python says about its tests: functions and classes
// with the lines that they stand on, decorators included.
type python struct {
	file    File
	entries []pyEntry
	base    map[string]bool // names that stood there before, with their classes
}

type pyEntry struct {
	name        string // Class.Inner.function
	class       bool
	indent      int
	first, last int
}

func readPython(f File) *python {
	p := &python{file: f, entries: pyEntries(f.Head), base: map[string]bool{}}
	for _, e := range pyEntries(f.Base) {
		p.base[e.name] = true
	}
	return p
}

// pyEntries finds definitions by their indentation. What stands in a string of
// several lines may be taken for one; no test has its name.
func pyEntries(src []byte) []pyEntry {
	var all []pyEntry
	var open []int // of entries that have not ended
	decorated := 0
	lines := strings.Split(string(src), "\n")
	filled := 0 // the last line with text
	for n, line := range lines {
		text := strings.TrimSpace(line)
		if text == "" || text[0] == '#' {
			continue
		}
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		for len(open) > 0 && indent <= all[open[len(open)-1]].indent && !strings.ContainsAny(text[:1], ")]}") {
			all[open[len(open)-1]].last = filled
			open = open[:len(open)-1]
		}
		filled = n + 1
		if pyDecorator.MatchString(line) {
			if decorated == 0 {
				decorated = n + 1
			}
			continue
		}
		if m := pyDef.FindStringSubmatch(line); m != nil {
			name := m[3]
			if len(open) > 0 {
				name = all[open[len(open)-1]].name + "." + name
			}
			e := pyEntry{name: name, class: m[2] == "class", indent: indent, first: n + 1}
			if decorated > 0 {
				e.first = decorated
			}
			open = append(open, len(all))
			all = append(all, e)
			decorated = 0
			continue
		}
		if decorated > 0 && len(open) > 0 && indent <= all[open[len(open)-1]].indent {
			decorated = 0
		}
	}
	for _, i := range open {
		all[i].last = filled
	}
	return all
}

// of says what became of a test by its names: classes and a function with
// parameters. Parameters stand in the decorator, which belongs to the function.
// A function that no class of that name has is inherited from another one.
func (p *python) of(name string) schemas.Touch {
	if p.file.Touched.New {
		return schemas.TouchNew
	}
	name, _, _ = strings.Cut(name, "[")
	name = strings.ReplaceAll(name, " > ", ".")
	inherited := !p.defines(name)
	touch := schemas.TouchUnchanged
	for _, e := range p.entries {
		if e.class || e.name != name && !(inherited && lastPart(e.name) == lastPart(name)) {
			continue
		}
		switch {
		case !p.file.Touched.Has(e.first, e.last):
		case !p.base[e.name]:
			return schemas.TouchNew
		default:
			touch = schemas.TouchChanged
		}
	}
	return touch
}

func lastPart(name string) string { return name[strings.LastIndex(name, ".")+1:] }

func (p *python) defines(name string) bool {
	for _, e := range p.entries {
		if e.name == name {
			return true
		}
	}
	return false
}
