package audit

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"crossswe/internal/container"
	"crossswe/schemas"
)

// Foreign audits an image of which nothing is known but that it holds git
// checkouts, such as another dataset's: what lies in their git directories that
// the commit they stand at does not come from. Their work trees may be changed.
// save and c are as for Image.
func Foreign(ctx context.Context, save io.Reader, c *container.Container) (schemas.Audit, error) {
	dirs, err := findCheckouts(ctx, c)
	if err != nil {
		return schemas.Audit{}, fmt.Errorf("looking for checkouts: %w", err)
	}
	audit, err := Layers(save, Rules{Needles: needles(nil), Checkouts: dirs})
	if err != nil {
		return audit, err
	}
	audit.Findings = slices.DeleteFunc(audit.Findings, usual)
	audit.Checks = slices.DeleteFunc(audit.Checks, func(c schemas.AuditCheck) bool { return c.Looked == 0 })
	for _, dir := range dirs {
		checks, findings, err := inspectForeign(ctx, c, dir)
		if err != nil {
			return audit, fmt.Errorf("auditing the checkout %s: %w", dir, err)
		}
		audit.Checks = append(audit.Checks, checks...)
		audit.Findings = append(audit.Findings, findings...)
	}
	audit.Clean = len(audit.Findings) == 0
	return audit, nil
}

// usual matches what every clone has in its git directory and ours have not: git
// is asked what of it HEAD does not come from.
func usual(f schemas.AuditFinding) bool {
	_, inside, ok := cutGit(f.Path)
	return f.Check == checkGit && ok && clones.MatchString(inside)
}

var clones = regexp.MustCompile(`^(?:objects/(?:[0-9a-f]{2}|pack)/|refs/|packed-refs$)`)

const (
	findTimeout = 5 * time.Minute
	maxFound    = 1 << 20
)

// findCheckouts lists the directories with a .git, outside the kernel's own
// file systems.
func findCheckouts(ctx context.Context, c *container.Container) ([]string, error) {
	var out bytes.Buffer
	res, err := c.Exec(ctx, container.ExecSpec{
		Cmd:    []string{"find", "/", "-xdev", "-name", ".git", "-prune", "-print0"},
		Stdout: &out, Timeout: findTimeout, MaxOutput: maxFound,
	})
	if err != nil {
		return nil, err
	}
	if res.TimedOut || res.Died || res.Truncated {
		return nil, fmt.Errorf("find gave no whole answer")
	}
	var dirs []string
	for file := range strings.SplitSeq(out.String(), "\x00") {
		if file != "" {
			dirs = append(dirs, path.Dir(file))
		}
	}
	slices.Sort(dirs)
	return dirs, nil
}

// inspectForeign asks git in the container what a checkout holds beyond its HEAD.
func inspectForeign(ctx context.Context, c *container.Container, dir string) ([]schemas.AuditCheck, []schemas.AuditFinding, error) {
	var head, ahead, objects, reachable string
	for _, q := range []struct {
		into *string
		args []string
	}{
		{&head, []string{"rev-parse", "HEAD"}},
		{&ahead, []string{"for-each-ref", "--no-merged=HEAD", "--format=%(objectname) %(refname)"}},
		{&objects, []string{"cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)", "--unordered"}},
		{&reachable, []string{"rev-list", "HEAD"}},
	} {
		var err error
		if *q.into, err = gitText(ctx, c, dir, append([]string{"-c", "safe.directory=*"}, q.args...)...); err != nil {
			return nil, nil, err
		}
	}
	repo := schemas.RepoName(dir)
	if sha := strings.TrimSpace(head); !isSHA(sha) {
		return nil, []schemas.AuditFinding{{Check: checkBase, Path: dir, Detail: fmt.Sprintf("git tells no HEAD: %.200s", sha)}}, nil
	}
	refs, commits := splitLines(ahead), commitsOf(objects)
	var r report
	for i, ref := range refs {
		refs[i] = "a ref to what HEAD does not come from: " + ref
	}
	r.check(repo, dir, checkRefs, len(refs), "refs that HEAD does not come from", refs)
	r.check(repo, dir, checkObjects, len(commits), "commits", unreachable(commits, splitLines(reachable)))
	return r.checks, r.findings, nil
}

// commitsOf picks the commits of a list of all objects.
func commitsOf(objects string) []string {
	var commits []string
	for line := range strings.Lines(objects) {
		if sha, ok := strings.CutPrefix(strings.TrimSpace(line), "commit "); ok {
			commits = append(commits, sha)
		}
	}
	return commits
}

// isSHA reports whether the text is the name of an object.
func isSHA(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}
