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

type connKey struct{}

// withConn lets handlers know the connection below a request.
func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// handler answers requests: the page's files, and /live.
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

// secure has the browser do nothing with an answer but what the page needs.
func secure(h http.Header, host string) {
	connect := "'self'"
	if host != "" && strings.Trim(host, hostLetters) == "" {
		connect += " ws://" + host // some browsers do not count it as self
	}
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; "+
		"img-src 'self'; connect-src "+connect+"; base-uri 'none'; form-action 'none'; "+
		"frame-ancestors 'none'; require-trusted-types-for 'script'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// hostLetters are all that a host and its port need.
const hostLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:[]"

// Loopback reports whether a host, with a port or without, names this machine and nothing else. Of
// a Host header, other names may be somebody else's, whose page would then pass for ours.
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

// live makes a viewer of a connection. The goroutine that it is called by reads, another one
// writes.
func (s *Server) live(w http.ResponseWriter, r *http.Request) {
	c, ok := r.Context().Value(connKey{}).(net.Conn)
	if !ok {
		s.refuse(w, r, http.StatusInternalServerError, "the connection is unknown")
		return
	}
	v := newViewer(c, s.log)
	seat := s.room.join(v)
	if seat.IsZero() {
		s.refuse(w, r, http.StatusServiceUnavailable, "too many look, or the server ends")
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
		v.hangUp() // so that the writer does not hang on
		close(done)
	}
	<-written
	_ = conn.CloseNow() // it may have been closed before
}

// read does what a viewer asks for. It reports whether the writer is to say goodbye; else the
// connection is no good any more.
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
	errEnds    = errors.New("the server ends")
)

// listen does what a viewer asks for, until something is refused, or cannot be read.
func (s *Server) listen(v *viewer) error {
	for {
		kind, data, err := v.conn.Read(context.Background())
		if err != nil {
			return err
		}
		if kind != websocket.MessageText {
			return refusal{errors.New("a binary message; want text")}
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

// refusal is an error that a viewer gets to read.
type refusal struct{ error }

func (refusal) Is(target error) bool { return target == errRefused }
