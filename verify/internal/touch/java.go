package touch

import (
	"regexp"
	"strings"

	"crossswe/schemas"
	"crossswe/verify/internal/testlog"
)

// javaMethod finds the line that declares a method or a function: what stands
// before the name is modifiers and a type, and no statement.
var javaMethod = regexp.MustCompile(`^\s*(?:@[\w.]+(?:\([^)]*\))?\s+)*(?:(?:public|protected|private|internal|static|final|abstract|open|override|synchronized|suspend|default)\s+)*(?:fun\s+(?:<[^>]*>\s*)?(\w+|` + "`[^`]+`" + `)|(?:<[^>]*>\s*)?[\w.<>\[\], ?]+\s+(\w+))\s*\(`)

var javaStatement = regexp.MustCompile(`^\s*(?:return|new|throw|else|assert|case|yield|await)\b`)

// javaFile notes the methods of a JVM test file under the unit of its class.
// There is no parsing: a method runs from its annotations to the line before
// the next one's.
func (x *Index) javaFile(f File) {
	unit := testlog.ClassUnit(f.Touched.Path)
	if unit == f.Touched.Path {
		return
	}
	methods := map[string]schemas.Touch{}
	before := map[string]bool{}
	for _, e := range javaMethods(f.Base) {
		before[e.title] = true
	}
	for _, e := range javaMethods(f.Head) {
		touch := schemas.TouchUnchanged
		switch {
		case f.Touched.New || !before[e.title]:
			touch = schemas.TouchNew
		case f.Touched.Has(e.first, e.last):
			touch = schemas.TouchChanged
		}
		if old, ok := methods[e.title]; !ok || old == schemas.TouchUnchanged {
			methods[e.title] = touch
		}
	}
	x.java[unit] = methods
}

func javaMethods(src []byte) []entry {
	var all []entry
	lines := strings.Split(string(src), "\n")
	above := 0 // the first of the annotations and comments right above
	for n, line := range lines {
		text := strings.TrimSpace(line)
		m := javaMethod.FindStringSubmatch(line)
		switch {
		case m != nil && !javaStatement.MatchString(line):
			first := n + 1
			if above > 0 {
				first = above
			}
			if len(all) > 0 {
				all[len(all)-1].last = first - 1
			}
			all = append(all, entry{title: strings.Trim(m[1]+m[2], "`"), first: first, last: len(lines)})
			above = 0
		case strings.HasPrefix(text, "@"), strings.HasPrefix(text, "/*"), strings.HasPrefix(text, "*"), strings.HasPrefix(text, "//"):
			if above == 0 {
				above = n + 1
			}
		case text != "" && !strings.HasSuffix(text, ",") && !strings.HasSuffix(text, ")"):
			above = 0
		}
	}
	return all
}

// javaTouch looks for the method of a test: the name's last part without its
// parameters.
func javaTouch(methods map[string]schemas.Touch, name string) schemas.Touch {
	parts := strings.Split(name, " > ")
	method := ordinal.ReplaceAllString(parts[len(parts)-1], "")
	if i := strings.IndexAny(method, "([{"); i > 0 {
		method = method[:i]
	}
	if t, ok := methods[method]; ok {
		return t
	}
	return schemas.TouchUnchanged
}
