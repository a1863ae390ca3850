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

// policy lets the page load the files beside it, and nothing inline or from elsewhere.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// site serves a hub at /ws, and a chat page.
func site(h *Hub) http.Handler {
	files, err := fs.Sub(page, "page")
	if err != nil {
		panic(err) // page is embedded
	}
	mux := http.NewServeMux()
	mux.Handle("GET /ws", h)
	mux.Handle("GET /debug/", debug(h))
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

// localOnly refuses requests whose Host is not a name of this machine. Such requests come from
// pages of other sites whose names resolve to this machine (DNS rebinding). websocket.Accept
// refuses those from other names and ports of this machine, because their Origin differs from the
// Host.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
