// Package web is screen's web server: who may come in, what bounds and protects
// every request, the page that shows how far the pipeline is, and River's own
// pages about the job queue.
//
// A request passes, from outside in: the log; the headers that every answer
// carries; the check of its host; the check that no other site sent it
// (net/http.CrossOriginProtection); the bound of its body; and, but for what is
// open to all, the sign-in.
package web

import (
	"log/slog"
	"net/http"

	"crossswe/internal/store"
)

// Options describe a server.
type Options struct {
	Log    *slog.Logger
	Store  *store.Store
	SignIn SignIn
	// Jobs are River's pages; see NewJobs.
	Jobs http.Handler
	// Local refuses requests for any name but that of this machine for itself.
	// Without it a page elsewhere could have its own name lead here (DNS
	// rebinding) and read what is open to all.
	Local bool
}

// New returns the server: what open answers, for all, and the pages, for those
// who are signed in.
func New(open *http.ServeMux, opt Options) http.Handler {
	pages := http.NewServeMux()
	pages.HandleFunc("GET /{$}", opt.front)
	pages.Handle("/jobs/", opt.Jobs)
	open.HandleFunc("GET /style.css", style)
	open.Handle("/", signedIn(opt.SignIn, pages))

	var h http.Handler = open
	h = bounded(h)
	h = ownSite(h)
	if opt.Local {
		h = local(h)
	}
	h = secured(h)
	return logged(opt.Log, h)
}
