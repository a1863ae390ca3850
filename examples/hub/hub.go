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

// session is the hub's side of one connection.
type session struct {
	out chan *parcel       // the queue of its writer
	cut context.CancelFunc // closes the connection at once
}

// put puts p into the queue. It reports false if the queue is full. The last place is reserved for
// the farewell, which never blocks, because only the hub's goroutine sends to the queue.
func (s *session) put(p *parcel) bool {
	if len(s.out) >= cap(s.out)-1 {
		return false
	}
	s.out <- p
	return true
}

// Hub is a chat room of sessions. Its methods may be called by any goroutine.
//
// The sessions live in a Pool that one goroutine owns. Other goroutines send it functions to call.
// Functions sent to door only add or remove a session. They are also called between two sessions of
// a broadcast, so joining and leaving does not wait until a message has reached thousands.
type Hub struct {
	sessions sessions // see record.go
	memory   func() berth.Stats
	queue    int
	report   Report
	closing  bool // no session may join

	door, work chan func()
	ticks      <-chan time.Time
	tick       func()

	stop, stopped chan struct{}
	once          sync.Once
	conns         sync.WaitGroup // connections; each outlives its session
	ctx           context.Context
	cut           context.CancelFunc
}

// Config configures a Hub. The zero Config is the default.
type Config struct {
	Queue int    // messages that may wait for a client before it is dropped; 128 if 0
	Limit int    // most sessions at a time; 0 is no limit
	Seed  uint32 // berth.Config.Seed; runs with the same Seed, also 0, give the same ids

	Recorder *trace.Recorder // records the sessions, if not nil; a frame is a Tick
	Tick     time.Duration   // 20 ms if 0
}

// Report holds the counters of a Hub.
type Report struct {
	Sessions, Peak int // now, and the most so far
	Joined         int
	Kicked, Slow   int // removed by Kick, and because the queue was full

	Direct, Undeliverable int // messages to one id
	Room, Delivered       int // messages to the room, and the sum of the sessions they reached

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

// run is the goroutine that owns the sessions.
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

// do calls f in the goroutine that owns the sessions, and waits for it. It reports false if that
// goroutine has ended.
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

// join adds s and returns its id. If the hub is full or closing, it returns the zero id and sends s
// only a farewell.
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

// leave removes a session whose client has closed the connection, unless it is removed already.
func (h *Hub) leave(i id) {
	h.do(h.door, func() { h.remove(i, websocket.StatusNormalClosure, "") })
}

// mostReason is the most bytes of a reason in a close frame.
const mostReason = 123

// Kick ends a session. The client gets the messages that were accepted for it, and then the reason,
// of at most mostReason bytes. Kick reports false if there is no such session.
func (h *Hub) Kick(i id, why string) (ok bool) {
	h.do(h.work, func() {
		if _, ok = h.remove(i, websocket.StatusPolicyViolation, why); ok {
			h.report.Kicked++
		}
	})
	return ok
}

// Report returns the counters of the hub, or zeros after Shutdown.
func (h *Hub) Report() (r Report) {
	h.do(h.work, func() {
		r = h.report
		r.Sessions, r.Memory = h.sessions.Len(), h.memory()
	})
	return r
}

// Shutdown ends all sessions. It delivers all accepted messages, and then the close frames. If ctx
// ends before that, it closes the remaining connections, which may take seconds, and returns an
// error. When it returns, all goroutines of the hub have ended.
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
		err = fmt.Errorf("hub: Shutdown: remaining connections were closed: %w", ctx.Err())
	}
	h.cut()
	<-left // connections need the loop until they have left
	h.once.Do(func() { close(h.stop) })
	<-h.stopped
	return err
}

// The methods below are called by the goroutine that owns the sessions.

// say handles a message from a client. The answer comes last: when the client gets it, the message
// is in all queues.
func (h *Hub) say(from id, m message) {
	if h.sessions.Ptr(from) == nil {
		return // the sender has been kicked or dropped: the message is not accepted
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
	h.tell(from, answer) // finds nothing if broadcast has dropped the sender
}

// tell sends m to the session with an id. It reports false if that session has ended, even if its
// slot is used again.
func (h *Hub) tell(to id, m message) bool {
	s := h.sessions.Ptr(to)
	return s != nil && h.put(to, s, pack(m))
}

// broadcast sends m to all sessions and returns their number. Inside the loop, slow sessions are
// removed, and others join and leave through the door.
func (h *Hub) broadcast(m message) (reached int) {
	p := pack(m)
	for i, s := range h.sessions.All() {
		if h.put(i, s, p) {
			reached++
		}
		select {
		case f := <-h.door:
			f() // may remove s
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

// remove removes a session. Its id finds nothing from then on.
func (h *Hub) remove(i id, code websocket.StatusCode, why string) (session, bool) {
	s, ok := h.sessions.Remove(i)
	if ok {
		s.out <- &parcel{code: code, why: why}
	}
	return s, ok
}
