package link

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// cmakeWorld is a provider and a consumer on disk, and what the script made.
type cmakeWorld struct {
	t                                *testing.T
	dir                              string
	provider, consumer               string // checkouts
	providerBuild, build, at, report string
}

var cmakeWorldFiles = map[string]string{
	"beacon/CMakeLists.txt": `cmake_minimum_required(VERSION 3.16)
project(Beacon C)
add_library(beacon beacon.c)
target_include_directories(beacon PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
install(TARGETS beacon EXPORT B)
install(DIRECTORY include/ DESTINATION include)
install(EXPORT B NAMESPACE Beacon:: FILE BeaconConfig.cmake DESTINATION lib/cmake/Beacon)
enable_testing()
add_executable(beacon_test t.c)
target_link_libraries(beacon_test beacon)
add_test(NAME beacon COMMAND beacon_test)
`,
	"beacon/include/beacon/b.h": "int range(int);\n",
	"beacon/beacon.c":           "#include <beacon/b.h>\nint range(int h) { return h * 2; }\n",
	"beacon/t.c":                "#include <beacon/b.h>\nint main(void) { return range(2) != 4; }\n",
	"watch/CMakeLists.txt": `cmake_minimum_required(VERSION 3.16)
project(watch C)
find_package(Beacon REQUIRED)
add_library(watch watch.c)
target_link_libraries(watch Beacon::beacon)
enable_testing()
add_executable(watch_test t.c)
target_link_libraries(watch_test watch)
add_test(NAME watch COMMAND watch_test)
`,
	"watch/watch.c": "#include <beacon/b.h>\nint seen(int h) { return range(h); }\n",
	"watch/t.c":     "int seen(int);\nint main(void) { return seen(2) != 4; }\n",
	// A released copy beside.
	"watch/released/lib/cmake/Beacon/BeaconConfig.cmake": "add_library(Beacon::beacon INTERFACE IMPORTED)\ntarget_include_directories(Beacon::beacon INTERFACE ${CMAKE_CURRENT_LIST_DIR}/../../../include)\n",
	"watch/released/include/beacon/b.h":                  "static inline int range(int h) { return h * 2; }\n",
}

func newCMakeWorld(t *testing.T) *cmakeWorld {
	t.Helper()
	dir := t.TempDir()
	w := &cmakeWorld{t: t, dir: dir, provider: filepath.Join(dir, "beacon"), consumer: filepath.Join(dir, "watch"),
		providerBuild: filepath.Join(dir, "out", "beacon", "build"), build: filepath.Join(dir, "out", "watch", "build"),
		at: filepath.Join(dir, "out", "beacon", "prefix"), report: filepath.Join(dir, "report")}
	for name, text := range cmakeWorldFiles {
		w.write(name, text)
	}
	return w
}

func (w *cmakeWorld) write(name, text string) {
	w.t.Helper()
	file := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		w.t.Fatal(err)
	}
}

func (w *cmakeWorld) edit(name, old, text string) {
	w.t.Helper()
	w.write(name, strings.ReplaceAll(cmakeWorldFiles[name], old, text))
}

// call runs the script in a directory.
func (w *cmakeWorld) call(dir string, args ...string) (said string, ok bool) {
	w.t.Helper()
	script, err := filepath.Abs("cmake.sh")
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command("sh", append([]string{script}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

// state does what a trial does before its proof.
func (w *cmakeWorld) state() (provided, configured bool) {
	w.t.Helper()
	_, provided = w.call(w.provider, "provide", w.providerBuild, w.at)
	_, configured = w.call(w.consumer, "configure", w.build, "-DCMAKE_PREFIX_PATH="+w.at)
	return provided, configured
}

func (w *cmakeWorld) prove() (string, bool) {
	w.t.Helper()
	said, ok := w.call(w.consumer, "prove", w.build, "package", "Beacon", w.provider, w.at)
	return strings.TrimSpace(said), ok
}

// tests runs the consumer's tests and returns the report.
func (w *cmakeWorld) tests() string {
	w.t.Helper()
	w.call(w.consumer, "test", w.build, w.report, "")
	body, err := os.ReadFile(w.report)
	if err != nil {
		return ""
	}
	return string(body)
}

const cmakePasses = `<testcase name="watch" classname="watch" time=`

// TestCMakeScript calls the script as the image does. It needs CMake, Ninja and
// a C compiler.
func TestCMakeScript(t *testing.T) {
	w := newCMakeWorld(t)
	if provided, configured := w.state(); !provided || !configured {
		t.Fatalf("provided %v, configured %v: are cmake, ninja and cc there?", provided, configured)
	}
	if said, ok := w.prove(); !ok || said != w.provider {
		t.Errorf("the link is not proved: %s", said)
	}
	if said, ok := w.call(w.consumer, "prove", w.build, "either", "Beacon", w.provider, w.at); !ok {
		t.Errorf("the link is not proved as a package or content: %s", said)
	}
	if report := w.tests(); !strings.Contains(report, cmakePasses) || !strings.Contains(report, `status="run"`) {
		t.Errorf("the test does not pass:\n%s", report)
	}
	t.Run("a test that does not compile leaves no executable", func(t *testing.T) {
		w.edit("watch/t.c", "seen(2)", "unseen(2)")
		defer w.edit("watch/t.c", "", "")
		w.state()
		if report := w.tests(); !strings.Contains(report, "Unable to find executable") || strings.Contains(report, `status="run"`) {
			t.Errorf("a stale executable ran:\n%s", report)
		}
	})
	t.Run("tests of the provider that do not compile leave its library", func(t *testing.T) {
		w.edit("beacon/t.c", "range(2)", "rage(2)")
		defer w.edit("beacon/t.c", "", "")
		if provided, configured := w.state(); !provided || !configured {
			t.Errorf("provided %v, configured %v", provided, configured)
		}
		if report := w.tests(); !strings.Contains(report, `status="run"`) {
			t.Errorf("the consumer's test does not run:\n%s", report)
		}
	})
	t.Run("a provider that does not build leaves no library of another state", func(t *testing.T) {
		w.edit("beacon/beacon.c", "return", "retrun")
		defer w.edit("beacon/beacon.c", "", "")
		if provided, configured := w.state(); provided || configured {
			t.Errorf("provided %v, configured %v", provided, configured)
		}
		if said, ok := w.prove(); !ok || said != w.provider {
			t.Errorf("nothing is built from another copy, yet the link is void: %s", said)
		}
		if report := w.tests(); report != "" {
			t.Errorf("a project that is not configured ran tests:\n%s", report)
		}
	})
}

// TestCMakeVoid: every way by which another copy takes the checkout's place
// ends in an error.
func TestCMakeVoid(t *testing.T) {
	const found = "find_package(Beacon REQUIRED)"
	cases := map[string]struct {
		lists string // in place of the consumer's find_package
		spoil func(*cmakeWorld)
		want  string
	}{
		"a path that is tried first": {"find_package(Beacon REQUIRED PATHS ${CMAKE_CURRENT_SOURCE_DIR}/released NO_DEFAULT_PATH)", nil, "Beacon comes from"},
		"a copy when it is not there": {
			"find_package(Beacon QUIET)\nif(NOT Beacon_FOUND)\n  include(released/lib/cmake/Beacon/BeaconConfig.cmake)\nendif()",
			func(w *cmakeWorld) { w.edit("beacon/beacon.c", "return", "retrun"); w.state() }, "does not hold what was installed"},
		"a copy that is included": {"include(released/lib/cmake/Beacon/BeaconConfig.cmake)", nil, "was not looked for"},
		"found, and not used":     {found + "\nadd_library(other INTERFACE)\ntarget_include_directories(other INTERFACE released/include)\nadd_library(Own::beacon ALIAS other)", func(w *cmakeWorld) {}, "nothing is compiled"},
		"a file that was overwritten": {found, func(w *cmakeWorld) {
			w.write("out/beacon/prefix/include/beacon/b.h", "static inline int range(int h) { return 9; }\n")
		}, "does not hold what was installed"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := newCMakeWorld(t)
			lists := strings.ReplaceAll(cmakeWorldFiles["watch/CMakeLists.txt"], found, c.lists)
			if strings.Contains(c.lists, "Own::") {
				lists = strings.ReplaceAll(lists, "target_link_libraries(watch Beacon::beacon)", "target_link_libraries(watch Own::beacon)")
			}
			w.write("watch/CMakeLists.txt", lists)
			if _, configured := w.state(); !configured {
				t.Fatal("the consumer cannot be configured")
			}
			if c.spoil != nil {
				c.spoil(w)
			}
			if said, ok := w.prove(); ok || !strings.Contains(said, c.want) {
				t.Errorf("proved %v, said %q; want an error with %q", ok, said, c.want)
			}
		})
	}
}

// TestCMakeContent: FetchContent takes the checkout, and a package that is
// taken before it makes the link void.
func TestCMakeContent(t *testing.T) {
	const declare = "include(FetchContent)\nFetchContent_Declare(beacon GIT_REPOSITORY https://example.com/b.git)\nFetchContent_MakeAvailable(beacon)\n"
	for name, c := range map[string]struct {
		lists, library string
		holds          bool
	}{
		"the checkout":           {declare, "beacon", true},
		"a package before it":    {"find_package(Beacon QUIET PATHS ${CMAKE_CURRENT_SOURCE_DIR}/released NO_DEFAULT_PATH)\nif(NOT Beacon_FOUND)\n" + declare + "endif()", "Beacon::beacon", false},
		"a copy in the own tree": {declare + "include_directories(BEFORE released/include)\n", "m", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newCMakeWorld(t)
			lists := strings.ReplaceAll(cmakeWorldFiles["watch/CMakeLists.txt"], "find_package(Beacon REQUIRED)", c.lists)
			w.write("watch/CMakeLists.txt", strings.ReplaceAll(lists, "target_link_libraries(watch Beacon::beacon)", "target_link_libraries(watch "+c.library+")"))
			said, ok := w.call(w.consumer, "configure", w.build, "-DFETCHCONTENT_FULLY_DISCONNECTED=ON", "-DFETCHCONTENT_SOURCE_DIR_BEACON="+w.provider)
			if !ok {
				t.Fatalf("the consumer cannot be configured:\n%s", said)
			}
			for _, kind := range []string{"content", "either"} {
				said, ok = w.call(w.consumer, "prove", w.build, kind, "Beacon", w.provider, w.at)
				if ok != c.holds {
					t.Errorf("%s: proved %v, said %q; want %v", kind, ok, said, c.holds)
				}
			}
		})
	}
}
