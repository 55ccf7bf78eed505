package gitrepo_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crossswe/internal/gitrepo"
	"crossswe/internal/gitrepo/gitrepotest"
	"crossswe/schemas"
)

var anyFiles = gitrepotest.Files{"a": gitrepotest.Text("one\n")}

func TestResolve(t *testing.T) {
	src := gitrepotest.New(t)
	first := src.Commit("first", anyFiles)
	second := src.Commit("second", anyFiles, first)
	src.Git("tag", "light", string(first))
	src.Git("tag", "-a", "-m", "tagged", "annotated", string(second))
	src.Git("tag", "-a", "-m", "tag of a tag", "nested", "annotated")
	src.Git("branch", "--", "odd/name", string(first))
	tag := src.Git("rev-parse", "annotated")
	blob := src.Blob(first, "a")
	r := open(t, src.Dir)
	for _, c := range []struct {
		name, rev string
		want      schemas.CommitSHA // "" for ErrNoCommit
	}{
		{"branch", "main", second},
		{"full ref", "refs/heads/odd/name", first},
		{"lightweight tag", "light", first},
		{"annotated tag", "annotated", second},
		{"tag of a tag", "nested", second},
		{"tag object", tag, second},
		{"full id", string(first), first},
		{"short id", string(first[:9]), first},
		{"expression", "main~1", first},
		{"empty", "", ""},
		{"unknown name", "nowhere", ""},
		{"unknown id", strings.Repeat("1", 40), ""},
		{"a blob", blob, ""},
		{"an option", "--all", ""},
		{"an output option", "--output=x", ""},
		{"line break", "main\nmain", ""},
		{"a range", "main~1..main", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := r.Resolve(t.Context(), c.rev)
			if got != c.want || (c.want == "") != errors.Is(err, gitrepo.ErrNoCommit) {
				t.Errorf("Resolve(%q) = %q, %v; want %q", c.rev, got, err, c.want)
			}
		})
	}
}

// history makes
//
//	root - left  - merge
//	     \ right /
//
// and a root of its own.
type history struct {
	src                             *gitrepotest.Repo
	root, left, right, merge, alone schemas.CommitSHA
}

func newHistory(t *testing.T) history {
	h := history{src: gitrepotest.New(t)}
	h.root = h.src.Commit("root", anyFiles)
	h.left = h.src.Commit("left", anyFiles, h.root)
	h.right = h.src.Commit("right", anyFiles, h.root)
	h.merge = h.src.Commit("merge", anyFiles, h.left, h.right)
	h.src.Git("branch", "whole", string(h.merge))
	h.alone = h.src.Commit("alone", anyFiles)
	return h
}

func TestHistory(t *testing.T) {
	h := newHistory(t)
	r := open(t, h.src.Dir)
	ctx := t.Context()
	if got, err := r.Parents(ctx, h.merge); err != nil || !cmp.Equal(got, []schemas.CommitSHA{h.left, h.right}) {
		t.Errorf("Parents = %v, %v", got, err)
	}
	if got, err := r.Parents(ctx, h.root); err != nil || got != nil {
		t.Errorf("Parents of the root = %v, %v", got, err)
	}
	if got, err := r.MergeBase(ctx, h.left, h.right); err != nil || got != h.root {
		t.Errorf("MergeBase = %v, %v; want %s", got, err, h.root)
	}
	if _, err := r.MergeBase(ctx, h.left, h.alone); !errors.Is(err, gitrepo.ErrNoMergeBase) {
		t.Errorf("MergeBase of strangers: %v", err)
	}
	if _, err := r.MergeBase(ctx, h.left, schemas.CommitSHA(strings.Repeat("2", 40))); !errors.Is(err, gitrepo.ErrNoCommit) {
		t.Errorf("MergeBase with an absent commit: %v", err)
	}
	for _, c := range []struct {
		a, b schemas.CommitSHA
		want bool
	}{{h.root, h.merge, true}, {h.merge, h.merge, true}, {h.merge, h.root, false}, {h.left, h.right, false}, {h.alone, h.merge, false}} {
		if got, err := r.IsAncestor(ctx, c.a, c.b); err != nil || got != c.want {
			t.Errorf("IsAncestor(%s, %s) = %v, %v; want %v", c.a.Short(), c.b.Short(), got, err, c.want)
		}
	}
	got, err := r.Between(ctx, h.left, h.merge)
	if want := []schemas.CommitSHA{h.merge, h.right}; err != nil || !cmp.Equal(got, want) {
		t.Errorf("Between = %v, %v; want %v", got, err, want)
	}
}

func TestShallowHistory(t *testing.T) {
	h := newHistory(t)
	dir := cloned(t, h.src, "--bare", "--depth=2", "--branch=whole", "--no-single-branch")
	r := open(t, dir)
	ctx := t.Context()
	if !r.Shallow() {
		t.Fatal("the clone is not known as shallow")
	}
	_, parents := r.Parents(ctx, h.left)
	_, ancestor := r.IsAncestor(ctx, h.alone, h.merge)
	_, base := r.MergeBase(ctx, h.left, h.right)
	_, between := r.Between(ctx, h.alone, h.merge)
	for name, err := range map[string]error{"Parents": parents, "IsAncestor": ancestor, "MergeBase": base, "Between": between} {
		var shallow *gitrepo.ShallowError
		if !errors.As(err, &shallow) || (shallow.Commit != h.left && shallow.Commit != h.right) {
			t.Errorf("%s: got %v, want a shallow boundary", name, err)
		}
	}
	if _, err := r.Resolve(ctx, string(h.root)); !errors.Is(err, gitrepo.ErrNoCommit) {
		t.Errorf("Resolve of a commit behind the boundary: %v", err)
	}
	if got, err := r.IsAncestor(ctx, h.left, h.merge); err != nil || !got {
		t.Errorf("IsAncestor within the cut history = %v, %v", got, err)
	}
	if got, err := r.Between(ctx, h.left, h.merge); err == nil {
		t.Errorf("Between over the boundary = %v", got)
	}
}

func TestCommitFields(t *testing.T) {
	src := gitrepotest.New(t)
	sha := src.Commit("subject\n\nbody \xe9\xff\n", anyFiles)
	r := open(t, src.Dir)
	got := commit(t, r, sha)
	at := time.Unix(1_700_000_000, 0).UTC()
	want := gitrepo.Commit{SHA: sha, Tree: gitrepo.OID(src.Git("rev-parse", "main^{tree}")),
		AuthorName: "A Tester", AuthorEmail: "tester@example.com", AuthorTime: at, CommitTime: at,
		Message: []byte("subject\n\nbody \xe9\xff\n")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Commit (-want +got):\n%s", diff)
	}
}

func TestRefs(t *testing.T) {
	src := gitrepotest.New(t)
	first := src.Commit("first", anyFiles)
	second := src.Commit("second", anyFiles, first)
	src.Git("tag", "-a", "-m", "tagged", "v1", string(first))
	src.Git("tag", "v2", string(second))
	src.Git("tag", "blob", src.Blob(first, "a"))
	src.Git("update-ref", "refs/pull/7/head", string(first))
	src.Git("pack-refs", "--all")
	absent := strings.Repeat("3", 40)
	write(t, src.Dir+"/.git/refs/tags/gone", absent+"\n")
	r := open(t, src.Dir)

	tags := []gitrepo.Ref{
		{Name: "refs/tags/blob", OID: gitrepo.OID(src.Blob(first, "a"))},
		{Name: "refs/tags/gone", OID: gitrepo.OID(absent)},
		{Name: "refs/tags/v1", OID: gitrepo.OID(src.Git("rev-parse", "refs/tags/v1")), Commit: first},
		{Name: "refs/tags/v2", OID: gitrepo.OID(second), Commit: second},
	}
	pulls := []gitrepo.Ref{{Name: "refs/pull/7/head", OID: gitrepo.OID(first), Commit: first}}
	main := gitrepo.Ref{Name: "refs/heads/main", OID: gitrepo.OID(second), Commit: second}
	for prefix, want := range map[string][]gitrepo.Ref{
		"refs/tags/": tags,
		"refs/pull/": pulls,
		"refs/pul":   nil,
		"":           append(append([]gitrepo.Ref{main}, pulls...), tags...),
	} {
		got, err := r.Refs(t.Context(), prefix)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("Refs(%q): %v (-want +got):\n%s", prefix, err, diff)
		}
	}
}
