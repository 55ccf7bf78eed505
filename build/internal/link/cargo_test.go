package link

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"crossswe/build/internal/cargo"
	"crossswe/build/internal/detect"
	"crossswe/schemas"
)

// cargoTriple is a library, one that uses it, and a workspace that uses both,
// one of them from git at base.
func cargoTriple() []detect.Repo {
	types := func(version string) detect.Tree {
		return tree(map[string]string{"Cargo.toml": "[package]\nname = \"acme-types\"\nversion = \"" + version + "\"\n", "src/lib.rs": ""})
	}
	path := func(want string) detect.Tree {
		return tree(map[string]string{
			"Cargo.toml":          "[workspace]\nmembers = [\"crates/*\"]\n[workspace.dependencies]\ntypes = { package = \"acme-types\", version = \"" + want + "\" }\n",
			"crates/p/Cargo.toml": "[package]\nname = \"acme-path\"\nversion = \"0.102.0-alpha.6\"\n[dependencies]\ntypes.workspace = true\n",
			"crates/p/src/lib.rs": "", "crates/p/tests/t.rs": "#[test]\nfn t() {}\n",
		})
	}
	web := func(dep string) detect.Tree {
		return tree(map[string]string{
			"Cargo.toml": "[package]\nname = \"web\"\nversion = \"1.0.0\"\n[dependencies]\nacme-path = \"=0.102.0-alpha.6\"\n[dev-dependencies]\nacme-types = " + dep + "\n",
			"src/lib.rs": "", "tests/w.rs": "#[test]\nfn w() {}\n",
			"fuzz/Cargo.toml": "[package]\nname = \"fuzzers\"\nversion = \"0.0.0\"\n[workspace]\n[dependencies]\nacme-types = \"9\"\n",
		})
	}
	return []detect.Repo{
		{Name: "a/types", Dir: "types", Base: types("0.2.1"), Head: types("0.2.2"), Files: []schemas.File{{Path: "src/lib.rs", Class: schemas.ClassSource}}},
		{Name: "a/path", Dir: "path", Base: path("0.2.1"), Head: path("0.2.2"), Files: []schemas.File{{Path: "crates/p/tests/t.rs", Class: schemas.ClassTest}}},
		{Name: "a/web", Dir: "web", Base: web("{ git = \"https://git.example/a/types\" }"), Head: web("\"0.2\""),
			Files: []schemas.File{{Path: "tests/w.rs", Class: schemas.ClassTest}, {Path: "fuzz/Cargo.toml", Class: schemas.ClassManifest}}},
	}
}

func TestPlanCargo(t *testing.T) {
	p, err := PlanCargo(cargoTriple())
	if err != nil {
		t.Fatal(err)
	}
	link := func(consumer, provider schemas.RepoName, dir, name, providerDir, want string, versions ...string) schemas.LinkSpec {
		return schemas.LinkSpec{Ecosystem: Cargo, Consumer: consumer, Provider: provider, Name: name, ProviderDir: providerDir, Versions: versions,
			Make:  []schemas.Command{{Run: []string{"/opt/crossswe/cargolink", "link", "-repo", dir}}},
			Prove: schemas.Command{Run: []string{"/opt/crossswe/cargolink", "prove", "-repo", dir, "-crate", name}}, Want: want}
	}
	types := []string{"*", "0.2", "0.2.1", "0.2.2"}
	want := []schemas.LinkSpec{
		link("a/path", "a/types", "path", "acme-types", "", "/testbed/types", types...),
		link("a/web", "a/types", "web", "acme-types", "", "/testbed/types", types...),
		link("a/web", "a/path", "web", "acme-path", "crates/p", "/testbed/path/crates/p", "0.102.0-alpha.6", "=0.102.0-alpha.6"),
	}
	if diff := cmp.Diff(want, p.Links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	var plan cargo.Plan
	if err := json.Unmarshal([]byte(p.Files[1].Content), &plan); err != nil {
		t.Fatal(err)
	}
	wantPlan := cargo.Plan{
		Crates: []cargo.Crate{{Name: "acme-types", Dir: "types", Lines: []string{"0.2"}}, {Name: "acme-path", Dir: "path", Package: "crates/p", Lines: []string{"0.102"}}},
		Repos:  []cargo.Repo{{Dir: "types", Roots: []string{""}}, {Dir: "path", Roots: []string{""}}, {Dir: "web", Roots: []string{""}}},
	}
	if diff := cmp.Diff(wantPlan, plan); diff != "" {
		t.Errorf("the plan (-want +got):\n%s", diff)
	}
	for i, dir := range []string{"types", "path", "web"} {
		if diff := cmp.Diff([]schemas.Command{{Run: []string{"/opt/crossswe/cargolink", "link", "-repo", dir}}}, p.Rebuild[i]); diff != "" {
			t.Errorf("rebuild of %s (-want +got):\n%s", dir, diff)
		}
	}
}

// TestCargoConfig: the patches stand for the registry and for the git
// repository that a manifest names; nothing reaches a registry; while
// dependencies are fetched, the patches alone count.
func TestCargoConfig(t *testing.T) {
	p, err := PlanCargo(cargoTriple())
	if err != nil {
		t.Fatal(err)
	}
	if p.Files[0].Path != "/testbed/.cargo/config.toml" {
		t.Fatalf("files: %+v", p.Files)
	}
	read := func(text string) map[string]any {
		var m map[string]any
		if err := toml.Unmarshal([]byte(text), &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	patch := map[string]any{
		"crates-io": map[string]any{
			"acme-types": map[string]any{"path": "/testbed/.link/types"},
			"acme-path":  map[string]any{"path": "/testbed/.link/path/crates/p"},
		},
		"https://git.example/a/types": map[string]any{"acme-types": map[string]any{"path": "/testbed/.link/types"}},
	}
	want := map[string]any{
		"build":  map[string]any{"rustflags": []any{"--cap-lints=warn"}, "rustdocflags": []any{"--cap-lints=warn"}, "rustdoc": "/opt/crossswe/rustdoc"},
		"net":    map[string]any{"offline": true},
		"source": map[string]any{"crates-io": map[string]any{"replace-with": "crossswe"}, "crossswe": map[string]any{"directory": "/opt/crossswe/crates"}},
		"target": map[string]any{"cfg(all())": map[string]any{"runner": []any{"env", "RUSTC_BOOTSTRAP=1"}}},
		"patch":  patch,
	}
	if diff := cmp.Diff(want, read(p.Files[0].Content)); diff != "" {
		t.Errorf("the configuration (-want +got):\n%s", diff)
	}
	alone, err := CargoPatches([]byte(p.Files[0].Content))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"patch": patch}, read(alone)); diff != "" {
		t.Errorf("the patches (-want +got):\n%s", diff)
	}
	if _, err := CargoPatches([]byte("[patch")); err == nil {
		t.Error("a configuration that is no TOML was read")
	}
}

// TestCargoNoLink: what is no dependency on a sibling is no link.
func TestCargoNoLink(t *testing.T) {
	repos := cargoTriple()
	repos[0].Head = tree(map[string]string{"Cargo.toml": "[package]\nname = \"acme-types2\"\nversion = \"1.0.0\"\n"})
	p, err := PlanCargo(repos)
	if err != nil {
		t.Fatal(err)
	}
	want := []schemas.LinkSpec{{Consumer: "a/web", Provider: "a/path", Name: "acme-path"}}
	if diff := cmp.Diff(want, p.Links, cmpopts.IgnoreFields(schemas.LinkSpec{}, "Ecosystem", "ProviderDir", "Versions", "Make", "Prove", "Want")); diff != "" {
		t.Errorf("a renamed package (-want +got):\n%s", diff)
	}
	if p, err := PlanCargo([]detect.Repo{{Head: tree(map[string]string{"go.mod": ""})}}); err != nil || len(p.Files)+len(p.Links) != 0 {
		t.Errorf("without Rust: %+v, %v", p, err)
	}
	for _, g := range p.Guesses {
		if !strings.Contains(g.From, "acme-path") {
			t.Errorf("guess %+v", g)
		}
	}
}
