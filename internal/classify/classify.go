// Package classify says what a path of a repository is for: source, test,
// documentation, configuration, and so on, by the customs of each language.
// It looks at path components and file names, never at substrings: "latest",
// "attestation" and "contest" are no tests.
package classify

import (
	"crossswe/schemas"
)

// File returns the class of a path. Content is the file's beginning (a few
// KiB suffice) or nil when it is not at hand; it only serves to find the marks
// of generated files.
//
// The first that fits decides: lock, vendored, test, manifest, generated, doc,
// config, source. So a manifest below testdata/ is a test's fixture, a
// generated snapshot is a test, and an example program is source.
func File(path string, content []byte) schemas.FileClass { return schemas.ClassSource }

// Language returns the language of a path as Linguist names it ("Go",
// "JavaScript", "C++"), or "" when it has none. Content settles extensions
// that several languages share and may be nil.
func Language(path string, content []byte) string { return "" }

// IsBinary reports whether content is binary by git's rule: a NUL byte in the
// first 8,000 bytes.
func IsBinary(content []byte) bool { return false }
