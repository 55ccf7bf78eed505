package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"crossswe/build/internal/cargo"
)

// The fetch stage, below the directory of -deps:
//
//	plan.json                  the plan
//	masks                      one line for each combination of trees: its name,
//	                           "must" or "may", and DIR=STATE for every repository
//	trees/<dir>/<state>/…      what cargo reads of the trees: manifests and lock
//	                           files, every other file empty
//	time                       the moment of the change, as RFC 3339
//	config.toml                cargo's configuration: the patches alone
//	out/crates                 the crates of all masks, as a directory source
//	out/seeds                  lock files for workspaces without one

// fetcher gathers the crates of every mask.
type fetcher struct {
	linker
	deps string
	got  map[string]crateCopy // by name-version
}

// crateCopy is a crate in cargo's own cache.
type crateCopy struct {
	cargo.Package
	built bool // on this platform, by some mask
}

// fetch fetches the dependencies of every mask into a directory source.
func fetch(deps string, l linker) error {
	l.offline, l.planFile, l.seeds = false, filepath.Join(deps, "plan.json"), filepath.Join(deps, "out", "seeds")
	if err := l.readPlan(); err != nil {
		return err
	}
	f := &fetcher{linker: l, deps: deps, got: map[string]crateCopy{}}
	masks, err := os.ReadFile(filepath.Join(deps, "masks"))
	if err != nil {
		return err
	}
	if err := f.configure(); err != nil {
		return err
	}
	for line := range strings.Lines(string(masks)) {
		if err := f.mask(strings.Fields(line)); err != nil {
			return err
		}
	}
	return f.write()
}

// configure puts the patches where cargo finds them from every checkout.
func (f *fetcher) configure() error {
	body, err := os.ReadFile(filepath.Join(f.deps, "config.toml"))
	if err != nil {
		return err
	}
	dir := filepath.Join(f.testbed, ".cargo")
	return errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "config.toml"), body, 0o644))
}

// mask lays the trees of one mask out, links them and notes their crates. Only
// a mask that must resolve is an error when it does not, unless for a link.
func (f *fetcher) mask(fields []string) error {
	if len(fields) < 2 {
		return fmt.Errorf("%w: a line of masks has %d fields", errUsage, len(fields))
	}
	fmt.Fprintf(f.stderr, "fetching the crates of mask %s\n", fields[0])
	for _, pair := range fields[2:] {
		dir, state, _ := strings.Cut(pair, "=")
		at := filepath.Join(f.testbed, dir)
		if err := os.RemoveAll(at); err != nil {
			return err
		}
		if err := os.CopyFS(at, os.DirFS(filepath.Join(f.deps, "trees", dir, state))); err != nil {
			return err
		}
	}
	for _, r := range f.plan.Repos {
		if err := f.repo(r); err != nil {
			if fields[1] == "must" && !f.aboutSibling(err) {
				return err
			}
			fmt.Fprintf(f.stderr, "%s does not resolve in mask %s: %v\n", r.Dir, fields[0], err)
		}
	}
	return nil
}

// aboutSibling reports whether cargo found no version of a crate of the set: the
// links are made later, and one that does not take is then an error of its own.
func (f *fetcher) aboutSibling(err error) bool {
	return slices.ContainsFunc(f.plan.Crates, func(c cargo.Crate) bool {
		return slices.ContainsFunc([]string{"failed to select a version for `%s`", "failed to select a version for the requirement `%s ", "no matching package named `%s`"}, func(form string) bool {
			return strings.Contains(err.Error(), fmt.Sprintf(form, c.Name))
		})
	})
}

func (f *fetcher) repo(r cargo.Repo) error {
	if err := f.seed(r); err != nil {
		return err
	}
	if err := f.link(r.Dir); err != nil {
		return err
	}
	for _, root := range r.Roots {
		if err := f.note(filepath.Join(f.testbed, r.Dir, root)); err != nil {
			return err
		}
	}
	return nil
}

// seed resolves a workspace without a lock file once, as of the change's date:
// what it comes to is the start in every mask.
func (f *fetcher) seed(r cargo.Repo) error {
	for _, root := range r.Roots {
		lock := filepath.Join(f.testbed, r.Dir, root, "Cargo.lock")
		seed := filepath.Join(f.seeds, r.Dir, root, "Cargo.lock")
		if exists(lock) || exists(seed) {
			continue
		}
		if err := f.copies(); err != nil {
			return err
		}
		at := filepath.Join(f.testbed, r.Dir, root)
		if err := f.generate(at); err != nil {
			return err
		}
		body, err := os.ReadFile(lock)
		if err != nil {
			return err
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(seed), 0o755), os.WriteFile(seed, body, 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// generate makes a lock file as of the change's date. A cargo that does not
// know how, or a date before a release that is asked for, gives today's.
func (f *fetcher) generate(at string) error {
	moment, err := os.ReadFile(filepath.Join(f.deps, "time"))
	if err != nil {
		return err
	}
	_, err = f.cargo(at, []string{"RUSTC_BOOTSTRAP=1"}, "-Zunstable-options", "generate-lockfile", "--publish-time", strings.TrimSpace(string(moment)))
	if err == nil {
		return nil
	}
	fmt.Fprintf(f.stderr, "resolving as of today: %v\n", err)
	_, err = f.cargo(at, nil, "generate-lockfile")
	return err
}

// note downloads the crates of a workspace and remembers them.
func (f *fetcher) note(at string) error {
	host, err := f.host(at)
	if err != nil {
		return err
	}
	all, err := f.metadata(at, "--all-features", "--locked")
	if err != nil {
		return err
	}
	here, err := f.metadata(at, "--all-features", "--locked", "--filter-platform", host)
	if err != nil {
		return err
	}
	built := map[string]bool{}
	for _, p := range here.Packages {
		built[p.ID] = true
	}
	for _, p := range all.Packages {
		if p.Source == nil {
			continue
		}
		if !strings.HasPrefix(*p.Source, "registry+") {
			return fmt.Errorf("%s comes from %s: only a registry's crates can be had", p.Name, *p.Source)
		}
		key := p.Name + "-" + p.Version
		f.got[key] = crateCopy{p, built[p.ID] || f.got[key].built}
	}
	return nil
}

// host is the platform that rustc builds for.
func (f *fetcher) host(at string) (string, error) {
	out, err := f.cargo(at, nil, "-vV")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(out)) {
		if host, ok := strings.CutPrefix(line, "host: "); ok {
			return strings.TrimSpace(host), nil
		}
	}
	return "", fmt.Errorf("cargo -vV names no host: %q", out)
}

// write writes the crates as a directory source. A release of a sibling is
// never among them. Of a crate that is not built on this platform only the
// manifest is kept: the resolver asks for no more.
func (f *fetcher) write() error {
	out := filepath.Join(f.deps, "out", "crates")
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	n := 0
	for key, c := range f.got {
		if f.sibling(cargo.Locked{Name: c.Name, Version: c.Version, Source: *c.Source}) {
			continue
		}
		if err := c.write(filepath.Join(out, key)); err != nil {
			return fmt.Errorf("writing %s: %w", key, err)
		}
		n++
	}
	fmt.Fprintf(f.stderr, "%d crates fetched\n", n)
	return nil
}

func (c crateCopy) write(to string) error {
	src := filepath.Dir(c.Manifest)
	sum, err := checksum(src)
	if err != nil {
		return err
	}
	if c.built {
		err = os.CopyFS(to, os.DirFS(src))
	} else {
		err = c.writeShell(src, to)
	}
	list := []byte(`{"files":{},"package":"` + sum + `"}`)
	return errors.Join(err, os.WriteFile(filepath.Join(to, ".cargo-checksum.json"), list, 0o644))
}

// writeShell writes the manifest and an empty file for every target.
func (c crateCopy) writeShell(src, to string) error {
	body, err := os.ReadFile(c.Manifest)
	if err != nil {
		return err
	}
	files := map[string][]byte{"Cargo.toml": body, "src/lib.rs": nil}
	for _, t := range c.Targets {
		if rel, err := filepath.Rel(src, t.Src); err == nil && filepath.IsLocal(rel) {
			files[rel] = nil
		}
	}
	for name, body := range files {
		at := filepath.Join(to, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, body, 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// checksum is the digest of the archive from which cargo unpacked a crate:
// registry/src/<index>/<crate> comes from registry/cache/<index>/<crate>.crate.
func checksum(src string) (string, error) {
	index := filepath.Base(filepath.Dir(src))
	registry := filepath.Dir(filepath.Dir(filepath.Dir(src)))
	f, err := os.Open(filepath.Join(registry, "cache", index, filepath.Base(src)+".crate"))
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return !errors.Is(err, fs.ErrNotExist)
}
