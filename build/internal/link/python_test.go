package link

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"os"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"crossswe/build/internal/detect"
	"crossswe/schemas"
)

var pyDay = time.Date(2024, 5, 18, 13, 0, 0, 0, time.UTC)

// pyPair is a provider whose version comes from git and that brings a plugin of
// pytest, and a consumer that pins it.
func pyPair() []detect.Repo {
	provider := tree(map[string]string{
		"pyproject.toml": "[build-system]\nrequires = ['hatchling', 'hatch-vcs']\nbuild-backend = 'hatchling.build'\n[project]\nname = 'Harbor.Core'\ndependencies = ['attrs']\n" +
			"[project.optional-dependencies]\ntest = ['pytest', 'tide']\n",
		"src/harbor_core/__init__.py": "",
	})
	consumer := func(pin, script string) detect.Tree {
		return tree(map[string]string{
			"setup.cfg": "[metadata]\nname = tide\n[options]\ninstall_requires =\n  harbor-core[fast]" + pin + "\n  click" + pin + "\n  new; python_version>'3'\n" +
				"[options.entry_points]\nconsole_scripts =\n  tide = " + script + "\n",
			"requirements-test.txt": "pytest==7\nharbor_core==1.0\ngit+https://example.com/x\n",
			"tide/__init__.py":      "",
		})
	}
	return []detect.Repo{
		{Name: "a/harbor", Dir: "harbor", Base: provider, Head: provider, Version: "1.2.4.dev3", Files: []schemas.File{{Path: "src/harbor_core/x.py", Class: schemas.ClassSource}}},
		{Name: "b/tide", Dir: "tide", Base: consumer("==1.0", "tide:main"), Head: consumer(">=1.1", "tide:run"), Files: []schemas.File{{Path: "tide/x.py", Class: schemas.ClassSource}}},
	}
}

func TestPlanPython(t *testing.T) {
	p := PlanPython(pyPair(), pyDay)
	want := []schemas.LinkSpec{
		{Ecosystem: Python, Consumer: "a/harbor", Provider: "b/tide", Name: "tide", Versions: []string{"tide"}, Want: "/testbed/tide",
			Make: []schemas.Command{pyEditable(pyPair()[1], detect.PyProjects(pyPair()[1].Base)[0]), pyEditable(pyPair()[0], detect.PyProjects(pyPair()[0].Base)[0])}},
		{Ecosystem: Python, Consumer: "b/tide", Provider: "a/harbor", Name: "harbor-core", Want: "/testbed/harbor",
			Versions: []string{"harbor-core[fast]==1.0", "harbor-core[fast]>=1.1", "harbor_core==1.0"},
			Make:     []schemas.Command{pyEditable(pyPair()[0], detect.PyProjects(pyPair()[0].Base)[0])}},
	}
	if diff := cmp.Diff(want, p.Links, cmpopts.IgnoreFields(schemas.LinkSpec{}, "Prove")); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	if got := p.Links[1].Prove.Run[2:]; !slices.Equal(got[1:], []string{"harbor-core", "/testbed/harbor", "harbor_core"}) {
		t.Errorf("the proof asks for %q", got[1:])
	}
}

// What an index could bring in a sibling's place is overridden with all extras
// that anyone asks for; what base and head want differently is head's.
func TestPythonSetup(t *testing.T) {
	p := PlanPython(pyPair(), pyDay)
	want := [][]schemas.Command{
		{
			{Run: []string{"python3", PythonInstall, "environment", "--newest", "2024-05-18T13:00:00Z",
				"--local", "Harbor.Core[fast,test] @ file:///testbed/harbor", "--local", "tide @ file:///testbed/tide",
				"--override", "click>=1.1", "--test", "pytest", "--test", "setuptools", "--test", "pytest==7"},
				Env: []string{"SETUPTOOLS_SCM_PRETEND_VERSION_FOR_HARBOR_CORE=1.2.4.dev3"}},
			{Run: []string{"python3", PythonInstall, "backend", "--newest", "2024-05-18T13:00:00Z", "--into", "/opt/pybuild/harbor",
				"--product", "editables", "--product", "hatch-vcs", "--product", "hatchling", "--product", "setuptools", "--product", "wheel"}},
		},
		{{Run: []string{"python3", PythonInstall, "backend", "--newest", "2024-05-18T13:00:00Z", "--into", "/opt/pybuild/tide", "--product", "setuptools", "--product", "wheel"}}},
	}
	if diff := cmp.Diff(want, p.Setup); diff != "" {
		t.Errorf("setup (-want +got):\n%s", diff)
	}
	install := [][]schemas.Command{nil, {pyEditable(pyPair()[1], detect.PyProjects(pyPair()[1].Base)[0])}}
	if diff := cmp.Diff(install, p.Rebuild); diff != "" {
		t.Errorf("the change of an entry point installs anew (-want +got):\n%s", diff)
	}
}

// A provider is installed by its consumer's link alone, whichever stands first.
func TestPythonWithoutALinkOfItsOwn(t *testing.T) {
	pair := pyPair()
	pair[0].Base.Files["pyproject.toml"] = []byte("[project]\nname = 'Harbor.Core'\n")
	pair[0].Head = pair[0].Base
	pair[1].Head = pair[1].Base
	alone := detect.Repo{Name: "c/alone", Dir: "alone", Base: tree(map[string]string{"setup.py": "setup(name='alone')"})}
	alone.Head = alone.Base
	p := PlanPython(append(pair, alone), pyDay)
	install := []schemas.Command{pyEditable(alone, detect.PyProjects(alone.Base)[0])}
	if diff := cmp.Diff([][]schemas.Command{nil, nil, install}, p.Rebuild); diff != "" || len(p.Links) != 1 {
		t.Errorf("%d links; rebuild (-want +got):\n%s", len(p.Links), diff)
	}
}

func TestPythonReinstall(t *testing.T) {
	d := detect.PyProject{Name: "p"}
	for _, c := range []struct {
		name string
		side pySide
		want string
	}{
		{"nothing but code", pySide{head: []detect.PyProject{d}, repo: detect.Repo{Files: []schemas.File{{Path: "p/a.py", Class: schemas.ClassSource}}}}, ""},
		{"a source of C", pySide{head: []detect.PyProject{d}, repo: detect.Repo{Files: []schemas.File{{Path: "p/a.pyx", Class: schemas.ClassSource}}}}, "extension modules"},
		{"a new package", pySide{head: []detect.PyProject{{Name: "p", Modules: []string{"q"}}}}, "top-level modules"},
	} {
		if got := c.side.reinstall(d); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// site lays out an environment as installers leave it.
type site struct {
	t   *testing.T
	dir string
}

func (s site) write(name, body string) {
	s.t.Helper()
	file := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(body), 0o666); err != nil {
		s.t.Fatal(err)
	}
}

// TestPythonProof runs the proof on environments in which the link holds, and
// on those in which a package manager has put something else in its place
// without a word.
func TestPythonProof(t *testing.T) {
	const info = "site/harbor_core-1.0.dist-info/"
	checkout := func(s site) {
		s.write("checkout/src/harbor_core/__init__.py", "raise RuntimeError('the proof runs nothing')\n")
	}
	direct := func(s site, root string) {
		s.write(info+"METADATA", "Metadata-Version: 2.1\nName: Harbor.Core\nVersion: 1.0\n")
		s.write(info+"direct_url.json", `{"url": "file://`+filepath.Join(s.dir, root)+`", "dir_info": {"editable": true}}`)
	}
	for _, c := range []struct {
		name string
		make func(site)
		want string // %s is the directory
	}{
		{"an editable installation", func(s site) {
			checkout(s)
			direct(s, "checkout")
			s.write("site/link.pth", filepath.Join(s.dir, "checkout/src")+"\n")
		}, "%s/checkout"},
		{"one whose record also stands in the checkout", func(s site) {
			checkout(s)
			direct(s, "checkout")
			s.write("checkout/src/harbor_core.egg-info/PKG-INFO", "Metadata-Version: 2.1\nName: harbor_core\nVersion: 1.0\n")
			s.write("site/link.pth", filepath.Join(s.dir, "checkout/src")+"\n")
		}, "%s/checkout"},
		{"nothing is installed", checkout, "harbor-core is not installed"},
		{"a later installation put a release in its place", func(s site) {
			checkout(s)
			s.write(info+"METADATA", "Metadata-Version: 2.1\nName: harbor_core\nVersion: 2.0\n")
			s.write("site/harbor_core/__init__.py", "")
		}, "a copy of harbor-core 2.0 in %s/site"},
		{"an override left the record and replaced the code", func(s site) {
			checkout(s)
			direct(s, "checkout")
			s.write("site/harbor_core/__init__.py", "")
			s.write("site/link.pth", filepath.Join(s.dir, "checkout/src")+"\n")
		}, "harbor_core is in %s/site/harbor_core"},
		{"another record of the same name beside it", func(s site) {
			checkout(s)
			direct(s, "checkout")
			s.write("site/harbor.core-0.9.dist-info/METADATA", "Metadata-Version: 2.1\nName: harbor.core\nVersion: 0.9\n")
			s.write("site/link.pth", filepath.Join(s.dir, "checkout/src")+"\n")
		}, "a copy of harbor-core 0.9 in %s/site"},
		{"another checkout", func(s site) {
			s.write("other/src/harbor_core/__init__.py", "")
			direct(s, "other")
			s.write("site/link.pth", filepath.Join(s.dir, "other/src")+"\n")
		}, "a copy of harbor-core 1.0 in %s/site"},
		{"a record without a way to the code", func(s site) {
			checkout(s)
			direct(s, "checkout")
		}, "harbor_core is nowhere"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			s := site{t, dir}
			s.write("site/empty", "")
			s.write("run/empty", "")
			c.make(s)
			boot := "import site, sys; site.addsitedir(" + quoted(filepath.Join(dir, "site")) + "); exec(compile(sys.argv.pop(1), 'proof', 'exec'))"
			cmd := exec.Command("python3", "-S", "-c", boot, pythonProof, "harbor-core", filepath.Join(dir, "checkout"), "harbor_core")
			cmd.Dir = filepath.Join(dir, "run")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if got, want := strings.TrimSpace(string(out)), strings.ReplaceAll(c.want, "%s", dir); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `\'`) + "'" }
