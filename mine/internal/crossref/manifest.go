package crossref

import (
	"bytes"
	"strings"
)

// revisioned returns what a package manager's "owner/repo at revision" names:
// a commit, a module version, or a repository at some branch or tag. It is
// marked as a guess; callers that saw a full address take that back.
func (s *scanner) revisioned(name slug, rev string) Reference {
	ref := s.foreign(KindRepo, name)
	ref.LowConfidence = true
	dash := strings.LastIndexByte(rev, '-')
	stamp := dash - timestampDigits
	if stamp > 0 && len(rev)-dash-1 == shortSHADigits && allOf(rev[stamp:dash], clsDigit) &&
		allOf(rev[dash+1:], clsHex) && pseudoPrefix([]byte(rev[:stamp])) {
		ref.Kind, ref.SHA, ref.Timestamp = KindModuleVersion, strings.ToLower(rev[dash+1:]), rev[stamp:dash]
		ref.Module = s.host + "/" + name.owner + "/" + name.repo
		return ref
	}
	ref = setRevision(ref, rev)
	if ref.SHA != "" {
		ref.Kind = KindCommit
	}
	return ref
}

// npmRef handles the quoted "owner/repo#branch" of package.json, whose
// fragment starts at at. Only digits in it make it an issue.
func (s *scanner) npmRef(name slug, at int) (int, bool) {
	t := s.text
	if name.owner == "" || name.start == 0 {
		return 0, false
	}
	quote := t[name.start-1]
	if quote != '"' && quote != '\'' {
		return 0, false
	}
	size := bytes.IndexByte(t[at:min(len(t), at+maxShort)], quote)
	if size <= 0 || !allOf(t[at:at+size], clsURL) || allOf(t[at:at+size], clsDigit) {
		return 0, false
	}
	end := at + size
	return s.add(s.revisioned(name, string(t[at:end])), name.start, end), true
}

// cargoRevision adds the revision that Cargo writes behind a repository's
// address: git = "…", rev = "…". It returns the end of both.
func (s *scanner) cargoRevision(ref Reference, start, end int) (Reference, int) {
	t := s.text
	if start == 0 || t[start-1] != '"' || !bytes.HasPrefix(t[end:], []byte(`"`)) {
		return ref, end
	}
	before := bytes.TrimRight(t[max(0, start-10):start-1], " \t")
	before, isValue := bytes.CutSuffix(before, []byte("="))
	if !isValue || !bytes.HasSuffix(bytes.TrimRight(before, " \t"), []byte("git")) {
		return ref, end
	}
	rest := cargoTable(t[end+1 : min(len(t), end+1+maxShort)])
	for _, key := range []string{"rev", "tag", "branch"} {
		value, valueEnd, ok := tomlString(rest, key)
		if !ok {
			continue
		}
		ref = setRevision(ref, value)
		if ref.SHA != "" {
			ref.Kind = KindCommit
		}
		return ref, end + 1 + valueEnd
	}
	return ref, end
}

// cargoTable cuts t where the TOML table ends: at a brace, a header or a blank line.
func cargoTable(t []byte) []byte {
	for _, end := range []string{"}", "\n[", "\n\n", "git ="} {
		if i := bytes.Index(t, []byte(end)); i >= 0 {
			t = t[:i]
		}
	}
	return t
}

// tomlString finds key = "value" in t and returns the value and where it ends.
func tomlString(t []byte, key string) (value string, end int, ok bool) {
	i := bytes.Index(t, []byte(key))
	if i < 0 || i > 0 && is(t[i-1], clsName) {
		return "", 0, false
	}
	at := skipBlanks(t, i+len(key))
	if at == len(t) || t[at] != '=' {
		return "", 0, false
	}
	at = skipBlanks(t, at+1)
	if at == len(t) || t[at] != '"' {
		return "", 0, false
	}
	size := bytes.IndexByte(t[at+1:], '"')
	if size <= 0 || bytes.IndexByte(t[at+1:at+1+size], '\n') >= 0 {
		return "", 0, false
	}
	return string(t[at+1 : at+1+size]), at + 1 + size, true
}
