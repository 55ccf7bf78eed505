package web

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"riverqueue.com/riverui"

	"crossswe/internal/jobs"
)

// riverPolicy is the content security policy of River's pages: scripts, styles
// and requests of this server, and images within its style sheet. The style
// element that they would fill by script takes 'unsafe-inline' and is refused:
// version 0.22 looks and works the same without it.
const riverPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// NewJobs returns River's pages about the job queue, to be served at /jobs/.
// They count jobs in the background until the context ends. The client must stay
// open until then.
func NewJobs(ctx context.Context, client *jobs.Client, log *slog.Logger) (http.Handler, error) {
	h, err := riverui.NewHandler(&riverui.HandlerOpts{Endpoints: riverui.NewEndpoints(client, nil), Logger: log, Prefix: "/jobs"})
	if err != nil {
		return nil, fmt.Errorf("making the pages of the job queue: %w", err)
	}
	if err := h.Start(ctx); err != nil {
		return nil, fmt.Errorf("starting the pages of the job queue: %w", err)
	}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Security-Policy", riverPolicy)
		h.ServeHTTP(rw, r)
	}), nil
}
