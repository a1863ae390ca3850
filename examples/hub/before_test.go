package main

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// mapHub is the part of Hub that owns the sessions, with a mutex and a map in place of the pool. The
// lock is held while a message is put into the queues, so that nobody closes one meanwhile. The
// number of a session is never used again, so an id is as safe as a handle.
type mapHub struct {
	mu       sync.Mutex
	sessions map[uint64]*session
	last     uint64
	slow     int
}

func newMapHub() *mapHub { return &mapHub{sessions: make(map[uint64]*session)} }

func (h *mapHub) insert(s session) (number uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last++
	h.sessions[h.last] = &s
	return h.last
}

func (h *mapHub) tell(to uint64, m message) bool {
	p := pack(m)
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[to]
	return s != nil && h.put(to, s, p)
}

func (h *mapHub) broadcast(m message) (reached int) {
	p := pack(m)
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, s := range h.sessions {
		if h.put(i, s, p) {
			reached++
		}
	}
	return reached
}

// put needs the lock.
func (h *mapHub) put(i uint64, s *session, p parcel) bool {
	if s.put(p) {
		return true
	}
	h.end(i, s, tooSlow)
	h.slow++
	s.cut()
	return false
}

// end needs the lock.
func (h *mapHub) end(i uint64, s *session, bye farewell) {
	delete(h.sessions, i)
	*s.bye = bye
	close(s.out)
}

func (h *mapHub) kick(i uint64, why string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[i]
	if s != nil {
		h.end(i, s, farewell{why: why})
	}
	return s != nil
}

// aSession returns a session without a connection.
func aSession(queue int, cut func()) session {
	return session{out: make(chan parcel, queue), cut: cut, bye: new(farewell)}
}

// read returns the messages in the queue of s, and the reason if it is closed.
func (s session) read() (texts []string) {
	for {
		select {
		case p, ok := <-s.out:
			if !ok {
				return append(texts, "end: "+s.bye.why)
			}
			texts = append(texts, string(p))
		default:
			return texts
		}
	}
}

// TestBefore changes both hubs in the same way. Ids of sessions that have gone are used throughout.
func TestBefore(t *testing.T) {
	type member struct {
		id            id
		number        uint64
		after, before session
		cuts          [2]int
	}
	for seed := range uint64(10) {
		random := rand.New(rand.NewPCG(seed, 0))
		h, m := NewHub(Config{}), newMapHub()
		var members []*member
		for step := range 500 {
			x := &member{}
			if len(members) > 0 && random.IntN(6) > 0 {
				x = members[random.IntN(len(members))]
			} else {
				x.after = aSession(5, func() { x.cuts[0]++ })
				x.before = aSession(5, func() { x.cuts[1]++ })
				x.id = h.sessions.Insert(x.after)
				x.number = m.insert(x.before)
				members = append(members, x)
			}
			var got, want any
			text := message{Text: string(rune('a' + step%26))}
			switch random.IntN(4) {
			case 0:
				got, want = h.Kick(x.id, "out"), m.kick(x.number, "out")
			case 1:
				got, want = h.tell(x.id, text), m.tell(x.number, text)
			case 2:
				got, want = h.broadcast(text), m.broadcast(text)
			default: // the client reads
				after, before := x.after.read(), x.before.read()
				if !slices.Equal(after, before) {
					t.Fatalf("the session reads %q, with a map %q", after, before)
				}
			}
			if got != want {
				t.Fatalf("step %d: %v, with a map %v", step, got, want)
			}
			r := h.Report()
			if r.Sessions != len(m.sessions) || r.Slow != m.slow || x.cuts[0] != x.cuts[1] {
				t.Fatalf("step %d: %d sessions, %d slow, cut %d times; with a map %d, %d, %d", step,
					r.Sessions, r.Slow, x.cuts[0], len(m.sessions), m.slow, x.cuts[1])
			}
		}
		if h.Report().Slow == 0 {
			t.Error("no session was too slow")
		}
	}
}
