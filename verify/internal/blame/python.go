package blame

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"crossswe/schemas"
)

var (
	pyFrame     = regexp.MustCompile(`^(\S+\.py):\d+: (?:in .+|\w+)$`)
	pyFile      = regexp.MustCompile(`^(?:E\s+)?\s*File "([^"]+)", line \d+`)
	pyRaised    = regexp.MustCompile(`^(?:E\s+)?([A-Za-z_][\w.]*(?:Error|Exception|Warning|NotFound|Conflict|Failed|Exit|Interrupt)): ?(.*)$`)
	pyNoName    = regexp.MustCompile(`cannot import name '[^']*' from (?:partially initialized module )?'([\w.]+)'(?: \(([^)]*)\))?`)
	pyNoModule  = regexp.MustCompile(`No module named '?([\w.]+)'?`)
	pyNoAttr    = regexp.MustCompile(`(?:partially initialized )?module '([\w.]+)' (?:\(.*\) )?has no attribute`)
	pyImport    = regexp.MustCompile(`(?m)^\s*(?:from\s+([\w.]+)\s+import\b|import\s+([\w.]+(?:\s*(?:as\s+\w+)?\s*,\s*[\w.]+)*))`)
	pyResolving = regexp.MustCompile(`DistributionNotFound|VersionConflict|PackageNotFoundError|No matching distribution`)
)

// pyFindings reads what Python and pytest say of a file that did not load. Of a
// chain of errors the last of each counts: it is the one that nobody caught.
func pyFindings(text []byte, w World) []finding {
	p := &pyReader{world: w}
	for line := range strings.Lines(string(text)) {
		p.line(strings.TrimRight(line, "\r\n"))
	}
	p.flush()
	return p.all
}

// pyReader goes over the lines: frames, outermost first, then what was raised.
type pyReader struct {
	world  World
	all    []finding
	file   string // of the innermost frame so far that is no machinery
	raised string
}

func (p *pyReader) line(s string) {
	if m := pyFrame.FindStringSubmatch(s); m != nil {
		p.frame(m[1])
		return
	}
	if m := pyFile.FindStringSubmatch(s); m != nil {
		p.frame(m[1])
		return
	}
	if m := pyRaised.FindStringSubmatch(s); m != nil {
		p.raised = strings.TrimSpace(strings.TrimPrefix(s, "E"))
	}
}

// pyMachinery are the files between a test runner and the file that it loads.
var pyMachinery = regexp.MustCompile(`/(?:_pytest|pluggy|importlib)/|<frozen `)

// frame begins another traceback when an error stands before it.
func (p *pyReader) frame(file string) {
	if p.raised != "" {
		p.raised, p.file = "", ""
	}
	if owner := p.world.owner(file); !pyMachinery.MatchString(file) || owner != schemas.FailureThirdParty && path.IsAbs(file) {
		p.file = file
	}
}

func (p *pyReader) flush() {
	if p.raised == "" {
		return
	}
	p.all = append(p.all, finding{p.place(), p.raised})
}

// place says whose the error is: that of the module that lacks something, else
// that of the file that raised it.
func (p *pyReader) place() schemas.Failure {
	w := p.world
	if pyResolving.MatchString(p.raised) {
		return schemas.FailureResolution
	}
	if m := pyNoName.FindStringSubmatch(p.raised); m != nil {
		if path.IsAbs(m[2]) {
			return w.pyOwner(m[2])
		}
		return w.pyModule(m[1])
	}
	for _, form := range []*regexp.Regexp{pyNoModule, pyNoAttr} {
		if m := form.FindStringSubmatch(p.raised); m != nil {
			return w.pyModule(m[1])
		}
	}
	f := w.pyOwner(p.file)
	if f == schemas.FailureCompileOwn && w.pyUses(p.file) && !strings.HasPrefix(p.raised, "SyntaxError") && !strings.HasPrefix(p.raised, "NameError") {
		return schemas.FailureCompileSibling
	}
	return f
}

// pyOwner is owner for a file of a traceback; without one it is the unit's own.
func (w World) pyOwner(file string) schemas.Failure {
	if file == "" {
		return schemas.FailureCompileOwn
	}
	return w.owner(file)
}

var pyRun = regexp.MustCompile(`[-_.]+`)

// pyModule says whose a module is: by the checkout that holds it, else by the
// names of the siblings' distributions.
func (w World) pyModule(module string) schemas.Failure {
	top, _, _ := strings.Cut(module, ".")
	for _, s := range w.Siblings {
		if slices.Contains(s.Names, pyRun.ReplaceAllString(strings.ToLower(top), "-")) {
			return schemas.FailureCompileSibling
		}
	}
	for _, s := range w.Siblings {
		if w.pyHolds(s.Dir, top) {
			return schemas.FailureCompileSibling
		}
	}
	if w.pyHolds(w.Root, top) || w.pyHolds(w.Dir, top) {
		return schemas.FailureCompileOwn
	}
	return schemas.FailureThirdParty
}

// pyHolds reports whether a checkout brings a module.
func (w World) pyHolds(dir, top string) bool {
	if dir == "" {
		return false
	}
	for _, root := range []string{"", "src", "lib"} {
		for _, file := range []string{path.Join(dir, root, top, "__init__.py"), path.Join(dir, root, top+".py")} {
			if w.source(file) != nil {
				return true
			}
		}
	}
	return false
}

// pyUses reports whether a file imports a sibling.
func (w World) pyUses(file string) bool {
	if !path.IsAbs(file) {
		file = path.Join(w.Root, file)
	}
	for _, m := range pyImport.FindAllSubmatch(w.source(file), -1) {
		for _, name := range strings.Split(string(m[1])+string(m[2]), ",") {
			name, _, _ = strings.Cut(strings.TrimSpace(name), " ")
			if name != "" && name[0] != '.' && w.pyModule(name) == schemas.FailureCompileSibling {
				return true
			}
		}
	}
	return false
}
