package githistory

import (
	"bufio"
	"context"
	"errors"
	"io"
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

func commits(t *testing.T, repo *gitrepo.Repo) []Commit {
	t.Helper()
	var all []Commit
	err := Commits(t.Context(), repo, func(c *Commit) error {
		own := *c
		own.Message = append([]byte(nil), c.Message...)
		own.Parents = append([]schemas.CommitSHA(nil), c.Parents...)
		all = append(all, own)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestCommits(t *testing.T) {
	r := gitrepotest.New(t)
	files := gitrepotest.Files{"a": gitrepotest.Text("1\n")}
	first := r.Commit("first\n\nbody \xff\xfe bytes\n", files)
	second := r.Commit("\n\n  second  \nmore", files, first)
	r.Git("update-ref", "refs/pull/1/head", string(r.Commit("not landed", files, second)))
	r.Git("update-ref", "refs/heads/main", string(second))

	tree := r.Git("rev-parse", string(first)+"^{tree}")
	who := Commit{AuthorName: "A Tester", AuthorEmail: "tester@example.com"}
	want := []Commit{
		{SHA: second, Tree: tree, Parents: []schemas.CommitSHA{first}, AuthorTime: 1_700_000_060, CommitTime: 1_700_000_060, Message: []byte("\n\n  second  \nmore")},
		{SHA: first, Tree: tree, AuthorTime: 1_700_000_000, CommitTime: 1_700_000_000, Message: []byte("first\n\nbody \xff\xfe bytes\n")},
	}
	for i := range want {
		want[i].AuthorName, want[i].AuthorEmail = who.AuthorName, who.AuthorEmail
	}
	got := commits(t, open(t, r))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("commits (-want +got)\n%s", diff)
	}
	if s := got[0].Subject(); s != "second" {
		t.Errorf("subject: got %q", s)
	}
}

func TestALongMessageIsCut(t *testing.T) {
	r := gitrepotest.New(t)
	r.Commit("long\n\n"+strings.Repeat("line of ten\n", 10<<20/12), gitrepotest.Files{})
	got := commits(t, open(t, r))
	if len(got) != 1 || !got[0].Truncated || len(got[0].Message) != MaxMessage || got[0].Subject() != "long" {
		t.Errorf("got %d commits, truncated %v, %d bytes", len(got), got[0].Truncated, len(got[0].Message))
	}
}

func TestAnEmptyRepositoryHasNoHistory(t *testing.T) {
	repo := open(t, gitrepotest.New(t))
	if got := commits(t, repo); len(got) != 0 {
		t.Errorf("commits: got %v", got)
	}
	if got, err := Manifests(t.Context(), repo, 2); err != nil || len(got) != 0 {
		t.Errorf("manifests: got %v, %v", got, err)
	}
	if pulls, err := Pulls(t.Context(), repo); err != nil || len(pulls) != 0 {
		t.Errorf("pulls: got %v, %v", pulls, err)
	}
}

func TestCommitsStop(t *testing.T) {
	r := gitrepotest.New(t)
	r.Commit("one", gitrepotest.Files{}, r.Commit("two", gitrepotest.Files{}))
	enough := errors.New("enough")
	if err := Commits(t.Context(), open(t, r), func(*Commit) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("got %v, want the callback's error", err)
	}
	repo := open(t, r)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Commits(ctx, repo, func(*Commit) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

func TestManifests(t *testing.T) {
	r := gitrepotest.New(t)
	mod := func(v string) gitrepotest.File { return gitrepotest.Text("module m\nrequire a " + v + "\n") }
	base := r.Commit("base", gitrepotest.Files{"go.mod": mod("v1.0.0"), "vendor/x/go.mod": mod("v1.0.0"), "a.go": gitrepotest.Text("a")})
	code := r.Commit("code", gitrepotest.Files{"go.mod": mod("v1.0.0"), "a.go": gitrepotest.Text("b")}, base)
	side := r.Commit("side", gitrepotest.Files{"go.mod": mod("v1.1.0"), "sub dir/package.json": gitrepotest.Text("{}"), "a.go": gitrepotest.Text("a")}, base)
	merge := r.Commit("merge", gitrepotest.Files{"go.mod": mod("v1.1.0"), "sub dir/package.json": gitrepotest.Text("{}"), "a.go": gitrepotest.Text("b")}, code, side)
	gone := r.Commit("gone", gitrepotest.Files{"a.go": gitrepotest.Text("b")}, merge)

	v0, v1 := gitrepo.OID(r.Blob(base, "go.mod")), gitrepo.OID(r.Blob(side, "go.mod"))
	pkg := gitrepo.OID(r.Blob(side, "sub dir/package.json"))
	want := []FileChange{
		{Commit: gone, Path: "go.mod", Old: v1, Status: 'D'},
		{Commit: gone, Path: "sub dir/package.json", Old: pkg, Status: 'D'},
		{Commit: merge, Path: "go.mod", Old: v0, New: v1, Status: 'M'},
		{Commit: merge, Path: "sub dir/package.json", New: pkg, Status: 'A'},
		{Commit: side, Path: "go.mod", Old: v0, New: v1, Status: 'M'},
		{Commit: side, Path: "sub dir/package.json", New: pkg, Status: 'A'},
		{Commit: base, Path: "go.mod", New: v0, Status: 'A'},
	}
	for _, workers := range []int{0, 1, 3} {
		got, err := Manifests(t.Context(), open(t, r), workers)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("manifest changes, %d workers: %v (-want +got)\n%s", workers, err, diff)
		}
	}
	// A tree that is gone is an error, not a history without manifests.
	r.Drop(r.Git("rev-parse", string(code)+"^{tree}"))
	if got, err := Manifests(t.Context(), open(t, r), 2); err == nil {
		t.Errorf("a missing tree: got %v", got)
	}
}

func TestReadStops(t *testing.T) {
	r := gitrepotest.New(t)
	r.Commit("one", gitrepotest.Files{}, r.Commit("two", gitrepotest.Files{}))
	enough := errors.New("enough")
	if _, err := Read(t.Context(), open(t, r), 2, func(*Commit) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("got %v, want the callback's error", err)
	}
}

func TestFiles(t *testing.T) {
	r := gitrepotest.New(t)
	one := r.Commit("one", gitrepotest.Files{"a": gitrepotest.Text("1"), "dir/b": gitrepotest.Text("1")})
	two := r.Commit("two", gitrepotest.Files{"a": gitrepotest.Text("2"), "sub": gitrepotest.Gitlink("1")}, one)
	tree := func(c schemas.CommitSHA) string { return r.Git("rev-parse", string(c)+"^{tree}") }
	blob := func(c schemas.CommitSHA, p string) gitrepo.OID { return gitrepo.OID(r.Blob(c, p)) }
	got, err := Files(t.Context(), open(t, r), []TreePair{{tree(one), tree(two)}, {tree(one), tree(one)}, {tree(one), tree(two)}})
	diff := []FileChange{
		{Path: "a", Old: blob(one, "a"), New: blob(two, "a"), Status: 'M'},
		{Path: "dir/b", Old: blob(one, "dir/b"), Status: 'D'},
		{Path: "sub", Status: 'A'},
	}
	if d := cmp.Diff([][]FileChange{diff, nil, diff}, got); d != "" || err != nil {
		t.Errorf("files: %v (-want +got)\n%s", err, d)
	}
}

func TestPulls(t *testing.T) {
	r := gitrepotest.New(t)
	files := func(v string) gitrepotest.Files { return gitrepotest.Files{"a": gitrepotest.Text(v)} }
	base := r.Commit("base", files("1"))
	own := r.Commit("own, first", files("2"), base)
	head := r.Commit("own, second", files("3"), own)
	trial := r.Commit("Merge head into base", files("3"), base, head)
	landed := r.Commit("landed as it stood", files("4"), base)
	r.Git("update-ref", "refs/pull/7/head", string(head))
	r.Git("update-ref", "refs/pull/7/merge", string(trial))
	r.Git("update-ref", "refs/pull/12/head", string(landed))
	r.Git("update-ref", "refs/pull/x/head", string(landed))

	want := []Pull{
		{Number: 12, Head: landed},
		{Number: 7, Head: head, Onto: base, Own: []PullCommit{
			{SHA: head, AuthorTime: 1_700_000_120, Subject: "own, second"}, {SHA: own, AuthorTime: 1_700_000_060, Subject: "own, first"}}},
	}
	got, err := Pulls(t.Context(), open(t, r))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("pulls: %v (-want +got)\n%s", err, diff)
	}
}

func FuzzReadRaw(f *testing.F) {
	f.Add([]byte("0123\x00\n:100644 100644 0a0b 0c0d M\x00go.mod\x00"))
	f.Add([]byte(":100644"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, read := range []func(*bufio.Reader) error{
			func(r *bufio.Reader) error { return readRaw(r, func(FileChange) error { return nil }) },
			func(r *bufio.Reader) error { return readPairs(r, func(string, FileChange) {}) },
			func(r *bufio.Reader) error {
				var c Commit
				for {
					if err := readCommit(r, &c); err == io.EOF {
						return nil
					} else if err != nil {
						return err
					}
				}
			},
		} {
			if err := read(bufio.NewReaderSize(strings.NewReader(string(b)), 64)); err == io.EOF {
				t.Error("a bare end of input")
			}
		}
	})
}
