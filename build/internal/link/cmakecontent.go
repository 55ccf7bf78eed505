package link

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"crossswe/build/internal/detect"
	"crossswe/schemas"
)

// googleTest is where Debian's package of GoogleTest puts its source.
const googleTest = "/usr/src/googletest"

// content plans the third parties' content that a project declares: of base
// and head, head's where both declare a name. GoogleTest is Debian's; the rest
// is fetched at image build.
func (p *cmakePlanner) content(i int) {
	c := &p.projects[i]
	declared := map[string]detect.CMakeFetch{}
	var names []string
	for _, project := range p.sides[c.side].at(c.dir) {
		for _, f := range project.Fetches {
			name := strings.ToLower(f.Name)
			if p.sibling(c.side, f) || strings.ContainsAny(name, "/$ ") {
				continue
			}
			declared[name] = f
			names = append(names, name)
		}
	}
	for _, name := range sortedUnique(names) {
		dir := googleTest
		if name != "googletest" && name != "gtest" {
			dir = p.fetch(c.side, declared[name])
		}
		c.args = append(c.args, "-DFETCHCONTENT_SOURCE_DIR_"+strings.ToUpper(name)+"="+dir)
	}
}

func (p *cmakePlanner) sibling(side int, f detect.CMakeFetch) bool {
	return slices.ContainsFunc(p.sides, func(s cmakeSide) bool {
		return !s.repo.Name.Same(p.sides[side].repo.Name) && isRepository(f, s.repo.Name)
	})
}

// fetch adds the command that fetches a declaration, and returns where the
// content will lie.
func (p *cmakePlanner) fetch(side int, f detect.CMakeFetch) string {
	repo := p.sides[side].repo
	at := path.Join(repo.Dir, strings.ToLower(f.Name))
	run := []string{"cmake", "-DNAME=" + strings.ToLower(f.Name), "-DDIR=" + path.Join(CMakeOut, at), "-DARGS=" + strings.Join(f.Args, ";"), "-P", CMakeFetch}
	command := schemas.Command{Run: run}
	p.plan.Setup[side] = append(p.plan.Setup[side], command)
	p.plan.Guesses = append(p.plan.Guesses, schemas.Guess{
		Field: fmt.Sprintf("repos[%s].setup", repo.Name), From: "FetchContent_Declare(" + f.Name + ")"})
	return path.Join(CMakeContent, at)
}
