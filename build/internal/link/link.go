// Package link plans how a consumer comes to use its sibling's checkout in
// place of a released package, one file per ecosystem. It is pure: it makes
// the files, commands and proofs of a spec and carries nothing out.
package link

import (
	"path"
	"slices"

	"crossswe/build/internal/detect"
	"crossswe/schemas"
)

// The ecosystems, as LinkSpec.Ecosystem names them.
const (
	Go     = "go"
	NPM    = "npm"
	Python = "python"
	Cargo  = "cargo"
	Maven  = "maven"
	CMake  = "cmake"
)

// Plan is one ecosystem's part of a spec.
type Plan struct {
	Files   []schemas.SpecFile
	Env     []string
	Links   []schemas.LinkSpec
	Guesses []schemas.Guess
}

// testbed is a repository's directory in the image, and one below it.
func testbed(r detect.Repo, dir string) string { return path.Join(schemas.TestbedDir, r.Dir, dir) }

// sortedUnique returns the distinct strings, sorted.
func sortedUnique(s []string) []string {
	slices.Sort(s)
	return slices.Compact(s)
}
