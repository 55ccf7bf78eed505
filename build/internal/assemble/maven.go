package assemble

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"

	"crossswe/build/internal/link"
	"crossswe/build/internal/recipe"
	"crossswe/build/internal/sides"
	"crossswe/internal/gitrepo"
	"crossswe/schemas"
)

// maxMavenFile bounds a file of a tree that the fetch stage builds.
const maxMavenFile = 64 << 20

// writeMaven writes what the Maven fetch stage sees: the trees at head, the
// states to resolve, and the script.
func (c *Context) writeMaven(ctx context.Context, w *tar.Writer) error {
	for _, s := range c.Sides {
		if err := writeMavenTree(ctx, w, s); err != nil {
			return fmt.Errorf("writing the tree of %s: %w", s.Repo, err)
		}
	}
	for i, state := range mavenStates(c.Sides) {
		name := fmt.Sprintf("%02d-%s", i, state.name)
		script := recipe.MavenState(c.Spec, state.head, state.must)
		if err := addText(w, below(recipe.MavenRoot, path.Join(recipe.MavenStates, name), link.Maven), script); err != nil {
			return err
		}
	}
	return addText(w, below(recipe.MavenRoot, recipe.MavenRoot+"/fetch.sh", link.Maven), recipe.MavenFetchScript)
}

// mavenState is one state of the set, by the directories that are at head.
type mavenState struct {
	name string
	head map[string]bool
	must bool
}

// mavenStates are those whose resolution can differ: head, base, and every
// mixture of the repositories whose POMs the change touches. Mixtures need not
// resolve: verify says why a mask does not.
func mavenStates(all []sides.Side) []mavenState {
	var poms []string
	every := map[string]bool{}
	for _, s := range all {
		every[s.Dir] = true
		if touchesPOM(s.Split.Files) {
			poms = append(poms, s.Dir)
		}
	}
	states := []mavenState{{"head", every, true}, {"base", map[string]bool{}, true}}
	for set := 1; set < 1<<len(poms)-1; set++ {
		st := mavenState{name: fmt.Sprintf("mixture-%d", set), head: map[string]bool{}}
		for i, dir := range poms {
			if set>>i&1 == 1 {
				st.head[dir] = true
			}
		}
		states = append(states, st)
	}
	return states
}

func touchesPOM(files []schemas.File) bool {
	return slices.ContainsFunc(files, func(f schemas.File) bool {
		return path.Base(f.Path) == "pom.xml" || path.Base(path.Dir(f.Path)) == ".mvn"
	})
}

// writeMavenTree writes the tree at head as it is.
func writeMavenTree(ctx context.Context, w *tar.Writer, s sides.Side) error {
	tree := s.Entries(link.TreeHead)
	for _, p := range slices.Sorted(maps.Keys(tree)) {
		e := tree[p]
		if e.Mode == gitrepo.ModeGitlink {
			continue
		}
		body, err := s.Git.ReadBlob(ctx, e.OID, maxMavenFile)
		var missing *gitrepo.MissingObjectError
		if errors.As(err, &missing) || errors.Is(err, gitrepo.ErrTooLarge) {
			continue
		}
		if err != nil {
			return err
		}
		name := below(recipe.MavenRoot, path.Join(recipe.MavenTrees, s.Dir, p), link.Maven)
		if err := addEntry(w, name, e.Mode, body); err != nil {
			return err
		}
	}
	return nil
}

// addEntry adds a file of a tree with its mode, or a symbolic link.
func addEntry(w *tar.Writer, name string, mode gitrepo.Mode, body []byte) error {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(body))}
	switch mode {
	case gitrepo.ModeExec:
		h.Mode = 0o755
	case gitrepo.ModeSymlink:
		h.Typeflag, h.Linkname, h.Size = tar.TypeSymlink, string(body), 0
	}
	if err := w.WriteHeader(h); err != nil {
		return err
	}
	if h.Size == 0 {
		return nil
	}
	_, err := w.Write(body)
	return err
}
