package recipe

import (
	_ "embed" // for the fetching script
	"path"
	"slices"

	"crossswe/build/internal/link"
	"crossswe/schemas"
)

const cmakeStage = "cmake-content"

// CMakeFetchScript fetches what a FetchContent_Declare says. It is part of the
// build context.
//
//go:embed fetch.cmake
var CMakeFetchScript string

// cmakeInstall has nothing to do: the tools are among the spec's packages.
func (b *builder) cmakeInstall(schemas.Toolchain) {}

// ownsCMake reports whether a setup command calls the fetching script.
func ownsCMake(c schemas.Command) bool { return slices.Contains(c.Run, link.CMakeFetch) }

// usesCMake reports whether third parties' content is to be fetched.
func (b *builder) usesCMake() bool {
	return slices.ContainsFunc(b.spec.Repos, func(r schemas.RepoSpec) bool { return slices.ContainsFunc(r.Setup, ownsCMake) })
}

func (b *builder) cmakeFetch() {
	b.comment("content that FetchContent declares at base and head, less the siblings")
	b.from("base", cmakeStage)
	b.args()
	b.addRepos()
	b.exec(schemas.BuildStep, "COPY", path.Join(DepsDir, link.CMake)+"/", path.Dir(link.CMakeFetch)+"/")
	b.setup("cmake")
	b.fetches = append(b.fetches, fetch{name: link.CMake, stage: cmakeStage, copy: [][2]string{{link.CMakeOut + "/", link.CMakeContent + "/"}}})
}

// cmakeWarm builds and runs the target at base, so that a trial compiles only
// what its patches change.
func cmakeWarm(t schemas.Target) (schemas.Command, bool) {
	return t.Command, t.Runner == schemas.RunnerCTest
}
