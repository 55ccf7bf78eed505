package patch_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/internal/gitrepo/gitrepotest"
	"crossswe/internal/patch"
)

func TestTouchedLines(t *testing.T) {
	src := gitrepotest.New(t)
	base := src.Commit("base", gitrepotest.Files{
		"changed_test.go": gitrepotest.Text(ten + ten),
		"cut_test.go":     gitrepotest.Text(ten),
		"emptied_test.go": gitrepotest.Text("1\n2\n"),
		"end_test.go":     gitrepotest.Text(ten),
		"gone_test.go":    gitrepotest.Text("gone\n"),
		"old_test.go":     gitrepotest.Text(ten + "old\n"),
		"testdata/b":      gitrepotest.Text("\x00"),
	})
	head := src.Commit("head", gitrepotest.Files{
		"changed_test.go": gitrepotest.Text("0\n1\ntwo\ntwo and a half\n3\n5\n6\n7\n8\n9\n10\n" + ten[:len(ten)-3] + "ten\n"),
		"cut_test.go":     gitrepotest.Text("1\n2\n3\n6\n7\n8\n9\n10\n"),
		"emptied_test.go": gitrepotest.Text(""),
		"end_test.go":     gitrepotest.Text("1\n2\n3\n4\n5\n6\n7\n"),
		"moved_test.go":   gitrepotest.Text(ten + "new\n"),
		"new_test.go":     gitrepotest.Text("1\n2\n3"),
		"testdata/b":      gitrepotest.Text("\x00\x01"),
	}, base)
	got, err := patch.TouchedLines(splitAndProve(t, src, base, head).Test)
	want := []patch.Touched{
		{Path: "changed_test.go", Lines: []patch.Range{{First: 1, Last: 1}, {First: 3, Last: 4}, {First: 21, Last: 21}}, Cuts: []int{6}},
		{Path: "cut_test.go", Cuts: []int{4}},
		{Path: "emptied_test.go", Cuts: []int{1}},
		{Path: "end_test.go", Cuts: []int{8}},
		{Path: "moved_test.go", Lines: []patch.Range{{First: 11, Last: 11}}},
		{Path: "new_test.go", New: true, Lines: []patch.Range{{First: 1, Last: 3}}},
		{Path: "testdata/b"},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("TouchedLines: %v (-want +got):\n%s", err, diff)
	}
}

func TestTouchedHas(t *testing.T) {
	touched := patch.Touched{Lines: []patch.Range{{First: 10, Last: 12}}, Cuts: []int{20}}
	for _, c := range []struct {
		name        string
		first, last int
		want        bool
	}{
		{"before", 1, 9, false},
		{"reaches in", 1, 10, true},
		{"within", 11, 11, true},
		{"around", 9, 13, true},
		{"after", 13, 19, false},
		{"a cut within", 15, 25, true},
		{"a cut right before", 20, 25, false},
		{"a cut right after", 15, 19, false},
		{"a cut before the last line", 19, 20, true},
	} {
		if got := touched.Has(c.first, c.last); got != c.want {
			t.Errorf("%s: Has(%d, %d) = %v, want %v", c.name, c.first, c.last, got, c.want)
		}
	}
}

func TestPrefixRefuses(t *testing.T) {
	for _, dir := range []string{"", ".", "..", "/abs", "a/", "a//b", "../x", "a\x00b"} {
		if _, err := patch.Prefix([]byte(sample), dir); err == nil {
			t.Errorf("Prefix below %q succeeded", dir)
		}
	}
	if _, err := patch.Prefix([]byte("no patch\n"), "dir"); err == nil {
		t.Error("Prefix of no patch succeeded")
	}
}
