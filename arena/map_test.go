package arena_test

import (
	"maps"
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/seed505807e1/berth/arena"
)

// mapTenant is a Map and its model.
type mapTenant[K comparable] struct {
	m    *arena.Map[K, int]
	keys []K // in insertion order
	want map[K]int
	of   func(uint64) K
	size int // of an entry
}

func newMapTenant[K comparable](w *world, of func(uint64) K) tenant {
	var e struct {
		k K
		v int
	}
	return &mapTenant[K]{m: arena.NewMap[K, int](w.a), want: map[K]int{}, of: of,
		size: int(unsafe.Sizeof(e))}
}

func (c *mapTenant[K]) self() any { return c.m }
func (c *mapTenant[K]) cap() int  { return c.m.Cap() }

func (c *mapTenant[K]) revive() bool {
	c.clear()
	return true
}

func (c *mapTenant[K]) clear() {
	c.m.Clear()
	c.keys = nil
	clear(c.want)
}

func (c *mapTenant[K]) compare(w *world) {
	w.t.Helper()
	c.m.CheckInvariants()
	if c.m.Len() != len(c.keys) || c.m.Cap() < len(c.keys) {
		w.fatalf("Map: Len, Cap = %d, %d, want %d", c.m.Len(), c.m.Cap(), len(c.keys))
	}
	i := 0
	for k, v := range c.m.All() {
		if i >= len(c.keys) || k != c.keys[i] || *v != c.want[k] {
			w.fatalf("Map.All at %d: %v, %d, want %v", i, k, *v, c.keys)
		}
		i++
	}
	if i != len(c.keys) {
		w.fatalf("Map.All ends at %d of %d", i, len(c.keys))
	}
	for i := range uint64(64) {
		k := c.of(i)
		want, there := c.want[k]
		v, ok := c.m.Get(k)
		if p := c.m.Ptr(k); v != want || ok != there || (p != nil) != there || there && *p != v {
			w.fatalf("Map.Get(%v) = %d, %t, want %d, %t", k, v, ok, want, there)
		}
	}
}

func (c *mapTenant[K]) set(w *world) {
	k, v := c.of(uint64(w.next())), int(w.value())
	_, there := c.want[k]
	used, room := w.a.Used(), c.m.Cap()
	if !c.m.Set(k, v) {
		if w.mayFail("Map.Set", c.bytes(room+1)); there || w.a.Used() != used || c.m.Cap() != room {
			w.fatalf("a refused Map.Set(%v), there %t, changes something", k, there)
		}
		if room > c.m.Len() && !w.looping {
			w.fatalf("Map.Set(%v) = false with %d of %d", k, c.m.Len(), room)
		}
		return
	}
	if there && w.a.Used() != used {
		w.fatalf("Map.Set of an existing key takes memory")
	}
	if !there {
		c.keys = append(c.keys, k)
	}
	c.want[k] = v
}

// bytes returns the memory for n entries.
func (c *mapTenant[K]) bytes(n int) int {
	slots := 8
	for slots/4*3 < n {
		slots *= 2
	}
	return slots/4*3*c.size + 8*slots + (slots/4*3+63)/64*8
}

func (c *mapTenant[K]) delete(w *world, k K) {
	_, there := c.want[k]
	used := w.a.Used()
	if ok := c.m.Delete(k); ok != there || w.a.Used() != used {
		w.fatalf("Map.Delete(%v) = %t, want %t", k, ok, there)
	}
	if there {
		delete(c.want, k)
		c.keys = slices.DeleteFunc(c.keys, func(o K) bool { return o == k })
	}
}

func (c *mapTenant[K]) step(w *world) {
	switch w.next() % 12 {
	case 0, 1, 2, 3:
		for range w.next() % 20 {
			c.set(w)
		}
	case 4, 5, 6:
		for range w.next() % 20 {
			c.delete(w, c.of(uint64(w.next())))
		}
	case 7:
		n, used, room := w.arg(), w.a.Used(), c.m.Cap()
		ok := c.m.Grow(n)
		if !ok {
			w.mayFail("Map.Grow", c.bytes(room+n))
			if w.a.Used() != used || c.m.Cap() != room {
				w.fatalf("a refused Map.Grow changes something")
			}
			break
		}
		c.compare(w)
		used = w.a.Used()
		for i := range n {
			if c.m.Len() < len(c.keys)+i {
				break
			}
			k, v := c.of(uint64(100+i)), int(w.value())
			if !c.m.Set(k, v) || w.a.Used() != used {
				w.fatalf("Set %d after Grow(%d) takes memory", i, n)
			}
			if _, there := c.want[k]; !there {
				c.keys = append(c.keys, k)
			}
			c.want[k] = v
		}
	case 8:
		if w.next()%4 == 0 {
			c.clear()
		}
	case 9, 10, 11:
		c.loop(w)
	}
}

// loop changes the Map while a loop runs. A deleted key gets a new value when it is set again, so
// all values are distinct.
func (c *mapTenant[K]) loop(w *world) {
	walk := newWalk(w, slices.Collect(maps.Values(c.want)))
	w.looping = true
	defer func() { w.looping = false }()
	for k, v := range c.m.All() {
		if c.want[k] != *v {
			w.fatalf("Map.All visits %v, %d, want %d", k, *v, c.want[k])
		}
		walk.visit(*v)
		switch w.next() % 12 {
		case 0, 1, 2:
			key := c.of(uint64(w.next()))
			if _, there := c.want[key]; !there && c.m.Set(key, int(w.value())) {
				c.want[key] = int(w.seq)
				c.keys = append(c.keys, key)
			}
		case 3, 4:
			c.delete(w, c.of(uint64(w.next())))
		case 5:
			c.delete(w, k)
		case 6:
			if w.next()%8 == 0 {
				c.clear()
			}
		case 7:
			if w.next()%8 == 0 {
				return
			}
		}
	}
	walk.end(slices.Collect(maps.Values(c.want)))
}

// As with Go's maps, a NaN is a new key each time, and zeros of both signs are equal.
func TestMapFloats(t *testing.T) {
	m := arena.NewMap[float64, int](arena.NewChunked(1 << 10))
	nan := math.NaN()
	for i := range 20 {
		if !m.Set(nan, i) {
			t.Fatal("Set = false, want true")
		}
		m.CheckInvariants()
	}
	m.Set(0, 5)
	m.Set(math.Copysign(0, -1), 6)
	if v, ok := m.Get(0); m.Len() != 21 || v != 6 || !ok || m.Delete(nan) || m.Ptr(nan) != nil {
		t.Errorf("Len = %d, Get(0) = %d, want 21, 6", m.Len(), v)
	}
	next := 0
	for k, v := range m.All() {
		if next < 20 && (k == k || *v != next) {
			t.Errorf("All at %d: %v, %d", next, k, *v)
		}
		next++
	}
	if m.Clear(); m.Len() != 0 || next != 21 {
		t.Errorf("after Clear: Len = %d; the loop visited %d", m.Len(), next)
	}
	m.CheckInvariants()
}

// The padding of a key does not matter.
func TestMapPadding(t *testing.T) {
	m := arena.NewMap[mixed, int](arena.NewChunked(1 << 10))
	var a, b mixed
	bytesOf(&a)[2], bytesOf(&b)[2] = 1, 2
	a.A, b.A = 3, 3
	m.Set(a, 1)
	if m.Set(b, 2); m.Len() != 1 || *m.Ptr(a) != 2 {
		t.Errorf("Len = %d, want 1", m.Len())
	}
}

// Constant churn takes no memory, whichever keys are deleted.
func TestMapChurn(t *testing.T) {
	for _, live := range []int{0, 1, 6, 7, 50, 100} {
		a := arena.NewFixed(1 << 16)
		m := arena.NewMap[int, int](a)
		for i := range live {
			m.Set(i, i)
		}
		used := 0
		for i := range 50_000 {
			if !m.Set(i+live, i) || !m.Delete(i) {
				t.Fatalf("live %d, turn %d: the arena is full", live, i)
			}
			if i == 1000 {
				used = a.Used()
			}
		}
		if a.Used() != used || m.Len() != live {
			t.Errorf("live %d: Used = %d, was %d", live, a.Used(), used)
		}
		m.CheckInvariants()
	}
}

func TestMapGrow(t *testing.T) {
	for _, n := range []int{1, 6, 7, 12, 13, 1000} {
		a := arena.NewChunked(1 << 16)
		m := arena.NewMap[int, int](a)
		if !m.Grow(n) || m.Cap() < n || m.Cap() > 2*n+6 {
			t.Errorf("Grow(%d): Cap = %d", n, m.Cap())
		}
		used := a.Used()
		for i := range n {
			m.Set(i, 1)
		}
		if a.Used() != used {
			t.Errorf("Grow(%d): Used = %d, was %d", n, a.Used(), used)
		}
	}
	m := arena.NewMap[int, int](arena.NewChunked(1 << 10))
	for i := range 3 {
		for _, n := range []int{math.MaxInt, math.MaxInt - 1, math.MaxInt / 2, 1 << 40 & math.MaxInt} {
			if n > 1<<31-1 && m.Grow(n) {
				t.Errorf("Grow(%d) with %d entries = true, Cap = %d", n, i, m.Cap())
			}
		}
		m.Set(i, i)
	}
	wantPanic(t, "arena: Map.Grow: negative count", func() { m.Grow(-1) })
	m.CheckInvariants()
}

// A Map in a full arena keeps its entries, and reuses the room of deleted ones.
func TestMapFull(t *testing.T) {
	for size := range 1200 {
		a := arena.NewFixed(size)
		m := arena.NewMap[int, int](a)
		n := 0
		for m.Set(n, n) {
			n++
		}
		used := a.Used()
		if m.Set(n, 1) || m.Len() != n || a.Used() != used {
			t.Fatalf("%d bytes: Set = true after false; Len = %d, want %d", size, m.Len(), n)
		}
		for i := range n {
			if v, ok := m.Get(i); v != i || !ok {
				t.Fatalf("%d bytes: Get(%d) = %d, %t", size, i, v, ok)
			}
		}
		if n > 0 && (!m.Set(0, 7) || !m.Delete(n/2) || !m.Set(n, 8) || m.Len() != n) {
			t.Fatalf("%d bytes: a full Map of %d does not take an entry for another", size, n)
		}
		m.CheckInvariants()
		a.CheckInvariants()
	}
}

// Deleted entries are reclaimed again after a loop that was left by a panic.
func TestMapAfterLoops(t *testing.T) {
	a := arena.NewFixed(1 << 10)
	m := arena.NewMap[int, int](a)
	m.Set(0, 0)
	wantPanic(t, "bomb", func() {
		for range m.All() {
			panic("bomb")
		}
	})
	for i := range 1000 {
		if !m.Set(i+1, i) || !m.Delete(i) {
			t.Fatalf("turn %d: Set or Delete = false, with %d of %d entries", i, m.Len(), m.Cap())
		}
	}
	m.CheckInvariants()
}
