package crossref

import (
	"bytes"
	"strings"
)

// address is an URL on an accepted host, cut into its parts.
type address struct {
	host, path []byte // path is without its leading slash, with query and fragment
	start, end int
	scheme     bool // it began with a scheme, so it is a page and no import path
}

// addURL records what the address names, if anything, and passes over it.
func (s *scanner) addURL(a address) int {
	ref, ok := Reference{}, false
	if a.end-a.start <= maxURL {
		ref, ok = s.parseAddress(a)
	}
	if !ok {
		s.dropLabel(a.start, func(r Reference) bool { return r.Local && r.Kind != KindTicket })
		s.floor = a.end
		return s.skipAnchor(a.start, a.end)
	}
	s.dropLabel(a.start, func(r Reference) bool { return r.Kind != KindTicket })
	end := a.end
	if ref.Kind == KindRepo {
		ref, end = s.cargoRevision(ref, a.start, a.end)
	}
	// Dependabot's metadata are lines of this form.
	ref.BotNoise = ref.BotNoise || bytes.HasSuffix(s.text[:a.start], []byte("dependency-name: "))
	s.add(ref, a.start, end)
	return s.skipAnchor(a.start, end)
}

const maxLabel = 300

// labelStart returns where the label of the Markdown link begins whose URL
// stands at start, or start when it stands in none.
func labelStart(t []byte, start int) int {
	end := start
	if end > 0 && t[end-1] == '<' {
		end--
	}
	if end < 2 || t[end-1] != '(' || t[end-2] != ']' {
		return start
	}
	depth := 0
	for i := end - 2; i >= 0 && end-i < maxLabel && t[i] != '\n'; i-- {
		switch t[i] {
		case ']':
			depth++
		case '[':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return start
}

// dropLabel forgets references in the label of the link whose URL stands at
// start: "[#12](https://…)" goes where the URL goes.
func (s *scanner) dropLabel(start int, drop func(Reference) bool) {
	label := labelStart(s.text, start)
	kept := len(s.refs)
	for kept > 0 && s.refs[kept-1].Start >= label {
		kept--
	}
	tail := s.refs[kept:]
	s.refs = s.refs[:kept]
	for _, ref := range tail {
		if !drop(ref) {
			s.refs = append(s.refs, ref)
		}
	}
}

// skipAnchor passes over the label of an HTML link: "<a href=\"…\">#12</a>".
func (s *scanner) skipAnchor(start, end int) int {
	t := s.text
	if !bytes.HasSuffix(t[:start], []byte(`href="`)) || !bytes.HasPrefix(t[end:], []byte(`"`)) {
		return end
	}
	window := t[end:min(len(t), end+maxLabel)]
	if at := bytes.Index(window, []byte("</a>")); at >= 0 {
		end += at
		s.floor = end
	}
	return end
}

// parseAddress reads the path by the host's grammar.
func (s *scanner) parseAddress(a address) (Reference, bool) {
	canonical, bot, _ := s.acceptedHost(a.host)
	path, fragment, _ := strings.Cut(unescape(a.path), "#")
	path, _, _ = strings.Cut(path, "?")
	segments := hostPath(strings.ToLower(string(a.host)), strings.Split(strings.Trim(path, "/"), "/"))
	if len(segments) < 2 {
		return Reference{}, false
	}
	name, revision, git := splitRepo(segments)
	if !validOwner(name.owner) || !validRepo(name.repo) {
		return Reference{}, false
	}
	ref, ok := s.read(a, name, segments[2:], revision)
	if !ok {
		return Reference{}, false
	}
	if git && revision == "" && fragment != "" && !strings.Contains(fragment, "=") {
		ref, fragment = s.dependency(name, "", fragment), ""
	}
	ref.Host, ref.BotNoise = canonical, bot
	return withFragment(ref, fragment), true
}

// read chooses between a dependency's address, an import path and a page.
func (s *scanner) read(a address, name slug, rest []string, revision string) (Reference, bool) {
	if revision != "" {
		return s.dependency(name, "", revision), true
	}
	if ref, ok := page(name, rest); ok || a.scheme || len(rest) == 0 || otherPages[rest[0]] {
		return ref, ok
	}
	dir, version, _ := strings.Cut(strings.Join(rest, "/"), "@")
	return s.dependency(name, dir, version), true
}

// dependency returns what a full address with a directory and a revision names.
func (s *scanner) dependency(name slug, dir, revision string) Reference {
	ref := s.revisioned(name, revision)
	ref.LowConfidence = false
	if ref.Kind == KindModuleVersion && dir != "" {
		ref.Module += "/" + dir
	}
	ref.Path = withoutMajor(dir)
	return ref
}

// otherPages are parts of a repository's site that name no change and that
// are not taken for a directory of a Go module.
var otherPages = wordSet("wiki issues issue pull pulls discussions actions projects settings releases tags branches graphs " +
	"network security pulse labels milestones milestone stargazers watchers contributors packages deployments " +
	"commit commits compare blob tree raw blame edit archive activity forks community runs suites")

// splitRepo takes ".git" off the repository, and the revision that pip puts
// behind it: "core.git@v1.2".
func splitRepo(segments []string) (name slug, revision string, git bool) {
	repo, revision, found := strings.Cut(segments[1], "@")
	if found && len(segments) > 2 {
		revision += "/" + strings.Join(segments[2:], "/")
	}
	short := strings.TrimSuffix(repo, ".git")
	return slug{owner: segments[0], repo: short}, revision, short != repo
}

// hostPath brings the paths of GitHub's other hosts into the form of its site.
func hostPath(host string, segments []string) []string {
	if len(segments) > 2 && segments[0] == "api" && segments[1] == "v3" {
		host, segments = "api.github.com", segments[2:]
	}
	switch {
	case host == "api.github.com":
		if segments[0] != "repos" {
			return nil
		}
		return segments[1:]
	case len(segments) < 3:
		return segments
	case host == "raw.githubusercontent.com":
		return insert(segments, "raw")
	case host == "codeload.github.com" && len(segments) > 3:
		return append(insert(segments[:2], "archive"), segments[3:]...)
	case host == "patch-diff.githubusercontent.com" && segments[0] == "raw":
		return segments[1:]
	}
	return segments
}

func insert(segments []string, page string) []string {
	out := append([]string{}, segments[:2]...)
	return append(append(out, page), segments[2:]...)
}

// unescape drops the backslashes of Markdown, shells and LaTeX.
func unescape(path []byte) string {
	if bytes.IndexByte(path, '\\') < 0 {
		return string(path)
	}
	return strings.ReplaceAll(string(path), `\`, "")
}

func withFragment(ref Reference, fragment string) Reference {
	switch {
	case fragment == "":
	case ref.Kind == KindFile && isLines(fragment):
		ref.Lines = fragment
	case ref.Kind == KindRepo && ref.Ref == "" && ref.Path == "":
		n, end, ok := numberAt([]byte(fragment), 0)
		if ok && end == len(fragment) {
			ref.Kind, ref.Number = KindIssueOrPull, n
			break
		}
		ref.Anchor = fragment
	default:
		ref.Anchor = fragment
	}
	return ref
}

// isLines reports whether a fragment is a range of lines: "L10", "L10-L20", "L10C3-L12C8".
func isLines(fragment string) bool {
	if len(fragment) < 2 || fragment[0] != 'L' || !is(fragment[1], clsDigit) {
		return false
	}
	return strings.Trim(fragment, "LC-0123456789") == ""
}
