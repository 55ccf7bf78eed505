package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/build/internal/cargo"
)

// TestAboutSibling: only what cargo says of the versions of a sibling is left to
// the link; a registry that does not answer is not.
func TestAboutSibling(t *testing.T) {
	f := &fetcher{linker: linker{plan: cargo.Plan{Crates: []cargo.Crate{{Name: "acme-dep"}}}}}
	for text, want := range map[string]bool{
		"failed to select a version for `acme-dep`.":                                                                    true,
		"failed to select a version for the requirement `acme-dep = \"^2\"`":                                            true,
		"no matching package named `acme-dep` found":                                                                    true,
		"no matching package named `acme-dep-more` found":                                                               false,
		"failed to select a version for `third`.\n    ... required by package `acme-dep v1.0.0`":                        false,
		"failed to get `third` as a dependency of package `acme-dep v1.0.0`\nCaused by: download of config.json failed": false,
	} {
		if got := f.aboutSibling(errors.New(text)); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}

// TestWrite: the directory source holds whole what is built here, the manifest
// of the rest, and no release of a sibling.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	put := func(name, body string) string {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	source := "registry+https://index.example/"
	crate := func(name, version string, built bool) crateCopy {
		at := "registry/src/index/" + name + "-" + version
		put(at+"/src/inner.rs", "code")
		put("registry/cache/index/"+name+"-"+version+".crate", name)
		p := cargo.Package{Name: name, Version: version, Source: &source, Manifest: put(at+"/Cargo.toml", "[package]\nname = \""+name+"\"\n")}
		p.Targets = append(p.Targets, struct {
			Kind []string `json:"kind"`
			Src  string   `json:"src_path"`
		}{[]string{"lib"}, filepath.Join(dir, at, "lib/root.rs")})
		return crateCopy{p, built}
	}
	f := &fetcher{deps: dir, linker: linker{stderr: &strings.Builder{}, plan: cargo.Plan{Crates: []cargo.Crate{{Name: "acme-dep", Lines: []string{"1"}}}}}}
	f.got = map[string]crateCopy{
		"third-2.0.0":    crate("third", "2.0.0", true),
		"windows-0.1.0":  crate("windows", "0.1.0", false),
		"acme-dep-1.3.0": crate("acme-dep", "1.3.0", true),
		"acme-dep-0.9.0": crate("acme-dep", "0.9.0", true),
	}
	if err := f.write(); err != nil {
		t.Fatal(err)
	}
	var got []string
	out := filepath.Join(dir, "out", "crates")
	err := filepath.WalkDir(out, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(out, p)
			got = append(got, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	want := []string{
		"acme-dep-0.9.0/.cargo-checksum.json", "acme-dep-0.9.0/Cargo.toml", "acme-dep-0.9.0/src/inner.rs",
		"third-2.0.0/.cargo-checksum.json", "third-2.0.0/Cargo.toml", "third-2.0.0/src/inner.rs",
		"windows-0.1.0/.cargo-checksum.json", "windows-0.1.0/Cargo.toml", "windows-0.1.0/lib/root.rs", "windows-0.1.0/src/lib.rs",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	sum, err := os.ReadFile(filepath.Join(out, "third-2.0.0/.cargo-checksum.json"))
	if want := `{"files":{},"package":"` + hexSum("third") + `"}`; err != nil || string(sum) != want {
		t.Errorf("checksum %s (%v), want %s", sum, err, want)
	}
}
