package web

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crossswe/internal/jobs"
	"crossswe/internal/store"
)

var (
	start = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	key   = []byte(strings.Repeat("k", KeySize))
)

// site is a server on an empty store, with a clock that tests set.
type site struct {
	t    *testing.T
	now  time.Time
	link *Link
	log  bytes.Buffer
	http.Handler
	store *store.Store
}

func newSite(t *testing.T, signIn SignIn) *site {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	s := &site{t: t, now: start, store: db}
	s.link = NewLink("ann", key, func() time.Time { return s.now })
	open := http.NewServeMux()
	open.HandleFunc("GET /healthz", func(rw http.ResponseWriter, _ *http.Request) { io.WriteString(rw, "ok\n") })
	open.Handle("GET "+SignInPath, s.link)
	local := signIn == nil
	if local {
		signIn = s.link
	}
	queue := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			http.Error(rw, err.Error(), http.StatusRequestEntityTooLarge)
		}
	})
	log := slog.New(slog.NewTextHandler(&s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s.Handler = New(open, Options{Log: log, Store: db, SignIn: signIn, Jobs: queue, Local: local})
	return s
}

// ask sends one request to 127.0.0.1; change may alter it.
func (s *site) ask(method, target string, change ...func(*http.Request)) *http.Response {
	s.t.Helper()
	r := httptest.NewRequest(method, "http://127.0.0.1:8080"+target, nil)
	for _, c := range change {
		c(r)
	}
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, r)
	return rec.Result()
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Add(name, value) }
}

func session(value string) func(*http.Request) { return header("Cookie", cookieName+"="+value) }

func text(r *http.Response) string {
	b, _ := io.ReadAll(r.Body)
	return string(b)
}

func TestTheLinkSignsInOnce(t *testing.T) {
	s := newSite(t, nil)
	path := s.link.Path()
	for name, change := range map[string]func(*http.Request){
		"looked at ahead": header("Sec-Purpose", "prefetch;prerender"),
		"asked for HEAD":  func(r *http.Request) { r.Method = http.MethodHead },
		"another key":     func(r *http.Request) { r.URL.RawQuery = "key=guess" },
		"no key":          func(r *http.Request) { r.URL.RawQuery = "" },
	} {
		if got := s.ask("GET", path, change); got.StatusCode != http.StatusForbidden || len(got.Cookies()) != 0 {
			t.Errorf("%s: got %d and %v, want 403 and no cookie", name, got.StatusCode, got.Cookies())
		}
	}
	got := s.ask("GET", path)
	want := &http.Cookie{Name: cookieName, Path: "/", MaxAge: 43200, HttpOnly: true, SameSite: http.SameSiteStrictMode}
	if got.StatusCode != http.StatusOK || len(got.Cookies()) != 1 {
		t.Fatalf("got %d and %v", got.StatusCode, got.Cookies())
	}
	cookie := got.Cookies()[0]
	value := cookie.Value
	cookie.Value, cookie.Raw = "", ""
	if diff := cmp.Diff(want, cookie); diff != "" {
		t.Errorf("cookie (-want +got):\n%s", diff)
	}
	if got := s.ask("GET", path); got.StatusCode != http.StatusForbidden || len(got.Cookies()) != 0 {
		t.Errorf("the second time: got %d and %v", got.StatusCode, got.Cookies())
	}
	if got := s.ask("GET", path, session(value)); got.StatusCode != http.StatusOK || len(got.Cookies()) != 0 {
		t.Errorf("the second time by who is signed in: got %d and %v, want the welcome and no new session", got.StatusCode, got.Cookies())
	}
	if page := s.ask("GET", "/", session(value)); page.StatusCode != http.StatusOK || !strings.Contains(text(page), "<strong>ann</strong>") {
		t.Errorf("the front page: got %d", page.StatusCode)
	}
	if _, secret, _ := strings.Cut(path, "="); secret == "" || strings.Contains(s.log.String(), secret) {
		t.Errorf("the link's key %q is in the log", secret)
	}
}

func TestTheLinkIsGoodForAWhile(t *testing.T) {
	for after, want := range map[time.Duration]int{linkTime - time.Second: http.StatusOK, linkTime: http.StatusForbidden} {
		s := newSite(t, nil)
		s.now = start.Add(after)
		if got := s.ask("GET", s.link.Path()).StatusCode; got != want {
			t.Errorf("after %s: got %d, want %d", after, got, want)
		}
	}
}

func TestTheSessionIsSecureBehindTLS(t *testing.T) {
	s := newSite(t, nil)
	c := s.ask("GET", s.link.Path(), header("X-Forwarded-Proto", "https")).Cookies()
	if len(c) != 1 || !c[0].Secure {
		t.Errorf("got %v", c)
	}
}

func TestSessions(t *testing.T) {
	s := newSite(t, nil)
	clock := func() time.Time { return start }
	good := sessions{key, clock}.seal("ann")
	other := sessions{[]byte(strings.Repeat("x", KeySize)), clock}.seal("ann")
	body, mac, _ := strings.Cut(good, ".")
	forged := encoding.EncodeToString([]byte("99999999999 eve"))
	tests := []struct {
		name, cookie string
		after        time.Duration
		status       int
	}{
		{"good", good, 0, 200},
		{"to its last second", good, sessionTime - time.Second, 200},
		{"ended", good, sessionTime, 401},
		{"none", "", 0, 401},
		{"of another key", other, 0, 401},
		{"another body", forged + "." + mac, 0, 401},
		{"no signature", body, 0, 401},
		{"an empty signature", forged + ".", 0, 401},
		{"half a signature", body + "." + mac[:20], 0, 401},
		{"something after it", good + ".x", 0, 401},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s.now = start.Add(tt.after)
			for _, path := range []string{"/", "/jobs/", "/jobs/api/jobs", "/nothing"} {
				want := tt.status
				if want == 200 && path == "/nothing" {
					want = 404
				}
				if got := s.ask("GET", path, session(tt.cookie)); got.StatusCode != want {
					t.Errorf("%s: got %d, want %d", path, got.StatusCode, want)
				}
			}
		})
	}
}

func FuzzOpen(f *testing.F) {
	s := sessions{key, func() time.Time { return start }}
	f.Add(s.seal("ann"))
	f.Add("a.b")
	f.Fuzz(func(t *testing.T, value string) {
		if name, ok := s.open(value); ok && value != s.seal(name) {
			t.Errorf("%q was taken for %q", value, name)
		}
	})
}

func TestTheHeaderIsBelievedFromProxiesAlone(t *testing.T) {
	s := newSite(t, Header{Name: "X-Forwarded-User", Proxies: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("::1/128")}})
	from := func(peer string) func(*http.Request) { return func(r *http.Request) { r.RemoteAddr = peer } }
	user := func(name string) func(*http.Request) { return header("X-Forwarded-User", name) }
	tests := []struct {
		name   string
		change []func(*http.Request)
		status int
		says   string
	}{
		{"a proxy", []func(*http.Request){from("10.1.2.3:99"), user("ann")}, 200, "<strong>ann</strong>"},
		{"a proxy by IPv6", []func(*http.Request){from("[::1]:99"), user("ann")}, 200, "<strong>ann</strong>"},
		{"a proxy, as IPv4 in IPv6", []func(*http.Request){from("[::ffff:10.1.2.3]:99"), user("ann")}, 200, "<strong>ann</strong>"},
		{"another host", []func(*http.Request){from("10.2.0.1:99"), user("ann")}, 401, notOurProxy},
		{"nobody knows where from", []func(*http.Request){from("@"), user("ann")}, 401, notOurProxy},
		{"another host that names the proxy", []func(*http.Request){from("10.2.0.1:99"), user("ann"), header("X-Forwarded-For", "10.1.2.3")}, 401, notOurProxy},
		{"no name", []func(*http.Request){from("10.1.2.3:99")}, 401, noName},
		{"an empty name", []func(*http.Request){from("10.1.2.3:99"), user("")}, 401, noName},
		{"two names", []func(*http.Request){from("10.1.2.3:99"), user("ann"), user("eve")}, 401, noName},
		{"a name with a slash", []func(*http.Request){from("10.1.2.3:99"), user("a/b")}, 401, badName},
		{"a session of a link", []func(*http.Request){from("10.2.0.1:99"), session(sessions{key, time.Now}.seal("ann"))}, 401, notOurProxy},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := s.ask("GET", "/", tt.change...)
			if body := text(got); got.StatusCode != tt.status || !strings.Contains(body, tt.says) {
				t.Errorf("got %d %s, want %d and %q", got.StatusCode, body, tt.status, tt.says)
			}
		})
	}
}

func TestOtherSitesChangeNothing(t *testing.T) {
	s := newSite(t, nil)
	signed := session(s.link.seal("ann"))
	tests := []struct {
		name, method string
		change       func(*http.Request)
		status       int
	}{
		{"this site", "POST", header("Sec-Fetch-Site", "same-origin"), 200},
		{"this site, by an old browser", "POST", header("Origin", "http://127.0.0.1:8080"), 200},
		{"no browser", "POST", header("User-Agent", "curl"), 200},
		{"another site", "POST", header("Sec-Fetch-Site", "cross-site"), 403},
		{"another port of this machine", "PUT", header("Sec-Fetch-Site", "same-site"), 403},
		{"another site, by an old browser", "DELETE", header("Origin", "https://evil.example"), 403},
		{"a link on another site", "GET", header("Sec-Fetch-Site", "cross-site"), 200},
	}
	for _, tt := range tests {
		if got := s.ask(tt.method, "/jobs/api/jobs/cancel", signed, tt.change).StatusCode; got != tt.status {
			t.Errorf("%s: got %d, want %d", tt.name, got, tt.status)
		}
	}
}

func TestOnlyThisMachinesNamesAreAnswered(t *testing.T) {
	s := newSite(t, nil)
	for host, want := range map[string]int{
		"127.0.0.1:8080": 200, "localhost:8080": 200, "LOCALHOST": 200, "[::1]:8080": 200, "[::1]": 200, "127.0.0.2": 200,
		"evil.example:8080": 421, "localhost.evil.example": 421, "10.0.0.1": 421, "": 421,
	} {
		for _, path := range []string{"/healthz", "/style.css"} {
			if got := s.ask("GET", path, func(r *http.Request) { r.Host = host }).StatusCode; got != want {
				t.Errorf("%q %s: got %d, want %d", host, path, got, want)
			}
		}
	}
}

func TestEveryAnswerIsProtected(t *testing.T) {
	s := newSite(t, nil)
	signed := session(s.link.seal("ann"))
	want := http.Header{
		"Content-Security-Policy": {pagePolicy}, "X-Content-Type-Options": {"nosniff"}, "Referrer-Policy": {"same-origin"},
		"Cross-Origin-Opener-Policy": {"same-origin"}, "Cross-Origin-Resource-Policy": {"same-origin"}, "Cache-Control": {"no-store"},
	}
	for path, got := range map[string]*http.Response{
		"front": s.ask("GET", "/", signed), "refused": s.ask("GET", "/"), "missing": s.ask("GET", "/x", signed),
		"open": s.ask("GET", "/healthz"), "style": s.ask("GET", "/style.css"), "another host": s.ask("GET", "/", func(r *http.Request) { r.Host = "evil.example" }),
		"another site": s.ask("POST", "/", header("Sec-Fetch-Site", "cross-site")), "sign-in": s.ask("GET", s.link.Path()),
	} {
		for name := range want {
			if diff := cmp.Diff(want[name], got.Header[name]); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", path, name, diff)
			}
		}
	}
}

func TestABodyIsBounded(t *testing.T) {
	s := newSite(t, nil)
	for size, want := range map[int]int{maxBody: 200, maxBody + 1: 413} {
		body := io.NopCloser(strings.NewReader(strings.Repeat("a", size)))
		got := s.ask("POST", "/jobs/api", session(s.link.seal("ann")), func(r *http.Request) { r.Body = body }).StatusCode
		if got != want {
			t.Errorf("%d bytes: got %d, want %d", size, got, want)
		}
	}
}

func TestFaultsStayInTheLog(t *testing.T) {
	s := newSite(t, nil)
	s.store.Close()
	got := s.ask("GET", "/", session(s.link.seal("ann")))
	if body := text(got); got.StatusCode != 500 || body != "Something is wrong here; the server's log says what.\n" {
		t.Errorf("got %d %q", got.StatusCode, body)
	}
	for _, want := range []string{"level=WARN", "status=500", "user=ann", "path=/ ", "database is closed"} {
		if !strings.Contains(s.log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, &s.log)
		}
	}
}

func TestLevelOf(t *testing.T) {
	for _, tt := range []struct {
		method string
		status int
		want   slog.Level
	}{
		{"GET", 200, slog.LevelDebug}, {"HEAD", 304, slog.LevelDebug}, {"GET", 404, slog.LevelDebug}, {"POST", 200, slog.LevelInfo},
		{"GET", 401, slog.LevelWarn}, {"POST", 403, slog.LevelWarn}, {"GET", 500, slog.LevelWarn},
	} {
		if got := levelOf(tt.method, tt.status); got != tt.want {
			t.Errorf("%s %d: got %s, want %s", tt.method, tt.status, got, tt.want)
		}
	}
}

func TestStageRows(t *testing.T) {
	funnel := []store.FunnelRow{
		{Stage: "mine", State: store.Kept, Count: 5}, {Stage: "mine", State: store.Kept, Reason: "reduced", Count: 1},
		{Stage: "mine", State: store.Dropped, Reason: "fork", Count: 2}, {Stage: "verify", State: store.Failed, Reason: "engine", Count: 1},
		{Stage: "context", State: store.Kept, Count: 7},
	}
	queue := []jobs.QueueRow{
		{Stage: "build", State: "available", Count: 1}, {Stage: "build", State: "pending", Count: 2}, {Stage: "build", State: "scheduled", Count: 4},
		{Stage: "build", State: "running", Count: 3}, {Stage: "build", State: "retryable", Count: 5}, {Stage: "build", State: "discarded", Count: 6},
		{Stage: "build", State: "completed", Count: 8}, {Stage: "build", State: "cancelled", Count: 9},
	}
	want := []stageRow{
		{Stage: "mine", Kept: 6, Dropped: 2, Reasons: funnel[1:3]}, {Stage: "screen"},
		{Stage: "build", Waiting: 7, Running: 3, Later: 5, GivenUp: 6},
		{Stage: "verify", Failed: 1, Reasons: funnel[3:4]}, {Stage: "publish"}, {Stage: "context", Kept: 7},
	}
	if diff := cmp.Diff(want, stageRows(funnel, queue)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTheFrontPage escapes what stands in the store.
func TestTheFrontPage(t *testing.T) {
	s := newSite(t, nil)
	var items []store.Item
	for _, it := range []store.Item{{State: store.Kept}, {State: store.Dropped, Reason: "fork"}, {State: store.Failed, Reason: "<script>"}} {
		it.Stage, it.ID, it.At = store.StageMine, string(it.State), start
		items = append(items, it)
	}
	if err := s.store.Commit(t.Context(), store.Batch{Items: items}); err != nil {
		t.Fatal(err)
	}
	page := text(s.ask("GET", "/", session(s.link.seal("<b>"))))
	for _, want := range []string{
		"<th>mine</th><td>1</td><td>1</td><td>1</td>\n<td class=\"text\">fork 1, &lt;script&gt; 1</td>", "<strong>&lt;b&gt;</strong>",
		"<th>publish</th><td>0</td>", "No process works", `<a href="/jobs/">`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
}
