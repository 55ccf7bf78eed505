package audit

import (
	"archive/tar"
	"testing"

	"crossswe/schemas"
)

// TestCargoReleases: the line of a link is what its versions name, and a
// release of it is found wherever cargo keeps crates.
func TestCargoReleases(t *testing.T) {
	siblings := SiblingsOf(schemas.Spec{
		Repos: []schemas.RepoSpec{{Repo: "a/dep", Dir: "dep"}},
		Links: []schemas.LinkSpec{{Ecosystem: "cargo", Provider: "a/dep", Name: "acme-dep", Versions: []string{"0.103.1", "^0.103.2", "=0.104.0-alpha.1"}}},
	})
	for file, want := range map[string]string{
		"/usr/local/cargo/registry/cache/index-0/acme-dep-0.103.4.crate":       "release 0.103.4 of acme-dep",
		"/usr/local/cargo/registry/src/index-0/acme-dep-0.103.4/Cargo.toml":    "release 0.103.4 of acme-dep",
		"/opt/crossswe/crates/acme-dep-0.104.0-alpha.2/Cargo.toml":             "release 0.104.0-alpha.2 of acme-dep",
		"/testbed/app/vendor/acme-dep-0.103.0+build.5/Cargo.toml":              "release 0.103.0+build.5 of acme-dep",
		"/opt/crossswe/crates/acme-dep-0.101.7/Cargo.toml":                     "",
		"/opt/crossswe/crates/acme-dep-macros-0.103.4/Cargo.toml":              "",
		"/opt/crossswe/crates/acme-dep-0.103.4/src/lib.rs":                     "",
		"/testbed/dep/Cargo.toml":                                              "",
		"/testbed/.link/dep/Cargo.toml":                                        "",
		"/usr/local/cargo/registry/cache/index-0/other-acme-dep-0.103.4.crate": "",
	} {
		if got := siblings[0].at(file, tar.TypeReg); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}
