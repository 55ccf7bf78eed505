package gitrepo_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/google/go-cmp/cmp"

	"crossswe/internal/gitrepo"
	"crossswe/internal/gitrepo/gitrepotest"
	"crossswe/schemas"
)

var variedFiles = gitrepotest.Files{
	"README":             gitrepotest.Text("read me\n"),
	"dir/run.sh":         gitrepotest.Exec("#!/bin/sh\n"),
	"dir/deep/er/x":      gitrepotest.Text(""),
	"dir-file":           gitrepotest.Text("sorts before dir/\n"),
	"dir.go":             gitrepotest.Text("so does this\n"),
	"link":               gitrepotest.Symlink("dir/run.sh"),
	"module":             gitrepotest.Gitlink("5"),
	"a\tb\n\"c\" \xff.x": gitrepotest.Text("odd\x00bytes\r\n"),
	"日本語/ファイル":           gitrepotest.Text("text\n"),
}

func TestReadFile(t *testing.T) {
	src := gitrepotest.New(t)
	sha := src.Commit("first", variedFiles)
	src.Drop(src.Blob(sha, "README"))
	r := open(t, src.Dir)
	for path, f := range variedFiles {
		if path == "README" || path == "module" {
			continue
		}
		if got, err := r.ReadFile(t.Context(), sha, path, 1000); err != nil || string(got) != f.Content {
			t.Errorf("ReadFile(%q) = %q, %v; want %q", path, got, err, f.Content)
		}
	}
	for _, path := range []string{"", "nowhere", "dir", "dir/", "/dir-file", "dir//run.sh", "dir/run.sh/x", "../README", "module", "module/x"} {
		if got, err := r.ReadFile(t.Context(), sha, path, 1000); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("ReadFile(%q) = %q, %v; want %v", path, got, err, fs.ErrNotExist)
		}
	}
	if _, err := r.ReadFile(t.Context(), sha, "dir-file", 3); !errors.Is(err, gitrepo.ErrTooLarge) {
		t.Errorf("ReadFile over the limit: %v", err)
	}
	if size, err := r.BlobSize(t.Context(), gitrepo.OID(src.Blob(sha, "dir-file"))); size != 18 || err != nil {
		t.Errorf("BlobSize = %d, %v; want 18", size, err)
	}
	var missing *gitrepo.MissingObjectError
	if _, err := r.ReadFile(t.Context(), sha, "README", 1000); !errors.As(err, &missing) || missing.Path != "README" {
		t.Errorf("ReadFile of a missing blob: %v", err)
	}
	for _, oid := range []gitrepo.OID{"", "main", "1\n2", gitrepo.OID(sha)} {
		if _, err := r.ReadBlob(t.Context(), oid, 1000); err == nil {
			t.Errorf("ReadBlob(%q) succeeded", oid)
		}
	}
}

// TestAgainstGoGit holds tree lists and commits against another
// implementation, which refuses control characters in paths.
func TestAgainstGoGit(t *testing.T) {
	src := gitrepotest.New(t)
	files := maps.Clone(variedFiles)
	maps.DeleteFunc(files, func(path string, _ gitrepotest.File) bool { return strings.Contains(path, "\n") })
	first := src.Commit("first\n\nbody\n", files)
	sha := src.Commit("second", files, first)
	src.Drop(src.Blob(sha, "README")) // a tree's list does not need it
	r := open(t, src.Dir)
	var got []gitrepo.Entry
	for e, err := range r.ListTree(t.Context(), sha) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e)
	}
	oracle, err := git.PlainOpen(src.Dir)
	if err != nil {
		t.Fatal(err)
	}
	c, err := oracle.CommitObject(plumbing.NewHash(string(sha)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(goGitEntries(t, c), got); diff != "" {
		t.Errorf("ListTree (-go-git +got):\n%s", diff)
	}
	mine := commit(t, r, sha)
	want := gitrepo.Commit{SHA: sha, Parents: []schemas.CommitSHA{first}, Tree: gitrepo.OID(c.TreeHash.String()),
		AuthorName: c.Author.Name, AuthorEmail: c.Author.Email, AuthorTime: c.Author.When.UTC(),
		CommitTime: c.Committer.When.UTC(), Message: []byte(c.Message)}
	if diff := cmp.Diff(want, mine); diff != "" {
		t.Errorf("Commit (-go-git +got):\n%s", diff)
	}
}

func goGitEntries(t *testing.T, c *object.Commit) []gitrepo.Entry {
	t.Helper()
	tree, err := c.Tree()
	if err != nil {
		t.Fatal(err)
	}
	var entries []gitrepo.Entry
	walker := object.NewTreeWalker(tree, true, nil)
	defer walker.Close()
	for {
		path, e, err := walker.Next()
		if err == io.EOF {
			return entries
		}
		if err != nil {
			t.Fatal(err)
		}
		if e.Mode != filemode.Dir {
			entries = append(entries, gitrepo.Entry{Path: path, Mode: gitrepo.Mode(e.Mode), OID: gitrepo.OID(e.Hash.String())})
		}
	}
}

func TestSHA256Repository(t *testing.T) {
	src := gitrepotest.New(t, "--object-format=sha256")
	first := src.Commit("first", gitrepotest.Files{"a": gitrepotest.Text("one\n")})
	second := src.Commit("second", gitrepotest.Files{"b": gitrepotest.Text("one\n")}, first)
	r := open(t, src.Dir)
	if got, err := r.Resolve(t.Context(), "main"); got != second || len(got) != 64 || err != nil {
		t.Errorf("Resolve = %s, %v", got, err)
	}
	changes, err := r.Diff(t.Context(), first, second, gitrepo.DiffOptions{Renames: true})
	if err != nil || len(changes) != 1 || changes[0].OldPath != "a" || changes[0].Path != "b" {
		t.Errorf("Diff = %v, %v; want one rename", changes, err)
	}
}

func TestMissingTree(t *testing.T) {
	src := gitrepotest.New(t)
	first := src.Commit("first", gitrepotest.Files{"d/a": gitrepotest.Text("one\n")})
	second := src.Commit("second", gitrepotest.Files{"d/a": gitrepotest.Text("two\n")}, first)
	oid := src.Blob(second, "d")
	src.Drop(oid)
	r := open(t, src.Dir)
	want := gitrepo.MissingObjectError{OID: gitrepo.OID(oid), Path: "d"}
	_, diff := r.Diff(t.Context(), first, second, gitrepo.DiffOptions{})
	_, read := r.ReadFile(t.Context(), second, "d/a", 10)
	var list error
	for _, err := range r.ListTree(t.Context(), second) {
		list = err
	}
	for name, err := range map[string]error{"Diff": diff, "ReadFile": read, "ListTree": list} {
		var missing *gitrepo.MissingObjectError
		if !errors.As(err, &missing) || *missing != want {
			t.Errorf("%s: got %v, want %v", name, err, &want)
		}
	}
}

func TestConcurrentReads(t *testing.T) {
	src := gitrepotest.New(t)
	files := gitrepotest.Files{}
	for i := range 50 {
		files[fmt.Sprintf("f%d", i)] = gitrepotest.Text(strings.Repeat(fmt.Sprintf("%d ", i), i*100))
	}
	sha := src.Commit("first", files)
	r := open(t, src.Dir)
	var wg sync.WaitGroup
	for path, f := range files {
		wg.Go(func() {
			if got, err := r.ReadFile(t.Context(), sha, path, 1<<20); err != nil || string(got) != f.Content {
				t.Errorf("ReadFile(%s): %v, %d bytes, want %d", path, err, len(got), len(f.Content))
			}
		})
	}
	wg.Wait()
}

// TestReadsAfterCancel checks that a cancelled question leaves no half answer
// for the next one.
func TestReadsAfterCancel(t *testing.T) {
	src := gitrepotest.New(t)
	sha := src.Commit("first", gitrepotest.Files{"big": gitrepotest.Text(strings.Repeat("x", 8<<20)), "a": gitrepotest.Text("one\n")})
	r := open(t, src.Dir)
	for range 5 {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			_, err := r.ReadFile(ctx, sha, "big", 16<<20)
			done <- err
		}()
		cancel()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("ReadFile while cancelled: %v", err)
		}
		if got, err := r.ReadFile(t.Context(), sha, "a", 10); err != nil || string(got) != "one\n" {
			t.Fatalf("ReadFile afterwards = %q, %v", got, err)
		}
	}
}
