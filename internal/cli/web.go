package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"crossswe/internal/jobs"
)

// Vitals are /healthz and /metrics of a served stage.
type Vitals struct {
	// Metrics counts the jobs of this process.
	Metrics *jobs.Metrics
	// Terse keeps to the log why the stage is not healthy: strangers may ask.
	Terse bool

	stage    *Stage
	registry *prometheus.Registry
	health   atomic.Pointer[func() error] // nil until the stage works
}

// Vitals makes the stage's metrics. The stage is not healthy until Begin.
func (s *Stage) Vitals() *Vitals {
	reg := prometheus.NewRegistry()
	reg.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewBuildInfoCollector())
	return &Vitals{Metrics: jobs.NewMetrics(reg, s.Store), stage: s, registry: reg}
}

// Begin tells how to ask the stage for its health.
func (v *Vitals) Begin(health func() error) { v.health.Store(&health) }

// Handle adds the two to a server.
func (v *Vitals) Handle(mux *http.ServeMux) {
	mux.Handle("GET /metrics", promhttp.HandlerFor(v.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", v.healthz)
}

// healthz answers 200 when the stage can work, 503 and why when it cannot.
func (v *Vitals) healthz(rw http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), webTime/2)
	defer cancel()
	err := v.fit(ctx)
	switch {
	case err == nil:
		fmt.Fprintln(rw, "ok")
	case v.Terse:
		v.stage.Log.Warn("not healthy", "error", err)
		http.Error(rw, http.StatusText(http.StatusServiceUnavailable), http.StatusServiceUnavailable)
	default:
		http.Error(rw, err.Error(), http.StatusServiceUnavailable)
	}
}

func (v *Vitals) fit(ctx context.Context) error {
	if _, err := v.stage.Store.Now(ctx); err != nil {
		return err
	}
	health := v.health.Load()
	if health == nil {
		return errors.New("starting")
	}
	return (*health)()
}

// Web is the server of a served stage.
type Web struct {
	// Address is where it listens.
	Address net.Addr

	server *http.Server
	done   chan error // gets the end of Serve, once
}

// webTime bounds the reading of a request and the end of the server; its answer
// may take twice as long.
const webTime = 10 * time.Second

// maxHeader bounds the header of a request.
const maxHeader = 64 << 10

// Listen opens the address that -listen names and begins to answer. Close it,
// or Wait.
func (s *Stage) Listen(ctx context.Context, h http.Handler) (*Web, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.serve.listen)
	if err != nil {
		return nil, Usagef("-listen: %w", err)
	}
	w := &Web{Address: l.Addr(), done: make(chan error, 1), server: &http.Server{
		Handler: h, ReadHeaderTimeout: webTime, ReadTimeout: webTime, WriteTimeout: 2 * webTime, IdleTimeout: time.Minute,
		MaxHeaderBytes: maxHeader, ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn),
	}}
	go func() { w.done <- w.server.Serve(l) }()
	s.Log.Info("serving", "address", l.Addr().String())
	return w, nil
}

// Wait answers until the context ends or the server fails, and closes it.
func (w *Web) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return w.Close(ctx)
	case err := <-w.done:
		w.done <- err
		return w.Close(ctx)
	}
}

// Close lets the requests that are being answered end, for a while, and ends
// the server.
func (w *Web) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), webTime)
	defer cancel()
	err := w.server.Shutdown(ctx)
	if served := <-w.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
