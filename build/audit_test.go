package main

import (
	"strings"
	"testing"
	"time"

	"crossswe/internal/container"
)

// An image as other datasets make them: checkouts with all their history.
const foreignImage = `FROM golang:1.26-bookworm
RUN ["sh", "-c", "git config --global user.name n && git config --global user.email n@localhost && git init -q /testbed/leaky && cd /testbed/leaky && echo 1 > a && git add a && git commit -qm base && echo 2 > a && git commit -qam fix && git tag v2 && git reset -q --hard HEAD~1 && git reflog expire --expire=now --all && rm -f .git/ORIG_HEAD"]
RUN ["sh", "-c", "git init -q /srv/clean && cd /srv/clean && echo 1 > a && git add a && git commit -qm base && git tag v1 && rm -rf .git/logs && echo changed > a"]
`

func TestAuditOfAnyImage(t *testing.T) {
	b, e := newBench(t), connect(t)
	const tag = "crossswe-test-foreign:1"
	if _, err := e.Build(t.Context(), container.BuildSpec{Tag: tag, Dockerfile: []byte(foreignImage), Timeout: 5 * time.Minute}); err != nil {
		t.Fatal(err)
	}
	forget(t, e, tag)
	got := b.call(flags{audit: true}, tag)
	if got.code != 1 {
		t.Errorf("exit code %d: %s", got.code, got.stderr)
	}
	for _, want := range []string{"checkout_refs: /testbed/leaky: a ref to what HEAD does not come from: ", "refs/tags/v2", "checkout_objects: /testbed/leaky: ", "looked at 1 commits of /srv/clean"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("the report lacks %q:\n%s%s", want, got.stdout, got.stderr)
		}
	}
	for _, unwanted := range []string{"checkout_refs: /srv/clean", "checkout_objects: /srv/clean", "/srv/clean/.git/"} {
		if strings.Contains(got.stdout, unwanted) {
			t.Errorf("the clean checkout has a finding:\n%s", got.stdout)
		}
	}
	if got := b.call(flags{audit: true}, "crossswe-test-foreign:none"); got.code != 1 || !strings.Contains(got.stderr, "no such image") {
		t.Errorf("an image that is not there: %d %s", got.code, got.stderr)
	}
	if got := b.call(flags{audit: true}, "-json", tag); got.code != 2 || !strings.Contains(got.stderr, "-json") {
		t.Errorf("with -json: %d %s", got.code, got.stderr)
	}
	if got := b.call(flags{audit: true}); got.code != 2 {
		t.Errorf("no image named: exit code %d", got.code)
	}
}

func TestShellRefuses(t *testing.T) {
	b := newBench(t)
	for _, args := range [][]string{nil, {"unknown-candidate"}, {"a", "b"}} {
		if got := b.build(flags{shell: true}, args...); got.code != 2 {
			t.Errorf("-shell %v: exit code %d: %s", args, got.code, got.stderr)
		}
	}
}
