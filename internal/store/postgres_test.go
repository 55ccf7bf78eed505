package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/rs/zerolog"

	"crossswe/schemas"
)

const secret = "hunter2"

// withSecrets are URLs that hold a password, some of them by being misspelt.
var withSecrets = []string{
	"postgres://u:hunter2@h/db",
	"postgresql://u:hunter2@h:5432/db?sslmode=disable",
	"postgres://u:hunter2@h:port/db",
	"postgres://u:hunter2#@h/db",
	"postgres://u:%hunter2@h/db",
	"postgres://u:hunter2?@h/db",
	"postgres://u:12/hunter2@h/db",
	"postgres://u:12?hunter2@h/db",
	"postgres://u@h/db?hunter2",
	"postgres://u@h/db?hunter2=1",
	"postgres://u@h/db?password=hunter2",
	"postgres://u@h/db?sslpassword=hunter2",
	"postgres://u@h/db?sslmode=disable;password=hunter2",
}

func TestAURLWithAPasswordIsRefusedAndNotQuoted(t *testing.T) {
	for _, u := range withSecrets {
		if err := CheckURL(u); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("CheckURL(%s): got %v, want an error without the password", u, err)
		}
		if _, err := Open(t.Context(), u); err == nil || tells(err, secret) {
			t.Errorf("Open(%s): got %v, want an error without the password", u, err)
		}
	}
}

func TestCheckURL(t *testing.T) {
	const form = "a URL of the form postgres://"
	tests := []struct{ url, want string }{
		{"postgres://u@h/db", ""},
		{"postgresql://u@h:5432/db?sslmode=verify-full&sslrootcert=/etc/ca.pem", ""},
		{"postgres://h/db", ""},
		{"postgres://[::1]:5432/db", ""},
		{"postgres:///db?host=/run/postgresql", ""},
		{"postgres://u@h/a%20b", ""},
		{"", form},
		{"crossswe.db", form},
		{"host=h dbname=db", form},
		{"mysql://u@h/db", form},
		{"postgres://u@h", form},
		{"postgres://u@h/", form},
		{"postgres://u@h/a/b", form},
		{"postgres://u@h/db#x", form},
		{"postgres://u@h:port/db", form},
		{"postgres:///db", "names no host"},
		{"postgres://u@h/db?sslmod=disable", "may set only application_name, "},
		{"postgres://u@h/db?a;b", "not of the form name=value"},
		{"postgres://u:p@h/db", "set PGPASSWORD"},
	}
	for _, tt := range tests {
		err := CheckURL(tt.url)
		if tt.want == "" && err == nil {
			continue
		}
		if err == nil || tt.want == "" || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: got %v, want %q", tt.url, err, tt.want)
		}
	}
}

// FuzzCheckURL asks pgx, which reads URLs in a way of its own, whether what
// passes holds a password.
func FuzzCheckURL(f *testing.F) {
	for _, u := range append([]string{"postgres://u@h/db", "postgres:///db?host=/run"}, withSecrets...) {
		f.Add(u)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if CheckURL(text) != nil || strings.Contains(text, "passfile") {
			return
		}
		if c, err := pgconn.ParseConfig(text); err == nil && c.Password != "" {
			t.Errorf("%q passes and holds the password %q", text, c.Password)
		}
	})
}

// tells reports whether the error, or a log of it, shows the text.
func tells(err error, text string) bool {
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Error(err.Error(), "err", err)
	slog.New(slog.NewJSONHandler(&log, nil)).Error(err.Error(), "err", err)
	fmt.Fprintf(&log, "%v %+v %#v %q", err, err, err, err)
	for ; err != nil; err = errors.Unwrap(err) {
		fmt.Fprintf(&log, "%+v %#v", err, err)
	}
	return strings.Contains(log.String(), text)
}

// silent listens and answers nothing.
func silent(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

func TestServersThatRefuse(t *testing.T) {
	place := postgres.Database(t)
	u, err := url.Parse(place)
	if err != nil {
		t.Fatal(err)
	}
	bare := func(change func(*url.URL)) string {
		v := *u
		v.RawQuery = "sslmode=disable&connect_timeout=2"
		change(&v)
		return v.String()
	}
	closed := silent(t)
	if l, err := net.Listen("tcp", "127.0.0.1:0"); err == nil {
		closed = l.Addr().String()
		l.Close()
	}
	wrong := filepath.Join(t.TempDir(), "pgpass")
	if err := os.WriteFile(wrong, []byte("*:*:*:*:"+secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	at := "tester@" + u.Host + u.Path
	tests := []struct {
		name, place, env string
		want             []string
	}{
		{"wrong password from the environment", bare(func(*url.URL) {}), secret, []string{at, "password authentication failed", "PGPASSWORD or a pgpass file"}},
		{"wrong password from a file", bare(func(v *url.URL) { v.RawQuery += "&passfile=" + url.QueryEscape(wrong) }), "", []string{at, "password authentication failed"}},
		{"no password", bare(func(*url.URL) {}), "", []string{at, "PGPASSWORD or a pgpass file"}},
		{"no such user", bare(func(v *url.URL) { v.User = url.User("nobody") }), secret, []string{"nobody@" + u.Host, "PGPASSWORD or a pgpass file"}},
		{"no such database", postgres.URL("missing"), "", []string{u.Host + "/missing", `database "missing" does not exist`, "createdb"}},
		{"nobody listens", bare(func(v *url.URL) { v.Host = closed }), secret, []string{closed + u.Path, "connection refused"}},
		{"no answer", bare(func(v *url.URL) { v.Host = silent(t) }), secret, []string{"no answer within 2s"}},
		{"no TLS", bare(func(v *url.URL) { v.RawQuery = "sslmode=require" }), secret, []string{at, "server refused TLS"}},
		{"no such certificate", bare(func(v *url.URL) { v.RawQuery = "sslmode=verify-full&sslrootcert=/missing.pem" }), secret, []string{"/missing.pem"}},
		{"no such TLS mode", bare(func(v *url.URL) { v.RawQuery = "sslmode=maybe" }), secret, []string{"sslmode"}},
		{"no such schema", place + "&search_path=missing", "", []string{at, "search_path names no schema"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("PGPASSWORD", tt.env)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err := Open(ctx, tt.place)
			if err == nil || ctx.Err() != nil {
				t.Fatalf("got %v after %v, want an error at once", err, ctx.Err())
			}
			for _, w := range tt.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("the error lacks %q:\n%v", w, err)
				}
			}
			for _, s := range []string{secret, postgres.Password()} {
				if tells(err, s) {
					t.Errorf("the error tells the password: %v", err)
				}
			}
		})
	}
}

func TestAnAnswerIsAwaitedForTenSeconds(t *testing.T) {
	config, err := parse("postgres://u@h/db")
	if err != nil {
		t.Fatal(err)
	}
	if got := config.ConnConfig.ConnectTimeout; got != 10*time.Second {
		t.Errorf("got %s, want 10s", got)
	}
}

func TestThePasswordOfTheEnvironmentIsUsed(t *testing.T) {
	place, _, _ := strings.Cut(postgres.Database(t), "&passfile")
	place, _, _ = strings.Cut(place, "?")
	t.Setenv("PGPASSWORD", postgres.Password())
	open(t, place+"?sslmode=disable")
}

// wire is a connection to the tests' server that can be cut.
func wire(t *testing.T, place string) (*toxiproxy.Proxy, string) {
	t.Helper()
	u, err := url.Parse(place)
	if err != nil {
		t.Fatal(err)
	}
	p := toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()), "wire", "127.0.0.1:0", u.Host)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	u.Host = p.Listen
	return p, u.String()
}

// restart cuts all connections and takes new ones.
func restart(t *testing.T, p *toxiproxy.Proxy) {
	t.Helper()
	p.Stop()
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
}

func TestAConnectionLostWithinATransactionWritesNothing(t *testing.T) {
	place := postgres.Database(t)
	proxy, far := wire(t, place)
	s := open(t, far)
	cut := func(*sql.Tx) error { restart(t, proxy); return nil }
	if err := s.CommitWith(t.Context(), numbered(0), cut); err == nil {
		t.Error("the commit succeeded")
	}
	if n := written(t, open(t, place), 0); n != 0 {
		t.Errorf("%d of 3 parts are there, want none", n)
	}
	if err := s.Commit(t.Context(), numbered(0)); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestALostConnectionWritesAllOrNothing cuts the connection after every so many
// bytes, to the server and from it, until a commit gets through. When only the
// answer is lost, the batch is there although Commit failed.
func TestALostConnectionWritesAllOrNothing(t *testing.T) {
	for _, stream := range []string{"upstream", "downstream"} {
		t.Run(stream, func(t *testing.T) {
			place := postgres.Database(t)
			direct := open(t, place)
			proxy, far := wire(t, place)
			s := open(t, far)
			seen := map[string]int{}
			for i := 0; seen["succeeded, 3 parts"] == 0; i++ {
				err := commitCut(t, s, proxy, stream, i)
				outcome := "succeeded"
				if err != nil {
					outcome = "failed"
				}
				seen[fmt.Sprintf("%s, %d parts", outcome, written(t, direct, i))]++
			}
			if seen["failed, 0 parts"] < 5 {
				t.Errorf("got %v, want 5 failures or more", seen)
			}
			for outcome := range seen {
				if strings.Contains(outcome, "1") || strings.Contains(outcome, "2") || outcome == "succeeded, 0 parts" {
					t.Errorf("got %v, want all or nothing", seen)
				}
			}
			t.Log(seen)
		})
	}
}

// commitCut commits numbered(i) over a connection that ends after some bytes.
func commitCut(t *testing.T, s *Store, proxy *toxiproxy.Proxy, stream string, i int) error {
	t.Helper()
	restart(t, proxy)
	if _, err := s.Now(t.Context()); err != nil {
		t.Fatalf("the store did not recover: %v", err)
	}
	toxic := fmt.Sprintf(`{"name": "cut", "type": "limit_data", "stream": %q, "attributes": {"bytes": %d}}`, stream, 8*i)
	if _, err := proxy.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
		t.Fatal(err)
	}
	err := s.Commit(t.Context(), numbered(i))
	if err := proxy.Toxics.RemoveToxic(t.Context(), "cut"); err != nil {
		t.Fatal(err)
	}
	return err
}

// numbered has a record, an item and a mark that written can tell from others.
func numbered(i int) Batch {
	name := fmt.Sprint("n", i)
	return Batch{
		Records: []schemas.Record{review(name)},
		Items:   []Item{{Stage: StageBuild, ID: name, State: Kept, At: at}},
		Marks:   []Mark{{name, "1"}},
	}
}

// written counts the parts of numbered(i) that are there.
func written(t *testing.T, s *Store, i int) int {
	t.Helper()
	b, n := numbered(i), 0
	_, record, err1 := Get[schemas.Review](t.Context(), s, b.Records[0].RecordKey())
	_, item, err2 := s.Item(t.Context(), StageBuild, b.Items[0].ID)
	mark, err3 := s.Mark(t.Context(), b.Marks[0].Name)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	for _, there := range []bool{record, item, mark != ""} {
		if there {
			n++
		}
	}
	return n
}
