package classify

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"crossswe/schemas"
)

var (
	// testDirs hold nothing but tests and what they need, in every language
	// but Go.
	testDirs = set(`test tests __test__ __tests__ __mocks__ __snapshots__ __image_snapshots__ __fixtures__
		testdata test-data test_data fixtures test-fixtures test_fixtures testfixtures
		test-resources test_resources test-files test_files test-assets test_assets test-suite test_suite testsuite
		test-cases test_cases testcases unittest unittests e2e cypress`)
	// dataDirs hold test data in Go too.
	dataDirs = set(`testdata __snapshots__`)
	// vendorDirs hold copies of other projects.
	vendorDirs = set(`vendor node_modules bower_components third_party third-party thirdparty 3rdparty 3rd_party
		_vendor vendored pods carthage .yarn _workspace`)
	// commandDirs may hold a product's own "test" command.
	commandDirs = set(`cmd cmds command commands`)
	// specProduct hold product code, specData test data around "spec".
	specProduct = set(`lib src app`)
	specData    = set(`fixtures support dummy data factories cassettes`)

	jvmExt     = set(`.java .kt .kts .scala .groovy`)
	scriptExt  = set(`.js .jsx .mjs .cjs .ts .tsx .mts .cts .vue .svelte .coffee`)
	nativeExt  = set(`.c .cc .cpp .cxx .h .hh .hpp .hxx .m .mm .cu`)
	specExt    = set(`.rb .js .jsx .mjs .cjs .ts .tsx .php .coffee .cr`)
	testMarker = regexp.MustCompile(`[-_]tests?$`)
	// projectDirs are the test projects of .NET, Swift, Xcode and the like: Foo.Tests, FooUITests.
	projectDirs = regexp.MustCompile(`(^|[a-z0-9_.])(Unit|Integration|Functional|Acceptance|UI)?Tests$|\.(Unit|Integration)?Test$|\.(Specs|Spec)$`)
)

// classByDirectory looks for the outermost directory that decides.
func (f file) classByDirectory() (schemas.FileClass, bool) {
	for i := range f.dirs {
		switch {
		case vendorDirs[f.low[i]], i == 0 && f.low[0] == "deps" && nativeExt[f.ext]:
			return schemas.ClassVendored, true
		case f.isMainSource(i):
			return "", false
		case f.isTestDir(i):
			return schemas.ClassTest, true
		}
	}
	return "", false
}

// isMainSource reports whether the JVM's src/main starts at component i: what
// is below it is product code whatever it is called.
func (f file) isMainSource(i int) bool {
	return i > 0 && f.low[i] == "main" && f.low[i-1] == "src" &&
		(jvmExt[f.ext] || i+1 < len(f.low) && (f.low[i+1] == "resources" || f.low[i+1] == "webapp"))
}

func (f file) isTestDir(i int) bool {
	dir := f.low[i]
	if f.ext == ".go" {
		return dataDirs[dir]
	}
	if i > 0 && commandDirs[f.low[i-1]] {
		return false
	}
	switch {
	case testDirs[dir], testMarker.MatchString(dir), projectDirs.MatchString(f.dirs[i]):
		return true
	case dir == "spec" || dir == "specs":
		return f.isSpec(i)
	case dir == "features":
		return f.ext == ".feature" || i+1 < len(f.low) && (f.low[i+1] == "step_definitions" || f.low[i+1] == "support")
	case dir == "testing":
		return i == 0 && (f.ext == ".py" || !isProgram(f.path))
	case dir == "t":
		return i == 0
	case i > 0 && f.low[i-1] == "src":
		return isSourceSet(f.dirs[i])
	}
	return false
}

// isSpec tells a directory of RSpec, jasmine or phpspec from one that holds
// specifications.
func (f file) isSpec(i int) bool {
	if slices.ContainsFunc(f.low[:i], func(d string) bool { return specProduct[d] }) {
		return false
	}
	return specExt[f.ext] || i+1 < len(f.low) && specData[f.low[i+1]]
}

// isSourceSet knows the test source sets of Maven, Gradle and Kotlin
// multiplatform: src/androidTest, src/jvmTest, src/it, src/testFixtures.
func isSourceSet(dir string) bool {
	return strings.HasSuffix(dir, "Test") || dir == "it" || strings.HasPrefix(dir, "test") && strings.HasPrefix(dir[4:], "Fixtures")
}

// nameRules say per language which file names are tests. They see the name
// with its case, so that Contest.java is none.
var nameRules = []struct {
	ext  map[string]bool
	name *regexp.Regexp
}{
	{set(`.go`), regexp.MustCompile(`_test\.go$`)},
	{scriptExt, regexp.MustCompile(`(?i)[._-](test|tests|spec|specs)(-d)?\.[a-z]+$|[._-](e2e|cy)\.[a-z]+$|[._-]e2e-(spec|test)\.[a-z]+$|^tests?\.[a-z]+$|\.(test|spec)\.[a-z-]+\.[a-z]+$`)},
	{scriptExt, regexp.MustCompile(`^(jest|vitest|mocha)[._-]setup\.|^setup-?[tT]ests?\.`)},
	{set(`.py .pyi .pyx`), regexp.MustCompile(`^test_.*\.|_tests?\.[a-z]+$|^tests\.py$|^conftest\.py$`)},
	{jvmExt, regexp.MustCompile(`[A-Za-z0-9_](Test|Tests|TestCase)\.[a-z]+$|[a-z0-9]IT\.(java|kt)$`)},
	{set(`.kt .scala .groovy`), regexp.MustCompile(`[A-Za-z0-9_]Spec\.[a-z]+$`)},
	{set(`.scala`), regexp.MustCompile(`[A-Za-z0-9_]Suite\.scala$`)},
	{set(`.rs`), regexp.MustCompile(`^tests\.rs$|_tests?\.rs$`)},
	{nativeExt, regexp.MustCompile(`^test\.[a-z]+$|^test_.*\.[a-z]+$|_(test|tests|unittest|unittests)\.[a-z]+$|[A-Za-z0-9](Test|Tests|UnitTest)\.[a-z]+$`)},
	{set(`.cs .fs .vb`), regexp.MustCompile(`[A-Za-z0-9_](Test|Tests)\.[a-z]+$`)},
	{set(`.php .phpt`), regexp.MustCompile(`[A-Za-z0-9_](Test|TestCase|Cest|Cept)\.php$|\.phpt$`)},
	{set(`.rb`), regexp.MustCompile(`_(test|spec)\.rb$|^test_.*\.rb$|^(spec|test|rails)_helper\.rb$`)},
	{set(`.swift`), regexp.MustCompile(`[A-Za-z0-9_](Test|Tests|Spec)\.swift$`)},
	{set(`.snap .feature .t .bats`), regexp.MustCompile(`.`)},
}

// isTestName judges a file outside of all test directories.
func isTestName(f file, content []byte) bool {
	if f.inMainSource() {
		return false
	}
	for _, rule := range nameRules {
		if rule.ext[f.ext] && rule.name.MatchString(f.name) {
			return true
		}
	}
	return f.name == "test.rs" && bytes.Contains(content, []byte("#[test]"))
}

func (f file) inMainSource() bool {
	for i := range f.dirs {
		if f.isMainSource(i) {
			return true
		}
	}
	return false
}
