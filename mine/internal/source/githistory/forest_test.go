package githistory

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/internal/gitrepo"
	"crossswe/internal/gitrepo/gitrepotest"
	"crossswe/schemas"
)

// wander makes a history with manifests that come, change, move and go in
// nested directories, and merges.
func wander(t *testing.T, rng *rand.Rand, r *gitrepotest.Repo, gitlink string) {
	t.Helper()
	dirs := []string{"", "a/", "a/b/", "a/b/c/", "vendor/x/", "a.b/", "ab/", "node_modules/"}
	names := []string{"go.mod", "package.json", "other.txt", "go.mod/inner.txt"}
	files := gitrepotest.Files{}
	var made []schemas.CommitSHA
	for n := range 30 {
		for range 1 + rng.IntN(3) {
			path := dirs[rng.IntN(len(dirs))] + names[rng.IntN(len(names)-1)]
			switch rng.IntN(8) {
			case 0:
				delete(files, path)
			case 1:
				files[path] = gitrepotest.Exec(files[path].Content + "x\n")
			case 2:
				files[path] = gitrepotest.Symlink(fmt.Sprint("to", n))
			case 3:
				files[path] = gitrepotest.File{Mode: "160000", Content: gitlink}
			default:
				files[path] = gitrepotest.Text(fmt.Sprintf("%d\n%s", n, bytes.Repeat([]byte("line\n"), 40)))
			}
		}
		var parents []schemas.CommitSHA
		if n > 0 {
			parents = append(parents, made[len(made)-1])
		}
		if n > 4 && n%5 == 0 {
			parents = append(parents, made[rng.IntN(len(made)-1)])
		}
		made = append(made, r.Commit(fmt.Sprint("commit ", n), files, parents...))
	}
}

// check compares what we read with what git compares.
func check(t *testing.T, r *gitrepotest.Repo) {
	t.Helper()
	repo := open(t, r)
	s := steps{index: map[schemas.CommitSHA]int32{}}
	if err := Commits(t.Context(), repo, func(c *Commit) error { s.add(c); return nil }); err != nil {
		t.Fatal(err)
	}
	want, err := s.byGit(t.Context(), repo)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Manifests(t.Context(), repo, 2)
	if diff := cmp.Diff(byType(want), byType(got)); diff != "" || err != nil || len(got) == 0 {
		t.Errorf("%d changes, %v (-git +ours)\n%s", len(got), err, diff)
	}
}

// byType forgets git's letter for a file that became a link.
func byType(changes []FileChange) []FileChange {
	var out []FileChange
	for _, c := range changes {
		switch {
		case c.Old == "":
			c.Status = 'A'
		case c.New == "":
			c.Status = 'D'
		default:
			c.Status = 'M'
		}
		if c.Old != "" || c.New != "" {
			out = append(out, c)
		}
	}
	return out
}

func TestManifestsAgainstGit(t *testing.T) {
	for format, digits := range map[string]int{"sha1": 40, "sha256": 64} {
		for seed := range uint64(2) {
			t.Run(fmt.Sprint(format, seed), func(t *testing.T) {
				r := gitrepotest.New(t, "--object-format="+format)
				wander(t, rand.New(rand.NewPCG(seed, 7)), r, strings.Repeat("5", digits))
				check(t, r) // loose objects and fast-import's packs
				r.Git("repack", "-adfq", "--depth=50", "--window=50")
				check(t, r)
				r.Commit("a loose one", gitrepotest.Files{"z/package.json": gitrepotest.Text("{}")}, schemas.CommitSHA(r.Git("rev-parse", "HEAD")))
				check(t, r)
			})
		}
	}
}

func TestBrokenPacksAreLeftToGit(t *testing.T) {
	r := gitrepotest.New(t)
	wander(t, rand.New(rand.NewPCG(1, 1)), r, strings.Repeat("5", 40))
	r.Git("repack", "-adfq")
	odd := filepath.Join(r.Dir, ".git", "objects", "pack", "pack-odd.idx")
	if err := os.WriteFile(odd, []byte("no index"), 0o666); err != nil {
		t.Fatal(err)
	}
	check(t, r)
}

func TestAMissingTreeIsAnError(t *testing.T) {
	r := gitrepotest.New(t)
	c := r.Commit("one", gitrepotest.Files{"dir/go.mod": gitrepotest.Text("module m\n")})
	gone := r.Blob(c, "dir")
	r.Drop(gone)
	_, err := Manifests(t.Context(), open(t, r), 1)
	var missing *gitrepo.MissingObjectError
	if !errors.As(err, &missing) || string(missing.OID) != gone {
		t.Errorf("got %v, want the missing tree %s", err, gone)
	}
}

func TestGlobEscape(t *testing.T) {
	for _, dir := range []string{"/a/[b]/c*", `/a\b?`} {
		if ok, err := filepath.Match(globEscape(dir), dir); !ok || err != nil {
			t.Errorf("%s: got %v, %v", dir, ok, err)
		}
	}
}

func FuzzApplyDelta(f *testing.F) {
	f.Add([]byte("base"), []byte{4, 6, 0x90, 4, 2, 'x', 'y'})
	f.Add([]byte("base"), []byte{4, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f, 0xff})
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		if out, err := applyDelta(base, delta); err == nil && len(out) > maxTree {
			t.Errorf("%d bytes", len(out))
		}
	})
}

// FuzzPack reads trees out of a pack in which one byte is wrong.
func FuzzPack(f *testing.F) {
	r := gitrepotest.New(f)
	files := gitrepotest.Files{}
	var last []schemas.CommitSHA
	for n := range 12 {
		for i := range 30 {
			files[fmt.Sprintf("dir/file-%d", i)] = gitrepotest.Text(fmt.Sprint(i))
		}
		files["dir/go.mod"] = gitrepotest.Text(fmt.Sprint("module m", n))
		last = []schemas.CommitSHA{r.Commit("c", files, last...)}
	}
	r.Git("repack", "-adfq")
	packs, err := openPacks(filepath.Join(r.Dir, ".git"))
	if err != nil || len(packs) != 1 {
		f.Fatalf("got %d packs, %v", len(packs), err)
	}
	f.Cleanup(func() { closePacks(packs) })
	whole := bytes.Clone(packs[0].data)
	f.Add(uint(40), byte(0xff))
	f.Add(uint(len(whole)-30), byte(0x7f))
	f.Fuzz(func(t *testing.T, at uint, value byte) {
		p := *packs[0]
		p.data = bytes.Clone(whole)
		p.data[int(at%uint(len(whole)))] ^= value
		rd := p.reader()
		for i := range len(p.ids) / 20 {
			if offset, ok := p.offset(i); ok {
				body, ok, err := rd.tree(offset, 0)
				if ok && err == nil {
					_, _ = (&forest{wants: map[string]bool{"go.mod": true}, lengths: ^uint64(0)}).parse(0, body, interned{})
				}
			}
		}
	})
}
