package assemble

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"crossswe/build/internal/link"
	"crossswe/build/internal/recipe"
	"crossswe/build/internal/sides"
	"crossswe/internal/gitrepo"
	"crossswe/schemas"
)

// writeCargo writes what the Cargo fetch stage sees: the trees at base, with
// test patch and at head, the masks, the plan, the patches, and the programs.
func (c *Context) writeCargo(ctx context.Context, w *tar.Writer) error {
	for _, s := range c.Sides {
		for _, state := range []link.TreeState{link.TreeBase, link.TreeTest, link.TreeHead} {
			if err := writeCargoTree(ctx, w, s, state); err != nil {
				return fmt.Errorf("writing the tree of %s: %w", s.Repo, err)
			}
		}
	}
	patches, err := link.CargoPatches(specFile(c.Spec, link.CargoConfigFile))
	if err != nil {
		return err
	}
	for _, f := range [][2]string{
		{"masks", c.cargoMasks()},
		{"plan.json", string(specFile(c.Spec, link.CargoPlanFile))},
		{"config.toml", patches},
		{"time", c.latestMerge().Format(time.RFC3339)},
	} {
		if err := addText(w, cargoPath(f[0]), f[1]); err != nil {
			return err
		}
	}
	if err := addScript(w, cargoPath("out/"+path.Base(link.CargoRustDoc)), recipe.CargoRustDoc); err != nil {
		return err
	}
	return addFile(w, cargoPath("out/"+recipe.CargoLink), filepath.Join(filepath.Dir(c.paths.Report), recipe.CargoLink), 0o755)
}

func cargoPath(name string) string { return path.Join(recipe.DepsDir, link.Cargo, name) }

func addScript(w *tar.Writer, name, body string) error {
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o755, Size: int64(len(body))}); err != nil {
		return err
	}
	_, err := w.Write([]byte(body))
	return err
}

// latestMerge is when the whole change was there.
func (c *Context) latestMerge() time.Time {
	var last time.Time
	for _, s := range c.Sides {
		if s.MergedAt.After(last) {
			last = s.MergedAt
		}
	}
	return last.UTC()
}

// cargoMasks lists the combinations of trees: the bare bases, and every mask
// over bases with their test patches. Those without and with every gold patch
// must resolve; a partial mask may be unable to.
func (c *Context) cargoMasks() string {
	n := len(c.Sides)
	var b strings.Builder
	line := func(name, must string, state func(i int) link.TreeState) {
		fmt.Fprintf(&b, "%s %s", name, must)
		for i, s := range c.Sides {
			fmt.Fprintf(&b, " %s=%s", s.Dir, state(i))
		}
		b.WriteString("\n")
	}
	line(link.BareName, "must", func(int) link.TreeState { return link.TreeBase })
	for m := schemas.Mask(0); m <= schemas.FullMask(n); m++ {
		must := "may"
		if m == 0 || m == schemas.FullMask(n) {
			must = "must"
		}
		line(m.Name(n), must, func(i int) link.TreeState {
			if m.Has(i) {
				return link.TreeHead
			}
			return link.TreeTest
		})
	}
	return b.String()
}

// writeCargoTree writes a tree as cargo's resolver sees it: manifests, lock
// files and configuration whole, every Rust file empty, since only its presence
// counts.
func writeCargoTree(ctx context.Context, w *tar.Writer, s sides.Side, state link.TreeState) error {
	tree := s.Entries(state)
	for _, p := range slices.Sorted(maps.Keys(tree)) {
		e := tree[p]
		whole := cargoReads(p)
		if e.Mode != gitrepo.ModeFile && e.Mode != gitrepo.ModeExec || !whole && path.Ext(p) != ".rs" {
			continue
		}
		var body []byte
		if whole {
			var err error
			var missing *gitrepo.MissingObjectError
			body, err = s.Git.ReadBlob(ctx, e.OID, maxManifest)
			if err != nil && !errors.As(err, &missing) {
				return err
			}
		}
		if err := addText(w, cargoPath(path.Join("trees", s.Dir, string(state), p)), string(body)); err != nil {
			return err
		}
	}
	return nil
}

func cargoReads(p string) bool {
	switch path.Base(p) {
	case "Cargo.toml", "Cargo.lock":
		return true
	}
	return path.Base(path.Dir(p)) == ".cargo"
}
