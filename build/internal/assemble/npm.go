package assemble

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"crossswe/build/internal/detect"
	"crossswe/build/internal/link"
	"crossswe/build/internal/recipe"
	"crossswe/build/internal/sides"
	"crossswe/internal/gitrepo"
	"crossswe/schemas"
)

// maxManifest bounds a package.json or a lock file.
const maxManifest = 32 << 20

// sibling is an entry of the list that the collecting script reads.
type sibling struct {
	Name   string   `json:"name"`
	Dir    string   `json:"dir"`
	Majors []string `json:"majors"`
}

// writeNPM writes what the npm fetch stage sees: manifests that name the
// dependencies of base and head, head's lock files, and the siblings.
func (c *Context) writeNPM(ctx context.Context, w *tar.Writer) error {
	siblings := c.npmSiblings()
	for i, s := range c.Sides {
		outside := map[string]string{}
		for _, l := range siblings[i] {
			outside[l.Name] = l.Dir
		}
		if err := writeManifests(ctx, w, s, outside); err != nil {
			return fmt.Errorf("writing the manifests of %s: %w", s.Repo, err)
		}
	}
	var all []sibling
	for _, list := range siblings {
		all = append(all, list...)
	}
	slices.SortFunc(all, func(a, b sibling) int { return strings.Compare(a.Name, b.Name) })
	all = slices.CompactFunc(all, func(a, b sibling) bool { return a.Name == b.Name })
	if all == nil {
		all = []sibling{}
	}
	body, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := addText(w, below(recipe.NPMRoot, recipe.NPMLinks, link.NPM), string(body)); err != nil {
		return err
	}
	return addText(w, below(recipe.NPMRoot, recipe.NPMRoot+"/collect.js", link.NPM), recipe.NPMCollectScript)
}

// npmSiblings returns for each side the packages of the others that it links.
func (c *Context) npmSiblings() [][]sibling {
	dirs := map[string]string{}
	for _, r := range c.Spec.Repos {
		dirs[r.Repo.Key()] = r.Dir
	}
	all := make([][]sibling, len(c.Sides))
	for i, s := range c.Sides {
		for _, l := range c.Spec.Links {
			if l.Ecosystem == link.NPM && l.Consumer.Same(s.Repo) {
				all[i] = append(all[i], sibling{l.Name, path.Join(schemas.TestbedDir, dirs[l.Provider.Key()], l.ProviderDir), link.Majors(l.Versions)})
			}
		}
	}
	return all
}

func writeManifests(ctx context.Context, w *tar.Writer, s sides.Side, siblings map[string]string) error {
	base, head := s.Entries(link.TreeBase), s.Entries(link.TreeHead)
	for _, p := range slices.Sorted(maps.Keys(base)) {
		if !detect.NPMManifestFile(p) {
			continue
		}
		old, err := s.Git.ReadBlob(ctx, base[p].OID, maxManifest)
		if err != nil {
			return err
		}
		body, err := merge(ctx, s.Git, path.Base(p), old, head[p], siblings)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		if err := addText(w, below(recipe.NPMRoot, path.Join(recipe.NPMManifests, s.Dir, p), link.NPM), string(body)); err != nil {
			return err
		}
	}
	return nil
}

// merge makes the manifest to install from; of a lock file head's wins. A
// manifest that is no JSON stays as it is.
func merge(ctx context.Context, repo *gitrepo.Repo, name string, old []byte, at gitrepo.Entry, siblings map[string]string) ([]byte, error) {
	var head []byte
	if at.OID != "" {
		var err error
		if head, err = repo.ReadBlob(ctx, at.OID, maxManifest); err != nil {
			return nil, err
		}
	}
	if name != "package.json" {
		if head != nil {
			return head, nil
		}
		return old, nil
	}
	merged, _, err := link.NPMManifest(old, head, siblings)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &kind) {
		return old, nil
	}
	return merged, err
}
