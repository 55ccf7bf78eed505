package crossref

import (
	"bytes"
	"strings"
)

// atHash handles "owner/repo#12", "repo#12", "#12", "GH#12" and the
// "owner/repo#branch" of npm.
func (s *scanner) atHash(i int) int {
	t := s.text
	nameEnd := i
	if nameEnd > s.floor && t[nameEnd-1] == '\\' {
		nameEnd--
	}
	mark := nameEnd
	nameEnd = skipZeroWidthBack(t, nameEnd, s.floor)
	at := skipZeroWidth(t, i+1)
	bot := nameEnd != mark || at != i+1
	if nameEnd == s.floor || !is(t[nameEnd-1], clsName) {
		return s.bareNumber(mark, at, at != i+1)
	}
	if end, ok := s.cherryPick(mark, at); ok {
		return end
	}
	name, ok := s.slugBefore(nameEnd)
	if !ok {
		return i + 1
	}
	if end, isDependency := s.npmRef(name, at); isDependency {
		return end
	}
	n, end, isNumber := numberAt(t, at)
	ref, isRepo := s.named(name)
	if !isNumber || !isRepo {
		return i + 1
	}
	ref.Number, ref.BotNoise = n, bot
	return s.add(ref, name.start, end)
}

// named returns a reference for the name before a "#".
func (s *scanner) named(name slug) (Reference, bool) {
	if name.owner != "" {
		return s.foreign(KindIssueOrPull, name), !strings.HasSuffix(name.repo, "-")
	}
	word := strings.ToLower(name.repo)
	if kind, ok := kindWords[word]; ok {
		ref := s.local(kind)
		ref.LowConfidence = true
		if closingWords[word] {
			ref.Rel = RelCloses
		}
		return ref, true
	}
	letter := is(word[0], clsWord) && !is(word[0], clsDigit)
	return s.foreign(KindIssueOrPull, name),
		letter && len(word) > 1 && !anchoredFile(word) && !strings.HasSuffix(word, "-")
}

var closingWords = wordSet("fix fixes fixed close closes closed resolve resolves resolved")

// kindWords are the words that people write before a number, with what they say.
var kindWords = map[string]Kind{
	"issue": KindIssueOrPull, "issues": KindIssueOrPull, "bug": KindIssueOrPull, "ticket": KindIssueOrPull,
	"gh": KindIssueOrPull, "fix": KindIssueOrPull, "fixes": KindIssueOrPull, "fixed": KindIssueOrPull,
	"close": KindIssueOrPull, "closes": KindIssueOrPull, "closed": KindIssueOrPull, "resolve": KindIssueOrPull,
	"resolves": KindIssueOrPull, "resolved": KindIssueOrPull, "see": KindIssueOrPull, "ref": KindIssueOrPull,
	"refs": KindIssueOrPull,
	"pr":   KindPull, "prs": KindPull, "pull": KindPull,
}

// anchoredFile reports whether name is a document's, whose "#1" is a place in it.
func anchoredFile(name string) bool {
	_, ext, _ := strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ".")
	return documentExt[strings.ToLower(ext[strings.LastIndexByte(ext, '.')+1:])]
}

var documentExt = wordSet("html htm php md mdx rst txt xml json yml yaml svg css adoc ipynb pdf")

// bareNumber handles a "#12" with no name glued to it; start is where its mark begins.
func (s *scanner) bareNumber(start, at int, bot bool) int {
	n, end, ok := numberAt(s.text, at)
	if !ok || !s.freeBefore(start) {
		return at
	}
	ref, from := s.attributed(start, KindIssueOrPull)
	ref.Number, ref.BotNoise = n, bot
	return s.add(ref, from, end)
}

// attributed reads the words before a bare number at start: "PR #12" names a
// pull request, "owner/repo #12" and "pylint issue #12" another repository,
// which GitHub does not see.
func (s *scanner) attributed(start int, kind Kind) (Reference, int) {
	at := start
	if k, wordStart, ok := s.kindWordBefore(start); ok {
		kind, at = k, wordStart
	}
	if name, ok := s.nameBefore(at); ok {
		ref := s.foreign(kind, name)
		ref.LowConfidence = true
		return ref, name.start
	}
	return s.local(kind), start
}

// kindWordBefore reads "issue", "PR" or "pull request" before the number at start.
func (s *scanner) kindWordBefore(start int) (Kind, int, bool) {
	word, from := s.wordBefore(start)
	for _, plain := range []string{"issue", "issues", "bug", "ticket"} {
		if equalFold(word, plain) {
			return KindIssueOrPull, from, true
		}
	}
	for _, pull := range []string{"pr", "prs", "pull"} {
		if equalFold(word, pull) {
			return KindPull, from, true
		}
	}
	if equalFold(word, "request") || equalFold(word, "requests") {
		if pull, at := s.wordBefore(from); equalFold(pull, "pull") {
			return KindPull, at, true
		}
	}
	return "", start, false
}

// wordBefore returns the word that one blank separates from start.
func (s *scanner) wordBefore(start int) ([]byte, int) {
	end := start - 1
	if end <= s.floor || s.text[end] != ' ' || !is(s.text[end-1], clsWord) {
		return nil, start
	}
	from := runStart(s.text, end, max(s.floor, end-maxRepo), clsWord)
	return s.text[from:end], from
}

// nameBefore reads a repository's name that one blank separates from start.
// Two words with a slash between them are a name only if something says so:
// "and/or #12" is a local number.
func (s *scanner) nameBefore(start int) (slug, bool) {
	end := start - 1
	if end <= s.floor || s.text[end] != ' ' || !is(s.text[end-1], clsWord) {
		return slug{}, false
	}
	name, ok := s.slugBefore(end)
	switch {
	case !ok:
		return slug{}, false
	case name.owner == "":
		return name, s.knownName(name.repo)
	}
	return name, sameOwner(name, s.opt.Context) || strings.EqualFold(name.owner, name.repo) ||
		s.knownName(name.repo) || adjacentRel(s.text[max(s.floor, name.start-leadWindow):name.start]) != ""
}

// cherryPick handles the branch names of automated cherry picks, which list
// the pull requests they copy: "automated-cherry-pick-of-#12-#13-release-1".
func (s *scanner) cherryPick(start, at int) (int, bool) {
	listed := len(s.refs) > 0 && s.floor == start-1 && s.text[s.floor] == '-' &&
		s.refs[len(s.refs)-1].End == s.floor && s.refs[len(s.refs)-1].Rel == RelBackportOf
	before := bytes.ToLower(s.text[max(s.floor, start-len("cherry-pick-of-")):start])
	if !listed && string(before) != "cherry-pick-of-" {
		return 0, false
	}
	n, end, ok := numberAt(s.text, at)
	if !ok {
		return 0, false
	}
	ref := s.local(KindPull)
	ref.Number, ref.Rel = n, RelBackportOf
	return s.add(ref, start, end), true
}

// atDigit handles what has no mark of its own: commit ids, module versions,
// ticket keys, "GH-12", "PR 12" and "companion for repo/12".
func (s *scanner) atDigit(i int) int {
	t := s.text
	end := runEnd(t, i, clsWord)
	start := runStart(t, i, max(s.floor, i-40), clsWord)
	switch {
	case end-start >= 7 && end-start <= 40 && s.bareSHA(start, end):
	case end-i == 14 && s.moduleVersion(i):
	case start < i:
		s.gluedGH(start, i)
	case start > s.floor && t[start-1] == '-':
		s.dashed(start)
	case start > s.floor && t[start-1] == ' ':
		s.spaced(start)
	case start > s.floor && t[start-1] == '/':
		s.slashed(start)
	}
	return max(end, s.floor)
}

// gluedGH handles "GH601", which only capitals tell from an identifier.
func (s *scanner) gluedGH(start, i int) {
	if i-start != 2 || string(s.text[start:i]) != "GH" || !s.freeBefore(start) {
		return
	}
	s.addLocal(KindIssueOrPull, start, i, true)
}

func (s *scanner) addLocal(kind Kind, start, at int, low bool) {
	if n, end, ok := numberAt(s.text, at); ok {
		ref := s.local(kind)
		ref.Number, ref.LowConfidence = n, low
		s.add(ref, start, end)
	}
}

// dashed handles "GH-12", "PR-12" and ticket keys.
func (s *scanner) dashed(at int) {
	dash := at - 1
	start := runStart(s.text, dash, max(s.floor, dash-16), clsWord)
	if start == dash || start > 0 && (is(s.text[start-1], clsName) || foreignLetterBefore(s.text, start)) {
		return
	}
	switch key := s.text[start:dash]; {
	case equalFold(key, "gh"):
		s.addLocal(KindIssueOrPull, start, at, false)
	case string(key) == "PR":
		s.addLocal(KindPull, start, at, true)
	case ticketKey(key):
		s.addTicket(start, at)
	}
}

func (s *scanner) addTicket(start, at int) {
	_, end, ok := numberAt(s.text, at)
	if !ok || end+1 < len(s.text) && s.text[end] == '-' && is(s.text[end+1], clsDigit) {
		return
	}
	s.add(Reference{Kind: KindTicket, Key: string(s.text[start:end])}, start, end)
}

// notTickets are names of standards and the like that are written as keys are.
var notTickets = wordSet("AES AMD APPNOTE ARM ARMV ASCII BLAKE BLAKE2 BLAKE3 CBC CIS COVID CP CPU CRC CTR CVE CWE DES DSA " +
	"EC ECDSA ECMA ED ENV ES FIPS FP GB GCM GHSA GPL GPT GPU HDR HEAD HMAC HTTP HTTPS IBM IEC IEEE INT IP IPV ISO JDK JEP JIS " +
	"JSR KOI KOI8 LC LGPL LP LTS MD MIT MPL NIST NTFS OSX PCI PEP PKCS POSIX RC RFC RHEL RIPEMD RSA SHA SHA3 SM SSE SSL " +
	"TCP TLS TODO TS TTL UCS UDP UINT UTC UTF UTS UUID WCAG WIN XEP YAML ZIP")

func ticketKey(key []byte) bool {
	if len(key) < 2 || len(key) > 10 || is(key[0], clsDigit) {
		return false
	}
	for _, c := range key {
		if (c < 'A' || c > 'Z') && !is(c, clsDigit) {
			return false
		}
	}
	return !notTickets[string(key)]
}

// spaced handles "PR 12", "pull request 12" and "GH 12", with a repository's
// name before them or without.
func (s *scanner) spaced(at int) {
	n, end, ok := numberAt(s.text, at)
	if !ok || bytes.HasPrefix(s.text[end:], []byte(" of ")) || bytes.HasPrefix(s.text[end:], []byte("/")) {
		return
	}
	kind, start, ok := s.kindWordBefore(at)
	if word, from := s.wordBefore(at); string(word) == "GH" {
		kind, start, ok = KindIssueOrPull, from, true
	} else if kind != KindPull || equalFold(word, "pull") || equalFold(word, "prs") {
		return
	}
	if !ok || !s.freeBefore(start) {
		return
	}
	ref, from := s.attributed(at, kind)
	ref.Number, ref.LowConfidence = n, true
	s.add(ref, min(start, from), end)
}

// slashed handles "companion for repo/12": without such words it is a path.
func (s *scanner) slashed(at int) {
	n, end, ok := numberAt(s.text, at)
	if !ok || end-at < 2 || end < len(s.text) && s.text[end] == '/' {
		return
	}
	name, ok := s.slugBefore(at - 1)
	if !ok || name.owner != "" || is(name.repo[0], clsDigit) {
		return
	}
	switch adjacentRel(s.text[max(s.floor, name.start-leadWindow):name.start]) {
	case "", RelRefs:
		return
	}
	ref := s.foreign(KindIssueOrPull, name)
	ref.Number = n
	s.add(ref, name.start, end)
}
