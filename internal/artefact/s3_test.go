package artefact

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"crossswe/schemas"
)

// testPatience is short where a test waits for its end, and else long enough
// for a slow machine.
var testPatience = patience{still: 10 * time.Second, attempts: 3, backoff: time.Millisecond}

const (
	bucketOfTests = "tide-artefacts"
	testKeyID     = "AKIATIDEKEYID"
	testSecret    = "tide-secret-never-printed"
)

// server is an S3 server on loopback. A test puts a fault in front of it.
type server struct {
	url  string
	s3   *s3mem.Backend
	mu   sync.Mutex
	seen []string // the methods of the requests about artefacts
	// fault answers a request about an artefact and returns true, or leaves it
	// to the server. n counts those of this method from 1.
	fault func(w http.ResponseWriter, r *http.Request, n int) bool
}

func newServer(t *testing.T) *server {
	t.Helper()
	credentials(t, testKeyID, testSecret)
	s := &server{s3: s3mem.New()}
	if err := s.s3.CreateBucket(bucketOfTests); err != nil {
		t.Fatal(err)
	}
	real := gofakes3.New(s.s3, gofakes3.WithLogger(gofakes3.DiscardLog())).Server()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.faulty(w, r) {
			return
		}
		real.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	s.url = h.URL
	return s
}

// credentials sets those of the environment and shuts out the machine's.
func credentials(t *testing.T, id, secret string) {
	t.Helper()
	none := t.TempDir()
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": id, "AWS_SECRET_ACCESS_KEY": secret, "AWS_SESSION_TOKEN": "",
		"AWS_PROFILE": "", "AWS_REGION": "", "AWS_DEFAULT_REGION": "", "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_CONFIG_FILE": none + "/config", "AWS_SHARED_CREDENTIALS_FILE": none + "/credentials",
	} {
		t.Setenv(name, value)
	}
}

func (s *server) faulty(w http.ResponseWriter, r *http.Request) bool {
	if strings.Count(r.URL.Path, "/") < 3 {
		return false // about the bucket
	}
	s.mu.Lock()
	s.seen = append(s.seen, r.Method)
	n, fault := 0, s.fault
	for _, m := range s.seen {
		if m == r.Method {
			n++
		}
	}
	s.mu.Unlock()
	return fault != nil && fault(w, r, n)
}

// place returns the URL of the bucket, or of what is below it.
func (s *server) place(below string) string { return placeAt(s.url, below) }

func placeAt(endpoint, below string) string {
	return "s3://" + bucketOfTests + below + "?s3ForcePathStyle=true&endpoint=" + endpoint
}

// answer writes an error as S3 does.
func answer(w http.ResponseWriter, status int, code string) bool {
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>no</Message><AWSAccessKeyId>%s</AWSAccessKeyId></Error>", code, testKeyID)
	return true
}

// TestTheServerKnowsConditions makes sure that the tests here prove what they
// claim: without it a server that ignores If-None-Match would pass them too.
func TestTheServerKnowsConditions(t *testing.T) {
	at := newServer(t).url + "/" + bucketOfTests + "/ab/cd"
	var got []int
	for range 2 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, at, strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("If-None-Match", "*")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		got = append(got, resp.StatusCode)
	}
	if got[0] != http.StatusOK || got[1] != http.StatusPreconditionFailed {
		t.Errorf("got %d, want 200 and 412", got)
	}
}

// TestPutThroughFaults ends with the artefact there, whole.
func TestPutThroughFaults(t *testing.T) {
	first := func(method string, status int, code string) func(http.ResponseWriter, *http.Request, int) bool {
		return func(w http.ResponseWriter, r *http.Request, n int) bool {
			return r.Method == method && n == 1 && answer(w, status, code)
		}
	}
	unconditional := func(w http.ResponseWriter, r *http.Request, _ int) bool {
		return r.Header.Get("If-None-Match") != "" && answer(w, http.StatusNotImplemented, "NotImplemented")
	}
	tests := []struct {
		name  string
		there string // what is stored before; "": nothing
		fault func(http.ResponseWriter, *http.Request, int) bool
		want  string
	}{
		{"none", "", nil, "HEAD PUT"},
		{"it is there", "the log", nil, "HEAD"},
		{"a server error", "", first("PUT", 500, "InternalError"), "HEAD PUT PUT"},
		{"a server that is busy", "", first("PUT", 503, "SlowDown"), "HEAD PUT PUT"},
		{"a server error about the size", "", first("HEAD", 500, ""), "HEAD HEAD PUT"},
		{"stored by another since", "the log", first("HEAD", 404, ""), "HEAD PUT HEAD"},
		{"stored by another since, and short", "the l", first("HEAD", 404, ""), "HEAD PUT HEAD PUT"},
		{"being stored by another", "", first("PUT", 409, "ConditionalRequestConflict"), "HEAD PUT HEAD PUT"},
		{"a server that knows no conditions", "", unconditional, "HEAD PUT HEAD PUT"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := newServer(t)
			s := mustOpen(t, srv.place(""))
			body := []byte("the log")
			if tt.there != "" {
				if err := s.bucket.WriteAll(t.Context(), s.key(schemas.DigestOf(body)), []byte(tt.there), nil); err != nil {
					t.Fatal(err)
				}
			}
			srv.seen, srv.fault = nil, tt.fault
			d := mustPut(t, s, body)
			if got := strings.Join(srv.seen, " "); got != tt.want {
				t.Errorf("the requests were %s, want %s", got, tt.want)
			}
			srv.fault = nil
			if got, err := s.Get(t.Context(), d); !bytes.Equal(got, body) || err != nil {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestRetriesAreBounded(t *testing.T) {
	srv := newServer(t)
	s := mustOpen(t, srv.place(""))
	srv.fault = func(w http.ResponseWriter, r *http.Request, _ int) bool { return answer(w, 500, "InternalError") }
	if _, err := s.Put(t.Context(), []byte("log")); err == nil {
		t.Error("a server that only fails took it")
	}
	if len(srv.seen) != testPatience.attempts {
		t.Errorf("got %q, want %d requests", srv.seen, testPatience.attempts)
	}
}

// TestBrokenAnswers reads through a network that fails: never an artefact, and
// never an error that a record is blamed for.
func TestBrokenAnswers(t *testing.T) {
	half := func(w http.ResponseWriter) {
		w.Header().Set("Content-Length", "1000")
		w.Write(make([]byte, 500))
		w.(http.Flusher).Flush()
	}
	tests := []struct {
		name  string
		fault func(http.ResponseWriter, *http.Request, int) bool
	}{
		{"cut off", func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			half(w)
			panic(http.ErrAbortHandler)
		}},
		{"stands still", func(w http.ResponseWriter, r *http.Request, _ int) bool {
			half(w)
			<-r.Context().Done()
			return true
		}},
		{"nothing", func(w http.ResponseWriter, r *http.Request, _ int) bool {
			<-r.Context().Done()
			return true
		}},
		{"forbidden", func(w http.ResponseWriter, _ *http.Request, _ int) bool { return answer(w, 403, "AccessDenied") }},
		{"an answer of something else", func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			w.WriteHeader(502)
			io.WriteString(w, "<html>Bad gateway")
			return true
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := newServer(t)
			s, err := open(t.Context(), srv.place(""), patience{still: 300 * time.Millisecond, attempts: 2, backoff: time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			d := mustPut(t, s, make([]byte, 1000))
			srv.fault = tt.fault
			body, err := s.Get(t.Context(), d)
			if err == nil || errors.Is(err, ErrCorrupt) || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("got %d bytes, %v; want an error of the network", len(body), err)
			}
		})
	}
}

// TestOpenSaysWhatIsWrong also holds that no error tells a secret.
func TestOpenSaysWhatIsWrong(t *testing.T) {
	quick := patience{still: 300 * time.Millisecond, attempts: 2, backoff: time.Millisecond}
	tests := []struct {
		name string
		at   func(*testing.T) string
		want string
	}{
		{"refuses", func(t *testing.T) string { return placeAt(deaf(t, true), "") }, "connection refused"},
		{"answers nothing", func(t *testing.T) string { return placeAt(deaf(t, false), "") }, "timeout"},
		{"wrong credentials", func(t *testing.T) string {
			return placeAt(refusing(t, "SignatureDoesNotMatch"), "")
		}, "SignatureDoesNotMatch"},
		{"no such bucket", func(t *testing.T) string {
			return strings.Replace(newServer(t).place(""), bucketOfTests, "tide-nothing", 1)
		}, "s3://tide-nothing: there is no such place"},
		{"no credentials", func(t *testing.T) string {
			at := newServer(t).place("")
			credentials(t, "", "")
			return at
		}, "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"},
		{"no region", func(*testing.T) string { return "s3://" + bucketOfTests }, "AWS_REGION"},
		{"no place", func(*testing.T) string { return "s3://key:" + testSecret + "@tide" }, "does not belong"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			credentials(t, testKeyID, testSecret)
			_, err := open(t.Context(), tt.at(t), quick)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
			if strings.Contains(err.Error(), testSecret) || strings.Contains(err.Error(), testKeyID) {
				t.Errorf("a secret is in %q", err)
			}
		})
	}
}

// deaf returns the URL of a port that takes connections and says nothing, or
// that takes none.
func deaf(t *testing.T, closed bool) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if closed {
		l.Close()
	}
	t.Cleanup(func() { l.Close() })
	return "http://" + l.Addr().String()
}

func refusing(t *testing.T, code string) string {
	t.Helper()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answer(w, 403, code) }))
	t.Cleanup(h.Close)
	return h.URL
}

func TestABucketThatIsGone(t *testing.T) {
	srv := newServer(t)
	s := mustOpen(t, srv.place(""))
	if err := srv.s3.DeleteBucket(bucketOfTests); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), schemas.DigestOf(nil)); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("getting: got %v, want an error about the bucket", err)
	}
	if _, err := s.Put(t.Context(), nil); err == nil {
		t.Error("it was stored nowhere")
	}
}

// TestCancelledDuringAnUpload cancels when the server has the first bytes. The
// server reads on when Put has returned.
func TestCancelledDuringAnUpload(t *testing.T) {
	for _, size := range []int{8 << 20, 40 << 20} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			srv := newServer(t)
			s := mustOpen(t, srv.place(""))
			ctx, cancel := context.WithCancel(t.Context())
			returned := make(chan struct{})
			srv.fault = func(_ http.ResponseWriter, r *http.Request, _ int) bool {
				if r.Method == http.MethodPut {
					start := make([]byte, 1000)
					n, _ := io.ReadFull(r.Body, start)
					cancel()
					<-returned
					r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(start[:n]), r.Body))
				}
				return false
			}
			_, err := s.Put(ctx, make([]byte, size))
			close(returned)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want context.Canceled", err)
			}
			if keys := keysOf(t, s); len(keys) > 0 {
				t.Errorf("there are %q", keys)
			}
			if got := strings.Join(srv.seen, " "); got != "HEAD PUT" {
				t.Errorf("the requests were %s; parts of an upload may be left", got)
			}
		})
	}
}

func TestLocationInABucket(t *testing.T) {
	srv := newServer(t)
	d := schemas.DigestOf([]byte("log"))
	for below, want := range map[string]string{"": "s3://tide-artefacts/", "/team/one": "s3://tide-artefacts/team/one/"} {
		want += d.Hex()[:2] + "/" + d.Hex()[2:]
		if got := mustOpen(t, srv.place(below)).Location(d); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestAConnectionMustMove lets a slow upload pass, during which the answer is
// awaited for longer than a connection may stand still.
func TestAConnectionMustMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer theirs.Close()
		m := &moving{Conn: ours, still: 30 * time.Second}
		start := time.Now()
		var failed time.Duration
		done := make(chan error)
		go func() {
			_, err := m.Read(make([]byte, 1))
			failed = time.Since(start)
			done <- err
		}()
		for range 5 {
			time.Sleep(20 * time.Second)
			go theirs.Read(make([]byte, 1))
			if _, err := m.Write([]byte("x")); err != nil {
				t.Fatalf("after %s: %v", time.Since(start), err)
			}
		}
		if err := <-done; !errors.Is(err, os.ErrDeadlineExceeded) || failed != 130*time.Second {
			t.Errorf("got %v after %s, want it 30s after the last of 100s", err, failed)
		}
	})
}
