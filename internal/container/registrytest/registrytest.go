// Package registrytest is a container registry on the loopback interface, for
// tests. An engine on the same machine talks to it over plain HTTP, as to any
// registry in 127.0.0.0/8.
package registrytest

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Registry is a running registry. Its blobs lie in a directory and its
// manifests in memory; both outlive Stop.
type Registry struct {
	// Host is its address, as in the names of its images.
	Host string

	t       *testing.T
	handler http.Handler
	blobs   *blobs
	server  *http.Server
	served  sync.WaitGroup

	mu       sync.Mutex
	login    *[2]string
	answer   func(http.ResponseWriter, *http.Request) bool
	requests atomic.Int64
}

// New starts a registry that ends with the test.
func New(t *testing.T) *Registry {
	t.Helper()
	files := registry.NewDiskBlobHandler(t.TempDir())
	r := &Registry{t: t, blobs: &blobs{files: files}}
	r.handler = registry.New(registry.Logger(log.New(io.Discard, "", 0)), registry.WithBlobHandler(r.blobs))
	r.start("127.0.0.1:0")
	t.Cleanup(r.Stop)
	return r
}

// Repository returns the name of a repository in the registry.
func (r *Registry) Repository(name string) string { return r.Host + "/" + name }

// RequireLogin refuses everybody else from now on.
func (r *Registry) RequireLogin(user, password string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.login = &[2]string{user, password}
}

// Answer lets f answer requests in the registry's place; it reports whether it
// did. Nil ends that.
func (r *Registry) Answer(f func(http.ResponseWriter, *http.Request) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = f
}

// Uploads is how many layers and configurations were stored so far.
func (r *Registry) Uploads() int { return int(r.blobs.puts.Load()) }

// Requests is how many requests came so far.
func (r *Registry) Requests() int { return int(r.requests.Load()) }

// Stop cuts all connections and frees the port. It may be called twice.
func (r *Registry) Stop() {
	if err := r.server.Close(); err != nil {
		r.t.Error(err)
	}
	r.served.Wait()
}

// Start listens again at the same address.
func (r *Registry) Start() { r.t.Helper(); r.start(r.Host) }

func (r *Registry) start(address string) {
	r.t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		r.t.Fatal(err)
	}
	r.Host = l.Addr().String()
	server := &http.Server{Handler: r, ReadHeaderTimeout: time.Minute}
	r.server = server
	r.served.Go(func() { _ = server.Serve(l) }) // it ends by Close, with an error
}

// ServeHTTP implements http.Handler.
func (r *Registry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.requests.Add(1)
	r.mu.Lock()
	login, answer := r.login, r.answer
	r.mu.Unlock()
	if answer != nil && answer(w, req) {
		return
	}
	if user, password, _ := req.BasicAuth(); login != nil && (user != login[0] || password != login[1]) {
		w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		// Without a detail, engine 20.10 takes it for passing and tries for a minute.
		fmt.Fprintln(w, `{"errors":[{"code":"UNAUTHORIZED","message":"authentication required","detail":"test"}]}`)
		return
	}
	r.handler.ServeHTTP(w, req)
}

// blobs counts what is stored.
type blobs struct {
	files registry.BlobHandler
	puts  atomic.Int64
}

func (b *blobs) Get(ctx context.Context, repo string, h v1.Hash) (io.ReadCloser, error) {
	return b.files.Get(ctx, repo, h)
}

// Stat implements registry.BlobStatHandler.
func (b *blobs) Stat(ctx context.Context, repo string, h v1.Hash) (int64, error) {
	return b.files.(registry.BlobStatHandler).Stat(ctx, repo, h)
}

// Put implements registry.BlobPutHandler.
func (b *blobs) Put(ctx context.Context, repo string, h v1.Hash, rc io.ReadCloser) error {
	err := b.files.(registry.BlobPutHandler).Put(ctx, repo, h, rc)
	if err == nil {
		b.puts.Add(1)
	}
	return err
}
