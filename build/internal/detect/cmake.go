package detect

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// CMakeProject is a tree of CMakeLists.txt files that is configured at once.
type CMakeProject struct {
	// Dir is the directory of the outermost CMakeLists.txt.
	Dir string
	// Names are those of its project commands, the outermost first.
	Names   []string
	Version string
	// Minimum is the version of CMake that it asks for.
	Minimum string
	// Packages are the packages that it installs a configuration for.
	Packages []string
	// Finds maps the packages that it looks for to the versions that it asks
	// for, "" for any.
	Finds map[string]string
	// Fetches are what FetchContent declares.
	Fetches []CMakeFetch
	// TestOptions are the options about tests that are off by default.
	TestOptions []string
	// Tests says that CTest knows of tests.
	Tests bool
	// testDirs are the directories whose CMakeLists.txt declares tests.
	testDirs map[string]bool
}

// CMakeFetch is a FetchContent_Declare.
type CMakeFetch struct {
	Name string
	// Args are those that say where the content comes from.
	Args []string
}

// Repository is the git repository that the content comes from, "" for none.
func (f CMakeFetch) Repository() string { return f.value("GIT_REPOSITORY") }

// Version is the tag or the archive that is asked for.
func (f CMakeFetch) Version() string {
	if tag := f.value("GIT_TAG"); tag != "" {
		return tag
	}
	return f.value("URL")
}

func (f CMakeFetch) value(word string) string {
	if i := slices.Index(f.Args, word); i >= 0 && i+1 < len(f.Args) {
		return f.Args[i+1]
	}
	return ""
}

const cmakeLists = "CMakeLists.txt"

// wantedCMake reports whether inference reads a file of CMake.
func wantedCMake(p string) bool { return path.Base(p) == cmakeLists || path.Ext(p) == ".cmake" }

// CMakeProjects returns the projects of a tree, by directory.
func CMakeProjects(t Tree) []CMakeProject {
	var dirs []string
	for _, p := range t.Paths {
		if path.Base(p) == cmakeLists && !vendored(p) {
			dirs = append(dirs, parent(p))
		}
	}
	slices.SortFunc(dirs, byDepth)
	var projects []CMakeProject
	for _, d := range dirs {
		if _, inner := CMakeProjectOf(projects, d); !inner {
			projects = append(projects, CMakeProject{Dir: d, Finds: map[string]string{}, testDirs: map[string]bool{}})
		}
	}
	for i := range projects {
		projects[i].read(t)
	}
	return slices.DeleteFunc(projects, func(p CMakeProject) bool { return len(p.Names) == 0 })
}

func byDepth(a, b string) int {
	if d := depthOf(a) - depthOf(b); d != 0 {
		return d
	}
	return strings.Compare(a, b)
}

func depthOf(dir string) int {
	if dir == "" {
		return 0
	}
	return strings.Count(dir, "/") + 1
}

// CMakeProjectOf returns the project that a directory lies in.
func CMakeProjectOf(all []CMakeProject, dir string) (CMakeProject, bool) {
	i := slices.IndexFunc(all, func(p CMakeProject) bool { return within(p.Dir, dir) })
	if i < 0 {
		return CMakeProject{}, false
	}
	return all[i], true
}

// read reads the project's files, outer ones first, so that inner ones know
// what outer ones set.
func (p *CMakeProject) read(t Tree) {
	var files []string
	for file := range t.Files {
		if wantedCMake(file) && within(p.Dir, parent(file)) && !vendored(file) {
			files = append(files, file)
		}
	}
	slices.SortFunc(files, func(a, b string) int {
		if lists := boolInt(path.Base(b) == cmakeLists) - boolInt(path.Base(a) == cmakeLists); lists != 0 {
			return lists
		}
		return byDepth(a, b)
	})
	vars := cmakeVariables{}
	for _, file := range files {
		for _, c := range ParseCMake(t.Files[file]) {
			vars.note(c)
			for i, a := range c.Args {
				c.Args[i] = vars.expand(a)
			}
			p.note(c, file)
		}
	}
	p.configs(t)
	slices.Sort(p.Packages)
	p.Packages = slices.Compact(p.Packages)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

var (
	cmakeNumber = regexp.MustCompile(`^\d+(?:\.\d+){0,3}`)
	testOption  = regexp.MustCompile(`(?i)(^|_)(unit_?)?tests?(ing)?(_|$)|buildtests`)
	otherOption = regexp.MustCompile(`(?i)cover|sanit|fuzz|bench|perf|install|valgrind|package|integration|system|docs?$`)
)

// note takes over what one command says.
func (p *CMakeProject) note(c CMakeCall, file string) {
	if len(c.Args) == 0 {
		p.Tests = p.Tests || c.Name == "enable_testing"
		return
	}
	switch c.Name {
	case "project":
		p.Names = append(p.Names, c.Args[0])
		if i := keyword(c.Args, "VERSION"); i > 0 && p.Version == "" {
			p.Version = cmakeNumber.FindString(c.Args[i])
		}
	case "cmake_minimum_required":
		if i := keyword(c.Args, "VERSION"); i == 0 && len(c.Args) > 1 && c.Args[0] == "VERSION" && p.Minimum == "" {
			p.Minimum = cmakeNumber.FindString(c.Args[1])
		}
	case "find_package", "find_dependency":
		p.find(c.Args)
	case "fetchcontent_declare":
		p.Fetches = append(p.Fetches, CMakeFetch{c.Args[0], sourceArgs(c.Args[1:])})
	case "option":
		on := len(c.Args) > 2 && (c.Args[2] == "ON" || c.Args[2] == "TRUE" || c.Args[2] == "1")
		if !on && testOption.MatchString(c.Args[0]) && !otherOption.MatchString(c.Args[0]) {
			p.TestOptions = append(p.TestOptions, c.Args[0])
		}
	case "install":
		if i := keyword(c.Args, "FILE"); i > 0 && c.Args[0] == "EXPORT" {
			p.config(c.Args[i])
		}
	case "include":
		p.Tests = p.Tests || c.Args[0] == "CTest"
	case "add_test", "gtest_discover_tests", "catch_discover_tests", "doctest_discover_tests", "gtest_add_tests":
		p.Tests = true
		p.testDirs[parent(file)] = true
	}
}

func (p *CMakeProject) find(args []string) {
	version := ""
	if len(args) > 1 {
		version = cmakeNumber.FindString(args[1])
	}
	if old, ok := p.Finds[args[0]]; !ok || old == "" {
		p.Finds[args[0]] = version
	}
}

// sourceKeys are the arguments of FetchContent_Declare that say what is
// fetched, each with one value.
var sourceKeys = []string{"GIT_REPOSITORY", "GIT_TAG", "URL", "URL_HASH", "URL_MD5", "SOURCE_SUBDIR"}

func sourceArgs(args []string) []string {
	var kept []string
	for i := 0; i+1 < len(args); i++ {
		if slices.Contains(sourceKeys, args[i]) {
			kept = append(kept, args[i], args[i+1])
			i++
		}
	}
	return kept
}

var packageConfig = regexp.MustCompile(`^([A-Za-z][\w.+-]*?)(?:Config|-config)\.cmake(?:\.in)?$`)

// config notes a package by its configuration's file name.
func (p *CMakeProject) config(file string) {
	if m := packageConfig.FindStringSubmatch(path.Base(file)); m != nil {
		p.Packages = append(p.Packages, m[1])
	}
}

// configs notes the templates of configurations.
func (p *CMakeProject) configs(t Tree) {
	for _, file := range t.Paths {
		name := path.Base(file)
		if !within(p.Dir, parent(file)) || vendored(file) || packageConfig.FindStringSubmatch(name) == nil {
			continue
		}
		if strings.EqualFold(name, "config.cmake.in") || strings.EqualFold(name, "cmake-config.cmake.in") {
			continue
		}
		p.config(name)
	}
}

// TestDirs are the directories that declare tests, sorted.
func (p CMakeProject) TestDirs() []string { return slices.Sorted(maps.Keys(p.testDirs)) }
