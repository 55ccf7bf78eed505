package patch_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"crossswe/internal/gitrepo"
	"crossswe/internal/patch"
	"crossswe/schemas"
)

const sample = `diff --git a/x.go b/x.go
index 1111111111111111111111111111111111111111..2222222222222222222222222222222222222222 100644
--- a/x.go
+++ b/x.go
@@ -1,3 +1,3 @@ func main() {
 a
-b
+B
 c
@@ -10 +10,2 @@
-z
\ No newline at end of file
+z
+zz
diff --git "a/d/t\303\251.bin" "b/d/t\303\251.bin"
new file mode 100755
index 0000000000000000000000000000000000000000..3333333333333333333333333333333333333333
GIT binary patch
literal 3
KcmZSnc4PnmAC~|P

literal 0
HcmV?d00001

diff --git a/old name b/new name
similarity index 90%
rename from old name
rename to new name
`

func TestParse(t *testing.T) {
	got, err := patch.Parse([]byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	oid := func(d string) gitrepo.OID { return gitrepo.OID(strings.Repeat(d, 40)) }
	line := func(op patch.Op, text string) patch.Line { return patch.Line{Op: op, Text: []byte(text)} }
	want := []patch.FilePatch{
		{Status: schemas.FileModified, OldPath: "x.go", NewPath: "x.go", OldMode: gitrepo.ModeFile, NewMode: gitrepo.ModeFile,
			OldOID: oid("1"), NewOID: oid("2"), Hunks: []patch.Hunk{
				{OldStart: 1, OldLines: 3, NewStart: 1, NewLines: 3, Section: []byte("func main() {"), Lines: []patch.Line{
					line(' ', "a\n"), line('-', "b\n"), line('+', "B\n"), line(' ', "c\n")}},
				{OldStart: 10, OldLines: 1, NewStart: 10, NewLines: 2, Lines: []patch.Line{
					line('-', "z"), line('+', "z\n"), line('+', "zz\n")}},
			}},
		{Status: schemas.FileAdded, NewPath: "d/té.bin", NewMode: gitrepo.ModeExec, NewOID: oid("3"), Binary: true},
		{Status: schemas.FileRenamed, OldPath: "old name", NewPath: "new name", Similarity: 90},
	}
	opts := cmp.Options{cmpopts.IgnoreUnexported(patch.FilePatch{}), cmpopts.IgnoreFields(patch.FilePatch{}, "Raw")}
	if diff := cmp.Diff(want, got, opts); diff != "" {
		t.Errorf("Parse (-want +got):\n%s", diff)
	}
	if added, deleted := got[0].Counts(); added != 3 || deleted != 2 {
		t.Errorf("Counts = %d, %d; want 3, 2", added, deleted)
	}
	if diff := cmp.Diff([][]byte{[]byte("B"), []byte("z"), []byte("zz")}, got[0].AddedLines()); diff != "" {
		t.Errorf("AddedLines (-want +got):\n%s", diff)
	}
}

func TestParseRefuses(t *testing.T) {
	head := "diff --git a/x b/x\nindex 1111..2222 100644\n--- a/x\n+++ b/x\n"
	for _, c := range []struct {
		name, in string
		line     int
	}{
		{"text before", "Subject: x\n" + sample, 1},
		{"text after", sample + "-- \n2.39\n", 29},
		{"cut in the header", sample[:20], 1},
		{"cut in a hunk", sample[:strings.Index(sample, "+B")], 8},
		{"cut in a line", sample[:strings.Index(sample, "B\n")+1], 8},
		{"cut in a binary", sample[:strings.Index(sample, "cmV")], 23},
		{"cut after the labels", head, 5},
		{"labels without hunks", head + "diff --git a/y b/y\n", 5},
		{"hunk without labels", "diff --git a/x b/x\nindex 1111..2222 100644\n@@ -1 +1 @@\n-a\n+b\n", 3},
		{"too many lines", head + "@@ -1 +1 @@\n-a\n+b\n+c\n", 8},
		{"a third kind of line", head + "@@ -1 +1 @@\n-a\n*b\n", 8},
		{"an empty line", head + "@@ -1,2 +1 @@\n-a\n\n", 8},
		{"an empty hunk", head + "@@ -1,0 +1,0 @@\n", 5},
		{"negative numbers", head + "@@ -1,-2 +1 @@\n-a\n", 5},
		{"huge numbers", head + "@@ -1,99999999999999999999 +1 @@\n-a\n", 5},
		{"another name in a label", strings.Replace(sample, "+++ b/x.go", "+++ b/y.go", 1), 5},
		{"another name in the header", strings.Replace(sample, "a/x.go b/x.go", "a/x.go b/y.go", 1), 3},
		{"no prefixes", strings.ReplaceAll(strings.ReplaceAll(sample, "a/x.go", "x.go"), "b/x.go", "x.go"), 3},
		{"a rename without its target", strings.Replace(sample, "rename to new name\n", "", 1), 28},
		{"contents left out", "diff --git a/x b/x\nindex 1111..2222 100644\nBinary files a/x and b/x differ\n", 3},
		{"bad mode", "diff --git a/x b/x\nold mode 10064\nnew mode 100755\n", 2},
		{"NUL in a path", "diff --git \"a/\\000\" \"b/\\000\"\nold mode 100644\nnew mode 100755\n", 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := patch.Parse([]byte(c.in))
			parse, ok := err.(*patch.ParseError)
			if !ok || parse.Line != c.line {
				t.Errorf("Parse: got %v, want an error at line %d", err, c.line)
			}
		})
	}
}

// TestParseUnquoted reads what git writes with core.quotePath off, and writes
// it anew with quotes.
func TestParseUnquoted(t *testing.T) {
	in := "diff --git a/é \xff.txt b/é \xff.txt\nindex 1111..2222 100644\n--- a/é \xff.txt\t\n+++ b/é \xff.txt\t\n@@ -1 +1 @@\n-a\n+b\n" +
		"diff --git a/é b/\"\nsimilarity index 100%\nrename from é\nrename to \"\\\"\"\n"
	in = strings.Replace(in, `b/"`, `"b/\""`, 1)
	got, err := patch.Prefix([]byte(in), "d")
	want := `diff --git "a/d/\303\251 \377.txt" "b/d/\303\251 \377.txt"` + "\nindex 1111..2222 100644\n" +
		`--- "a/d/\303\251 \377.txt"` + "\t\n" + `+++ "b/d/\303\251 \377.txt"` + "\t\n@@ -1 +1 @@\n-a\n+b\n" +
		`diff --git "a/d/\303\251" "b/d/\""` + "\nsimilarity index 100%\n" + `rename from "d/\303\251"` + "\n" + `rename to "d/\""` + "\n"
	if err != nil || string(got) != want {
		t.Errorf("Prefix: %v (-want +got):\n%s", err, cmp.Diff(want, string(got)))
	}
}

// checkAgainstGoGitdiff holds the reader against another one.
func checkAgainstGoGitdiff(t *testing.T, text []byte) {
	t.Helper()
	mine, err := patch.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	theirs, _, err := gitdiff.Parse(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(summariseTheirs(theirs), summariseMine(mine)); diff != "" {
		t.Errorf("(-go-gitdiff +got):\n%s", diff)
	}
}

type summary struct {
	Old, New string
	Binary   bool
	Text     string
}

func summariseMine(files []patch.FilePatch) []summary {
	var all []summary
	for _, f := range files {
		s := summary{Old: f.OldPath, New: f.NewPath, Binary: f.Binary}
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				s.Text += string(l.Op) + string(l.Text)
			}
		}
		all = append(all, s)
	}
	return all
}

func summariseTheirs(files []*gitdiff.File) []summary {
	var all []summary
	for _, f := range files {
		s := summary{Old: f.OldName, New: f.NewName, Binary: f.IsBinary}
		for _, h := range f.TextFragments {
			for _, l := range h.Lines {
				s.Text += l.Op.String() + l.Line
			}
		}
		all = append(all, s)
	}
	return all
}

func TestHunkHash(t *testing.T) {
	hunk := func(header, body string) patch.Hunk {
		files, err := patch.Parse([]byte("diff --git a/x b/x\nindex 1111..2222 100644\n--- a/x\n+++ b/x\n" + header + "\n" + body))
		if err != nil {
			t.Fatal(err)
		}
		return files[0].Hunks[0]
	}
	first := hunk("@@ -1,2 +1,2 @@", " context\n-a\n+b\n").Hash()
	for name, same := range map[string]patch.Hunk{
		"elsewhere":       hunk("@@ -70 +90 @@ func f() {", "-a\n+b\n"),
		"other context":   hunk("@@ -1,2 +1,2 @@", "-a\n+b\n other\n"),
		"CRLF and blanks": hunk("@@ -1 +1 @@", "-a\r\n+b \t\r\n\\ No newline at end of file\n"),
	} {
		if got := same.Hash(); got != first {
			t.Errorf("%s: hash %s, want %s", name, got, first)
		}
	}
	for name, other := range map[string]patch.Hunk{
		"leading blank": hunk("@@ -1 +1 @@", "-a\n+ b\n"),
		"reverse":       hunk("@@ -1 +1 @@", "-b\n+a\n"),
		"one more":      hunk("@@ -1 +1,2 @@", "-a\n+b\n+\n"),
	} {
		if got := other.Hash(); got == first {
			t.Errorf("%s: the same hash", name)
		}
	}
	if _, err := schemas.ParseDigest(string(first)); err != nil {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n"))
	f.Add([]byte("diff --git \"a/\\t\" \"b/\\t\"\ndeleted file mode 100644\nindex 11..00\n--- \"a/\\t\"\n+++ /dev/null\n@@ -1 +0,0 @@\n-\r\n\\ No newline at end of file\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		files, err := patch.Parse(in)
		if err != nil {
			return
		}
		var whole []byte
		for _, p := range files {
			whole = append(whole, p.Raw...)
		}
		if !bytes.Equal(whole, in) {
			t.Fatalf("the parts are %q, the whole is %q", whole, in)
		}
		below, err := patch.Prefix(in, "a dir/ö")
		if err != nil {
			t.Fatalf("Prefix: %v", err)
		}
		again, err := patch.Parse(below)
		if err != nil || len(again) != len(files) {
			t.Fatalf("reading the prefixed patch: %v\n%s", err, below)
		}
		for i, p := range again {
			if p.Path() != "a dir/ö/"+files[i].Path() {
				t.Errorf("path %q of %q", p.Path(), files[i].Path())
			}
			for j, h := range p.Hunks {
				if h.Hash() != files[i].Hunks[j].Hash() {
					t.Errorf("hunk %d changed", j)
				}
			}
		}
		if _, err := patch.TouchedLines(in); err != nil {
			t.Errorf("TouchedLines: %v", err)
		}
	})
}
