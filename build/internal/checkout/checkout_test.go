package checkout

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/internal/gitrepo"
	"crossswe/internal/gitrepo/gitrepotest"
	"crossswe/schemas"
)

func open(t *testing.T, r *gitrepotest.Repo) *gitrepo.Repo {
	t.Helper()
	repo, err := gitrepo.Open(t.Context(), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	return repo
}

func write(t *testing.T, repo *gitrepo.Repo, opt Options) ([]byte, Result) {
	t.Helper()
	var b bytes.Buffer
	result, err := Write(t.Context(), &b, repo, t.TempDir(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), result
}

// unpack unpacks an archive as an image build does and returns the directory.
func unpack(t *testing.T, archive []byte) string {
	t.Helper()
	root := t.TempDir()
	r := tar.NewReader(bytes.NewReader(archive))
	var dirs []*tar.Header
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := place(root, h, r); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeDir {
			dirs = append(dirs, h)
		}
	}
	for _, h := range slices.Backward(dirs) {
		if err := os.Chtimes(filepath.Join(root, h.Name), h.ModTime, h.ModTime); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func place(root string, h *tar.Header, r io.Reader) error {
	name := filepath.Join(root, h.Name)
	switch h.Typeflag {
	case tar.TypeDir:
		return os.Mkdir(name, 0o755)
	case tar.TypeSymlink:
		if err := os.Symlink(h.Linkname, name); err != nil {
			return err
		}
		return exec.Command("touch", "-h", "-d", fmt.Sprintf("@%d", h.ModTime.Unix()), name).Run()
	}
	body, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := os.WriteFile(name, body, h.FileInfo().Mode()); err != nil {
		return err
	}
	return os.Chtimes(name, h.ModTime, h.ModTime)
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := gitrepotest.Run(dir, nil, args...)
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// awkward is a tree with everything that checkouts get wrong.
func awkward() gitrepotest.Files {
	return gitrepotest.Files{
		"a.txt":                    gitrepotest.Text("one\n"),
		"a/b.txt":                  gitrepotest.Text("under a directory that sorts after a.txt\n"),
		"a-b":                      gitrepotest.Text(""),
		".gitattributes":           gitrepotest.Text("* text=auto eol=crlf\n*.lf text eol=lf\n*.id ident\n"),
		"crlf.txt":                 gitrepotest.Text("one\r\ntwo\r\n"),
		"crlf.lf":                  gitrepotest.Text("one\r\ntwo\n"),
		"no-newline":               gitrepotest.Text("no newline"),
		"x.id":                     gitrepotest.Text("$Id$\n"),
		"bin/run":                  gitrepotest.Exec("#!/bin/sh\n"),
		"link":                     gitrepotest.Symlink("bin/run"),
		"dangling":                 gitrepotest.Symlink("../../nowhere"),
		"sub":                      gitrepotest.Gitlink("7"),
		"sp ace/\"quo\\te\"":       gitrepotest.Text("quoted\n"),
		"caf\xe9":                  gitrepotest.Text("not UTF-8\n"),
		"deep/" + long() + "/file": gitrepotest.Text("deep\n"),
		".gitignore":               gitrepotest.Text("ignored/\n"),
	}
}

func long() string { return strings.Repeat("long-directory-name/", 8) + strings.Repeat("n", 120) }

// history is a repository whose base has a past, a future, a tag on the
// future, a side branch and a reflog.
func history(t *testing.T) (r *gitrepotest.Repo, base schemas.CommitSHA) {
	r = gitrepotest.New(t)
	first := r.Commit("first", gitrepotest.Files{"a.txt": gitrepotest.Text("zero\n")})
	base = r.Commit("base", awkward(), first)
	future := awkward()
	future["fix.go"] = gitrepotest.Text("the fix\n")
	r.Commit("the fix", future, base)
	r.Git("tag", "-a", "v1.0.0", "-m", "release")
	r.Git("notes", "add", "-m", "a note", "HEAD")
	r.Git("update-ref", "refs/pull/1/head", "HEAD")
	return r, base
}

func TestACheckoutIsCleanAndHoldsThePastAlone(t *testing.T) {
	r, base := history(t)
	archive, result := write(t, open(t, r), Options{Dir: "app", Commit: base, History: schemas.HistoryPast})
	dir := filepath.Join(unpack(t, archive), "app")
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"clean", []string{"status", "--porcelain", "--untracked-files=all", "--ignored"}, ""},
		{"at its base", []string{"rev-parse", "HEAD"}, string(base)},
		{"one branch", []string{"for-each-ref", "--format=%(refname)"}, "refs/heads/main"},
		{"the past", []string{"log", "--format=%s"}, "base\nfirst"},
		{"no reflog", []string{"reflog"}, ""},
		{"sound", []string{"fsck", "--full", "--strict", "--no-dangling"}, ""},
	} {
		if got := git(t, dir, c.args...); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	all := strings.Fields(git(t, dir, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)"))
	reachable := strings.Fields(git(t, dir, "rev-list", "--objects", "--no-object-names", "HEAD"))
	slices.Sort(reachable)
	if diff := cmp.Diff(reachable, all); diff != "" {
		t.Errorf("objects (-reachable +held):\n%s", diff)
	}
	if result.Objects != len(all) || result.Files != len(awkward())-1 {
		t.Errorf("result says %d objects and %d files, there are %d and %d", result.Objects, result.Files, len(all), len(awkward())-1)
	}
}

// git reads no file of a checkout that nobody touched: the index knows them.
// So files that git would rewrite by their attributes do not look changed.
func TestTheIndexKnowsTheFiles(t *testing.T) {
	r, base := history(t)
	archive, _ := write(t, open(t, r), Options{Dir: "app", Commit: base, History: schemas.HistoryPast})
	dir := filepath.Join(unpack(t, archive), "app")
	if got := git(t, dir, "diff-files", "--name-only"); got != "" {
		t.Errorf("git thinks that these changed: %q", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("two\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := git(t, dir, "diff-files", "--name-only"); got != "a.txt" {
		t.Errorf("a change of the same length: got %q, want a.txt", got)
	}
}

func TestTheWorkTreeIsByteExact(t *testing.T) {
	r, base := history(t)
	archive, _ := write(t, open(t, r), Options{Dir: "app", Commit: base, History: schemas.HistoryNone})
	dir := filepath.Join(unpack(t, archive), "app")
	for name, f := range awkward() {
		file := filepath.Join(dir, name)
		info, err := os.Lstat(file)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		var got gitrepotest.File
		switch {
		case info.IsDir():
			got = f // a submodule's empty directory
		case info.Mode()&os.ModeSymlink != 0:
			target, err := os.Readlink(file)
			got = gitrepotest.Symlink(target)
			if err != nil {
				t.Error(err)
			}
		default:
			body, err := os.ReadFile(file)
			got = gitrepotest.Text(string(body))
			if info.Mode()&0o111 != 0 {
				got = gitrepotest.Exec(string(body))
			}
			if err != nil {
				t.Error(err)
			}
		}
		if diff := cmp.Diff(f, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
	}
}

func TestHistoryNone(t *testing.T) {
	r, base := history(t)
	archive, _ := write(t, open(t, r), Options{Dir: "app", Commit: base, History: schemas.HistoryNone})
	dir := filepath.Join(unpack(t, archive), "app")
	if got := git(t, dir, "log", "--format=%s"); got != "base" {
		t.Errorf("log: got %q, want the base alone", got)
	}
	if got := git(t, dir, "status", "--porcelain"); got != "" {
		t.Errorf("status: %q", got)
	}
	if got := git(t, dir, "rev-parse", "--is-shallow-repository"); got != "true" {
		t.Errorf("shallow: %s", got)
	}
}

func TestEqualCheckoutsAreEqualBytes(t *testing.T) {
	r, base := history(t)
	opt := Options{Dir: "app", Commit: base, History: schemas.HistoryPast, Exclude: []string{"node_modules"}}
	one, _ := write(t, open(t, r), opt)
	clone := gitrepotest.New(t)
	clone.Git("fetch", "-q", r.Dir, string(base))
	clone.Git("update-ref", "refs/heads/main", "FETCH_HEAD")
	clone.Git("repack", "-adq", "--depth=1")
	two, _ := write(t, open(t, clone), opt)
	if !bytes.Equal(one, two) {
		t.Errorf("two archives of one commit differ: %d and %d bytes", len(one), len(two))
	}
}

func TestMissingBlobsAreNamedAndLookClean(t *testing.T) {
	r, base := history(t)
	oid := r.Git("rev-parse", string(base)+":crlf.txt")
	loosen(t, r)
	r.Drop(oid)
	archive, result := write(t, open(t, r), Options{Dir: "app", Commit: base, History: schemas.HistoryPast})
	if diff := cmp.Diff([]string{"crlf.txt"}, result.Missing); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
	dir := filepath.Join(unpack(t, archive), "app")
	if _, err := os.Lstat(filepath.Join(dir, "crlf.txt")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("crlf.txt: got %v, want no such file", err)
	}
	if got := git(t, dir, "status", "--porcelain"); got != "" {
		t.Errorf("status: %q", got)
	}
}

// loosen turns the packs of fast-import into loose objects.
func loosen(t *testing.T, r *gitrepotest.Repo) {
	t.Helper()
	packs, err := filepath.Glob(filepath.Join(r.Dir, ".git/objects/pack/*.pack"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packs {
		body, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, ext := range []string{".pack", ".idx", ".rev"} {
			os.Remove(strings.TrimSuffix(p, ".pack") + ext)
		}
		r.GitIn(body, "unpack-objects", "-q")
	}
}

func TestUnsafePaths(t *testing.T) {
	for _, p := range []string{"a/.git/config", ".GIT/hooks/x", "../x", "a/../b", "a//b", "./x"} {
		if err := safePath(p); !errors.Is(err, ErrUnsafePath) {
			t.Errorf("%q: got %v, want ErrUnsafePath", p, err)
		}
	}
	for _, p := range []string{".gitignore", ".github/x", "a..b/c", "..."} {
		if err := safePath(p); err != nil {
			t.Errorf("%q: %v", p, err)
		}
	}
}

// git itself reads the index that we write.
func FuzzIndex(f *testing.F) {
	f.Add("a", "b/c", int64(1), int64(2), true)
	f.Add(strings.Repeat("n", 5000), "x", int64(1)<<40, int64(0), false)
	repo := gitrepotest.New(f)
	oid := repo.GitIn([]byte("x"), "hash-object", "-w", "--stdin")
	f.Fuzz(func(t *testing.T, a, b string, size, mtime int64, absent bool) {
		if a >= b || strings.ContainsAny(a+b, "\x00\n") || safePath(a) != nil || safePath(b) != nil || strings.HasPrefix(b, a+"/") {
			return // no two paths of a tree in order
		}
		entries := map[string]indexEntry{}
		for _, p := range []string{b, a} {
			entries[p] = indexEntry{Entry: gitrepo.Entry{Path: p, Mode: gitrepo.ModeFile, OID: gitrepo.OID(oid)}, Size: size, Mtime: mtime, Absent: absent && p == a}
		}
		body, err := writeIndex(slices.Collect(maps.Values(entries)))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(repo.Dir, ".git/index"), body, 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := gitrepotest.Run(repo.Dir, nil, "ls-files", "--stage", "-z")
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("100644 %s 0\t%s\x00100644 %s 0\t%s\x00", oid, a, oid, b)
		if string(got) != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
