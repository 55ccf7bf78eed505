package link

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"crossswe/build/internal/detect"
	"crossswe/schemas"
)

// The places of Maven's files in the image. MavenSiblings lists the modules of
// the set as "directory<tab>group<tab>artifact", MavenVersions the versions
// that POMs ask of them as "group:artifact version", and MavenSnapshots the
// snapshots of third parties, "group:artifact:type version", which are long
// gone: their releases take their place.
const (
	MavenHome       = "/var/crossswe/maven"
	MavenSiblings   = MavenHome + "/siblings"
	MavenVersions   = MavenHome + "/versions"
	MavenSnapshots  = MavenHome + "/snapshots"
	MavenRepository = "/var/lib/maven/repository"
)

// mavenScripts build a provider, prove a link, run tests and call Maven. They
// stand in the spec, so that a person can change them.
//
//go:embed maven/*.sh
var mavenScripts embed.FS

// MavenPlan is the Maven part of a spec.
type MavenPlan struct {
	Plan
	// Rebuild is per repository.
	Rebuild [][]schemas.Command
}

// mavenSide is a repository's modules at base and at head.
type mavenSide struct {
	repo       detect.Repo
	base, head []detect.MavenModule
	options    []string
}

// PlanMaven links every repository that uses artifacts of another to that
// one's checkout: the provider is built in every state and put into the
// image's repository under every version that anyone asks for, so that
// whatever a POM, a parent or a BOM pins there is nothing but the checkout.
// options are per repository, for every call of Maven.
func PlanMaven(repos []detect.Repo, options [][]string) MavenPlan {
	sides := make([]mavenSide, len(repos))
	for i, r := range repos {
		sides[i] = mavenSide{r, detect.MavenModules(r.Base), detect.MavenModules(r.Head), options[i]}
	}
	p := MavenPlan{Rebuild: make([][]schemas.Command, len(repos))}
	for j, provider := range sides {
		used := map[string]bool{}
		tests := false
		for i, consumer := range sides {
			if i != j {
				tests = p.link(consumer, provider, used) || tests
			}
		}
		p.Rebuild[j] = provider.rebuild(used, tests)
		if len(used) > 0 {
			p.Guesses = append(p.Guesses, schemas.Guess{Field: fmt.Sprintf("repos[%s].rebuild", provider.repo.Name),
				From: "modules that another repository's POMs name: " + strings.Join(sortedSet(used), ", ")})
		}
	}
	p.Files = mavenFiles(sides)
	return p
}

// link adds the links from a consumer to the modules of a provider, notes in
// used the directories of those that are to be built, and reports whether the
// consumer uses a module's tests.
func (p *MavenPlan) link(consumer, provider mavenSide, used map[string]bool) (tests bool) {
	for _, m := range provider.base {
		asked, versions := false, provider.versions(m.MavenName)
		for _, c := range slices.Concat(consumer.base, consumer.head) {
			for _, n := range c.Needs {
				if n.MavenName != m.MavenName {
					continue
				}
				asked = true
				tests = tests || n.Type == "test-jar"
				if n.Version != "" {
					versions = append(versions, n.Version)
				}
			}
		}
		if !asked {
			continue
		}
		used[m.Dir] = true
		if m.Packaging == "pom" {
			continue
		}
		for _, root := range consumer.roots(m.MavenName) {
			l := mavenLink(consumer, provider, root, m)
			l.Versions = sortedUnique(slices.Clone(versions))
			p.Links = append(p.Links, l)
			p.Guesses = append(p.Guesses, schemas.Guess{Field: fmt.Sprintf("links[%s → %s]", l.Consumer, l.Provider),
				From: fmt.Sprintf("%s among the dependencies of %s", m.MavenName, strings.Join(consumer.users(root, m.MavenName), ", "))})
		}
	}
	return tests
}

// versions are those that the provider itself gives a module.
func (s mavenSide) versions(name detect.MavenName) []string {
	var all []string
	for _, m := range slices.Concat(s.base, s.head) {
		if m.MavenName == name && m.Version != "" {
			all = append(all, m.Version)
		}
	}
	return all
}

// roots returns the outermost POMs above the modules that use an artifact:
// those under which the change touches something, or all.
func (s mavenSide) roots(name detect.MavenName) []string {
	touched := map[string]bool{}
	for _, m := range s.base {
		if s.touches(m) {
			touched[detect.MavenRoot(s.base, m.Dir)] = true
		}
	}
	var all, some []string
	for _, m := range s.base {
		if !uses(m, name) {
			continue
		}
		root := detect.MavenRoot(s.base, m.Dir)
		all = append(all, root)
		if touched[root] {
			some = append(some, root)
		}
	}
	if len(some) > 0 {
		return sortedUnique(some)
	}
	return sortedUnique(all)
}

// uses reports whether a module has the artifact among its dependencies.
func uses(m detect.MavenModule, name detect.MavenName) bool {
	return slices.ContainsFunc(m.Needs, func(n detect.MavenNeed) bool {
		return n.MavenName == name && !n.Managed && !n.Parent && n.Type != "pom"
	})
}

// maxUsers bounds the modules of one proof.
const maxUsers = 8

// users returns the directories of the modules below a root that use an
// artifact, relative to the root: the touched ones, or all.
func (s mavenSide) users(root string, name detect.MavenName) []string {
	var all, touched []string
	for _, m := range s.base {
		if !uses(m, name) || detect.MavenRoot(s.base, m.Dir) != root || len(all) == maxUsers {
			continue
		}
		all = append(all, mavenModule(root, m.Dir))
		if s.touches(m) {
			touched = append(touched, mavenModule(root, m.Dir))
		}
	}
	if len(touched) > 0 {
		return touched
	}
	return all
}

func (s mavenSide) touches(m detect.MavenModule) bool {
	return slices.ContainsFunc(s.repo.Files, func(f schemas.File) bool {
		of, ok := detect.MavenModuleOf(s.base, dirOf(f.Path))
		return ok && of.Dir == m.Dir
	})
}

// mavenModule is a module's directory as Maven's -pl takes it.
func mavenModule(root, dir string) string {
	if rel := strings.TrimPrefix(strings.TrimPrefix(dir, root), "/"); rel != "" {
		return rel
	}
	return "."
}

func mavenLink(consumer, provider mavenSide, root string, m detect.MavenModule) schemas.LinkSpec {
	at := testbed(provider.repo, m.Dir)
	run := []string{"sh", MavenHome + "/prove.sh", at, m.Group, m.Artifact, strings.Join(consumer.users(root, m.MavenName), ",")}
	return schemas.LinkSpec{
		Ecosystem:   Maven,
		Consumer:    consumer.repo.Name,
		Provider:    provider.repo.Name,
		Name:        m.MavenName.String(),
		ConsumerDir: root,
		ProviderDir: m.Dir,
		Make:        []schemas.Command{},
		Prove:       schemas.Command{Dir: root, Run: append(run, consumer.options...)},
		Want:        at,
	}
}

// rebuild builds the used modules, without their tests unless those are used.
func (s mavenSide) rebuild(used map[string]bool, tests bool) []schemas.Command {
	byRoot := map[string][]string{}
	for dir := range used {
		root := detect.MavenRoot(s.base, dir)
		byRoot[root] = append(byRoot[root], mavenModule(root, dir))
	}
	skip := "-Dmaven.test.skip=true"
	if tests {
		skip = "-DskipTests"
	}
	var all []schemas.Command
	for _, root := range sortedSet(byRoot) {
		run := []string{"sh", MavenHome + "/provide.sh", strings.Join(sortedUnique(byRoot[root]), ","), skip}
		all = append(all, schemas.Command{Dir: root, Run: append(run, s.options...)})
	}
	return all
}

// MavenTest is the command that runs test classes of a module; it writes the
// joined report.
func MavenTest(mods []detect.MavenModule, t detect.MavenTarget, report string, options []string) schemas.Command {
	root := detect.MavenRoot(mods, t.Module.Dir)
	run := []string{"sh", MavenHome + "/test.sh", report, mavenModule(root, t.Module.Dir), strings.Join(t.Classes, ",")}
	return schemas.Command{Dir: root, Run: append(run, options...)}
}

// mavenFiles are the scripts and the lists that they read.
func mavenFiles(sides []mavenSide) []schemas.SpecFile {
	var siblings, versions, snapshots []string
	names := map[detect.MavenName]bool{}
	for _, s := range sides {
		for _, m := range s.base {
			names[m.MavenName] = true
			siblings = append(siblings, strings.Join([]string{testbed(s.repo, m.Dir), m.Group, m.Artifact}, "\t"))
		}
	}
	for _, s := range sides {
		for _, m := range slices.Concat(s.base, s.head) {
			if names[m.MavenName] && m.Version != "" {
				versions = append(versions, m.MavenName.String()+" "+m.Version)
			}
			for _, n := range m.Needs {
				switch {
				case n.Version == "" || !plainVersion(n.Version):
				case names[n.MavenName]:
					versions = append(versions, n.MavenName.String()+" "+n.Version)
				case strings.HasSuffix(n.Version, "-SNAPSHOT"):
					snapshots = append(snapshots, n.MavenName.String()+":"+kindOf(n)+" "+n.Version)
				}
			}
		}
	}
	files := []schemas.SpecFile{
		{Path: MavenSiblings, Content: lines(siblings)},
		{Path: MavenSnapshots, Content: lines(snapshots)},
		{Path: MavenVersions, Content: lines(versions)},
	}
	for _, name := range []string{"mvn.sh", "provide.sh", "prove.sh", "test.sh"} {
		body, err := mavenScripts.ReadFile("maven/" + name)
		if err != nil {
			panic("link: " + err.Error()) // it is compiled in
		}
		files = append(files, schemas.SpecFile{Path: path.Join(MavenHome, name), Content: string(body)})
	}
	return files
}

// kindOf is what stands for a need in the repository: a POM alone, or an archive.
func kindOf(n detect.MavenNeed) string {
	if n.Parent || n.Type == "pom" {
		return "pom"
	}
	return "jar"
}

// plainVersion reports whether a version can be a directory's name: no range.
func plainVersion(v string) bool {
	return !strings.ContainsAny(v, "[]()/\\ ,\t\n$") && v != "." && v != ".."
}

func lines(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return strings.Join(sortedUnique(all), "\n") + "\n"
}

func sortedSet[V any](set map[string]V) []string {
	var all []string
	for k := range set {
		all = append(all, k)
	}
	return sortedUnique(all)
}
