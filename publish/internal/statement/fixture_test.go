package statement

import (
	"fmt"
	"strings"
	"testing"

	"crossswe/schemas"
)

// diff writes one file's patch. Lines begin with ' ', '+' or '-'; a file of
// added lines only is a new one.
func diff(path string, lines ...string) string {
	old, now := 0, 0
	for _, l := range lines {
		if l[0] != '+' {
			old++
		}
		if l[0] != '-' {
			now++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "diff --git a/%s b/%s\n", path, path)
	if old == 0 {
		fmt.Fprintf(&b, "new file mode 100644\nindex 0000000..2222222\n--- /dev/null\n+++ b/%s\n@@ -0,0 +1,%d @@\n", path, now)
	} else {
		fmt.Fprintf(&b, "index 1111111..2222222 100644\n--- a/%s\n+++ b/%s\n@@ -1,%d +1,%d @@\n", path, path, old, now)
	}
	return b.String() + strings.Join(lines, "\n") + "\n"
}

var (
	base = schemas.CommitSHA(strings.Repeat("ba5e", 10))
	head = schemas.CommitSHA("0123456789abcdef0123456789abcdef01234567")
)

// example is a provider that gains WithLimit and a consumer that uses it.
func example() []Side {
	return []Side{
		{Dir: "lib", Side: schemas.Side{Repo: "ann/lib", Pull: 7, Base: base, Head: head, Role: schemas.RoleProvider,
			Title: "feat(client): add a limit on open requests (#7)",
			Body: `<!-- template -->
## Problem

Currently the client opens as many requests as it is asked for. A server that
answers slowly makes it fail with "too many open files". See bob/app#12.

` + "```" + `
dial tcp: too many open files
` + "```" + `

## Solution

This PR lets callers bound the number of open requests. It uses requestGate inside.
The count is kept in limiter.go. Zero means no bound, as before.

- [x] I have read the guide

Fixes #6
Signed-off-by: Ann Other <ann@example.com>
`},
			Gold: []byte(diff("client.go", " func New(opts ...Option) *Client {", "-	return &Client{}", "+	return &Client{gate: newRequestGate()}", " }") +
				diff("limiter.go", "+// WithLimit bounds the number of open requests.", "+func WithLimit(n int) Option {", "+	return requestGate{n}.apply", "+}")),
			Test: []byte(diff("client_test.go", "+func TestLimit(t *testing.T) {", "+	// requestGate is internal", "+	limited := New(WithLimit(2))", "+	use(limited)", "+}"))},
		{Dir: "app", Side: schemas.Side{Repo: "bob/app", Base: base, Head: head, Role: schemas.RoleConsumer,
			Title: "Do not run out of file descriptors", Body: "Depends-On: https://github.com/ann/lib/pull/7\n\nThe crawler should open at most eight requests at a time (0123456)."},
			Gold: []byte(diff("crawl.go", " func crawl() {", "-	c := lib.New()", "+	c := lib.New(lib.WithLimit(8))", " }")),
			Test: []byte(diff("crawl_test.go", "+func TestCrawl(t *testing.T) { crawl() }"))},
	}
}

// namesOf computes the names of sides, the base trees holding what is given.
func namesOf(t *testing.T, sides []Side, inBase ...string) Names {
	t.Helper()
	var texts []string
	for _, s := range sides {
		texts = append(texts, s.Title, s.Body)
	}
	suspects, err := Suspects(sides, texts...)
	if err != nil {
		t.Fatal(err)
	}
	held := make([]map[string]bool, len(sides))
	for i := range held {
		held[i] = map[string]bool{}
		for _, name := range inBase {
			held[i][name] = true
		}
	}
	names, err := Introduced(sides, suspects, held)
	if err != nil {
		t.Fatal(err)
	}
	return names
}
