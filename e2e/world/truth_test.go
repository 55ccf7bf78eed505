package world

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

// TestTruth runs every mask of the Go stories with the go command alone, and
// compares the minimal masks of the tests that Expect names. It is the oracle
// for verify: nothing of the pipeline takes part.
func TestTruth(t *testing.T) {
	for _, s := range Scenarios() {
		for _, e := range s.Expect {
			if e.Drop != "" || strings.HasPrefix(s.Name, "js-") || len(e.Needs) == 0 {
				continue
			}
			t.Run(s.Name, func(t *testing.T) { testTruth(t, s, e) })
		}
	}
}

func testTruth(t *testing.T, s Scenario, e Expect) {
	dir := t.TempDir()
	changes, err := Make(t.Context(), dir, s)
	if err != nil {
		t.Fatal(err)
	}
	var sides []Change
	for _, name := range e.Sides {
		i := slices.IndexFunc(changes, func(c Change) bool { return c.Name() == name })
		sides = append(sides, changes[i])
	}
	passing := map[string][]schemas.Mask{}
	for m := range schemas.FullMask(len(sides)) + 1 {
		for _, test := range runMask(t, dir, sides, m) {
			passing[test] = append(passing[test], m)
		}
	}
	got := map[string][]string{}
	for test := range e.Needs {
		got[test] = minimal(passing[test], len(sides))
	}
	if diff := cmp.Diff(e.Needs, got); diff != "" {
		t.Errorf("minimal masks differ (-want +got):\n%s", diff)
	}
}

// minimal names the masks that contain no other one.
func minimal(masks []schemas.Mask, n int) []string {
	var out []string
	for _, m := range masks {
		if !slices.ContainsFunc(masks, func(o schemas.Mask) bool { return o != m && m.Contains(o) }) {
			out = append(out, m.Name(n))
		}
	}
	return out
}

// runMask checks the sides out as the mask says, tests of the change included,
// and returns the tests that pass.
func runMask(t *testing.T, dir string, sides []Change, m schemas.Mask) []string {
	work := t.TempDir()
	file := "go 1.26\n"
	for i, c := range sides {
		into := filepath.Join(work, c.Repo.Name())
		checkout(t, filepath.Join(dir, string(c.Repo)+".git"), c, m.Has(i), into)
		file += "use ./" + c.Repo.Name() + "\n"
	}
	for _, version := range []string{"v0.3.0", "v0.3.1", "v0.4.0"} {
		for _, c := range sides {
			file += fmt.Sprintf("replace github.com/%s %s => ./%s\n", c.Repo, version, c.Repo.Name())
		}
	}
	file += pseudoReplaces(t, work, sides)
	write(t, filepath.Join(work, "go.work"), file)
	var passed []string
	for _, c := range sides {
		passed = append(passed, runTests(t, filepath.Join(work, c.Repo.Name()), c.Repo)...)
	}
	return passed
}

// pseudoReplaces writes a replacement for every pseudo-version in a go.mod.
func pseudoReplaces(t *testing.T, work string, sides []Change) string {
	lines := map[string]bool{}
	for _, c := range sides {
		body, err := os.ReadFile(filepath.Join(work, c.Repo.Name(), "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(body)) {
			for _, p := range sides {
				if _, rest, ok := strings.Cut(line, "github.com/"+string(p.Repo)+" "); ok && strings.Contains(rest, "-0.") {
					lines[fmt.Sprintf("replace github.com/%s %s => ./%s\n", p.Repo, strings.TrimSpace(rest), p.Repo.Name())] = true
				}
			}
		}
	}
	var out string
	for line := range lines {
		out += line
	}
	return out
}

func checkout(t *testing.T, repo string, c Change, patched bool, into string) {
	if err := os.MkdirAll(into, 0o777); err != nil {
		t.Fatal(err)
	}
	at := func(commit schemas.CommitSHA, paths ...string) {
		args := append([]string{"--work-tree=" + into, "checkout", "-q", string(commit), "--"}, paths...)
		gitOut(t, repo, args...)
	}
	if patched {
		at(c.Head, ".")
		return
	}
	at(c.Base, ".")
	for path := range strings.FieldsSeq(gitOut(t, repo, "diff", "--no-renames", "--diff-filter=d", "--name-only", string(c.Base), string(c.Head))) {
		if isTest(path) {
			at(c.Head, path)
		}
	}
}

func runTests(t *testing.T, dir string, repo schemas.RepoName) []string {
	cmd := exec.CommandContext(t.Context(), "go", "test", "-json", "-vet=off", "-timeout=5s", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK="+filepath.Join(filepath.Dir(dir), "go.work"))
	out, _ := cmd.Output() // a mask in which tests fail is the point
	var passed []string
	for line := range bytes.Lines(out) {
		var ev struct{ Action, Test string }
		if json.Unmarshal(line, &ev) == nil && ev.Action == "pass" && ev.Test != "" {
			passed = append(passed, string(repo)+" "+ev.Test)
		}
	}
	return passed
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
