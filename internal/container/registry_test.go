package container

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/go-containerregistry/pkg/authn"

	"crossswe/internal/container/registrytest"
)

// stacked is an image on a base image, both of this test alone, so that no
// layer is on the engine or in a registry for another reason.
type stacked struct {
	Image
	base  Image
	texts []string // of the layers' files
}

func newStacked(t *testing.T, e *Engine) stacked {
	t.Helper()
	name := "crossswe-test/" + strings.ToLower(rand.Text())
	s := stacked{texts: []string{rand.Text(), rand.Text()}}
	var err error
	s.base, err = e.Build(t.Context(), BuildSpec{
		Tag: name + "-base", Dockerfile: []byte("FROM scratch\nCOPY base /base\n"), Context: oneFile("base", s.texts[0]), Timeout: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Image, err = e.Build(t.Context(), BuildSpec{
		Tag: name, Dockerfile: []byte("FROM " + s.base.ID + "\nCOPY top /top\n"), Context: oneFile("top", s.texts[1]), Timeout: time.Minute,
		Labels: map[string]string{"x": "y"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.remove(t, e) })
	return s
}

// remove takes the images off the engine, with all their names.
func (s stacked) remove(t *testing.T, e *Engine) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	for _, id := range []string{s.ID, s.base.ID} {
		if err := e.DiscardImage(ctx, id); err != nil {
			t.Error(err)
		}
		if _, there, err := e.Image(ctx, id); there || err != nil {
			t.Errorf("%s is still there (%v)", id, err)
		}
	}
}

// whole fails unless the engine has the image as it was built, with the files
// of all layers.
func (s stacked) whole(t *testing.T, e *Engine) {
	t.Helper()
	got, there, err := e.Image(t.Context(), s.ID)
	if err != nil || !there {
		t.Fatalf("the image is not there (%v)", err)
	}
	if diff := cmp.Diff(s.Image, got, cmpopts.IgnoreFields(Image{}, "Tags", "RepoDigests")); diff != "" {
		t.Errorf("the image differs (-built +got):\n%s", diff)
	}
	r, err := e.SaveImage(t.Context(), s.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	saved, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range s.texts {
		if !bytes.Contains(saved, []byte(text)) {
			t.Errorf("no layer holds %q", text)
		}
	}
}

// TestPushAndPull is the way of an image from one machine to another, of which
// there is one here: between push and pull the engine forgets the image.
func TestPushAndPull(t *testing.T) {
	e, r := connect(t), registrytest.New(t)
	s := newStacked(t, e)
	repo := r.Repository("crossswe/env")
	digest, err := e.Push(t.Context(), s.ID, repo+":1")
	if err != nil {
		t.Fatal(err)
	}
	s.whole(t, e)
	if got := r.Uploads(); got != 3 {
		t.Errorf("%d uploads, want two layers and a configuration", got)
	}
	again, err := e.Push(t.Context(), s.ID, repo+":1")
	if err != nil || again != digest {
		t.Errorf("pushed again: got %s, %v; want %s", again, err, digest)
	}
	if got := r.Uploads(); got != 3 {
		t.Errorf("%d uploads after the second push, want none more", got)
	}
	s.remove(t, e)
	got, err := e.Pull(t.Context(), repo+"@"+digest)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{repo + "@" + digest}; got.ID != s.ID || !cmp.Equal(got.RepoDigests, want) {
		t.Errorf("got %s as %v, want %s as %v", got.ID, got.RepoDigests, s.ID, want)
	}
	s.whole(t, e)
}

func TestRegistryTells(t *testing.T) {
	keys := func(password string) authn.Keychain {
		return keychain{authn.AuthConfig{Username: "deploy", Password: password}}
	}
	tests := []struct {
		name       string
		spoil      func(*registrytest.Registry)
		keys       authn.Keychain
		push, pull error
	}{
		{"stopped", (*registrytest.Registry).Stop, nil, ErrRegistryUnreachable, ErrRegistryUnreachable},
		{"no login", closed, nil, ErrRegistryDenied, ErrRegistryDenied},
		{"a wrong login", closed, keys("w0rd-wrong"), ErrRegistryDenied, ErrRegistryDenied},
		{"the right login, and no image", closed, keys("w0rd-right"), nil, ErrNoImage},
		{"another server", answer(http.StatusNotFound, "<html>nothing here</html>"), nil, errAny, errAny},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, r := connect(t), registrytest.New(t)
			s := newStacked(t, e)
			e.keys = authn.NewMultiKeychain()
			if tt.keys != nil {
				e.keys = tt.keys
			}
			tt.spoil(r)
			_, err := e.Push(t.Context(), s.ID, r.Repository("env:1"))
			_, pullErr := e.Pull(t.Context(), r.Repository("none@"+some))
			for what, got := range map[string][2]error{"push": {err, tt.push}, "pull": {pullErr, tt.pull}} {
				t.Logf("%s: %v", what, got[0])
				if got[1] == errAny && got[0] != nil {
					continue
				}
				if !errors.Is(got[0], got[1]) {
					t.Errorf("%s: got %v, want %v", what, got[0], got[1])
				}
				if got[0] != nil && strings.Contains(got[0].Error(), "w0rd") {
					t.Errorf("%s: the error holds the password: %v", what, got[0])
				}
			}
		})
	}
}

// errAny stands for an error of no kind that is told apart.
var errAny = errors.New("any")

func closed(r *registrytest.Registry) { r.RequireLogin("deploy", "w0rd-right") }

func answer(status int, body string) func(*registrytest.Registry) {
	return func(r *registrytest.Registry) {
		r.Answer(func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
			return true
		})
	}
}

// TestRegistryDies cuts the connection in the middle of a layer. Engines try a
// few more times, which takes most of a minute.
func TestRegistryDies(t *testing.T) {
	t.Parallel()
	e, r := connect(t), registrytest.New(t)
	s := newStacked(t, e)
	dead, once := make(chan struct{}), sync.Once{}
	r.Answer(func(w http.ResponseWriter, req *http.Request) bool {
		if req.Method != http.MethodPatch {
			return false
		}
		_, _ = io.Copy(io.Discard, req.Body)
		once.Do(func() { close(dead) })
		<-req.Context().Done()
		return true
	})
	stopped := make(chan struct{})
	go func() { defer close(stopped); <-dead; r.Stop() }()
	_, err := e.Push(t.Context(), s.ID, r.Repository("env:1"))
	if !errors.Is(err, ErrRegistryUnreachable) {
		t.Errorf("got %v, want %v", err, ErrRegistryUnreachable)
	}
	t.Log(err)
	<-stopped
	r.Answer(nil)
	r.Start()
	if _, err := e.Push(t.Context(), s.ID, r.Repository("env:1")); err != nil {
		t.Errorf("with the registry back: %v", err)
	}
}

// TestInterruptedPushAndPull cancels while a layer is on its way.
func TestInterruptedPushAndPull(t *testing.T) {
	e, r := connect(t), registrytest.New(t)
	s := newStacked(t, e)
	digest := ""
	push := func(ctx context.Context) (err error) {
		digest, err = e.Push(ctx, s.ID, r.Repository("env:1"))
		return err
	}
	interrupted(t, r, http.MethodPatch, push)
	if err := push(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.remove(t, e)
	pull := func(ctx context.Context) error { _, err := e.Pull(ctx, r.Repository("env@"+digest)); return err }
	interrupted(t, r, http.MethodGet, pull)
	if _, there, err := e.Image(t.Context(), s.ID); there || err != nil {
		t.Errorf("half an image is there (%v)", err)
	}
	if err := pull(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.whole(t, e)
}

// interrupted cancels the transfer once a blob is asked for by the method; the
// registry never answers that.
func interrupted(t *testing.T, r *registrytest.Registry, method string, transfer func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	over := make(chan struct{})
	r.Answer(func(_ http.ResponseWriter, req *http.Request) bool {
		if req.Method != method || !strings.Contains(req.URL.Path, "/blobs/") {
			return false
		}
		cancel()
		<-over
		return true
	})
	defer r.Answer(nil)
	defer close(over)
	done := make(chan error, 1)
	go func() { done <- transfer(ctx) }()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the call goes on after its context ended")
	}
}

// TestAnotherManifest is a registry that gives another image under a digest.
func TestAnotherManifest(t *testing.T) {
	e, r := connect(t), registrytest.New(t)
	one, two := newStacked(t, e), newStacked(t, e)
	digests := map[string]string{}
	for tag, s := range map[string]stacked{"1": one, "2": two} {
		d, err := e.Push(t.Context(), s.ID, r.Repository("env:"+tag))
		if err != nil {
			t.Fatal(err)
		}
		digests[tag] = d
	}
	one.remove(t, e)
	two.remove(t, e)
	r.Answer(func(w http.ResponseWriter, req *http.Request) bool {
		req.URL.Path = strings.ReplaceAll(req.URL.Path, digests["1"], digests["2"])
		return false
	})
	if img, err := e.Pull(t.Context(), r.Repository("env@"+digests["1"])); err == nil {
		t.Errorf("the engine took %s", img.ID)
	} else {
		t.Log(err)
	}
	for _, s := range []stacked{one, two} {
		if _, there, err := e.Image(t.Context(), s.ID); there || err != nil {
			t.Errorf("%s is there (%v)", s.ID, err)
		}
	}
}
