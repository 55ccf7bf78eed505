package detect

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"crossswe/schemas"
)

func TestParseCMake(t *testing.T) {
	cases := map[string]struct {
		src  string
		want []CMakeCall
	}{
		"plain":              {"project(a CXX)\n", []CMakeCall{{"project", []string{"a", "CXX"}}}},
		"capitals, no blank": {"FIND_PACKAGE( Fmt 9.1 )", []CMakeCall{{"find_package", []string{"Fmt", "9.1"}}}},
		"lines and comments": {"# find_package(No)\nset(a # why\n  b;c\n)", []CMakeCall{{"set", []string{"a", "b", "c"}}}},
		"a bracket comment":  {"#[[ find_package(No)\n]] project(x)", []CMakeCall{{"project", []string{"x"}}}},
		"quotes":             {`message("a \"b\" ) # c" d)`, []CMakeCall{{"message", []string{`a "b" ) # c`, "d"}}}},
		"a bracket argument": {"f([=[ ]] ) ]=] x)", []CMakeCall{{"f", []string{" ]] ) ", "x"}}}},
		"nested parentheses": {"if(A AND (B OR C))\nproject(x)", []CMakeCall{{"if", []string{"A", "AND", "B", "OR", "C"}}, {"project", []string{"x"}}}},
		"cut off":            {"project(x \"y", []CMakeCall{{"project", []string{"x", "y"}}}},
		"not a command":      {"some words\n(x)", nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, ParseCMake([]byte(c.src)), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzParseCMake(f *testing.F) {
	f.Add([]byte("project(a VERSION 1)\nset(x ${y})\nset(y ${x}${x})\nfind_package(${x} 1.2)\n#[[x]]\nf([=[a]=] \"b\")"))
	f.Fuzz(func(t *testing.T, src []byte) {
		ParseCMake(src)
		CMakeProjects(tree(map[string]string{"CMakeLists.txt": "project(a)\n" + string(src), "t/CMakeLists.txt": string(src)}))
	})
}

func TestCMakeProjects(t *testing.T) {
	all := tree(map[string]string{
		"CMakeLists.txt": `cmake_minimum_required(VERSION 3.16...3.28)
project(Beacon VERSION 1.4.0)
option(BEACON_BUILD_TESTS "tests" OFF)
option(BEACON_TEST_COVERAGE "coverage" OFF)
option(BEACON_TESTING "on anyway" ON)
find_package(Threads REQUIRED)
find_package(Zeppelin 2.1 REQUIRED)
install(EXPORT BeaconTargets NAMESPACE Beacon:: FILE ${PROJECT_NAME}Config.cmake DESTINATION lib)
add_subdirectory(tests)`,
		"tests/CMakeLists.txt": `include(FetchContent)
set(tag v1.14.0)
FetchContent_Declare(googletest GIT_REPOSITORY https://example.com/g.git GIT_TAG ${tag} GIT_SHALLOW TRUE)
enable_testing()
gtest_discover_tests(a)`,
		"cmake/beacon-extra-config.cmake.in": "",
		"cmake/Config.cmake.in":              "",
		"third_party/x/CMakeLists.txt":       "project(x)",
		"other/README":                       "",
	})
	got := CMakeProjects(all)
	want := []CMakeProject{{
		Names: []string{"Beacon"}, Version: "1.4.0", Minimum: "3.16", Packages: []string{"Beacon", "beacon-extra"},
		Finds:       map[string]string{"Threads": "", "Zeppelin": "2.1"},
		Fetches:     []CMakeFetch{{"googletest", []string{"GIT_REPOSITORY", "https://example.com/g.git", "GIT_TAG", "v1.14.0"}}},
		TestOptions: []string{"BEACON_BUILD_TESTS"}, Tests: true,
	}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(CMakeProject{})); diff != "" {
		t.Errorf("projects (-want +got):\n%s", diff)
	}
	if dirs := got[0].TestDirs(); !slices.Equal(dirs, []string{"tests"}) {
		t.Errorf("test directories %q", dirs)
	}
}

// TestCMakeProjectsApart: a repository may hold several projects.
func TestCMakeProjectsApart(t *testing.T) {
	var dirs []string
	for _, p := range CMakeProjects(tree(map[string]string{
		"a/CMakeLists.txt": "project(a)", "a/b/CMakeLists.txt": "project(b)", "c/d/CMakeLists.txt": "project(d)", "e/CMakeLists.txt": "add_library(e)",
	})) {
		dirs = append(dirs, p.Dir)
	}
	if diff := cmp.Diff([]string{"a", "c/d"}, dirs); diff != "" {
		t.Errorf("projects (-want +got):\n%s", diff)
	}
}

func TestCMakeTargets(t *testing.T) {
	head := tree(map[string]string{
		"CMakeLists.txt":            "project(a)\nenable_testing()",
		"tests/CMakeLists.txt":      "add_subdirectory(unit)\nadd_subdirectory(data)",
		"tests/unit/CMakeLists.txt": "add_test(NAME x COMMAND x)",
		"tests/data/CMakeLists.txt": "add_library(data x.cpp)",
		"lib/x_test.cpp":            "",
		"untested/CMakeLists.txt":   "",
	})
	test := func(p string) schemas.File {
		return schemas.File{Path: p, Class: schemas.ClassTest, Status: schemas.FileModified}
	}
	gone := test("tests/unit/gone_test.cpp")
	gone.Status = schemas.FileDeleted
	cases := map[string]struct {
		files []schemas.File
		want  map[string][]string
	}{
		"the directory that declares tests":    {[]schemas.File{test("tests/unit/x_test.cpp")}, map[string][]string{"tests/unit": {"tests/unit/x_test.cpp"}}},
		"a directory of helpers: the next one": {[]schemas.File{test("tests/data/x.cpp")}, map[string][]string{"tests": {"tests/data/x.cpp"}}},
		"an outer one takes the inner along":   {[]schemas.File{test("tests/unit/x_test.cpp"), test("tests/CMakeLists.txt")}, map[string][]string{"tests": {"tests/CMakeLists.txt", "tests/unit/x_test.cpp"}}},
		"beside the source: the whole":         {[]schemas.File{test("lib/x_test.cpp")}, map[string][]string{"": {"lib/x_test.cpp"}}},
		"deleted, data, source":                {[]schemas.File{gone, test("tests/unit/x.json"), {Path: "lib/x.cpp", Class: schemas.ClassSource}}, map[string][]string{}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := map[string][]string{}
			for _, target := range CMakeTargets(Repo{Head: head, Files: c.files}) {
				got[target.Dir] = target.Files
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("targets (-want +got):\n%s", diff)
			}
		})
	}
	quiet := tree(map[string]string{"CMakeLists.txt": "project(a)"})
	if got := CMakeTargets(Repo{Head: quiet, Files: []schemas.File{test("t/x.c")}}); len(got) > 0 {
		t.Errorf("CTest knows of no tests, and yet %+v", got)
	}
}

func TestDebianPackages(t *testing.T) {
	all := tree(map[string]string{".github/workflows/ci.yml": `
jobs:
  a:
    steps:
      - name: apt-get install libnot-dev
      - run: |
          sudo apt-get update && sudo apt-get install -y --no-install-recommends libssl-dev \
            zlib1g-dev:amd64 libfoo-dev=1.2 g++-13 lcov $EXTRA; make
      - run: sudo apt install nasm
`})
	if diff := cmp.Diff([]string{"libfoo-dev", "libssl-dev", "nasm", "zlib1g-dev"}, DebianPackages(all)); diff != "" {
		t.Errorf("packages (-want +got):\n%s", diff)
	}
}
