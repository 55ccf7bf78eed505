package web

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"time"
)

//go:embed pages
var files embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"seconds": func(d time.Duration) string { return fmt.Sprintf("%.0f s", d.Seconds()) },
}).ParseFS(files, "pages/*.html"))

// render writes a page, whole or not at all.
func render(rw http.ResponseWriter, r *http.Request, name string, data any) {
	var page bytes.Buffer
	if err := templates.ExecuteTemplate(&page, name, data); err != nil {
		fail(rw, r, fmt.Errorf("making a page: %w", err))
		return
	}
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	if _, err := rw.Write(page.Bytes()); err != nil {
		visitOf(r.Context()).err = fmt.Errorf("sending a page: %w", err)
	}
}

// front is the page that shows how far the pipeline is.
func (o Options) front(rw http.ResponseWriter, r *http.Request) {
	b, err := readBoard(r.Context(), o.Store)
	if err != nil {
		fail(rw, r, err)
		return
	}
	b.User = visitOf(r.Context()).user
	render(rw, r, "front.html", b)
}

func style(rw http.ResponseWriter, r *http.Request) {
	http.ServeFileFS(rw, r, files, "pages/style.css")
}
