package detect

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

func treeOf(files map[string]string) Tree {
	t := Tree{Paths: slices.Sorted(maps.Keys(files)), Files: map[string][]byte{}}
	for p, body := range files {
		t.Files[p] = []byte(body)
	}
	return t
}

const rootPOM = `<?xml version="1.0"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <parent><groupId>org.out</groupId><artifactId>outside</artifactId><version>9-SNAPSHOT</version><relativePath/></parent>
  <groupId>com.acme</groupId><artifactId>root</artifactId><version>${revision}</version><packaging>pom</packaging>
  <modules><module>core</module><module>tools/pom.xml</module></modules>
  <properties><revision>1.2.0</revision><lib.version>3.1</lib.version><loop>${pool}</loop><pool>${loop}</pool><javac.src.version>1.6</javac.src.version></properties>
  <dependencyManagement><dependencies>
    <dependency><groupId>org.lib</groupId><artifactId>bom</artifactId><version>${lib.version}</version><type>pom</type><scope>import</scope></dependency>
  </dependencies></dependencyManagement>
  <profiles><profile><id>new-jdk</id><activation><jdk>[14,)</jdk></activation><modules><module>extra</module></modules></profile></profiles>
</project>`

const corePOM = `<project>
  <parent><groupId>com.acme</groupId><artifactId>root</artifactId><version>1.2.0</version></parent>
  <artifactId>core</artifactId>
  <dependencies>
    <dependency><groupId>org.lib</groupId><artifactId>a</artifactId></dependency>
    <dependency><groupId>org.lib</groupId><artifactId>b</artifactId><version>${outside.version}</version></dependency>
    <dependency><groupId>${project.groupId}</groupId><artifactId>tools</artifactId><version>${project.version}</version><type>test-jar</type></dependency>
    <dependency><groupId>org.lib</groupId><artifactId>c</artifactId><version>${loop}</version></dependency>
  </dependencies>
</project>`

func TestMavenModules(t *testing.T) {
	got := MavenModules(treeOf(map[string]string{
		"pom.xml": rootPOM, "core/pom.xml": corePOM,
		"tools/pom.xml":                       `<project><parent><groupId>com.acme</groupId><artifactId>root</artifactId><version>1.2.0</version></parent><artifactId>tools</artifactId><version>7</version></project>`,
		"core/src/test/resources/it/pom.xml":  corePOM,
		"vendor/x/pom.xml":                    corePOM,
		"broken/pom.xml":                      "<project><artifactId>x",
		"other/pom.xml":                       "<settings><artifactId>x</artifactId></settings>",
		"core/src/main/java/com/acme/Pom.xml": "",
	}))
	root := MavenName{"com.acme", "root"}
	want := []MavenModule{
		{MavenName: root, Version: "1.2.0", Packaging: "pom", Modules: []string{"core", "tools", "extra"},
			Needs: []MavenNeed{
				{MavenName: MavenName{"org.out", "outside"}, Version: "9-SNAPSHOT", Type: "pom", Parent: true},
				{MavenName: MavenName{"org.lib", "bom"}, Version: "3.1", Type: "pom", Managed: true},
			},
			Profiles:   []MavenProfile{{"new-jdk", "[14,)"}},
			Properties: map[string]string{"revision": "1.2.0", "lib.version": "3.1", "loop": "${pool}", "pool": "${loop}", "javac.src.version": "1.6"}},
		{MavenName: MavenName{"com.acme", "core"}, Dir: "core", Version: "1.2.0", Packaging: "jar", hasUp: true,
			Needs: []MavenNeed{
				{MavenName: root, Version: "1.2.0", Type: "pom", Parent: true},
				{MavenName: MavenName{"org.lib", "a"}},
				{MavenName: MavenName{"org.lib", "b"}},
				{MavenName: MavenName{"com.acme", "tools"}, Version: "1.2.0", Type: "test-jar"},
				{MavenName: MavenName{"org.lib", "c"}},
			}},
		{MavenName: MavenName{"com.acme", "tools"}, Dir: "tools", Version: "7", Packaging: "jar", hasUp: true,
			Needs: []MavenNeed{{MavenName: root, Version: "1.2.0", Type: "pom", Parent: true}}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(MavenModule{})); diff != "" {
		t.Errorf("modules (-want +got):\n%s", diff)
	}
	for dir, root := range map[string]string{"": "", "core": "", "tools": "", "alone": "alone"} {
		if r := MavenRoot(got, dir); r != root {
			t.Errorf("MavenRoot(%q) = %q, want %q", dir, r, root)
		}
	}
}

func TestChooseJava(t *testing.T) {
	repo := func(files map[string]string) Repo { return Repo{Name: "o/r", Head: treeOf(files)} }
	workflow := func(versions string) string {
		return "jobs:\n  a:\n    strategy:\n      matrix:\n        java: " + versions + "\n"
	}
	pom := func(properties string) string {
		return "<project><artifactId>a</artifactId><properties>" + properties + "</properties></project>"
	}
	at := time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		repos []Repo
		want  int
	}{
		"newest in common": {[]Repo{
			repo(map[string]string{"pom.xml": pom(""), ".github/workflows/ci.yml": workflow("[8, 11, 17, 21]")}),
			repo(map[string]string{"pom.xml": pom(""), ".github/workflows/ci.yml": workflow("['11', '17-ea', 25]")})}, 17},
		"travis": {[]Repo{repo(map[string]string{"pom.xml": pom(""), ".travis.yml": "jdk:\n  - openjdk8\n  - oraclejdk11\n"})}, 11},
		"a repository without CI does not count": {[]Repo{
			repo(map[string]string{"pom.xml": pom("")}),
			repo(map[string]string{"pom.xml": pom(""), ".github/workflows/ci.yml": "steps:\n  - with:\n      java-version: 21\n"})}, 21},
		"not out yet":    {[]Repo{repo(map[string]string{"pom.xml": pom(""), ".github/workflows/ci.yml": workflow("[11, 25]")})}, 11},
		"level":          {[]Repo{repo(map[string]string{"pom.xml": pom("<maven.compiler.release>16</maven.compiler.release>")})}, 17},
		"old level":      {[]Repo{repo(map[string]string{"pom.xml": pom("<java.version>1.7</java.version>")})}, 8},
		"sdkman":         {[]Repo{repo(map[string]string{"pom.xml": pom(""), ".sdkmanrc": "# x 8\njava=17.0.9-tem\nmaven=3.9.1\n"})}, 17},
		"asdf":           {[]Repo{repo(map[string]string{"pom.xml": pom(""), ".tool-versions": "nodejs 20\njava temurin-11.0.2+9\n"})}, 11},
		"level above CI": {[]Repo{repo(map[string]string{"pom.xml": pom("<jdk.version>17</jdk.version>"), ".github/workflows/ci.yml": workflow("[11]")})}, 17},
		"others do not count": {[]Repo{
			repo(map[string]string{"go.mod": "module x\n", ".github/workflows/ci.yml": workflow("[8]")}),
			repo(map[string]string{"pom.xml": pom(""), ".github/workflows/ci.yml": workflow("[17]")})}, 17},
	} {
		t.Run(name, func(t *testing.T) {
			got, from, ok := ChooseJava(c.repos, at)
			if got != c.want || !ok || from == "" {
				t.Errorf("got %d (%s, %v), want %d", got, from, ok, c.want)
			}
		})
	}
	if _, _, ok := ChooseJava([]Repo{repo(map[string]string{"go.mod": "module x\n"})}, at); ok {
		t.Error("a JDK for a repository without a POM")
	}
}

func TestJDKActivates(t *testing.T) {
	for spec, want := range map[string][]int{
		"17": {17}, "1.8": {8}, "!1.8": {11, 14, 17, 21}, "[14,)": {14, 17, 21}, "(14,)": {17, 21}, "[1.8,11]": {8, 11}, "[1.8,11)": {8},
		"[,11)": {8}, "[17]": {17}, "[14,": {14, 17, 21}, "": nil, "[": {8, 11, 14, 17, 21}, "x": nil, "11.0.2": {11},
	} {
		var got []int
		for _, jdk := range []int{8, 11, 14, 17, 21} {
			if jdkActivates(spec, jdk) {
				got = append(got, jdk)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q activates (-want +got):\n%s", spec, diff)
		}
	}
}

func TestJavaOptions(t *testing.T) {
	mods := MavenModules(treeOf(map[string]string{"pom.xml": rootPOM}))
	bare := MavenModules(treeOf(map[string]string{"pom.xml": "<project><artifactId>a</artifactId></project>"}))
	for name, c := range map[string]struct {
		mods           []MavenModule
		wanted, actual int
		want           []string
	}{
		"the wanted one":      {mods, 8, 8, nil},
		"a newer one":         {mods, 8, 17, []string{"-Djavac.src.version=1.8", "-P!new-jdk"}},
		"both activate it":    {mods, 17, 21, []string{"-Djavac.src.version=1.8"}},
		"no level, no parent": {bare, 8, 17, []string{"-Dmaven.compiler.source=1.8", "-Dmaven.compiler.target=1.8"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, JavaOptions(c.mods, c.wanted, c.actual)); diff != "" {
				t.Errorf("options (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMavenTargets(t *testing.T) {
	files := map[string]string{
		"pom.xml": rootPOM, "core/pom.xml": corePOM,
		"core/src/test/java/a/PlainTest.java":      "package a;\n/** class Doc */\npublic class PlainTest {\n@Test void x() {}\n}\n",
		"core/src/test/java/a/OldTest.java":        "public class OldTest extends TestCase { public void testIt() {} }\n",
		"core/src/test/java/a/Helper.java":         "class Helper { static int x() { return 1; } }\n",
		"core/src/test/java/a/AbstractCase.java":   "public abstract class AbstractCase<T extends List<T>> { @Test public void x() {} }\n",
		"core/src/test/java/a/MiddleCase.java":     "abstract class MiddleCase extends AbstractCase<String> { }\n",
		"core/src/test/java/b/OneCase.java":        "public final class OneCase extends a.MiddleCase { }\n",
		"core/src/test/java/b/TwoTest.java":        "class TwoTest extends AbstractCase<X> implements Runnable { }\n",
		"core/src/test/java/b/UnrelatedTest.java":  "class UnrelatedTest extends Other { @Test void x() {} }\n",
		"src/test/kotlin/KTest.kt":                 "@Tag(\"x\")\nclass KTest : Base() {\n@Test fun x() {}\n}\n",
		"core/src/main/java/a/Product.java":        "class Product {}\n",
		"core/src/test/resources/a/table.csv":      "1\n",
		"other/src/test/java/a/GoneTest.java":      "class GoneTest { @Test void x() {} }\n",
		"core/src/test/java/a/NotItsNameTest.java": "class Else { @Test void x() {} }\n",
	}
	changed := func(paths ...string) (all []schemas.File) {
		for _, p := range paths {
			all = append(all, schemas.File{Path: p, Class: schemas.ClassTest, Status: schemas.FileModified})
		}
		return all
	}
	r := Repo{Name: "o/r", Head: treeOf(files), Files: append(changed(
		"core/src/test/java/a/PlainTest.java", "core/src/test/java/a/OldTest.java", "core/src/test/java/a/Helper.java", "core/src/test/java/a/AbstractCase.java",
		"src/test/kotlin/KTest.kt", "core/src/test/resources/a/table.csv", "core/src/test/java/a/NotItsNameTest.java"),
		schemas.File{Path: "other/src/test/java/a/GoneTest.java", Class: schemas.ClassTest, Status: schemas.FileDeleted},
		schemas.File{Path: "core/src/main/java/a/Product.java", Class: schemas.ClassSource})}
	got := map[string][]string{}
	for _, target := range MavenTargets(r) {
		got[target.Module.Dir] = target.Classes
	}
	want := map[string][]string{"": {"KTest"}, "core": {"OldTest", "OneCase", "PlainTest", "TwoTest"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
	wanted := Wanted(r.Head.Paths, r.Files)
	if !slices.Contains(wanted, "core/src/test/java/b/TwoTest.java") || slices.Contains(wanted, "core/src/main/java/a/Product.java") {
		t.Errorf("wanted are %q", wanted)
	}
}

func TestGradle(t *testing.T) {
	for want, files := range map[string]map[string]string{
		"app/build.gradle.kts": {"app/build.gradle.kts": "", "settings.gradle": ""},
		"":                     {"build.gradle": "", "pom.xml": corePOM},
	} {
		if got, _ := Gradle(treeOf(files)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func FuzzPOM(f *testing.F) {
	f.Add(rootPOM, corePOM)
	f.Add("<project><artifactId>a</artifactId><parent><relativePath>../..</relativePath><artifactId>a</artifactId></parent></project>", "<project>")
	f.Fuzz(func(t *testing.T, root, core string) {
		mods := MavenModules(treeOf(map[string]string{"pom.xml": root, "core/pom.xml": core}))
		for _, m := range mods {
			if !slices.ContainsFunc(mods, func(o MavenModule) bool { return o.Dir == MavenRoot(mods, m.Dir) }) {
				t.Errorf("the root of %q is none", m.Dir)
			}
		}
		JavaOptions(mods, 8, 17)
	})
}

func FuzzJVM(f *testing.F) {
	f.Add("public abstract class A<T> extends b.C<T> {", "[8,11),17")
	f.Fuzz(func(t *testing.T, body, jdk string) {
		if typ, ok := readJVM("x/A.java", []byte(body)); ok && typ.name != "A" {
			t.Errorf("the class is %q", typ.name)
		}
		jdkActivates(jdk, 17)
		for _, n := range javaMajors(jdk) {
			if n < 5 || n > 59 {
				t.Errorf("%q names %d", jdk, n)
			}
		}
	})
}
