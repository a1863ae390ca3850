package arena_test

import (
	"math"
	"math/bits"
	"slices"
	"testing"
	"unsafe"

	"github.com/seed505807e1/berth/arena"
)

// poolTenant is a Pool and its model.
type poolTenant[T comparable] struct {
	p    *arena.Pool[T]
	live []bool
	vals []T
	n    int
	of   func(uint64) T
	size int
}

func newPoolTenant[T comparable](w *world, of func(uint64) T) tenant {
	var v T
	return &poolTenant[T]{p: arena.NewPool[T](w.a), of: of, size: int(unsafe.Sizeof(v))}
}

func (c *poolTenant[T]) self() any { return c.p }
func (c *poolTenant[T]) cap() int  { return c.p.Cap() }

func (c *poolTenant[T]) revive() bool {
	c.p.Clear()
	c.live, c.vals, c.n = nil, nil, 0
	return true
}

func (c *poolTenant[T]) compare(w *world) {
	w.t.Helper()
	c.p.CheckInvariants()
	if c.p.Len() != c.n || c.p.Cap() < len(c.live) || c.p.Cap()%64 != 0 {
		w.fatalf("Pool: Len, Cap = %d, %d, want %d of %d", c.p.Len(), c.p.Cap(), c.n, len(c.live))
	}
	for i, live := range c.live {
		got, ok := c.p.Get(i)
		if p := c.p.Ptr(i); ok != live || (p != nil) != live || c.p.Contains(i) != live ||
			live && (got != c.vals[i] || *p != got) {
			w.fatalf("Pool.Get(%d) = %v, %t, want %v, %t", i, got, ok, c.vals[i], live)
		}
	}
	for _, i := range []int{-1, math.MinInt, math.MaxInt, len(c.live), c.p.Cap(), -64} {
		if _, ok := c.p.Get(i); ok || c.p.Contains(i) {
			w.fatalf("Pool.Get(%d) = true, with %d slots", i, len(c.live))
		}
	}
	next := c.after(-1)
	for i, p := range c.p.All() {
		if i != next || *p != c.vals[i] {
			w.fatalf("Pool.All at %d: %d, %v", next, i, *p)
		}
		next = c.after(i)
	}
	if next >= 0 {
		w.fatalf("Pool.All does not visit %d", next)
	}
	c.compareChunks(w)
}

func (c *poolTenant[T]) compareChunks(w *world) {
	w.t.Helper()
	next, zero := c.after(-1), *new(T)
	for ch := range c.p.Chunks() {
		if ch.First%64 != 0 || ch.Mask == 0 {
			w.fatalf("Pool.Chunks: %b from %d", ch.Mask, ch.First)
		}
		for i, v := range ch.Values {
			if ch.Mask>>i&1 == 0 {
				if v != zero {
					w.fatalf("Pool.Chunks: vacant slot %d holds %v", ch.First+i, v)
				}
				continue
			}
			if ch.First+i != next || v != c.vals[next] {
				w.fatalf("Pool.Chunks at %d: %d, %v", next, ch.First+i, v)
			}
			next = c.after(next)
		}
	}
	if next >= 0 {
		w.fatalf("Pool.Chunks does not visit %d", next)
	}
}

// after returns the first live slot behind i, or -1.
func (c *poolTenant[T]) after(i int) int {
	k := slices.Index(c.live[i+1:], true)
	if k >= 0 {
		k += i + 1
	}
	return k
}

func (c *poolTenant[T]) insert(w *world) {
	want := slices.Index(c.live, false)
	if want < 0 {
		want = len(c.live)
	}
	v, room, used := c.of(w.value()), c.p.Cap(), w.a.Used()
	i, ok := c.p.Insert(v)
	if !ok {
		w.mayFail("Pool.Insert", 64*c.size+8)
		if want < room || w.a.Used() != used || c.p.Cap() != room {
			w.fatalf("a refused Pool.Insert, with %d slots of %d", want, room)
		}
		return
	}
	if i != want || want < room && w.a.Used() != used {
		w.fatalf("Pool.Insert = %d, want %d; Cap = %d, was %d", i, want, c.p.Cap(), room)
	}
	if i == len(c.live) {
		c.live, c.vals = append(c.live, false), append(c.vals, v)
	}
	c.live[i], c.vals[i] = true, v
	c.n++
}

// remove removes index i, which may be vacant.
func (c *poolTenant[T]) remove(w *world, i int) {
	live := i >= 0 && i < len(c.live) && c.live[i]
	v, ok := c.p.Remove(i)
	if ok != live || live && v != c.vals[i] {
		w.fatalf("Pool.Remove(%d) = %v, %t, want %t", i, v, ok, live)
	}
	if live {
		c.live[i] = false
		c.n--
	}
}

func (c *poolTenant[T]) clear() {
	c.p.Clear()
	clear(c.live)
	c.n = 0
}

func (c *poolTenant[T]) step(w *world) {
	switch op := w.next() % 12; op {
	case 0, 1, 2:
		for range w.next() % 80 {
			c.insert(w)
		}
	case 3, 4, 5:
		for range w.next() % 40 {
			c.remove(w, w.next()%(len(c.live)+2)-1)
		}
	case 6:
		n, used, room := w.arg(), w.a.Used(), c.p.Cap()
		ok := c.p.Grow(n)
		if !ok {
			w.mayFail("Pool.Grow", (n-room+c.n+63)/64*(64*c.size+8))
		}
		if ok && c.p.Cap()-c.n < n || n <= room-c.n && !ok ||
			(!ok || n <= room-c.n) && (w.a.Used() != used || c.p.Cap() != room) ||
			c.p.Cap() > room && c.p.Cap()-c.n >= n+64 {
			w.fatalf("Pool.Grow(%d) = %t: Cap = %d, was %d", n, ok, c.p.Cap(), room)
		}
	case 7:
		if w.next()%4 == 0 {
			c.clear()
		}
	case 8:
		if i := c.after(-1); i >= 0 {
			c.vals[i] = c.of(w.value())
			*c.p.Ptr(i) = c.vals[i]
		}
	case 9, 10, 11:
		c.loop(w, op == 9)
	}
}

// loop changes the Pool while a loop runs.
func (c *poolTenant[T]) loop(w *world, chunks bool) {
	walk := newWalk(w, c.pairs())
	visit := func(i int, v T) bool {
		if i >= len(c.live) || !c.live[i] || c.vals[i] != v {
			w.fatalf("a loop visits %v at %d", v, i)
		}
		walk.visit(v)
		switch w.next() % 12 {
		case 0, 1, 2:
			c.insert(w)
		case 3, 4:
			c.remove(w, w.next()%(len(c.live)+1))
		case 5:
			c.remove(w, i)
		case 6:
			if w.next()%8 == 0 {
				c.clear()
			}
		case 7:
			return w.next()%8 != 0
		}
		return true
	}
	if !chunks {
		for i, p := range c.p.All() {
			if !visit(i, *p) {
				return
			}
		}
		walk.end(c.pairs())
		return
	}
	for ch := range c.p.Chunks() {
		for m := ch.Mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			if k := ch.First + i; k < len(c.live) && c.live[k] && ch.Values[i] == c.vals[k] && !walk.seen[c.vals[k]] {
				if !visit(k, ch.Values[i]) {
					return
				}
			}
		}
	}
	walk.end(c.pairs())
}

// pairs returns the live values.
func (c *poolTenant[T]) pairs() (vs []T) {
	for i, live := range c.live {
		if live {
			vs = append(vs, c.vals[i])
		}
	}
	return vs
}

// walk checks the rules of a loop over distinct values.
type walk[T comparable] struct {
	w     *world
	start []T
	seen  map[T]bool
}

func newWalk[T comparable](w *world, start []T) *walk[T] {
	return &walk[T]{w: w, start: start, seen: map[T]bool{}}
}

func (k *walk[T]) visit(v T) {
	if k.seen[v] {
		k.w.fatalf("a loop visits %v twice", v)
	}
	k.seen[v] = true
}

// end checks that the loop has visited all values that were present throughout.
func (k *walk[T]) end(left []T) {
	for _, v := range k.start {
		if !k.seen[v] && slices.Contains(left, v) {
			k.w.fatalf("a loop does not visit %v", v)
		}
	}
}

// Pointers stay valid when the Pool grows, until their value is removed.
func TestPoolPointers(t *testing.T) {
	for kind := range kinds {
		p := arena.NewPool[mixed](newArena(t, kind, 1<<20))
		var ptrs []*mixed
		for i := range 5000 {
			k, ok := p.Insert(mixed{B: uint32(i)})
			if k != i || !ok {
				t.Fatalf("Insert = %d, %t, want %d", k, ok, i)
			}
			ptrs = append(ptrs, p.Ptr(i))
		}
		for i, ptr := range ptrs {
			if p.Ptr(i) != ptr || ptr.B != uint32(i) {
				t.Fatalf("Ptr(%d) = %v, want %v", i, p.Ptr(i), ptr)
			}
		}
		if p.Remove(17); ptrs[17].B != 0 {
			t.Errorf("a removed value is %v, want zero", *ptrs[17])
		}
	}
}

// Growth takes fewer blocks if the arena has no room for a run of them.
func TestPoolLastBlock(t *testing.T) {
	const block = 8 + 64
	a := arena.NewFixed(21 * block)
	p := arena.NewPool[byte](a)
	for i := range 21 * 64 {
		if k, ok := p.Insert(1); k != i || !ok {
			t.Fatalf("Insert %d = %d, %t", i, k, ok)
		}
	}
	if _, ok := p.Insert(1); ok || a.Used() != 21*block || p.Len() != 21*64 || p.Grow(1) {
		t.Errorf("in a full arena: Len = %d, Used = %d", p.Len(), a.Used())
	}
	if p.Remove(100); !p.Grow(1) || p.Grow(2) {
		t.Errorf("Grow with a vacant slot is wrong")
	}
	if i, ok := p.Insert(2); i != 100 || !ok {
		t.Errorf("Insert = %d, %t, want 100", i, ok)
	}
}
