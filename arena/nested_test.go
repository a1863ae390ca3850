package arena_test

import (
	"math"
	"slices"
	"testing"

	"github.com/seed505807e1/berth/arena"
)

// nestedTenant is a Nested and its model.
type nestedTenant struct {
	v    arena.Nested[uint32]
	want []uint32
}

func newNestedTenant(*world) tenant { return new(nestedTenant) }

func (c *nestedTenant) self() any { return &c.v }
func (c *nestedTenant) cap() int  { return c.v.Cap() }

func (c *nestedTenant) revive() bool {
	c.v, c.want = arena.Nested[uint32]{}, nil
	return true
}

func (c *nestedTenant) compare(w *world) {
	w.t.Helper()
	if s := c.v.Slice(w.a); !slices.Equal(s, c.want) || cap(s) != len(s) || c.v.Len() != len(s) {
		w.fatalf("Nested = %v, want %v", s, c.want)
	}
	n := 0
	for i, p := range c.v.All(w.a) {
		if i != n || *p != c.want[i] {
			w.fatalf("Nested.All at %d: %d, %d", n, i, *p)
		}
		n++
	}
	if n != len(c.want) {
		w.fatalf("Nested.All ends at %d of %d", n, len(c.want))
	}
}

func (c *nestedTenant) step(w *world) {
	switch w.next() % 8 {
	case 0, 1, 2, 3:
		xs := make([]uint32, 1)
		if w.next()%2 == 0 {
			xs = make([]uint32, w.arg())
		}
		for i := range xs {
			xs[i] = uint32(w.value())
		}
		used, room := w.a.Used(), c.v.Cap()
		if !c.v.Append(w.a, xs...) {
			w.mayFail("Nested.Append", 4*(len(c.want)+len(xs)))
			if w.a.Used() != used || c.v.Cap() != room || len(xs) <= room-len(c.want) {
				w.fatalf("a refused Nested.Append changes something")
			}
			return
		}
		c.want = append(c.want, xs...)
	case 4, 5:
		x, ok := c.v.Pop(w.a)
		if n := len(c.want); ok != (n > 0) || ok && x != c.want[n-1] {
			w.fatalf("Nested.Pop = %d, %t, want the last of %v", x, ok, c.want)
		}
		c.want = c.want[:max(0, len(c.want)-1)]
	case 6:
		if w.next()%4 == 0 {
			c.v.Clear()
			c.want = nil
		}
	case 7:
		if len(c.want) > 0 {
			c.want[0] = uint32(w.value())
			c.v.Slice(w.a)[0] = c.want[0]
		}
	}
}

// bumpTenant is a Bump and the values that it has made.
type bumpTenant struct {
	b    *arena.Bump[wide]
	made []*wide
	has  int
}

func newBumpTenant(w *world) tenant {
	return &bumpTenant{b: arena.NewBump[wide](w.a, 1+w.next()%20)}
}

func (c *bumpTenant) self() any { return c.b }
func (c *bumpTenant) cap() int  { return c.has }

func (c *bumpTenant) revive() bool {
	c.b.Clear()
	c.made, c.has = nil, 0
	return true
}

func (c *bumpTenant) compare(w *world) {
	w.t.Helper()
	for i, p := range c.made {
		if p.A != uint64(i+1) || p.B[4] != uint32(i) {
			w.fatalf("value %d of a Bump is %v", i, *p)
		}
	}
}

func (c *bumpTenant) step(w *world) {
	if w.next()%16 == 0 {
		c.b.Clear()
	}
	for range w.next() % 16 {
		used := w.a.Used()
		p := c.b.New()
		if p == nil {
			if w.mayFail("Bump.New", 20*32+32); w.a.Used() != used {
				w.fatalf("a refused Bump.New takes memory")
			}
			return
		}
		if *p != (wide{}) {
			w.fatalf("Bump.New = %v, want zero", *p)
		}
		c.has = 1
		c.made = append(c.made, p)
		p.A, p.B[4] = uint64(len(c.made)), uint32(len(c.made)-1)
	}
}

// Lists of lists work in one arena.
func TestNestedInside(t *testing.T) {
	type group struct {
		Name [4]byte
		List arena.Nested[arena.Nested[int16]]
	}
	for kind := range kinds {
		a := newArena(t, kind, 1<<16)
		v := arena.NewVec[group](a)
		m := arena.NewMap[int, arena.Nested[int]](a)
		for i := range 20 {
			v.Push(group{})
			for k := range i {
				var inner arena.Nested[int16]
				inner.Append(a, int16(i), int16(k))
				v.Ptr(i/2).List.Push(a, inner)
				if p := m.Ptr(k); p != nil {
					p.Push(a, i)
				} else {
					m.Set(k, arena.Nested[int]{})
				}
			}
		}
		sum := 0
		for _, g := range v.All() {
			for _, inner := range g.List.All(a) {
				for _, x := range inner.All(a) {
					sum += int(*x)
				}
			}
		}
		for _, l := range m.All() {
			for _, x := range l.Slice(a) {
				sum -= x
			}
		}
		want := 0
		for i := range 20 {
			want += i*i + i*(i-1)/2 // the lists of the Vec
			want -= i * max(0, i-1)
		}
		if sum != want {
			t.Errorf("kind %d: sum = %d, want %d", kind, sum, want)
		}
	}
}

// A Nested detects a different arena, and that its memory has been rewound.
func TestNestedForeign(t *testing.T) {
	a, b := arena.NewFixed(1<<10), arena.NewFixed(1<<10)
	var v, o arena.Nested[int]
	o.Push(b, 1)
	v.Push(a, 2)
	for end, rewind := range rewinds {
		a := arena.NewFixed(1 << 10)
		m := a.Mark()
		var v arena.Nested[int]
		v.Append(a, 1, 2, 3)
		wantPanic(t, "arena: Nested.All: its memory has been rewound", func() {
			n := 0
			for range v.All(a) {
				if n++; n > 1 {
					t.Fatalf("%s: a loop goes on", end)
				}
				rewind(a, m)
			}
		})
	}
	for name, use := range map[string]func(){
		"Append": func() { v.Push(b, 1) },
		"Slice":  func() { v.Slice(b) },
		".Slice": func() { v.Pop(new(arena.Arena)) },
	} {
		wantPanic(t, name+": its memory is in another arena", use)
	}
	v.Clear()
	m := a.Mark()
	w := v
	for i := range 20 { // moves, or grows past the Mark
		w.Push(a, i)
	}
	if a.Rewind(m); v.Len() != 0 || !v.Push(a, 3) || v.Slice(a)[0] != 3 {
		t.Errorf("a copy from before the Mark: %d values", v.Len())
	}
	wantPanic(t, "Nested.Slice: its memory has been rewound", func() { w.Slice(a) })
	if err := b.Release(); err != nil {
		t.Error(err)
	}
	wantPanic(t, "Nested.Slice: its memory has been rewound", func() { o.Slice(b) })
}

// Zero-size values lie in no chunk.
func TestNestedVoid(t *testing.T) {
	for kind := range kinds {
		a := newArena(t, kind, 1<<12)
		var v arena.Nested[void]
		for i := range 100 {
			if !v.Push(a, void{}) || v.Len() != i+1 {
				t.Fatalf("kind %d: Push %d: Len = %d", kind, i, v.Len())
			}
		}
		a.Clip()
		if n := len(v.Slice(a)); n != 100 {
			t.Errorf("kind %d: %d values, want 100", kind, n)
		}
	}
	a := arena.NewChunked(64)
	arena.MakeSlice[byte](a, 40, 40)
	m := a.Mark()
	arena.MakeSlice[byte](a, 40, 40)
	a.Rewind(m)
	var v arena.Nested[void]
	v.Push(a, void{})
	for range 10 {
		arena.MakeSlice[byte](a, 20, 20)
	}
	var later arena.Nested[void]
	later.Push(a, void{})
	for _, v := range []*arena.Nested[void]{&v, &later} {
		if a.Rewind(m); len(v.Slice(a)) != 1 || !v.Push(a, void{}) {
			t.Errorf("after a rewind: %d values, want 1", v.Len())
		}
	}
}

// Putting a container other than a Nested into an arena panics with a hint that only a Nested can
// lie there. A pointer to one is like any other pointer.
func TestOnlyNestedNests(t *testing.T) {
	type unit struct {
		N    int
		Jobs arena.Deque[int]
	}
	const only = ".mem.a: *arena.Arena (of the containers, only Nested can lie in another)"
	a := arena.NewFixed(1 << 10)
	wantPanic(t, "Vec[int]"+only, func() { arena.New[arena.Vec[int]](a) })
	wantPanic(t, "unit.Jobs"+only, func() { arena.New[unit](a) })
	wantPanic(t, "Pool[int]"+only, func() { arena.New[arena.Pool[int]](a) })
	wantPanic(t, "Map[int,int]"+only, func() { arena.New[arena.Map[int, int]](a) })
	wantPanic(t, "]"+only, func() { arena.New[arena.Handles[int, arena.Handle32[int]]](a) })
	wantPanic(t, "*arena.Vec[int] (Typed", func() { arena.New[*arena.Vec[int]](a) })
}

// A Nested holds as many zero-size values as it can count, and its last growth is by single ones.
func TestNestedMost(t *testing.T) {
	a := arena.NewFixed(64)
	var n arena.Nested[void]
	if !n.Append(a, make([]void, 1<<30)...) || !n.Append(a, make([]void, 1<<30-1)...) {
		t.Fatal("no room for 2^31 - 1")
	}
	if math.MaxInt == math.MaxInt32 {
		return // the maximum of an int
	}
	for i := range 3 {
		if !n.Push(a, void{}) {
			t.Errorf("Push %d = false with %d of %d", i, n.Len(), n.Cap())
		}
	}
	if n.Append(a, make([]void, math.MaxInt>>32+1)...) || n.Len() != math.MaxInt>>32+3 {
		t.Errorf("Append beyond 2^32 - 1 = true, or Len = %d", n.Len())
	}
}

// A Nested that has no room to double grows to the size it needs. If even that fails, it takes
// nothing.
func TestNestedExact(t *testing.T) {
	a := arena.NewFixed(100)
	var n arena.Nested[byte]
	n.Append(a, make([]byte, 64)...)
	used := a.Used()
	if n.Append(a, make([]byte, 37)...) || a.Used() != used || n.Len() != 64 {
		t.Errorf("Append beyond the arena: Used = %d, Len = %d", a.Used(), n.Len())
	}
	if !n.Append(a, make([]byte, 36)...) || a.Used() != 100 || n.Cap() != 100 {
		t.Errorf("Append of all that is left: Used = %d, Cap = %d", a.Used(), n.Cap())
	}
}
