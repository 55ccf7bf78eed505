package blame

import (
	"testing"

	"crossswe/schemas"
)

func TestNative(t *testing.T) {
	sources := map[string]string{
		"/testbed/draw/t/a.cpp":              "#include \"draw.h\"\n",
		"/testbed/draw/t/b.cpp":              "#include <gtest/gtest.h>\n#include <shapes/area.h>\n",
		"/testbed/draw/t/c.cpp":              "#include <geo/area.h>\n",
		"/testbed/shapes/include/geo/area.h": "int area();\n",
	}
	world := World{Root: "/testbed/draw", Dir: "/testbed/draw", Patched: true,
		Siblings: []Sibling{{Dir: "/testbed/shapes", Names: []string{"Shapes"}}},
		Source: func(file string) []byte {
			if s, ok := sources[file]; ok {
				return []byte(s)
			}
			return nil
		}}
	bare := world
	bare.Patched = false
	cases := map[string]struct {
		text  string
		world World
		want  schemas.Failure
	}{
		"a function of the sibling":           {"/testbed/draw/t/b.cpp:3:40: error: ‘area2’ is not a member of ‘shapes’; did you mean ‘area’?\n", bare, schemas.FailureCompileSibling},
		"a name of the own":                   {"/testbed/draw/t/a.cpp:2:21: error: ‘cost2’ was not declared in this scope; did you mean ‘cost’?\n", bare, schemas.FailureCompileOwn},
		"a name in a file that uses neither":  {"/testbed/draw/t/a.cpp:2:21: error: ‘cost2’ was not declared in this scope\n", world, schemas.FailureCompileOwn},
		"a bare name beside the sibling's":    {"/testbed/draw/t/b.cpp:2:21: error: ‘area2’ was not declared in this scope\n", world, schemas.FailureCompileSibling},
		"a header found in the sibling":       {"/testbed/draw/t/c.cpp:2:21: error: ‘struct box’ has no member named ‘depth’\n", world, schemas.FailureCompileSibling},
		"the own patch is not there":          {"/testbed/draw/t/c.cpp:2:21: error: ‘struct box’ has no member named ‘depth’\n", bare, schemas.FailureCompileOwn},
		"a header of the sibling":             {"/testbed/draw/t/b.cpp:2:10: fatal error: shapes/volume.h: No such file or directory\n", bare, schemas.FailureCompileSibling},
		"a header of the own":                 {"/testbed/draw/t/b.cpp:2:10: fatal error: draw/pen.h: No such file or directory\n", bare, schemas.FailureCompileOwn},
		"a header of a third party":           {"/testbed/draw/t/b.cpp:2:10: fatal error: openssl/ssl.h: No such file or directory\n", world, schemas.FailureThirdParty},
		"within the sibling's own header":     {"/var/crossswe/cmake/shapes/prefix/include/shapes/area.h:2:1: error: expected ‘;’\n", bare, schemas.FailureCompileSibling},
		"within the sibling's source":         {"/testbed/shapes/src/area.cpp:2:1: error: expected ‘;’\n", bare, schemas.FailureCompileSibling},
		"a symbol of the sibling":             {"/usr/bin/ld: a.cpp:(.text+0x9): undefined reference to `shapes::area2(int, int)'\n", bare, schemas.FailureCompileSibling},
		"a symbol in C, own patch applied":    {"/usr/bin/ld: a.c:(.text+0x9): undefined reference to `area2'\n", world, schemas.FailureCompileSibling},
		"a symbol in C, own patch missing":    {"/usr/bin/ld: a.c:(.text+0x9): undefined reference to `area2'\n", bare, schemas.FailureCompileOwn},
		"gcc 12 warns of a function, then ld": {"/testbed/draw/t/a.c:2:3: warning: implicit declaration of function ‘shapes_area2’ [-Wimplicit-function-declaration]\n/usr/bin/ld: t.c:(.text+0x9): undefined reference to `shapes_area2'\n", bare, schemas.FailureCompileSibling},
		"no such package":                     {"CMake Error at CMakeLists.txt:3 (find_package):\n  By not providing \"FindShapes.cmake\" in CMAKE_MODULE_PATH this project has\n", world, schemas.FailureResolution},
		"a version that is refused":           {"CMake Error at CMakeLists.txt:3 (find_package):\n  Could not find a configuration file for package \"Shapes\" that is compatible\n  with requested version \"2.0\".\n", world, schemas.FailureResolution},
		"a target that the sibling lacks":     {"CMake Error at t/CMakeLists.txt:27 (target_link_libraries):\n  Target \"two\" links to:\n\n    Shapes::extra\n\n  but the target was not found.\n", bare, schemas.FailureCompileSibling},
		"an error of CMake's":                 {"CMake Error at t/CMakeLists.txt:27 (add_executable):\n  Cannot find source file:\n\n    new_test.cpp\n", bare, schemas.FailureCompileOwn},
		"a namesake is none":                  {"/testbed/draw/t/b.cpp:2:10: fatal error: shapeshift/a.h: No such file or directory\n", bare, schemas.FailureCompileOwn},
		"nothing":                             {"all is well\n", world, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got, line := Load(schemas.RunnerCTest, []byte(c.text), c.world); got != c.want {
				t.Errorf("got %q (%s), want %q", got, line, c.want)
			}
		})
	}
}

func FuzzNative(f *testing.F) {
	f.Add("/a.cpp:1:2: error: ‘x’ is not a member of ‘shapes’\nCMake Error at x:1\n  A::b\nundefined reference to `x'")
	f.Fuzz(func(t *testing.T, text string) {
		w := World{Root: "/testbed/a", Dir: "/testbed/a", Siblings: []Sibling{{Dir: "/testbed/shapes", Names: []string{"Shapes", ""}}}}
		got, line := Load(schemas.RunnerCTest, []byte(text), w)
		if (got == "") != (line == "") && line != "" {
			t.Errorf("kind %q with line %q", got, line)
		}
	})
}
