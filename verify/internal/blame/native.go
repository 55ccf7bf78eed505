package blame

import (
	"path"
	"regexp"
	"strings"

	"crossswe/schemas"
)

var (
	nativeError     = regexp.MustCompile(`^(\S+?):(\d+)(?::\d+)?: (?:fatal )?error: (.*)$`)
	nativeNoHeader  = regexp.MustCompile(`^'?([^'\s]+)'?(?: file not found|: No such file or directory)`)
	nativeUndefined = regexp.MustCompile("undefined (?:reference to|symbol:?) [`'‘\"]?([^'’\"]+)")
	nativeNoLibrary = regexp.MustCompile(`cannot find (?:-l)?(\S+?)(?:: No such file or directory)?$`)
	nativeInclude   = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]`)
	nativeQuoted    = regexp.MustCompile("[‘'`]([^’'`]+)[’']")
	cmakeNoPackage  = regexp.MustCompile(`(?:Could not find a (?:package configuration file provided by|configuration file for package)|By not providing "Find) ?"?(\w[\w.+-]*)`)
	cmakeError      = regexp.MustCompile(`^CMake Error(?: at (\S+?):\d+)?`)
	cmakeNoTarget   = regexp.MustCompile(`^\s+([\w.+-]+)::[\w.+:-]+$`)
)

// nativeFindings reads what compilers, linkers and CMake say.
func nativeFindings(text []byte, w World) []finding {
	n := &nativeReader{world: w}
	for line := range strings.Lines(string(text)) {
		n.line(strings.TrimRight(line, "\r\n"))
	}
	if n.cmake != "" {
		n.add(schemas.FailureCompileOwn, n.cmake)
	}
	return n.all
}

// nativeReader goes over the lines.
type nativeReader struct {
	world World
	all   []finding
	cmake string // an error of CMake whose subject is not known yet
}

func (n *nativeReader) add(f schemas.Failure, line string) {
	n.all = append(n.all, finding{f, strings.TrimSpace(line)})
}

func (n *nativeReader) line(s string) {
	switch m := nativeError.FindStringSubmatch(s); {
	case m != nil:
		n.compile(m[1], m[3], s)
	case cmakeError.MatchString(s):
		n.cmake = s
	case cmakeNoPackage.MatchString(s):
		n.add(schemas.FailureResolution, s)
		n.cmake = ""
	case n.cmake != "" && cmakeNoTarget.MatchString(s):
		n.add(n.lacks(cmakeNoTarget.FindStringSubmatch(s)[1], ""), n.cmake+": "+strings.TrimSpace(s))
		n.cmake = ""
	case nativeUndefined.MatchString(s):
		n.add(n.lacks(nativeUndefined.FindStringSubmatch(s)[1], ""), s)
	case strings.Contains(s, "/ld: ") && nativeNoLibrary.MatchString(s):
		n.add(n.lacks(nativeNoLibrary.FindStringSubmatch(s)[1], ""), s)
	}
}

// compile is a complaint about a line of a file.
func (n *nativeReader) compile(file, message, line string) {
	if !path.IsAbs(file) {
		file = path.Join(n.world.Dir, file)
	}
	f := n.world.owner(file)
	if f == schemas.FailureThirdParty && n.world.built(file) {
		f = schemas.FailureCompileSibling
	}
	if f != schemas.FailureCompileOwn {
		n.add(f, line)
		return
	}
	if m := nativeNoHeader.FindStringSubmatch(message); m != nil {
		n.add(n.header(m[1]), line)
		return
	}
	f = schemas.FailureCompileOwn
	for _, m := range nativeQuoted.FindAllStringSubmatch(message, -1) {
		if n.lacks(m[1], file) == schemas.FailureCompileSibling {
			f = schemas.FailureCompileSibling
		}
	}
	n.add(f, line)
}

// header is one that is not there: the sibling's when its path says so, else a
// third party's or the repository's own.
func (n *nativeReader) header(name string) schemas.Failure {
	switch {
	case n.world.siblingSpells(name):
		return schemas.FailureCompileSibling
	case n.world.Patched:
		return schemas.FailureThirdParty
	}
	return schemas.FailureCompileOwn
}

// lacks says who lacks a name. It is the sibling when the name is qualified
// with the sibling's, or when the repository's own patch is applied and the
// file, if one is known, uses the sibling: what is missing then is not its own.
func (n *nativeReader) lacks(name, file string) schemas.Failure {
	qualifier, _, qualified := strings.Cut(name, "::")
	if n.world.siblingSpells(name) && (!qualified || n.world.siblingSpells(qualifier)) {
		return schemas.FailureCompileSibling
	}
	if n.world.Patched && len(n.world.Siblings) > 0 && (file == "" || n.world.nativeUses(file)) {
		return schemas.FailureCompileSibling
	}
	return schemas.FailureCompileOwn
}

// built reports whether a file was installed from a sibling's checkout: below
// <sibling>/prefix outside the checkouts.
func (w World) built(file string) bool {
	for _, s := range w.Siblings {
		if strings.Contains(file, "/"+path.Base(s.Dir)+"/prefix/") {
			return true
		}
	}
	return false
}

// siblingSpells reports whether the first word of a name or path is a
// sibling's name: shapes::area, shapes/area.h, shapes_area, libshapes.
func (w World) siblingSpells(name string) bool {
	first := strings.ToLower(strings.TrimPrefix(name, "lib"))
	for _, s := range w.Siblings {
		for _, own := range append([]string{path.Base(s.Dir)}, s.Names...) {
			own = strings.ToLower(strings.TrimPrefix(own, "lib"))
			if rest, ok := strings.CutPrefix(first, own); ok && own != "" && (rest == "" || !letter(rest[0])) {
				return true
			}
		}
	}
	return false
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

// headerDirs are where a repository keeps the headers that others include.
var headerDirs = []string{"include", "", "src"}

// nativeUses reports whether a file includes a sibling's header.
func (w World) nativeUses(file string) bool {
	for _, m := range nativeInclude.FindAllSubmatch(w.source(file), -1) {
		name := string(m[1])
		if w.siblingSpells(name) {
			return true
		}
		for _, s := range w.Siblings {
			for _, dir := range headerDirs {
				if strings.Contains(name, "/") && w.source(path.Join(s.Dir, dir, name)) != nil {
					return true
				}
			}
		}
	}
	return false
}
