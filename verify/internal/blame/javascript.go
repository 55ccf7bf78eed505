package blame

import (
	"path"
	"regexp"
	"strings"

	"crossswe/schemas"
)

var (
	jsNoModule   = regexp.MustCompile(`Cannot find (?:module|package) '([^'\n]+)'(?: (?:imported from|from) '?([^'\s]+)'?)?`)
	jsNoExport   = regexp.MustCompile(`The requested module '([^'\n]+)' does not provide an export named`)
	jsNotCommon  = regexp.MustCompile(`Named export '[^'\n]+' not found\. The requested module '([^'\n]+)'`)
	jsNoSubpath  = regexp.MustCompile(`(?:Package subpath '[^'\n]+' is not defined by "exports"|No "exports" main defined) in (\S+?)(?: imported from \S+)?$`)
	jsRequire    = regexp.MustCompile(`^- (/\S+)$`)
	jsFrame      = regexp.MustCompile(`^\s*at (?:.*\()?(?:file://)?(/[^():]+):\d+(?::\d+)?\)?$`)
	jsHead       = regexp.MustCompile(`^(?:file://)?(/\S+?):\d+$`)
	jsThrown     = regexp.MustCompile(`^\s*(?:Exception during run: |Uncaught )?(?:\w*Error|Error \[\w+\]|\w+Error \[\w+\])(?: \[\w+\])?: \S`)
	jsTypes      = regexp.MustCompile(`^\s*(\S+\.[cm]?tsx?)(?:\(\d+,\d+\)|:\d+:\d+)\s*[:-]+ error TS(\d+): (.*)$`)
	jsTypeModule = regexp.MustCompile(`[Mm]odule '"?([^'"\n]+)"?'`)
	jsInstall    = regexp.MustCompile(`npm (?:ERR!|error) (?:code )?(?:ERESOLVE|ENOTCACHED|ETARGET|E404|ENOTFOUND)`)
	jsImport     = regexp.MustCompile(`(?:\bfrom\s*|\brequire\s*\(\s*|\bimport\s*\(?\s*)['"]([^'"\n]+)['"]`)
	jsJestFrame  = regexp.MustCompile(`^\s*at .*\((\S+\.[cm]?[jt]sx?):\d+:\d+\)$`)
)

// jsFindings reads what node, TypeScript, npm, mocha and jest say.
func jsFindings(text []byte, w World) []finding {
	j := &jsReader{world: w}
	for line := range strings.Lines(string(text)) {
		j.line(strings.TrimRight(line, "\r\n"))
	}
	j.flush()
	return j.all
}

// jsReader goes over the lines. A complaint about a module that is named by a
// relative path can only be placed by lines around it.
type jsReader struct {
	world   World
	all     []finding
	head    string // the file that node printed above the error
	pending string // an error whose place is not known yet
	rel     string // the relative module it is about, "" for a thrown error
}

func (j *jsReader) line(s string) {
	if m := jsHead.FindStringSubmatch(s); m != nil {
		j.head = m[1]
		return
	}
	if j.pending != "" && j.placed(s) {
		return
	}
	switch {
	case jsInstall.MatchString(s):
		j.add(schemas.FailureResolution, s)
	case jsTypes.MatchString(s):
		j.types(s)
	case jsNoSubpath.MatchString(s):
		j.add(j.world.owner(path.Clean(jsNoSubpath.FindStringSubmatch(s)[1])), s)
	case jsNoModule.MatchString(s):
		m := jsNoModule.FindStringSubmatch(s)
		j.module(m[1], m[2], s)
	case jsNoExport.MatchString(s):
		j.module(jsNoExport.FindStringSubmatch(s)[1], j.head, s)
	case jsNotCommon.MatchString(s):
		j.module(jsNotCommon.FindStringSubmatch(s)[1], j.head, s)
	case jsThrown.MatchString(s) && j.pending == "":
		j.pending, j.rel = s, ""
	}
}

func (j *jsReader) add(f schemas.Failure, line string) {
	j.all = append(j.all, finding{f, strings.TrimSpace(line)})
	j.pending = ""
}

// module places a module that is missing or lacks an export, asked for by the
// file from.
func (j *jsReader) module(spec, from, line string) {
	switch {
	case path.IsAbs(spec):
		j.add(j.world.owner(spec), line)
	case !strings.HasPrefix(spec, "."):
		j.add(j.world.named(npmName(spec)), line)
	case from != "":
		if !path.IsAbs(from) {
			from = path.Join(j.world.Root, from)
		}
		j.add(j.world.owner(path.Join(path.Dir(from), spec)), line)
	default:
		j.pending, j.rel = line, spec
	}
}

// placed places the pending complaint by a require stack or a stack frame.
func (j *jsReader) placed(s string) bool {
	if m := jsRequire.FindStringSubmatch(s); m != nil && j.rel != "" {
		j.module(j.rel, m[1], j.pending)
		return true
	}
	file := ""
	if m := jsFrame.FindStringSubmatch(s); m != nil {
		file = m[1]
	} else if m := jsJestFrame.FindStringSubmatch(s); m != nil {
		file = path.Join(j.world.Root, m[1])
	}
	if file == "" || strings.Contains(file, "/node_modules/mocha/") || strings.Contains(file, "/node_modules/jest") {
		return false
	}
	j.thrown(file)
	return true
}

// thrown is an error that a file threw while it loaded: about the sibling when
// the file is the sibling's or uses it.
func (j *jsReader) thrown(file string) {
	f := j.world.owner(file)
	if f == schemas.FailureCompileOwn && j.world.jsUses(file) {
		f = schemas.FailureCompileSibling
	}
	j.add(f, j.pending)
}

// types is a complaint of the TypeScript compiler.
func (j *jsReader) types(s string) {
	m := jsTypes.FindStringSubmatch(s)
	file, message := m[1], m[3]
	if n := jsTypeModule.FindStringSubmatch(message); n != nil {
		j.module(n[1], file, s)
		return
	}
	f := j.world.owner(file)
	if abs := path.Join(j.world.Dir, file); f == schemas.FailureCompileOwn && !strings.HasPrefix(message, "Cannot find name") && j.world.jsUses(abs) {
		f = schemas.FailureCompileSibling
	}
	j.add(f, s)
}

// flush takes a complaint that nothing placed for the repository's own.
func (j *jsReader) flush() {
	if j.pending != "" {
		j.add(schemas.FailureCompileOwn, j.pending)
	}
}

// jsUses reports whether a file imports a sibling.
func (w World) jsUses(file string) bool {
	for _, m := range jsImport.FindAllSubmatch(w.source(file), -1) {
		if spec := string(m[1]); !strings.HasPrefix(spec, ".") && w.sibling(npmName(spec)) {
			return true
		}
	}
	return false
}
