// Package classify says what a path of a repository is for: source, test,
// documentation, configuration, and so on, by the customs of each language.
// It looks at whole path components and at file names, never at substrings:
// "latest", "attestation" and "contest" are no tests.
package classify

import (
	"bytes"
	"path"
	"strings"

	"github.com/go-enry/go-enry/v2"

	"crossswe/schemas"
)

// File returns the class of a path. Content is the file's beginning (a few
// KiB suffice) or nil when it is not at hand; it only serves to find the marks
// of generated files and Rust's test modules. A path that ends with a slash is
// that of a directory or submodule.
//
// The outermost directory that says "vendored" or "test" decides: a manifest
// below tests is a fixture, a test below vendor is vendored. After that the
// name decides: lock, manifest, test, config, generated, doc. All else is
// source, and so are example programs, benchmarks and test-support packages
// that could be imported. A Go file is a test by its name or below testdata only.
func File(p string, content []byte) schemas.FileClass {
	f := newFile(p)
	if class, ok := f.classByDirectory(); ok {
		return class
	}
	switch {
	case isLock(f):
		return schemas.ClassLock
	case isManifest(f):
		return schemas.ClassManifest
	case isTestName(f, content):
		return schemas.ClassTest
	case isConfig(f):
		return schemas.ClassConfig
	case isGenerated(f, content):
		return schemas.ClassGenerated
	case isDoc(f):
		return schemas.ClassDoc
	}
	return schemas.ClassSource
}

// Language returns the language of a path as Linguist names it ("Go",
// "JavaScript", "C++"), or "" when it has none. Content settles extensions
// that several languages share; without it (nil) the usual one is taken.
func Language(p string, content []byte) string {
	name := path.Base(p)
	if content != nil {
		return enry.GetLanguage(name, content)
	}
	if lang, ok := usual[strings.ToLower(path.Ext(name))]; ok {
		return lang
	}
	lang, _ := enry.GetLanguageByFilename(name)
	if lang == "" {
		lang, _ = enry.GetLanguageByExtension(name)
	}
	return lang
}

// usual are the languages of extensions that Linguist knows several for.
var usual = map[string]string{
	".c": "C", ".cs": "C#", ".h": "C", ".hh": "C++", ".inc": "PHP", ".m": "Objective-C", ".md": "Markdown", ".php": "PHP",
	".pl": "Perl", ".rs": "Rust", ".sc": "Scala", ".sql": "SQL", ".t": "Perl", ".ts": "TypeScript", ".tsx": "TSX", ".yml": "YAML",
}

// isProgram reports whether a path is of a programming language.
func isProgram(p string) bool {
	return enry.GetLanguageType(Language(p, nil)) == enry.Programming
}

// IsBinary reports whether content is binary by git's rule: a NUL byte in the
// first 8,000 bytes.
func IsBinary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), 8000)], 0) >= 0
}

// file is a path taken apart once.
type file struct {
	path string
	dirs []string // components above the name
	low  []string // the same in lower case
	name string   // "" for a directory
	base string   // name in lower case
	ext  string   // last extension in lower case, with its dot
}

func newFile(p string) file {
	parts := strings.Split(p, "/")
	f := file{path: p, dirs: parts[:len(parts)-1], name: parts[len(parts)-1]}
	for _, d := range f.dirs {
		f.low = append(f.low, strings.ToLower(d))
	}
	f.base = strings.ToLower(f.name)
	f.ext = path.Ext(f.base)
	return f
}

// below reports whether a component, in lower case, is in the set.
func (f file) below(set map[string]bool) bool {
	for _, d := range f.low {
		if set[d] {
			return true
		}
	}
	return false
}

// top reports whether the first component, in lower case, is in the set.
func (f file) top(set map[string]bool) bool { return len(f.low) > 0 && set[f.low[0]] }

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
