package blame

import (
	"testing"

	"crossswe/schemas"
)

// rustWorld is a consumer that calls the sibling's package acme-pki "pki"; the
// sibling's library is acme_core.
func rustWorld() World {
	files := map[string]string{
		"/testbed/app/Cargo.toml": "[dependencies]\npki = { package = \"acme-pki\", version = \"1\" }\n",
		"/testbed/sib/Cargo.toml": "[package]\nname = \"acme-pki\"\n[lib]\npath = \"x.rs\"\nname = \"acme_core\"\n",
	}
	return World{
		Root: "/testbed/app", Dir: "/testbed/app", Patched: true,
		Siblings: []Sibling{{Dir: "/testbed/sib", Names: []string{"acme-pki"}}, {Dir: "/testbed/other"}},
		Source:   func(file string) []byte { return []byte(files[file]) },
	}
}

func TestRust(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want schemas.Failure
	}{
		"an import that the sibling lacks, by the consumer's name": {
			"error[E0432]: unresolved import `pki::Fresh`\n --> src/a.rs:1:5\n  |\n1 | use pki::Fresh;\n  |     ^^^^ no `Fresh` in the root\n", schemas.FailureCompileSibling},
		"by the package's name": {
			"error[E0433]: failed to resolve: could not find `fresh` in `acme_pki`\n --> tests/a.rs:1:5\n", schemas.FailureCompileSibling},
		"by the library's name": {
			"error[E0599]: no variant or associated item named `Fresh` found for enum `acme_core::Error` in the current scope\n --> src/a.rs:9:5\n", schemas.FailureCompileSibling},
		"a definition in the sibling's copy": {
			"error[E0061]: this function takes 1 argument but 2 arguments were supplied\n --> src/a.rs:9:5\n  |\nnote: function defined here\n --> /testbed/.link/sib/src/lib.rs:3:8\n", schemas.FailureCompileSibling},
		"an error in the sibling's code": {
			"error[E0425]: cannot find value `x` in this scope\n --> /testbed/.link/sib/src/lib.rs:3:8\n", schemas.FailureCompileSibling},
		"an error in a third party's code": {
			"error[E0425]: cannot find value `x` in this scope\n --> /opt/crossswe/crates/third-1.0.0/src/lib.rs:3:8\n", schemas.FailureThirdParty},
		"a name of its own": {
			"error[E0425]: cannot find function `fresh` in this scope\n --> src/a.rs:3:8\n  |\n3 |     fresh();\n", schemas.FailureCompileOwn},
		"a name of its own in a test": {
			"error[E0432]: unresolved import `app::Fresh`\n --> tests/a.rs:1:5\n", schemas.FailureCompileOwn},
		"the sibling is named among others": {
			"error[E0425]: cannot find function `fresh` in this scope\n --> src/a.rs:3:8\n\nerror[E0432]: unresolved import `pki::Fresh`\n --> src/a.rs:1:5\n\nerror: could not compile `app` (lib) due to 2 previous errors\n", schemas.FailureCompileSibling},
		"a warning that names the sibling": {
			"error[E0425]: cannot find function `fresh` in this scope\n --> src/a.rs:3:8\n\nwarning: unused import: `pki::Old`\n --> src/a.rs:1:5\n", schemas.FailureCompileOwn},
		"no version": {
			"error: failed to select a version for the requirement `acme-pki = \"^2\"`\ncandidate versions found which didn't match: 1.0.0\n", schemas.FailureResolution},
		"no such feature yet":     {"error: the package 'app' does not contain this feature: fresh\n", schemas.FailureCompileOwn},
		"no such target yet":      {"error: no test target named `fresh` in `app` package\n", schemas.FailureCompileOwn},
		"a summary":               {"error: could not compile `pki` (lib) due to 2 previous errors\n", ""},
		"a name that contains it": {"error[E0425]: cannot find function `pki2` in this scope\n --> src/a.rs:3:8\n", schemas.FailureCompileOwn},
		"nothing that is known":   {"signal: killed\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got, line := Load(schemas.RunnerCargo, []byte(c.text), rustWorld()); got != c.want {
				t.Errorf("got %q (%s), want %q", got, line, c.want)
			}
		})
	}
}

func FuzzRust(f *testing.F) {
	f.Add("error[E0432]: unresolved import `pki::Fresh`\n --> src/a.rs:1:5\n")
	f.Add("error: x\n\nerror\n --> :1:1\n")
	f.Fuzz(func(_ *testing.T, text string) { Load(schemas.RunnerCargo, []byte(text), rustWorld()) })
}
