package gitrepo

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

func TestParseCommit(t *testing.T) {
	tree, parent := strings.Repeat("a", 40), strings.Repeat("b", 40)
	at := time.Unix(1234, 0).UTC()
	for _, c := range []struct {
		name, in string
		want     Commit
		fails    bool
	}{
		{name: "signed, with an encoding", in: "tree " + tree + "\nparent " + parent + "\nauthor A <a@x> 1234 +0200\ncommitter B <b@x> 1234 -0500\n" +
			"gpgsig -----BEGIN\n tree " + parent + "\n \n -----END\nencoding ISO-8859-1\n\nm\xe9ssage",
			want: Commit{Tree: OID(tree), Parents: []schemas.CommitSHA{schemas.CommitSHA(parent)}, AuthorName: "A", AuthorEmail: "a@x",
				AuthorTime: at, CommitTime: at, Message: []byte("m\xe9ssage")}},
		{name: "broken idents", in: "tree " + tree + "\nauthor A <b <c> d> 99999999999999999999 +0000\ncommitter nobody\n\n",
			want: Commit{Tree: OID(tree), AuthorName: "A", AuthorEmail: "b <c> d", Message: []byte{}}},
		{name: "no message", in: "tree " + tree, want: Commit{Tree: OID(tree)}},
		{name: "no tree", in: "author A <a@x> 1 +0000\n\n", fails: true},
		{name: "bad parent", in: "tree " + tree + "\nparent x\n\n", fails: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseCommit([]byte(c.in))
			if c.fails != (err != nil) {
				t.Fatalf("error = %v, want failure %v", err, c.fails)
			}
			if diff := cmp.Diff(c.want, got, cmp.Transformer("bytes", func(b []byte) string { return string(b) })); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCanonicalMode(t *testing.T) {
	for in, want := range map[Mode]Mode{0o100664: ModeFile, 0o100640: ModeFile, 0o100775: ModeExec, 0o40000: ModeTree,
		0o120777: ModeSymlink, 0o160000: ModeGitlink} {
		if got := canonicalMode(in); got != want {
			t.Errorf("canonicalMode(%o) = %o, want %o", in, got, want)
		}
	}
}

func FuzzParseTree(f *testing.F) {
	f.Add([]byte("100644 a\x00aaaaaaaaaaaaaaaaaaaa40000 d\x00bbbbbbbbbbbbbbbbbbbb"))
	f.Add([]byte("100644 a"))
	f.Add([]byte(" \x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		entries, err := parseTree(b, 20, "dir")
		for _, e := range entries {
			if err == nil && (len(e.OID) != 40 || !strings.HasPrefix(e.Path, "dir/")) {
				t.Errorf("entry %+v", e)
			}
		}
	})
}

func FuzzParseCommit(f *testing.F) {
	f.Add([]byte("tree " + strings.Repeat("a", 40) + "\nauthor A <a@x> 1 +0000\n\nm"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, err := parseCommit(b); err == nil && c.Tree == "" {
			t.Error("a commit without a tree")
		}
	})
}

func FuzzParseRaw(f *testing.F) {
	f.Add([]byte(":100644 100644 aa bb R050\x00old\x00new\x001\t2\t\x00old\x00new\x00"))
	f.Add([]byte(":000000 160000 00 bb A\x00m\x00-\t-\tm\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		changes, rest, err := parseRaw(b)
		if err == nil {
			parseNumstat(rest, changes, true)
		}
	})
}
