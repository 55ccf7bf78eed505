package patch_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"crossswe/internal/gitrepo/gitrepotest"
	"crossswe/internal/patch"
)

// TestRandomEdits splits and proves random changes of random trees.
func TestRandomEdits(t *testing.T) {
	src := gitrepotest.New(t)
	r := open(t, src.Dir)
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		before := randomTree(rnd)
		base := src.Commit("base", before)
		head := src.Commit("head", randomEdits(rnd, before), base)
		s, err := patch.Split(t.Context(), r, base, head, patch.SplitOptions{})
		if errors.Is(err, patch.ErrEntangled) {
			continue
		}
		if err == nil {
			err = patch.Prove(t.Context(), r, s)
		}
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

var (
	randomNames = []string{"a.go", "a_test.go", "b", "b/c.js", "b/c.test.js", "testdata/x", "testdata", "d e/é.py", "tests/t.py", "q\"\n", "m"}
	randomWords = []string{"x\n", "y\r\n", "z", "\r", "\n", "\x00", "long line of words\n", "\xff\n", " \t\n", "-- a\n", "++ b\n"}
)

func randomTree(rnd *rand.Rand) gitrepotest.Files {
	files := gitrepotest.Files{}
	for _, name := range randomNames {
		if rnd.IntN(2) == 0 {
			put(files, name, randomFile(rnd))
		}
	}
	return files
}

func randomFile(rnd *rand.Rand) gitrepotest.File {
	switch rnd.IntN(12) {
	case 0:
		return gitrepotest.Symlink("target")
	case 1:
		return gitrepotest.Gitlink(fmt.Sprint(1 + rnd.IntN(9)))
	case 2:
		return gitrepotest.Exec(randomContent(rnd))
	}
	return gitrepotest.Text(randomContent(rnd))
}

func randomContent(rnd *rand.Rand) string {
	var b strings.Builder
	for range rnd.IntN(30) {
		b.WriteString(randomWords[rnd.IntN(len(randomWords))])
	}
	return b.String()
}

func randomEdits(rnd *rand.Rand, before gitrepotest.Files) gitrepotest.Files {
	after := gitrepotest.Files{}
	for name, f := range before {
		switch rnd.IntN(5) {
		case 0: // deleted
		case 1:
			put(after, name, randomFile(rnd))
		case 2:
			put(after, randomNames[rnd.IntN(len(randomNames))], f)
		case 3:
			if f.Mode == "100644" {
				f.Content += randomContent(rnd)
			}
			put(after, name, f)
		default:
			put(after, name, f)
		}
	}
	return after
}

// put sets a path unless another file needs it as a directory, or the reverse.
func put(files gitrepotest.Files, name string, f gitrepotest.File) {
	for other := range files {
		if strings.HasPrefix(other, name+"/") || strings.HasPrefix(name, other+"/") {
			return
		}
	}
	files[name] = f
}
