package detect

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

// cargoTree is a workspace with a library, a program, tests of every kind and a
// package outside the workspace.
func cargoTree() map[string]string {
	return map[string]string{
		"Cargo.toml":                   "[workspace]\nmembers = [\"core\", \"tools/*\"]\nexclude = [\"fuzz\"]\n[workspace.package]\nversion = \"1.4.0\"\nrust-version = \"1.72\"\n",
		"core/Cargo.toml":              "[package]\nname = \"acme-core\"\nversion.workspace = true\nautotests = false\n[features]\ndefault = []\nextra = [\"dep:extra\"]\nvalidated-fips = []\n[dependencies]\nextra = { version = \"1\", optional = true }\nplain = { version = \"1\", optional = true }\nhelper = { path = \"../helper\" }\n[[test]]\nname = \"api\"\npath = \"tests/runners/api.rs\"\n[[test]]\nname = \"raw\"\nharness = false\n",
		"core/src/lib.rs":              "mod a;\n",
		"core/src/a.rs":                "#[cfg(test)]\nmod tests {}\n",
		"core/tests/runners/api.rs":    "#[macro_use]\nmod macros;\n\n#[path = \"../api.rs\"]\nmod tests;\n",
		"core/tests/runners/macros.rs": "",
		"core/tests/api.rs":            "mod common;\n",
		"core/tests/api/common.rs":     "",
		"core/tests/raw.rs":            "fn main() {}\n",
		"core/tests/stray.rs":          "#[test]\nfn t() {}\n",
		"helper/Cargo.toml":            "[package]\nname = \"helper\"\nversion = \"0.1.0\"\n",
		"helper/src/lib.rs":            "",
		"helper/tests/one.rs":          "mod common;\nconst D: &str = include_str!(\"data/x.txt\");\n",
		"helper/tests/two/main.rs":     "",
		"helper/tests/common/mod.rs":   "",
		"helper/tests/data/x.txt":      "",
		"tools/cli/Cargo.toml":         "[package]\nname = \"cli\"\nversion = \"0.1.0\"\n",
		"tools/cli/src/main.rs":        "#[test]\nfn t() {}\n",
		"tools/cli/src/bin/second.rs":  "",
		"fuzz/Cargo.toml":              "[package]\nname = \"fuzzers\"\nversion = \"0.0.1\"\n[workspace]\n",
		"vendor/x/Cargo.toml":          "[package]\nname = \"x\"\nversion = \"0.0.1\"\n",
		"core/broken/Cargo.toml":       "[package\n",
	}
}

func TestCargoPackages(t *testing.T) {
	var got []string
	for _, p := range CargoPackages(tree(cargoTree())) {
		got = append(got, strings.Join([]string{p.Manifest.Name, p.Version, p.Dir, p.Root}, "|"))
	}
	want := []string{"acme-core|1.4.0|core|", "fuzzers|0.0.1|fuzz|fuzz", "helper|0.1.0|helper|", "cli|0.1.0|tools/cli|"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("name, version, directory, workspace (-want +got):\n%s", diff)
	}
}

func TestCargoTargets(t *testing.T) {
	for _, c := range []struct {
		name string
		file schemas.File
		want []string // kind, name, root
	}{
		{"a module of a listed test, by its path", schemas.File{Path: "core/tests/api.rs", Class: schemas.ClassTest}, []string{"test api core/tests/runners/api.rs"}},
		{"a module of that module", schemas.File{Path: "core/tests/api/common.rs", Class: schemas.ClassTest}, []string{"test api core/tests/runners/api.rs"}},
		{"a test that cargo would find, where it must not look", schemas.File{Path: "core/tests/stray.rs", Class: schemas.ClassTest}, nil},
		{"a test without a harness", schemas.File{Path: "core/tests/raw.rs", Class: schemas.ClassTest}, nil},
		{"a source file", schemas.File{Path: "core/src/a.rs", Class: schemas.ClassSource}, nil},
		{"a module of tests among the sources", schemas.File{Path: "core/src/tests.rs", Class: schemas.ClassTest}, []string{"lib  core/src/lib.rs"}},
		{"a test in its own file", schemas.File{Path: "helper/tests/one.rs", Class: schemas.ClassTest}, []string{"test one helper/tests/one.rs"}},
		{"a test in its own directory", schemas.File{Path: "helper/tests/two/main.rs", Class: schemas.ClassTest}, []string{"test two helper/tests/two/main.rs"}},
		{"a helper of one test", schemas.File{Path: "helper/tests/common/mod.rs", Class: schemas.ClassTest}, []string{"test one helper/tests/one.rs"}},
		{"data that a test names", schemas.File{Path: "helper/tests/data/x.txt", Class: schemas.ClassTest}, []string{"test one helper/tests/one.rs"}},
		{"the tests of a program", schemas.File{Path: "tools/cli/src/main.rs", Class: schemas.ClassTest}, []string{"bin cli tools/cli/src/main.rs"}},
		{"of another program", schemas.File{Path: "tools/cli/src/bin/second.rs", Class: schemas.ClassTest}, []string{"bin second tools/cli/src/bin/second.rs"}},
		{"a deleted one", schemas.File{Path: "helper/tests/one.rs", Class: schemas.ClassTest, Status: schemas.FileDeleted}, nil},
		{"a benchmark", schemas.File{Path: "helper/benches/tests/b.rs", Class: schemas.ClassTest}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Repo{Base: tree(cargoTree()), Head: tree(cargoTree()), Files: []schemas.File{c.file}}
			var got []string
			for _, x := range CargoTargets(r) {
				got = append(got, x.Kind+" "+x.Name+" "+x.Root)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("targets (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCargoFeatures(t *testing.T) {
	for _, c := range []struct {
		name, ci string
		want     []string
	}{
		{"CI says nothing", "jobs: {}\n", []string{"--features=default,extra,plain"}},
		{"all, for some", "run: cargo test --locked --all-features\n", []string{"--features=default,extra,plain"}},
		{"all, by a matrix", "matrix: {features: ['', --all-features]}\nsteps: [{run: 'cargo test ${{ matrix.features }} -- --nocapture'}]\n", []string{"--features=default,extra,plain"}},
		{"never all", "run: |\n  cargo test\n  cargo test --no-default-features --features extra\n  cargo test --features extra,plain -p acme-core\n", []string{"--features=extra,plain"}},
		{"none at all", "run: cargo test\n", nil},
		{"about another package", "run: |\n  cargo test -p cli --all-features\n  cargo nextest run --package acme-core --no-default-features --features='plain'\n", []string{"--no-default-features", "--features=plain"}},
		{"for another platform", "run: |\n  cargo test --target wasm32-wasip1 --features extra\n  cargo test\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := cargoTree()
			files[".github/workflows/ci.yml"] = c.ci
			r := Repo{Base: tree(files), Head: tree(files), Files: []schemas.File{{Path: "core/src/tests.rs", Class: schemas.ClassTest}}}
			all := CargoTargets(r)
			if len(all) != 1 {
				t.Fatalf("%d targets", len(all))
			}
			if diff := cmp.Diff(c.want, all[0].Features); diff != "" {
				t.Errorf("features (-want +got):\n%s", diff)
			}
		})
	}
	files := cargoTree()
	r := Repo{Base: tree(files), Head: tree(files), Files: []schemas.File{{Path: "helper/tests/one.rs", Class: schemas.ClassTest}}}
	if got := CargoTargets(r)[0].Features; !cmp.Equal(got, []string{"--all-features"}) {
		t.Errorf("a package of which all can be had: %q", got)
	}
}

func TestChooseRust(t *testing.T) {
	day := func(s string) time.Time {
		at, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	with := func(files map[string]string) Repo {
		all := cargoTree()
		for p, body := range files {
			all[p] = body
		}
		return Repo{Name: "a/b", Head: tree(all)}
	}
	// The days are those on which the project announced the releases.
	for _, c := range []struct {
		name  string
		repos []Repo
		at    string
		want  string
	}{
		{"on the day of 1.85", []Repo{with(nil)}, "2025-02-20", "1.85"},
		{"the day before", []Repo{with(nil)}, "2025-02-19", "1.84"},
		{"on the day of 1.75", []Repo{with(nil)}, "2023-12-28", "1.75"},
		{"on the day of 1.88", []Repo{with(nil)}, "2025-06-26", "1.88"},
		{"before bookworm", []Repo{with(map[string]string{"Cargo.toml": "[workspace]\nmembers = [\"core\"]\n"})}, "2020-01-01", "1.70"},
		{"rust-version is a floor", []Repo{with(nil)}, "2020-01-01", "1.72"},
		{"a pinned release", []Repo{with(map[string]string{"rust-toolchain.toml": "[toolchain]\nchannel = \"1.79.0\"\n"})}, "2025-02-20", "1.79"},
		{"the higher of two", []Repo{with(map[string]string{"rust-toolchain": "1.74.1\n"}), with(map[string]string{"rust-toolchain.toml": "[toolchain]\nchannel = \"1.80\"\n"})}, "2025-02-20", "1.80"},
		{"a nightly is none", []Repo{with(map[string]string{"rust-toolchain": "nightly-2024-05-01\n"})}, "2025-02-20", "1.85"},
		{"the old form in TOML", []Repo{with(map[string]string{"rust-toolchain": "[toolchain]\nchannel = \"1.77\"\n"})}, "2025-02-20", "1.77"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, from, ok := ChooseRust(c.repos, day(c.at))
			if !ok || got != c.want {
				t.Errorf("got %q (%s), want %q", got, from, c.want)
			}
		})
	}
	if _, _, ok := ChooseRust([]Repo{{Head: tree(map[string]string{"a.go": ""})}}, day("2025-02-20")); ok {
		t.Error("no Rust, and a compiler for it")
	}
}

func TestCargoDebian(t *testing.T) {
	files := cargoTree()
	files["Cargo.lock"] = "[[package]]\nname = \"aws-lc-sys\"\nversion = \"0.20.0\"\n\n[[package]]\nname = \"openssl-sys\"\nversion = \"0.9.0\"\n"
	got := CargoDebian([]Repo{{Base: tree(files), Head: tree(cargoTree())}})
	if diff := cmp.Diff([]string{"cmake", "libssl-dev", "pkg-config"}, got); diff != "" {
		t.Errorf("packages (-want +got):\n%s", diff)
	}
}

func FuzzCargo(f *testing.F) {
	all := cargoTree()
	f.Add(all["Cargo.toml"], all["core/Cargo.toml"], "run: cargo test --features a ${{ matrix.x }}\n", all["core/tests/runners/api.rs"], "1.79")
	f.Fuzz(func(_ *testing.T, root, pkg, ci, source, pin string) {
		files := map[string]string{"Cargo.toml": root, "p/Cargo.toml": pkg, ".github/workflows/c.yml": ci, "p/tests/t.rs": source, "p/src/lib.rs": source, "rust-toolchain": pin}
		r := Repo{Base: tree(files), Head: tree(files), Files: []schemas.File{{Path: "p/tests/t.rs", Class: schemas.ClassTest}, {Path: "p/src/lib.rs", Class: schemas.ClassTest}}}
		CargoTargets(r)
		CargoDebian([]Repo{r})
		ChooseRust([]Repo{r}, time.Unix(0, 0))
	})
}
