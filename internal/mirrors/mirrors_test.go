package mirrors

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

func mkdirs(t *testing.T, dirs ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, d := range dirs {
		if err := os.MkdirAll(filepath.Join(root, d), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestFindScansTheMirrors(t *testing.T) {
	root := mkdirs(t, "b/two.git", "a/one", "a/.git", "not an owner!/x")
	if err := os.WriteFile(filepath.Join(root, "README"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := Find(root, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []Place{{Name: "a/one", Dir: filepath.Join(root, "a/one")}, {Name: "b/two", Dir: filepath.Join(root, "b/two.git")}}
	if diff := cmp.Diff(want, s.Places()); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}

func TestAListNarrowsAndAliases(t *testing.T) {
	root := mkdirs(t, "b/two.git", "a/one")
	s, err := Find(root, []Place{{Name: "B/Two", Dir: filepath.Join(root, "b/two.git"), Aliases: []schemas.RepoName{"old/two"}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[schemas.RepoName]bool{"b/two": true, "OLD/two": true, "a/one": false} {
		if got, ok := s.Canonical(name); ok != want || (ok && got != "B/Two") {
			t.Errorf("Canonical(%s) = %s, %v; want %v", name, got, ok, want)
		}
	}
	if _, err := s.Open(t.Context(), "a/one"); !errors.Is(err, ErrUnknown) {
		t.Errorf("opening one that is not listed: got %v, want ErrUnknown", err)
	}
}

func TestFindRefusesTwoPlacesOfOneName(t *testing.T) {
	if _, err := Find("", []Place{{Name: "a/one", Dir: "x"}, {Name: "b/two", Dir: "y", Aliases: []schemas.RepoName{"A/One"}}}); err == nil {
		t.Error("two places of one name were taken")
	}
	if _, err := Find(filepath.Join(t.TempDir(), "missing"), nil); err == nil {
		t.Error("a missing directory was taken")
	}
}
