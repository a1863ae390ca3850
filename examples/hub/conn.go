package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"github.com/seed505807e1/berth/observe"
)

const (
	patience  = 10 * time.Second // for a client to take one message
	mostBytes = 8 << 10          // of a message
)

// ServeHTTP makes a session of a connection. The calling goroutine reads, and puts each message
// into the queues of the sessions that it is for. Another goroutine writes the session's own queue.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.enter() {
		http.Error(w, "the hub is closed", http.StatusServiceUnavailable)
		return
	}
	defer h.exit()
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // Accept has answered
	}
	defer func() { _ = conn.CloseNow() }() // an error changes nothing
	conn.SetReadLimit(mostBytes)

	ctx, cut := context.WithCancel(h.ctx)
	defer cut()
	s := session{out: make(chan parcel, h.queue), cut: cut, bye: new(farewell)}
	me := h.join(s)
	if me.IsZero() {
		_ = conn.Close(full.code, full.why) // an error means that the client has gone
		return
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		s.write(ctx, conn)
	}()
	for {
		var m message
		if wsjson.Read(ctx, conn, &m) != nil {
			break // the connection is closed, or the message is malformed
		}
		h.say(me, m)
	}
	h.end(me, leaves)
	<-written // ends, because this session has ended, and each lease is short
}

// write writes the messages of the queue, and then the farewell.
func (s session) write(ctx context.Context, conn *websocket.Conn) {
	for p := range s.out {
		if writeOne(ctx, conn, p) != nil {
			s.cut() // ends the reading as well
			return
		}
	}
	_ = conn.Close(s.bye.code, s.bye.why) // an error means that the client has gone
}

func writeOne(ctx context.Context, conn *websocket.Conn, text []byte) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return conn.Write(ctx, websocket.MessageText, text)
}

// server is a Hub and its page at an address.
type server struct {
	page  string
	url   string // of the WebSocket
	hub   *Hub
	http  *http.Server
	ended chan struct{} // closed when the server accepts no more connections
	err   error         // the reason, valid after ended is closed
}

// serve serves h at addr until stop is called. Clients do not sign in, so addr must be an address
// that only this machine can reach.
func serve(addr string, h *Hub) (*server, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	at := l.Addr().String()
	if !isLocal(at) {
		err := fmt.Errorf("%s: others can reach it, and clients do not sign in; use 127.0.0.1", at)
		return nil, errors.Join(err, l.Close())
	}
	h.leaks = observe.NewProfile("hub.sessions", h.sessions, 1)
	s := &server{
		page:  "http://" + at + "/",
		url:   "ws://" + at + "/ws",
		hub:   h,
		http:  &http.Server{Handler: site(h), ReadTimeout: patience, IdleTimeout: 6 * patience},
		ended: make(chan struct{}),
	}
	go func() {
		defer close(s.ended)
		s.err = s.http.Serve(l)
	}()
	return s, nil
}

// stop shuts down the hub and then the server. The hub comes first, because it must not wait for
// requests that do not end.
func (s *server) stop(ctx context.Context) error {
	err := s.hub.Shutdown(ctx)
	if e := s.http.Shutdown(ctx); e != nil {
		err = errors.Join(err, e, s.http.Close())
	}
	<-s.ended
	s.hub.leaks.Close()
	if !errors.Is(s.err, http.ErrServerClosed) {
		err = errors.Join(err, s.err)
	}
	return err
}
