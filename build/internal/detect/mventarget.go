package detect

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"crossswe/schemas"
)

// MavenTarget is one module whose tests the change touches.
type MavenTarget struct {
	Module MavenModule // at head
	// Classes are the simple names of the test classes to run.
	Classes []string
	// Files are the files of those classes.
	Files []string
	// From says why, for people.
	From string
}

var (
	jvmSource = regexp.MustCompile(`\.(?:java|kt|groovy)$`)
	// jvmTestDir finds the root of test sources within a module.
	jvmTestDir = regexp.MustCompile(`(?:^|/)src/(?:test|it|[A-Za-z0-9-]*[tT]est[A-Za-z0-9-]*)/(?:java|kotlin|groovy)/`)
	jvmTest    = regexp.MustCompile(`@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Theory|Property)\b|\bvoid test\w*\s*\(|@(?:RunWith|Suite|SelectClasses)\b`)
	jvmClass   = regexp.MustCompile(`(?m)^\s*(?:@\w+(?:\([^)]*\))?\s+)*((?:(?:public|abstract|final|open|sealed|strictfp|internal)\s+)*)class\s+(\w+)(?:<[^{]*?>)?([^{]*)`)
	jvmParent  = regexp.MustCompile(`(?:\bextends\s+|:\s*)([\w.]+)`)
)

// wantedJVMTest reports whether a file may be a test class that inference
// reads: the subclasses of a changed one may be anywhere.
func wantedJVMTest(p string) bool { return jvmSource.MatchString(p) && jvmTestDir.MatchString(p) }

// jvmType is the first class of a file.
type jvmType struct {
	file, name, parent string
	abstract, tests    bool
}

func readJVM(file string, body []byte) (jvmType, bool) {
	base := strings.TrimSuffix(path.Base(file), path.Ext(file))
	for _, m := range jvmClass.FindAllSubmatch(body, 50) {
		if string(m[2]) != base {
			continue
		}
		t := jvmType{file: file, name: base, abstract: strings.Contains(string(m[1]), "abstract"), tests: jvmTest.Match(body)}
		if p := jvmParent.FindSubmatch(m[3]); p != nil {
			t.parent = string(p[1][strings.LastIndex(string(p[1]), ".")+1:])
		}
		return t, true
	}
	return jvmType{}, false
}

// MavenTargets returns the modules to test and in each the touched test
// classes. An abstract one is run through its subclasses.
func MavenTargets(r Repo) []MavenTarget {
	mods := MavenModules(r.Head)
	if len(mods) == 0 {
		return nil
	}
	byDir := map[string]*MavenTarget{}
	var types map[string][]jvmType // by parent, read when needed
	for _, f := range r.Files {
		if f.Class != schemas.ClassTest || f.Status == schemas.FileDeleted || !wantedJVMTest(f.Path) {
			continue
		}
		t, ok := readJVM(f.Path, r.Head.Files[f.Path])
		if !ok {
			continue
		}
		run := []jvmType{t}
		if t.abstract {
			if types == nil {
				types = jvmTypes(r.Head)
			}
			run = concrete(types, t.name, map[string]bool{})
		}
		for _, t := range run {
			addMaven(byDir, mods, t)
		}
	}
	var all []MavenTarget
	for _, dir := range slices.Sorted(maps.Keys(byDir)) {
		t := byDir[dir]
		slices.Sort(t.Classes)
		slices.Sort(t.Files)
		t.Classes, t.Files = slices.Compact(t.Classes), slices.Compact(t.Files)
		all = append(all, *t)
	}
	return all
}

// addMaven adds a class that holds tests, or inherits some, to its module.
func addMaven(byDir map[string]*MavenTarget, mods []MavenModule, t jvmType) {
	mod, ok := MavenModuleOf(mods, parent(t.file))
	if !ok || !t.tests && !looksLikeTest(t.name) {
		return
	}
	if byDir[mod.Dir] == nil {
		byDir[mod.Dir] = &MavenTarget{Module: mod}
	}
	target := byDir[mod.Dir]
	target.Classes = append(target.Classes, t.name)
	target.Files = append(target.Files, t.file)
}

var testName = regexp.MustCompile(`^Test[A-Z0-9]|(?:Test|Tests|TestCase|IT|ITCase)$`)

// looksLikeTest knows the names that Surefire and Failsafe take by themselves.
func looksLikeTest(class string) bool { return testName.MatchString(class) }

// jvmTypes indexes the test classes of a tree by their parents.
func jvmTypes(t Tree) map[string][]jvmType {
	byParent := map[string][]jvmType{}
	for _, p := range t.Paths {
		if body, ok := t.Files[p]; ok && wantedJVMTest(p) {
			if typ, ok := readJVM(p, body); ok && typ.parent != "" {
				byParent[typ.parent] = append(byParent[typ.parent], typ)
			}
		}
	}
	return byParent
}

// maxSubclasses bounds the subclasses that stand for an abstract class.
const maxSubclasses = 20

// concrete returns the classes below a name that can be run.
func concrete(byParent map[string][]jvmType, name string, seen map[string]bool) []jvmType {
	var all []jvmType
	for _, t := range byParent[name] {
		if seen[t.file] || len(all) >= maxSubclasses {
			continue
		}
		seen[t.file] = true
		if t.abstract {
			all = append(all, concrete(byParent, t.name, seen)...)
			continue
		}
		t.tests = true
		all = append(all, t)
	}
	return all
}

// Gradle reports whether a tree is built with Gradle alone, and the file that
// says so.
func Gradle(t Tree) (string, bool) {
	if len(MavenModules(t)) > 0 {
		return "", false
	}
	for _, p := range t.Paths {
		switch path.Base(p) {
		case "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts":
			if !vendored(p) {
				return p, true
			}
		}
	}
	return "", false
}
