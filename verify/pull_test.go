package main

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/go-containerregistry/pkg/authn"

	"crossswe/internal/container"
	"crossswe/internal/container/registrytest"
	"crossswe/internal/store"
	"crossswe/schemas"
)

// login is a keychain with one login.
type login struct{ authn.AuthConfig }

func (l login) Resolve(authn.Resource) (authn.Authenticator, error) {
	return authn.FromConfig(l.AuthConfig), nil
}

// TestImageFromARegistry verifies on the machine that built, and then as on
// another one: the engine forgets the image in between.
func TestImageFromARegistry(t *testing.T) {
	r := registrytest.New(t)
	r.RequireLogin("deploy", "w0rd")
	w := newWorld(t, behaviour)
	w.engineWith(t, login{authn.AuthConfig{Username: "deploy", Password: "w0rd"}})
	env := w.environmentOf(t)
	digest, err := w.engine.Push(t.Context(), string(env.ImageID), r.Repository("env:1"))
	if err != nil {
		t.Fatal(err)
	}
	env.Pushed = schemas.ImageRef(r.Repository("env@" + digest))
	w.put(t, env)

	before := r.Requests()
	if err := w.verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	here := w.verdictOf(t)
	if here.Kind != schemas.VerdictJoint || r.Requests() != before {
		t.Errorf("with the image at hand: %s, and %d requests to the registry", here.Kind, r.Requests()-before)
	}
	w.forget(t, env)
	w.flags.again = true
	if err := w.verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	there := w.verdictOf(t)
	ignore := cmp.Options{
		cmpopts.IgnoreFields(schemas.Verdict{}, "VerifiedAt"),
		cmpopts.IgnoreFields(schemas.Run{}, "Duration", "Results"), // they hold times
		cmpopts.IgnoreFields(schemas.Step{}, "Duration", "Log"),
	}
	if diff := cmp.Diff(here, there, ignore); diff != "" {
		t.Errorf("the verdict differs (-here +there):\n%s", diff)
	}
	w.nothingLeft(t)

	t.Run("another image than recorded", func(t *testing.T) {
		other := env
		other.ImageID = schemas.Digest("sha256:" + strings.Repeat("0", 64))
		w.failsToPull(t, other, errOtherImage, schemas.BuildImageMismatch)
	})
	t.Run("no login", func(t *testing.T) {
		w.forget(t, env)
		w.engineWith(t, nil)
		w.failsToPull(t, env, container.ErrRegistryDenied, schemas.BuildRegistryDenied)
	})
	t.Run("no registry", func(t *testing.T) {
		r.Stop()
		w.failsToPull(t, env, container.ErrRegistryUnreachable, schemas.BuildRegistryUnreachable)
	})
	w.nothingLeft(t)
}

// failsToPull verifies once more, which must fail and be taken again.
func (w *world) failsToPull(t *testing.T, env schemas.Environment, want error, reason schemas.BuildReason) {
	t.Helper()
	was := w.verdictOf(t)
	w.put(t, env)
	if err := w.verify(t.Context()); !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
	it, _, err := w.Store.Item(t.Context(), store.StageVerify, w.id)
	if err != nil || it.State != store.Failed || it.Reason != string(reason) || strings.Contains(it.Detail, "w0rd") {
		t.Errorf("state %+v (%v), want failed, %s", it, err, reason)
	}
	if diff := cmp.Diff(was, w.verdictOf(t)); diff != "" {
		t.Errorf("there is a new verdict:\n%s", diff)
	}
}

func (w *world) environmentOf(t *testing.T) schemas.Environment {
	t.Helper()
	env, ok, err := store.Get[schemas.Environment](t.Context(), w.Store, w.id)
	if err != nil || !ok {
		t.Fatalf("no environment (%v)", err)
	}
	return env
}

func (w *world) put(t *testing.T, env schemas.Environment) {
	t.Helper()
	if err := w.Store.Commit(t.Context(), store.Batch{Records: []schemas.Record{env}}); err != nil {
		t.Fatal(err)
	}
}

// engineWith connects with other logins.
func (w *world) engineWith(t *testing.T, keys authn.Keychain) {
	t.Helper()
	engine, err := container.Connect(t.Context(), container.Options{Host: os.Getenv("DOCKER_HOST"), Run: "verify-test", Keychain: keys})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	w.engine = engine
}

// forget takes the image off the engine, with all its names.
func (w *world) forget(t *testing.T, env schemas.Environment) {
	t.Helper()
	if err := w.engine.DiscardImage(t.Context(), string(env.ImageID)); err != nil {
		t.Fatal(err)
	}
	if _, there, err := w.engine.Image(t.Context(), string(env.ImageID)); there || err != nil {
		t.Fatalf("the image is still there (%v)", err)
	}
}
