package gitrepo_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"crossswe/internal/gitrepo"
	"crossswe/internal/gitrepo/gitrepotest"
	"crossswe/schemas"
)

func open(t *testing.T, dir string) *gitrepo.Repo {
	t.Helper()
	r, err := gitrepo.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func TestOpen(t *testing.T) {
	files := gitrepotest.Files{"a": gitrepotest.Text("one\n")}
	cases := []struct {
		name string
		make func(t *testing.T, src *gitrepotest.Repo) string
		bare bool
	}{
		{"work tree", func(t *testing.T, src *gitrepotest.Repo) string { return src.Dir }, false},
		{"git directory", func(t *testing.T, src *gitrepotest.Repo) string { return filepath.Join(src.Dir, ".git") }, false},
		{"bare clone", func(t *testing.T, src *gitrepotest.Repo) string { return cloned(t, src, "--bare") }, true},
		{"mirror with packed refs", func(t *testing.T, src *gitrepotest.Repo) string {
			dir := cloned(t, src, "--mirror")
			mustGit(t, dir, "pack-refs", "--all")
			return dir
		}, true},
		{"bare without configuration", func(t *testing.T, src *gitrepotest.Repo) string {
			dir := cloned(t, src, "--bare")
			mustRemove(t, filepath.Join(dir, "config"))
			return dir
		}, true},
		{"linked work tree", func(t *testing.T, src *gitrepotest.Repo) string {
			dir := filepath.Join(t.TempDir(), "linked")
			src.Git("worktree", "add", "-q", "--detach", dir, "main")
			return dir
		}, false},
		{"objects borrowed by a relative path", func(t *testing.T, src *gitrepotest.Repo) string {
			dir := cloned(t, src, "--bare", "--shared")
			mustGit(t, dir, "repack", "-adlq")
			rel, err := filepath.Rel(filepath.Join(dir, "objects"), filepath.Join(src.Dir, ".git", "objects"))
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, "objects", "info", "alternates"), rel+"\n")
			return dir
		}, true},
		{"path with blanks and quotes", func(t *testing.T, src *gitrepotest.Repo) string {
			dir := filepath.Join(t.TempDir(), `a "b" c`)
			mustGit(t, src.Dir, "clone", "-q", src.Dir, dir)
			return dir
		}, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			src := gitrepotest.New(t)
			want := src.Commit("first", files)
			r := open(t, c.make(t, src))
			got, err := r.Resolve(t.Context(), "main")
			if err != nil || got != want {
				t.Fatalf("Resolve(main) = %s, %v; want %s", got, err, want)
			}
			if r.Bare() != c.bare || r.Shallow() {
				t.Errorf("Bare, Shallow = %v, %v; want %v, false", r.Bare(), r.Shallow(), c.bare)
			}
			body, err := r.ReadFile(t.Context(), got, "a", 100)
			if err != nil || string(body) != "one\n" {
				t.Errorf("ReadFile = %q, %v", body, err)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	src := gitrepotest.New(t)
	sub := filepath.Join(src.Dir, "sub")
	for _, d := range []string{sub, filepath.Join(dir, "broken"), filepath.Join(dir, "future")} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "file"), "text")
	write(t, filepath.Join(dir, "broken", ".git"), "gitdir: ../nowhere\n")
	future := gitrepotest.New(t)
	future.Git("config", "core.repositoryformatversion", "9")
	for name, at := range map[string]string{
		"nothing there":        filepath.Join(dir, "absent"),
		"a file":               filepath.Join(dir, "file"),
		"an empty directory":   filepath.Join(dir, "future"),
		"below a work tree":    sub,
		"a pointer to nowhere": filepath.Join(dir, "broken"),
		"an unknown format":    future.Dir,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := gitrepo.Open(t.Context(), at); !errors.Is(err, gitrepo.ErrNotRepository) {
				t.Errorf("Open: got %v, want %v", err, gitrepo.ErrNotRepository)
			}
		})
	}
}

func TestOpenWithoutGit(t *testing.T) {
	src := gitrepotest.New(t)
	t.Setenv("PATH", t.TempDir())
	_, err := gitrepo.Open(t.Context(), src.Dir)
	if !errors.Is(err, exec.ErrNotFound) || errors.Is(err, gitrepo.ErrNotRepository) {
		t.Errorf("Open without a git program: got %v, want %v", err, exec.ErrNotFound)
	}
}

// TestSurroundingsHaveNoSay opens a repository whose own settings, and those of
// the caller, try to change what is read.
func TestSurroundingsHaveNoSay(t *testing.T) {
	src := gitrepotest.New(t)
	first := src.Commit("first", gitrepotest.Files{"a": gitrepotest.Text("one\n")})
	second := src.Commit("second", gitrepotest.Files{"a": gitrepotest.Text("two\n")}, first)
	other := src.Commit("other", gitrepotest.Files{"a": gitrepotest.Text("other\n")})
	src.Git("replace", string(second), string(other))
	write(t, filepath.Join(src.Dir, ".git", "info", "grafts"), string(second)+"\n")
	write(t, filepath.Join(src.Dir, ".git", "info", "attributes"), "* -diff\n")
	src.Git("config", "diff.noprefix", "true")
	src.Git("config", "diff.algorithm", "patience")
	elsewhere := gitrepotest.New(t)
	for name, value := range map[string]string{
		"GIT_DIR": elsewhere.Dir, "GIT_OBJECT_DIRECTORY": elsewhere.Dir, "GIT_INDEX_FILE": "/nowhere",
		"GIT_EXTERNAL_DIFF": "false", "GIT_CONFIG_COUNT": "nonsense",
	} {
		t.Setenv(name, value)
	}

	r := open(t, src.Dir)
	parents, err := r.Parents(t.Context(), second)
	if err != nil || len(parents) != 1 || parents[0] != first {
		t.Errorf("Parents = %v, %v; want %s", parents, err, first)
	}
	body, err := r.ReadFile(t.Context(), second, "a", 100)
	if err != nil || string(body) != "two\n" {
		t.Errorf("ReadFile = %q, %v; want the replaced commit's own", body, err)
	}
	from, to := commit(t, r, first).Tree, commit(t, r, second).Tree
	patch, err := r.PatchText(t.Context(), from, to, 1<<20)
	want := `diff --git a/a b/a
index 5626abf0f72e58d7a153368ba57db4c673c0e171..f719efd430d52bcfc8566a43b2eb655688d38871 100644
--- a/a
+++ b/a
@@ -1 +1 @@
-one
+two
`
	if err != nil || string(patch) != want {
		t.Errorf("PatchText = %s, %v; want %s", patch, err, want)
	}
}

// TestNothingIsFetched has a promisor remote whose transport would leave a trace.
func TestNothingIsFetched(t *testing.T) {
	src := gitrepotest.New(t)
	sha := src.Commit("first", gitrepotest.Files{"a": gitrepotest.Text("one\n"), "b": gitrepotest.Text("b\n")})
	oid := src.Blob(sha, "a")
	src.Drop(oid)
	trace := filepath.Join(t.TempDir(), "fetched")
	for key, value := range map[string]string{
		"core.repositoryformatversion": "1", "extensions.partialClone": "origin", "remote.origin.promisor": "true",
		"remote.origin.url": "ext::sh -c touch% " + trace, "protocol.ext.allow": "always",
	} {
		src.Git("config", key, value)
	}

	r := open(t, src.Dir)
	_, err := r.ReadFile(t.Context(), sha, "a", 100)
	var missing *gitrepo.MissingObjectError
	if !errors.As(err, &missing) || *missing != (gitrepo.MissingObjectError{OID: gitrepo.OID(oid), Path: "a"}) {
		t.Errorf("ReadFile: got %v, want the missing object %s of a", err, oid)
	}
	cmd := r.Command(t.Context(), "cat-file", "-p", oid)
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Errorf("cat-file found the object: %s", out)
	}
	if _, err := os.Stat(trace); err == nil {
		t.Error("the transport was used")
	}
}

func TestScratchIsRemoved(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	src := gitrepotest.New(t)
	sha := src.Commit("first", gitrepotest.Files{"a": gitrepotest.Text("one\n")})
	r, err := gitrepo.Open(context.Background(), src.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.TreeWith(t.Context(), commit(t, r, sha).Tree, []gitrepo.TreeEdit{{Path: "a"}}); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(tmp)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func commit(t *testing.T, r *gitrepo.Repo, sha schemas.CommitSHA) gitrepo.Commit {
	t.Helper()
	c, err := r.Commit(t.Context(), sha)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func cloned(t *testing.T, src *gitrepotest.Repo, args ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "clone")
	mustGit(t, src.Dir, append(append([]string{"clone", "-q"}, args...), "file://"+src.Dir, dir)...)
	return dir
}

func mustGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := gitrepotest.Run(dir, nil, args...)
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return string(out)
}

func mustRemove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
