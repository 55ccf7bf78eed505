package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"crossswe/internal/jobs"
)

// web answers /healthz and /metrics of a served stage.
type web struct {
	server *http.Server
	health atomic.Pointer[func() error] // nil until the stage works
	done   chan error
}

// webTime bounds what one request and the end of the server may take.
const webTime = 10 * time.Second

// listen opens the address and begins to answer.
func (s *Stage) listen(ctx context.Context) (*web, *jobs.Metrics, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.serve.listen)
	if err != nil {
		return nil, nil, Usagef("-listen: %w", err)
	}
	reg := prometheus.NewRegistry()
	reg.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewBuildInfoCollector())
	metrics := jobs.NewMetrics(reg, s.Store)
	w := &web{done: make(chan error, 1)}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(reg, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(rw http.ResponseWriter, r *http.Request) { w.healthz(r.Context(), s, rw) })
	w.server = &http.Server{Handler: mux, ReadHeaderTimeout: webTime, WriteTimeout: webTime, IdleTimeout: time.Minute}
	go func() { w.done <- w.server.Serve(l) }()
	s.Log.Info("serving", "address", l.Addr().String())
	return w, metrics, nil
}

// begin tells how to ask the stage for its health.
func (w *web) begin(health func() error) { w.health.Store(&health) }

// healthz answers 200 when the stage can work, 503 and why when it cannot.
func (w *web) healthz(ctx context.Context, s *Stage, rw http.ResponseWriter) {
	ctx, cancel := context.WithTimeout(ctx, webTime/2)
	defer cancel()
	if err := w.fit(ctx, s); err != nil {
		http.Error(rw, err.Error(), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(rw, "ok")
}

func (w *web) fit(ctx context.Context, s *Stage) error {
	if _, err := s.Store.Now(ctx); err != nil {
		return err
	}
	health := w.health.Load()
	if health == nil {
		return errors.New("starting")
	}
	return (*health)()
}

// close ends the server.
func (w *web) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), webTime)
	defer cancel()
	err := w.server.Shutdown(ctx)
	if served := <-w.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
