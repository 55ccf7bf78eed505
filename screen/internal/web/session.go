package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// KeySize is the least length of the key that signs sessions, in bytes.
	KeySize = 32
	// sessionTime is how long a session lasts: a working day.
	sessionTime = 12 * time.Hour
	cookieName  = "crossswe_session"
)

// sessions signs cookies: "END NAME" in base64, a dot, and its HMAC-SHA256 in
// base64. Nothing is kept of them, so a key that outlives the process keeps them
// valid until their end.
type sessions struct {
	key []byte
	now func() time.Time
}

var encoding = base64.RawURLEncoding.Strict()

func (s sessions) sign(body string) []byte {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte("crossswe screen session\x00" + body))
	return mac.Sum(nil)
}

// seal makes the value of a cookie.
func (s sessions) seal(name string) string {
	body := encoding.EncodeToString(fmt.Appendf(nil, "%d %s", s.now().Add(sessionTime).Unix(), name))
	return body + "." + encoding.EncodeToString(s.sign(body))
}

// open returns the name in a cookie's value that was sealed with this key and
// has not ended.
func (s sessions) open(value string) (name string, ok bool) {
	body, mac, _ := strings.Cut(value, ".")
	sum, err := encoding.DecodeString(mac)
	if err != nil || !hmac.Equal(sum, s.sign(body)) {
		return "", false
	}
	text, err := encoding.DecodeString(body)
	if err != nil {
		return "", false
	}
	end, name, _ := strings.Cut(string(text), " ")
	unix, err := strconv.ParseInt(end, 10, 64)
	if err != nil || !s.now().Before(time.Unix(unix, 0)) {
		return "", false
	}
	return name, true
}

// cookie begins a session. It goes over https only when the request came so: a
// proxy says that in X-Forwarded-Proto, and who lies there harms nobody else.
// Browsers know no ports here: other servers of this machine are sent it too.
func (s sessions) cookie(r *http.Request, name string) *http.Cookie {
	return &http.Cookie{
		Name: cookieName, Value: s.seal(name), Path: "/", MaxAge: int(sessionTime / time.Second),
		HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https",
	}
}

// user is whom the request's cookie names.
func (s sessions) user(r *http.Request) (string, bool) {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return "", false
	}
	return s.open(c.Value)
}
