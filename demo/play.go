package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"crossswe/e2e/world"
	"crossswe/internal/config"
	"crossswe/internal/store"
	"crossswe/schemas"
)

// demo is one showing.
type demo struct {
	config, reviews, bin, dir string
	out, err                  io.Writer
	changes                   []world.Change // what the world tells of
}

func (d *demo) play(ctx context.Context) error {
	if err := d.makeWorld(ctx); err != nil {
		return err
	}
	for _, step := range []struct{ program, says string }{
		{"mine", "mine reads the histories and proposes changes that may need one another"},
		{"screen", "demo: the reviews are a script's: " + d.reviews + " holds what ada, ben and cleo say"},
		{"build", "build makes an image for every change that was kept"},
		{"verify", "verify runs the tests with and without each repository's change"},
	} {
		args := []string{}
		if step.program == "screen" {
			args = []string{"import", d.reviews}
		}
		if err := d.stage(ctx, step.says, step.program, args...); err != nil {
			return err
		}
	}
	if err := d.reduced(ctx); err != nil {
		return err
	}
	if err := d.publish(ctx); err != nil {
		return err
	}
	return errors.Join(d.summary(ctx), d.check(ctx))
}

// makeWorld makes the repositories, or makes sure that those which are there
// are the same.
func (d *demo) makeWorld(ctx context.Context) error {
	fmt.Fprintf(d.out, "== the world: repositories in %s\n", filepath.Join(d.dir, "repositories"))
	fresh, repos, stamp := filepath.Join(d.dir, "new"), filepath.Join(d.dir, "repositories"), filepath.Join(d.dir, "changes.json")
	if err := os.RemoveAll(fresh); err != nil {
		return fmt.Errorf("making room for the world: %w", err)
	}
	defer os.RemoveAll(fresh)
	if err := os.MkdirAll(fresh, 0o777); err != nil {
		return fmt.Errorf("making the world: %w", err)
	}
	changes, err := world.Make(ctx, fresh, world.Scenarios()...)
	if err != nil {
		return fmt.Errorf("making the world: %w", err)
	}
	d.changes = changes
	now, err := json.MarshalIndent(changes, "", "  ")
	if err != nil {
		return fmt.Errorf("making the world: %w", err)
	}
	old, err := os.ReadFile(stamp)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("reading what the world was: %w", err)
	case bytes.Equal(old, now):
		return nil
	default:
		return fmt.Errorf("%s holds an older world: run make demo-clean first", d.dir)
	}
	if err := os.RemoveAll(repos); err != nil {
		return fmt.Errorf("making room for the world: %w", err)
	}
	if err := os.Rename(fresh, repos); err != nil {
		return fmt.Errorf("making the world: %w", err)
	}
	return os.WriteFile(stamp, now, 0o666)
}

// stage runs one program and shows what it says.
func (d *demo) stage(ctx context.Context, says, program string, args ...string) error {
	args = append([]string{"-config", d.config}, args...)
	path := filepath.Join(d.bin, program)
	fmt.Fprintf(d.out, "\n== %s\n$ %s", says, path)
	for _, a := range args {
		fmt.Fprintf(d.out, " %s", a)
	}
	fmt.Fprintln(d.out)
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdout, cmd.Stderr = d.out, d.err
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) }
	cmd.WaitDelay = time.Minute
	begin := time.Now()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("running %s: %w", program, err)
	}
	fmt.Fprintf(d.out, "(%.0f s)\n", time.Since(begin).Seconds())
	return nil
}

// reduced takes the minimal sets that verify found through the same stages.
func (d *demo) reduced(ctx context.Context) error {
	cands, err := readAll[schemas.Candidate](ctx, d)
	if err != nil {
		return err
	}
	for _, c := range cands {
		if c.Origin != schemas.OriginReduced {
			continue
		}
		if err := d.stage(ctx, "a set was larger than it need be: its minimal set is built", "build"); err != nil {
			return err
		}
		return d.stage(ctx, "and verified", "verify")
	}
	return nil
}

// publish drafts the statements, lets the script approve those that the lint
// passes, and writes the dataset.
func (d *demo) publish(ctx context.Context) error {
	if err := d.stage(ctx, "publish drafts problem statements; none is approved yet", "publish"); err != nil {
		return err
	}
	drafts, err := readAll[schemas.Statement](ctx, d)
	if err != nil {
		return err
	}
	for _, s := range drafts {
		if s.Approved != "" {
			continue
		}
		says := fmt.Sprintf("demo: the script approves the statement as %s (%d findings of the lint)", world.Adjudicator, len(s.Findings))
		if err := d.stage(ctx, says, "screen", "approve", string(s.Candidate), "-reviewer", world.Adjudicator); err != nil {
			return err
		}
	}
	return d.stage(ctx, "publish writes what is approved", "publish")
}

// readAll reads every record of a kind from the demonstration's store.
func readAll[T schemas.Record](ctx context.Context, d *demo) ([]T, error) {
	c, err := config.Read(d.config)
	if err != nil {
		return nil, err
	}
	s, err := store.Open(ctx, c.Store.Place())
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return store.All[T](ctx, s)
}
