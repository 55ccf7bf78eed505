package detect

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

func TestPyProjects(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []PyProject
	}{
		{"pyproject of PEP 621", map[string]string{
			"pyproject.toml": `
[build-system]
requires = ["hatchling>=1.18", "hatch-vcs"]
build-backend = "hatchling.build"
[project]
name = "Tide_Core"
requires-python = ">=3.9,<3.13"
classifiers = ["Programming Language :: Python :: 3.9", "Programming Language :: Python :: 3.11", "Programming Language :: Python :: 3"]
dependencies = ["harbor>=2", "attrs ; python_version < '3.12'"]
[project.optional-dependencies]
test = ["pytest>=7"]
[project.scripts]
tide = "tide.main:run"
[project.entry-points.pytest11]
tide = "tide.plugin"
[dependency-groups]
lint = ["ruff"]
test = ["coverage", {include-group = "lint"}]
`,
			"src/tide_core/__init__.py": "", "tests/test_a.py": "", "conftest.py": "",
		}, []PyProject{{
			Name: "Tide_Core", RequiresPython: ">=3.9,<3.13", Minors: []int{9, 11},
			Needs:      []string{"harbor>=2", "attrs ; python_version < '3.12'"},
			Extras:     map[string][]string{"test": {"pytest>=7"}},
			Groups:     map[string][]string{"lint": {"ruff"}, "test": {"coverage", "ruff"}},
			BuildNeeds: []string{"hatchling>=1.18", "hatch-vcs"}, Backend: "hatchling.build",
			Scripts: []string{"console_scripts tide=tide.main:run", "pytest11 tide=tide.plugin"}, Plugins: []string{"tide"},
			Modules: []string{"tide_core"}, SCM: true,
		}}},
		{"poetry", map[string]string{
			"pyproject.toml": `
[tool.poetry]
name = "quay"
[tool.poetry.dependencies]
python = "^3.9"
harbor = {version = "~1.2", extras = ["fast"], optional = false}
maybe = {version = "1", optional = true}
[tool.poetry.group.test.dependencies]
pytest = "*"
`,
			"quay.py": "",
		}, []PyProject{{
			Name: "quay", RequiresPython: ">=3.9,<4", Needs: []string{"harbor[fast]>=1.2,<1.3"},
			Extras: map[string][]string{}, Groups: map[string][]string{"test": {"pytest"}},
			BuildNeeds: []string{"setuptools", "wheel"}, Modules: []string{"quay"},
		}}},
		{"setup.cfg", map[string]string{
			"setup.py": "from setuptools import setup\nsetup()\n",
			"setup.cfg": `[metadata]
name = mole
classifiers =
    Programming Language :: Python :: 3.10
[options]
python_requires = >=3.8
install_requires =
    harbor>=2  # the sibling
    six; python_version<"3"
[options.extras_require]
tests = pytest
[options.entry_points]
console_scripts =
    mole = mole:main
`,
			"lib/mole/__init__.py": "",
		}, []PyProject{{
			Name: "mole", RequiresPython: ">=3.8", Minors: []int{10}, Needs: []string{"harbor>=2", `six; python_version<"3"`},
			Extras: map[string][]string{"tests": {"pytest"}}, Groups: map[string][]string{},
			BuildNeeds: []string{"setuptools", "wheel"}, Scripts: []string{"console_scripts mole=mole:main"}, Modules: []string{"mole"},
		}}},
		{"setup.py with literals", map[string]string{
			"setup.py": `
NAME = 'cargo-bay'
needs = ["harbor>=1.0",  # sibling, with a "quoted" comment
         'attrs']
setup(
    name=NAME,
    use_scm_version=True,
    python_requires=">=3.8",
    install_requires=needs,
    extras_require={"test": ["pytest", "mock"], 'docs': ["sphinx"]},
    classifiers=["Programming Language :: Python :: 3.8"],
)
`,
			"cargo/bay/__init__.py": "",
		}, []PyProject{{
			Name: "cargo-bay", RequiresPython: ">=3.8", Minors: []int{8}, Needs: []string{"harbor>=1.0", "attrs"},
			Extras: map[string][]string{"test": {"pytest", "mock"}, "docs": {"sphinx"}}, Groups: map[string][]string{},
			BuildNeeds: []string{"setuptools", "wheel"}, Modules: []string{"cargo.bay"}, SCM: true,
		}}},
		{"a monorepo, with manifests that are none of its own", map[string]string{
			"packages/a/pyproject.toml": "[project]\nname = 'a'\n", "packages/a/a/__init__.py": "",
			"docs/setup.py": "setup(name='docs')", "tests/data/setup.py": "setup(name='x')", "pyproject.toml": "[tool.ruff]\n", "broken/setup.cfg": "[metadata\nname",
		}, []PyProject{{Dir: "packages/a", Name: "a", Extras: map[string][]string{}, Groups: map[string][]string{},
			BuildNeeds: []string{"setuptools", "wheel"}, Modules: []string{"a"}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, PyProjects(tree(c.files))); diff != "" {
				t.Errorf("distributions (-want +got):\n%s", diff)
			}
		})
	}
}

func pyRepo(name schemas.RepoName, classifiers, requires, workflow string) Repo {
	t := tree(map[string]string{"pyproject.toml": "[project]\nname = 'p'\nrequires-python = '" + requires + "'\nclassifiers = [" + classifiers + "]\n", ".github/workflows/ci.yml": workflow})
	return Repo{Name: name, Base: t, Head: t}
}

func TestChoosePython(t *testing.T) {
	const upTo311 = `"Programming Language :: Python :: 3.9", "Programming Language :: Python :: 3.11"`
	const upTo313 = `"Programming Language :: Python :: 3.12", "Programming Language :: Python :: 3.13"`
	for _, c := range []struct {
		name  string
		repos []Repo
		at    string
		want  int
	}{
		{"the lowest of the highest", []Repo{pyRepo("a/a", upTo311, "", ""), pyRepo("b/b", upTo313, "", "")}, "2025-03-01", 11},
		{"what was out by the date", []Repo{pyRepo("b/b", upTo313, "", "")}, "2024-03-01", 12},
		{"CI without classifiers", []Repo{pyRepo("a/a", "", "", "x:\n  python-version: [3.9, \"3.10\", 3.13-dev, pypy-3.8]\n")}, "2025-03-01", 10},
		{"an upper bound", []Repo{pyRepo("a/a", "", ">=3.8,<3.12", "")}, "2025-03-01", 11},
		{"a lower bound of the other", []Repo{pyRepo("a/a", upTo311, "", ""), pyRepo("b/b", "", ">=3.12", "")}, "2025-03-01", 12},
		{"the date alone", []Repo{pyRepo("a/a", "", "", "")}, "2022-01-01", 10},
		{"before any that can be had", []Repo{pyRepo("a/a", "", "", "")}, "2019-01-01", 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, from, ok := ChoosePython(c.repos, day(c.at)); got != c.want || !ok || from == "" {
				t.Errorf("got 3.%d (%s), want 3.%d", got, from, c.want)
			}
		})
	}
	if _, _, ok := ChoosePython([]Repo{goRepo("a/a", "module a\n", "")}, day("2025-01-01")); ok {
		t.Error("a repository without a distribution has an interpreter")
	}
}

func TestPyTests(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  PyTestNeeds
	}{
		{"an extra with the runner is enough", map[string]string{
			"pyproject.toml":   "[project]\nname = 'p'\n[project.optional-dependencies]\ntest = ['pytest']\ndocs = ['sphinx']\n",
			"requirements.txt": "x\n", "dev-requirements.txt": "y\n",
		}, PyTestNeeds{Extras: []string{"test"}, From: "extras"}},
		{"requirement files, which include others and the extras", map[string]string{
			"setup.cfg":                    "[metadata]\nname = p\n[options.extras_require]\ntestutils = git\nspelling = enchant\n",
			"requirements_test.txt":        "-r requirements_test_min.txt\nmock==1.0  # why\n--index-url https://x\ngit+https://x/y\n./local\n",
			"requirements_test_min.txt":    ".[testutils,spelling]\npytest~=7.4\n-r requirements_test.txt\n",
			"requirements_test_docs.txt":   "sphinx\n",
			"deep/er/requirements-dev.txt": "never\n",
		}, PyTestNeeds{Extras: []string{"testutils"}, Lines: []string{"mock==1.0", "pytest~=7.4"}, From: "extras, requirement files"}},
		{"tox", map[string]string{
			"setup.py": "setup(name='p')",
			"tox.ini":  "[testenv]\ndeps =\n  pytestlatest: pytest\n  pytestmin: pytest==1.0\n  !pypy: -r {toxinidir}/more.txt\n  py{38,39}: old\n  x{env:V}\nextras = dev\n[testenv:docs]\ndeps = sphinx\n",
			"more.txt": "mock\n",
		}, PyTestNeeds{Lines: []string{"mock", "old", "pytest"}, From: "tox.ini"}},
		{"nox, and uv's own table", map[string]string{
			"pyproject.toml": "[project]\nname = 'p'\n[tool.uv]\ndev-dependencies = ['mock']\n[tool.pdm.dev-dependencies]\ntest = ['toy']\n",
			"noxfile.py":     "def tests(session):\n    session.install('-e', '.[full]', \"pytest>=7\")  # why\n    session.run('pytest')\n",
		}, PyTestNeeds{Extras: []string{"full"}, Lines: []string{"mock", "pytest>=7", "toy"}, From: "dependency groups, noxfile.py"}},
		{"conda", map[string]string{
			"setup.py":                        "setup(name='p')",
			"ci/environment-3.10.yaml":        "dependencies: [a]\n",
			"ci/environment-3.11.yaml":        "channels: [x]\ndependencies:\n  - python=3.11\n  - pytest>=4\n  - conda-forge::lz4=4.3  # why\n  - pip:\n    - keras\n    - git+https://x/y\n",
			"ci/environment-mindeps-3.9.yaml": "dependencies: [b]\n",
		}, PyTestNeeds{Loose: []string{"keras", "lz4==4.3.*", "pytest>=4"}, From: "ci/environment-3.11.yaml"}},
		{"shell lines of CI", map[string]string{
			"setup.py":                 "setup(name='p')",
			".github/workflows/ci.yml": "jobs:\n  t:\n    steps:\n    - run: |\n        python -m pip install -U pip 'pytest<9' mock && echo $X\n        pip install -e .[test]\n",
		}, PyTestNeeds{Extras: []string{"test"}, Lines: []string{"mock", "pytest<9"}, From: "shell lines of CI"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := tree(c.files)
			all := PyProjects(files)
			if len(all) != 1 {
				t.Fatalf("%d distributions", len(all))
			}
			if diff := cmp.Diff(c.want, PyTests(files, all[0])); diff != "" {
				t.Errorf("needs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPytestNeeds(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"pyproject":  {map[string]string{"pyproject.toml": "[tool.pytest.ini_options]\naddopts = ['--cov=x', '-n', 'auto']\nasyncio_mode = 'auto'\n"}, []string{"pytest-asyncio", "pytest-cov", "pytest-xdist"}},
		"setup.cfg":  {map[string]string{"setup.cfg": "[tool:pytest]\naddopts = --strict\n  --benchmark-disable\ntimeout = 3\n"}, []string{"pytest-benchmark", "pytest-timeout"}},
		"pytest.ini": {map[string]string{"pytest.ini": "[pytest]\nDJANGO_SETTINGS_MODULE = x\ndescription = --cov\n"}, []string{"pytest-django"}},
		"nothing":    {map[string]string{"tox.ini": "[testenv]\ncommands = pytest --cov\n"}, nil},
	} {
		if diff := cmp.Diff(c.want, PytestNeeds(tree(c.files), PyProject{})); diff != "" {
			t.Errorf("%s: plugins (-want +got):\n%s", name, diff)
		}
	}
}

func TestPyTargets(t *testing.T) {
	r := Repo{Head: tree(map[string]string{
		"setup.py": "setup(name='p')", "tests/test_a.py": "def test_x(): pass\n", "tests/unittest_b.py": "class B(unittest.TestCase):\n",
		"tests/conftest.py": "def test(): pass\n", "tests/helper.py": "x = 1\n", "tests/regrtest_data/mod.py": "def test_no(): pass\n",
		"tests/functional/use.py": "def test_no(): pass\n", "sub/pyproject.toml": "[project]\nname = 's'", "sub/tests/test_s.py": "async def test_x(): pass\n",
	})}
	for _, p := range r.Head.Paths {
		r.Files = append(r.Files, schemas.File{Path: p, Class: schemas.ClassTest, Status: schemas.FileModified})
	}
	r.Files = append(r.Files, schemas.File{Path: "tests/test_gone.py", Class: schemas.ClassTest, Status: schemas.FileDeleted})
	var got []string
	for _, x := range PyTargets(r) {
		got = append(got, x.Project.Name+" "+x.Relative())
	}
	if diff := cmp.Diff([]string{"s tests/test_s.py", "p tests/test_a.py", "p tests/unittest_b.py"}, got); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
}

func TestPyRivals(t *testing.T) {
	plugin := Repo{Name: "a/plugin", Base: tree(map[string]string{"setup.cfg": "[metadata]\nname = pytest-tide\n[options.entry_points]\npytest11 =\n  tide = tide.plugin\n"})}
	wants := Repo{Name: "a/wants", Head: tree(map[string]string{"setup.cfg": "[metadata]\nname = w\n[options]\ninstall_requires = pytest_tide\n"})}
	other := Repo{Name: "a/other", Head: tree(map[string]string{"setup.cfg": "[metadata]\nname = o\n"})}
	if got := PyRivals(wants, []Repo{plugin}); got != nil {
		t.Errorf("a repository that asks for the plugin: %q", got)
	}
	if diff := cmp.Diff([]string{"tide"}, PyRivals(other, []Repo{plugin})); diff != "" {
		t.Errorf("plugins to switch off (-want +got):\n%s", diff)
	}
}

func TestPyVersion(t *testing.T) {
	for _, c := range []struct {
		tag      string
		distance int
		want     string
	}{{"v1.2.3", 0, "1.2.3"}, {"v1.2.3", 7, "1.2.4.dev7"}, {"release-2.0", 1, "2.1.dev1"}, {"8.0.0rc1", 3, "8.0.0rc2.dev3"}, {"nightly", 2, ""}} {
		if got := PyVersion(c.tag, c.distance); got != c.want {
			t.Errorf("%s after %d commits: got %s, want %s", c.tag, c.distance, got, c.want)
		}
	}
}

func TestPlainRequirement(t *testing.T) {
	for line, want := range map[string]bool{
		"a": true, "a[b,c]>=1.0,<2": true, "a-b.c == 1.*": true, "a (>=1)": true, `a; python_version<"3"`: true, "a~=1.2 ; x": true,
		"a @ https://x/y": false, "git+https://x": false, "./a": false, "-r x": false, "--no-binary": false, "a b": false, "": false, "a>=1\nb": false,
	} {
		if got := PlainRequirement(line); got != want {
			t.Errorf("PlainRequirement(%q) = %v", line, got)
		}
	}
}

// Whatever the files hold, nothing panics, and requirement lines stay lines.
func FuzzPython(f *testing.F) {
	f.Add("[project]\nname = 'a'\ndependencies = ['b']\n", "[metadata]\nname=a\n", "setup(name='a', install_requires=['b'])", "-r x\na==1\n", "dependencies: [a]\n")
	f.Add("[tool.poetry]\nname='a'\n[tool.poetry.dependencies]\nb='^0.0.3'\n", "[options.entry_points]\npytest11 =\n a=b\n", "entry_points={'pytest11': ['a = b'", ".[x]\\\n", "- pip: [")
	f.Fuzz(func(t *testing.T, pyproject, cfg, setup, requirements, conda string) {
		files := tree(map[string]string{"pyproject.toml": pyproject, "setup.cfg": cfg, "setup.py": setup, "requirements-test.txt": requirements,
			"environment.yml": conda, "tox.ini": cfg, ".github/workflows/ci.yml": conda, "tests/test_a.py": setup})
		r := Repo{Name: "a/a", Base: files, Head: files, Files: []schemas.File{{Path: "tests/test_a.py", Class: schemas.ClassTest}}}
		for _, p := range PyProjects(files) {
			n := PyTests(files, p)
			for _, l := range n.Lines {
				if !PlainRequirement(l) && len(p.Groups) == 0 {
					t.Errorf("line %q of a file is no requirement", l)
				}
			}
		}
		ChoosePython([]Repo{r}, day("2025-01-01"))
		PyTargets(r)
		PyRivals(r, []Repo{r})
	})
}
