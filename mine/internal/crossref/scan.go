package crossref

import (
	"slices"
	"strings"

	"crossswe/schemas"
)

// scanner walks over a text once. It stops at the few bytes that every
// reference has one of, and looks around them within fixed bounds: that keeps
// it linear, and free of allocations while nothing is found.
type scanner struct {
	text  []byte
	opt   Options
	host  string // of the context repository
	refs  []Reference
	floor int // end of the last reference or foreign URL: nothing before it is looked at again
}

func newScanner(text []byte, opt Options) scanner {
	s := scanner{text: text, opt: opt, host: githubHost}
	if host, rest, _ := strings.Cut(string(opt.Context), "/"); strings.Contains(rest, "/") {
		s.host = strings.ToLower(host)
	}
	return s
}

// maxReferences bounds what one text can yield, and with it the memory that a
// hostile one takes. The longest changelog seen in a pull request has hundreds.
const maxReferences = 10000

func (s *scanner) run() {
	for i := 0; i < len(s.text) && len(s.refs) < maxReferences; {
		if !is(s.text[i], clsTrigger) {
			i++
			continue
		}
		i = max(i+1, s.at(i))
	}
}

// at handles the trigger at i and returns where to go on.
func (s *scanner) at(i int) int {
	switch s.text[i] {
	case '#':
		return s.atHash(i)
	case '@':
		return s.atSign(i)
	case ':':
		return s.atColon(i)
	case '/':
		return s.atSlash(i)
	default:
		return s.atDigit(i)
	}
}

// add records ref as standing in [start, end) and returns end.
func (s *scanner) add(ref Reference, start, end int) int {
	ref.Start, ref.End, ref.Text = start, end, string(s.text[start:end])
	s.refs = append(s.refs, ref)
	s.floor = end
	return end
}

// local returns a reference to the context repository.
func (s *scanner) local(kind Kind) Reference {
	return Reference{Kind: kind, Host: s.host, Owner: s.opt.Context.Owner(), Repo: s.opt.Context.Name(), Local: true}
}

// foreign returns a reference to the repository of a slug, on the context's host.
func (s *scanner) foreign(kind Kind, name slug) Reference {
	if name.owner == "" {
		return Reference{Kind: kind, Host: s.host, RepoNameOnly: name.repo, LowConfidence: true}
	}
	return Reference{Kind: kind, Host: s.host, Owner: name.owner, Repo: name.repo}
}

// markLocal sets Local where a reference names the context repository,
// whether by its present name or by an older one.
func (s *scanner) markLocal() {
	for i, ref := range s.refs {
		if name, ok := ref.RepoName(); ok {
			s.refs[i].Local = s.opt.Renames.Name(name).Same(s.opt.Renames.Name(s.opt.Context))
		}
	}
}

// knownName reports whether word is the name of another repository than the
// context: one that the caller named, or the one that an owner is often called
// after ("pylint" for pylint-dev).
func (s *scanner) knownName(word string) bool {
	if word == "" || strings.EqualFold(word, s.opt.Context.Name()) {
		return false
	}
	owner := strings.ToLower(s.opt.Context.Owner())
	lower := strings.ToLower(word)
	return owner == lower || strings.HasPrefix(owner, lower+"-") ||
		slices.ContainsFunc(s.opt.Names, func(n string) bool { return strings.EqualFold(n, word) })
}

// acceptedHost returns the canonical host for the host of a URL, and whether
// it is one that update bots write.
func (s *scanner) acceptedHost(host []byte) (canonical string, bot, ok bool) {
	for _, h := range []string{githubHost, "www.github.com", "api.github.com", "raw.githubusercontent.com",
		"codeload.github.com", "patch-diff.githubusercontent.com"} {
		if equalFold(host, h) {
			return githubHost, false, true
		}
	}
	for _, h := range []string{"redirect.github.com", "togithub.com", "www.togithub.com"} {
		if equalFold(host, h) {
			return githubHost, true, true
		}
	}
	if s.host != githubHost && equalFold(host, s.host) {
		return s.host, false, true
	}
	for _, h := range s.opt.Hosts {
		if equalFold(host, strings.ToLower(h)) {
			return strings.ToLower(h), false, true
		}
	}
	return "", false, false
}

// sameOwner reports whether a slug stands under the owner of the context.
func sameOwner(name slug, context schemas.RepoName) bool {
	return strings.EqualFold(name.owner, context.Owner())
}
