package patch_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/internal/gitrepo"
	"crossswe/internal/gitrepo/gitrepotest"
	"crossswe/internal/patch"
	"crossswe/schemas"
)

func open(t *testing.T, dir string) *gitrepo.Repo {
	t.Helper()
	r, err := gitrepo.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func TestShapes(t *testing.T) {
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			src := gitrepotest.New(t)
			base := src.Commit("base", s.before)
			head := src.Commit("head", s.both, base)
			sides := splitAndProve(t, src, base, head)
			checkPaths(t, "gold", sides.Gold, s.gold)
			checkPaths(t, "test", sides.Test, s.test)
			checkAgainstGoGitdiff(t, sides.Gold)
			checkAgainstGoGitdiff(t, sides.Test)
			var links []string
			for _, l := range sides.Gitlinks {
				links = append(links, l.Path)
			}
			if !slices.Equal(links, s.links) {
				t.Errorf("gitlinks = %q, want %q", links, s.links)
			}
			applyInCheckout(t, src, sides)
			applyAbove(t, src, sides)
		})
	}
}

func splitAndProve(t *testing.T, src *gitrepotest.Repo, base, head schemas.CommitSHA) patch.Sides {
	t.Helper()
	r := open(t, src.Dir)
	sides, err := patch.Split(t.Context(), r, base, head, patch.SplitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := patch.Prove(t.Context(), r, sides); err != nil {
		t.Fatalf("%v\ngold:\n%s\ntest:\n%s", err, sides.Gold, sides.Test)
	}
	return sides
}

// checkPaths holds the paths of a patch against those wanted. Deleted halves
// of renames within the patch are not listed.
func checkPaths(t *testing.T, which string, text []byte, want []string) {
	t.Helper()
	files, err := patch.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	renamed := map[string]bool{}
	for _, f := range files {
		got = append(got, f.Path())
		renamed[f.OldPath] = f.Status == schemas.FileRenamed
	}
	want = slices.DeleteFunc(slices.Clone(want), func(p string) bool { return renamed[p] && !slices.Contains(got, p) })
	slices.Sort(got)
	slices.Sort(want)
	if got = slices.Compact(got); !slices.Equal(got, want) {
		t.Errorf("%s touches %q, want %q", which, got, want)
	}
}

// applyInCheckout applies the patches the way a trial does: in a checkout of
// base, the test patch first.
func applyInCheckout(t *testing.T, src *gitrepotest.Repo, s patch.Sides) {
	t.Helper()
	dir := checkout(t, src, s.Base)
	if got := writeTree(t, dir); len(s.Gitlinks) == 0 && got != s.Trees.Base {
		t.Fatalf("the checkout itself is tree %s, want %s", got, s.Trees.Base)
	}
	apply(t, dir, s.Test, "--index")
	apply(t, dir, s.Gold, "--index")
	if got := writeTree(t, dir); got != s.Trees.Both {
		t.Errorf("applied in a checkout: tree %s, want %s", got, s.Trees.Both)
	}
}

// applyAbove applies the prefixed patches outside of any repository, with
// plain "git apply" and in one go, as the harness of a dataset does.
func applyAbove(t *testing.T, src *gitrepotest.Repo, s patch.Sides) {
	t.Helper()
	dir := checkout(t, src, s.Base)
	top := filepath.Dir(dir)
	name := `odd "dir/ö`
	moved := filepath.Join(top, name)
	if err := os.MkdirAll(filepath.Dir(moved), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	gold, err := patch.Prefix(s.Gold, name)
	if err != nil {
		t.Fatal(err)
	}
	test, err := patch.Prefix(s.Test, name)
	if err != nil {
		t.Fatal(err)
	}
	apply(t, top, patch.Join(gold, test))
	if _, err := gitrepotest.Run(moved, nil, "add", "-A", "--force", "."); err != nil {
		t.Fatal(err)
	}
	if got := writeTree(t, moved); got != s.Trees.Both {
		t.Errorf("applied above the checkout: tree %s, want %s", got, s.Trees.Both)
	}
}

// checkout makes a work tree of base whose files are the bytes of the blobs,
// whatever the attributes say. Submodules stay out: they are cloned by hand.
func checkout(t *testing.T, src *gitrepotest.Repo, base schemas.CommitSHA) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "checkout")
	mustGit(t, src.Dir, "clone", "-q", "--no-checkout", src.Dir, dir)
	raw := filepath.Join(dir, ".git", "info", "attributes")
	if err := os.WriteFile(raw, []byte("* -text -eol -ident -filter -working-tree-encoding\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	mustGit(t, dir, "read-tree", string(base))
	entries, err := gitrepotest.Run(dir, nil, "ls-files", "-s", "-z")
	if err != nil {
		t.Fatal(err)
	}
	for e := range bytes.SplitSeq(entries, []byte{0}) {
		if _, path, ok := bytes.Cut(e, []byte{'\t'}); ok && bytes.HasPrefix(e, []byte("160000 ")) {
			mustGit(t, dir, "rm", "-q", "--cached", "--", ":(literal)"+string(path))
		}
	}
	mustGit(t, dir, "checkout-index", "-u", "-a")
	return dir
}

func apply(t *testing.T, dir string, text []byte, args ...string) {
	t.Helper()
	if len(text) == 0 {
		return
	}
	if _, err := gitrepotest.Run(dir, text, append([]string{"apply", "--whitespace=nowarn"}, args...)...); err != nil {
		t.Fatalf("git apply: %v\n%s", err, text)
	}
}

func writeTree(t *testing.T, dir string) gitrepo.OID {
	t.Helper()
	return gitrepo.OID(strings.TrimSpace(mustGit(t, dir, "write-tree")))
}

func mustGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := gitrepotest.Run(dir, nil, args...)
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return string(out)
}

func TestSplitFiles(t *testing.T) {
	src := gitrepotest.New(t)
	base := src.Commit("base", gitrepotest.Files{
		"README.md":  gitrepotest.Text("a\n"),
		"go.mod":     gitrepotest.Text("module x\n"),
		"lost.json":  gitrepotest.Text("lost\n"),
		"m":          gitrepotest.Gitlink("1"),
		"old.go":     gitrepotest.Text(ten),
		"picture":    gitrepotest.Text("\x00"),
		"type":       gitrepotest.Text("1\n2\n"),
		"x_test.go":  gitrepotest.Text("1\n"),
		"cross.java": gitrepotest.Text("class Cross {\n}\n"),
	})
	head := src.Commit("head", gitrepotest.Files{
		"README.md":            gitrepotest.Text("b\n"),
		"go.mod":               gitrepotest.Text("module y\n"),
		"lost.json":            gitrepotest.Text("found\n"),
		"m":                    gitrepotest.Gitlink("2"),
		"new.go":               gitrepotest.Text(ten + "11\n"),
		"picture":              gitrepotest.Text("\x00\x01"),
		"type":                 gitrepotest.Symlink("1"),
		"x_test.go":            gitrepotest.Text("1\n2\n3\n"),
		"src/test/cross.java":  gitrepotest.Text("class Cross {\n}\n"),
		"src/main/gen.pb.go":   gitrepotest.Text("// Code generated by protoc-gen-go. DO NOT EDIT.\npackage x\n"),
		"vendor/y/y.go":        gitrepotest.Text("package y\n"),
		".github/workflows/ci": gitrepotest.Text("on: push\n"),
	}, base)
	lost := gitrepo.OID(src.Blob(head, "lost.json"))
	src.Drop(string(lost))
	sides := splitAndProve(t, src, base, head)
	want := []schemas.File{
		{Path: ".github/workflows/ci", Status: schemas.FileAdded, Class: schemas.ClassConfig, Added: 1},
		{Path: "README.md", Status: schemas.FileModified, Class: schemas.ClassDoc, Added: 1, Deleted: 1},
		{Path: "cross.java", Status: schemas.FileDeleted, Class: schemas.ClassSource, Deleted: 2},
		{Path: "go.mod", Status: schemas.FileModified, Class: schemas.ClassManifest, Added: 1, Deleted: 1},
		{Path: "lost.json", Status: schemas.FileModified, Class: schemas.ClassSource, Missing: true},
		{Path: "m", Status: schemas.FileModified, Class: schemas.ClassLock},
		{Path: "new.go", OldPath: "old.go", Status: schemas.FileRenamed, Class: schemas.ClassSource, Added: 1},
		{Path: "picture", Status: schemas.FileModified, Class: schemas.ClassSource, Binary: true},
		{Path: "src/main/gen.pb.go", Status: schemas.FileAdded, Class: schemas.ClassGenerated, Added: 2},
		{Path: "src/test/cross.java", Status: schemas.FileAdded, Class: schemas.ClassTest, Added: 2},
		{Path: "type", Status: schemas.FileType, Class: schemas.ClassSource, Added: 1, Deleted: 2},
		{Path: "vendor/y/y.go", Status: schemas.FileAdded, Class: schemas.ClassVendored, Added: 1},
		{Path: "x_test.go", Status: schemas.FileModified, Class: schemas.ClassTest, Added: 2},
	}
	if diff := cmp.Diff(want, sides.Files); diff != "" {
		t.Errorf("Files (-want +got):\n%s", diff)
	}
	wantMissing := []patch.Missing{{Path: "lost.json", Class: schemas.ClassSource, Status: schemas.FileModified, Reason: patch.MissingBlob, OID: lost}}
	if diff := cmp.Diff(wantMissing, sides.Missing); diff != "" {
		t.Errorf("Missing (-want +got):\n%s", diff)
	}
	wantLinks := []patch.Gitlink{{Path: "m", Class: schemas.ClassLock, Old: gitrepo.OID(strings.Repeat("1", 40)), New: gitrepo.OID(strings.Repeat("2", 40))}}
	if diff := cmp.Diff(wantLinks, sides.Gitlinks); diff != "" {
		t.Errorf("Gitlinks (-want +got):\n%s", diff)
	}
}

func TestSplitErrors(t *testing.T) {
	src := gitrepotest.New(t)
	base := src.Commit("base", gitrepotest.Files{"tool": gitrepotest.Text("a\n"), "x.go": gitrepotest.Text("a\n")})
	head := src.Commit("head", gitrepotest.Files{"tool/a.go": gitrepotest.Text("a\n"), "tool/a_test.go": gitrepotest.Text("a\n")}, base)
	r := open(t, src.Dir)
	for _, c := range []struct {
		name       string
		base, head schemas.CommitSHA
		opt        patch.SplitOptions
		want       error
	}{
		{"one path for both", base, head, patch.SplitOptions{}, patch.ErrEntangled},
		{"absent base", schemas.CommitSHA(strings.Repeat("1", 40)), head, patch.SplitOptions{}, gitrepo.ErrNoCommit},
		{"absent head", base, schemas.CommitSHA(strings.Repeat("1", 40)), patch.SplitOptions{}, gitrepo.ErrNoCommit},
		{"too large", head, base, patch.SplitOptions{MaxBytes: 20}, gitrepo.ErrTooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := patch.Split(t.Context(), r, c.base, c.head, c.opt); !errors.Is(err, c.want) {
				t.Errorf("Split: got %v, want %v", err, c.want)
			}
		})
	}
}

// TestProveFinds spoils a good split in several ways.
func TestProveFinds(t *testing.T) {
	src := gitrepotest.New(t)
	base := src.Commit("base", gitrepotest.Files{"x.go": gitrepotest.Text(ten), "x_test.go": gitrepotest.Text(ten)})
	head := src.Commit("head", gitrepotest.Files{"x.go": gitrepotest.Text(ten + "11\n"), "x_test.go": gitrepotest.Text(ten + "11\n")}, base)
	r := open(t, src.Dir)
	for _, c := range []struct {
		name  string
		spoil func(*patch.Sides)
		step  string
	}{
		{"a changed line", func(s *patch.Sides) { s.Gold = bytes.ReplaceAll(s.Gold, []byte("+11"), []byte("+12")) }, "gold alone"},
		{"changed context", func(s *patch.Sides) { s.Gold = bytes.ReplaceAll(s.Gold, []byte(" 9"), []byte(" 8")) }, "gold alone"},
		{"a lost patch", func(s *patch.Sides) { s.Test = nil }, "test alone"},
		{"a cut patch", func(s *patch.Sides) { s.Test = s.Test[:len(s.Test)-3] }, "test alone"},
		{"the same change twice", func(s *patch.Sides) { s.Test, s.Trees.Test = s.Gold, s.Trees.Gold }, "gold and test"},
		{"another head", func(s *patch.Sides) { s.Head = s.Base }, "gold and test"},
		{"another base", func(s *patch.Sides) { s.Base = s.Head }, "nothing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := patch.Split(t.Context(), r, base, head, patch.SplitOptions{})
			if err != nil {
				t.Fatal(err)
			}
			c.spoil(&s)
			var proof *patch.ProofError
			if err := patch.Prove(t.Context(), r, s); !errors.As(err, &proof) || proof.Step != c.step {
				t.Errorf("Prove: got %v, want a failure at %q", err, c.step)
			}
		})
	}
}

// TestSplitWritesNothing compares the repository's files before and after. Git
// refreshes the times of objects that it would have written; names and sizes stay.
func TestSplitWritesNothing(t *testing.T) {
	src := gitrepotest.New(t)
	base := src.Commit("base", gitrepotest.Files{"x.go": gitrepotest.Text(ten)})
	head := src.Commit("head", gitrepotest.Files{"y.go": gitrepotest.Text(ten + "11\n"), "y_test.go": gitrepotest.Text(ten)}, base)
	before := listing(t, src.Dir)
	splitAndProve(t, src, base, head)
	if diff := cmp.Diff(before, listing(t, src.Dir)); diff != "" {
		t.Errorf("the repository changed (-before +after):\n%s", diff)
	}
}

func listing(t *testing.T, dir string) string {
	t.Helper()
	out, err := exec.Command("find", dir, "-printf", "%P %s\n").Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
