package link

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"crossswe/build/internal/detect"
	"crossswe/schemas"
)

// npmProof walks up from the consumer as Node's resolver does and prints where
// the package really lies. It does not ask require, which "exports" can refuse.
const npmProof = `const fs=require("fs"),p=require("path");let d=process.cwd();for(;;){const c=p.join(d,"node_modules",process.argv[1]);if(fs.existsSync(c)){console.log(fs.realpathSync(c));break}const u=p.dirname(d);if(u===d){console.log("nowhere");break}d=u}`

// NPMPlan is the npm part of a spec.
type NPMPlan struct {
	Plan
	// Setup and Rebuild are per repository, in order.
	Setup, Rebuild [][]schemas.Command
}

// npmSide is a repository's packages at base and at head.
type npmSide struct {
	repo       detect.Repo
	base, head []detect.NPMPackage
}

// PlanNPM links every package of the change that needs a package of another
// repository to that repository's checkout, and says what to install and what
// to build.
func PlanNPM(repos []detect.Repo) NPMPlan {
	sides := make([]npmSide, len(repos))
	for i, r := range repos {
		sides[i] = npmSide{r, detect.NPMPackages(r.Base), detect.NPMPackages(r.Head)}
	}
	p := NPMPlan{Setup: make([][]schemas.Command, len(repos)), Rebuild: make([][]schemas.Command, len(repos))}
	built := make([]map[string]bool, len(repos))
	for i := range sides {
		built[i] = map[string]bool{}
	}
	for i, s := range sides {
		for _, dir := range s.roots() {
			p.Setup[i] = append(p.Setup[i], npmInstall(dir))
		}
		for _, pkg := range s.touched() {
			p.Rebuild[i] = append(p.Rebuild[i], s.builds(pkg, built[i])...)
		}
		for j, provider := range sides {
			if i != j {
				p.link(s, provider, j, built[j])
			}
		}
	}
	return p
}

func npmInstall(dir string) schemas.Command {
	return schemas.Command{Dir: dir, Run: []string{"npm", "install", "--ignore-scripts", "--force", "--no-audit", "--no-fund"}}
}

// touched returns the packages at base that are the root or hold changed files.
func (s npmSide) touched() []detect.NPMPackage {
	dirs := map[string]bool{"": true}
	for _, f := range s.repo.Files {
		if f.Class == schemas.ClassDoc || f.Class == schemas.ClassConfig || f.Class == schemas.ClassVendored {
			continue
		}
		if pkg, ok := detect.NPMPackageOf(s.base, dirOf(f.Path)); ok {
			dirs[pkg.Dir] = true
		}
	}
	var all []detect.NPMPackage
	for _, p := range s.base {
		if dirs[p.Dir] {
			all = append(all, p)
		}
	}
	return all
}

// roots returns the directories in which dependencies are installed.
func (s npmSide) roots() []string {
	var dirs []string
	for _, p := range s.touched() {
		dirs = append(dirs, detect.NPMRoot(s.repo.Base, s.base, p).Dir)
	}
	return sortedUnique(dirs)
}

// find returns the package of the directory.
func find(pkgs []detect.NPMPackage, dir string) detect.NPMPackage {
	for _, p := range pkgs {
		if p.Dir == dir {
			return p
		}
	}
	return detect.NPMPackage{}
}

// link adds the links from a consumer's packages to those of a provider.
func (p *NPMPlan) link(consumer, provider npmSide, j int, built map[string]bool) {
	for _, pkg := range consumer.touched() {
		for _, sibling := range provider.base {
			if sibling.Name == "" {
				continue
			}
			ranges := named(sibling.Name, pkg, find(consumer.head, pkg.Dir))
			if len(ranges) == 0 {
				continue
			}
			l := npmLink(consumer, provider, pkg, sibling)
			l.Versions = sortedUnique(append(ranges, versions(sibling, find(provider.head, sibling.Dir))...))
			p.Links = append(p.Links, l)
			p.Guesses = append(p.Guesses, schemas.Guess{
				Field: fmt.Sprintf("links[%s → %s]", l.Consumer, l.Provider),
				From:  fmt.Sprintf("%s: %s %s", path.Join(pkg.Dir, "package.json"), sibling.Name, strings.Join(ranges, ", ")),
			})
			p.Rebuild[j] = append(p.Rebuild[j], provider.builds(sibling, built)...)
			if sibling.Built(provider.repo.Base) && buildScript(sibling) == "" {
				p.Guesses = append(p.Guesses, schemas.Guess{Field: fmt.Sprintf("repos[%s].rebuild", l.Provider),
					From: fmt.Sprintf("none: %s points at files that are not in the tree, and no known script builds them", path.Join(sibling.Dir, "package.json"))})
			}
		}
	}
}

// named returns the ranges in which the manifests ask for a package.
func named(name string, manifests ...detect.NPMPackage) []string {
	var ranges []string
	for _, m := range manifests {
		if want, ok := m.Needs[name]; ok && !strings.HasPrefix(want, "file:") && !strings.HasPrefix(want, "workspace:") {
			ranges = append(ranges, want)
		}
	}
	return sortedUnique(ranges)
}

func versions(pkgs ...detect.NPMPackage) []string {
	var all []string
	for _, p := range pkgs {
		if p.Version != "" {
			all = append(all, p.Version)
		}
	}
	return all
}

func npmLink(consumer, provider npmSide, pkg, sibling detect.NPMPackage) schemas.LinkSpec {
	root := detect.NPMRoot(consumer.repo.Base, consumer.base, pkg)
	at := path.Join("node_modules", sibling.Name)
	target := testbed(provider.repo, sibling.Dir)
	return schemas.LinkSpec{
		Ecosystem:   NPM,
		Consumer:    consumer.repo.Name,
		Provider:    provider.repo.Name,
		Name:        sibling.Name,
		ConsumerDir: pkg.Dir,
		ProviderDir: sibling.Dir,
		Make: []schemas.Command{
			{Dir: root.Dir, Run: []string{"mkdir", "-p", path.Dir(at)}},
			{Dir: root.Dir, Run: []string{"rm", "-rf", at}},
			{Dir: root.Dir, Run: []string{"ln", "-s", target, at}},
		},
		Prove: schemas.Command{Dir: pkg.Dir, Run: []string{"node", "-e", npmProof, sibling.Name}},
		Want:  target,
	}
}

// buildScripts are the names of scripts that build, the usual one first.
var buildScripts = []string{"build", "compile", "dist", "transpile"}

func buildScript(pkg detect.NPMPackage) string {
	for _, script := range buildScripts {
		if _, ok := pkg.Scripts[script]; ok {
			return script
		}
	}
	return ""
}

// builds returns the commands that build a package after those of its
// repository that it needs. A package whose entries are all in the tree needs none.
func (s npmSide) builds(pkg detect.NPMPackage, done map[string]bool) []schemas.Command {
	if done[pkg.Dir] {
		return nil
	}
	done[pkg.Dir] = true
	var all []schemas.Command
	for _, name := range slices.Sorted(maps.Keys(pkg.Needs)) {
		for _, other := range s.base {
			if other.Name == name && other.Dir != pkg.Dir {
				all = append(all, s.builds(other, done)...)
			}
		}
	}
	if !pkg.Built(s.repo.Base) {
		return all
	}
	if script := buildScript(pkg); script != "" {
		all = append(all, schemas.Command{Dir: pkg.Dir, Run: []string{"npm", "run", "--ignore-scripts", script}})
	}
	return all
}
