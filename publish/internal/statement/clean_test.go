package statement

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClean(t *testing.T) {
	tests := []struct {
		name, body string
		want       []string
	}{
		{"nothing", "", nil},
		{"sentences", "The client hangs. It should stop! Why does it not?", []string{"The client hangs.", "It should stop!", "Why does it not?"}},
		{"not parted at an abbreviation", "Some servers, e.g. Apache, close early.", []string{"Some servers, e.g. Apache, close early."}},
		{"wrapped lines are one", "The client\nhangs for ever.", []string{"The client hangs for ever."}},
		{"bullets", "- the first thing works\n* the second thing works", []string{"The first thing works", "The second thing works"}},
		{"trailers", "It hangs for ever.\n\nSigned-off-by: A <a@b.cd>\nCo-authored-by: x\nChange-Id: I1\nDepends-On: a/b#1\nCloses: #2\n(cherry picked from commit 0123abc)", []string{"It hangs for ever."}},
		{"closing words", "Fixes #12\n\nCloses https://github.com/a/b/issues/3.\n\nPart of a/b#4", nil},
		{"references inside", "It hangs (see #12 and ann/lib#7) since then, GH-4.", []string{"It hangs since then."}},
		{"links keep their text", "Read [the guide](https://x.example/a) first or https://x.example/b now.", []string{"Read the guide first or now."}},
		{"commit ids", "Broken since 0123abcdef0 in the parser.", []string{"Broken in the parser."}},
		{"numbers and words stay", "The port 1234567 and the word defaced are fine.", []string{"The port 1234567 and the word defaced are fine."}},
		{"people", "Thanks @ann and mail ann@example.com about it.", []string{"Thanks and mail about it."}},
		{"a decorator stays in code", "```\n@app.route\n```", []string{"@app.route"}},
		{"templates", "<!-- say what -->\n- [ ] I have read it all\n- [x] I have tests for it\n---\nIt works again now.", []string{"It works again now."}},
		{"a comment without end", "It works again now.\n<!-- never closed", []string{"It works again now."}},
		{"bots", "Bumps [x](y) from 1 to 2.\n\nRelease notes are long.", nil},
		{"details", "It works again now.\n<details>\nlong log here\n</details>", []string{"It works again now."}},
		{"this change does", "This PR adds a limit.", []string{"Adds a limit."}},
		{"tables", "| a | b |\n|---|---|\n| 1 | 2 |", nil},
		{"an open fence", "```go\nx := 1", []string{"x := 1"}},
		{"CRLF", "The first one.\r\n\r\nThe second one.", []string{"The first one.", "The second one."}},
		{"too short", "Done.\n\nOK then", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, p := range clean(tt.body) {
				got = append(got, p.text)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

func TestTitle(t *testing.T) {
	for in, want := range map[string]string{
		"feat(ice)!: add a limit (#12)":        "Add a limit",
		"[lib] fix: the hang":                  "The hang",
		"Fix hang in bob/app#3":                "Fix hang",
		"Add iceTransport option":              "Add iceTransport option",
		"iceTransport: stop twice":             "iceTransport: stop twice",
		"  ":                                   "",
		"Update to abc1234 of the other thing": "Update of the other thing",
	} {
		if got := title(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestShaped(t *testing.T) {
	for word, want := range map[string]bool{
		"limit": false, "Limit": false, "LIMIT": false, "WithLimit": true, "withLimit": true, "with_limit": true, "_limit": false,
		"ICEAgent": true, "URLs": false, "base64x": true, "2026": false, "é": false, "": false,
	} {
		if got := shaped(word); got != want {
			t.Errorf("%q: got %v, want %v", word, got, want)
		}
	}
}

// FuzzDraft feeds hostile descriptions: the draft of any text passes the lint
// but for being thin, so nothing of the solution gets through.
func FuzzDraft(f *testing.F) {
	for _, s := range example() {
		f.Add(s.Title, s.Body)
	}
	f.Add("x", strings.Repeat("[", 2000))
	f.Add("requestGate", "`requestGate` limiter.go\n```\nlimiter.go\n``` ```")
	f.Add("See 0123456", "0123456789abcdef0123456789abcdef01234567\n#a1#2 GH-3 PR 4")
	f.Fuzz(func(t *testing.T, title, body string) {
		sides := example()
		sides[0].Title, sides[0].Body = title, body
		names := namesOf(t, sides)
		text := Draft(sides, names)
		for _, found := range Lint(sides, names, text, names.Needed) {
			if found.Rule != RuleThin {
				t.Errorf("%+v in\n%s", found, text)
			}
		}
	})
}
