package main

import (
	"net/http"
	"strconv"

	"github.com/seed505807e1/berth/observe"
)

// debug returns pages for whoever runs the hub: /debug/berth shows the pool of its sessions, and
// /debug/leaks is a profile of who inserted those that are there. They show no session. Only this
// machine can reach them, as the rest of the site.
func debug(h *Hub) http.Handler {
	var pools observe.Registry
	pools.Register("sessions", h.sessions, nil)
	mux := http.NewServeMux()
	mux.Handle("/debug/berth", &pools)
	mux.HandleFunc("GET /debug/leaks", func(w http.ResponseWriter, r *http.Request) {
		text, _ := strconv.Atoi(r.URL.Query().Get("debug")) // 0 is for go tool pprof
		w.Header().Set("Content-Type", "application/octet-stream")
		if text > 0 {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_ = h.leaks.WriteTo(w, text) // the client has gone
	})
	return mux
}
