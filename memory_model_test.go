package berth_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/long"
)

// model plays a sequence of calls that depends only on the seed, on a container and on a map, and
// compares the two after each call. Any call may be refused memory.
type model struct {
	t    *testing.T
	c    box
	l    *ledger
	want map[berth.Handle[int]]int
	hs   []berth.Handle[int] // all handles issued, live or not
	rng  *rand.Rand
	next int
}

// attempt calls f, which may panic with a refusal only, and reports whether f returned.
func (m *model) attempt(f func()) (ok bool) {
	defer func() {
		if ok {
			return
		}
		if r := fmt.Sprint(recover()); r != "boom" && !isRefusal(r) {
			m.t.Fatalf("panic %v, want a refusal", r)
		}
	}()
	f()
	return true
}

func isRefusal(text string) bool {
	for _, fn := range []string{"Pool.Grow", "Pool.Clone", "Dense.Grow", "Dense.Clone", "NewPool", "NewDense"} {
		head := "berth: " + fn + ": Memory has refused: call "
		if len(text) > len(head) && text[:len(head)] == head {
			return true
		}
	}
	return false
}

func (m *model) note(h berth.Handle[int], v int) {
	if h.IsZero() {
		return
	}
	if _, ok := m.want[h]; ok {
		m.t.Fatalf("the handle %v is issued twice", h)
	}
	m.want[h] = v
	m.hs = append(m.hs, h)
}

// step makes one call.
func (m *model) step() {
	m.next++
	v := m.next
	switch p := m.rng.IntN(100); {
	case p < 30: // often, so that it grows
		for range m.rng.IntN(300) {
			m.next++
			m.note(m.c.Insert(m.next), m.next)
		}
	case p < 40:
		nos := m.l.nos
		h, err := berth.TryInsertAny(m.c, v)
		if h.IsZero() != (err != nil) || err != nil &&
			(!errors.Is(err, berth.ErrFull) || !errors.Is(err, errRefused)) {
			m.t.Fatalf("TryInsert = %v, %v, want an error that wraps ErrFull and the Memory's", h, err)
		}
		if err != nil && m.l.nos == nos {
			m.t.Fatalf("TryInsert = %v, but nothing was refused", err)
		}
		m.note(h, v)
	case p < 50:
		called := false
		h := m.c.InsertFunc(func(_ berth.Handle[int], x *int) { *x, called = v, true })
		if called == h.IsZero() {
			m.t.Fatalf("InsertFunc = %v, f called: %v", h, called)
		}
		m.note(h, v)
	case p < 53:
		m.attempt(func() { m.c.InsertFunc(func(berth.Handle[int], *int) { panic("boom") }) })
	case p < 68 && len(m.hs) > 0:
		for range m.rng.IntN(100) {
			h := m.hs[m.rng.IntN(len(m.hs))]
			v, ok := m.c.Remove(h)
			if w, live := m.want[h]; ok != live || v != w {
				m.t.Fatalf("Remove = %v, %v, want %v, %v", v, ok, w, live)
			}
			delete(m.want, h)
		}
	case p < 74: // all but the last few
		keep := m.rng.IntN(5)
		for i := range max(0, len(m.hs)-keep) {
			m.c.Remove(m.hs[i])
			delete(m.want, m.hs[i])
		}
	case p < 80:
		m.attempt(func() {
			n := 0
			for h := range m.c.All() {
				if n++; n%3 != 0 {
					m.c.Remove(h)
					delete(m.want, h)
				} else if n%10 == 0 {
					m.note(m.c.Insert(v), v)
				}
				if n == 400 {
					panic("boom")
				}
			}
		})
	case p < 84:
		berth.RemoveFuncAny(m.c, func(h berth.Handle[int], x *int) bool {
			if *x%2 == 0 {
				delete(m.want, h)
			}
			return *x%2 == 0
		})
	case p < 88:
		m.c.Clip()
	case p < 91:
		m.attempt(func() { m.c.Grow(m.rng.IntN(400)) })
	case p < 94:
		m.c.Clear()
		clear(m.want)
	default:
		m.cloned()
	}
}

// cloned continues with a clone, and makes the original free its memory. A refused Clone must keep
// no memory.
func (m *model) cloned() {
	before, old, bytes := m.c, m.c, m.l.bytes
	if !m.attempt(func() { m.c = cloneOf(before) }) {
		if m.l.bytes != bytes {
			m.t.Fatalf("a refused Clone leaves %d bytes not freed, want %d", m.l.bytes, bytes)
		}
		return
	}
	old.Clear()
	old.Clip()
	if b := old.Stats().Bytes; b > m.l.bytes+100_000 {
		m.t.Fatalf("Stats().Bytes = %d of an empty container", b)
	}
}

func cloneOf(c box) box {
	switch c := c.(type) {
	case *berth.Pool[int]:
		return c.Clone()
	case *berth.Dense[int]:
		return c.Clone()
	}
	panic("unknown container")
}

// compare compares the container with the map.
func (m *model) compare() {
	m.t.Helper()
	m.c.CheckInvariants()
	if m.c.Len() != len(m.want) {
		m.t.Fatalf("Len() = %d, want %d", m.c.Len(), len(m.want))
	}
	for _, h := range m.hs {
		v, ok := m.c.Get(h)
		if w, live := m.want[h]; ok != live || v != w {
			m.t.Fatalf("Get(%v) = %v, %v, want %v, %v", h, v, ok, w, live)
		}
	}
	n := 0
	for range m.c.Values() {
		n++
	}
	if n != len(m.want) {
		m.t.Fatalf("Values visits %d values, want %d", n, len(m.want))
	}
	if b := m.c.Stats().Bytes; b < m.l.bytes {
		m.t.Fatalf("Stats().Bytes = %d, want at least %d", b, m.l.bytes)
	}
	if len(m.hs) > 1500 { // forget stale handles of long ago
		m.hs = m.hs[:0]
		for h := range m.c.All() {
			m.hs = append(m.hs, h)
		}
	}
}

// play makes the calls of a seed, and returns the number of calls of Alloc.
func play(t *testing.T, n maker, seed uint64, steps int, refuse func(call, size int) bool) int {
	l := newLedger()
	m := &model{t: t, l: l, want: map[berth.Handle[int]]int{}, rng: rand.New(rand.NewPCG(seed, 1))}
	m.c = n.make(l, 0)
	l.refuse = refuse
	for range steps {
		m.step()
		m.compare()
	}
	l.refuse = nil
	m.note(m.c.Insert(-1), -1) // the container is still usable
	m.compare()
	m.c.Clear()
	m.c.Clip()
	m.c.CheckInvariants()
	l.allBack(t, "after Clear and Clip")
	return l.calls
}

// Whichever call of Alloc is refused, alone or with all later ones, the container is consistent,
// equals the model, and frees all that it allocated.
func TestMemoryRefusals(t *testing.T) {
	cannotHang(t)
	steps, stride := 150, 1
	if !long.On {
		stride = 9
	}
	each(t, func(t *testing.T, n maker) {
		for seed := range uint64(2) {
			calls := play(t, n, seed, steps, nil)
			if calls < 20 {
				t.Errorf("Alloc is called %d times, want at least 20", calls)
			}
			for at := 1; at <= calls; at += stride {
				play(t, n, seed, steps, func(call, _ int) bool { return call == at })
			}
			for at := 1; at <= calls; at += 3 * stride {
				play(t, n, seed, steps, func(call, _ int) bool { return call >= at })
			}
			play(t, n, seed, steps, func(call, _ int) bool { return call%2 == 0 })
			play(t, n, seed, steps, func(_, size int) bool { return size > 6000 })
		}
	})
}

// With memory for a few chunks only, an insert is refused, and the container continues when memory
// is free again.
func TestMemoryFull(t *testing.T) {
	cannotHang(t)
	each(t, func(t *testing.T, n maker) {
		l := newLedger()
		c := n.make(l, 0)
		l.refuse = func(_, size int) bool { return l.bytes+size > 40_000 }
		var hs []berth.Handle[int]
		for h := c.Insert(0); !h.IsZero(); h = c.Insert(len(hs)) {
			hs = append(hs, h)
		}
		if len(hs) < 300 || c.Len() != len(hs) {
			t.Fatalf("%d inserts before the first refusal, Len() = %d", len(hs), c.Len())
		}
		if _, err := berth.TryInsertAny(c, 0); !errors.Is(err, berth.ErrFull) || !errors.Is(err, errRefused) {
			t.Errorf("TryInsert = %v, want ErrFull and the Memory's error", err)
		}
		c.InsertFunc(func(berth.Handle[int], *int) { t.Error("f called though Memory refuses") })
		panicsWith(t, func() { c.Grow(100_000) }, ".Grow: Memory has refused: call ", errRefused.Error())
		panicsWith(t, func() { cloneOf(c) }, ".Clone: Memory has refused: call ", errRefused.Error())
		panicsWith(t, func() { n.make(l, 100_000) }, "berth: New", ": Memory has refused: call ")
		c.CheckInvariants()
		for i, h := range hs {
			if v, ok := c.Get(h); !ok || v != i {
				t.Fatalf("Get = %v, %v, want %v, true", v, ok, i)
			}
		}
		c.Remove(hs[7])
		if h := c.Insert(7); h.IsZero() {
			t.Error("Insert after Remove is refused")
		}
		c.Clear()
		c.Clip()
		l.allBack(t, "after Clear and Clip")
	})
}

// A reached Limit is ErrFull, whatever Memory returned before.
func TestMemoryLimit(t *testing.T) {
	cannotHang(t)
	l := newLedger()
	p := berth.NewPool[int](berth.Config{Limit: 1, Memory: l})
	d := berth.NewDense[int](berth.DenseConfig{Limit: 1, Memory: l})
	for _, c := range []box{p, d} {
		l.refuse = func(int, int) bool { return true }
		c.Insert(1)
		l.refuse = nil
		c.Insert(1)
		if _, err := berth.TryInsertAny(c, 1); err != berth.ErrFull {
			t.Errorf("TryInsert = %v, want %v", err, berth.ErrFull)
		}
	}
}

// If f takes the last place for itself, its own value is dropped, and no other.
func TestMemoryInsertFuncTakesAll(t *testing.T) {
	cannotHang(t)
	l := newLedger()
	d := berth.NewDense[int](berth.DenseConfig{Memory: l, Capacity: 10})
	var given berth.Handle[int]
	h := d.InsertFunc(func(h berth.Handle[int], v *int) {
		given, *v = h, 99
		for d.Len() < 10 {
			d.Insert(d.Len())
		}
		l.refuse = func(int, int) bool { return true }
	})
	d.CheckInvariants()
	if !h.IsZero() || d.Len() != 10 || d.Contains(given) {
		t.Errorf("InsertFunc = %v, Len() = %d, want none, 10", h, d.Len())
	}
	l.refuse = nil
	if h := d.Insert(1); h == given || !d.Contains(h) {
		t.Errorf("Insert = %v after %v", h, given)
	}
	d.Clear()
	d.Clip()
	l.allBack(t, "after Clear and Clip")
}

// A panic of Alloc leaves the container unchanged.
func TestMemoryPanics(t *testing.T) {
	cannotHang(t)
	each(t, func(t *testing.T, n maker) {
		l := newLedger()
		c := n.make(l, 0)
		for i := range 300 {
			c.Insert(i)
		}
		held := l.bytes
		l.refuse = func(call, _ int) bool { panic("boom") }
		panicsWith(t, func() { c.Grow(1000) }, "boom")
		panicsWith(t, func() { cloneOf(c) }, "boom")
		panicsWith(t, func() { n.make(l, 1) }, "boom")
		panicsWith(t, func() {
			for range 1000 {
				c.Insert(1)
			}
		}, "boom")
		c.CheckInvariants()
		if l.bytes != held {
			t.Errorf("%d bytes are not freed, want %d", l.bytes, held)
		}
		after := l.calls + 2 // after part of the memory was allocated
		l.refuse = func(call, _ int) bool {
			if call >= after {
				panic("boom")
			}
			return false
		}
		panicsWith(t, func() { n.make(l, 10_000) }, "boom")
		if l.bytes != held {
			t.Errorf("%d bytes are not freed after a panic in New, want %d", l.bytes, held)
		}
		l.refuse = nil
		c.Clear()
		c.Clip()
		l.allBack(t, "after Clear and Clip")
	})
}

// Several goroutines may loop over a Pool while none writes. The race detector verifies it.
func TestMemoryReaders(t *testing.T) {
	cannotHang(t)
	p := berth.NewPool[int](berth.Config{Memory: newLedger()})
	for i := range 1000 {
		p.Insert(i)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 20 {
				n := 0
				for a, o := range berth.Traverse(p) {
					if n += *a.Value; o.Len() != 999 {
						t.Errorf("Len() = %d, want 999", o.Len())
					}
				}
				if n != 999*500 {
					t.Errorf("the values add up to %d, want %d", n, 999*500)
				}
			}
		}()
	}
	wg.Wait()
}

func shape[T comparable](t *testing.T, v T) {
	l := newLedger()
	p := berth.NewPool[T](berth.Config{Memory: l})
	d := berth.NewDense[T](berth.DenseConfig{Memory: l, Capacity: 3})
	var hs, gs []berth.Handle[T]
	for range 200 {
		hs, gs = append(hs, p.Insert(v)), append(gs, d.Insert(v))
	}
	for i := range hs {
		a, ok := p.Get(hs[i])
		b, ok2 := d.Get(gs[i])
		if !ok || !ok2 || a != v || b != v {
			t.Fatalf("%T: Get = %v, %v and %v, %v, want %v", v, a, ok, b, ok2, v)
		}
	}
	for i := range hs[:150] {
		p.Remove(hs[i])
		d.Remove(gs[i])
	}
	p.CheckInvariants()
	d.CheckInvariants()
	d.Slice()
	q, e := p.Clone(), d.Clone()
	if q.Len() != 50 || e.Len() != 50 {
		t.Errorf("%T: clones of %d and %d values, want 50", v, q.Len(), e.Len())
	}
	for _, c := range []interface {
		Clear()
		Clip()
		CheckInvariants()
	}{p, d, q, e} {
		c.Clear()
		c.Clip()
		c.CheckInvariants()
	}
	l.allBack(t, fmt.Sprintf("%T", v))
}

func TestMemoryOfEveryShape(t *testing.T) {
	cannotHang(t)
	shape(t, struct{}{})
	shape(t, [0]string{})
	shape(t, byte(7))
	shape(t, [3]byte{1, 2, 3})
	shape(t, uint64(7))
	shape(t, complex(1, 2))
	shape(t, [5000]byte{4999: 1})
	shape(t, struct {
		a byte
		b float64
		_ [0]*int
	}{1, 2, [0]*int{}})
}

// The steady state allocates nothing, neither on Go's heap nor from the Memory.
func TestMemorySteadyState(t *testing.T) {
	cannotHang(t)
	l := newLedger()
	p := berth.NewPool[int](berth.Config{Memory: l})
	d := berth.NewDense[int](berth.DenseConfig{Memory: l})
	for i := range 1000 {
		p.Insert(i)
		d.Insert(i)
	}
	sum := 0
	fs := map[string]func(){
		"Pool.Insert":  func() { p.Remove(p.Insert(1)) },
		"Dense.Insert": func() { d.Remove(d.Insert(1)) },
		"Pool.InsertFunc": func() {
			p.Remove(p.InsertFunc(func(_ berth.Handle[int], v *int) { *v = 1 }))
		},
		"Dense.InsertFunc": func() {
			d.Remove(d.InsertFunc(func(_ berth.Handle[int], v *int) { *v = 1 }))
		},
		"Pool loops": func() {
			for _, v := range p.All() {
				sum += *v
			}
			for v := range p.Values() {
				sum += *v
			}
			for _, s := range p.Spans() {
				sum += s[0]
			}
			for _, v := range berth.Backward(p) {
				sum += *v
			}
			for e, o := range berth.Traverse(p) {
				for _, s := range o.Spans() {
					sum += s[0] + *e.Value
					break
				}
			}
			for a, b := range berth.Pairs(p) {
				sum += *a - *b
				break
			}
		},
		"Dense loops": func() {
			for v := range d.Values() {
				sum += *v
			}
			for _, s := range d.Spans() {
				sum += s[0]
			}
		},
	}
	for name, f := range fs {
		f()
		calls := l.calls
		if n := testing.AllocsPerRun(20, f); n != 0 || l.calls != calls {
			t.Errorf("%s: %v allocations and %d calls of Alloc, want 0", name, n, l.calls-calls)
		}
	}
}
