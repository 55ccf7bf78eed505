package detect

import (
	"bytes"
	"go/build"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"crossswe/schemas"
)

// GoTarget is one package whose tests the change touches.
type GoTarget struct {
	Module GoModule // at head
	// Dir is the package's directory, relative to the repository.
	Dir string
	// Files are the touched test files that lie in it or belong to it.
	Files []string
}

// ImportPath is the package's path.
func (g GoTarget) ImportPath() string {
	return path.Join(g.Module.Path, strings.TrimPrefix(strings.TrimPrefix(g.Dir, g.Module.Dir), "/"))
}

// Pattern is the package's directory relative to its module: ./x.
func (g GoTarget) Pattern() string {
	return "./" + strings.TrimPrefix(strings.TrimPrefix(g.Dir, g.Module.Dir), "/")
}

// GoTargets returns the packages to test: the whole package of every touched
// test file, and of every touched file below a testdata directory. A package
// without a test that this toolchain (1.minor, linux/amd64) would run is none.
func GoTargets(r Repo, version string) []GoTarget {
	mods, _ := GoModules(r.Head)
	files := map[string][]string{}
	for _, f := range r.Files {
		if f.Class == schemas.ClassTest {
			dir := testDir(f.Path)
			files[dir] = append(files[dir], f.Path)
		}
	}
	v, _ := parseGoVersion(version)
	var targets []GoTarget
	for _, dir := range slices.Sorted(maps.Keys(files)) {
		mod, ok := GoModuleOf(mods, dir)
		if !ok || hidden(dir+"/x") || !hasGoTest(r.Head, dir, v.Minor) {
			continue
		}
		targets = append(targets, GoTarget{Module: mod, Dir: dir, Files: files[dir]})
	}
	return targets
}

// testDir is the directory of the package that a test file belongs to: its
// own, or the one that holds the outermost testdata directory.
func testDir(p string) string {
	parts := strings.Split(parent(p), "/")
	if i := slices.Index(parts, "testdata"); i >= 0 {
		return strings.Join(parts[:i], "/")
	}
	return parent(p)
}

var goTestFunc = regexp.MustCompile(`(?m)^func (Test|Example|Fuzz)[^a-z]?\w*\(`)

// hasGoTest reports whether a test file of the directory is built for
// linux/amd64 and holds more than benchmarks.
func hasGoTest(t Tree, dir string, minor int) bool {
	ctx := build.Context{GOOS: "linux", GOARCH: "amd64", Compiler: "gc", CgoEnabled: true}
	for i := 1; i <= minor; i++ {
		ctx.ReleaseTags = append(ctx.ReleaseTags, "go1."+strconv.Itoa(i))
	}
	ctx.OpenFile = func(name string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(t.Files[strings.TrimPrefix(name, "/")])), nil
	}
	for _, p := range t.In(dir) {
		if !strings.HasSuffix(p, "_test.go") || !goTestFunc.Match(t.Files[p]) {
			continue
		}
		if ok, err := ctx.MatchFile("/"+dir, path.Base(p)); ok && err == nil {
			return true
		}
	}
	return false
}
