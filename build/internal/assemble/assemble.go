// Package assemble carries a recipe out: it writes the build context from git,
// builds the image, and proves its links in a container.
package assemble

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"crossswe/build/internal/checkout"
	"crossswe/build/internal/link"
	"crossswe/build/internal/recipe"
	"crossswe/build/internal/sides"
	"crossswe/schemas"
)

// Context is a build context in preparation.
type Context struct {
	Spec  schemas.Spec
	Plan  recipe.Plan
	Sides []sides.Side
	// Checkouts is what each repository's checkout holds, in order.
	Checkouts []checkout.Result

	paths Paths
}

// Paths are the places on this machine that a Context uses.
type Paths struct {
	Scratch string // a directory for the checkouts
	Report  string // the program recipe.ReportProgram
}

// Prepare writes the checkouts into the scratch directory, which the caller
// removes when the Context is no longer needed. Errors: gitrepo's and checkout's.
func Prepare(ctx context.Context, spec schemas.Spec, plan recipe.Plan, all []sides.Side, paths Paths) (*Context, error) {
	c := &Context{Spec: spec, Plan: plan, Sides: all, paths: paths}
	for i, s := range all {
		result, err := c.checkout(ctx, s, spec.Repos[i])
		if err != nil {
			return nil, err
		}
		c.Checkouts = append(c.Checkouts, result)
	}
	return c, nil
}

func (c *Context) checkout(ctx context.Context, s sides.Side, r schemas.RepoSpec) (checkout.Result, error) {
	f, err := os.Create(c.repoTar(r.Dir))
	if err != nil {
		return checkout.Result{}, fmt.Errorf("writing a checkout: %w", err)
	}
	result, err := checkout.Write(ctx, f, s.Git, c.paths.Scratch, checkout.Options{
		Dir: r.Dir, Commit: r.Base, History: c.Spec.History, Exclude: exclude(c.Spec, r),
	})
	if err := errors.Join(err, f.Close()); err != nil {
		return checkout.Result{}, fmt.Errorf("writing the checkout of %s: %w", r.Repo, err)
	}
	return result, nil
}

// leavings names, by toolchain, what the image build puts into a checkout.
var leavings = map[string][]string{
	"node":   {"node_modules"},
	"python": {"*.egg-info", "__pycache__", ".pytest_cache", "*.so"},
	"rust":   {"target"},
	"java":   {"target", "dependency-reduced-pom.xml", ".flattened-pom.xml"},
}

// exclude names what the image build puts into a checkout of the spec.
func exclude(spec schemas.Spec, r schemas.RepoSpec) []string {
	var all []string
	for _, t := range spec.Toolchains {
		if t.Name != "node" || len(r.Setup) > 0 {
			all = append(all, leavings[t.Name]...)
		}
	}
	return all
}

// writer writes what the fetch stage of one ecosystem sees.
type writer func(*Context, context.Context, *tar.Writer) error

// writers are those of all ecosystems.
var writers = map[string]writer{
	link.Go:     (*Context).writeGo,
	link.NPM:    (*Context).writeNPM,
	link.Python: (*Context).writePython,
	link.Cargo:  (*Context).writeCargo,
	link.CMake:  (*Context).writeCMake,
	link.Maven:  (*Context).writeMaven,
}

func (c *Context) repoTar(dir string) string { return filepath.Join(c.paths.Scratch, dir+".tar") }

// Write writes the build context.
func (c *Context) Write(ctx context.Context, w *tar.Writer) error {
	for _, r := range c.Spec.Repos {
		if err := addFile(w, path.Join(recipe.ReposDir, r.Dir+".tar"), c.repoTar(r.Dir), 0o644); err != nil {
			return err
		}
	}
	for _, f := range c.Spec.Files {
		if err := addText(w, recipe.FilesDir+f.Path, f.Content); err != nil {
			return err
		}
	}
	for _, fetch := range c.Plan.Fetches {
		write, ok := writers[fetch]
		if !ok {
			return fmt.Errorf("writing the build context: nothing is known of %s", fetch)
		}
		if err := write(c, ctx, w); err != nil {
			return err
		}
	}
	return addFile(w, path.Join(recipe.ToolsDir, recipe.ReportProgram), c.paths.Report, 0o755)
}

func addText(w *tar.Writer, name, body string) error {
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(body))}); err != nil {
		return err
	}
	_, err := w.Write([]byte(body))
	return err
}

// addFile adds a file of this machine.
func addFile(w *tar.Writer, name, file string, mode int64) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: info.Size()}); err != nil {
		return err
	}
	_, err = f.WriteTo(onlyWriter{w})
	return err
}

// onlyWriter hides the archive's ReadFrom, which is for sparse files.
type onlyWriter struct{ w *tar.Writer }

func (o onlyWriter) Write(b []byte) (int, error) { return o.w.Write(b) }

// specFile returns the content of a file of the spec.
func specFile(spec schemas.Spec, name string) []byte {
	for _, f := range spec.Files {
		if f.Path == name {
			return []byte(f.Content)
		}
	}
	return nil
}

// below returns a path of the context for an absolute path of a fetch stage.
func below(root, abs, ecosystem string) string {
	return path.Join(recipe.DepsDir, ecosystem, strings.TrimPrefix(abs, root))
}
