package crossref

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func FuzzFind(f *testing.F) {
	for _, v := range readSeeds(f) {
		f.Add(v, byte(7))
	}
	f.Add("> ```\n> acme/core#1\n```\nacme/core#2 `acme/core#3` <!-- #4 -->", byte(1))
	f.Add("    #1\n\n\t#2\n* #3\n\xff\xfe#4\u200b#5 acme/core\\#6", byte(0))
	f.Add("Merge pull request #1 from a/b#2\n\n[#3](https://github.com/a/b/pull/3) <a href=\"https://github.com/a/b\">#4</a>", byte(4))
	f.Fuzz(func(t *testing.T, text string, flags byte) {
		opt := Options{Context: "acme/app", Hosts: []string{enterpriseHost}, Names: []string{"core"},
			Code: flags&1 != 0, Comments: flags&2 != 0, Subject: flags&4 != 0}
		refs := Find([]byte(text), opt)
		checkSpans(t, text, refs)
		if diff := cmp.Diff(refs, Find([]byte(text), opt)); diff != "" {
			t.Errorf("a second Find differs:\n%s", diff)
		}
		opt.Code, opt.Subject = false, false
		if got := Find([]byte(fencedText(text)), opt); got != nil {
			t.Errorf("found %v in a fence", got)
		}
	})
}

// checkSpans checks what holds of every result.
func checkSpans(t *testing.T, text string, refs []Reference) {
	t.Helper()
	end := 0
	for _, ref := range refs {
		if ref.Start < end || ref.End <= ref.Start || ref.End > len(text) {
			t.Fatalf("span [%d,%d) overlaps the one before, is empty or leaves the text of %d bytes", ref.Start, ref.End, len(text))
		}
		if ref.Text != text[ref.Start:ref.End] {
			t.Errorf("Text %q, its span holds %q", ref.Text, text[ref.Start:ref.End])
		}
		if ref.Kind == "" || ref.Number < 0 || ref.Number > 999999999 || ref.Run < 0 {
			t.Errorf("reference %+v has no kind or an impossible number", ref)
		}
		if (ref.Owner == "") != (ref.Repo == "") || ref.Owner != "" && ref.RepoNameOnly != "" {
			t.Errorf("reference %+v: want owner and repository, or a name alone", ref)
		}
		end = ref.End
	}
}

// fencedText puts a fence around text that nothing in it can close.
func fencedText(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + text + "\n" + fence
}

func readSeeds(f *testing.F) (texts []string) {
	for _, v := range readVectors(f) {
		texts = append(texts, v.Text)
	}
	return texts
}
