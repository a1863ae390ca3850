package observe

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"image/png"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/seed505807e1/berth"
)

const (
	// glance is how long the page waits for a container. It is short, since the page reloads.
	glance = 250 * time.Millisecond
	// thumbPixels is the greatest number of pixels of a picture in the page.
	thumbPixels = 128 * 128
	// fullPixels is the greatest number of pixels of a picture by itself.
	fullPixels = 1024 * 1024
)

//go:embed page
var files embed.FS

// policy is the content security policy of every response. The page loads nothing from elsewhere.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
	"img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP implements [http.Handler]. It serves, at any path:
//
//   - without a query, a page that shows the containers and keeps their history while it is open
//   - ?format=prometheus, what [Registry.WritePrometheus] writes
//   - ?format=json, what the page loads
//   - ?png=name, the picture of a container, of up to 1024 times 1024 pixels
//
// Everything else is not found, and so is the picture of a container that has no slots, or is not
// registered. A picture of a late one gets status 503. Methods other than GET and HEAD are not
// allowed. A request to a loopback address by another name than localhost gets 421. See Access at
// the package.
//
// Cost: as [Registry.Snapshots], which waits for a quarter of a second, or for metrics and pictures
// a second.
func (r *Registry) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if q.Method != http.MethodGet && q.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	if rebound(q) {
		http.Error(w, "only by the name localhost, or by an address", http.StatusMisdirectedRequest)
		return
	}
	query, err := url.ParseQuery(q.URL.RawQuery)
	if err != nil {
		http.Error(w, "bad query", http.StatusBadRequest)
		return
	}
	switch {
	case query.Has("png"):
		r.servePNG(w, q, query.Get("png"))
	case query.Has("format"):
		r.serveFormat(w, q, query.Get("format"))
	default:
		serveFile(w, query.Get("file"))
	}
}

// rebound reports whether a request reached a loopback address by a name that is not localhost. It
// may come from a page of another site whose name resolves to this machine (DNS rebinding).
func rebound(q *http.Request) bool {
	at, ok := q.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok || !at.IP.IsLoopback() {
		return false
	}
	host := q.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return !strings.EqualFold(host, "localhost") && net.ParseIP(strings.Trim(host, "[]")) == nil
}

// serveFile serves a file of the page.
func serveFile(w http.ResponseWriter, name string) {
	kind, ok := map[string]string{
		"":         "text/html; charset=utf-8",
		"page.css": "text/css; charset=utf-8",
		"page.js":  "text/javascript; charset=utf-8",
	}[name]
	data, err := files.ReadFile("page/" + cmp.Or(name, "page.html"))
	if !ok || err != nil {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(data) // the client has gone
}

// serveFormat serves the counts.
func (r *Registry) serveFormat(w http.ResponseWriter, q *http.Request, format string) {
	var b bytes.Buffer
	switch format {
	case "prometheus":
		ctx, cancel := context.WithTimeout(q.Context(), patience)
		defer cancel()
		_ = writePrometheus(&b, r.Snapshots(ctx, false)) // a Buffer does not fail
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	case "json":
		ctx, cancel := context.WithTimeout(q.Context(), glance)
		defer cancel()
		if err := json.NewEncoder(&b).Encode(glances(r.Snapshots(ctx, true))); err != nil {
			http.Error(w, "cannot encode", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
	default:
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	_, _ = w.Write(b.Bytes())
}

// servePNG serves the picture of a container.
func (r *Registry) servePNG(w http.ResponseWriter, q *http.Request, name string) {
	ctx, cancel := context.WithTimeout(q.Context(), patience)
	defer cancel()
	s, ok := r.snapshot(ctx, name)
	switch {
	case ok && s.missing():
		http.Error(w, "the container was not read in time", http.StatusServiceUnavailable)
		return
	case !ok || s.Slots == nil:
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	_, _ = w.Write(encode(s.Slots, fullPixels))
}

// view is a container as the page gets it. It tells that something has panicked, but not the text,
// which may hold a value.
type view struct {
	Name    string
	Late    bool
	Failed  bool
	Stats   berth.Stats
	Picture []byte // a PNG, in base64
}

func glances(ss []Snapshot) []view {
	vs := make([]view, len(ss))
	for i, s := range ss {
		vs[i] = view{Name: s.Name, Late: s.Late, Failed: s.Err != nil, Stats: s.Stats}
		if s.Slots != nil {
			vs[i].Picture = encode(s.Slots, thumbPixels)
		}
	}
	return vs
}

// encode returns the picture of slots as a PNG.
func encode(slots []berth.Slots, maxPixels int) []byte {
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestSpeed}
	n := min(len(slots)*64, maxPixels)
	_ = e.Encode(&b, Picture(slots, pictureWidth(n), maxPixels)) // the image has pixels
	return b.Bytes()
}
