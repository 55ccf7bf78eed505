// Package touch says what a test patch does to single tests: which of them it
// adds, which it changes, and which merely stand in a file that it touches.
// Only the first two are good evidence, since one file that does not compile
// fails all of its tests.
package touch

import (
	"path"
	"strings"

	"crossswe/internal/patch"
	"crossswe/schemas"
)

// File is one file of the test patch, as it is after the patch and before.
type File struct {
	Touched patch.Touched
	Head    []byte
	Base    []byte // nil for a new file
}

// Index knows the touched tests of one repository.
type Index struct {
	// golang maps a package's directory to its test functions and methods.
	golang map[string]map[string]schemas.Touch
	// titles maps a file to what was found of its titles.
	titles map[string]*titles
	// python maps a file to what was found of its functions.
	python map[string]*python
	native native
	// java maps a class, as test reports name it, to its methods.
	java map[string]map[string]schemas.Touch
	rust rust
}

// NewIndex reads the files of one repository's test patch. Files that are no
// test code of a known language are passed over.
func NewIndex(files []File) *Index {
	x := &Index{golang: map[string]map[string]schemas.Touch{}, titles: map[string]*titles{}, python: map[string]*python{},
		java: map[string]map[string]schemas.Touch{}, native: native{map[string]schemas.Touch{}, map[string]schemas.Touch{}}}
	for _, f := range files {
		switch path.Ext(f.Touched.Path) {
		case ".go":
			x.goFile(f)
		case ".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx":
			x.titles[f.Touched.Path] = readTitles(f)
		case ".py":
			x.python[f.Touched.Path] = readPython(f)
		case ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx":
			x.native.read(f)
		case ".rs":
			x.rust.read(f)
		case ".java", ".kt", ".groovy":
			x.javaFile(f)
		}
	}
	return x
}

// Of returns what the patch does to a test of the repository.
func (x *Index) Of(id schemas.TestID) schemas.Touch {
	if id.IsLoad() {
		return schemas.TouchUnchanged
	}
	unit, name := id.Unit(), id.Name()
	if t := x.titles[unit]; t != nil {
		return t.of(name)
	}
	if p := x.python[unit]; p != nil {
		return p.of(name)
	}
	if methods := x.java[unit]; methods != nil {
		return javaTouch(methods, name)
	}
	if path.Ext(unit) == ".rs" {
		return x.rust.of(unit, name)
	}
	if funcs := x.golang[unit]; funcs != nil {
		return goTouch(funcs, name)
	}
	return x.native.of(unit, name)
}

// goTouch looks at the function of a test and at the suite methods that its
// subtests may be: TestSuite/TestMethod.
func goTouch(funcs map[string]schemas.Touch, name string) schemas.Touch {
	parts := strings.Split(name, "/")
	if t, ok := funcs[parts[0]]; ok && t != schemas.TouchUnchanged {
		return t
	}
	for _, p := range parts[1:] {
		if t, ok := funcs["."+p]; ok && t != schemas.TouchUnchanged {
			return t
		}
	}
	return schemas.TouchUnchanged
}
