// Package blame says why a unit did not load: which repository its compiler's
// or loader's complaint is about. A mask is evidence for a repository only
// when its failure is one that the repository's absence explains, so the
// difference between "the sibling lacks this name" and "no version was found"
// decides verdicts. Everything here is text in, one kind out.
package blame

import (
	"path"
	"regexp"
	"strings"

	"crossswe/schemas"
)

// World is what a unit can see.
type World struct {
	// Root is the absolute directory of the unit's repository, and Dir that in
	// which the command ran: relative positions start there.
	Root, Dir string
	// Patched says that the repository's own gold patch is applied: what its
	// own types lack then comes from a sibling's type within them.
	Patched bool
	// Module is the path of the unit's own Go module, "" for other languages.
	Module   string
	Siblings []Sibling
	// Packages are the repository's own packages, of JVM languages.
	Packages []string
	// Source returns the text of a file by its absolute path, nil when it is
	// not at hand. It may be nil itself.
	Source func(file string) []byte
}

// Sibling is another repository of the set.
type Sibling struct {
	Dir   string   // absolute directory of its checkout
	Names []string // its packages as consumers name them: module paths, npm names
	// Packages are those of its sources, of JVM languages.
	Packages []string
}

// Load classifies the text about a unit that did not load. It returns the kind
// and the line that decided; both are empty when the text tells nothing.
func Load(runner schemas.Runner, text []byte, w World) (schemas.Failure, string) {
	read, ok := readers[runner]
	if !ok {
		read = jsFindings
	}
	return worst(read(text, w))
}

// readers read what the tools of a runner's language say; JavaScript's are
// those of every other runner.
var readers = map[schemas.Runner]func([]byte, World) []finding{
	schemas.RunnerGo:       goFindings,
	schemas.RunnerCTest:    nativeFindings,
	schemas.RunnerPytest:   pyFindings,
	schemas.RunnerCargo:    rustFindings,
	schemas.RunnerSurefire: javaFindings,
}

// finding is one complaint.
type finding struct {
	failure schemas.Failure
	line    string
}

// weight orders the kinds: a complaint that names the sibling is evidence
// whatever else is wrong; next come those that are never evidence.
var weight = map[schemas.Failure]int{
	schemas.FailureCompileSibling: 4,
	schemas.FailureThirdParty:     3,
	schemas.FailureResolution:     2,
	schemas.FailureCompileOwn:     1,
}

func worst(all []finding) (schemas.Failure, string) {
	var best finding
	for _, f := range all {
		if weight[f.failure] > weight[best.failure] {
			best = f
		}
	}
	return best.failure, best.line
}

func (w World) source(file string) []byte {
	if w.Source == nil {
		return nil
	}
	return w.Source(file)
}

// owner says whose code a file is.
func (w World) owner(file string) schemas.Failure {
	if !path.IsAbs(file) {
		file = path.Join(w.Dir, file)
	}
	if pkg := installed(file); pkg != "" {
		return w.named(pkg)
	}
	for _, s := range w.Siblings {
		if inside(s.Dir, file) {
			return schemas.FailureCompileSibling
		}
	}
	if inside(w.Root, file) {
		return schemas.FailureCompileOwn
	}
	return schemas.FailureThirdParty
}

// named says whose package a name is: a sibling's or a third party's.
func (w World) named(pkg string) schemas.Failure {
	if w.sibling(pkg) {
		return schemas.FailureCompileSibling
	}
	if w.Module != "" && within(w.Module, pkg) {
		return schemas.FailureCompileOwn
	}
	return schemas.FailureThirdParty
}

// sibling reports whether a package belongs to a sibling.
func (w World) sibling(pkg string) bool {
	for _, s := range w.Siblings {
		for _, n := range s.Names {
			if within(unversioned(n), pkg) {
				return true
			}
		}
	}
	return false
}

// within reports whether pkg is the package name, or one below it.
func within(name, pkg string) bool {
	return pkg == name || strings.HasPrefix(pkg, name+"/")
}

var majorSuffix = regexp.MustCompile(`^v[0-9]+$`)

// unversioned drops a Go module's major version, since a sibling's fix may
// raise it.
func unversioned(name string) string {
	if strings.Contains(name, ".") && majorSuffix.MatchString(path.Base(name)) {
		return path.Dir(name)
	}
	return name
}

func inside(dir, file string) bool { return dir != "" && strings.HasPrefix(file, dir+"/") }

// installed returns the package whose installed copy a file belongs to: the
// last node_modules, or Go's module cache. It is "" for checked-out code.
func installed(file string) string {
	if i := strings.LastIndex(file, "/node_modules/"); i >= 0 {
		return npmName(file[i+len("/node_modules/"):])
	}
	if _, rest, ok := strings.Cut(file, "/pkg/mod/"); ok {
		name, _, _ := strings.Cut(rest, "@")
		return name
	}
	return ""
}

// npmName returns the package of a module specifier: "@a/b/c" is "@a/b".
func npmName(spec string) string {
	parts := strings.SplitN(spec, "/", 3)
	if strings.HasPrefix(spec, "@") && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}
