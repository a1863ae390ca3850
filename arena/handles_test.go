package arena_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/arena"
	"github.com/seed505807e1/berth/internal/long"
)

// handleOf is a handle of a T, with its methods.
type handleOf[T any] interface {
	arena.HandleOf[T]
	Index() uint32
	Generation() uint32
	IsZero() bool
	String() string
}

// handlesTenant is a Handles and its model.
type handlesTenant[H handleOf[int]] struct {
	r      *arena.Handles[int, H]
	vals   map[H]int
	order  []H // by index
	stale  []H
	issued map[H]bool
	free   []uint32 // vacant slots, the next one last
	used   uint32   // slots that have been taken once
	busy   int      // slots under construction
}

func newHandlesTenant[H handleOf[int]](w *world) tenant {
	return &handlesTenant[H]{
		r:    arena.NewHandles[int, H](w.a, arena.HandlesConfig{Seed: uint32(w.next())}),
		vals: map[H]int{}, issued: map[H]bool{0: true},
	}
}

func (c *handlesTenant[H]) self() any { return c.r }
func (c *handlesTenant[H]) cap() int  { return c.r.Cap() }

// revive does nothing: a Handles cannot be revived.
func (c *handlesTenant[H]) revive() bool { return false }

func (c *handlesTenant[H]) compare(w *world) {
	w.t.Helper()
	c.r.CheckInvariants()
	s := c.r.Stats()
	if c.r.Len() != len(c.vals) || s.Live != c.r.Len() || s.Retired != 0 || s.Chunks*64 < int(c.used) ||
		s.Vacant != c.r.Cap()-len(c.vals)-c.busy || s.Bytes < s.Chunks*64*8 {
		w.fatalf("Handles: Len = %d, Cap = %d, Stats = %+v, want %d", c.r.Len(), c.r.Cap(), s, len(c.vals))
	}
	i := 0
	for h, v := range c.r.All() {
		if i >= len(c.order) || h != c.order[i] || *v != c.vals[h] {
			w.fatalf("Handles.All at %d: %v, %d, want %v", i, h, *v, c.order)
		}
		if got, ok := c.r.Get(h); got != *v || !ok || c.r.Ptr(h) != v || !c.r.Contains(h) {
			w.fatalf("Get(%v) = %d, %t, want %d", h, got, ok, *v)
		}
		i++
	}
	if i != len(c.order) {
		w.fatalf("Handles.All ends at %d of %d", i, len(c.order))
	}
	c.dead(w, 0)
	for _, h := range c.stale {
		c.dead(w, h)
	}
}

// dead checks that h finds nothing.
func (c *handlesTenant[H]) dead(w *world, h H) {
	w.t.Helper()
	if v, ok := c.r.Get(h); ok || v != 0 || c.r.Ptr(h) != nil || c.r.Contains(h) {
		w.fatalf("Get(%v) = %d, %t, want nothing", h, v, ok)
	}
}

// take returns the slot of the next value.
func (c *handlesTenant[H]) take() uint32 {
	if n := len(c.free); n > 0 {
		i := c.free[n-1]
		c.free = c.free[:n-1]
		return i
	}
	c.used++
	return c.used
}

func (c *handlesTenant[H]) fresh(w *world, h H, want uint32) {
	w.t.Helper()
	if h.Index() != want || c.issued[h] || h.IsZero() {
		w.fatalf("a new handle is %v, issued before: %t, want slot %d", h, c.issued[h], want)
	}
	c.issued[h] = true
}

func (c *handlesTenant[H]) enter(h H, v int) {
	c.vals[h] = v
	i, _ := slices.BinarySearchFunc(c.order, h.Index(), func(h H, i uint32) int {
		return int(h.Index()) - int(i)
	})
	c.order = slices.Insert(c.order, i, h)
}

func (c *handlesTenant[H]) refused(w *world, h H, err error, used int) {
	w.t.Helper()
	if w.mayFail("Insert", 64*(8+16)+8); err != arena.ErrNoSpace || h != 0 || len(c.free) > 0 ||
		int(c.used) < c.r.Cap() || w.a.Used() != used {
		w.fatalf("Insert = %v, %v with %d slots of %d", h, err, c.used, c.r.Cap())
	}
}

func (c *handlesTenant[H]) insert(w *world) {
	v, used := int(w.value()), w.a.Used()
	h, err := c.r.Insert(v)
	if err != nil {
		c.refused(w, h, err, used)
		return
	}
	c.fresh(w, h, c.take())
	c.enter(h, v)
}

// insertFunc builds a value while other operations run.
func (c *handlesTenant[H]) insertFunc(w *world) {
	used, panics, ran := w.a.Used(), w.next()%3 == 0, false
	var built H
	var v int
	h, err := func() (h H, err error) {
		defer func() {
			if r := recover(); r != nil && r != any(c) {
				panic(r)
			}
		}()
		return c.r.InsertFunc(func(h H, p *int) {
			ran, built = true, h
			c.fresh(w, h, c.take())
			if *p != 0 {
				w.fatalf("InsertFunc begins with %d", *p)
			}
			c.busy++
			v = int(w.value())
			*p = v
			for range w.next() % 5 {
				c.change(w, 2)
				c.dead(w, h)
				if c.r.Delete(h) {
					w.fatalf("Delete(%v) = true while it is built", h)
				}
			}
			if c.compare(w); panics {
				panic(c)
			}
		})
	}()
	switch {
	case err != nil:
		if ran {
			w.fatalf("InsertFunc calls f and fails")
		}
		c.refused(w, h, err, used)
	case panics:
		c.busy--
		c.free = append(c.free, built.Index())
		c.stale = append(c.stale, built)
	default:
		c.busy--
		if h != built {
			w.fatalf("InsertFunc = %v, and f got %v", h, built)
		}
		c.enter(h, v)
	}
}

func (c *handlesTenant[H]) destroy(w *world, h H) {
	_, live := c.vals[h]
	if ok := c.r.Delete(h); ok != live {
		w.fatalf("Delete(%v) = %t, want %t", h, ok, live)
	}
	if live {
		delete(c.vals, h)
		c.order = slices.DeleteFunc(c.order, func(o H) bool { return o == h })
		c.free = append(c.free, h.Index())
		c.stale = append(c.stale, h)
	}
}

func (c *handlesTenant[H]) clear() {
	c.r.Clear()
	c.stale = append(c.stale, c.order...)
	for _, h := range c.order {
		c.free = append(c.free, h.Index())
	}
	c.order = nil
	clear(c.vals)
	slices.Sort(c.free)
	slices.Reverse(c.free)
}

// change performs an operation that is allowed in loops and while a value is built.
func (c *handlesTenant[H]) change(w *world, nest int) {
	switch op := w.next() % 8; {
	case op < 3:
		c.insert(w)
	case op < 5 && len(c.order) > 0:
		c.destroy(w, c.order[w.next()%len(c.order)])
	case op == 5 && len(c.stale) > 0:
		c.destroy(w, c.stale[w.next()%len(c.stale)])
	case op == 6 && w.next()%8 == 0:
		c.clear()
	case op == 7 && nest > 0:
		c.insertFunc(w)
	}
	c.stale = c.stale[max(0, len(c.stale)-300):]
}

func (c *handlesTenant[H]) step(w *world) {
	switch op := w.next() % 12; op {
	case 0, 1, 2:
		for range w.next() % 80 {
			c.insert(w)
		}
	case 3, 4, 5, 6:
		for range w.next() % 16 {
			c.change(w, 1)
		}
	case 7:
		n, used, room := w.arg(), w.a.Used(), c.r.Cap()
		ok := c.r.Grow(n)
		if !ok {
			w.mayFail("Handles.Grow", (n/64+1)*(64*(8+16)+8))
		}
		if left := room - len(c.vals); ok && c.r.Cap()-len(c.vals) < n || n <= left && !ok ||
			(!ok || n <= left) && (w.a.Used() != used || c.r.Cap() != room) ||
			c.r.Cap() > room && c.r.Cap()-len(c.vals) >= n+64 {
			w.fatalf("Handles.Grow(%d) = %t: Cap = %d, was %d", n, ok, c.r.Cap(), room)
		}
	case 8, 9, 10:
		c.loop(w)
	case 11:
		if len(c.order) > 0 {
			h := c.order[w.next()%len(c.order)]
			c.vals[h] = int(w.value())
			*c.r.Ptr(h) = c.vals[h]
		}
	}
}

// loop changes the Handles while a loop runs.
func (c *handlesTenant[H]) loop(w *world) {
	walk := newWalk(w, slices.Clone(c.order))
	for h, v := range c.r.All() {
		if c.vals[h] != *v {
			w.fatalf("Handles.All visits %v, %d, want %d", h, *v, c.vals[h])
		}
		walk.visit(h)
		if op := w.next() % 16; op < 3 {
			c.change(w, 1)
		} else if op == 3 {
			c.destroy(w, h)
		} else if op == 4 && w.next()%4 == 0 {
			return
		}
	}
	walk.end(c.order)
}

// The number of lives of a slot is the number of generations.
func TestAllGenerations(t *testing.T) {
	r := arena.NewHandles[int, arena.Handle32[int]](arena.NewFixed(1<<12), arena.HandlesConfig{Seed: 9})
	seen := map[arena.Handle32[int]]bool{}
	for i := range 1 << 15 {
		h, err := r.Insert(1)
		if err != nil || h.Index() != 1 || seen[h] {
			t.Fatalf("Insert %d = %v, %v, seen: %t", i, h, err, seen[h])
		}
		seen[h] = true
		r.Delete(h)
	}
	if h, err := r.Insert(1); err != nil || h.Index() != 2 || r.Stats().Retired != 1 {
		t.Errorf("Insert = %v, %v, want slot 2", h, err)
	}
}

// The 65 536th value has no index, whichever way the slots were made.
func TestHandle32Full(t *testing.T) {
	type handle = arena.Handle32[void]
	for _, how := range []string{"one by one", "reserved", "InsertFunc"} {
		r := arena.NewHandles[void, handle](arena.NewChunked(1<<20), arena.HandlesConfig{})
		if how == "reserved" {
			if r.Grow(65_536) || !r.Grow(65_535) || r.Cap() != 65_535 {
				t.Errorf("Grow: Cap = %d, want 65535", r.Cap())
			}
		}
		var last handle
		for i := range 65_535 {
			h, err := handle(0), error(nil)
			if how == "InsertFunc" {
				h, err = r.InsertFunc(func(handle, *void) {
					if i == 0 && (r.Grow(65_535) || !r.Grow(65_534)) {
						t.Error("Grow counts no value under construction")
					}
				})
			} else {
				h, err = r.Insert(void{})
			}
			if err != nil || int(h.Index()) != i+1 {
				t.Fatalf("%s: Insert %d = %v, %v", how, i, h, err)
			}
			last = h
		}
		for range 3 {
			if h, err := r.Insert(void{}); h != 0 || err != arena.ErrFull || !errors.Is(err, berth.ErrFull) {
				t.Errorf("%s: Insert = %v, %v, want ErrFull", how, h, err)
			}
			if h, err := r.InsertFunc(func(handle, *void) { t.Error("called") }); h != 0 || err != arena.ErrFull {
				t.Errorf("%s: InsertFunc = %v, %v, want ErrFull", how, h, err)
			}
		}
		s := r.Stats()
		if r.Len() != 65_535 || r.Cap() != 65_535 || s.Vacant != 0 || s.Live != 65_535 || r.Grow(1) {
			t.Errorf("%s: Len, Cap = %d, %d, %+v", how, r.Len(), r.Cap(), s)
		}
		if s.Chunks != 1024 {
			t.Errorf("%s: %d blocks, want 1024", how, s.Chunks)
		}
		r.Delete(last)
		if h, err := r.Insert(void{}); err != nil || h.Index() != 65_535 || h == last {
			t.Errorf("%s: Insert = %v, %v, want slot 65535", how, h, err)
		}
		r.CheckInvariants()
	}
}

// A handle made of arbitrary bits finds the value with exactly that handle, or nothing. The laws
// check that of a Handle64.
func TestForged(t *testing.T) {
	type handle = arena.Handle32[int]
	r := arena.NewHandles[int, handle](arena.NewChunked(1<<12), arena.HandlesConfig{})
	live := map[handle]bool{}
	for i := range 200 {
		h, _ := r.Insert(i)
		live[h] = true
	}
	for h := range r.All() {
		if h.Index()%2 == 1 {
			live[h] = false
			r.Delete(h)
		}
	}
	step := uint64(257)
	if !long.On {
		step = 65_281
	}
	try := func(h handle) {
		v, ok := r.Get(h)
		if ok != live[h] || r.Contains(h) != ok || ok && v != int(h.Index()-1) || !ok && r.Delete(h) {
			t.Fatalf("Get(%v) = %d, %t, want %t", h, v, ok, live[h])
		}
	}
	for bits := uint64(0); bits < 1<<32; bits += step {
		try(handle(bits))
	}
	for h := range live {
		for bit := range 32 {
			try(h ^ 1<<bit)
		}
	}
	r.CheckInvariants()
}

// The first handles of a seed are pinned.
func TestSeeds(t *testing.T) {
	a, c := arena.NewFixed(1<<13), arena.HandlesConfig{Seed: 1}
	wide := arena.NewHandles[int, arena.Handle64[int]](a, c)
	narrow := arena.NewHandles[int, arena.Handle32[int]](a, c)
	h, _ := wide.Insert(1)
	n, _ := narrow.Insert(1)
	if got, want := fmt.Sprint(h, n), fmt.Sprint("1:", 0x3504F333, " 1:", 0x3504F333>>16); got != want {
		t.Errorf("the first handles of seed 1 are %s, want %s", got, want)
	}
}

// However many Handles are made without a seed, none of them starts like one with a chosen seed.
func TestSeedsOfTheirOwn(t *testing.T) {
	type handle = arena.Handle64[int]
	first := func(seed uint32) handle {
		r := arena.NewHandles[int, handle](arena.NewChunked(1<<10), arena.HandlesConfig{Seed: seed})
		h, _ := r.Insert(1)
		return h
	}
	chosen := make(map[handle]uint32)
	for seed := range uint32(10_000) {
		chosen[first(seed+1)] = seed + 1
	}
	for range 1_000 {
		if seed := chosen[first(0)]; seed != 0 {
			t.Fatalf("a Handles without a seed starts like seed %d", seed)
		}
	}
}

func TestHandleSizes(t *testing.T) {
	if n, w := unsafe.Sizeof(arena.Handle32[string](0)), unsafe.Sizeof(arena.Handle64[string](0)); n != 4 || w != 8 {
		t.Errorf("handles have %d and %d bytes, want 4 and 8", n, w)
	}
}
