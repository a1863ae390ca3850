package main

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed505807e1/berth/concurrent"
)

// sums has the checksum of one round of an operation, as the first implementation computed it.
type sums map[string]uint64

// run runs a benchmark of rounds that all have the same checksum.
func (s sums) run(b *testing.B, op, impl string, round func() uint64) {
	b.Run("op="+op+"/impl="+impl, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.check(b, op, round())
		}
	})
}

// check fails b if an earlier round had another checksum.
func (s sums) check(b *testing.B, op string, sum uint64) {
	if want, ok := s[op]; !ok {
		s[op] = sum
	} else if sum != want {
		b.Fatalf("checksum %d, want %d", sum, want)
	}
}

func room(s *session) uint64 {
	if len(s.out) < cap(s.out)-1 {
		return 1
	}
	return 0
}

func newSession() session { return aSession(4, func() {}) }

// BenchmarkHub measures the sessions of the hub beside a map by number with a mutex, and where no
// ids are needed, beside a set of pointers with a mutex.
func BenchmarkHub(b *testing.B) {
	const n = 10_000
	s := sums{}
	h, m, set := NewHub(Config{}), newMapHub(), newSet()
	var outs []chan parcel
	var ids []id
	var numbers []uint64
	for range n {
		x := newSession()
		ids = append(ids, h.sessions.Insert(x))
		y := newSession()
		numbers = append(numbers, m.insert(y))
		outs = append(outs, x.out, y.out)
		set.add(newSession())
	}
	drain := func() (n uint64) {
		for _, out := range outs {
			for len(out) > 0 {
				<-out
				n++
			}
		}
		return n
	}
	text := message{Kind: said, Text: "hello"}

	s.run(b, "loop-10000", "berth", func() uint64 { return loopPool(h.sessions) })
	s.run(b, "loop-10000", "map", func() uint64 { return loopMap(m) })
	s.run(b, "loop-10000", "set", func() uint64 { return set.loop() })
	s.run(b, "broadcast-10000", "berth", func() uint64 { h.broadcast(text); return drain() })
	s.run(b, "broadcast-10000", "map", func() uint64 { m.broadcast(text); return drain() })
	s.run(b, "find-1000", "berth", func() (sum uint64) {
		for i := range 1000 {
			h.sessions.Use(ids[i*7919%n], func(x *session) { sum += room(x) })
		}
		return sum
	})
	s.run(b, "find-1000", "map", func() (sum uint64) {
		for i := range 1000 {
			m.mu.Lock()
			sum += room(m.sessions[numbers[i*7919%n]])
			m.mu.Unlock()
		}
		return sum
	})
	s.run(b, "leave-join-1000", "berth", func() (sum uint64) {
		for i := range 1000 {
			h.sessions.Delete(ids[i*7919%n])
			ids[i*7919%n] = h.sessions.Insert(newSession())
			sum += uint64(i)
		}
		return sum
	})
	s.run(b, "leave-join-1000", "map", func() (sum uint64) {
		for i := range 1000 {
			m.kick(numbers[i*7919%n], "")
			numbers[i*7919%n] = m.insert(newSession())
			sum += uint64(i)
		}
		return sum
	})
	// One goroutine sends to all, while another one sends to one session after another.
	s.run(b, "tell-1000-beside-broadcast", "berth", func() (sum uint64) {
		var beside sync.WaitGroup
		beside.Go(func() { h.broadcast(text) })
		for i := range 1000 {
			h.tell(ids[i*7919%n], text)
		}
		beside.Wait()
		return drain()
	})
	s.run(b, "tell-1000-beside-broadcast", "map", func() (sum uint64) {
		var beside sync.WaitGroup
		beside.Go(func() { m.broadcast(text) })
		for i := range 1000 {
			m.tell(numbers[i*7919%n], text)
		}
		beside.Wait()
		return drain()
	})
}

// BenchmarkKick kicks a session while another goroutine sends to 10 000. That goroutine has come to a
// slow one, on average in the middle.
func BenchmarkKick(b *testing.B) {
	const n = 10_000
	h, m := NewHub(Config{}), newMapHub()
	for range n {
		h.sessions.Insert(aSession(1, func() {}))
		m.insert(aSession(1, func() {}))
	}
	var kicked atomic.Bool
	kick := func(b *testing.B, broadcast func(), join func(session) (kick func() bool)) {
		var took []time.Duration
		for b.Loop() {
			begun := make(chan struct{})
			kicked.Store(false)
			join(aSession(0, func() { close(begun) }))
			kick := join(aSession(1, func() {}))
			var beside sync.WaitGroup
			beside.Go(broadcast)
			<-begun
			before := time.Now()
			ok := kick()
			took = append(took, time.Since(before))
			kicked.Store(true)
			if beside.Wait(); !ok {
				b.Fatal("nobody is kicked")
			}
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "ns/op") // the median
	}
	text := message{Kind: said, Text: "hello"}
	empty := func(s *session) {
		for len(s.out) > 0 {
			<-s.out
		}
	}
	b.Run("op=kick-in-broadcast/impl=berth", func(b *testing.B) {
		kick(b, func() {
			h.broadcast(text)
			for _, s := range h.sessions.All() {
				empty(s)
			}
		}, func(s session) func() bool {
			i := h.sessions.Insert(s)
			return func() bool { return h.Kick(i, "") }
		})
	})
	b.Run("op=kick-in-broadcast/impl=map", func(b *testing.B) {
		kick(b, func() {
			m.broadcast(text)
			for !kicked.Load() { // so that the kick does not wait for the next loop
				runtime.Gosched()
			}
			for _, s := range m.sessions {
				empty(s)
			}
		}, func(s session) func() bool {
			i := m.insert(s)
			return func() bool { return m.kick(i, "") }
		})
	})
}

func loopPool(pool *concurrent.Pool[session]) (sum uint64) {
	for _, s := range pool.All() {
		sum += room(s)
	}
	return sum
}

func loopMap(h *mapHub) (sum uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sessions {
		sum += room(s)
	}
	return sum
}

// set is a hub's set of sessions without ids.
type set struct {
	mu       sync.Mutex
	sessions map[*session]struct{}
}

func newSet() *set { return &set{sessions: map[*session]struct{}{}} }

func (x *set) add(s session) *session {
	x.sessions[&s] = struct{}{}
	return &s
}

func (x *set) loop() (sum uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for s := range x.sessions {
		sum += room(s)
	}
	return sum
}

// BenchmarkAfter is a loop over the sessions that stay after some came, with the bytes that the
// registry holds.
func BenchmarkAfter(b *testing.B) {
	s := sums{}
	shared := newSession()
	for _, c := range []stay{{5, 5}, {10_000, 10_000}, {10, 100_000}} {
		s.after(b, c, "berth", func() func() uint64 {
			pool := new(concurrent.Pool[session])
			ids := make([]id, c.came)
			for i := range ids {
				ids[i] = pool.Insert(shared)
			}
			c.leave(func(i int) { pool.Delete(ids[i]) })
			return func() uint64 { return loopPool(pool) }
		})
		s.after(b, c, "map", func() func() uint64 {
			m := newMapHub()
			for range c.came {
				m.insert(shared)
			}
			c.leave(func(i int) { delete(m.sessions, uint64(i)+1) })
			return func() uint64 { return loopMap(m) }
		})
		s.after(b, c, "set", func() func() uint64 {
			x := newSet()
			all := make([]*session, c.came)
			for i := range all {
				all[i] = x.add(shared)
			}
			c.leave(func(i int) { delete(x.sessions, all[i]) })
			return func() uint64 { return x.loop() }
		})
	}
}

// stay is how many sessions of those that came are left.
type stay struct{ left, came int }

// leave calls f for each session that leaves, in mixed order.
func (c stay) leave(f func(i int)) {
	for i := range c.came {
		if at := i * 7919 % c.came; at*c.left%c.came >= c.left {
			f(at)
		}
	}
}

func (s sums) after(b *testing.B, c stay, impl string, fill func() (loop func() uint64)) {
	before := heap()
	loop := fill()
	held := int(heap() - before)
	op := fmt.Sprintf("loop-%d-of-%d", c.left, c.came)
	b.Run("op="+op+"/impl="+impl, func(b *testing.B) {
		for b.Loop() {
			s.check(b, op, loop())
		}
		b.ReportMetric(float64(held), "B-held")
	})
}
