package assemble

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"crossswe/build/internal/link"
	"crossswe/build/internal/recipe"
	"crossswe/build/internal/sides"
	"crossswe/internal/gitrepo"
	"crossswe/schemas"
)

// maxGoFile bounds a Go file that the fetch stage sees.
const maxGoFile = 16 << 20

// writeGo writes what the Go fetch stage sees: the trees with test patch and
// at head, a workspace for every mask, and the script.
func (c *Context) writeGo(ctx context.Context, w *tar.Writer) error {
	trees := c.trees()
	spaces, err := link.GoWorkspaces(specFile(c.Spec, link.GoWorkFile), trees)
	if err != nil {
		return err
	}
	for _, s := range c.Sides {
		for _, state := range []link.TreeState{link.TreeTest, link.TreeHead} {
			if err := writeGoTree(ctx, w, s, state, trees.Root(s.Dir, state)); err != nil {
				return fmt.Errorf("writing the tree of %s: %w", s.Repo, err)
			}
		}
	}
	for _, ws := range spaces {
		if err := c.writeWorkspace(w, ws, trees); err != nil {
			return err
		}
	}
	return addText(w, below(recipe.GoRoot, recipe.GoRoot+"/fetch.sh", link.Go), recipe.GoFetchScript)
}

// trees says where the fetch stage has the trees: base is the checkout itself.
func (c *Context) trees() link.Trees {
	byDir := map[string]sides.Side{}
	t := link.Trees{}
	for _, s := range c.Sides {
		byDir[s.Dir] = s
		t.Dirs = append(t.Dirs, s.Dir)
	}
	t.Root = func(dir string, state link.TreeState) string {
		if state == link.TreeBase {
			return path.Join(schemas.TestbedDir, dir)
		}
		return path.Join(recipe.GoTrees, dir, string(state))
	}
	t.Has = func(dir string, state link.TreeState, file string) bool {
		_, ok := byDir[dir].Entries(state)[file]
		return ok
	}
	return t
}

// writeGoTree writes a tree as the go command's loading of packages sees it:
// Go files and manifests whole, every other file empty, since only its
// presence counts (for embedding).
func writeGoTree(ctx context.Context, w *tar.Writer, s sides.Side, state link.TreeState, root string) error {
	tree := s.Entries(state)
	for _, p := range slices.Sorted(maps.Keys(tree)) {
		e := tree[p]
		if e.Mode != gitrepo.ModeFile && e.Mode != gitrepo.ModeExec {
			continue
		}
		var body []byte
		if goReads(p) {
			var err error
			var missing *gitrepo.MissingObjectError
			body, err = s.Git.ReadBlob(ctx, e.OID, maxGoFile)
			if err != nil && !errors.As(err, &missing) {
				return err
			}
		}
		if err := addText(w, below(recipe.GoRoot, path.Join(root, p), link.Go), string(body)); err != nil {
			return err
		}
	}
	return nil
}

func goReads(p string) bool {
	switch path.Base(p) {
	case "go.mod", "go.sum", "go.work", "go.work.sum":
		return true
	}
	return strings.HasSuffix(p, ".go")
}

func (c *Context) writeWorkspace(w *tar.Writer, ws link.Workspace, trees link.Trees) error {
	files := map[string]string{"go.work": ws.Content, "packages": ws.Patterns}
	if ws.Must {
		files["must"] = ""
	}
	if strict, ok := c.strict(ws.Name, trees); ok {
		files["strict"] = strict
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := addText(w, below(recipe.GoRoot, path.Join(recipe.GoMasks, ws.Name, name), link.Go), files[name]); err != nil {
			return err
		}
	}
	return nil
}

// strict lists the target packages that must load: in the bare bases and in
// the full mask. In other masks a package may import what its sibling lacks.
func (c *Context) strict(name string, trees link.Trees) (string, bool) {
	state := map[string]link.TreeState{
		link.BareName: link.TreeBase,
		schemas.FullMask(len(c.Sides)).Name(len(c.Sides)): link.TreeHead,
	}[name]
	if state == "" {
		return "", false
	}
	var b strings.Builder
	for i, s := range c.Sides {
		tree := s.Entries(state)
		for _, dir := range goTargetDirs(c.Spec.Repos[i]) {
			if hasGoFile(tree, dir) {
				b.WriteString(path.Join(trees.Root(s.Dir, state), dir) + "\n")
			}
		}
	}
	return b.String(), true
}

// goTargetDirs returns the package directories of a repository's Go targets,
// relative to the repository.
func goTargetDirs(r schemas.RepoSpec) []string {
	var dirs []string
	for _, t := range r.Targets {
		if t.Runner != schemas.RunnerGo {
			continue
		}
		for _, arg := range t.Command.Run {
			if arg == "." || strings.HasPrefix(arg, "./") && !strings.Contains(arg, "...") {
				dirs = append(dirs, path.Join(t.Command.Dir, arg))
			}
		}
	}
	return dirs
}

func hasGoFile(tree map[string]gitrepo.Entry, dir string) bool {
	for p := range tree {
		if path.Dir(p) == path.Clean(dir) && strings.HasSuffix(p, ".go") {
			return true
		}
	}
	return false
}
