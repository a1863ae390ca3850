// Package after has a server that keeps its sessions in a concurrent.Pool.
package after

import (
	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
)

// Session is a session of a Server.
type Session struct {
	User    string
	Expires int
}

// Server has sessions that many goroutines use. The zero Server has none.
type Server struct {
	sessions concurrent.Pool[Session]
}

// Open adds a session, and returns its handle.
func (s *Server) Open(v Session) berth.Handle[Session] { return s.sessions.Insert(v) }

// User returns the user of a session. It reports false if the session is closed.
func (s *Server) User(h berth.Handle[Session]) (string, bool) {
	v, ok := s.sessions.Get(h)
	return v.User, ok
}

// Close closes a session, and reports whether it was open.
func (s *Server) Close(h berth.Handle[Session]) bool { return s.sessions.Delete(h) }

// Expire closes the sessions that expire before now, and returns their number.
func (s *Server) Expire(now int) (closed int) {
	for h, v := range s.sessions.All() {
		if v.Expires < now && s.sessions.Delete(h) {
			closed++
		}
	}
	return closed
}
