package link

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"crossswe/build/internal/detect"
	"crossswe/schemas"
)

// GoWorkFile is the workspace above the checkouts. GOWORK names it, since a
// repository's own go.work is nearer and would win without a word.
const GoWorkFile = schemas.TestbedDir + "/go.work"

// goMember is a module of the workspace at base and at head. One that only one
// of the two trees has is no member: go.work must load in every mask.
type goMember struct {
	repo       int
	dir        string // relative to the repository
	base, head *detect.GoModule
}

// path returns the module's path when it is the same at base and head, "" else:
// a replace would hide that a major version's suffix does not fit.
func (m goMember) path() string {
	if m.base.Path == m.head.Path {
		return m.base.Path
	}
	return ""
}

func (m goMember) states() []*detect.GoModule { return []*detect.GoModule{m.base, m.head} }

// PlanGo makes the workspace in which every module of the change uses the
// checkouts of the others.
func PlanGo(repos []detect.Repo) Plan {
	members := goMembers(repos)
	if len(members) == 0 {
		return Plan{}
	}
	var p Plan
	versions := siblingVersions(members)
	p.Links, p.Guesses = goLinks(repos, members, versions)
	p.Files = []schemas.SpecFile{{Path: GoWorkFile, Content: goWork(repos, members, versions)}}
	p.Env = []string{"GOWORK=" + GoWorkFile}
	return p
}

// goMembers returns the modules to use: each repository's root module, those
// that hold changed files, and those that its own go.work lists.
func goMembers(repos []detect.Repo) []goMember {
	var all []goMember
	taken := map[string]bool{}
	for i, r := range repos {
		base, head := byDir(r.Base), byDir(r.Head)
		for _, dir := range memberDirs(r, base, head) {
			m := goMember{repo: i, dir: dir, base: base[dir], head: head[dir]}
			if key := m.base.Path; key == "" || taken[key] {
				continue
			}
			taken[m.base.Path] = true
			all = append(all, m)
		}
	}
	return all
}

func byDir(t detect.Tree) map[string]*detect.GoModule {
	mods, _ := detect.GoModules(t)
	m := map[string]*detect.GoModule{}
	for i := range mods {
		m[mods[i].Dir] = &mods[i]
	}
	return m
}

func memberDirs(r detect.Repo, base, head map[string]*detect.GoModule) []string {
	dirs := append([]string{""}, ownWork(r.Head)...)
	mods := slices.Collect(maps.Values(head))
	flat := make([]detect.GoModule, len(mods))
	for i, m := range mods {
		flat[i] = *m
	}
	for _, f := range r.Files {
		if f.Class == schemas.ClassDoc || f.Class == schemas.ClassConfig || f.Class == schemas.ClassVendored {
			continue
		}
		if m, ok := detect.GoModuleOf(flat, dirOf(f.Path)); ok {
			dirs = append(dirs, m.Dir)
		}
	}
	return slices.DeleteFunc(sortedUnique(dirs), func(d string) bool { return base[d] == nil || head[d] == nil })
}

func dirOf(p string) string {
	if d := path.Dir(p); d != "." {
		return d
	}
	return ""
}

// ownWork returns the directories that the repository's own go.work uses.
func ownWork(t detect.Tree) []string {
	f, err := modfile.ParseWork("go.work", t.Files["go.work"], nil)
	if err != nil {
		return nil
	}
	var dirs []string
	for _, u := range f.Use {
		if d := path.Clean(u.Path); !path.IsAbs(d) && !strings.HasPrefix(d, "..") {
			dirs = append(dirs, strings.TrimPrefix(d, "."))
		}
	}
	return dirs
}

// siblingVersions returns for every member the versions of it that any go.mod
// of another repository names, at base or head.
func siblingVersions(members []goMember) map[string][]string {
	versions := map[string][]string{}
	for _, m := range members {
		versions[m.path()] = nil
	}
	delete(versions, "")
	for _, m := range members {
		for _, s := range m.states() {
			for _, req := range s.Requires {
				if have, ok := versions[req.Path]; ok {
					versions[req.Path] = append(have, req.Version)
				}
			}
		}
	}
	for p, v := range versions {
		v = sortedUnique(v)
		semver.Sort(v)
		versions[p] = v
	}
	return versions
}

// goLinks makes a link for every repository that requires another's module.
func goLinks(repos []detect.Repo, members []goMember, versions map[string][]string) ([]schemas.LinkSpec, []schemas.Guess) {
	var links []schemas.LinkSpec
	var guesses []schemas.Guess
	for _, consumer := range members {
		for _, provider := range members {
			if consumer.repo == provider.repo {
				continue
			}
			from := requires(consumer, provider)
			if from == "" {
				continue
			}
			field := fmt.Sprintf("links[%s → %s]", repos[consumer.repo].Name, repos[provider.repo].Name)
			if provider.path() == "" {
				guesses = append(guesses, schemas.Guess{Field: field, From: fmt.Sprintf(
					"none: the module path changes from %s to %s, so no link holds in every mask", provider.base.Path, provider.head.Path)})
				continue
			}
			links = append(links, goLink(repos, consumer, provider, versions[provider.path()]))
			guesses = append(guesses, schemas.Guess{Field: field, From: from})
		}
	}
	return links, guesses
}

// requires says where the consumer requires the provider, "" when nowhere.
func requires(consumer, provider goMember) string {
	for _, c := range consumer.states() {
		for _, p := range provider.states() {
			for _, req := range c.Requires {
				if req.Path == p.Path {
					return fmt.Sprintf("%s: require %s %s", path.Join(consumer.dir, "go.mod"), req.Path, req.Version)
				}
			}
		}
	}
	return ""
}

func goLink(repos []detect.Repo, consumer, provider goMember, versions []string) schemas.LinkSpec {
	return schemas.LinkSpec{
		Ecosystem:   Go,
		Consumer:    repos[consumer.repo].Name,
		Provider:    repos[provider.repo].Name,
		Name:        provider.path(),
		ConsumerDir: consumer.dir,
		ProviderDir: provider.dir,
		Versions:    versions,
		Prove: schemas.Command{
			Dir: consumer.dir,
			Run: []string{"go", "list", "-m", "-f", "{{.Version}}|{{.Dir}}", provider.path()},
		},
		Want: "|" + testbed(repos[provider.repo], provider.dir),
	}
}

// goWork writes the workspace: the members, and one replace for every version
// of a member that a go.mod names, since the go command reads the go.mod of a
// required version even when the module is in the workspace, and the published
// one must never be downloaded. The go line is the highest of the members', as
// it sets the defaults of GODEBUG.
func goWork(repos []detect.Repo, members []goMember, versions map[string][]string) string {
	var b strings.Builder
	var lines []string
	for _, m := range members {
		for _, s := range m.states() {
			lines = append(lines, s.Go)
		}
	}
	goLine := detect.HighestGo(lines)
	if goLine == "" {
		goLine = "1.18"
	}
	fmt.Fprintf(&b, "go %s\n\nuse (\n", goLine)
	for _, m := range members {
		fmt.Fprintf(&b, "\t%s\n", modfile.AutoQuote(workDir(repos, m)))
	}
	b.WriteString(")\n")
	for _, m := range members {
		for i, v := range versions[m.path()] {
			if i == 0 {
				b.WriteString("\n")
			}
			fmt.Fprintf(&b, "replace %s %s => %s\n", m.path(), v, modfile.AutoQuote(workDir(repos, m)))
		}
	}
	for _, r := range conflicts(repos, members) {
		fmt.Fprintf(&b, "replace %s\n", r)
	}
	return b.String()
}

// conflicts returns a replace for everything that two members replace by
// different things: the go command refuses such a workspace unless go.work
// says which it is to be. The last member, which is the consumer, has its way.
func conflicts(repos []detect.Repo, members []goMember) []string {
	own := map[string]bool{}
	for _, m := range members {
		own[m.base.Path], own[m.head.Path] = true, true
	}
	chosen, by, differ := map[string]string{}, map[string]int{}, map[string]bool{}
	for i, m := range members {
		for _, s := range m.states() {
			for _, r := range s.Replaces {
				if own[r.Path] {
					continue
				}
				old, to := strings.TrimSpace(r.Path+" "+r.Version), replacement(repos, m, r)
				if had, ok := chosen[old]; ok && had != to && by[old] != i {
					differ[old] = true
				}
				chosen[old], by[old] = to, i
			}
		}
	}
	var all []string
	for _, old := range slices.Sorted(maps.Keys(differ)) {
		all = append(all, old+" => "+chosen[old])
	}
	return all
}

// replacement writes the new side of a member's replace as go.work would.
func replacement(repos []detect.Repo, m goMember, r detect.Replace) string {
	if r.NewVersion != "" {
		return r.New + " " + r.NewVersion
	}
	if path.IsAbs(r.New) {
		return modfile.AutoQuote(r.New)
	}
	dir := path.Join(repos[m.repo].Dir, m.dir, r.New)
	if !strings.HasPrefix(dir, "../") {
		dir = "./" + dir
	}
	return modfile.AutoQuote(dir)
}

// workDir is a member's directory as go.work names it: ./ice.
func workDir(repos []detect.Repo, m goMember) string {
	return "./" + path.Join(repos[m.repo].Dir, m.dir)
}
