package link

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"crossswe/build/internal/detect"
	"crossswe/schemas"
)

// cmakeRepo is a repository with a CMakeLists.txt at base and at head.
func cmakeRepo(name schemas.RepoName, base, head string) detect.Repo {
	return detect.Repo{Name: name, Dir: name.Name(), Base: tree(map[string]string{"CMakeLists.txt": base}), Head: tree(map[string]string{"CMakeLists.txt": head})}
}

const cmakeLibrary = "project(Beacon VERSION 1.4)\noption(BEACON_TESTS \"\" OFF)\ninstall(EXPORT B FILE BeaconConfig.cmake DESTINATION lib)\n"

func TestPlanCMakePackage(t *testing.T) {
	p := PlanCMake([]detect.Repo{
		cmakeRepo("a/beacon", cmakeLibrary, strings.Replace(cmakeLibrary, "1.4", "1.5", 1)),
		cmakeRepo("b/watch", "project(watch)\nfind_package(Beacon 1.4)\nfind_package(OpenSSL)", "project(watch)\nfind_package(Beacon 1.5 REQUIRED)"),
		cmakeRepo("c/extension", "project(extension C)", "project(extension C)"), // nothing needs it
	})
	const watch, beacon, prefix = "/var/crossswe/cmake/watch/build", "/var/crossswe/cmake/beacon/build", "/var/crossswe/cmake/beacon/prefix"
	links := []schemas.LinkSpec{{Ecosystem: CMake, Consumer: "b/watch", Provider: "a/beacon", Name: "Beacon", Versions: []string{"1.4", "1.5"}, Want: "/testbed/beacon",
		Prove: schemas.Command{Run: []string{"sh", CMakeScript, "prove", watch, "package", "Beacon", "/testbed/beacon", prefix}}}}
	if diff := cmp.Diff(links, p.Links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	rebuild := [][]schemas.Command{
		{{Run: []string{"sh", CMakeScript, "provide", beacon, prefix, "-DBUILD_TESTING=ON", "-DFETCHCONTENT_FULLY_DISCONNECTED=ON", "-DBEACON_TESTS=ON"}}},
		{{Run: []string{"sh", CMakeScript, "configure", watch, "-DBUILD_TESTING=ON", "-DFETCHCONTENT_FULLY_DISCONNECTED=ON", "-DCMAKE_PREFIX_PATH=" + prefix, "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF"}}},
		nil,
	}
	if diff := cmp.Diff(rebuild, p.Rebuild); diff != "" {
		t.Errorf("rebuild (-want +got):\n%s", diff)
	}
}

func TestPlanCMakeContent(t *testing.T) {
	declare := "project(watch)\nFetchContent_Declare(TheBeacon GIT_REPOSITORY https://github.com/A/Beacon GIT_TAG v1.4)\n" +
		"FetchContent_Declare(googletest URL https://example.com/g.zip)\nFetchContent_Declare(Json GIT_REPOSITORY https://example.com/j GIT_TAG v3 GIT_SHALLOW ON)\n"
	p := PlanCMake([]detect.Repo{cmakeRepo("a/beacon", "project(Beacon)", "project(Beacon)"), cmakeRepo("b/watch", declare, strings.Replace(declare, "v3", "v4", 1))})
	links := []schemas.LinkSpec{{Ecosystem: CMake, Consumer: "b/watch", Provider: "a/beacon", Name: "thebeacon", Versions: []string{"v1.4"}, Want: "/testbed/beacon",
		Prove: schemas.Command{Run: []string{"sh", CMakeScript, "prove", "/var/crossswe/cmake/watch/build", "content", "thebeacon", "/testbed/beacon"}}}}
	if diff := cmp.Diff(links, p.Links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	setup := [][]schemas.Command{nil, {{Run: []string{"cmake", "-DNAME=json", "-DDIR=/deps/cmake/out/watch/json", "-DARGS=GIT_REPOSITORY;https://example.com/j;GIT_TAG;v4", "-P", CMakeFetch}}}}
	if diff := cmp.Diff(setup, p.Setup, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("setup (-want +got):\n%s", diff)
	}
	args := strings.Join(p.Rebuild[1][0].Run, "\n")
	for _, want := range []string{"_THEBEACON=/testbed/beacon", "_GOOGLETEST=/usr/src/googletest", "_JSON=/var/crossswe/cmake/content/watch/json"} {
		if !strings.Contains(args+"\n", "-DFETCHCONTENT_SOURCE_DIR"+want+"\n") {
			t.Errorf("no %s among\n%s", want, args)
		}
	}
}

// TestPlanCMakeEither: content where no package is found is one link.
func TestPlanCMakeEither(t *testing.T) {
	lists := "project(watch)\nfind_package(Beacon QUIET)\nif(NOT Beacon_FOUND)\nFetchContent_Declare(beacon GIT_REPOSITORY https://github.com/a/beacon GIT_TAG v1.3)\nendif()"
	p := PlanCMake([]detect.Repo{cmakeRepo("a/beacon", cmakeLibrary, cmakeLibrary), cmakeRepo("b/watch", lists, lists)})
	links := []schemas.LinkSpec{{Ecosystem: CMake, Consumer: "b/watch", Provider: "a/beacon", Name: "Beacon", Versions: []string{"1.4", "v1.3"}, Want: "/testbed/beacon",
		Prove: schemas.Command{Run: []string{"sh", CMakeScript, "prove", "/var/crossswe/cmake/watch/build", "either", "Beacon", "/testbed/beacon", "/var/crossswe/cmake/beacon/prefix"}}}}
	if diff := cmp.Diff(links, p.Links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}

// TestPlanCMakeNone: names that merely resemble make no link.
func TestPlanCMakeNone(t *testing.T) {
	for name, lists := range map[string]string{
		"another package":    "find_package(BeaconTools)",
		"another repository": "FetchContent_Declare(beacon GIT_REPOSITORY https://github.com/z/beacon)",
		"an owner's other":   "FetchContent_Declare(beacon GIT_REPOSITORY https://github.com/a/beacon-tools)",
	} {
		t.Run(name, func(t *testing.T) {
			p := PlanCMake([]detect.Repo{cmakeRepo("a/beacon", cmakeLibrary, cmakeLibrary), cmakeRepo("b/watch", "project(watch)\n"+lists, "project(watch)\n"+lists)})
			if len(p.Links) > 0 {
				t.Errorf("links %+v", p.Links)
			}
		})
	}
}
