package link

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/build/internal/detect"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// tree makes a snapshot that holds the content of every file.
func tree(files map[string]string) detect.Tree {
	t := detect.Tree{Paths: slices.Sorted(maps.Keys(files)), Files: map[string][]byte{}}
	for p, body := range files {
		t.Files[p] = []byte(body)
	}
	return t
}
