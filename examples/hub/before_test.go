package main

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/coder/websocket"

	"github.com/seed505807e1/berth"
)

// mapHub is the part of Hub that owns the sessions, with a map in place of the pool. The number of
// a session is never used again, so an id is as safe as a handle.
type mapHub struct {
	sessions map[uint64]*session
	last     uint64
	door     chan func()
	slow     int
}

func newMapHub() *mapHub {
	return &mapHub{sessions: make(map[uint64]*session), door: make(chan func())}
}

func (h *mapHub) insert(s session) (number uint64) {
	h.last++
	h.sessions[h.last] = &s
	return h.last
}

func (h *mapHub) tell(to uint64, m message) bool {
	s := h.sessions[to]
	return s != nil && h.put(to, s, pack(m))
}

func (h *mapHub) broadcast(m message) (reached int) {
	p := pack(m)
	for i, s := range h.sessions {
		if h.put(i, s, p) {
			reached++
		}
		select {
		case f := <-h.door:
			f()
		default:
		}
	}
	return reached
}

func (h *mapHub) put(i uint64, s *session, p *parcel) bool {
	if s.put(p) {
		return true
	}
	if h.remove(i, websocket.StatusPolicyViolation, "too slow") {
		h.slow++
		s.cut()
	}
	return false
}

func (h *mapHub) remove(i uint64, code websocket.StatusCode, why string) bool {
	s, ok := h.sessions[i]
	if ok {
		delete(h.sessions, i)
		s.out <- &parcel{code: code, why: why}
	}
	return ok
}

// poolHub returns a Hub that has no goroutine: its sessions belong to the caller.
func poolHub() *Hub {
	pool := new(berth.Pool[session])
	return &Hub{sessions: pool, memory: pool.Stats, door: make(chan func())}
}

// TestBefore changes both hubs in the same way. Ids of sessions that have gone are used throughout.
func TestBefore(t *testing.T) {
	type member struct {
		id            id
		number        uint64
		after, before chan *parcel
		cuts          [2]int
	}
	for seed := range uint64(10) {
		random := rand.New(rand.NewPCG(seed, 0))
		h, m := poolHub(), newMapHub()
		var members []*member
		for step := range 500 {
			x := &member{after: make(chan *parcel, 5), before: make(chan *parcel, 5)}
			if len(members) > 0 && random.IntN(6) > 0 {
				x = members[random.IntN(len(members))]
			} else {
				x.id = h.sessions.Insert(session{x.after, func() { x.cuts[0]++ }})
				x.number = m.insert(session{x.before, func() { x.cuts[1]++ }})
				members = append(members, x)
			}
			var got, want any
			text := message{Text: string(rune('a' + step%26))}
			switch random.IntN(4) {
			case 0:
				_, ok := h.remove(x.id, websocket.StatusNormalClosure, "")
				got, want = ok, m.remove(x.number, websocket.StatusNormalClosure, "")
			case 1:
				got, want = h.tell(x.id, text), m.tell(x.number, text)
			case 2:
				got, want = h.broadcast(text), m.broadcast(text)
			default: // the client reads
				var after, before []string
				for len(x.after) > 0 {
					p := <-x.after
					after = append(after, string(p.text)+p.why)
				}
				for len(x.before) > 0 {
					p := <-x.before
					before = append(before, string(p.text)+p.why)
				}
				if !slices.Equal(after, before) {
					t.Fatalf("the session reads %q, with a map %q", after, before)
				}
			}
			if got != want {
				t.Fatalf("step %d: %v, with a map %v", step, got, want)
			}
			if h.sessions.Len() != len(m.sessions) || h.report.Slow != m.slow || x.cuts[0] != x.cuts[1] {
				t.Fatalf("step %d: %d sessions, %d slow, cut %d times; with a map %d, %d, %d", step,
					h.sessions.Len(), h.report.Slow, x.cuts[0], len(m.sessions), m.slow, x.cuts[1])
			}
		}
		if h.report.Slow == 0 {
			t.Error("no session was too slow")
		}
	}
}
