package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/trace"
)

// session is what the hub knows of one connection.
type session struct {
	out chan *parcel       // what its writer has still to write
	cut context.CancelFunc // breaks the connection off
}

// put puts p into the queue; it reports false if that is full. The last place is kept for the
// farewell: since nobody but the hub's goroutine puts anything in, that never waits.
func (s *session) put(p *parcel) bool {
	if len(s.out) >= cap(s.out)-1 {
		return false
	}
	s.out <- p
	return true
}

// Hub is a room of sessions. Its methods may be called by any goroutine.
//
// The sessions live in a Pool, which belongs to one goroutine: the others send it functions to
// call. Functions for the door only let a session in or out; they are called also between two
// sessions of a loop over all, so that nobody waits for a message to thousands to be handed out.
type Hub struct {
	sessions sessions // see record.go
	memory   func() berth.Stats
	queue    int
	report   Report
	closing  bool // nobody comes in any more

	door, work chan func()
	ticks      <-chan time.Time
	tick       func()

	stop, stopped chan struct{}
	once          sync.Once
	conns         sync.WaitGroup // connections, from before their session to after it
	ctx           context.Context
	cut           context.CancelFunc
}

// Config tunes a Hub; its zero value is the default.
type Config struct {
	Queue int    // messages that may wait for a client, beyond which it is dropped; 128 if 0
	Limit int    // sessions at a time; 0 is no limit
	Seed  uint32 // as berth.Config.Seed: with the same, a later run gives the same ids, also with 0

	Recorder *trace.Recorder // if not nil, records the sessions; a frame is a Tick
	Tick     time.Duration   // 20 ms if 0
}

// Report says what a Hub has done, and what it holds.
type Report struct {
	Sessions, Peak int // now, and the most at a time
	Joined         int
	Kicked, Slow   int // removed by Kick, or because the queue was full

	Direct, Undeliverable int // messages to one id
	Room, Delivered       int // messages to the room, and to how many sessions together

	Memory, PeakMemory berth.Stats // of the pool
}

// NewHub returns a Hub that runs until Shutdown.
func NewHub(c Config) *Hub {
	if c.Queue == 0 {
		c.Queue = 128
	}
	pool := berth.NewPool[session](berth.Config{Limit: c.Limit, Seed: c.Seed})
	h := &Hub{
		sessions: pool, memory: pool.Stats, queue: c.Queue,
		door: make(chan func()), work: make(chan func()),
		stop: make(chan struct{}), stopped: make(chan struct{}),
	}
	h.ctx, h.cut = context.WithCancel(context.Background())
	stopTicks := func() {}
	if c.Recorder != nil {
		stopTicks = h.record(pool, c.Recorder, c.Tick)
	}
	go func() {
		defer close(h.stopped)
		defer stopTicks()
		h.run()
	}()
	return h
}

// run owns the sessions.
func (h *Hub) run() {
	for {
		select {
		case f := <-h.door:
			f()
		case f := <-h.work:
			f()
		case <-h.ticks:
			h.tick()
		case <-h.stop:
			return
		}
	}
}

// do has f called by the goroutine that owns the sessions, and waits for it. It reports false if
// there is no such goroutine any more.
func (h *Hub) do(through chan<- func(), f func()) bool {
	done := make(chan struct{})
	select {
	case through <- func() { f(); close(done) }:
		<-done
		return true
	case <-h.stopped:
		return false
	}
}

// enter counts a connection, unless the hub is closing.
func (h *Hub) enter() (ok bool) {
	h.do(h.door, func() {
		if ok = !h.closing; ok {
			h.conns.Add(1)
		}
	})
	return ok
}

// join lets s in, and returns its id. If the hub is full or closing, that is the zero id, and the
// farewell is all that s gets.
func (h *Hub) join(s session) (i id) {
	h.do(h.door, func() {
		if !h.closing {
			i = h.sessions.Insert(s) // the zero id if the pool is full
		}
		if i.IsZero() {
			s.out <- &parcel{code: websocket.StatusTryAgainLater, why: "full, or closing"}
			return
		}
		h.tell(i, message{Kind: welcome, To: idText(i)})
		h.report.Joined++
		if n := h.sessions.Len(); n > h.report.Peak {
			h.report.Peak, h.report.PeakMemory = n, h.memory()
		}
	})
	return i
}

// leave takes a session out that ends by itself, unless it is out already.
func (h *Hub) leave(i id) {
	h.do(h.door, func() { h.remove(i, websocket.StatusNormalClosure, "") })
}

// mostReason is how many bytes of a reason a close frame has room for.
const mostReason = 123

// Kick ends the session of an id, which gets what was accepted for it, and then the reason, of up
// to mostReason bytes. It reports false if there is no such session.
func (h *Hub) Kick(i id, why string) (ok bool) {
	h.do(h.work, func() {
		if _, ok = h.remove(i, websocket.StatusPolicyViolation, why); ok {
			h.report.Kicked++
		}
	})
	return ok
}

// Report returns the state of the hub; zeros after Shutdown.
func (h *Hub) Report() (r Report) {
	h.do(h.work, func() {
		r = h.report
		r.Sessions, r.Memory = h.sessions.Len(), h.memory()
	})
	return r
}

// Shutdown ends all sessions. What was accepted is delivered, then come the close frames. If that
// is not done when ctx ends, it breaks the rest off, which may take seconds, and returns an error.
// When it returns, no goroutine of the hub is left.
func (h *Hub) Shutdown(ctx context.Context) (err error) {
	h.do(h.work, func() {
		h.closing = true
		for _, s := range h.sessions.Drain() {
			s.out <- &parcel{code: websocket.StatusGoingAway, why: "the hub closes"}
		}
	})
	left := make(chan struct{})
	go func() { h.conns.Wait(); close(left) }()
	select {
	case <-left:
	case <-ctx.Done():
		err = fmt.Errorf("hub: shutdown: who is still there is cut off: %w", ctx.Err())
	}
	h.cut()
	<-left // until here, the loop answers those who are about to leave
	h.once.Do(func() { close(h.stop) })
	<-h.stopped
	return err
}

// From here on, all is called by the goroutine that owns the sessions.

// say handles a message of a client. The answer comes behind what the message has brought about:
// who has it knows that all of that is in the queues.
func (h *Hub) say(from id, m message) {
	if h.sessions.Ptr(from) == nil {
		return // kicked, or dropped, since it was sent: it is not accepted
	}
	answer := message{Kind: ack, N: m.N, To: m.To}
	m = message{Kind: said, From: idText(from), To: m.To, Text: m.Text}
	switch {
	case m.To == "":
		answer.Reached = h.broadcast(m)
		h.report.Room++
		h.report.Delivered += answer.Reached
	case h.tell(parseID(m.To), m):
		answer.Reached = 1
		h.report.Direct++
	default:
		answer.Kind = gone
		h.report.Undeliverable++
	}
	h.tell(from, answer) // finds nobody if the sender has gone inside the loop
}

// tell brings m to the session of an id. It reports false if there is none, whoever has its slot
// now.
func (h *Hub) tell(to id, m message) bool {
	s := h.sessions.Ptr(to)
	return s != nil && h.put(to, s, pack(m))
}

// broadcast brings m to all, and returns how many they are. Sessions go inside the loop because
// they are slow, and come and go through the door.
func (h *Hub) broadcast(m message) (reached int) {
	p := pack(m)
	for i, s := range h.sessions.All() {
		if h.put(i, s, p) {
			reached++
		}
		select {
		case f := <-h.door:
			f() // s may be gone now
		default:
		}
	}
	return reached
}

// put puts p into the queue of s, or drops s if it is full.
func (h *Hub) put(i id, s *session, p *parcel) bool {
	if s.put(p) {
		return true
	}
	if s, ok := h.remove(i, websocket.StatusPolicyViolation, "too slow"); ok {
		h.report.Slow++
		s.cut()
	}
	return false
}

// remove takes a session out of the pool. From now on its id finds nothing.
func (h *Hub) remove(i id, code websocket.StatusCode, why string) (session, bool) {
	s, ok := h.sessions.Remove(i)
	if ok {
		s.out <- &parcel{code: code, why: why}
	}
	return s, ok
}
