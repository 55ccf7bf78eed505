package crossref

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRelations compares the relation of every reference in a text, in order.
func TestRelations(t *testing.T) {
	const url = "https://github.com/acme/core/pull/1"
	const none = Rel("")
	cases := []struct {
		name, text string
		want       []Rel
	}{
		{"no blank and no scheme", "Depends-on:github.com/acme/core#999", []Rel{RelDependsOn}},
		{"several lines", "Depends-On: acme/core#1\nDepends-On: " + url, []Rel{RelDependsOn, RelDependsOn}},
		{"a bracket over lines", "Depends-On: [acme/core/pull/1\n  " + url + "]", []Rel{RelDependsOn, RelDependsOn}},
		{"one keyword, several numbers", "Fixes #1, #2 and acme/core#3", []Rel{RelCloses, RelCloses, RelCloses}},
		{"the same keyword twice", "Fixes #1\nFixes #2", []Rel{RelCloses, RelCloses}},
		{"the next sentence", "Fixes #1. acme/core#2 broke", []Rel{RelCloses, none}},
		{"the next line", "Fixes #1\nacme/core#2", []Rel{RelCloses, none}},
		{"heading and list", "Depends on:\n\n- " + url + "\n- lib: acme/lib#2\n\nFound in acme/x#3", []Rel{RelDependsOn, RelDependsOn, none}},
		{"heading and lines", "Depends on:\n" + url + "\nacme/lib#2", []Rel{RelDependsOn, RelDependsOn}},
		{"Markdown heading", "## Dependencies\n\n* acme/core#1\n\n## Notes\n\n* acme/lib#2", []Rel{RelDependsOn, none}},
		{"bold heading", "**Companion PRs**\n\n1. acme/core#1", []Rel{RelCompanion}},
		{"template question", "**Why we need it**:\n\n- acme/core#1", []Rel{none}},
		{"own words win over the heading", "Depends on:\n- see acme/core#1", []Rel{RelRefs}},
		{"words between", "This depends on the new queue of acme/core#1", []Rel{RelDependsOn}},
		{"words of another sentence", "This depends on luck. The queue is in acme/core#1", []Rel{none}},
		{"label of a link", "Depends on [the new queue](" + url + ")", []Rel{RelDependsOn}},
		{"over a line break", "Blocked by\n" + url, []Rel{RelDependsOn}},
		{"denied", "This does not depend on acme/core#1", []Rel{none}},
		{"denied blocker", "no longer blocked by acme/core#1", []Rel{none}},
		{"not before", "Do not merge before acme/core#1", []Rel{RelDependsOn}},
		{"until merged", "Waits until acme/core#1 is merged", []Rel{RelDependsOn}},
		{"once it lands", "Rebase once acme/core#1 lands", []Rel{RelDependsOn}},
		{"after the fact", "Broke after acme/core#1 was merged", []Rel{none}},
		{"see does not weaken", "Depends on the queue, see acme/core#1", []Rel{RelDependsOn}},
		{"words behind", "acme/core#1 needs to be merged first", []Rel{RelDependsOn}},
		{"words behind, other direction", "acme/core#1 depends on this", []Rel{RelNeededBy}},
		{"words behind, parenthesis", "See acme/core#1 (which must be merged first)", []Rel{RelDependsOn}},
		{"need to do something", "We need to look at acme/core#1", []Rel{none}},
		{"required by", "Required by acme/core#1", []Rel{RelNeededBy}},
		{"prerequisite for", "Prerequisite for acme/core#1", []Rel{RelNeededBy}},
		{"unblocks", "This unblocks acme/core#1", []Rel{RelNeededBy}},
		{"companion", "Companion PR: acme/core#1", []Rel{RelCompanion}},
		{"goes with", "Goes together with " + url, []Rel{RelCompanion}},
		{"counterpart", "The counterpart of acme/core#1", []Rel{RelCompanion}},
		{"closing keyword with a colon", "Closes: #1", []Rel{RelCloses}},
		{"closing keyword with a word", "Fixes issue #1", []Rel{RelCloses}},
		{"closing keyword far away", "Fixes the queue of acme/core#1", []Rel{none}},
		{"closed by another", "Fixed by acme/core#1", []Rel{none}},
		{"a keyword that is a noun", "test fixes (acme/core#1)", []Rel{none}},
		{"a closed commit", "Fixes: abcdef123456", []Rel{none}},
		{"see", "See also acme/core#1", []Rel{RelRefs}},
		{"backport", "Backport of #1", []Rel{RelBackportOf}},
		{"supersedes", "Replaces #1", []Rel{RelSupersedes}},
		{"superseded", "Superseded by #1", []Rel{none}},
		{"names that hold keywords", "off by one in require-jsdoc and `requires` of acme/core#1", []Rel{none}},
		{"a title with its number", "* fix the require rule (#1)", []Rel{none}},
		{"a bot's words", "Requires https://redirect.github.com/acme/core/pull/1", []Rel{none}},
		{"a file", "requires https://github.com/acme/core/blob/main/README.md", []Rel{none}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got []Rel
			for _, ref := range Find([]byte(c.text), Options{Context: "acme/app"}) {
				got = append(got, ref.Rel)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("relations in %q (-want +got):\n%s", c.text, diff)
			}
		})
	}
}
