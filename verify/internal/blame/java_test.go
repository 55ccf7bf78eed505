package blame

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

func javaWorld(patched bool) World {
	sources := map[string]string{
		"/testbed/cons/src/main/java/com/acme/cons/Uses.java": "package com.acme.cons;\n\nimport com.acme.prov.Maker;\nimport java.util.List;\n",
		"/testbed/cons/src/main/java/com/acme/cons/Own.java":  "package com.acme.cons;\n\nimport java.util.List;\n",
	}
	return World{
		Root: "/testbed/cons", Dir: "/testbed/cons", Patched: patched,
		Packages: []string{"com.acme.cons", "com.acme.shared"},
		Siblings: []Sibling{{Dir: "/testbed/prov", Names: []string{"com.acme:prov"}, Packages: []string{"com.acme.prov", "com.acme.shared"}}},
		Source:   func(file string) []byte { return []byte(sources[file]) },
	}
}

func TestJava(t *testing.T) {
	const uses, own = "[ERROR] /testbed/cons/src/main/java/com/acme/cons/Uses.java:[9,28] ", "[ERROR] /testbed/cons/src/main/java/com/acme/cons/Own.java:[9,28] "
	for name, c := range map[string]struct {
		text    string
		patched bool
		want    schemas.Failure
	}{
		"a class that the sibling's package lacks":   {own + "cannot find symbol\n  symbol:   class Fresh\n  location: package com.acme.prov\n", false, schemas.FailureCompileSibling},
		"a method that the sibling's class lacks":    {uses + "cannot find symbol\n[ERROR]   symbol:   method fresh(int)\n[ERROR]   location: class com.acme.prov.Maker\n", false, schemas.FailureCompileSibling},
		"a method of a variable of the sibling's":    {uses + "cannot find symbol\n  symbol:   method fresh()\n  location: variable m of type Maker\n", false, schemas.FailureCompileSibling},
		"arguments that the sibling does not take":   {uses + "method make in class com.acme.prov.Maker cannot be applied to given types;\n", false, schemas.FailureCompileSibling},
		"a package that both have":                   {own + "cannot find symbol\n  symbol:   class X\n  location: package com.acme.shared\n", false, schemas.FailureCompileOwn},
		"the test's own gold is missing":             {uses + "cannot find symbol\n  symbol:   method mine()\n  location: class com.acme.cons.Own\n", false, schemas.FailureCompileOwn},
		"an own type lacks what it inherits":         {uses + "cannot find symbol\n  symbol:   method fresh()\n  location: class com.acme.cons.Own\n", true, schemas.FailureCompileSibling},
		"an own file that knows no sibling":          {own + "cannot find symbol\n  symbol:   method fresh()\n  location: class com.acme.cons.Own\n", true, schemas.FailureCompileOwn},
		"the sibling itself does not compile":        {"[ERROR] /testbed/prov/src/main/java/com/acme/prov/Maker.java:[1,2] ';' expected\n", false, schemas.FailureCompileSibling},
		"kotlin":                                     {"e: file:///testbed/cons/src/main/kotlin/A.kt:3:5 Unresolved reference: com.acme.prov.fresh\n", false, schemas.FailureCompileSibling},
		"nothing resolves":                           {"[ERROR] Failed to execute goal on project cons: Could not resolve dependencies for project com.acme:cons:jar:1: Cannot access central in offline mode\n", false, schemas.FailureResolution},
		"no parent":                                  {"[FATAL] Non-resolvable parent POM for com.acme:cons:1: Could not find artifact com.acme:parent:pom:1\n", false, schemas.FailureResolution},
		"resolution, and the sibling":                {"Could not find artifact a:b:jar:1\n" + own + "package com.acme.prov.fresh does not exist\n  location: package com.acme.prov\n", false, schemas.FailureCompileSibling},
		"linked against what is not there":           {"java.lang.NoSuchMethodError: 'void com.acme.prov.Maker.fresh()'\n\tat com.acme.cons.T.up(T.java:4)\n", false, schemas.FailureCompileSibling},
		"linked against its own, which is not there": {"java.lang.NoClassDefFoundError: com/acme/cons/Gone\n", false, schemas.FailureCompileOwn},
		"a third party's class is not there":         {"java.lang.NoClassDefFoundError: org/else/Gone\n", false, ""},
		"a crash":                                    {"[ERROR] The forked VM terminated without properly saying goodbye.\n", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := Load(schemas.RunnerSurefire, []byte(c.text), javaWorld(c.patched))
			if got != c.want {
				t.Errorf("%q is %q, want %q", c.text, got, c.want)
			}
		})
	}
}

func TestJavaPackages(t *testing.T) {
	got := JavaPackages([]string{"/testbed/java/src/main/java/com/acme", "/testbed/java/src/main/java/com/acme", "/testbed/java/core/src/test/kotlin/a", "/testbed/java/src/main/resources/x", ""})
	if diff := cmp.Diff([]string{"a", "com.acme"}, got); diff != "" {
		t.Errorf("packages (-want +got):\n%s", diff)
	}
}

func FuzzJava(f *testing.F) {
	f.Add("[ERROR] /testbed/cons/A.java:[1,2] cannot find symbol\n  symbol: class X\n")
	f.Add("e: /a.kt:1:2: x\nNoSuchMethodError: 'a.B.c()'")
	f.Fuzz(func(t *testing.T, text string) {
		if got, _ := Load(schemas.RunnerSurefire, []byte(text), javaWorld(true)); weight[got] == 0 && got != "" {
			t.Errorf("%q is %q", text, got)
		}
	})
}
