package main

import (
	"embed"
	"io/fs"
	"net"
	"net/http"
	"strings"
)

//go:embed page
var page embed.FS

// policy is what the page may load: what lies beside it, and nothing that is written into it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// site is a hub at /ws, and a page for people.
func site(h *Hub) http.Handler {
	files, err := fs.Sub(page, "page")
	if err != nil {
		panic(err) // it is part of the program
	}
	mux := http.NewServeMux()
	mux.Handle("GET /ws", h)
	pages := http.FileServerFS(files)
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cache-Control", "no-cache")
		pages.ServeHTTP(w, r)
	})
	return localOnly(mux)
}

// localOnly refuses requests by a name that is none of this machine's own: a page from elsewhere
// whose name has been made to lead here. Pages under other names or ports of this machine are the
// business of websocket.Accept, which wants the Origin to be the Host.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLocal(r.Host) {
			http.Error(w, "only by a local name, such as localhost", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isLocal reports whether a host, with a port or without, is this machine by its own account.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
