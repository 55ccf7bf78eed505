// Package world makes a small world of real git repositories with histories
// of their own, for the demonstration and the end-to-end tests: pairs and
// triples whose changes need one another, and others that only seem to. It
// knows what every stage must say about each.
//
// The same commits get the same ids on every machine: dates, people and texts
// are fixed. All of it was written for this purpose; no repository of these
// names exists.
package world

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"

	"crossswe/schemas"
)

// Scenario is one set of repositories and what it shows.
type Scenario struct {
	Name   string
	Shows  string // one sentence
	Repos  []schemas.RepoName
	Expect []Expect
	tell   func(*teller) error
}

// Expect is what the pipeline must say about one set of changes.
type Expect struct {
	// Sides are the changes: owner/name#number, ordered as a candidate's sides.
	Sides []string
	// Drop is why mine leaves it out; empty when it becomes a candidate.
	Drop schemas.DropReason
	// Kind is the verdict, and Minimal the set that the joint tests need: all
	// sides when empty.
	Kind    schemas.VerdictKind
	Minimal []schemas.RepoName
	// Needs gives the minimal masks under which touched tests pass: the key is
	// repository and test name, "owner/name TestX", the value mask names.
	Needs map[string][]string
	// Failures gives why the joint tests fail, by mask name.
	Failures map[string]schemas.Failure
	// Flaky are the tests that draw lots, named like the keys of Needs.
	Flaky []string
}

// Change is a pull request of the stories as git holds it: what a candidate's
// side must say.
type Change struct {
	Repo       schemas.RepoName
	Pull       int
	Base, Head schemas.CommitSHA
	Merge      schemas.CommitSHA // empty unless it was merged by a merge commit
}

// Name is owner/name#number, as in Expect.Sides.
func (c Change) Name() string { return fmt.Sprintf("%s#%d", c.Repo, c.Pull) }

// Make writes the repositories of the scenarios below dir, each a bare one at
// owner/name.git, and returns the changes that the stories tell of. It takes a
// second or two for all; the git program is needed. A repository that is
// there already is an error.
func Make(ctx context.Context, dir string, scenarios ...Scenario) ([]Change, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("finding %s: %w", dir, err)
	}
	var all []Change
	for _, s := range scenarios {
		t, err := newTeller(ctx, dir, s.Name)
		if err != nil {
			return nil, err
		}
		if err := s.tell(t); err != nil {
			return nil, fmt.Errorf("telling %s: %w", s.Name, err)
		}
		all = append(all, t.changes...)
	}
	return all, nil
}

// teller turns one story into repositories.
type teller struct {
	ctx   context.Context
	dir   string
	files map[string]string // of the story: repo/stage/path
	stock map[string]stock
	// changes are those of the repositories that are finished.
	changes []Change
}

func newTeller(ctx context.Context, dir, name string) (*teller, error) {
	body, err := texts.ReadFile("stories/" + name + ".txtar")
	if err != nil {
		return nil, fmt.Errorf("reading the story %s: %w", name, err)
	}
	t := &teller{ctx: ctx, dir: dir, files: map[string]string{}, stock: map[string]stock{}}
	for _, f := range txtar.Parse(body).Files {
		t.files[f.Name] = string(f.Data)
	}
	for _, language := range []string{"go", "js"} {
		if t.stock[language], err = readStock(language); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// overlay returns the files of one stage of one repository that differ from
// its tree: all of them, or the tests or the others alone.
func (t *teller) overlay(h *history, stage string, want func(path string) bool) edit {
	e := edit{write: map[string]string{}}
	prefix := h.name.Name() + "/" + stage + "/"
	for name, text := range t.files {
		path, ok := strings.CutPrefix(name, prefix)
		if ok && want(path) && h.tree[path] != text {
			e.write[path] = text
		}
	}
	return e
}

func anyFile(string) bool      { return true }
func product(path string) bool { return !isTest(path) }

// finish hands the repository to git and reads its commit ids.
func (t *teller) finish(h *history) error {
	dir := filepath.Join(t.dir, filepath.FromSlash(string(h.name))+".git")
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return fmt.Errorf("making %s: %w", h.name, err)
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return fmt.Errorf("making %s: %w", h.name, err)
	}
	if err := git(t.ctx, dir, nil, "init", "-q", "--bare", "--initial-branch=main", "."); err != nil {
		return err
	}
	marks := filepath.Join(dir, "marks.tmp")
	if err := git(t.ctx, dir, &h.stream, "fast-import", "--quiet", "--done", "--export-marks="+marks); err != nil {
		return fmt.Errorf("importing %s: %w", h.name, err)
	}
	defer os.Remove(marks)
	if err := h.readMarks(marks); err != nil {
		return err
	}
	for _, p := range h.taken {
		t.changes = append(t.changes, Change{h.name, p.number, h.ids[p.base], h.ids[p.head], h.ids[p.merge]})
	}
	return nil
}

func (h *history) readMarks(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("reading the marks of %s: %w", h.name, err)
	}
	defer f.Close()
	h.ids = map[int]schemas.CommitSHA{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		mark, id, _ := strings.Cut(lines.Text(), " ")
		n, err := strconv.Atoi(strings.TrimPrefix(mark, ":"))
		if err != nil {
			return fmt.Errorf("reading the marks of %s: %w", h.name, err)
		}
		h.ids[n] = schemas.CommitSHA(id)
	}
	return nil
}

// git runs git apart from the machine's and the user's own configuration.
func git(ctx context.Context, dir string, stdin *bytes.Buffer, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_TEMPLATE_DIR=")
	if stdin != nil {
		stdin.WriteString("done\n")
		cmd.Stdin = stdin
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("running git %s: %w: %s", args[0], err, bytes.TrimSpace(out))
	}
	return nil
}
