package detect

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// GoModule is one module of a tree.
type GoModule struct {
	// Dir is relative to the repository, "" for its root.
	Dir  string
	Path string
	// Go and Toolchain are the lines of go.mod, without "go"; "" when absent.
	Go, Toolchain string
	Requires      []module.Version
	Replaces      []Replace
}

// Replace is one replace directive. Version is "" when it is for all versions.
// New is a module, or a directory relative to the module when NewVersion is "".
type Replace struct {
	Path, Version   string
	New, NewVersion string
}

// GoModules returns the modules of the tree, ordered by directory, and the
// paths of the go.mod files that cannot be read.
func GoModules(t Tree) (mods []GoModule, broken []string) {
	for _, p := range t.Paths {
		if path.Base(p) != "go.mod" || vendored(p) || hidden(p) {
			continue
		}
		m, err := parseGoMod(p, t.Files[p])
		if err != nil {
			broken = append(broken, p)
			continue
		}
		mods = append(mods, m)
	}
	slices.SortFunc(mods, func(a, b GoModule) int { return strings.Compare(a.Dir, b.Dir) })
	return mods, broken
}

// parseGoMod reads a go.mod; one with lines of a later Go is read without them
// and without its replace and toolchain lines.
func parseGoMod(p string, body []byte) (GoModule, error) {
	f, err := modfile.Parse(p, body, nil)
	if err != nil {
		f, err = modfile.ParseLax(p, body, nil)
	}
	if err != nil {
		return GoModule{}, err
	}
	m := GoModule{Dir: parent(p)}
	if f.Module != nil {
		m.Path = f.Module.Mod.Path
	}
	if f.Go != nil {
		m.Go = f.Go.Version
	}
	if f.Toolchain != nil {
		m.Toolchain = strings.TrimPrefix(f.Toolchain.Name, "go")
	}
	for _, r := range f.Require {
		m.Requires = append(m.Requires, r.Mod)
	}
	for _, r := range f.Replace {
		m.Replaces = append(m.Replaces, Replace{Path: r.Old.Path, Version: r.Old.Version, New: r.New.Path, NewVersion: r.New.Version})
	}
	return m, nil
}

// GoModuleOf returns the module that holds a directory; false when none does.
func GoModuleOf(mods []GoModule, dir string) (GoModule, bool) {
	best, found := GoModule{}, false
	for _, m := range mods {
		if within(m.Dir, dir) && (!found || len(m.Dir) > len(best.Dir)) {
			best, found = m, true
		}
	}
	return best, found
}

// within reports whether dir is root or lies below it; "" is the top.
func within(root, dir string) bool {
	return root == "" || dir == root || strings.HasPrefix(dir, root+"/")
}

// hidden reports whether the go command passes over the path: a directory that
// starts with a dot or an underscore.
func hidden(p string) bool {
	for _, part := range strings.Split(parent(p), "/") {
		if strings.HasPrefix(part, ".") || strings.HasPrefix(part, "_") {
			return true
		}
	}
	return false
}
