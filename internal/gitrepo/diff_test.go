package gitrepo_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/internal/gitrepo"
	"crossswe/internal/gitrepo/gitrepotest"
	"crossswe/schemas"
)

const tenLines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

func TestDiff(t *testing.T) {
	before := gitrepotest.Files{
		"binary":    gitrepotest.Text("a\x00b"),
		"deleted":   gitrepotest.Text("x\n"),
		"lost":      gitrepotest.Text("a blob that will be missing\n"),
		"lost-gone": gitrepotest.Text("another one\n"),
		"mode":      gitrepotest.Text("m\n"),
		"modified":  gitrepotest.Text("1\n2\n3\n"),
		"module":    gitrepotest.Gitlink("1"),
		"old name":  gitrepotest.Text(tenLines),
		"same":      gitrepotest.Text("same\n"),
		"type":      gitrepotest.Text("t\n"),
	}
	after := gitrepotest.Files{
		"added":    gitrepotest.Text("one\ntwo"),
		"binary":   gitrepotest.Text("a\x00c"),
		"lost":     gitrepotest.Text("changed\n"),
		"mode":     gitrepotest.Exec("m\n"),
		"modified": gitrepotest.Text("1\ntwo\n3\n"),
		"module":   gitrepotest.Gitlink("2"),
		"new name": gitrepotest.Text(tenLines + "11\n"),
		"same":     gitrepotest.Text("same\n"),
		"type":     gitrepotest.Symlink("t"),
	}
	src := gitrepotest.New(t)
	base := src.Commit("base", before)
	head := src.Commit("head", after, base)
	oid := func(sha schemas.CommitSHA, path string) gitrepo.OID { return gitrepo.OID(src.Blob(sha, path)) }
	change := func(status schemas.FileStatus, old, path string) gitrepo.Change {
		c := gitrepo.Change{Status: status, Path: path, OldMode: gitrepo.ModeFile, NewMode: gitrepo.ModeFile}
		if status == schemas.FileAdded {
			c.OldMode = gitrepo.ModeNone
		} else {
			c.OldOID = oid(base, old)
		}
		if status == schemas.FileDeleted {
			c.NewMode = gitrepo.ModeNone
		} else {
			c.NewOID = oid(head, path)
		}
		return c
	}
	want := []gitrepo.Change{
		change(schemas.FileAdded, "", "added"),
		change(schemas.FileModified, "binary", "binary"),
		change(schemas.FileDeleted, "deleted", "deleted"),
		change(schemas.FileModified, "lost", "lost"),
		change(schemas.FileDeleted, "lost-gone", "lost-gone"),
		change(schemas.FileModified, "mode", "mode"),
		change(schemas.FileModified, "modified", "modified"),
		change(schemas.FileModified, "module", "module"),
		change(schemas.FileRenamed, "old name", "new name"),
		change(schemas.FileType, "type", "type"),
	}
	want[0].Added = 2
	want[1].Binary = true
	want[2].Deleted = 1
	want[3].Missing = true
	want[4].Missing = true
	want[5].NewMode = gitrepo.ModeExec
	want[6].Added, want[6].Deleted = 1, 1
	want[7].OldMode, want[7].NewMode = gitrepo.ModeGitlink, gitrepo.ModeGitlink
	want[8].OldPath, want[8].Added = "old name", 1
	want[9].NewMode, want[9].Added, want[9].Deleted = gitrepo.ModeSymlink, 1, 1

	src.Drop(src.Blob(base, "lost"))
	src.Drop(src.Blob(base, "lost-gone"))
	r := open(t, src.Dir)
	got, err := r.Diff(t.Context(), base, head, gitrepo.DiffOptions{Renames: true, Lines: true})
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Diff: %v (-want +got):\n%s", err, diff)
	}
	raw, err := r.Diff(t.Context(), base, head, gitrepo.DiffOptions{})
	if err != nil || len(raw) != len(want)+1 {
		t.Errorf("Diff without options: %d changes, %v; want %d", len(raw), err, len(want)+1)
	}
	if same, err := r.Diff(t.Context(), base, base, gitrepo.DiffOptions{Renames: true, Lines: true}); err != nil || len(same) != 0 {
		t.Errorf("Diff with itself = %v, %v", same, err)
	}
	if _, err := r.Diff(t.Context(), base, schemas.CommitSHA(strings.Repeat("4", 40)), gitrepo.DiffOptions{}); !errors.Is(err, gitrepo.ErrNoCommit) {
		t.Errorf("Diff with an absent commit: %v", err)
	}
}

// TestDiffMissingInTheWay has a missing file give way to a directory: the
// files in it are still seen.
func TestDiffMissingInTheWay(t *testing.T) {
	src := gitrepotest.New(t)
	base := src.Commit("base", gitrepotest.Files{"x": gitrepotest.Text("lost\n")})
	head := src.Commit("head", gitrepotest.Files{"x/y": gitrepotest.Text("new\n")}, base)
	lost := src.Blob(base, "x")
	src.Drop(lost)
	r := open(t, src.Dir)
	got, err := r.Diff(t.Context(), base, head, gitrepo.DiffOptions{Renames: true, Lines: true})
	want := []gitrepo.Change{
		{Status: schemas.FileDeleted, Path: "x", OldMode: gitrepo.ModeFile, OldOID: gitrepo.OID(lost), Missing: true},
		{Status: schemas.FileAdded, Path: "x/y", NewMode: gitrepo.ModeFile, NewOID: gitrepo.OID(src.Blob(head, "x/y")), Added: 1},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Diff: %v (-want +got):\n%s", err, diff)
	}
}

func TestTreeWithAndApply(t *testing.T) {
	src := gitrepotest.New(t)
	base := src.Commit("base", gitrepotest.Files{"a": gitrepotest.Text("one\n"), "b/c": gitrepotest.Text("two\n")})
	head := src.Commit("head", gitrepotest.Files{"a/x": gitrepotest.Text("one\n"), "b": gitrepotest.Text("two\n")}, base)
	r := open(t, src.Dir)
	ctx := t.Context()
	from, to := commit(t, r, base).Tree, commit(t, r, head).Tree
	one, two := gitrepo.OID(src.Blob(base, "a")), gitrepo.OID(src.Blob(base, "b/c"))
	edits := []gitrepo.TreeEdit{{Path: "a/x", Mode: gitrepo.ModeFile, OID: one}, {Path: "b", Mode: gitrepo.ModeFile, OID: two}}
	if got, err := r.TreeWith(ctx, from, edits); got != to || err != nil {
		t.Errorf("TreeWith = %s, %v; want %s", got, err, to)
	}
	if got, err := r.TreeWith(ctx, "", edits); got != to || err != nil {
		t.Errorf("TreeWith on the empty tree = %s, %v; want %s", got, err, to)
	}
	var paths []string
	for e, err := range r.Entries(ctx, to) {
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, e.Path)
	}
	if want := []string{"a/x", "b"}; !cmp.Equal(paths, want) {
		t.Errorf("Entries = %q, want %q", paths, want)
	}
	patch, err := r.PatchText(ctx, from, to, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := r.Apply(ctx, from, nil, patch); got != to || err != nil {
		t.Errorf("Apply = %s, %v; want %s", got, err, to)
	}
	var apply *gitrepo.ApplyError
	if _, err := r.Apply(ctx, from, patch, patch); !errors.As(err, &apply) || apply.Index != 1 {
		t.Errorf("Apply twice: got %v, want an error at the second", err)
	}
	if _, err := r.PatchText(ctx, from, to, 10); !errors.Is(err, gitrepo.ErrTooLarge) {
		t.Errorf("PatchText over the limit: %v", err)
	}
}
