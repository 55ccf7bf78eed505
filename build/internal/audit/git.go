package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"crossswe/internal/container"
	"crossswe/schemas"
)

const (
	gitTimeout = 5 * time.Minute
	maxGitText = 256 << 20
)

// inspect asks git in the container what a checkout holds.
func inspect(ctx context.Context, c *container.Container, co Checkout) ([]schemas.AuditCheck, []schemas.AuditFinding, error) {
	state := gitState{}
	for _, q := range []struct {
		into *string
		args []string
	}{
		{&state.status, []string{"status", "--porcelain=v1", "--untracked-files=all"}},
		{&state.head, []string{"rev-parse", "HEAD"}},
		{&state.refs, []string{"for-each-ref", "--format=%(objectname) %(refname)"}},
		{&state.objects, []string{"cat-file", "--batch-all-objects", "--batch-check=%(objectname)", "--unordered"}},
		{&state.reachable, []string{"rev-list", "--objects", "--no-object-names", "--missing=allow-any", "HEAD"}},
	} {
		var err error
		if *q.into, err = gitText(ctx, c, co.Dir, q.args...); err != nil {
			return nil, nil, err
		}
	}
	checks, findings := state.judge(co)
	return checks, findings, nil
}

func gitText(ctx context.Context, c *container.Container, dir string, args ...string) (string, error) {
	var out, stderr bytes.Buffer
	res, err := c.Exec(ctx, container.ExecSpec{
		Cmd: append([]string{"git", "--no-optional-locks"}, args...), WorkDir: dir,
		Env:    []string{"LC_ALL=C"},
		Stdout: &out, Stderr: &stderr, Timeout: gitTimeout, MaxOutput: maxGitText,
	})
	switch {
	case err != nil:
		return "", err
	case res.TimedOut || res.Died || res.Truncated:
		return "", errors.New("git gave no whole answer")
	case res.ExitCode != 0:
		return fmt.Sprintf("exit code %d: %s", res.ExitCode, strings.TrimSpace(stderr.String())), nil
	}
	return out.String(), nil
}

// gitState is what git says of one checkout.
type gitState struct{ status, head, refs, objects, reachable string }

// judge holds the answers against what the checkout must be.
func (g gitState) judge(co Checkout) ([]schemas.AuditCheck, []schemas.AuditFinding) {
	var r report
	check := func(name string, looked int, subject string, faults []string) {
		r.check(co.Repo, co.Dir, name, looked, subject, faults)
	}
	changed := splitLines(g.status)
	check(checkClean, 1, "the work tree"+lacking(co.Missing), changed)
	var faults []string
	if head := strings.TrimSpace(g.head); head != string(co.Base) {
		faults = append(faults, fmt.Sprintf("HEAD is %.80s, the base is %s", head, co.Base))
	}
	check(checkBase, 1, "HEAD", faults)
	refs := splitLines(g.refs)
	check(checkRefs, len(refs), "refs", g.refFaults(co, refs))
	objects := splitLines(g.objects)
	check(checkObjects, len(objects), "objects", unreachable(objects, splitLines(g.reachable)))
	return r.checks, r.findings
}

// report collects what was looked at in checkouts, and what was found.
type report struct {
	checks   []schemas.AuditCheck
	findings []schemas.AuditFinding
}

// maxFaults bounds what one check says of one checkout.
const maxFaults = 20

func (r *report) check(repo schemas.RepoName, dir, name string, looked int, subject string, faults []string) {
	r.checks = append(r.checks, schemas.AuditCheck{Name: name, Looked: looked, Subject: subject + " of " + string(repo)})
	for i, f := range faults {
		if i == maxFaults {
			f = fmt.Sprintf("and %d more", len(faults)-i)
		}
		r.findings = append(r.findings, schemas.AuditFinding{Check: name, Path: dir, Detail: f})
		if i == maxFaults {
			return
		}
	}
}

func lacking(missing []string) string {
	if len(missing) == 0 {
		return ""
	}
	return fmt.Sprintf(" (without %d files whose blobs are not at hand, the first %s)", len(missing), missing[0])
}

// refFaults allows one branch, at the base.
func (g gitState) refFaults(co Checkout, refs []string) []string {
	var faults []string
	branches := 0
	for _, r := range refs {
		if strings.HasPrefix(r, string(co.Base)+" refs/heads/") {
			branches++
			continue
		}
		faults = append(faults, "a ref that must not be: "+r)
	}
	if branches != 1 {
		faults = append(faults, fmt.Sprintf("%d branches at the base instead of one", branches))
	}
	return faults
}

// unreachable lists the objects that HEAD does not reach.
func unreachable(objects, reachable []string) []string {
	known := make(map[string]bool, len(reachable))
	for _, o := range reachable {
		known[strings.TrimPrefix(o, "?")] = true
	}
	var faults []string
	if len(objects) == 0 {
		faults = append(faults, "there are no objects")
	}
	for _, o := range objects {
		if !known[o] {
			faults = append(faults, "an object that HEAD does not reach: "+o)
		}
	}
	slices.Sort(faults)
	return faults
}

func splitLines(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == '\n' })
}
