package link

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"golang.org/x/mod/modfile"

	"crossswe/schemas"
)

// TreeState is the state of one repository's tree while dependencies are
// fetched.
type TreeState string

// The states. In a mask a repository without its gold patch has its test patch.
const (
	TreeBase TreeState = "base"
	TreeTest TreeState = "test" // base and test patch
	TreeHead TreeState = "head"
)

// BareName is the workspace of the bare bases, without any patch.
const BareName = "base"

// Workspace is a go.work over one combination of trees.
type Workspace struct {
	Name string
	// Must says that dependencies have to resolve in it: all base, all tests,
	// all head. In a partial mask they may be unable to.
	Must    bool
	Content string // go.work
	// Patterns are the packages whose dependencies are needed, one per line.
	Patterns string
}

// Trees says where the trees of the repositories stand in the image while
// dependencies are fetched. Dirs are the repositories' directories, in the
// order of the mask's bits.
type Trees struct {
	Dirs []string
	// Root is the directory of the tree of dir in a state.
	Root func(dir string, state TreeState) string
	// Has reports whether a tree holds a file.
	Has func(dir string, state TreeState, file string) bool
}

// ErrWorkspace says that a spec's go.work cannot be used.
var ErrWorkspace = errors.New("the workspace of the spec cannot be used")

// GoWorkspaces turns the go.work of a spec into one for the bare bases and one
// for every mask. A module that a tree does not have is left out of it. The
// error is an ErrWorkspace and says what is wrong.
func GoWorkspaces(goWork []byte, t Trees) ([]Workspace, error) {
	f, err := modfile.ParseWork(GoWorkFile, goWork, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrWorkspace, err)
	}
	all := []Workspace{}
	add := func(name string, must bool, state func(i int) TreeState) error {
		w, err := workspace(f, t, state)
		w.Name, w.Must = name, must
		all = append(all, w)
		return err
	}
	n := len(t.Dirs)
	if err := add(BareName, true, func(int) TreeState { return TreeBase }); err != nil {
		return nil, err
	}
	for m := schemas.Mask(0); m <= schemas.FullMask(n); m++ {
		state := func(i int) TreeState {
			if m.Has(i) {
				return TreeHead
			}
			return TreeTest
		}
		if err := add(m.Name(n), m == 0 || m == schemas.FullMask(n), state); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func workspace(f *modfile.WorkFile, t Trees, state func(int) TreeState) (Workspace, error) {
	var use, replace, patterns strings.Builder
	move := func(p string) (string, bool, error) { return t.move(p, state) }
	for _, u := range f.Use {
		dir, has, err := move(u.Path)
		if err != nil {
			return Workspace{}, err
		}
		if has {
			fmt.Fprintf(&use, "use %s\n", modfile.AutoQuote(dir))
			fmt.Fprintf(&patterns, "%s/...\n", dir)
		}
	}
	for _, r := range f.Replace {
		to := strings.TrimSpace(modfile.AutoQuote(r.New.Path) + " " + r.New.Version)
		if r.New.Version == "" {
			dir, has, err := move(r.New.Path)
			if err != nil {
				return Workspace{}, err
			}
			if !has {
				continue
			}
			to = modfile.AutoQuote(dir)
		}
		old := strings.TrimSpace(r.Old.Path + " " + r.Old.Version)
		fmt.Fprintf(&replace, "replace %s => %s\n", old, to)
	}
	goLine := ""
	if f.Go != nil {
		goLine = "go " + f.Go.Version + "\n"
	}
	return Workspace{Content: goLine + use.String() + replace.String(), Patterns: patterns.String()}, nil
}

// move turns a directory of go.work, relative to the testbed or absolute, into
// the same directory of a tree; false when the tree has no module there.
func (t Trees) move(p string, state func(int) TreeState) (string, bool, error) {
	if !path.IsAbs(p) {
		p = path.Join(schemas.TestbedDir, p)
	}
	rel, ok := strings.CutPrefix(path.Clean(p), schemas.TestbedDir+"/")
	if !ok {
		return "", false, fmt.Errorf("%w: %s is not below %s", ErrWorkspace, p, schemas.TestbedDir)
	}
	dir, sub, _ := strings.Cut(rel, "/")
	for i, d := range t.Dirs {
		if d == dir {
			s := state(i)
			return path.Join(t.Root(d, s), sub), t.Has(d, s, path.Join(sub, "go.mod")), nil
		}
	}
	return "", false, fmt.Errorf("%w: %s is in no repository of it", ErrWorkspace, p)
}
