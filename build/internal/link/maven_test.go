package link

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mavenImage is the part of an image that the scripts see, in a directory of
// its own, with a program "mvn" that stands for Maven.
type mavenImage struct {
	t    *testing.T
	root string
}

func newMavenImage(t *testing.T, mvn string) mavenImage {
	t.Helper()
	m := mavenImage{t, t.TempDir()}
	for _, name := range []string{"mvn.sh", "provide.sh", "prove.sh", "test.sh"} {
		body, err := mavenScripts.ReadFile("maven/" + name)
		if err != nil {
			t.Fatal(err)
		}
		m.write(MavenHome+"/"+name, m.placed(string(body)))
	}
	m.write("/bin/mvn", "#!/bin/sh\nset -eu\nroot="+m.root+"\n"+mvn)
	if err := os.Chmod(m.root+"/bin/mvn", 0o755); err != nil {
		t.Fatal(err)
	}
	m.write("/testbed/rope/pom.xml", "<project/>")
	m.write("/testbed/net/pom.xml", "<project/>")
	m.write(MavenSiblings, m.root+"/testbed/rope\texample.knot\trope\n")
	return m
}

// placed puts the image's places below the directory.
func (m mavenImage) placed(s string) string {
	s = strings.ReplaceAll(s, "/var/crossswe", m.root+"/var/crossswe")
	return strings.ReplaceAll(s, "/var/lib/maven", m.root+"/var/lib/maven")
}

func (m mavenImage) write(name, text string) {
	m.t.Helper()
	file := filepath.Join(m.root, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		m.t.Fatal(err)
	}
}

func (m mavenImage) read(name string) string {
	m.t.Helper()
	body, err := os.ReadFile(filepath.Join(m.root, name))
	if err != nil {
		return "(none)"
	}
	return string(body)
}

// run runs a script in a checkout and returns what it prints and whether it
// ended with 0.
func (m mavenImage) run(checkout, script string, args ...string) (string, bool) {
	m.t.Helper()
	cmd := exec.Command("sh", append([]string{filepath.Join(m.root, MavenHome, script)}, args...)...)
	cmd.Dir = filepath.Join(m.root, "testbed", checkout)
	cmd.Env = append(os.Environ(), "PATH="+m.root+"/bin:"+os.Getenv("PATH"))
	out, err := cmd.Output()
	return strings.ReplaceAll(strings.TrimSpace(string(out)), m.root, ""), err == nil
}

// install stands for Maven's "install": it builds rope 1.4 from the checkout.
const install = `
case "$*" in
*" install "*)
	mkdir -p target "$root/var/lib/maven/repository/example/knot/rope/1.4"
	cat source >target/rope-1.4.jar
	at="$root/var/lib/maven/repository/example/knot/rope/1.4"
	cp target/rope-1.4.jar "$at/rope-1.4.jar"
	cp pom.xml "$at/rope-1.4.pom"
	echo "rope-1.4.jar>=" >"$at/_remote.repositories"
	exit 0 ;;
esac
`

func TestMavenProvides(t *testing.T) {
	const at = "/var/lib/maven/repository/example/knot/rope/"
	m := newMavenImage(t, install+treePlugin)
	m.write("/testbed/net/tree", "\\- example.knot:rope:jar:1.3:compile\n")
	m.write(MavenVersions, "example.knot:rope 1.3\nexample.knot:other 9\nexample.knot:rope 1.4\n")
	m.write("/var/lib/maven/versions", "example.knot:rope 1.2.7\n")
	m.write(at+"1.3/rope-1.3.jar", "a release")
	m.write(at+"0.9/rope-0.9.jar", "a build of before")
	m.write(at+"0.1/rope-0.1.jar", "a release, for a plugin")
	m.write(at+"0.1/rope-0.1.jar.sha1", "")
	m.write("/testbed/rope/source", "the checkout")
	if out, ok := m.run("rope", "provide.sh", ".", "-Dx"); !ok {
		t.Fatalf("providing: %s", out)
	}
	got := map[string]string{}
	for _, v := range []string{"0.1", "0.9", "1.2.7", "1.3", "1.4"} {
		got[v] = m.read(at + v + "/rope-" + v + ".jar")
	}
	want := map[string]string{"0.1": "a release, for a plugin", "0.9": "(none)", "1.2.7": "the checkout", "1.3": "the checkout", "1.4": "the checkout"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("archives (-want +got):\n%s", diff)
	}
	if pom := m.read(at + "1.3/rope-1.3.pom"); pom != "<project/>" {
		t.Errorf("the POM is %q", pom)
	}
	if err := os.Remove(m.root + "/testbed/rope/source"); err != nil { // it does not compile
		t.Fatal(err)
	}
	if _, ok := m.run("rope", "provide.sh", "."); ok || m.read(at+"1.3/rope-1.3.jar") != "(none)" {
		t.Error("a build that fails leaves an older one in use")
	}
	if got, _ := m.run("net", "prove.sh", m.root+"/testbed/rope", "example.knot", "rope", "."); got != "/testbed/rope" {
		t.Errorf("the proof of a provider that does not build is %q", got)
	}
	m.write("/testbed/net/tree", "\\- example.knot:rope:jar:0.1:compile\n")
	if got, _ := m.run("net", "prove.sh", m.root+"/testbed/rope", "example.knot", "rope", "."); got == "/testbed/rope" {
		t.Error("a release takes the place of a provider that does not build")
	}
}

// treePlugin stands for Maven's dependency tree: it writes the file "tree" of the consumer.
const treePlugin = `
for a; do case $a in -DoutputFile=*) file=${a#-DoutputFile=} ;; esac; done
cat "$root/testbed/net/tree" >"$file"
`

// TestMavenProofs holds the proof against the ways in which a consumer comes
// by something else than the checkout.
func TestMavenProofs(t *testing.T) {
	const at = "/var/lib/maven/repository/example/knot/rope/"
	head := "example.net:net:jar:2\n"
	for name, c := range map[string]struct{ tree, want string }{
		"the checkout, under its version":   {head + `\- example.knot:rope:jar:1.4:compile` + "\n", "/testbed/rope"},
		"the checkout, under another":       {head + `+- example.knot:rope:jar:1.3:test (optional)` + "\n", "/testbed/rope"},
		"through another module":            {head + `|  \- example.knot:rope:jar:1.4:compile` + "\n", "/testbed/rope"},
		"a BOM pins the published one":      {head + `\- example.knot:rope:jar:1.2:compile` + "\n", at + "1.2/rope-1.2.jar, which was not built in the checkout"},
		"one of two modules gets it":        {head + `\- example.knot:rope:jar:1.4:compile` + "\n" + head + `\- example.knot:rope:jar:1.2:compile` + "\n", at + "1.2/rope-1.2.jar, which was not built in the checkout"},
		"a version that is not there":       {head + `\- example.knot:rope:jar:0.1:compile` + "\n", "example.knot:rope:0.1, which is not the checkout's"},
		"an archive of its own":             {head + `\- example.knot:rope:jar:1.4:system` + "\n", "example.knot:rope:1.4 as an archive in the consumer's checkout"},
		"nobody uses it":                    {head, "no module uses example.knot:rope"},
		"one whose name begins in that way": {head + `\- example.knot:rope-core:jar:1.4:compile` + "\n", "no module uses example.knot:rope"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMavenImage(t, treePlugin)
			m.write("/testbed/rope/target/rope-1.4.jar", "the checkout")
			m.write(at+"1.4/rope-1.4.jar", "the checkout")
			m.write(at+"1.3/rope-1.3.jar", "the checkout")
			m.write(at+"1.2/rope-1.2.jar", "a release")
			m.write("/testbed/net/tree", c.tree)
			if got, ok := m.run("net", "prove.sh", m.root+"/testbed/rope", "example.knot", "rope", "."); got != c.want || !ok {
				t.Errorf("the proof is %q, want %q", got, c.want)
			}
		})
	}
}

// A report of an earlier run is none of this one's.
func TestMavenTests(t *testing.T) {
	m := newMavenImage(t, `
case "$*" in
*-Dtest=NetTest*)
	mkdir -p net/target/surefire-reports
	printf '<?xml version="1.0"?>\n<testsuite name="a"/>\n' >net/target/surefire-reports/TEST-a.xml
	printf '<?xml version="1.0"?><testsuite name="b"/>' >net/target/surefire-reports/TEST-b.xml ;;
esac
exit 7
`)
	m.write("/testbed/net/net/pom.xml", "<project/>")
	m.write("/testbed/net/net/target/surefire-reports/TEST-old.xml", "<testsuite name='old'/>")
	m.write("/testbed/net/net/target/classes/Old.class", "")
	report := m.root + "/report.xml"
	if out, ok := m.run("net", "test.sh", report, "net", "NetTest"); ok {
		t.Errorf("the exit code is lost: %s", out)
	}
	want := "<testsuites>\n\n<testsuite name=\"a\"/>\n<testsuite name=\"b\"/></testsuites>\n"
	if diff := cmp.Diff(want, m.read("/report.xml")); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if m.read("/testbed/net/net/target/classes/Old.class") != "(none)" {
		t.Error("what an earlier state compiled is still there")
	}
	m.run("net", "test.sh", report, "net", "OtherTest")
	if got := m.read("/report.xml"); got != "(none)" {
		t.Errorf("nothing ran, and the report is %q", got)
	}
}
