// Package table uses the ResponseWriter of a handler.
package table

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"sync"
	"time"
)

func work() string { return "" }

// bad: net/http.ResponseWriter
func accept(w http.ResponseWriter, r *http.Request) {
	go func() {
		fmt.Fprintln(w, work()) // want `w is used in a goroutine, but is valid only until accept`
	}()
}

func answer(w http.ResponseWriter, v any) {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		log.Print(err)
	}
}

// bad: net/http.ResponseWriter
func later(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusAccepted)
	go answer(w, r.URL.Path) // want `w is used in a goroutine, but is valid only until later`
}

// good: net/http.ResponseWriter
func background(w http.ResponseWriter, r *http.Request) {
	name := r.FormValue("name")
	go func() {
		log.Print(name, work())
	}()
	answer(w, name)
}

// good: net/http.ResponseWriter
func waits(w http.ResponseWriter, r *http.Request) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		answer(w, work())
	}()
	wg.Wait()
}

// good: net/http.ResponseWriter
func receives(w http.ResponseWriter, r *http.Request) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		answer(w, work())
	}()
	<-done
}

// good: net/http.ResponseWriter
func timeout(w http.ResponseWriter, r *http.Request) {
	found := make(chan string, 1)
	go func() { found <- work() }()
	select {
	case s := <-found:
		answer(w, s)
	case <-time.After(time.Second):
		http.Error(w, "late", http.StatusGatewayTimeout)
	}
}

// good: net/http.ResponseWriter
func hijack(w http.ResponseWriter, r *http.Request) {
	h, ok := w.(http.Hijacker)
	if !ok {
		http.Error(w, "no hijacking", http.StatusInternalServerError)
		return
	}
	conn, _, err := h.Hijack()
	if err != nil {
		return
	}
	go func() {
		defer conn.Close()
		fmt.Fprintln(conn, work())
	}()
}

// A flusher flushes until its handler stops it.
type flusher struct {
	w    http.ResponseWriter
	stop chan struct{}
}

// good: net/http.ResponseWriter
func newFlusher(w http.ResponseWriter) *flusher {
	f := &flusher{w, make(chan struct{})}
	go f.run()
	return f
}

func (f *flusher) run() {
	for {
		select {
		case <-f.stop:
			return
		case <-time.After(time.Second):
			f.w.(http.Flusher).Flush()
		}
	}
}
