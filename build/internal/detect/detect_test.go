package detect

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

// tree makes a snapshot that holds the content of every file.
func tree(files map[string]string) Tree {
	t := Tree{Paths: slices.Sorted(maps.Keys(files)), Files: map[string][]byte{}}
	for p, body := range files {
		t.Files[p] = []byte(body)
	}
	return t
}

func day(s string) time.Time {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return t
}

// goRepo is a repository with one go.mod and one workflow, the same at base
// and head.
func goRepo(name schemas.RepoName, goMod, workflow string) Repo {
	t := tree(map[string]string{"go.mod": goMod, ".github/workflows/ci.yml": workflow})
	return Repo{Name: name, Base: t, Head: t}
}

func TestChooseGo(t *testing.T) {
	matrix := func(versions string) string {
		return "jobs:\n  test:\n    strategy:\n      matrix:\n        go: [" + versions + "]\n"
	}
	for _, c := range []struct {
		name  string
		repos []Repo
		at    string
		want  string
	}{
		{"highest common minor, newest patch of the day", []Repo{
			goRepo("a/a", "module a\ngo 1.24.0\n", "x:\n  go-version: 1.25.x\n"),
			goRepo("b/b", "module b\ngo 1.25.0\n", matrix(`"1.26", "1.25"`)),
		}, "2026-04-02", "1.25.8"},
		{"the same a week later", []Repo{goRepo("a/a", "module a\n", matrix(`"1.25"`))}, "2026-04-09", "1.25.9"},
		{"before any patch release", []Repo{goRepo("a/a", "module a\n", matrix(`"1.21"`))}, "2023-08-10", "1.21.0"},
		{"a minor of old has no zero", []Repo{goRepo("a/a", "module a\ngo 1.17\n", matrix(`"1.18"`))}, "2022-03-20", "1.18"},
		{"CI without a common minor falls back to the go lines", []Repo{
			goRepo("a/a", "module a\ngo 1.21\n", matrix(`"1.21"`)),
			goRepo("b/b", "module b\ngo 1.22\n", matrix(`"1.23"`)),
		}, "2024-08-06", "1.22.6"},
		{"a toolchain line is asked for without CI", []Repo{goRepo("a/a", "module a\ngo 1.22.0\ntoolchain go1.23.1\n", "")}, "2025-01-20", "1.23.5"},
		{"a go line beyond the newest patch release", []Repo{goRepo("a/a", "module a\ngo 1.22.9\n", matrix(`"1.22"`))}, "2024-08-06", "1.22.9"},
		{"a version that is not out yet is no choice", []Repo{goRepo("a/a", "module a\ngo 1.22\n", matrix(`"1.22", "1.29"`))}, "2024-08-06", "1.22.6"},
		{"stable is the newest of the day", []Repo{goRepo("a/a", "module a\ngo 1.20\n", matrix(`stable, oldstable`))}, "2024-08-20", "1.23.0"},
		{"workspaces need 1.18", []Repo{goRepo("a/a", "module a\ngo 1.13\n", matrix(`"1.15"`))}, "2021-01-20", "1.18"},
		{"a minor that the table does not know", []Repo{goRepo("a/a", "module a\ngo 1.99\n", "")}, "2024-08-06", "1.99.0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := ChooseGo(c.repos, day(c.at))
			if !ok || got.Version != c.want {
				t.Errorf("got %q (%s), want %q", got.Version, got.From, c.want)
			}
		})
	}
	if _, ok := ChooseGo([]Repo{{Head: tree(map[string]string{"package.json": "{}"})}}, day("2025-01-01")); ok {
		t.Error("a toolchain was chosen for no module")
	}
}

func TestCIGoMinors(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []int
	}{
		{"GitHub, a matrix with quotes, ranges and alias", map[string]string{
			".github/workflows/a.yaml": "v: &v ['1.21', \"1.22.x\"]\nj:\n  go-version: *v\n  with: {go_version: ^1.23}\n"}, []int{21, 22, 23}},
		{"expressions name none", map[string]string{".github/workflows/a.yml": "go-version: ${{ matrix.go }}\n"}, nil},
		{"lists within expressions do", map[string]string{".github/workflows/a.yml": "go-version: ${{ fromJSON('[\"1.20\", \"1.21\"]') }}\n"}, []int{20, 21}},
		{"CircleCI images and parameters", map[string]string{".circleci/config.yml": "docker:\n - image: cimg/go:1.24\nmatrix:\n  go_version: ['1.25']\n"}, []int{24, 25}},
		{"files with the versions of CI", map[string]string{"supported_go_versions.txt": "1.24\n1.23\n"}, []int{23, 24}},
		{"other programs' versions", map[string]string{".github/workflows/a.yml": "golangci-lint-version: v1.64.8\nnode-version: 20\n"}, nil},
		{"no YAML", map[string]string{".github/workflows/a.yml": "go-version: [\n"}, nil},
		{"a workflow elsewhere", map[string]string{"docs/.github/workflows/a.yml": "go-version: 1.21\n"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := slices.Sorted(maps.Keys(ciGoMinors(tree(c.files), 30)))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("minors (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReleasesAreOrdered(t *testing.T) {
	all := releases()
	if len(all) < 150 {
		t.Fatalf("the table has %d releases", len(all))
	}
	for i := 1; i < len(all); i++ {
		if all[i].day.Before(all[i-1].day) {
			t.Errorf("%v stands after %v", all[i], all[i-1])
		}
	}
}

func TestGoTargets(t *testing.T) {
	const test = "package a\n\nfunc TestA(t *testing.T) {}\n"
	head := tree(map[string]string{
		"go.mod": "module example.com/m/v2\n", "a.go": "", "a_test.go": test,
		"sub/b_test.go":              test,
		"sub/testdata/x/in.golden":   "",
		"nested/go.mod":              "module example.com/m/nested\n",
		"nested/c/c_test.go":         test,
		"windows/w_windows_test.go":  test,
		"tagged/t_test.go":           "//go:build openssl\n\n" + test,
		"bench/b_test.go":            "package b\n\nfunc BenchmarkX(b *testing.B) {}\n",
		"late/l_test.go":             "//go:build go1.30\n\n" + test,
		"_skip/s_test.go":            test,
		"helper/helper.go":           "",
		"fuzz/f_test.go":             "package f\n\nfunc FuzzX(f *testing.F) {}\n",
		"deep/testdata/go/a_test.go": test,
	})
	var files []schemas.File
	for _, p := range append(head.Paths, "gone/g_test.go") {
		class := schemas.ClassTest
		if p == "a.go" || strings.HasSuffix(p, "go.mod") {
			class = schemas.ClassSource
		}
		files = append(files, schemas.File{Path: p, Class: class, Status: schemas.FileModified})
	}
	var got [][3]string
	for _, g := range GoTargets(Repo{Head: head, Files: files}, "1.22.5") {
		got = append(got, [3]string{g.ImportPath(), g.Module.Dir + "|" + g.Pattern(), strings.Join(g.Files, " ")})
	}
	want := [][3]string{
		{"example.com/m/v2", "|./", "a_test.go"},
		{"example.com/m/v2/fuzz", "|./fuzz", "fuzz/f_test.go"},
		{"example.com/m/nested/c", "nested|./c", "nested/c/c_test.go"},
		{"example.com/m/v2/sub", "|./sub", "sub/b_test.go sub/testdata/x/in.golden"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
}

func TestGoModules(t *testing.T) {
	mods, broken := GoModules(tree(map[string]string{
		"go.mod":            "module a\ngo 1.22\ntoolchain go1.22.3\nrequire b v1.0.0\nreplace b => ../b\n",
		"x/go.mod":          "module a/x\nfuture line\n",
		"y/go.mod":          "require (\n",
		"vendor/v/go.mod":   "module v\n",
		"testdata/t/go.mod": "module t\n",
		".hidden/go.mod":    "module h\n",
	}))
	var got []string
	for _, m := range mods {
		got = append(got, m.Dir+" "+m.Path+" "+m.Go+" "+m.Toolchain)
	}
	if diff := cmp.Diff([]string{" a 1.22 1.22.3", "x a/x  "}, got); diff != "" {
		t.Errorf("modules (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"y/go.mod"}, broken); diff != "" {
		t.Errorf("broken (-want +got):\n%s", diff)
	}
	if len(mods[0].Replaces) != 1 || len(mods[0].Requires) != 1 {
		t.Errorf("the root has %d requires and %d replaces, want one of each", len(mods[0].Requires), len(mods[0].Replaces))
	}
}

func TestWanted(t *testing.T) {
	paths := []string{".github/workflows/ci.yml", "a/a_test.go", "b/b_test.go", "c/testdata/in", "c/c_test.go", "go.mod", "lib/x.js",
		"node_modules/x/package.json", "package.json", "test/x.test.js", "test/y.test.js", "vendor/v/go.mod"}
	changed := []schemas.File{{Path: "a/a.go"}, {Path: "c/testdata/in", Class: schemas.ClassTest}, {Path: "test/x.test.js", Class: schemas.ClassTest}}
	want := []string{".github/workflows/ci.yml", "a/a_test.go", "c/c_test.go", "go.mod", "package.json", "test/x.test.js"}
	if diff := cmp.Diff(want, Wanted(paths, changed)); diff != "" {
		t.Errorf("wanted (-want +got):\n%s", diff)
	}
}

func FuzzCI(f *testing.F) {
	f.Add("matrix:\n  go: ['1.21', \"1.22\"]\n  node: [20, 22.x]\n")
	f.Add("a: &a [*a]\ngo-version: *a\n")
	f.Add("go-version: 1.999999999999999999999\nnode-version: v\n")
	f.Fuzz(func(t *testing.T, text string) {
		files := tree(map[string]string{".github/workflows/a.yml": text, "supported_go_versions.txt": text, ".nvmrc": text})
		for m := range ciGoMinors(files, 30) {
			if m < 1 || m > 30 {
				t.Errorf("minor %d of %q", m, text)
			}
		}
		for m := range ciNodeMajors(files) {
			if m < 8 || m > 99 {
				t.Errorf("major %d of %q", m, text)
			}
		}
	})
}

func FuzzGoModules(f *testing.F) {
	f.Add("module a\ngo 1.22\nrequire b v1.0.0\n")
	f.Fuzz(func(t *testing.T, text string) {
		GoModules(tree(map[string]string{"go.mod": text}))
	})
}
