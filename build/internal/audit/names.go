package audit

import (
	"archive/tar"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"crossswe/build/internal/link"
)

// Sibling is a package of one repository of the set, whose published copies
// must be nowhere.
type Sibling struct {
	Ecosystem string // as link names it
	Name      string
	// Dir is its directory in the checkout, absolute.
	Dir string
	// Majors are the version lines that must be nowhere, of npm's packages: a
	// third party may need another one. A Go module's path says its line.
	Majors []string
	// Versions are those that the set names; of Maven's artifacts, older ones
	// may be there for a plugin.
	Versions []string
}

// rule is how published copies in one ecosystem are told. A nil function finds
// none.
type rule struct {
	// path says what is wrong with a path of a layer, "" when nothing is.
	path func(s Sibling, file string, kind byte) string
	// reads reports whether a file tells of a copy, and holds says by its
	// content what is wrong, "" when nothing is.
	reads func(s Sibling, file string) bool
	holds func(s Sibling, body []byte) string
}

// siblingRules are those of all ecosystems.
var siblingRules = map[string]rule{
	link.Go:  {path: Sibling.goAt},
	link.NPM: {reads: Sibling.npmManifest, holds: Sibling.npmAt},

	link.Python: {path: Sibling.pythonAt, reads: Sibling.pythonRecord, holds: Sibling.pythonIn},
	link.Cargo:  {path: Sibling.cargoAt},
	link.CMake:  {path: Sibling.cmakeAt},
	link.Maven:  {path: Sibling.mavenAt},
}

// at says what is wrong with a path of a layer, "" when nothing is.
func (s Sibling) at(file string, kind byte) string {
	if r := siblingRules[s.Ecosystem]; r.path != nil {
		return r.path(s, file, kind)
	}
	return ""
}

// tells reports whether the content of a file tells of a published copy.
func (s Sibling) tells(file string) bool {
	r := siblingRules[s.Ecosystem]
	return r.reads != nil && r.reads(s, file)
}

// in says what is wrong with the content of a file that tells.
func (s Sibling) in(body []byte) string { return siblingRules[s.Ecosystem].holds(s, body) }

// goAt finds an extracted module and the archive of one. The go.mod of a
// release, which other modules' requirements bring along, holds no code.
func (s Sibling) goAt(file string, kind byte) string {
	escaped, err := module.EscapePath(s.Name)
	if err != nil {
		return ""
	}
	if kind == tar.TypeDir && strings.HasSuffix(path.Dir(file)+"/"+beforeAt(path.Base(file)), "/"+escaped) && strings.Contains(path.Base(file), "@v") {
		return "an extracted release of " + s.Name
	}
	if strings.HasSuffix(file, ".zip") && strings.HasSuffix(path.Dir(file), "/cache/download/"+escaped+"/@v") {
		return "a release of " + s.Name
	}
	return ""
}

func beforeAt(name string) string {
	before, _, _ := strings.Cut(name, "@")
	return before
}

// npmManifest reports whether a file stands for an installed copy: the
// package.json of a directory node_modules/<name>, which is no link then.
func (s Sibling) npmManifest(file string) bool {
	return strings.HasSuffix(file, "/node_modules/"+s.Name+"/package.json") && path.Dir(file) != s.Dir
}

// npmAt says what is wrong with an installed copy, "" when it is of a version
// line that is not the set's.
func (s Sibling) npmAt(manifest []byte) string {
	var m struct{ Version string }
	if err := json.Unmarshal(manifest, &m); err != nil || m.Version == "" {
		return "an installed copy of " + s.Name + ", of no known version"
	}
	major, _, _ := strings.Cut(m.Version, ".")
	if !slices.Contains(s.Majors, major) {
		return ""
	}
	return "release " + m.Version + " of " + s.Name
}

// The files of a git directory that only later states leave behind.
var gitLeavings = regexp.MustCompile(`^(?:logs(?:/.*)?|FETCH_HEAD|ORIG_HEAD|MERGE_HEAD|CHERRY_PICK_HEAD|packed-refs|refs/(?:tags|remotes|notes|pull)/.+|refs/stash|objects/info/alternates|modules/.+|worktrees/.+|objects/[0-9a-f]{2}/.+|info/grafts|rr-cache/.+|lfs/.+)$`)

// gitPath holds the files of git directories against the rules: one pack per
// checkout, and nothing that another state left behind; no git directory but
// the checkouts'.
func (a *layerAudit) gitPath(file string, kind byte) {
	root, inside, ok := cutGit(file)
	if !ok {
		if kind == tar.TypeReg && strings.HasSuffix(file, ".pack") && strings.Contains(file, "/objects/pack/") {
			a.add(checkGit, file, "a git pack outside the checkouts")
		}
		return
	}
	if !slices.Contains(a.rules.Checkouts, root) {
		if inside == "HEAD" {
			a.add(checkGit, file, "a git repository that is no checkout of the set")
		}
		return
	}
	if kind == tar.TypeDir {
		return
	}
	if gitLeavings.MatchString(inside) {
		a.add(checkGit, file, "left behind in the git directory of a checkout")
	}
	if strings.HasPrefix(inside, "objects/pack/") && strings.HasSuffix(inside, ".pack") {
		if other, seen := a.packs[root]; seen && other != inside {
			a.add(checkGit, file, "a second pack beside %s", other)
		}
		a.packs[root] = inside
	}
}

// cutGit splits a path at its git directory.
func cutGit(file string) (root, inside string, ok bool) {
	root, inside, ok = strings.Cut(file, "/.git/")
	if !ok || inside == "" {
		return "", "", false
	}
	return root, inside, true
}
