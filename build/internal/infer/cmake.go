package infer

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"crossswe/build/internal/detect"
	"crossswe/build/internal/link"
	"crossswe/build/internal/recipe"
	"crossswe/schemas"
)

// cmakeVersion is that of Debian bookworm, from where the tools come.
const cmakeVersion = "3.25"

// cmakeTools are the packages without which nothing is built.
var cmakeTools = []string{"ca-certificates", "git", "g++", "cmake", "ninja-build", "make", "pkg-config"}

// cmakeLibraries are Debian's packages for what find_package names, and for
// what FetchContent declares of test frameworks.
var cmakeLibraries = map[string][]string{
	"benchmark": {"libbenchmark-dev"}, "boost": {"libboost-all-dev"}, "bzip2": {"libbz2-dev"}, "catch2": {"catch2"},
	"cpprestsdk": {"libcpprest-dev"}, "curl": {"libcurl4-openssl-dev"}, "doctest": {"doctest-dev"}, "eigen3": {"libeigen3-dev"},
	"expat": {"libexpat1-dev"}, "fmt": {"libfmt-dev"}, "gflags": {"libgflags-dev"}, "glog": {"libgoogle-glog-dev"},
	"gtest": {"libgtest-dev", "libgmock-dev"}, "googletest": {"googletest"}, "jpeg": {"libjpeg-dev"}, "libevent": {"libevent-dev"},
	"liblzma": {"liblzma-dev"}, "libxml2": {"libxml2-dev"}, "nlohmann_json": {"nlohmann-json3-dev"}, "openssl": {"libssl-dev"},
	"png": {"libpng-dev"}, "protobuf": {"libprotobuf-dev", "protobuf-compiler"}, "rapidjson": {"rapidjson-dev"}, "spdlog": {"libspdlog-dev"},
	"sqlite3": {"libsqlite3-dev"}, "tbb": {"libtbb-dev"}, "yaml-cpp": {"libyaml-cpp-dev"}, "zlib": {"zlib1g-dev"}, "zstd": {"libzstd-dev"},
	"libuv": {"libuv1-dev"}, "perl": {"perl"}, "python3": {"python3"}, "pythoninterp": {"python3"}, "lua": {"liblua5.4-dev"},
}

func (b *inference) hasCMake() bool {
	return slices.ContainsFunc(b.repos, func(r detect.Repo) bool { return len(detect.CMakeProjects(r.Head)) > 0 })
}

func (b *inference) cmakeMatters() bool {
	return len(link.PlanCMake(b.repos).Links) > 0 ||
		slices.ContainsFunc(b.repos, func(r detect.Repo) bool { return len(detect.CMakeTargets(r)) > 0 })
}

// cmake adds the C and C++ side of the spec.
func (b *inference) cmake() error {
	if b.spec.Base == "" {
		b.spec.Base = schemas.ImageRef(b.opt.Images.CMake)
		b.guess("base", "build.cmake_image of the configuration")
	}
	b.spec.Toolchains = append(b.spec.Toolchains, schemas.Toolchain{Name: "cmake", Version: cmakeVersion})
	b.guess("toolchains[cmake].version", "Debian's, with its g++ and ninja")
	for _, r := range b.repos {
		for _, p := range detect.CMakeProjects(r.Head) {
			if p.Dir == "" && newer(p.Minimum, cmakeVersion) {
				return &Refusal{schemas.BuildNoToolchain, fmt.Sprintf("%s asks for CMake %s, and Debian has %s", r.Name, p.Minimum, cmakeVersion)}
			}
		}
	}
	plan := link.PlanCMake(b.repos)
	b.adopt(plan.Plan)
	b.debian(plan.Links)
	for i, r := range b.repos {
		b.spec.Repos[i].Setup = append(b.spec.Repos[i].Setup, plan.Setup[i]...)
		b.spec.Repos[i].Rebuild = append(b.spec.Repos[i].Rebuild, plan.Rebuild[i]...)
		for n, t := range detect.CMakeTargets(r) {
			b.spec.Repos[i].Targets = append(b.spec.Repos[i].Targets, cmakeTarget(r, t, n))
			b.guess(fmt.Sprintf("repos[%s].targets[%s]", r.Name, cmakeName(t)), "the tests of the directory of %d changed test files, the first %s", len(t.Files), t.Files[0])
		}
	}
	return nil
}

// newer reports whether version a is above b.
func newer(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		x, errX := strconv.Atoi(as[i])
		y, errY := strconv.Atoi(bs[i])
		if errX != nil || errY != nil {
			return false
		}
		if x != y {
			return x > y
		}
	}
	return false
}

// debian adds the packages: tools, libraries that CI installs, and those of
// what the projects look for. A package that holds a sibling is left out: its
// files could take the checkout's place.
func (b *inference) debian(links []schemas.LinkSpec) {
	add := func(from string, names ...string) {
		for _, name := range names {
			if !slices.Contains(b.spec.Packages, name) && !holdsSibling(name, links) {
				b.spec.Packages = append(b.spec.Packages, name)
				b.guess("packages["+name+"]", "%s", from)
			}
		}
	}
	for _, name := range cmakeTools {
		if !slices.Contains(b.spec.Packages, name) {
			b.spec.Packages = append(b.spec.Packages, name)
		}
	}
	b.guess("packages", "what CMake needs")
	for _, r := range b.repos {
		add("the CI of "+string(r.Name), detect.DebianPackages(r.Head)...)
		for _, t := range []detect.Tree{r.Base, r.Head} {
			for _, p := range detect.CMakeProjects(t) {
				for _, name := range wants(p) {
					add(fmt.Sprintf("%s of %s", name, r.Name), cmakeLibraries[strings.ToLower(name)]...)
				}
			}
		}
	}
}

// wants lists what a project looks for, and GoogleTest when it is declared.
func wants(p detect.CMakeProject) []string {
	var names []string
	for name := range p.Finds {
		names = append(names, name)
	}
	for _, f := range p.Fetches {
		if strings.EqualFold(f.Name, "googletest") || strings.EqualFold(f.Name, "gtest") {
			names = append(names, "googletest")
		}
	}
	slices.Sort(names)
	return names
}

// holdsSibling reports whether a Debian package is that of a sibling:
// libfmt-dev of fmt.
func holdsSibling(name string, links []schemas.LinkSpec) bool {
	bare := plainName(strings.TrimSuffix(strings.TrimPrefix(name, "lib"), "-dev"))
	return slices.ContainsFunc(links, func(l schemas.LinkSpec) bool {
		if l.Ecosystem != link.CMake {
			return false
		}
		return bare == plainName(l.Name) || bare == plainName(l.Provider.Name()) || plainName(name) == plainName(l.Name) ||
			slices.Contains(cmakeLibraries[strings.ToLower(l.Name)], name)
	})
}

// plainName leaves the letters of a name.
func plainName(s string) string {
	s = strings.TrimPrefix(strings.ToLower(s), "lib")
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, s)
}

func cmakeName(t detect.CMakeTarget) string {
	if t.Dir == "" {
		return "ctest"
	}
	return t.Dir
}

// ctestTimeout bounds one test: below the stage's limit, so that one that
// hangs is named.
const ctestTimeout = "120"

func cmakeTarget(r detect.Repo, t detect.CMakeTarget, n int) schemas.Target {
	report := path.Join(recipe.ReportsDir, fmt.Sprintf("%s-ctest-%d", r.Dir, n+1))
	return schemas.Target{
		Name: cmakeName(t), Runner: schemas.RunnerCTest, Files: t.Files, Report: report,
		Command: schemas.Command{Dir: t.Project.Dir, Run: []string{"sh", link.CMakeScript, "test", link.CMakeBuild(r, t.Project.Dir), report, t.Relative(), "--timeout", ctestTimeout}},
	}
}
