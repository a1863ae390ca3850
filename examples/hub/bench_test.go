package main

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/seed505807e1/berth"
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

func newSession() session { return session{out: make(chan *parcel, 4), cut: func() {}} }

// BenchmarkHub measures the registry of the hub beside a map by number, and where no ids are
// needed, beside a set of pointers.
func BenchmarkHub(b *testing.B) {
	const n = 10_000
	s := sums{}
	h, m, set := poolHub(), newMapHub(), map[*session]struct{}{}
	pool := h.sessions.(*berth.Pool[session])
	var outs []chan *parcel
	var ids []id
	var numbers []uint64
	for range n {
		x := newSession()
		ids = append(ids, h.sessions.Insert(x))
		y := newSession()
		numbers = append(numbers, m.insert(y))
		outs = append(outs, x.out, y.out)
		z := newSession()
		set[&z] = struct{}{}
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

	s.run(b, "loop-10000", "berth", func() uint64 { return loopPool(pool) })
	s.run(b, "loop-10000", "map", func() uint64 { return loopMap(m.sessions) })
	s.run(b, "loop-10000", "set", func() uint64 { return loopSet(set) })
	s.run(b, "broadcast-10000", "berth", func() uint64 { h.broadcast(text); return drain() })
	s.run(b, "broadcast-10000", "map", func() uint64 { m.broadcast(text); return drain() })
	s.run(b, "find-1000", "berth", func() (sum uint64) {
		for i := range 1000 {
			sum += room(pool.Ptr(ids[i*7919%n]))
		}
		return sum
	})
	s.run(b, "find-1000", "map", func() (sum uint64) {
		for i := range 1000 {
			sum += room(m.sessions[numbers[i*7919%n]])
		}
		return sum
	})
	s.run(b, "leave-join-1000", "berth", func() (sum uint64) {
		for i := range 1000 {
			x, _ := pool.Remove(ids[i*7919%n])
			ids[i*7919%n] = pool.Insert(x)
			sum += uint64(pool.Len())
		}
		return sum
	})
	s.run(b, "leave-join-1000", "map", func() (sum uint64) {
		for i := range 1000 {
			number := numbers[i*7919%n]
			x := *m.sessions[number]
			delete(m.sessions, number)
			numbers[i*7919%n] = m.insert(x)
			sum += uint64(len(m.sessions))
		}
		return sum
	})
}

func loopPool(pool *berth.Pool[session]) (sum uint64) {
	for _, s := range pool.All() {
		sum += room(s)
	}
	return sum
}

func loopMap(sessions map[uint64]*session) (sum uint64) {
	for _, s := range sessions {
		sum += room(s)
	}
	return sum
}

func loopSet(sessions map[*session]struct{}) (sum uint64) {
	for s := range sessions {
		sum += room(s)
	}
	return sum
}

// live returns the bytes of the live heap.
func live() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// BenchmarkAfter is a loop over the sessions that stay after some came, with the bytes that the
// registry holds.
func BenchmarkAfter(b *testing.B) {
	s := sums{}
	out := make(chan *parcel, 4)
	for _, c := range []stay{{5, 5}, {10_000, 10_000}, {10, 100_000}} {
		s.after(b, c, "berth", func() func() uint64 {
			pool := new(berth.Pool[session])
			ids := make([]id, c.came)
			for i := range ids {
				ids[i] = pool.Insert(session{out: out})
			}
			c.leave(func(i int) { pool.Delete(ids[i]) })
			return func() uint64 { return loopPool(pool) }
		})
		s.after(b, c, "map", func() func() uint64 {
			sessions := map[uint64]*session{}
			for i := range c.came {
				sessions[uint64(i)] = &session{out: out}
			}
			c.leave(func(i int) { delete(sessions, uint64(i)) })
			return func() uint64 { return loopMap(sessions) }
		})
		s.after(b, c, "set", func() func() uint64 {
			sessions := map[*session]struct{}{}
			all := make([]*session, c.came)
			for i := range all {
				all[i] = &session{out: out}
				sessions[all[i]] = struct{}{}
			}
			c.leave(func(i int) { delete(sessions, all[i]) })
			return func() uint64 { return loopSet(sessions) }
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
	before := live()
	loop := fill()
	held := live() - before
	op := fmt.Sprintf("loop-%d-of-%d", c.left, c.came)
	b.Run("op="+op+"/impl="+impl, func(b *testing.B) {
		for b.Loop() {
			s.check(b, op, loop())
		}
		b.ReportMetric(float64(held), "B-held")
	})
}
