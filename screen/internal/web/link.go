package web

import (
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"strings"
	"sync"
	"time"
)

// linkTime is how long the link may be opened.
const linkTime = 15 * time.Minute

// Link is the sign-in by a link that can be opened once. What it leaves is a
// session in a signed cookie. It serves SignInPath and is safe for concurrent
// use.
type Link struct {
	sessions
	name  string
	until time.Time

	mu     sync.Mutex
	secret string // "" once it was used
}

// SignInPath is where a Link is to be served.
const SignInPath = "/sign-in"

// NewLink makes a link for the named person. key, of KeySize bytes or more,
// signs the sessions.
func NewLink(name string, key []byte, now func() time.Time) *Link {
	return &Link{sessions: sessions{key, now}, name: name, until: now().Add(linkTime), secret: rand.Text()}
}

// Path is what follows the server's address in the link. It is a secret, and
// good once.
func (l *Link) Path() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return SignInPath + "?key=" + l.secret
}

const (
	noSession = "You are not signed in: open the link that screen printed at its start. It is good once, and for 15 minutes; a new start prints a new one."
	badLink   = "This link is not good: it was used, it is too old, or it is another server's. Start screen again for a new one."
)

// User implements SignIn.
func (l *Link) User(r *http.Request) (name, refusal string) {
	name, ok := l.user(r)
	if !ok {
		return "", noSession
	}
	return name, ""
}

// ServeHTTP signs in who opens the link.
func (l *Link) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if ahead(r) {
		refuse(rw, http.StatusForbidden, "This link is for a person to open.")
		return
	}
	name := l.name
	switch known, ok := l.user(r); {
	case l.spend(r.URL.Query().Get("key")):
		http.SetCookie(rw, l.cookie(r, name))
	case ok: // the link again, or its page from the browser's history
		name = known
	default:
		refuse(rw, http.StatusForbidden, badLink)
		return
	}
	visitOf(r.Context()).user = name
	render(rw, r, "welcome.html", name)
}

// ahead reports whether a program, not a person, looks where the link leads.
func ahead(r *http.Request) bool {
	return r.Method != http.MethodGet || strings.HasPrefix(r.Header.Get("Sec-Purpose"), "prefetch")
}

// spend uses the link up if the key is its own.
func (l *Link) spend(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.secret == "" || !l.now().Before(l.until) || subtle.ConstantTimeCompare([]byte(key), []byte(l.secret)) != 1 {
		return false
	}
	l.secret = ""
	return true
}
