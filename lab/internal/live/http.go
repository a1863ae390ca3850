package live

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/coder/websocket"
)

const (
	maxRefusals = 8       // for one connection
	maxMessage  = 4 << 10 // bytes of a control message
)

type connKey struct{}

func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// handler serves the page's files, and /live.
func (s *Server) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secure(w.Header(), r.Host)
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			s.refuse(w, r, http.StatusMethodNotAllowed, "only GET and HEAD")
		case !s.public && !Loopback(r.Host):
			s.refuse(w, r, http.StatusForbidden, "not a name of this machine; see -public")
		case r.URL.Path == "/live":
			s.live(w, r)
		default:
			s.file(w, r)
		}
	})
}

// refuse answers with an error, ends the connection, and logs it.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, code int, why string) {
	w.Header().Set("Connection", "close")
	http.Error(w, why, code)
	s.log.Warn("refused a request", "from", r.RemoteAddr, "why", why,
		"method", clip(r.Method), "host", clip(r.Host), "path", clip(r.URL.Path),
		"origin", clip(r.Header.Get("Origin")))
}

// secure restricts the browser to what the page needs.
func secure(h http.Header, host string) {
	connect := "'self'"
	if host != "" && strings.Trim(host, hostLetters) == "" {
		connect += " ws://" + host // some browsers do not treat it as self
	}
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; "+
		"img-src 'self'; connect-src "+connect+"; base-uri 'none'; form-action 'none'; "+
		"frame-ancestors 'none'; require-trusted-types-for 'script'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// hostLetters are the characters of a host with its port.
const hostLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:[]"

// Loopback reports whether a host, with or without a port, names only this machine. Another name in
// a Host header may belong to another site, whose page could then pass for this one.
func Loopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && a.IsLoopback()
}

// live makes a viewer of a connection. The calling goroutine reads from it, another one writes.
func (s *Server) live(w http.ResponseWriter, r *http.Request) {
	c, ok := r.Context().Value(connKey{}).(net.Conn)
	if !ok {
		s.refuse(w, r, http.StatusInternalServerError, "the connection is unknown")
		return
	}
	v := newViewer(c, s.log)
	seat := s.room.join(v)
	if seat.IsZero() {
		s.refuse(w, r, http.StatusServiceUnavailable, "too many viewers, or shutting down")
		return
	}
	accepted := false
	defer func() { s.room.leave(seat, accepted) }()
	defer v.end()
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		CompressionMode: websocket.CompressionDisabled, // it costs more time than it saves nearby
	})
	if err != nil {
		s.log.Warn("refused a WebSocket", "from", r.RemoteAddr, "why", clip(err.Error()))
		return // Accept has answered
	}
	accepted = true
	v.conn = conn
	conn.SetReadLimit(maxMessage)
	s.room.welcome(seat)
	done, written := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(written)
		v.write(done)
	}()
	if !s.read(v) {
		v.hangUp() // ends a blocked writer
		close(done)
	}
	<-written
	_ = conn.CloseNow() // it may be closed already
}

// read executes a viewer's messages. It reports whether the writer should say goodbye; otherwise
// the connection is unusable.
func (s *Server) read(v *viewer) bool {
	for range maxRefusals {
		err := s.listen(v)
		switch {
		case errors.Is(err, errEnds):
			return true // the room has said goodbye
		case errors.Is(err, websocket.ErrMessageTooBig):
			s.log.Warn("a viewer's message is too long", "viewer", v.net.RemoteAddr().String(),
				"limit", maxMessage)
			v.sayGoodbye(websocket.StatusMessageTooBig, "")
			return true
		case errors.Is(err, errRefused):
			s.log.Warn("refused a control message", "viewer", v.net.RemoteAddr().String(),
				"why", err.Error())
			v.refuse(err)
		default:
			return false
		}
	}
	v.sayGoodbye(websocket.StatusPolicyViolation, "too many messages were refused")
	return true
}

var (
	errRefused = errors.New("refused")
	errEnds    = errors.New("the server is shutting down")
)

// listen executes a viewer's messages until one is refused or cannot be read.
func (s *Server) listen(v *viewer) error {
	for {
		kind, data, err := v.conn.Read(context.Background())
		if err != nil {
			return err
		}
		if kind != websocket.MessageText {
			return refusal{errors.New("unexpected binary message")}
		}
		c, err := parseControl(data)
		if err != nil {
			return refusal{err}
		}
		if c.do == "next" {
			v.grant()
			continue
		}
		if !s.room.do(s.room.work, func() { err = s.room.control(c) }) {
			return errEnds
		}
		if err != nil {
			return refusal{err}
		}
	}
}

// refusal is an error that is sent to the viewer.
type refusal struct{ error }

func (refusal) Is(target error) bool { return target == errRefused }
