package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
	"github.com/seed505807e1/berth/lab/trace"
	"github.com/seed505807e1/berth/observe"
)

// Hub is a chat room of sessions. Its methods may be called by any goroutine.
//
// The sessions live in a concurrent.Pool, and no lock is held around the hub. Each connection's
// goroutine puts its messages into the queues of others, under a lease of their sessions. A session
// can be removed at any time. Its queue is closed when the last lease has ended, so nobody sends to
// a closed queue, and the writer has all messages that were accepted.
type Hub struct {
	sessions *concurrent.Pool[session]
	queue    int
	record   *record                   // nil if the sessions are not recorded
	leaks    *observe.Profile[session] // nil if nobody wants to know
	counts   counts
	closing  atomic.Bool // set under mu, before Shutdown ends the first session

	mu     sync.Mutex  // held to enter, to join, and for the fields below, but never for a message
	peak   int         // most sessions
	memory berth.Stats // at the peak

	conns sync.WaitGroup // connections; each outlives its session
	ctx   context.Context
	cut   context.CancelFunc
}

// counts are the counters of a hub.
type counts struct {
	connections, joined, kicked, slow, direct, undeliverable, room, delivered atomic.Int64
}

// Config configures a Hub. The zero Config is the default.
type Config struct {
	Queue int // messages that may wait for a client before it is dropped; 128 if 0
	Limit int // most sessions at a time; 0 is no limit

	// Seed and Shards are those of concurrent.Config. Runs with the same Seed, not 0, and the
	// same Shards give the same ids.
	Seed   uint32
	Shards int

	Recorder *trace.Recorder // records the sessions, if not nil; a frame is a Tick
	Tick     time.Duration   // 20 ms if 0
}

// Report holds the counters of a Hub.
type Report struct {
	Connections    int // now; a connection ends after its session
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
	h := &Hub{queue: c.Queue, record: newRecord(c.Recorder, c.Tick)}
	h.sessions = concurrent.New(concurrent.Config[session]{
		Limit: c.Limit, Seed: c.Seed, Shards: c.Shards, Drop: h.drop,
	})
	h.ctx, h.cut = context.WithCancel(context.Background())
	return h
}

// drop is called once for each session, after its last lease.
func (h *Hub) drop(_ id, s *session) {
	h.record.left(s.record)
	close(s.out)
}

// enter counts a connection, unless the hub is closing.
func (h *Hub) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing.Load() {
		return false
	}
	h.conns.Add(1)
	h.counts.connections.Add(1)
	return true
}

// exit undoes enter.
func (h *Hub) exit() {
	h.counts.connections.Add(-1)
	h.conns.Done()
}

// join adds s and returns its id, or the zero id if the hub is full. A hub that is closing ends the
// session at once.
func (h *Hub) join(s session) id {
	i := h.sessions.InsertFunc(func(i id, x *session) {
		s.record = h.record.joined()
		*x = s
		// The first message, because nobody has i.
		x.put(pack(message{Kind: welcome, To: idText(i)}))
	})
	if i.IsZero() {
		return i
	}
	h.leaks.Inserted(i)
	h.counts.joined.Add(1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := h.sessions.Len(); n > h.peak {
		h.peak, h.memory = n, h.sessions.Stats()
	}
	if h.closing.Load() {
		h.end(i, closes) // Shutdown may have missed it
	}
	return i
}

// end ends a session. From then on its id finds nothing, for anybody. Messages that were accepted
// for it are written, and then the farewell. end reports false if the session has ended already.
func (h *Hub) end(i id, bye farewell) (ok bool) {
	h.sessions.Use(i, func(s *session) { ok = h.endLeased(i, s, bye) }) // the last lease calls drop
	return ok
}

// endLeased is end for a caller that has a lease of s, so that it can set the farewell before the
// queue is closed. If several goroutines end a session, one of them sets its farewell.
func (h *Hub) endLeased(i id, s *session, bye farewell) bool {
	if !h.sessions.Delete(i) {
		return false
	}
	*s.bye = bye
	return true
}

// mostReason is the most bytes of a reason in a close frame.
const mostReason = 123

// Farewells of sessions that nobody kicks.
var (
	leaves  = farewell{websocket.StatusNormalClosure, ""}
	closes  = farewell{websocket.StatusGoingAway, "the hub closes"}
	tooSlow = farewell{websocket.StatusPolicyViolation, "too slow"}
	full    = farewell{websocket.StatusTryAgainLater, "full"}
)

// Kick ends a session. The client gets the messages that were accepted for it, and then the reason,
// of at most mostReason bytes. Kick reports false if there is no such session. It never waits, even
// if messages are being sent to the session.
func (h *Hub) Kick(i id, why string) bool {
	if !h.end(i, farewell{websocket.StatusPolicyViolation, why}) {
		return false
	}
	h.counts.kicked.Add(1)
	return true
}

// Report returns the counters of the hub.
func (h *Hub) Report() Report {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := &h.counts
	return Report{
		Connections: int(c.connections.Load()), Sessions: h.sessions.Len(), Peak: h.peak,
		Joined: int(c.joined.Load()), Kicked: int(c.kicked.Load()), Slow: int(c.slow.Load()),
		Direct: int(c.direct.Load()), Undeliverable: int(c.undeliverable.Load()),
		Room: int(c.room.Load()), Delivered: int(c.delivered.Load()),
		Memory: h.sessions.Stats(), PeakMemory: h.memory,
	}
}

// Shutdown ends all sessions. It delivers all accepted messages, and then the close frames. If ctx
// ends before that, it closes the remaining connections, which may take seconds, and returns an
// error. When it returns, all goroutines of the hub have ended.
func (h *Hub) Shutdown(ctx context.Context) (err error) {
	h.mu.Lock()
	h.closing.Store(true)
	h.mu.Unlock()
	for i, s := range h.sessions.All() {
		h.endLeased(i, s, closes) // a session that joins now is ended by join
	}
	left := make(chan struct{})
	go func() { h.conns.Wait(); close(left) }()
	select {
	case <-left:
	case <-ctx.Done():
		err = fmt.Errorf("hub: Shutdown: remaining connections were closed: %w", ctx.Err())
	}
	h.cut()
	<-left
	h.record.stop()
	return err
}

// say handles a message from a client. The answer comes last: when the client gets it, the message
// is in all queues. The messages of a client are handled one after another. Those of two clients
// may reach a third one in another order than a fourth.
func (h *Hub) say(from id, m message) {
	l, ok := h.sessions.Acquire(from)
	if !ok {
		h.record.looked(nil)
		return // the sender has been kicked or dropped: the message is not accepted
	}
	defer l.Release() // if the sender is kicked meanwhile, it still gets the answer
	h.record.looked(l.Value())
	answer := message{Kind: ack, N: m.N, To: m.To}
	m = message{Kind: said, From: idText(from), To: m.To, Text: m.Text}
	switch {
	case m.To == "":
		answer.Reached = h.broadcast(m)
		if h.closing.Load() {
			return // not accepted, because Shutdown may have ended sessions before their turn
		}
		h.counts.room.Add(1)
		h.counts.delivered.Add(int64(answer.Reached))
	case h.tell(parseID(m.To), m):
		answer.Reached = 1
		h.counts.direct.Add(1)
	default:
		answer.Kind = gone
		h.counts.undeliverable.Add(1)
	}
	h.put(from, l.Value(), pack(answer))
}

// tell sends m to the session with an id. It reports false if that session has ended, even if its
// slot is used again.
func (h *Hub) tell(to id, m message) bool {
	l, ok := h.sessions.Acquire(to)
	if !ok {
		h.record.looked(nil)
		return false
	}
	defer l.Release()
	h.record.looked(l.Value())
	return h.put(to, l.Value(), pack(m))
}

// broadcast sends m to all sessions and returns their number. Others join and leave meanwhile.
func (h *Hub) broadcast(m message) (reached int) {
	h.record.pass()
	p := pack(m)
	for i, s := range h.sessions.All() {
		if h.put(i, s, p) {
			reached++
		}
	}
	return reached
}

// put puts p into the queue of s, whose id is i, or drops s if the queue is full. The caller has a
// lease of s.
func (h *Hub) put(i id, s *session, p parcel) bool {
	if s.put(p) {
		return true
	}
	if h.endLeased(i, s, tooSlow) {
		h.counts.slow.Add(1)
		s.cut()
	}
	return false
}
