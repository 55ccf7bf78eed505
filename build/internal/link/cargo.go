package link

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"crossswe/build/internal/cargo"
	"crossswe/build/internal/detect"
	"crossswe/schemas"
)

// The places of Cargo's links in an image. The configuration stands above the
// checkouts, where cargo finds it from each of them.
const (
	CargoHome       = "/opt/crossswe"
	CargoProgram    = CargoHome + "/cargolink"
	CargoPlanFile   = CargoHome + "/cargo.json"
	CargoCrates     = CargoHome + "/crates"
	CargoConfigFile = schemas.TestbedDir + "/.cargo/config.toml"
	cargoShadows    = schemas.TestbedDir + "/.link"
)

// CargoPlan is the Rust part of a spec.
type CargoPlan struct {
	Plan
	// Rebuild is per repository, in order.
	Rebuild [][]schemas.Command
	// Targets are per repository, in order.
	Targets [][]detect.CargoTarget
}

// cargoSide is a repository's packages at base and at head.
type cargoSide struct {
	repo       detect.Repo
	base, head []detect.CargoPackage
	roots      []string
}

// PlanCargo links every workspace of the change that asks for a package of
// another repository to that repository's checkout.
func PlanCargo(repos []detect.Repo) (CargoPlan, error) {
	p := CargoPlan{Rebuild: make([][]schemas.Command, len(repos)), Targets: make([][]detect.CargoTarget, len(repos))}
	sides := make([]cargoSide, len(repos))
	any := false
	for i, r := range repos {
		sides[i] = cargoSide{repo: r, base: detect.CargoPackages(r.Base), head: detect.CargoPackages(r.Head)}
		p.Targets[i] = detect.CargoTargets(r)
		sides[i].roots = sides[i].workspaces(p.Targets[i])
		any = any || len(sides[i].roots) > 0
	}
	if !any {
		return p, nil
	}
	plan := p.plan(sides)
	for i, s := range sides {
		if len(s.roots) > 0 {
			p.Rebuild[i] = []schemas.Command{{Run: []string{CargoProgram, "link", "-repo", s.repo.Dir}}}
		}
	}
	body, err := json.MarshalIndent(plan, "", "  ")
	if err != nil {
		return p, err
	}
	config, err := cargoConfig(plan, gitSources(sides, plan))
	if err != nil {
		return p, err
	}
	p.Files = append(p.Files, schemas.SpecFile{Path: CargoConfigFile, Content: config},
		schemas.SpecFile{Path: CargoPlanFile, Content: string(body) + "\n"})
	return p, nil
}

// workspaces returns the roots of the workspaces that matter: those of the
// targets; without any, those of the changed packages. One that only one of
// the two trees has is left out.
func (s cargoSide) workspaces(targets []detect.CargoTarget) []string {
	var roots []string
	for _, t := range targets {
		roots = append(roots, t.Package.Root)
	}
	if len(roots) == 0 {
		for _, f := range s.repo.Files {
			if f.Class == schemas.ClassDoc || f.Class == schemas.ClassConfig || f.Class == schemas.ClassVendored {
				continue
			}
			if pkg, ok := detect.CargoPackageOf(s.head, dirOf(f.Path)); ok && path.Base(pkg.Root) != "fuzz" {
				roots = append(roots, pkg.Root)
			}
		}
	}
	return slices.DeleteFunc(sortedUnique(roots), func(root string) bool {
		file := path.Join(root, "Cargo.toml")
		return !s.repo.Base.Has(file) || !s.repo.Head.Has(file)
	})
}

// plan finds the links and adds them.
func (p *CargoPlan) plan(sides []cargoSide) cargo.Plan {
	var plan cargo.Plan
	for _, s := range sides {
		if len(s.roots) > 0 {
			plan.Repos = append(plan.Repos, cargo.Repo{Dir: s.repo.Dir, Roots: s.roots})
		}
	}
	for i, provider := range sides {
		for _, pkg := range provider.base {
			head := findCargo(provider.head, pkg.Dir)
			if head.Name != pkg.Name {
				continue
			}
			var versions []string
			var links []schemas.LinkSpec
			for j, consumer := range sides {
				if i == j {
					continue
				}
				for _, root := range consumer.roots {
					asked := consumer.asks(root, pkg.Name)
					if len(asked) == 0 {
						continue
					}
					versions = append(versions, asked...)
					links = append(links, cargoLink(consumer, provider, root, pkg))
					p.Guesses = append(p.Guesses, schemas.Guess{
						Field: fmt.Sprintf("links[%s → %s]", consumer.repo.Name, provider.repo.Name),
						From:  fmt.Sprintf("%s: %s %s", path.Join(root, "Cargo.toml"), pkg.Name, strings.Join(asked, ", ")),
					})
				}
			}
			if len(links) == 0 {
				continue
			}
			versions = sortedUnique(slices.DeleteFunc(append(versions, pkg.Version, head.Version), func(v string) bool { return v == "" }))
			for k := range links {
				links[k].Versions = versions
			}
			p.Links = append(p.Links, links...)
			plan.Crates = append(plan.Crates, cargo.Crate{Name: pkg.Name, Dir: provider.repo.Dir, Package: pkg.Dir, Root: pkg.Root, Lines: cargo.Lines(versions)})
		}
	}
	return plan
}

func findCargo(pkgs []detect.CargoPackage, dir string) detect.CargoPackage {
	for _, p := range pkgs {
		if p.Dir == dir {
			return p
		}
	}
	return detect.CargoPackage{}
}

// asks returns the requirements by which a workspace asks for a package at base
// and at head; one without a version is "*".
func (s cargoSide) asks(root, name string) []string {
	var all []string
	for _, p := range slices.Concat(s.base, s.head) {
		if p.Root != root {
			continue
		}
		for _, d := range p.Needs(p.Shared) {
			if d.Package == name && d.Path == "" {
				if d.Req == "" {
					d.Req = "*"
				}
				all = append(all, d.Req)
			}
		}
	}
	return sortedUnique(all)
}

func cargoLink(consumer, provider cargoSide, root string, pkg detect.CargoPackage) schemas.LinkSpec {
	run := []string{CargoProgram, "prove", "-repo", consumer.repo.Dir}
	if root != "" {
		run = append(run, "-dir", root)
	}
	return schemas.LinkSpec{
		Ecosystem: Cargo, Consumer: consumer.repo.Name, Provider: provider.repo.Name, Name: pkg.Name,
		ConsumerDir: root, ProviderDir: pkg.Dir,
		Make:  []schemas.Command{{Run: []string{CargoProgram, "link", "-repo", consumer.repo.Dir}}},
		Prove: schemas.Command{Run: append(run, "-crate", pkg.Name)},
		Want:  testbed(provider.repo, pkg.Dir),
	}
}

// gitSources returns the git repositories from which the set asks for a crate
// of the plan, by crate.
func gitSources(sides []cargoSide, plan cargo.Plan) map[string][]string {
	all := map[string][]string{}
	for _, s := range sides {
		for _, p := range slices.Concat(s.base, s.head) {
			for _, d := range p.Needs(p.Shared) {
				if _, ok := plan.Crate(d.Package); ok && d.Git != "" {
					all[d.Package] = sortedUnique(append(all[d.Package], d.Git))
				}
			}
		}
	}
	return all
}

// cargoFile is the configuration, in the order in which it is written.
type cargoFile struct {
	Build  cargoBuild                         `toml:"build"`
	Net    cargoNet                           `toml:"net"`
	Source map[string]map[string]string       `toml:"source"`
	Target map[string]cargoTarget             `toml:"target"`
	Patch  map[string]map[string]cargoPatched `toml:"patch"`
}

type cargoBuild struct {
	// What a newer compiler warns about must not break "deny(warnings)".
	RustFlags    []string `toml:"rustflags"`
	RustDocFlags []string `toml:"rustdocflags"`
	// RustDoc stands between cargo and rustdoc, so that doc tests report as
	// other tests do.
	RustDoc string `toml:"rustdoc"`
}

type cargoNet struct {
	Offline bool `toml:"offline"`
}

type cargoTarget struct {
	// Runner lets test programs, and nothing that is compiled, use the unstable
	// report format of libtest.
	Runner []string `toml:"runner"`
}

type cargoPatched struct {
	Path string `toml:"path"`
}

// CargoRustDoc stands between cargo and rustdoc.
const CargoRustDoc = CargoHome + "/rustdoc"

func cargoConfig(plan cargo.Plan, git map[string][]string) (string, error) {
	capped := []string{"--cap-lints=warn"}
	f := cargoFile{
		Build: cargoBuild{RustFlags: capped, RustDocFlags: capped, RustDoc: CargoRustDoc},
		Net:   cargoNet{Offline: true},
		Source: map[string]map[string]string{
			"crates-io": {"replace-with": "crossswe"},
			"crossswe":  {"directory": CargoCrates},
		},
		Target: map[string]cargoTarget{"cfg(all())": {Runner: []string{"env", "RUSTC_BOOTSTRAP=1"}}},
		Patch:  map[string]map[string]cargoPatched{},
	}
	for _, c := range plan.Crates {
		for _, source := range append([]string{"crates-io"}, git[c.Name]...) {
			if f.Patch[source] == nil {
				f.Patch[source] = map[string]cargoPatched{}
			}
			f.Patch[source][c.Name] = cargoPatched{path.Join(cargoShadows, c.Dir, c.Package)}
		}
	}
	var b strings.Builder
	if err := toml.NewEncoder(&b).Encode(f); err != nil {
		return "", fmt.Errorf("writing cargo's configuration: %w", err)
	}
	return b.String(), nil
}

// CargoPatches is the part of a configuration that holds the patches: while
// dependencies are fetched, registries are in reach.
func CargoPatches(config []byte) (string, error) {
	var f struct {
		Patch map[string]map[string]cargoPatched `toml:"patch"`
	}
	if err := toml.Unmarshal(config, &f); err != nil {
		return "", fmt.Errorf("reading %s: %w", CargoConfigFile, err)
	}
	var b strings.Builder
	err := toml.NewEncoder(&b).Encode(f)
	return b.String(), err
}
