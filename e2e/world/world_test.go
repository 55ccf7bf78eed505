package world

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestMakeIsTheSameEverywhere pins every ref of the world.
func TestMakeIsTheSameEverywhere(t *testing.T) {
	dir := t.TempDir()
	if _, err := Make(t.Context(), dir, Scenarios()...); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, s := range Scenarios() {
		for _, r := range s.Repos {
			fmt.Fprintf(&got, "%s\n%s", r, gitOut(t, filepath.Join(dir, string(r)+".git"), "for-each-ref", "--format=  %(objectname) %(refname)"))
		}
	}
	golden := filepath.Join("testdata", "refs.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("refs differ (-want +got):\n%s", diff)
	}
}

func TestRepositoriesAreSoundAndHaveAPast(t *testing.T) {
	dir := t.TempDir()
	changes, err := Make(t.Context(), dir, Scenarios()...)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, c := range changes {
		told = append(told, c.Name())
		repo := filepath.Join(dir, string(c.Repo)+".git")
		if out := gitOut(t, repo, "fsck", "--strict"); out != "" {
			t.Errorf("%s: fsck says %s", c.Repo, out)
		}
		if n := strings.Count(gitOut(t, repo, "rev-list", "main"), "\n"); n < 24 {
			t.Errorf("%s has %d commits, want dozens", c.Repo, n)
		}
		if gitOut(t, repo, "rev-list", string(c.Base)+".."+string(c.Head)) == "" {
			t.Errorf("%s: nothing between base and head", c.Name())
		}
	}
	for _, s := range Scenarios() {
		for _, e := range s.Expect {
			for _, side := range e.Sides {
				if !slices.Contains(told, side) {
					t.Errorf("%s expects %s, which no story tells", s.Name, side)
				}
			}
		}
	}
}

func TestMakeRefusesARepositoryThatIsThere(t *testing.T) {
	dir := t.TempDir()
	if _, err := Make(t.Context(), dir, Named("lockstep")...); err != nil {
		t.Fatal(err)
	}
	if _, err := Make(t.Context(), dir, Named("lockstep")...); err == nil {
		t.Error("no error the second time")
	}
}

// TestOddFiles looks for the files that a careless split of a change breaks.
func TestOddFiles(t *testing.T) {
	dir := t.TempDir()
	changes, err := Make(t.Context(), dir, Named("go-behaviour", "go-api")...)
	if err != nil {
		t.Fatal(err)
	}
	diffs := map[string]string{}
	for _, c := range changes {
		repo := filepath.Join(dir, string(c.Repo)+".git")
		diffs[c.Name()] = gitOut(t, repo, "diff", "-M", string(c.Base), string(c.Head))
	}
	for side, want := range map[string]string{
		"mason-example/brick#29": "+raking,0 1 2 3\r\n",
		"tide-example/harbor#27": `\ No newline at end of file`,
		"tide-example/gauge#31":  "Binary files /dev/null and b/testdata/spring.tide differ",
	} {
		if !strings.Contains(diffs[side], want) {
			t.Errorf("the diff of %s lacks %q:\n%s", side, want, diffs[side])
		}
	}
	if want := "rename from lay.go"; !strings.Contains(diffs["mason-example/brick#29"], want) {
		t.Errorf("brick's diff lacks %q", want)
	}
}

func gitOut(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s in %s: %v", strings.Join(args, " "), dir, err)
	}
	return string(out)
}
