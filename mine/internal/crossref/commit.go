package crossref

import (
	"bytes"
	"strings"
)

// atSign handles "owner/repo@sha" and "repo@sha".
func (s *scanner) atSign(i int) int {
	t := s.text
	end := runEnd(t[:min(len(t), i+66)], i+1, clsWord)
	sha := t[i+1 : end]
	if !isSHA(sha) || end+1 < len(t) && t[end] == '.' && is(t[end+1], clsWord) {
		return i + 1
	}
	nameEnd := skipZeroWidthBack(t, i, s.floor)
	name, ok := s.slugBefore(nameEnd)
	if !ok || name.owner == "" && !bytes.ContainsAny(sha, "0123456789") {
		return i + 1
	}
	ref := s.foreign(KindCommit, name)
	ref.SHA = string(bytes.ToLower(sha))
	return s.add(ref, name.start, end)
}

// bareSHA handles a commit id without a repository: all 40 digits, or fewer
// after a word that announces one. It is the context repository's, unless it
// is the value of a variable or a submodule's pointer: then only somebody who
// knows more repositories can tell.
func (s *scanner) bareSHA(start, end int) bool {
	t := s.text
	if !isSHA(t[start:end]) || !wordEndsAt(t, end) || !s.freeBefore(start) {
		return false
	}
	full := end-start == 40
	before := bytes.TrimRight(t[max(s.floor, start-24):start], " \t\"'`")
	ref := s.local(KindCommit)
	switch {
	case bytes.HasSuffix(before, []byte("=")), bytes.HasSuffix(before, []byte("Subproject commit")),
		bytes.HasSuffix(before, []byte("RevId:")):
		ref = Reference{Kind: KindCommit, LowConfidence: true}
	case isChecksum(before):
		return false
	case !full && !announcesCommit(before):
		return false
	case !full:
		ref.LowConfidence = true
	}
	if !full && ref.Owner == "" && s.opt.Context != "" {
		return false
	}
	ref.SHA = string(bytes.ToLower(t[start:end]))
	s.add(ref, start, end)
	return true
}

// announcesCommit reports whether text ends in a word after which hex digits
// are an abbreviated commit id.
func announcesCommit(before []byte) bool {
	for _, word := range []string{"commit", "commits", "fixes:", "reverts"} {
		at := len(before) - len(word)
		if at >= 0 && equalFold(before[at:], word) && (at == 0 || !is(before[at-1], clsName)) {
			return true
		}
	}
	return false
}

// isChecksum reports whether text ends in a word after which hex digits are
// the digest of a file.
func isChecksum(before []byte) bool {
	before = bytes.ToLower(bytes.TrimRight(before, ":-"))
	return bytes.HasSuffix(before, []byte("sha1")) || bytes.HasSuffix(before, []byte("sum"))
}

const (
	timestampDigits = 14
	shortSHADigits  = 12
)

// moduleVersion handles a Go pseudo-version whose timestamp starts at i:
// "v0.58.1-0.20260103101554-29b1a154ebc8".
// See https://go.dev/ref/mod#pseudo-versions.
func (s *scanner) moduleVersion(i int) bool {
	t := s.text
	dash := i + timestampDigits
	end := dash + 1 + shortSHADigits
	if end > len(t) || t[dash] != '-' || !allOf(t[i:dash], clsDigit) || !allOf(t[dash+1:end], clsHex) || !wordEndsAt(t, end) {
		return false
	}
	start := runStart(t, i, max(s.floor, i-64), clsName)
	if !pseudoPrefix(t[start:i]) {
		return false
	}
	ref := Reference{Kind: KindModuleVersion, SHA: string(bytes.ToLower(t[dash+1 : end])), Timestamp: string(t[i:dash])}
	ref, start = s.withModule(ref, start)
	s.add(ref, start, end)
	return true
}

// pseudoPrefix reports whether b is what stands before a timestamp: "v1.2.3-0." or "v0.0.0-".
func pseudoPrefix(b []byte) bool {
	return len(b) >= len("v0.0.0-") && b[0] == 'v' && is(b[1], clsDigit) && bytes.Count(b, []byte(".")) >= 2 &&
		(b[len(b)-1] == '-' || b[len(b)-1] == '.')
}

// withModule adds the module path that the line names before the version at
// start. A repository found there becomes part of this reference.
func (s *scanner) withModule(ref Reference, start int) (Reference, int) {
	if len(s.refs) == 0 || !betweenModuleAndVersion(s.text, s.refs[len(s.refs)-1].End, start) {
		ref.Module = s.modulePathBefore(start)
		return ref, start
	}
	last := s.refs[len(s.refs)-1]
	switch last.Kind {
	case KindModuleVersion:
		ref.Host, ref.Owner, ref.Repo, ref.Path, ref.Module = last.Host, last.Owner, last.Repo, last.Path, last.Module
	case KindRepo:
		s.refs = s.refs[:len(s.refs)-1]
		ref.Host, ref.Owner, ref.Repo, ref.Path = last.Host, last.Owner, last.Repo, withoutMajor(last.Path)
		ref.BotNoise = last.BotNoise
		_, module, found := strings.Cut(last.Text, "://")
		if !found {
			module = last.Text
		}
		ref.Module = strings.TrimSuffix(module, "@")
		return ref, last.Start
	}
	return ref, start
}

// betweenModuleAndVersion reports whether the text from a to b only leads
// from a module path to its version: "to", "=>", "from v1.2.3 to".
func betweenModuleAndVersion(t []byte, a, b int) bool {
	if b-a > 60 || b < a {
		return false
	}
	gap := t[a:b]
	if bytes.IndexByte(gap, '\n') >= 0 {
		return false
	}
	for word := range bytes.FieldsSeq(gap) {
		version := len(word) > 1 && word[0] == 'v' && is(word[1], clsDigit)
		switch w := string(bytes.ToLower(bytes.Trim(word, "`'\",:()*"))); w {
		case "", "to", "from", "at", "version", "=>", "->", "=", "@":
		default:
			if !version {
				return false
			}
		}
	}
	return true
}

// modulePathBefore returns the module path of another host that stands right
// before start.
func (s *scanner) modulePathBefore(start int) string {
	end := start
	for end > s.floor && bytes.IndexByte([]byte(" \t@\"'`"), s.text[end-1]) >= 0 {
		end--
	}
	from := end
	for from > s.floor && end-from < 200 && (is(s.text[from-1], clsName) || s.text[from-1] == '/') {
		from--
	}
	host, rest, _ := strings.Cut(string(s.text[from:end]), "/")
	if rest == "" || !strings.Contains(host, ".") {
		return ""
	}
	return host + "/" + rest
}

// withoutMajor drops the major version from a module's directory: "sub/v2" is
// "sub", and "v2/sub" too, as most modules have no directory of that name.
func withoutMajor(dir string) string {
	first, rest, _ := strings.Cut(dir, "/")
	if isMajor(first) {
		dir = rest
	}
	at := strings.LastIndexByte(dir, '/')
	if isMajor(dir[at+1:]) {
		return dir[:max(at, 0)]
	}
	return dir
}

func isMajor(segment string) bool {
	return len(segment) > 1 && segment[0] == 'v' && allOf(segment[1:], clsDigit)
}
