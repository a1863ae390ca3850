package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// version reads a batch and calls reply with the answer, which reply must not keep. The size of the
// body is negative if it is unknown. A version that returns an error has not called reply.
type version func(ctx context.Context, body io.Reader, size int64, reply func([]byte)) error

// handler serves a version at POST /readings.
func handler(v version) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /readings", func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > mostBytes {
			refuse(w, &http.MaxBytesError{Limit: mostBytes}) // before it takes a batch
			return
		}
		body := http.MaxBytesReader(w, r.Body, mostBytes)
		err := v(r.Context(), body, r.ContentLength, func(answer []byte) {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
			_, _ = w.Write(answer) // an error means that the client has gone
		})
		if err != nil {
			refuse(w, err)
		}
	})
	return mux
}

func refuse(w http.ResponseWriter, err error) {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		w.Header().Set("Connection", "close") // the rest of the body is not read
		http.Error(w, "more than "+strconv.FormatInt(tooLarge.Limit, 10)+" bytes",
			http.StatusRequestEntityTooLarge)
	case errors.Is(err, errBusy):
		w.Header().Set("Retry-After", "1")
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	default: // malformed or incomplete
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

// server is a handler at an address.
type server struct {
	url   string
	http  *http.Server
	ended chan error
}

// serve serves h at addr until stop is called. A slow client holds an arena, so reading and writing
// have time limits.
func serve(addr string, h http.Handler) (*server, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	s := &server{
		url: "http://" + l.Addr().String() + "/readings",
		http: &http.Server{
			Handler: h, ReadTimeout: 10 * time.Second, WriteTimeout: 20 * time.Second,
		},
		ended: make(chan error, 1),
	}
	go func() { s.ended <- s.http.Serve(l) }()
	return s, nil
}

// stop accepts no more requests, and waits for those in progress.
func (s *server) stop(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	if end := <-s.ended; !errors.Is(end, http.ErrServerClosed) {
		err = errors.Join(err, end)
	}
	return err
}
