package detect

import (
	"path"
	"slices"
	"strings"

	"crossswe/build/internal/cargo"
)

// CargoPackage is one package of a tree.
type CargoPackage struct {
	// Dir is relative to the repository, "" for its root; so is Root, the
	// directory of its workspace: its own when it is in none.
	Dir, Root string
	cargo.Manifest
	// Shared is the workspace's table, nil when there is none.
	Shared *cargo.Workspace
}

// CargoPackages returns the packages of the tree, ordered by directory. A
// manifest that is no TOML, or has no package, is left out.
func CargoPackages(t Tree) []CargoPackage {
	var all []CargoPackage
	spaces := map[string]*cargo.Workspace{}
	for _, p := range t.Paths {
		if path.Base(p) != "Cargo.toml" || cargoFixture(p) {
			continue
		}
		m, err := cargo.ParseManifest(t.Files[p])
		if err != nil {
			continue
		}
		if m.Workspace != nil {
			spaces[parent(p)] = m.Workspace
		}
		if m.Name != "" {
			all = append(all, CargoPackage{Dir: parent(p), Manifest: m})
		}
	}
	for i := range all {
		all[i].Root = cargoRoot(all, spaces, all[i].Dir)
		all[i].Shared = spaces[all[i].Root]
		if all[i].VersionInherited && all[i].Shared != nil {
			all[i].Version = all[i].Shared.Version
		}
	}
	return all
}

// cargoFixture reports whether a manifest is none of the repository's own:
// vendored, built, or data of tests.
func cargoFixture(p string) bool {
	if vendored(p) {
		return true
	}
	return slices.ContainsFunc(strings.Split(parent(p), "/"), func(part string) bool {
		return part == "target" || part == "fixtures" || part == "test_data" || part == "test-data"
	})
}

// cargoRoot is the root of the workspace that a directory belongs to: the
// nearest one above whose members name it, or that has a member with it as a
// dependency by path; the directory itself when there is none.
func cargoRoot(all []CargoPackage, spaces map[string]*cargo.Workspace, dir string) string {
	if spaces[dir] != nil {
		return dir
	}
	for at := dir; at != ""; {
		at = parent(at)
		ws := spaces[at]
		if ws == nil {
			continue
		}
		rel := strings.TrimPrefix(strings.TrimPrefix(dir, at), "/")
		if slices.ContainsFunc(ws.Exclude, func(x string) bool { return within(path.Clean(x), rel) }) {
			continue
		}
		if slices.ContainsFunc(ws.Members, func(m string) bool { return workspaceMatch(m, rel) }) || byPath(all, at, dir) {
			return at
		}
	}
	return dir
}

// byPath reports whether a package below root depends on the directory by path.
func byPath(all []CargoPackage, root, dir string) bool {
	for _, p := range all {
		if !within(root, p.Dir) || p.Dir == dir {
			continue
		}
		for _, d := range p.Deps {
			if d.Path != "" && join(p.Dir, d.Path) == dir {
				return true
			}
		}
	}
	return false
}

// CargoPackageOf returns the package that holds a path.
func CargoPackageOf(all []CargoPackage, dir string) (CargoPackage, bool) {
	best, found := CargoPackage{}, false
	for _, p := range all {
		if within(p.Dir, dir) && (!found || len(p.Dir) > len(best.Dir)) {
			best, found = p, true
		}
	}
	return best, found
}

// cargoWants reports whether inference of Rust reads a file.
func cargoWants(p string) bool {
	switch path.Base(p) {
	case "Cargo.toml", "Cargo.lock", "rust-toolchain", "rust-toolchain.toml":
		return true
	}
	return false
}

// debianPackages are what crates that compile or look for C code need beside
// the compiler that the official image has.
var debianPackages = map[string][]string{
	"cmake":          {"cmake"},
	"aws-lc-sys":     {"cmake"},
	"bindgen":        {"clang", "libclang-dev"},
	"clang-sys":      {"clang", "libclang-dev"},
	"openssl-sys":    {"libssl-dev", "pkg-config"},
	"prost-build":    {"protobuf-compiler"},
	"libdbus-sys":    {"libdbus-1-dev", "pkg-config"},
	"libudev-sys":    {"libudev-dev", "pkg-config"},
	"alsa-sys":       {"libasound2-dev", "pkg-config"},
	"libsqlite3-sys": {"libsqlite3-dev", "pkg-config"},
}

// CargoDebian returns the Debian packages that the crates of the lock files
// and manifests at base and head need, sorted.
func CargoDebian(repos []Repo) []string {
	var all []string
	for _, r := range repos {
		for _, t := range []Tree{r.Base, r.Head} {
			for _, p := range t.Paths {
				if path.Base(p) != "Cargo.lock" || cargoFixture(p) {
					continue
				}
				for _, l := range cargo.Lock(t.Files[p]) {
					all = append(all, debianPackages[l.Name]...)
				}
			}
			for _, p := range CargoPackages(t) {
				for _, d := range p.Deps {
					all = append(all, debianPackages[d.Package]...)
				}
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
