package web

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// maxBody bounds the body of a request.
const maxBody = 1 << 20

// pagePolicy is the content security policy of our own pages: a style sheet,
// and nothing that runs.
const pagePolicy = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// visit is what is known of a request while it is answered.
type visit struct {
	status int
	user   string // "" until signed in
	err    error  // why it could not be answered; for the log alone
}

type visitKey struct{}

// visitOf returns the request's visit; logged has put it there.
func visitOf(ctx context.Context) *visit {
	v, ok := ctx.Value(visitKey{}).(*visit)
	if !ok {
		return &visit{}
	}
	return v
}

// recorder notes the status of an answer.
type recorder struct {
	http.ResponseWriter
	visit *visit
}

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) {
	if r.visit.status == 0 {
		r.visit.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(b []byte) (int, error) {
	if r.visit.status == 0 {
		r.visit.status = http.StatusOK
	}
	return r.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// logged logs every request: refusals and faults as warnings, what changes
// something for everybody to read, the rest for who asks. It never logs a query,
// which may be the key to sign in.
func logged(log *slog.Logger, h http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		start, v := time.Now(), &visit{}
		h.ServeHTTP(&recorder{rw, v}, r.WithContext(context.WithValue(r.Context(), visitKey{}, v)))
		attrs := []any{"method", r.Method, "path", shorten(r.URL.Path), "status", v.status, "user", v.user, "peer", r.RemoteAddr, "took", time.Since(start)}
		if v.err != nil {
			attrs = append(attrs, "error", v.err)
		}
		log.Log(r.Context(), levelOf(r.Method, v.status), "request", attrs...)
	})
}

func levelOf(method string, status int) slog.Level {
	switch {
	case status >= 400 && status != http.StatusNotFound:
		return slog.LevelWarn
	case method != http.MethodGet && method != http.MethodHead:
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

// shorten keeps a stranger's path from filling the log.
func shorten(path string) string {
	const most = 200
	if len(path) > most {
		return path[:most] + "…"
	}
	return path
}

// secured sets the headers of every answer. Nothing is cached: a page is for who
// is signed in now.
func secured(h http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		head := rw.Header()
		head.Set("Content-Security-Policy", pagePolicy)
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "same-origin")
		head.Set("Cross-Origin-Opener-Policy", "same-origin")
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		head.Set("Cache-Control", "no-store")
		h.ServeHTTP(rw, r)
	})
}

// local refuses requests that name another host than this machine.
func local(h http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if !isLocal(r.Host) {
			refuse(rw, http.StatusMisdirectedRequest, "This server answers to 127.0.0.1 and localhost only.")
			return
		}
		h.ServeHTTP(rw, r)
	})
}

// isLocal reports whether a Host header is this machine's name for itself.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	return err == nil && ip.IsLoopback()
}

// ownSite refuses requests that change something and come from another site.
func ownSite(h http.Handler) http.Handler {
	c := http.NewCrossOriginProtection()
	c.SetDenyHandler(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		refuse(rw, http.StatusForbidden, "Another site sent this request.")
	}))
	return c.Handler(h)
}

// bounded bounds the body of a request.
func bounded(h http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(rw, r.Body, maxBody)
		h.ServeHTTP(rw, r)
	})
}

// signedIn lets in who is signed in.
func signedIn(s SignIn, h http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		name, refusal := s.User(r)
		if name == "" {
			refuse(rw, http.StatusUnauthorized, refusal)
			return
		}
		visitOf(r.Context()).user = name
		h.ServeHTTP(rw, r)
	})
}

// refuse says why a request is not answered.
func refuse(rw http.ResponseWriter, status int, why string) { http.Error(rw, why, status) }

// fail answers that something of ours is at fault. What, only the log tells.
func fail(rw http.ResponseWriter, r *http.Request, err error) {
	visitOf(r.Context()).err = err
	refuse(rw, http.StatusInternalServerError, "Something is wrong here; the server's log says what.")
}
