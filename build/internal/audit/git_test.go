package audit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJudge(t *testing.T) {
	base, fix := strings.Repeat("1", 40), strings.Repeat("2", 40)
	co := Checkout{Repo: "x/client", Dir: "/testbed/client", Base: "1111111111111111111111111111111111111111"}
	clean := gitState{head: base + "\n", refs: base + " refs/heads/main\n", objects: base + "\n", reachable: base + "\n"}
	for _, c := range []struct {
		name string
		edit func(*gitState)
		want []string
	}{
		{"clean", func(*gitState) {}, nil},
		{"an untracked file", func(g *gitState) { g.status = "?? a\n M b\n" }, []string{"checkout_clean: ?? a", "checkout_clean:  M b"}},
		{"at the fix", func(g *gitState) { g.head = fix + "\n" }, []string{"checkout_at_base: HEAD is " + fix + ", the base is " + base}},
		{"a tag on the fix", func(g *gitState) { g.refs += fix + " refs/tags/v1\n" }, []string{"checkout_refs: a ref that must not be: " + fix + " refs/tags/v1"}},
		{"a tag on the base", func(g *gitState) { g.refs += base + " refs/tags/v1\n" }, []string{"checkout_refs: a ref that must not be: " + base + " refs/tags/v1"}},
		{"a second branch", func(g *gitState) { g.refs += base + " refs/heads/x\n" }, []string{"checkout_refs: 2 branches at the base instead of one"}},
		{"an object of the fix", func(g *gitState) { g.objects += fix + "\n" }, []string{"checkout_objects: an object that HEAD does not reach: " + fix}},
		{"a missing object is known", func(g *gitState) { g.reachable += "?" + fix + "\n" }, nil},
		{"no objects", func(g *gitState) { g.objects = "" }, []string{"checkout_objects: there are no objects"}},
		{"git fails", func(g *gitState) {
			g.head, g.refs, g.objects = "exit code 128: no repository", "exit code 128: no repository", ""
		},
			[]string{"checkout_at_base: HEAD is exit code 128: no repository, the base is " + base, "checkout_refs: a ref that must not be: exit code 128: no repository",
				"checkout_refs: 0 branches at the base instead of one", "checkout_objects: there are no objects"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			state := clean
			c.edit(&state)
			checks, findings := state.judge(co)
			var got []string
			for _, f := range findings {
				got = append(got, f.Check+": "+f.Detail)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			if len(checks) != 4 {
				t.Errorf("%d checks, want 4", len(checks))
			}
		})
	}
}

func TestJudgeBoundsItsFindings(t *testing.T) {
	state := gitState{status: strings.Repeat("?? a\n", 1000)}
	_, findings := state.judge(Checkout{})
	n := 0
	for _, f := range findings {
		if f.Check == checkClean {
			n++
		}
	}
	if n != 21 {
		t.Errorf("%d findings about the work tree, want 20 and one that counts the rest", n)
	}
}
