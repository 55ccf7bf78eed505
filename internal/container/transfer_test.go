package container

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/moby/moby/api/types/registry"
)

// scripted is an engine that knows one image and answers a push or a pull by
// script; it keeps what it was asked.
type scripted struct {
	status int
	body   string
	after  func(context.Context) // runs when the body is out

	path, query, auth string
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case strings.HasSuffix(r.URL.Path, "/_ping"):
		w.Header().Set("Api-Version", "1.41")
	case strings.HasSuffix(path, "/tag"):
		w.WriteHeader(http.StatusCreated)
	case strings.HasSuffix(path, "/json"):
		io.WriteString(w, `{"Id": "sha256:1"}`)
	default:
		s.path, s.query, s.auth = path, r.URL.Query().Encode(), r.Header.Get(registry.AuthHeader)
		w.WriteHeader(s.status)
		io.WriteString(w, s.body)
		if s.after != nil {
			w.(http.Flusher).Flush()
			s.after(r.Context())
		}
	}
}

// serve returns a connection to the scripted engine.
func (s *scripted) serve(t *testing.T, keys authn.Keychain) *Engine {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	e, err := Connect(t.Context(), Options{Host: "tcp://" + server.Listener.Addr().String(), Run: "r", Keychain: keys})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// keychain gives everybody the same login.
type keychain struct{ authn.AuthConfig }

func (k keychain) Resolve(authn.Resource) (authn.Authenticator, error) {
	return authn.FromConfig(k.AuthConfig), nil
}

type brokenKeychain struct{}

func (brokenKeychain) Resolve(authn.Resource) (authn.Authenticator, error) {
	return nil, errors.New("config.json is no JSON")
}

const (
	repo = "registry.example.org/crossswe"
	some = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
)

// failed is the message of an engine that began and could not go on.
func failed(message string) string {
	body, _ := json.Marshal(map[string]any{"errorDetail": map[string]string{"message": message}, "error": message})
	return `{"status":"The push refers to repository [` + repo + `]"}` + "\n" + string(body) + "\n"
}

func TestTransferTells(t *testing.T) {
	all := []error{ErrNoImage, ErrNoSpace, ErrRegistryDenied, ErrRegistryUnreachable, ErrNoEngine}
	const pushed = `{"status":"1: digest: ` + some + ` size: 1"}` + "\n" + `{"progressDetail":{},"aux":{"Tag":"1","Digest":"` + some + `","Size":1}}` + "\n"
	const absent = `{"message":"manifest for ` + repo + `@` + some + ` not found: manifest unknown: manifest unknown"}`
	tests := []struct {
		name   string
		status int
		body   string
		push   []error // sentinels; nil: it succeeds
		pull   []error
		advice string
	}{
		{"success", 200, pushed, nil, nil, ""},
		{"a digest and then an error", 200, pushed + failed("received unexpected HTTP status: 500 Internal Server Error"), []error{ErrRegistryUnreachable}, []error{ErrRegistryUnreachable}, ""},
		{"nobody listens", 500, `{"message":"Get \"http://127.0.0.1:1/v2/\": dial tcp 127.0.0.1:1: connect: connection refused"}`, []error{ErrRegistryUnreachable}, []error{ErrRegistryUnreachable}, ""},
		{"nobody listens, told in the stream", 200, failed(`Get "http://127.0.0.1:1/v2/": dial tcp 127.0.0.1:1: connect: connection refused`), []error{ErrRegistryUnreachable}, []error{ErrRegistryUnreachable}, ""},
		{"an old engine's form", 200, `{"error":"dial tcp: lookup registry.invalid: no such host"}`, []error{ErrRegistryUnreachable}, []error{ErrRegistryUnreachable}, ""},
		{"it breaks off", 200, failed(`Patch "http://127.0.0.1:1/v2/x/blobs/uploads/1": EOF`), []error{ErrRegistryUnreachable}, []error{ErrRegistryUnreachable}, ""},
		{"plain HTTP", 200, failed(`Get "https://10.0.0.1:5000/v2/": http: server gave HTTP response to HTTPS client`), []error{ErrRegistryUnreachable}, []error{ErrRegistryUnreachable}, "insecure-registries"},
		{"a certificate", 200, failed(`Get "https://10.0.0.1/v2/": x509: certificate signed by unknown authority`), []error{ErrRegistryUnreachable}, []error{ErrRegistryUnreachable}, "certs.d"},
		{"overloaded", 200, failed("received unexpected HTTP status: 503 Service Unavailable"), []error{ErrRegistryUnreachable}, []error{ErrRegistryUnreachable}, ""},
		{"no login", 200, failed("no basic auth credentials"), []error{ErrRegistryDenied}, []error{ErrRegistryDenied}, "docker login"},
		{"a wrong login", 500, `{"message":"unauthorized: authentication required"}`, []error{ErrRegistryDenied}, []error{ErrRegistryDenied}, "docker login"},
		{"no right to write", 200, failed("denied: requested access to the resource is denied"), []error{ErrRegistryDenied}, []error{ErrRegistryDenied}, "docker login"},
		{"private or absent", 404, `{"message":"pull access denied for x, repository does not exist or may require 'docker login': denied: requested access to the resource is denied"}`,
			[]error{ErrRegistryDenied}, []error{ErrNoImage, ErrRegistryDenied}, "docker login"},
		{"absent", 404, absent, []error{}, []error{ErrNoImage}, ""},
		{"absent, told in the stream", 200, failed("manifest unknown: manifest unknown"), []error{}, []error{ErrNoImage}, ""},
		{"a full disk", 200, failed("failed to register layer: Error processing tar file(exit status 1): write /x: no space left on device"), []error{ErrNoSpace}, []error{ErrNoSpace}, ""},
		{"anything else", 200, failed("failed to register layer: some fault of the engine"), []error{}, []error{}, ""},
		{"no JSON", 200, "<html>", []error{}, []error{}, ""},
		{"half a message", 200, `{"status":"Pus`, []error{}, []error{}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &scripted{status: tt.status, body: tt.body}
			e := s.serve(t, nil)
			digest, err := e.Push(t.Context(), "sha256:1", repo+":1")
			if err == nil && digest != some {
				t.Errorf("got digest %q", digest)
			}
			_, pullErr := e.Pull(t.Context(), repo+"@"+some)
			for _, got := range []struct {
				what string
				err  error
				want []error
			}{{"push", err, tt.push}, {"pull", pullErr, tt.pull}} {
				if (got.err == nil) != (got.want == nil) {
					t.Errorf("%s: got %v", got.what, got.err)
				}
				var is []error
				for _, sentinel := range all {
					if errors.Is(got.err, sentinel) {
						is = append(is, sentinel)
					}
				}
				if !slices.Equal(is, got.want) {
					t.Errorf("%s: %v is %v, want %v", got.what, got.err, is, got.want)
				}
				if got.err != nil && !strings.Contains(got.err.Error(), tt.advice) {
					t.Errorf("%s: %v lacks %q", got.what, got.err, tt.advice)
				}
			}
		})
	}
}

func TestPushWithoutADigestIsNone(t *testing.T) {
	e := (&scripted{status: 200, body: `{"status":"Pushed","id":"1"}`}).serve(t, nil)
	if digest, err := e.Push(t.Context(), "sha256:1", repo+":1"); err == nil {
		t.Errorf("got %q without an error", digest)
	}
}

func TestPushAsksForOneTag(t *testing.T) {
	s := &scripted{status: 500, body: `{"message":"x"}`}
	e := s.serve(t, nil)
	_, _ = e.Push(t.Context(), "sha256:1", repo+":1")
	if s.path != "images/"+repo+"/push" || s.query != "tag=1" {
		t.Errorf("push: %s?%s", s.path, s.query)
	}
	_, _ = e.Pull(t.Context(), repo+"@"+some)
	if want := "fromImage=registry.example.org%2Fcrossswe&tag=sha256%3A" + strings.TrimPrefix(some, "sha256:"); s.path != "images/create" || s.query != want {
		t.Errorf("pull: %s?%s, want %s", s.path, s.query, want)
	}
}

// TestLogin shows what the engine is told, and that a registry which repeats
// it does not bring it into an error.
func TestLogin(t *testing.T) {
	const user, word = "deploy", "pass:w0rd/+"
	basic := base64.StdEncoding.EncodeToString([]byte(user + ":" + word))
	tests := []struct {
		name string
		keys authn.Keychain
		want registry.AuthConfig
	}{
		{"none", nil, registry.AuthConfig{ServerAddress: "registry.example.org"}},
		{"user and password", keychain{authn.AuthConfig{Username: user, Password: word}}, registry.AuthConfig{Username: user, Password: word, ServerAddress: "registry.example.org"}},
		{"as in a file", keychain{authn.AuthConfig{Auth: basic}}, registry.AuthConfig{Username: user, Password: word, ServerAddress: "registry.example.org"}},
		{"an identity token", keychain{authn.AuthConfig{IdentityToken: word}}, registry.AuthConfig{IdentityToken: word, ServerAddress: "registry.example.org"}},
		{"a registry token", keychain{authn.AuthConfig{RegistryToken: word}}, registry.AuthConfig{RegistryToken: word, ServerAddress: "registry.example.org"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &scripted{status: 200}
			e := s.serve(t, tt.keys)
			s.body = failed("denied: I will not have " + word + " nor Basic " + basic)
			for what, call := range map[string]func() error{
				"push": func() error { _, err := e.Push(t.Context(), "sha256:1", repo+":1"); return err },
				"pull": func() error { _, err := e.Pull(t.Context(), repo+"@"+some); return err },
			} {
				err := call()
				if !errors.Is(err, ErrRegistryDenied) {
					t.Errorf("%s: %v", what, err)
				}
				if tt.keys != nil {
					noSecret(t, err, word)
				}
				if tt.want.Username != "" {
					noSecret(t, err, basic)
				}
				plain, err := base64.URLEncoding.DecodeString(s.auth)
				var got registry.AuthConfig
				if err := errors.Join(err, json.Unmarshal(plain, &got)); err != nil {
					t.Fatalf("%s: header %q: %v", what, s.auth, err)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
		})
	}
}

// noSecret looks for the secret in an error and everything that it wraps.
func noSecret(t *testing.T, err error, secret string) {
	t.Helper()
	if strings.Contains(err.Error(), secret) {
		t.Errorf("the error holds the login: %v", err)
	}
	switch w := err.(type) {
	case interface{ Unwrap() error }:
		if inner := w.Unwrap(); inner != nil {
			noSecret(t, inner, secret)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range w.Unwrap() {
			noSecret(t, inner, secret)
		}
	}
}

func TestABrokenKeychain(t *testing.T) {
	e := (&scripted{status: 200}).serve(t, brokenKeychain{})
	if _, err := e.Pull(t.Context(), repo+":1"); !errors.Is(err, ErrRegistryDenied) || !strings.Contains(err.Error(), "registry.example.org: config.json is no JSON") {
		t.Errorf("got %v", err)
	}
}

// deafKeychain answers when it is released.
type deafKeychain chan struct{}

func (d deafKeychain) Resolve(authn.Resource) (authn.Authenticator, error) {
	<-d
	return authn.Anonymous, nil
}

func TestAKeychainThatDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deaf := make(deafKeychain)
		defer close(deaf)
		start := time.Now()
		_, err := resolve(t.Context(), deaf, nil)
		if err == nil || !strings.Contains(err.Error(), "no answer from the credential helper after 1m") || time.Since(start) != loginTimeout {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
	})
}

// TestInterruptedTransfer ends a call that the engine keeps open.
func TestInterruptedTransfer(t *testing.T) {
	for _, body := range []string{"", `{"status":"Preparing","id":"1"}` + "\n"} {
		begun := make(chan struct{})
		s := &scripted{status: 200, body: body}
		s.after = func(ctx context.Context) { close(begun); <-ctx.Done() }
		e := s.serve(t, nil)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-begun; cancel() }()
		if _, err := e.Push(ctx, "sha256:1", repo+":1"); !errors.Is(err, context.Canceled) || errors.Is(err, ErrRegistryUnreachable) {
			t.Errorf("after %q: got %v, want %v", body, err, context.Canceled)
		}
	}
}

func TestWatch(t *testing.T) {
	tests := []struct {
		name  string
		every time.Duration // between messages
		ends  time.Duration
		text  string
	}{
		{"silence", 11 * time.Minute, 10 * time.Minute, "nothing was heard for 10m"},
		{"too long", 9 * time.Minute, 3 * time.Hour, "not done after 3h"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				ctx, w := newWatch(t.Context(), transferTimeout, quietTimeout)
				defer w.stop()
				for tick := time.NewTicker(tt.every); ctx.Err() == nil; {
					select {
					case <-tick.C:
						w.heard()
					case <-ctx.Done():
						tick.Stop()
					}
				}
				err := context.Cause(ctx)
				if !errors.Is(err, ErrRegistryUnreachable) || !strings.Contains(err.Error(), tt.text) || time.Since(start) != tt.ends {
					t.Errorf("after %s: %v", time.Since(start), err)
				}
			})
		})
	}
}

func FuzzFollow(f *testing.F) {
	f.Add([]byte(failed("x")))
	f.Add([]byte(`{"aux":{"Digest":"` + some + `"}}`))
	f.Add([]byte(`{"aux":[1]}{"errorDetail":null}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		digest, err := follow(strings.NewReader(string(body)), func() {})
		if digest != "" && !digestPattern.MatchString(digest) {
			t.Errorf("%q is no digest", digest)
		}
		if err != nil && transferFault(err, ErrNoImage, login{}).Error() == "" {
			t.Error("an error without a text")
		}
	})
}
