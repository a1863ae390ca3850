// Package after has a hub that keeps its pointers in a Pool.
package after

import "github.com/seed505807e1/berth"

// Session is a session of a Hub.
type Session struct {
	Name  string
	inbox int
	self  berth.Handle[*Session]
}

// Hub has a Pool of pointers. The zero Hub has no sessions.
type Hub struct {
	sessions berth.Pool[*Session]
}

// Join adds a session.
func (h *Hub) Join(name string) *Session {
	s := &Session{Name: name}
	s.self = h.sessions.Insert(s)
	return s
}

// Leave removes a session, and reports whether it was there.
func (h *Hub) Leave(s *Session) bool { return h.sessions.Delete(s.self) }

// Broadcast gives each session n bytes.
func (h *Hub) Broadcast(n int) {
	for s := range h.sessions.Values() {
		(*s).inbox += n
	}
}

// Received returns the bytes that s got.
func (s *Session) Received() int { return s.inbox }
