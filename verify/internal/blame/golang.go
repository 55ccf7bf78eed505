package blame

import (
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"

	"crossswe/schemas"
)

var (
	goPosition  = regexp.MustCompile(`^(\S+\.go):(\d+)(?::\d+)?: (.*)$`)
	goQualified = regexp.MustCompile(`(?:^|[^\w."/])([A-Za-z_]\w*)\.[A-Za-z_]\w*`)
	goQuoted    = regexp.MustCompile(`"([^"\s]+)"\.[A-Za-z_]`)
	// goMissing are complaints about a package that cannot be had; the group
	// is its path.
	goMissing  = regexp.MustCompile(`(?:no required module provides package|cannot find module providing package|missing go\.sum entry for module providing package|does not contain package|cannot find package|package) "?([\w.~\-]+(?:/[\w.~\-]+)*)"?(?:;|:| is not in | to add| \(imported|$)|could not import (\S+) \(`)
	goInternal = regexp.MustCompile(`use of internal package (\S+) not allowed`)
	// goLocal are complaints about a member of a type of the file's own package.
	goLocal = regexp.MustCompile(`\(type \*?[A-Za-z_]\w* has no field or method|unknown field \w+ in struct literal of type \*?[A-Za-z_]\w*(?:\n|$)`)
	// goResolution are the go command's complaints about versions.
	goResolution = regexp.MustCompile(`missing go\.sum entry|module lookup disabled by GOPROXY=off|updates to go\.(?:mod|work|sum) needed|` +
		`unknown revision|reading \S+/go\.mod at revision|requires go >= |toolchain not available|cannot load module|inconsistent vendoring|` +
		`conflicting replacements|verifying module|checksum mismatch|invalid version|cannot find module|no required module provides|errors parsing go\.(?:mod|work)`)
)

// goFindings reads what the go command and the compiler say.
func goFindings(text []byte, w World) []finding {
	var all []finding
	for _, e := range goErrors(string(text)) {
		if f := w.goError(e); f != "" {
			all = append(all, finding{f, firstLine(e.file, e.message)})
		}
	}
	return all
}

// goError is one complaint with its continuation lines.
type goError struct{ file, message string }

// goErrors splits the text. Complaints without a position have no file.
func goErrors(text string) []goError {
	var all []goError
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch m := goPosition.FindStringSubmatch(strings.TrimPrefix(line, "\t")); {
		case m != nil:
			all = append(all, goError{m[1], m[3]})
		case strings.HasPrefix(line, "\t") && len(all) > 0:
			all[len(all)-1].message += "\n" + line
		case strings.HasPrefix(line, "go: "), goResolution.MatchString(line):
			all = append(all, goError{"", line})
		}
	}
	return all
}

func (w World) goError(e goError) schemas.Failure {
	for _, re := range []*regexp.Regexp{goMissing, goInternal} {
		if m := re.FindStringSubmatch(e.message); m != nil {
			return w.goAbsent(m[1:])
		}
	}
	if goResolution.MatchString(e.message) {
		return schemas.FailureResolution
	}
	if e.file == "" || e.message == "too many errors" {
		return ""
	}
	if o := w.owner(e.file); o != schemas.FailureCompileOwn {
		return o
	}
	return w.goOwnFile(e)
}

// goAbsent is a package that is not there: the sibling has it at head only, or
// nobody resolved it.
func (w World) goAbsent(groups []string) schemas.Failure {
	for _, pkg := range groups {
		if pkg == "" {
			continue
		}
		if f := w.named(pkg); f != schemas.FailureThirdParty {
			return f
		}
	}
	return schemas.FailureResolution
}

// goOwnFile is a complaint about the repository's own file: it is about the
// sibling when it names it, or when a value of its kind can only be the
// sibling's because the file uses it.
func (w World) goOwnFile(e goError) schemas.Failure {
	for _, m := range goQuoted.FindAllStringSubmatch(e.message, -1) {
		if w.sibling(m[1]) {
			return schemas.FailureCompileSibling
		}
	}
	imports := w.goImports(e.file)
	third := false
	for _, m := range goQualified.FindAllStringSubmatch(e.message, -1) {
		switch pkg := imports[m[1]]; {
		case pkg == "":
		case w.sibling(pkg):
			return schemas.FailureCompileSibling
		default:
			third = third || (isModulePath(pkg) && w.named(pkg) == schemas.FailureThirdParty)
		}
	}
	if third && strings.HasPrefix(e.message, "undefined: ") {
		return schemas.FailureThirdParty
	}
	own := strings.HasPrefix(e.message, "undefined: ") || (!w.Patched && goLocal.MatchString(e.message))
	if !own && w.uses(imports) {
		return schemas.FailureCompileSibling
	}
	if third && w.Patched {
		return schemas.FailureThirdParty
	}
	return schemas.FailureCompileOwn // an unpatched product beside patched tests
}

// uses reports whether one of the imports is a sibling's.
func (w World) uses(imports map[string]string) bool {
	for _, pkg := range imports {
		if w.sibling(pkg) {
			return true
		}
	}
	return false
}

// goImports maps the names under which a file knows packages to their paths.
// Without the file, only the siblings' likely names are known.
func (w World) goImports(file string) map[string]string {
	names := map[string]string{}
	if !path.IsAbs(file) {
		file = path.Join(w.Dir, file)
	}
	src := w.source(file)
	if src == nil {
		for _, s := range w.Siblings {
			for _, n := range s.Names {
				names[packageName(n)] = n
			}
		}
		return names
	}
	f, _ := parser.ParseFile(token.NewFileSet(), file, src, parser.ImportsOnly)
	if f == nil {
		return names
	}
	for _, i := range f.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			continue
		}
		name := packageName(p)
		if i.Name != nil {
			name = i.Name.Name
		}
		names[name] = p
	}
	return names
}

// packageName guesses a package's name from its path.
func packageName(p string) string {
	base := path.Base(p)
	if majorSuffix.MatchString(base) && path.Dir(p) != "." {
		base = path.Base(path.Dir(p))
	}
	base = strings.TrimPrefix(base, "go-")
	base, _, _ = strings.Cut(base, ".")
	return strings.ReplaceAll(base, "-", "")
}

// isModulePath tells a path outside the standard library.
func isModulePath(p string) bool {
	head, _, _ := strings.Cut(p, "/")
	return strings.Contains(head, ".")
}

func firstLine(file, message string) string {
	line, _, _ := strings.Cut(message, "\n")
	if file == "" {
		return line
	}
	return file + ": " + line
}
