package facts

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/internal/gitrepo"
	"crossswe/internal/gitrepo/gitrepotest"
	"crossswe/mine/internal/change"
	"crossswe/mine/internal/source/githistory"
	"crossswe/schemas"
)

func TestEachWord(t *testing.T) {
	tests := map[string][]string{
		"func (o *Oar) RowHard(n int) error {": {"func", "Oar", "RowHard", "int", "error"},
		"x := 0xff + 1e9 + 12px":               nil,
		"$el.data_set['kebab-case']":           {"$el", "data_set", "kebab", "case"},
		"größe = 1":                            {"größe"},
		strings.Repeat("a", 81) + " ab abc":    {"abc"},
		"":                                     nil,
	}
	for line, want := range tests {
		var got []string
		EachWord([]byte(line), func(w []byte) { got = append(got, string(w)) })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", line, diff)
		}
	}
}

func TestCode(t *testing.T) {
	tests := []struct {
		line string
		hash bool
		want string
	}{
		{"  x = 1 // note", false, "x = 1"},
		{"// note", false, ""},
		{" * note", false, ""},
		{`url = "http://a/b"`, false, `url = "http://a/b"`},
		{"#include <oar.h>", false, "#include <oar.h>"},
		{"# note", true, ""},
		{"x = 1 # note", true, "x = 1"},
	}
	for _, tt := range tests {
		if got := strings.TrimSpace(string(code([]byte(tt.line), tt.hash))); got != tt.want {
			t.Errorf("code(%q, %v): got %q, want %q", tt.line, tt.hash, got, tt.want)
		}
	}
}

func TestShapeOrdersWords(t *testing.T) {
	want := []string{"RowHarder", "rowUp", "rowing_in", "metadata", "row"}
	got := slices.Clone(want)
	slices.SortStableFunc(got, func(a, b string) int {
		switch x, y := Shape(a), Shape(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	if diff := cmp.Diff([]string{"RowHarder", "rowing_in", "rowUp", "metadata", "row"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestDiffLines(t *testing.T) {
	d := diffLines([]byte("a\nb\nb\nc\n"), []byte("c\n  b\nnew\n\nlast"))
	text := func(lines [][]byte) (out []string) {
		for _, l := range lines {
			out = append(out, strings.TrimSpace(string(l)))
		}
		return out
	}
	if diff := cmp.Diff([]string{"new", "last"}, text(d.added)); diff != "" {
		t.Errorf("added (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "b"}, text(d.removed)); diff != "" {
		t.Errorf("removed (-want +got)\n%s", diff)
	}
}

func TestFingerprint(t *testing.T) {
	old, new := "one\ntwo\nthree\n", "one\n2\nthree\nfour\nfive\n"
	a := fingerprint([]delta{diffLines([]byte(old), []byte(new))})
	elsewhere := fingerprint([]delta{diffLines([]byte("other\n\t"+strings.ReplaceAll(old, "\n", "\n\t")), []byte("other\n\t"+strings.ReplaceAll(new, "\n", "\n\t")))})
	if a == "" || a != elsewhere {
		t.Errorf("one change at two places: got %q and %q", a, elsewhere)
	}
	if b := fingerprint([]delta{diffLines([]byte(new), []byte(old))}); a == b {
		t.Error("a change and its revert are alike")
	}
	if small := fingerprint([]delta{diffLines([]byte("a\n"), []byte("b\n"))}); small != "" {
		t.Errorf("a small change: got %q, want none", small)
	}
}

// world is a repository with two commits.
func world(t *testing.T, before, after gitrepotest.Files) (*gitrepotest.Repo, *Reader) {
	t.Helper()
	r := gitrepotest.New(t)
	base := r.Commit("base", before)
	r.Commit("change", after, base)
	repo, err := gitrepo.Open(t.Context(), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	var in []change.Input
	err = githistory.Commits(t.Context(), repo, func(c *githistory.Commit) error {
		in = append(in, change.Input{Parents: slices.Clone(c.Parents), Node: change.Node{SHA: c.SHA, Tree: c.Tree, Subject: c.Subject()}})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	g := change.NewGraph(in)
	return r, &Reader{Repo: repo, Set: change.NewSet(g, []change.Tip{{Node: 0}}, nil), Vocabulary: NewVocabulary(), Workers: 2}
}

func read(t *testing.T, r *Reader) []*Facts {
	t.Helper()
	fs, raw, err := r.Files(t.Context(), []int{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Words(t.Context(), fs, raw); err != nil {
		t.Fatal(err)
	}
	return fs
}

func TestReader(t *testing.T) {
	before := gitrepotest.Files{
		"oar.go":  gitrepotest.Text("package oar\n\nfunc Row() {}\n"),
		"data.go": gitrepotest.Text("package oar\n\nvar x = \"\x00\"\n"),
	}
	after := gitrepotest.Files{
		"oar.go":      gitrepotest.Text("package oar\n\n// Blister is prose.\nfunc RowHard(Row int) {}\n"),
		"oar_test.go": gitrepotest.Text("package oar\n\nfunc TestRowHard() {}\n"),
		"data.go":     gitrepotest.Text("package oar\n\nvar y = \"\x00\"\n"),
		"README.md":   gitrepotest.Text("RowFast\n"),
	}
	_, r := world(t, before, after)
	fs := read(t, r)
	words := func(ws []Word) (out []string) {
		for _, w := range ws {
			out = append(out, r.Vocabulary.String(w))
		}
		slices.Sort(out)
		return out
	}
	got := fs[1]
	if fs[0].Begins == got.Begins || got.Begins {
		t.Errorf("begins: got %v and %v", fs[0].Begins, got.Begins)
	}
	wantFiles := []File{{"README.md", schemas.ClassDoc}, {"data.go", schemas.ClassSource}, {"oar.go", schemas.ClassSource}, {"oar_test.go", schemas.ClassTest}}
	if diff := cmp.Diff(wantFiles, got.Files); diff != "" {
		t.Errorf("files (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"RowHard", "int"}, words(got.New)); diff != "" {
		t.Errorf("new (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Row", "RowHard", "TestRowHard", "func", "int", "oar", "package"}, words(got.Uses)); diff != "" {
		t.Errorf("uses (-want +got)\n%s", diff)
	}
	if got.Added != 2 || got.Removed != 1 || got.Missing != 1 || !got.Read {
		t.Errorf("got %d added, %d removed, %d missing, read %v; want 2, 1, 1 (the binary), true", got.Added, got.Removed, got.Missing, got.Read)
	}
}

func TestAMissingBlobCostsOnlyItsFile(t *testing.T) {
	before := gitrepotest.Files{"a.go": gitrepotest.Text("package a\n"), "b.go": gitrepotest.Text("package a\n\n")}
	after := gitrepotest.Files{"a.go": gitrepotest.Text("package a\n\nvar OneName int\n"), "b.go": gitrepotest.Text("package a\n\nvar OtherName int\n")}
	repo, r := world(t, before, after)
	repo.Drop(repo.Blob(schemas.CommitSHA(repo.Git("rev-parse", "HEAD")), "b.go"))
	got := read(t, r)[1]
	if got.Missing != 1 || len(got.New) != 3 {
		t.Errorf("got %d missing and %d new words, want 1 and 3", got.Missing, len(got.New))
	}
}

func FuzzWords(f *testing.F) {
	f.Add([]byte("a\nRowHard // x\n"), []byte("# y\n\xff\x00zz9"))
	f.Fuzz(func(t *testing.T, old, new []byte) {
		d := diffLines(old, new)
		for _, line := range append(d.added, d.removed...) {
			EachWord(code(line, true), func(w []byte) {
				if s := Shape(string(w)); len(w) < shortestWord || len(w) > longestWord || s <= 0 || s > 1 {
					t.Errorf("word %q has shape %v", w, s)
				}
			})
		}
		if len(d.added) == 0 && len(d.removed) == 0 && fingerprint([]delta{d}) != "" {
			t.Error("a fingerprint of nothing")
		}
	})
}
