package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

//go:embed page
var pages embed.FS

// policy lets the page load the files beside it, and nothing inline or from elsewhere.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// site is the page, at an address.
type site struct {
	url  string
	http *http.Server
	done chan struct{}
}

// open serves the page at l until close is called.
func open(l net.Listener, f *fleet, title string) *site {
	s := &site{
		url:  "http://" + l.Addr().String() + "/",
		http: &http.Server{Handler: handler(f, title), ReadHeaderTimeout: 5 * time.Second},
		done: make(chan struct{}),
	}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(l)
	}()
	return s
}

func (s *site) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		_ = s.http.Close()
	}
	<-s.done
}

// handler serves the page, its state, and the end of processes.
func handler(f *fleet, title string) http.Handler {
	files, err := fs.Sub(pages, "page")
	if err != nil {
		panic(err) // pages is embedded
	}
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(files))
	mux.HandleFunc("GET /state", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"title": title, "summary": f.summary(), "counts": f.counts(),
			"columns": columns, "rows": f.rows(time.Now()), "size": pictureSize,
		}) // an error is the end of the connection
	})
	mux.HandleFunc("POST /kill/{name}", func(w http.ResponseWriter, r *http.Request) {
		switch err := f.kill(r.PathValue("name")); {
		case err == nil:
			w.WriteHeader(http.StatusNoContent)
		case errors.Is(err, errUnknown):
			http.Error(w, err.Error(), http.StatusNotFound)
		case errors.Is(err, os.ErrProcessDone):
			http.Error(w, "it is down, or ends", http.StatusConflict)
		default:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	mux.HandleFunc("GET /kill/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "only by POST", http.StatusMethodNotAllowed)
	})
	// Pages of other sites cannot kill: a browser tells where a request comes from.
	return guard(http.NewCrossOriginProtection().Handler(mux))
}

// guard sets the headers of all responses, and refuses requests whose Host is not a name of this
// machine. Those come from pages whose names resolve to it (DNS rebinding).
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cache-Control", "no-store")
		if !isLocal(r.Host) {
			http.Error(w, "only by a local name, such as localhost", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isLocal reports whether a host, with or without a port, is a loopback address or localhost.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
