// Package before has a hub that keeps a set of pointers.
package before

// Session is a session of a Hub.
type Session struct {
	Name  string
	inbox int
}

// Hub has a set of pointers.
type Hub struct {
	sessions map[*Session]struct{}
}

// NewHub returns a hub without sessions.
func NewHub() *Hub { return &Hub{sessions: map[*Session]struct{}{}} }

// Join adds a session.
func (h *Hub) Join(name string) *Session {
	s := &Session{Name: name}
	h.sessions[s] = struct{}{}
	return s
}

// Leave removes a session, and reports whether it was there.
func (h *Hub) Leave(s *Session) bool {
	_, ok := h.sessions[s]
	delete(h.sessions, s)
	return ok
}

// Broadcast gives each session n bytes.
func (h *Hub) Broadcast(n int) {
	for s := range h.sessions {
		s.inbox += n
	}
}

// Received returns the bytes that s got.
func (s *Session) Received() int { return s.inbox }
