package crossref

import (
	"bytes"
	"strings"
)

const (
	maxURL   = 4096 // longer ones are passed over unread
	maxShort = 300  // for forms that are read again when they turn out to be something else
)

// atColon handles URLs, "git@github.com:owner/repo" and "github:owner/repo".
func (s *scanner) atColon(i int) int {
	t := s.text
	if bytes.HasPrefix(t[i:], []byte("://")) {
		return s.url(i)
	}
	start := runStart(t, i, max(s.floor, i-100), clsName)
	if equalFold(t[start:i], "github") && s.freeBefore(start) {
		return s.shorthand(start, i+1)
	}
	if _, _, ok := s.acceptedHost(t[start:i]); !ok || start == 0 || i+1 == len(t) {
		return i + 1
	}
	if t[start-1] != '@' && !is(t[i+1], clsDigit) {
		return i + 1
	}
	from := start
	if t[start-1] == '@' && start-1 > s.floor {
		from = runStart(t, start-1, max(s.floor, start-20), clsName)
	}
	end := urlEnd(t, i+1)
	path := t[i+1 : end]
	if port := runEnd(path, 0, clsDigit); port > 0 && port < len(path) && path[port] == '/' {
		path = path[port+1:]
	}
	return s.addURL(address{host: t[start:i], path: path, start: from, end: end})
}

// shorthand handles "github:owner/repo" and "github:owner/repo#branch".
func (s *scanner) shorthand(start, at int) int {
	t := s.text
	end := urlEnd(t[:min(len(t), at+maxShort)], at)
	name, ref, _ := strings.Cut(string(t[at:end]), "#")
	owner, repo, _ := strings.Cut(name, "/")
	if !validOwner(owner) || !validRepo(repo) {
		return at
	}
	return s.add(s.revisioned(slug{owner: owner, repo: strings.TrimSuffix(repo, ".git")}, ref), start, end)
}

// url handles the URL whose "://" stands at i. The text of a URL of another
// host is passed over: a "#12" in it is nothing of ours.
func (s *scanner) url(i int) int {
	t := s.text
	start := schemeStart(t, i, s.floor)
	end := urlEnd(t, i+3)
	hostEnd := i + 3
	for hostEnd < end && bytes.IndexByte([]byte("/?#"), t[hostEnd]) < 0 {
		hostEnd++
	}
	host, from := t[i+3:hostEnd], start
	if at := bytes.LastIndexByte(host, '@'); at >= 0 {
		if string(host[:at]) != "git" {
			from = i + 3 + at + 1 // a user name here is mostly a token
		}
		host = host[at+1:]
	}
	path := t[min(hostEnd+1, end):end]
	if port := bytes.IndexByte(host, ':'); port >= 0 {
		if _, _, ok := s.acceptedHost(host); !ok {
			host, path = host[:port], afterPort(host[port+1:], path)
		}
	}
	if _, _, ok := s.acceptedHost(host); !ok {
		return s.otherURL(start, end)
	}
	a := address{host: host, path: path, start: from, end: end, scheme: true}
	if hostEnd < end && t[hostEnd] != '/' {
		a.path = nil
	}
	return s.addURL(a)
}

// afterPort undoes "ssh://git@host:owner/repo", where no port follows the colon.
func afterPort(port, path []byte) []byte {
	if len(port) == 0 || allOf(port, clsDigit) {
		return path
	}
	return bytes.Join([][]byte{port, path}, []byte("/"))
}

func schemeStart(t []byte, i, floor int) int {
	start := i
	for start > floor && i-start < 12 && (is(t[start-1], clsWord) || t[start-1] == '+') {
		start--
	}
	return start
}

// otherURL passes over a URL that is not GitHub's. A Jira page still names a ticket.
func (s *scanner) otherURL(start, end int) int {
	s.floor = max(s.floor, start)
	if at := bytes.LastIndex(s.text[start:end], []byte("/browse/")); at >= 0 {
		from := start + at + len("/browse/")
		if dash := bytes.IndexByte(s.text[from:end], '-'); dash > 0 && ticketKey(s.text[from:from+dash]) {
			s.addTicket(from, from+dash+1)
		}
	}
	s.dropLabel(start, func(r Reference) bool { return r.Local && r.Kind != KindTicket })
	s.floor = max(s.floor, end)
	return end
}

// urlEnd returns where the URL that goes on at i ends: before blanks, marks
// that URLs do not hold, other scripts, a second URL glued to it, and the
// punctuation of the sentence around it.
func urlEnd(t []byte, i int) int {
	end, open := i, [2]int{}
	for ; end < len(t) && is(t[end], clsURL); end++ {
		switch t[end] {
		case '(':
			open[0]++
		case '[':
			open[1]++
		case ')':
			open[0]--
		case ']':
			open[1]--
		case ':':
			if bytes.HasPrefix(t[end:], []byte("://")) {
				end = max(i, runStart(t, end, i, clsWord))
				return trimURL(t, i, end)
			}
		case '\\':
			if end+1 == len(t) || bytes.IndexByte([]byte(`#_-.*~/`), t[end+1]) < 0 {
				return trimURL(t, i, end)
			}
		case '&':
			if isEntity(t[end:]) {
				return trimURL(t, i, end)
			}
		}
		if open[0] < 0 || open[1] < 0 {
			break
		}
	}
	return trimURL(t, i, end)
}

func isEntity(t []byte) bool {
	for _, e := range []string{"&gt;", "&lt;", "&quot;", "&#"} {
		if bytes.HasPrefix(t, []byte(e)) {
			return true
		}
	}
	return false
}

func trimURL(t []byte, start, end int) int {
	for end > start && strings.IndexByte(".,;:!?'*~([\\", t[end-1]) >= 0 {
		end--
	}
	return end
}

// atSlash handles URLs without a scheme and "owner/repo/pull/12".
func (s *scanner) atSlash(i int) int {
	t := s.text
	if i == s.floor || !is(t[i-1], clsName) {
		return i + 1
	}
	hostStart := i
	for hostStart > s.floor && i-hostStart < 100 && (is(t[hostStart-1], clsName) || t[hostStart-1] == ':') {
		hostStart--
	}
	// "Depends-on:github.com/…" has a word and a colon before the host.
	if at := bytes.LastIndexByte(t[hostStart:i], ':'); at >= 0 && !allOf(t[hostStart+at+1:i], clsDigit) {
		hostStart += at + 1
	}
	if _, _, ok := s.acceptedHost(t[hostStart:i]); ok && s.freeBefore(hostStart) {
		end := urlEnd(t, i+1)
		return s.addURL(address{host: t[hostStart:i], path: t[i+1 : end], start: hostStart, end: end})
	}
	return s.shortPath(i)
}

// shortPath handles "owner/repo/pull/12": an address without its host. The
// slash at i is the one after the repository.
func (s *scanner) shortPath(i int) int {
	t := s.text
	word := t[i+1 : runEnd(t[:min(len(t), i+9)], i+1, clsWord)]
	switch string(word) {
	case "pull", "pulls", "issues", "commit":
	default:
		return i + 1
	}
	name, ok := s.slugBefore(i)
	if !ok || name.owner == "" {
		return i + 1
	}
	end := urlEnd(t[:min(len(t), i+maxShort)], i+1)
	ref, ok := page(slug{owner: name.owner, repo: name.repo}, strings.Split(string(t[i+1:end]), "/"))
	if !ok || ref.Kind == KindRepo || ref.Kind == KindTree {
		return i + 1
	}
	ref.Host = s.host
	return s.add(ref, name.start, end)
}
