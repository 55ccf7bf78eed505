package crossref

import "strings"

const (
	maxOwner = 64 // GitHub allows 39, and managed users carry a suffix
	maxRepo  = 100
)

// reservedOwners are first path segments of github.com that are pages.
var reservedOwners = wordSet("about account advisories apps blog codespaces collections contact copilot customer-stories " +
	"dashboard enterprise events explore features gist github-copilot issues join login logout marketplace new " +
	"notifications organizations orgs pricing pull pulls repos search security sessions settings signup site sponsors " +
	"stars topics trending user-attachments users watching wiki")

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

func validOwner(s string) bool {
	return s != "" && len(s) <= maxOwner && allOf(s, clsOwner) && s[0] != '-' && s[0] != '_' &&
		!reservedOwners[strings.ToLower(s)]
}

func validRepo(s string) bool {
	return s != "" && len(s) <= maxRepo && allOf(s, clsName) && s != "." && s != ".." && s != ".git"
}

// slug is an "owner/repo", or a repository's name alone, that stands in the text.
type slug struct {
	owner, repo string
	start       int
}

// slugBefore reads the "owner/repo" or "repo" that ends at end. A longer path
// is neither.
func (s *scanner) slugBefore(end int) (slug, bool) {
	t := s.text
	start := runStart(t, end, max(s.floor, end-maxRepo), clsName)
	if start == s.floor || t[start-1] != '/' {
		start = trimMarks(t, start, end)
		if !s.freeBefore(start) {
			return slug{}, false
		}
		name := slug{repo: string(t[start:end]), start: start}
		return name, validRepo(name.repo)
	}
	repo, ownerEnd := t[start:end], start-1
	start = runStart(t, ownerEnd, max(s.floor, ownerEnd-maxOwner), clsOwner)
	start = trimMarks(t, start, ownerEnd)
	if !s.freeBefore(start) {
		return slug{}, false
	}
	name := slug{owner: string(t[start:ownerEnd]), repo: string(repo), start: start}
	return name, validOwner(name.owner) && validRepo(name.repo)
}

// trimMarks passes list bullets and emphasis glued to a name.
func trimMarks(t []byte, start, end int) int {
	for start < end && (t[start] == '-' || t[start] == '_') {
		start++
	}
	return start
}

// freeBefore reports whether a name can begin at i. One or two bullets or
// marks of emphasis may stand before it, if nothing is glued to them.
func (s *scanner) freeBefore(i int) bool {
	j := i
	for j > 0 && i-j < 2 && (s.text[j-1] == '-' || s.text[j-1] == '_') {
		j--
	}
	if j == 0 {
		return true
	}
	b := s.text[j-1]
	return !is(b, clsName) && !strings.ContainsRune("/@\\#%&$", rune(b)) && !foreignLetterBefore(s.text, j)
}
