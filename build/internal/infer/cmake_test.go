package infer

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/build/internal/detect"
	"crossswe/build/internal/link"
	"crossswe/schemas"
)

func cmakeSet(minimum string) []detect.Repo {
	return []detect.Repo{
		repo("a/libbeacon", "libbeacon", map[string]string{"CMakeLists.txt": "project(Beacon VERSION 1.4)\ninstall(EXPORT B FILE BeaconConfig.cmake DESTINATION lib)\nfind_package(ZLIB)\n"}, "src/b.cpp"),
		repo("b/watch", "watch", map[string]string{
			"CMakeLists.txt":       "cmake_minimum_required(VERSION " + minimum + ")\nproject(watch)\nfind_package(Beacon)\nfind_package(GTest)\nenable_testing()\nadd_subdirectory(tests)",
			"tests/CMakeLists.txt": "gtest_discover_tests(a)", "tests/a_test.cpp": "",
			".github/workflows/ci.yml": "jobs: {a: {steps: [{run: apt-get install libbeacon-dev libssl-dev}]}}",
		}, "tests/a_test.cpp"),
	}
}

func cmakeCandidate() schemas.Candidate {
	return schemas.Candidate{ID: "x", Sides: []schemas.Side{{Repo: "a/libbeacon"}, {Repo: "b/watch"}}}
}

func TestCMake(t *testing.T) {
	s, err := Spec(cmakeCandidate(), cmakeSet("3.16"), Options{Images: Images{CMake: "debian:bookworm-slim"}, History: schemas.HistoryNone})
	if err != nil {
		t.Fatal(err)
	}
	want := append(slices.Clone(cmakeTools), "zlib1g-dev", "libssl-dev", "libgtest-dev", "libgmock-dev")
	if diff := cmp.Diff(want, s.Packages); diff != "" {
		t.Errorf("packages (-want +got): the sibling's must not be there\n%s", diff)
	}
	if s.Base != "debian:bookworm-slim" || len(s.Links) != 1 || s.Links[0].Ecosystem != link.CMake {
		t.Errorf("base %s, links %+v", s.Base, s.Links)
	}
	targets := []schemas.Target{{Name: "tests", Runner: schemas.RunnerCTest, Report: "/var/crossswe/reports/watch-ctest-1", Files: []string{"tests/a_test.cpp"},
		Command: schemas.Command{Run: []string{"sh", "/var/crossswe/cmake/cmake.sh", "test", "/var/crossswe/cmake/watch/build", "/var/crossswe/reports/watch-ctest-1", "tests", "--timeout", "120"}}}}
	if diff := cmp.Diff(targets, s.Repos[1].Targets); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
}

func TestCMakeTooNew(t *testing.T) {
	_, err := Spec(cmakeCandidate(), cmakeSet("3.28"), Options{Images: Images{CMake: "debian:bookworm-slim"}})
	var refusal *Refusal
	if !errors.As(err, &refusal) || refusal.Reason != schemas.BuildNoToolchain {
		t.Errorf("got %v, want %s", err, schemas.BuildNoToolchain)
	}
}
