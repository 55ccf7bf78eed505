package crossref

import (
	"bytes"
	"strings"
)

// mergeWords stand before a merge commit's own pull request in its subject:
// GitHub's own, and those of common merge bots.
var mergeWords = []string{"merge pull request ", "merge pr ", "merge ", "auto merge of ", "rollup merge of "}

// readSubject finds the commit's own pull request in the first line of text.
// A merged branch's name is no reference, whatever it looks like.
func readSubject(text []byte, refs []Reference) []Reference {
	end := lineEnd(text, 0)
	n := 0
	for n < len(refs) && refs[n].Start < end {
		n++
	}
	if n == 0 {
		return refs
	}
	if first := &refs[0]; bareLocal(*first) && isMerge(text[:first.Start]) {
		first.Kind, first.Rel = KindPull, RelOwnPR
		return dropBranch(text[:end], refs)
	}
	if last := &refs[n-1]; bareLocal(*last) && endsSubject(text[:end], *last) {
		last.Kind, last.Rel = KindPull, RelOwnPR
		if n > 1 {
			markCopied(text, &refs[n-2], *last)
		}
	}
	return refs
}

func bareLocal(ref Reference) bool {
	return ref.Local && (ref.Text[0] == '#' || len(ref.Text) > 3 && strings.EqualFold(ref.Text[:3], "GH-"))
}

func isMerge(before []byte) bool {
	for _, words := range mergeWords {
		if equalFold(before, words) {
			return true
		}
	}
	return false
}

// dropBranch drops what was read in the branch behind "from" in a merge
// commit's subject, save the originals that a cherry pick's branch lists.
func dropBranch(subject []byte, refs []Reference) []Reference {
	rest := subject[refs[0].End:]
	if !bytes.HasPrefix(rest, []byte(" from ")) {
		return refs
	}
	start := refs[0].End + len(" from ")
	end := start
	for end < len(subject) && subject[end] > ' ' {
		end++
	}
	kept := refs[:1]
	for _, ref := range refs[1:] {
		if ref.Start < start || ref.Start >= end || ref.Rel == RelBackportOf {
			kept = append(kept, ref)
		}
	}
	return kept
}

// endsSubject reports whether ref stands in parentheses at the end of the
// subject. Three bytes more are somebody's slip; a quote mark belongs to the
// title of a reverted change.
func endsSubject(subject []byte, ref Reference) bool {
	tail := subject[ref.End:]
	if ref.Start == 0 || subject[ref.Start-1] != '(' || len(tail) == 0 || tail[0] != ')' {
		return false
	}
	tail = bytes.TrimSpace(tail[1:])
	return len(tail) <= 3 && (len(tail) == 0 || tail[0] != '"' && tail[0] != '\'')
}

// markCopied marks the number before a commit's own, "title (#12) (#34)", as
// the original if the text says that it is a copy. Otherwise it may be an issue.
func markCopied(text []byte, ref *Reference, own Reference) {
	if !bareLocal(*ref) || string(text[ref.End:own.Start]) != ") (" {
		return
	}
	lower := bytes.ToLower(text)
	if bytes.Contains(lower, []byte("cherry picked from")) || bytes.Contains(lower, []byte("backport")) {
		ref.Kind, ref.Rel = KindPull, RelBackportOf
	}
}
