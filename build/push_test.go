package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"crossswe/internal/container/registrytest"
	"crossswe/internal/store"
	"crossswe/schemas"
)

// TestPushAfterTheBuild goes through the faults of a registry with one image,
// which is built once.
func TestPushAfterTheBuild(t *testing.T) {
	const user, password = "deploy", "tr0ub4dor-and-3"
	b, e, r := newBench(t), connect(t), registrytest.New(t)
	r.RequireLogin(user, password)
	id := b.keep(b.goPair()...)
	repo := r.Repository("crossswe/env")
	configured := b.read("pipeline.yaml")
	b.write("pipeline.yaml", configured+"  registry: "+repo+"\n")

	r.Stop()
	outputs := b.failsToPush(id, schemas.BuildRegistryUnreachable)
	built := b.environment(id)
	t.Cleanup(func() {
		if err := e.DiscardImage(context.WithoutCancel(t.Context()), string(built.ImageID)); err != nil {
			t.Error(err)
		}
	})
	r.Start()
	logIn(t, r.Host, user, "not-"+password)
	outputs += b.failsToPush(id, schemas.BuildRegistryDenied)
	logIn(t, r.Host, user, password)
	pushed := b.built(id)

	if !pushed.Pushed.ByDigest() || !strings.HasPrefix(string(pushed.Pushed), repo+"@") {
		t.Errorf("pushed as %q, want %s by digest", pushed.Pushed, repo)
	}
	if diff := cmp.Diff(built, pushed, cmpopts.IgnoreFields(schemas.Environment{}, "Pushed")); diff != "" {
		t.Errorf("the image was built again (-first +last):\n%s", diff)
	}
	if it := b.item(id); it.State != store.Kept {
		t.Errorf("state %+v", it)
	}
	before := r.Requests()
	for _, config := range []string{b.read("pipeline.yaml"), configured} {
		b.write("pipeline.yaml", config)
		again := b.build(flags{})
		outputs += again.stdout + again.stderr
		if again.code != 0 || strings.Contains(again.stderr, "given up") || r.Requests() != before {
			t.Errorf("once more: %+v, %d requests", again, r.Requests()-before)
		}
		if diff := cmp.Diff(pushed, b.environment(id)); diff != "" {
			t.Errorf("once more, the record changed (-was +is):\n%s", diff)
		}
	}
	for _, secret := range []string{password, base64.StdEncoding.EncodeToString([]byte(user + ":" + password))} {
		if strings.Contains(outputs, secret) {
			t.Errorf("the output holds the login:\n%s", outputs)
		}
		b.holdsNot(secret)
	}
}

// failsToPush runs the program, which must fail with the reason and keep the
// environment, and returns what it wrote.
func (b *bench) failsToPush(id schemas.CandidateID, want schemas.BuildReason) string {
	b.t.Helper()
	got := b.build(flags{})
	it := b.item(id)
	if got.code != 1 || it.State != store.Failed || it.Reason != string(want) {
		b.t.Fatalf("exit code %d, %s, %s: %s; want failed, %s\n%s", got.code, it.State, it.Reason, it.Detail, want, got.stderr)
	}
	if env := b.environment(id); env.Pushed != "" {
		b.t.Errorf("recorded as pushed: %s", env.Pushed)
	}
	return got.stdout + got.stderr
}

// logIn writes what docker login would write.
func logIn(t *testing.T, host, user, password string) {
	t.Helper()
	dir := t.TempDir()
	auth := base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
	if err := os.WriteFile(filepath.Join(dir, "config.json"), fmt.Appendf(nil, `{"auths": {%q: {"auth": %q}}}`, host, auth), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DOCKER_CONFIG", dir)
}

func (b *bench) read(name string) string {
	b.t.Helper()
	body, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(body)
}

// holdsNot looks for the text in every file of the bench: records, artefacts.
func (b *bench) holdsNot(text string) {
	b.t.Helper()
	err := filepath.WalkDir(b.dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		body, err := os.ReadFile(file)
		if bytes.Contains(body, []byte(text)) {
			b.t.Errorf("%s holds %q", file, text)
		}
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
}
