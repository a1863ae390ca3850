// Package before has a server that keeps its sessions in a sync.Map.
package before

import (
	"sync"
	"sync/atomic"
)

// Session is a session of a Server.
type Session struct {
	User    string
	Expires int
}

// Server has sessions that many goroutines use. The zero Server has none.
type Server struct {
	last     atomic.Uint64
	sessions sync.Map // from ids to *Session
}

// Open adds a session, and returns its id.
func (s *Server) Open(v Session) uint64 {
	id := s.last.Add(1)
	s.sessions.Store(id, &v)
	return id
}

// User returns the user of a session. It reports false if the session is closed.
func (s *Server) User(id uint64) (string, bool) {
	v, ok := s.sessions.Load(id)
	if !ok {
		return "", false
	}
	return v.(*Session).User, true
}

// Close closes a session, and reports whether it was open.
func (s *Server) Close(id uint64) bool {
	_, ok := s.sessions.LoadAndDelete(id)
	return ok
}

// Expire closes the sessions that expire before now, and returns their number.
func (s *Server) Expire(now int) (closed int) {
	s.sessions.Range(func(id, v any) bool {
		if v.(*Session).Expires < now && s.Close(id.(uint64)) {
			closed++
		}
		return true
	})
	return closed
}
