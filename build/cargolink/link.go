package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"crossswe/build/internal/cargo"
)

// linker links the repositories of one testbed.
type linker struct {
	testbed  string
	planFile string
	plan     cargo.Plan
	// offline keeps cargo from every registry.
	offline bool
	// seeds holds lock files for workspaces that have none: <dir>/<root>/Cargo.lock.
	seeds  string
	stderr io.Writer
}

func (l *linker) readPlan() error {
	body, err := os.ReadFile(l.planFile)
	if err != nil {
		return fmt.Errorf("reading the plan: %w", err)
	}
	if err := json.Unmarshal(body, &l.plan); err != nil {
		return fmt.Errorf("reading the plan %s: %w", l.planFile, err)
	}
	if l.seeds == "" {
		l.seeds = filepath.Join(filepath.Dir(l.planFile), "seeds")
	}
	return nil
}

// shadow is the directory of the copy of a repository.
func (l *linker) shadow(dir string) string { return filepath.Join(l.testbed, ".link", dir) }

// link makes the copies anew, cuts the siblings' releases out of the lock files
// of one repository, and lets cargo fill the gaps.
func (l *linker) link(repo string) error {
	r, ok := l.plan.Find(repo)
	if !ok {
		return fmt.Errorf("%w: the plan has no repository %q", errUsage, repo)
	}
	if err := l.copies(); err != nil {
		return err
	}
	for _, root := range r.Roots {
		if err := l.lock(r.Dir, root); err != nil {
			return fmt.Errorf("locking %s: %w", filepath.Join(r.Dir, root), err)
		}
	}
	return nil
}

// copies makes or renews the copies of all repositories that others use.
func (l *linker) copies() error {
	graphs, err := l.graphs()
	if err != nil {
		return err
	}
	manifests := map[string]map[string][]byte{}
	for _, c := range l.plan.Crates {
		file, body, err := l.manifest(c, graphs)
		if err != nil {
			return fmt.Errorf("linking %s: %w", c.Name, err)
		}
		if manifests[c.Dir] == nil {
			manifests[c.Dir] = map[string][]byte{}
		}
		manifests[c.Dir][file] = body
	}
	for dir, edited := range manifests {
		if err := mirror(filepath.Join(l.testbed, dir), l.shadow(dir), edited); err != nil {
			return fmt.Errorf("copying %s: %w", dir, err)
		}
	}
	return nil
}

// graphs returns the members of every workspace, by repository.
func (l *linker) graphs() (map[string][]cargo.Graph, error) {
	all := map[string][]cargo.Graph{}
	for _, r := range l.plan.Repos {
		for _, root := range r.Roots {
			dir := filepath.Join(l.testbed, r.Dir, root)
			if _, err := os.Stat(filepath.Join(dir, "Cargo.toml")); errors.Is(err, fs.ErrNotExist) {
				continue
			}
			g, err := l.metadata(dir, "--no-deps")
			if err != nil {
				return nil, err
			}
			all[r.Dir] = append(all[r.Dir], g)
		}
	}
	return all, nil
}

// manifest returns the manifest of a crate's copy, with the version that all
// consumers allow: one that a lock file names, else its own, else one that a
// requirement names.
func (l *linker) manifest(c cargo.Crate, graphs map[string][]cargo.Graph) (file string, body []byte, err error) {
	file = filepath.Join(c.Package, "Cargo.toml")
	if body, err = os.ReadFile(filepath.Join(l.testbed, c.Dir, file)); err != nil {
		return "", nil, err
	}
	var reqs []cargo.Req
	var preferred []cargo.Version
	for _, r := range l.plan.Repos {
		if r.Dir == c.Dir {
			continue
		}
		for _, g := range graphs[r.Dir] {
			reqs = append(reqs, g.Reqs(c.Name)...)
		}
		for _, root := range r.Roots {
			preferred = append(preferred, l.locked(r.Dir, root, c)...)
		}
	}
	slices.SortFunc(preferred, func(a, b cargo.Version) int { return b.Compare(a) })
	for _, g := range graphs[c.Dir] {
		if p, ok := g.Member(c.Name); ok {
			if own, ok := cargo.ParseVersion(p.Version); ok {
				preferred = append(preferred, own)
			}
		}
	}
	v, ok := cargo.Choose(reqs, preferred)
	if !ok {
		return "", nil, fmt.Errorf("no version is allowed by all who ask for it")
	}
	edited, ok := cargo.WithVersion(body, v)
	if !ok {
		return "", nil, fmt.Errorf("%s has no version that can be written", file)
	}
	return file, edited, nil
}

// locked are the versions in which a lock file names a crate.
func (l *linker) locked(dir, root string, c cargo.Crate) []cargo.Version {
	body, err := os.ReadFile(filepath.Join(l.testbed, dir, root, "Cargo.lock"))
	if err != nil {
		return nil
	}
	var all []cargo.Version
	for _, p := range cargo.Lock(body) {
		if v, ok := cargo.ParseVersion(p.Version); ok && p.Name == c.Name && slices.Contains(c.Lines, v.Line()) {
			all = append(all, v)
		}
	}
	return all
}

// lock cuts the siblings' releases out of a workspace's lock file and has cargo
// complete it. A workspace without one starts from the seed.
func (l *linker) lock(dir, root string) error {
	at := filepath.Join(l.testbed, dir, root)
	file := filepath.Join(at, "Cargo.lock")
	body, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		body, err = os.ReadFile(filepath.Join(l.seeds, dir, root, "Cargo.lock"))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		cut := cargo.CutLock(body, func(p cargo.Locked) bool { return p.Source != "" && l.sibling(p) })
		if err := os.WriteFile(file, cut, 0o644); err != nil {
			return err
		}
	}
	_, err = l.metadata(at, "--all-features")
	return err
}

// sibling reports whether a locked package is a release of a crate of the set.
func (l *linker) sibling(p cargo.Locked) bool {
	c, ok := l.plan.Crate(p.Name)
	v, _ := cargo.ParseVersion(p.Version)
	return ok && (slices.Contains(c.Lines, v.Line()) || strings.HasPrefix(p.Source, "git+"))
}

// prove returns the checkout that a crate comes from in the workspace of a
// package.
func (l *linker) prove(repo, dir, name string) (string, error) {
	c, ok := l.plan.Crate(name)
	if !ok {
		return "", fmt.Errorf("%w: the plan has no crate %q", errUsage, name)
	}
	g, err := l.resolved(repo, dir)
	if err != nil {
		return "", err
	}
	home := filepath.Join(l.testbed, c.Dir, c.Package)
	if !g.Asks(name) {
		if v := g.Released(name, c.Lines); v != "" {
			return "", fmt.Errorf("release %s of %s is used by a third party", v, name)
		}
		return home, nil // in this state nobody uses it
	}
	src, err := g.Linked(name, filepath.Join(l.shadow(c.Dir), c.Package))
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(src)
	if err != nil {
		return "", err
	}
	if !strings.HasPrefix(real, home+string(filepath.Separator)) {
		return "", fmt.Errorf("the library of %s is %s, outside its checkout", name, real)
	}
	return home, nil
}

// resolved returns the graph of a workspace as its lock file has it. Where that
// is not linked yet, as in a fresh image, it is linked for as long as the answer
// takes, and then stands as before.
func (l *linker) resolved(repo, root string) (g cargo.Graph, err error) {
	at := filepath.Join(l.testbed, repo, root)
	if g, err = l.metadata(at, "--all-features", "--locked"); err == nil {
		return g, nil
	}
	file := filepath.Join(at, "Cargo.lock")
	before, missing := os.ReadFile(file)
	defer func() {
		if missing == nil {
			err = errors.Join(err, os.WriteFile(file, before, 0o644))
		} else if gone := os.Remove(file); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}()
	if err := l.copies(); err != nil {
		return g, err
	}
	if err := l.lock(repo, root); err != nil {
		return g, err
	}
	return l.metadata(at, "--all-features", "--locked")
}

// metadata calls cargo metadata in a directory.
func (l *linker) metadata(dir string, args ...string) (cargo.Graph, error) {
	args = append([]string{"metadata", "--format-version", "1"}, args...)
	if l.offline {
		args = append(args, "--offline")
	}
	out, err := l.cargo(dir, nil, args...)
	if err != nil {
		return cargo.Graph{}, err
	}
	return cargo.ParseGraph(out)
}

func (l *linker) cargo(dir string, env []string, args ...string) ([]byte, error) {
	var stderr bytes.Buffer
	cmd := exec.Command("cargo", args...)
	cmd.Dir, cmd.Stderr = dir, &stderr
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	l.stderr.Write(stderr.Bytes())
	if err != nil {
		return nil, fmt.Errorf("cargo %s in %s: %w: %s", args[0], dir, err, complaint(stderr.String()))
	}
	return out, nil
}

// complaint is the line with which cargo's error begins; the rest stands above,
// as it was written.
func complaint(text string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "error: ") {
			return strings.TrimSpace(line)
		}
	}
	return strings.TrimSpace(text)
}

// restore puts the lock files of all workspaces back as git has them.
func (l *linker) restore() error {
	var faults []error
	for _, r := range l.plan.Repos {
		repo := filepath.Join(l.testbed, r.Dir)
		for _, root := range r.Roots {
			file := filepath.Join(root, "Cargo.lock")
			if exec.Command("git", "-C", repo, "ls-files", "--error-unmatch", "--", file).Run() == nil {
				faults = append(faults, exec.Command("git", "-C", repo, "checkout", "-q", "--", file).Run())
			} else if err := os.Remove(filepath.Join(repo, file)); !errors.Is(err, fs.ErrNotExist) {
				faults = append(faults, err)
			}
		}
	}
	return errors.Join(faults...)
}
