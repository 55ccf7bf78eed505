// Package depedge reads dependency manifests: which packages a repository
// provides, which it needs, and what a change of a manifest says ("this commit
// moved that package from one version to another"). It knows nothing of git;
// package source hands it old and new contents.
//
// Everything here is pure and safe for concurrent use. One file per ecosystem;
// a further ecosystem is one file and one line of the table below.
package depedge

import (
	"path"
	"strings"
)

// Ecosystem tells package managers apart.
type Ecosystem string

// The ecosystems.
const (
	Go  Ecosystem = "go"
	NPM Ecosystem = "npm"
)

// Use says what a dependency is for.
type Use string

// The uses of a dependency.
const (
	UseRuntime  Use = "runtime"
	UseDev      Use = "dev"
	UsePeer     Use = "peer"
	UseOptional Use = "optional"
	UseReplace  Use = "replace"  // a replacement of another module
	UseIndirect Use = "indirect" // only a dependency's dependency
)

// Dep is one dependency as a manifest names it.
type Dep struct {
	Ecosystem Ecosystem
	// Name is the package's name: a module path, an npm name.
	Name string
	// Version is what the manifest says, as written: a version, a range, a URL.
	Version string
	Use     Use
	// Line is the manifest's line that says so, without blanks around it.
	Line string
	// Repo is "owner/name" when the manifest names a repository directly.
	Repo string
}

// Package is one package that a repository provides.
type Package struct {
	Ecosystem Ecosystem
	Name      string
	// Dir is the manifest's directory, "" for the root.
	Dir string
	// Version is what the manifest itself says, "" when it does not.
	Version string
	// Private says that it is never published.
	Private bool
}

// Manifest is what one manifest says.
type Manifest struct {
	Package Package
	Deps    []Dep
}

// maxManifest bounds a manifest's size: the largest hand-written ones are a
// few hundred kilobytes.
const maxManifest = 4 << 20

// reader is one kind of manifest.
type reader struct {
	ecosystem Ecosystem
	base      string // the file's name
	parse     func(content []byte) (Manifest, error)
	version   func(written string) Version
	tags      func(p Package, version string) []string
}

// readers is the table of manifests that are read.
var readers = []reader{
	{Go, "go.mod", parseGoMod, goVersion, goTags},
	{NPM, "package.json", parsePackageJSON, npmVersion, npmTags},
}

// skippedDirs hold other people's packages or material for tests; a manifest
// below one of them says nothing about the repository.
var skippedDirs = map[string]bool{
	"node_modules": true, "vendor": true, "testdata": true, "fixtures": true, "fixture": true,
	"__fixtures__": true, "bower_components": true, "_vendor": true, "third_party": true,
}

// FileNames returns the names of the files that are manifests.
func FileNames() []string {
	names := make([]string, 0, len(readers))
	for _, r := range readers {
		names = append(names, r.base)
	}
	return names
}

// SkippedDir reports whether manifests below a directory of that name are ignored.
func SkippedDir(name string) bool { return skippedDirs[name] }

// IsManifest reports whether a file of that path is a manifest of the
// repository itself.
func IsManifest(file string) bool {
	if _, ok := readerOf(file); !ok {
		return false
	}
	for dir := range strings.SplitSeq(path.Dir(file), "/") {
		if skippedDirs[dir] {
			return false
		}
	}
	return true
}

// sampleDirs hold programs that show or test a package; what their manifests
// call themselves ("typescript", "app") is no package that anyone depends on.
var sampleDirs = map[string]bool{
	"example": true, "examples": true, "_examples": true, "demo": true, "demos": true, "sample": true, "samples": true,
	"test": true, "tests": true, "e2e": true, "docs": true, "doc": true, "bench": true, "benchmark": true, "benchmarks": true,
	"template": true, "templates": true,
}

// IsSample reports whether a manifest's directory is such a place.
func IsSample(dir string) bool {
	for part := range strings.SplitSeq(dir, "/") {
		if sampleDirs[part] {
			return true
		}
	}
	return false
}

// Parse reads the manifest at that path. A file that is no manifest is empty
// and no error; a broken one is an error.
func Parse(file string, content []byte) (Manifest, error) {
	r, ok := readerOf(file)
	if !ok || len(content) > maxManifest {
		return Manifest{}, nil
	}
	m, err := r.parse(content)
	if err != nil {
		return Manifest{}, err
	}
	m.Package.Ecosystem = r.ecosystem
	if dir := path.Dir(file); dir != "." {
		m.Package.Dir = dir
	}
	for i := range m.Deps {
		m.Deps[i].Ecosystem = r.ecosystem
	}
	return m, nil
}

func readerOf(file string) (reader, bool) {
	base := path.Base(file)
	for _, r := range readers {
		if r.base == base {
			return r, true
		}
	}
	return reader{}, false
}

func readerFor(e Ecosystem) (reader, bool) {
	for _, r := range readers {
		if r.ecosystem == e {
			return r, true
		}
	}
	return reader{}, false
}

// lineIndex finds the line of a manifest that holds some bytes.
type lineIndex struct{ content string }

// at returns the line around a byte offset, without blanks around it.
func (l lineIndex) at(offset int) string {
	if offset < 0 || offset > len(l.content) {
		return ""
	}
	start := strings.LastIndexByte(l.content[:offset], '\n') + 1
	end := strings.IndexByte(l.content[offset:], '\n')
	if end < 0 {
		end = len(l.content) - offset
	}
	return clip(strings.TrimSpace(l.content[start : offset+end]))
}

// clip bounds a line: a minified manifest is one line of megabytes.
func clip(line string) string {
	const most = 300
	line = strings.ToValidUTF8(line[:min(len(line), 2*most)], "\uFFFD")
	return strings.ToValidUTF8(line[:min(len(line), most)], "")
}
