package link

import (
	_ "embed" // for the script
	"fmt"
	"path"
	"slices"
	"strings"

	"crossswe/build/internal/detect"
	"crossswe/schemas"
)

// The places of CMake in the image, all outside the checkouts: below
// CMakeRoot lie a build directory and, of what others link against, a prefix
// for each project.
const (
	CMakeRoot   = "/var/crossswe/cmake"
	CMakeScript = CMakeRoot + "/cmake.sh"
	// CMakeOut is where the setup commands put third parties' content in the
	// fetch stage, and CMakeContent where it then lies.
	CMakeOut     = "/deps/cmake/out"
	CMakeFetch   = "/deps/cmake/fetch.cmake"
	CMakeContent = CMakeRoot + "/content"
)

// cmakeScript does what the spec's commands of CMake ask for.
//
//go:embed cmake.sh
var cmakeScript string

// CMakePlan is the CMake part of a spec.
type CMakePlan struct {
	Plan
	// Setup and Rebuild are per repository, in order.
	Setup, Rebuild [][]schemas.Command
}

// CMakeBuild is the build directory of a project.
func CMakeBuild(r detect.Repo, dir string) string { return path.Join(cmakeHome(r, dir), "build") }

func cmakePrefix(r detect.Repo, dir string) string { return path.Join(cmakeHome(r, dir), "prefix") }

func cmakeHome(r detect.Repo, dir string) string {
	name := r.Dir
	if dir != "" {
		name += "-" + strings.ReplaceAll(dir, "/", "-")
	}
	return path.Join(CMakeRoot, name)
}

// cmakeSide is a repository's projects at base and at head.
type cmakeSide struct {
	repo       detect.Repo
	base, head []detect.CMakeProject
}

// cmakeProject is one project of a side and what is known of its links.
type cmakeProject struct {
	side     int
	dir      string
	args     []string
	provides bool
	prefixes []string // of the projects whose packages it looks for
	// needed says that a link or a target needs it: others are not configured.
	needed bool
}

// cmakePlanner collects what the projects need of each other.
type cmakePlanner struct {
	plan     CMakePlan
	sides    []cmakeSide
	projects []cmakeProject
}

// PlanCMake links every project that looks for a package, or fetches content,
// of another repository to that repository's checkout. A package is built and
// installed from the checkout in every state; content is taken from it as it
// stands.
func PlanCMake(repos []detect.Repo) CMakePlan {
	p := &cmakePlanner{plan: CMakePlan{Setup: make([][]schemas.Command, len(repos)), Rebuild: make([][]schemas.Command, len(repos))}}
	for i, r := range repos {
		s := cmakeSide{r, detect.CMakeProjects(r.Base), detect.CMakeProjects(r.Head)}
		p.sides = append(p.sides, s)
		for _, dir := range s.dirs() {
			p.projects = append(p.projects, cmakeProject{side: i, dir: dir})
		}
	}
	for i := range p.projects {
		p.link(i)
	}
	for i, c := range p.projects {
		p.projects[i].needed = c.needed || slices.ContainsFunc(detect.CMakeTargets(p.sides[c.side].repo), func(t detect.CMakeTarget) bool { return t.Project.Dir == c.dir })
	}
	p.projects = slices.DeleteFunc(p.projects, func(c cmakeProject) bool { return !c.needed })
	for i := range p.projects {
		p.options(i)
		p.content(i)
	}
	p.rebuild()
	p.plan.Files = []schemas.SpecFile{{Path: CMakeScript, Content: cmakeScript}}
	return p.plan
}

// dirs are those of the projects that are there at base: the root's, and those
// that hold changed files.
func (s cmakeSide) dirs() []string {
	var dirs []string
	for _, p := range s.base {
		touched := slices.ContainsFunc(s.repo.Files, func(f schemas.File) bool {
			return strings.HasPrefix(f.Path, p.Dir+"/")
		})
		if p.Dir == "" || touched {
			dirs = append(dirs, p.Dir)
		}
	}
	return dirs
}

// at returns a directory's project at base and at head.
func (s cmakeSide) at(dir string) [2]detect.CMakeProject {
	var both [2]detect.CMakeProject
	for i, list := range [][]detect.CMakeProject{s.base, s.head} {
		for _, p := range list {
			if p.Dir == dir {
				both[i] = p
			}
		}
	}
	return both
}

// link makes the links of one consumer to all projects of other repositories.
func (p *cmakePlanner) link(i int) {
	consumer := p.projects[i]
	for j, provider := range p.projects {
		if provider.side == consumer.side {
			continue
		}
		var content []detect.CMakeFetch
		if provider.dir == "" { // content is a whole repository
			content = p.fetches(consumer, provider)
		}
		for _, f := range content {
			p.projects[i].needed = true
			p.projects[i].args = append(p.projects[i].args, "-DFETCHCONTENT_SOURCE_DIR_"+strings.ToUpper(f.Name)+"="+testbed(p.sides[provider.side].repo, ""))
		}
		if name, versions, ok := p.finds(consumer, provider); ok {
			p.projects[i].prefixes = append(p.projects[i].prefixes, cmakePrefix(p.sides[provider.side].repo, provider.dir))
			p.projects[i].needed, p.projects[j].needed, p.projects[j].provides = true, true, true
			kind := "package"
			if len(content) > 0 {
				kind = "either" // the one where the other is not there
				versions = append(versions, content[0].Version())
			}
			p.add(i, j, kind, name, versions)
			continue
		}
		for _, f := range content {
			p.add(i, j, "content", strings.ToLower(f.Name), []string{f.Version()})
		}
	}
}

// finds reports whether a consumer looks for a provider's package.
func (p *cmakePlanner) finds(consumer, provider cmakeProject) (name string, versions []string, ok bool) {
	provided := p.sides[provider.side].at(provider.dir)
	for _, want := range p.sides[consumer.side].at(consumer.dir) {
		for found, version := range want.Finds {
			if !slices.ContainsFunc(provided[:], func(d detect.CMakeProject) bool { return slices.Contains(d.Packages, found) }) {
				continue
			}
			if name == "" || found < name {
				name = found
			}
			if version != "" {
				versions = append(versions, version)
			}
		}
	}
	return name, versions, name != ""
}

// fetches lists what a consumer declares that is the provider's repository.
func (p *cmakePlanner) fetches(consumer, provider cmakeProject) []detect.CMakeFetch {
	repo := p.sides[provider.side].repo.Name
	var found []detect.CMakeFetch
	for _, want := range p.sides[consumer.side].at(consumer.dir) {
		for _, f := range want.Fetches {
			same := func(g detect.CMakeFetch) bool { return strings.EqualFold(f.Name, g.Name) }
			if isRepository(f, repo) && !slices.ContainsFunc(found, same) {
				found = append(found, f)
			}
		}
	}
	return found
}

// isRepository reports whether a declaration's address is that of a repository.
func isRepository(f detect.CMakeFetch, repo schemas.RepoName) bool {
	for _, at := range []string{f.Repository(), f.Version()} {
		if strings.Contains(strings.ToLower(at)+"/", "/"+repo.Key()+"/") || strings.Contains(strings.ToLower(at), "/"+repo.Key()+".git") {
			return true
		}
	}
	return false
}

// add records a link with its proof.
func (p *cmakePlanner) add(i, j int, kind, name string, versions []string) {
	consumer, provider := p.projects[i], p.projects[j]
	from, to := p.sides[consumer.side], p.sides[provider.side]
	for _, project := range to.at(provider.dir) {
		if project.Version != "" {
			versions = append(versions, project.Version)
		}
	}
	versions = slices.DeleteFunc(versions, func(v string) bool { return v == "" })
	checkout := testbed(to.repo, provider.dir)
	prove := []string{"sh", CMakeScript, "prove", CMakeBuild(from.repo, consumer.dir), kind, name, checkout}
	if kind != "content" {
		prove = append(prove, cmakePrefix(to.repo, provider.dir))
	}
	p.plan.Links = append(p.plan.Links, schemas.LinkSpec{
		Ecosystem: CMake, Consumer: from.repo.Name, Provider: to.repo.Name, Name: name,
		ConsumerDir: consumer.dir, ProviderDir: provider.dir, Versions: sortedUnique(versions),
		Prove: schemas.Command{Dir: consumer.dir, Run: prove}, Want: checkout,
	})
	how := "find_package(" + name + ")"
	if kind == "content" {
		how = "FetchContent_Declare(" + name + ") of this repository"
	}
	p.plan.Guesses = append(p.plan.Guesses, schemas.Guess{
		Field: fmt.Sprintf("links[%s → %s]", from.repo.Name, to.repo.Name),
		From:  path.Join(consumer.dir, "CMakeLists.txt") + " and below: " + how,
	})
}

// options are the arguments with which a project is configured.
func (p *cmakePlanner) options(i int) {
	c := &p.projects[i]
	c.args = append(c.args, "-DBUILD_TESTING=ON", "-DFETCHCONTENT_FULLY_DISCONNECTED=ON")
	var options []string
	for _, project := range p.sides[c.side].at(c.dir) {
		options = append(options, project.TestOptions...)
	}
	for _, o := range sortedUnique(options) {
		c.args = append(c.args, "-D"+o+"=ON")
	}
	if len(c.prefixes) > 0 {
		c.args = append(c.args, "-DCMAKE_PREFIX_PATH="+strings.Join(c.prefixes, ";"), "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF")
	}
}

// rebuild configures every project in every state, and installs those that
// others look for.
func (p *cmakePlanner) rebuild() {
	for _, c := range p.projects {
		repo := p.sides[c.side].repo
		run := []string{"sh", CMakeScript, "configure", CMakeBuild(repo, c.dir)}
		if c.provides {
			run = []string{"sh", CMakeScript, "provide", CMakeBuild(repo, c.dir), cmakePrefix(repo, c.dir)}
		}
		p.plan.Rebuild[c.side] = append(p.plan.Rebuild[c.side], schemas.Command{Dir: c.dir, Run: append(run, c.args...)})
	}
}
