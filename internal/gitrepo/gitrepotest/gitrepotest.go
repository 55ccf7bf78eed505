// Package gitrepotest makes small real git repositories for tests. The same
// calls give the same commit ids on every machine.
package gitrepotest

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"crossswe/schemas"
)

// start is the time of the first commit; each later one is a minute later.
const start = 1_700_000_000

// File is one entry of a commit's tree.
type File struct {
	Mode    string // as git writes it: 100644, 100755, 120000, 160000
	Content string // a symlink's target; a submodule's commit
}

// Files is a whole tree. Paths may hold any byte but NUL.
type Files map[string]File

// Text returns an ordinary file.
func Text(content string) File { return File{Mode: "100644", Content: content} }

// Exec returns an executable file.
func Exec(content string) File { return File{Mode: "100755", Content: content} }

// Symlink returns a symbolic link.
func Symlink(target string) File { return File{Mode: "120000", Content: target} }

// Gitlink returns a submodule's pointer; digit fills its commit id.
func Gitlink(digit string) File { return File{Mode: "160000", Content: strings.Repeat(digit, 40)} }

// Repo is a repository in a temporary directory.
type Repo struct {
	t       testing.TB
	Dir     string // the work tree; nothing is checked out by Commit
	commits int
}

// New makes an empty repository; args go to git init.
func New(t testing.TB, args ...string) *Repo {
	t.Helper()
	r := &Repo{t: t, Dir: t.TempDir()}
	r.Git(append([]string{"init", "-q", "-b", "main"}, args...)...)
	return r
}

// Git runs git in the repository and returns what it printed, without the last
// newline. It fails the test when git fails.
func (r *Repo) Git(args ...string) string {
	r.t.Helper()
	return r.GitIn(nil, args...)
}

// GitIn is Git with standard input.
func (r *Repo) GitIn(stdin []byte, args ...string) string {
	r.t.Helper()
	out, err := Run(r.Dir, stdin, args...)
	if err != nil {
		r.t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// Run runs git in a directory, free of the caller's configuration and with
// fixed names and times.
func Run(dir string, stdin []byte, args ...string) ([]byte, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(stdin)
	date := fmt.Sprintf("%d +0000", start)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=A Tester", "GIT_AUTHOR_EMAIL=tester@example.com", "GIT_AUTHOR_DATE=" + date,
		"GIT_COMMITTER_NAME=A Tester", "GIT_COMMITTER_EMAIL=tester@example.com", "GIT_COMMITTER_DATE=" + date,
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}

// Commit commits a whole tree on top of the given parents and moves main to
// it. Without parents it is a root commit.
func (r *Repo) Commit(message string, files Files, parents ...schemas.CommitSHA) schemas.CommitSHA {
	r.t.Helper()
	var in bytes.Buffer
	fmt.Fprintf(&in, "reset refs/heads/main\ncommit refs/heads/main\ncommitter A Tester <tester@example.com> %d +0000\n", start+60*r.commits)
	fmt.Fprintf(&in, "data %d\n%s\n", len(message), message)
	for i, p := range parents {
		fmt.Fprintf(&in, "%s %s\n", map[bool]string{true: "from", false: "merge"}[i == 0], p)
	}
	in.WriteString("deleteall\n")
	for _, path := range slices.Sorted(maps.Keys(files)) {
		writeFile(&in, path, files[path])
	}
	r.commits++
	r.GitIn(in.Bytes(), "fast-import", "--quiet", "--force")
	return schemas.CommitSHA(r.Git("rev-parse", "refs/heads/main"))
}

func writeFile(in *bytes.Buffer, path string, f File) {
	if f.Mode == "160000" {
		fmt.Fprintf(in, "M %s %s %s\n", f.Mode, f.Content, quote(path))
		return
	}
	fmt.Fprintf(in, "M %s inline %s\ndata %d\n%s\n", f.Mode, quote(path), len(f.Content), f.Content)
}

// quote writes every byte as octal digits.
func quote(path string) string {
	var b strings.Builder
	for i := range len(path) {
		fmt.Fprintf(&b, `\%03o`, path[i])
	}
	return `"` + b.String() + `"`
}

// Blob returns the id of a path's object in a commit.
func (r *Repo) Blob(sha schemas.CommitSHA, path string) string {
	r.t.Helper()
	return r.Git("rev-parse", string(sha)+":"+path)
}

// Drop deletes a loose object, as if the repository had never held it.
func (r *Repo) Drop(oid string) {
	r.t.Helper()
	if err := os.Remove(filepath.Join(r.Dir, ".git", "objects", oid[:2], oid[2:])); err != nil {
		r.t.Fatalf("dropping an object: %v", err)
	}
}
