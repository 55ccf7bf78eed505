// Package detect reads what a repository's tree says about itself: its
// modules and packages, the toolchain that its CI uses, the test targets that
// a change touches. It is pure: it works on snapshots of trees and on a date,
// never on a repository or a clock. What it reads is hostile; nothing in it
// panics or runs anything.
package detect

import (
	"path"
	"slices"
	"strings"

	"crossswe/schemas"
)

// MaxFile bounds the files whose content a Tree holds, in bytes.
const MaxFile = 1 << 20

// Tree is a snapshot of one commit's tree: every path, and the content of the
// files that inference reads.
type Tree struct {
	// Paths are all files, sorted.
	Paths []string
	// Files is the content of those that Wanted names and that are at hand.
	Files map[string][]byte
}

// Has reports whether the tree holds the file.
func (t Tree) Has(file string) bool {
	_, found := slices.BinarySearch(t.Paths, file)
	return found
}

// HasDir reports whether any file lies below the directory; "" is the root.
func (t Tree) HasDir(dir string) bool {
	if dir == "" {
		return len(t.Paths) > 0
	}
	i, _ := slices.BinarySearch(t.Paths, dir+"/")
	return i < len(t.Paths) && strings.HasPrefix(t.Paths[i], dir+"/")
}

// In returns the files that lie directly in the directory; "" is the root.
func (t Tree) In(dir string) []string {
	var files []string
	for _, p := range t.Paths {
		if parent(p) == dir {
			files = append(files, p)
		}
	}
	return files
}

// Repo is one side of a candidate as inference sees it.
type Repo struct {
	Name schemas.RepoName
	// Dir is the checkout's directory below the testbed.
	Dir        string
	Base, Head Tree
	// Files are the changed paths.
	Files []schemas.File
	// Version is what git describe says of the base, as versions of packages are
	// written: 1.2.4.dev7; "" when no tag tells.
	Version string
}

// Wanted names the files of a tree that inference reads, given the changed
// paths: manifests, CI configuration, version files, runners' options, and the
// tests in the directories that the change touches.
func Wanted(paths []string, changed []schemas.File) []string {
	touched, tests, jvm := map[string]bool{}, map[string]bool{}, false
	for _, f := range changed {
		touched[testDir(f.Path)] = true
		tests[f.Path] = wantedTest(f) || wantedPyTest(f)
		jvm = jvm || wantedJVMTest(f.Path)
	}
	var want []string
	for _, p := range paths {
		if wanted(p) || tests[p] || inTests(p, changed) || strings.HasSuffix(p, "_test.go") && touched[parent(p)] || jvm && wantedJVMTest(p) {
			want = append(want, p)
		}
	}
	return want
}

func wanted(p string) bool {
	if vendored(p) {
		return false
	}
	name := path.Base(p)
	switch name {
	case "go.mod", "go.work", "package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-workspace.yaml",
		".npmrc", ".nvmrc", ".node-version", ".go-version", ".tool-versions":
		return true
	}
	if isPOM(p) || name == ".java-version" || name == ".sdkmanrc" {
		return true
	}
	if cargoWants(p) || strings.HasPrefix(name, ".mocharc") || strings.HasPrefix(name, "jest.config.") {
		return true
	}
	return isCI(p) || goVersionFile(p) || wantedPython(p) || wantedCMake(p)
}

// vendored reports whether a path lies in a copy of other projects or in
// fixtures, where a manifest is none of the repository's own.
func vendored(p string) bool {
	for _, part := range strings.Split(path.Dir(p), "/") {
		if part == "node_modules" || part == "vendor" || part == "testdata" || part == "third_party" {
			return true
		}
	}
	return false
}

// parent is the directory of a path, "" for the root.
func parent(p string) string {
	if d := path.Dir(p); d != "." {
		return d
	}
	return ""
}

// join is path.Join with "" for the root.
func join(dir, rel string) string {
	if j := path.Join(dir, rel); j != "." {
		return j
	}
	return ""
}
