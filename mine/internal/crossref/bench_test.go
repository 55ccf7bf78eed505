package crossref

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// ordinary is a message as most are: prose without any reference.
const ordinary = `Keep the order of queued frames when a stream is reset

The queue was sorted by stream and then by age, so a reset in the middle
moved later frames to the front. Sort by age only: the writer looks at 16
frames at a time anyway. The loop in the tests ran 100 times and/or until
the first failure; it now stops at once.

Signed-off-by: Some Dev <dev@example.com>
`

// referring is a message with the references of a busy pull request.
const referring = `Follow the new queue of core (#1234)

Depends on acme/core#987, see https://github.com/acme/lib/pull/12 for
the reasons.

- [ ] https://github.com/acme/tool/pull/3
Fixes #1200
`

func BenchmarkFind(b *testing.B) {
	for name, text := range map[string]string{"ordinary": ordinary, "referring": referring} {
		b.Run(name, func(b *testing.B) { benchmarkText(b, []byte(text)) })
	}
}

func benchmarkText(b *testing.B, text []byte) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Find(text, Options{Context: "acme/app", Subject: true})
	}
}

// hostile are texts that punish readers who look back or ahead without bounds.
func hostile() map[string]string {
	return map[string]string{
		"slug and mark": "a/b#", "parentheses": "(((((", "fences": "```\n", "backticks": "`", "runs of backticks": "` `` ``` ",
		"schemes": "http://", "addresses": "https://github.com/", "pulls": "https://github.com/a/b/pull/1 ", "numbers": "#1 ",
		"glued numbers": "#1", "digits": "7", "hex": "abcdef0123", "comments": "<!--", "closed comments": "<!---->", "quotes": ">",
		"brackets": "[", "links": "[#1](", "short paths": "a/b/pull/", "shorthands": "github:", "slashes": "/", "colons": ":",
		"dashes": "-", "keys": "AB-1", "stamps": "v0.0.0-20200101000000-", "pairs": "acme/core#1, ", "bullets": "- #1\n",
		"words": "depends on ", "zero width": "\u200b#", "at": "a/b@1234567 ", "quoted names": "\"a/b#", "cargo": `git = "https://github.com/a/b" `,
		"anchors": `<a href="https://github.com/a/b">`, "headings": "Depends on:\n", "picks": "cherry-pick-of-#1-", "blank lines": "#1\n\n",
		"slashes after marks": "https://github.com/a/b/pull/1\\", "emphasis": "_", "dotted": ".", "broken bytes": "\xff",
		"repo paths": "fixes repo/12 ", "labels": "[a](b)", "pull words": "PR 1 ", "hosts": "github.com/a/b ", "entities": "&#8203;#",
	}
}

// BenchmarkHostile runs every hostile text at two sizes; ns/B must not grow
// from one to the other.
func BenchmarkHostile(b *testing.B) {
	for name, unit := range hostile() {
		for _, size := range []int{1 << 17, 1 << 20} {
			text := []byte(strings.Repeat(unit, size/len(unit)))
			b.Run(fmt.Sprintf("%s/%dk", strings.ReplaceAll(name, " ", "-"), size>>10), func(b *testing.B) {
				benchmarkText(b, text)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(text)), "ns/B")
			})
		}
	}
}

func TestHostileTextsKeepTheInvariants(t *testing.T) {
	for name, unit := range hostile() {
		t.Run(name, func(t *testing.T) {
			text := strings.Repeat(unit, 1+20000/len(unit))
			checkSpans(t, text, Find([]byte(text), Options{Context: "acme/app", Subject: true}))
		})
	}
}

func TestOrdinaryMessagesDoNotAllocate(t *testing.T) {
	text := bytes.Repeat([]byte(ordinary), 3)
	opt := Options{Context: "acme/app", Hosts: []string{enterpriseHost}, Subject: true}
	if refs := Find(text, opt); refs != nil {
		t.Fatalf("found %v in a message without references", refs)
	}
	if allocs := testing.AllocsPerRun(100, func() { Find(text, opt) }); allocs != 0 {
		t.Errorf("Find made %v allocations, want none", allocs)
	}
}
