package arena_test

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/seed505807e1/berth/arena"
)

// vecTenant is a Vec and its model.
type vecTenant[T comparable] struct {
	v    *arena.Vec[T]
	want []T
	of   func(uint64) T
	size int
}

func newVecTenant[T comparable](w *world, of func(uint64) T) tenant {
	var v T
	return &vecTenant[T]{v: arena.NewVec[T](w.a), of: of, size: int(unsafe.Sizeof(v))}
}

func (c *vecTenant[T]) self() any { return c.v }
func (c *vecTenant[T]) cap() int  { return c.v.Cap() }

func (c *vecTenant[T]) revive() bool {
	c.v.Clear()
	c.want = nil
	return true
}

func (c *vecTenant[T]) compare(w *world) {
	w.t.Helper()
	c.v.CheckInvariants()
	if s := c.v.Slice(); !slices.Equal(s, c.want) || cap(s) != len(s) || c.v.Len() != len(c.want) {
		w.fatalf("Vec = %v with room for %d, want %v", s, cap(s), c.want)
	}
	for _, i := range []int{0, len(c.want) / 2, len(c.want) - 1} {
		if i >= 0 && i < len(c.want) && (c.v.At(i) != c.want[i] || *c.v.Ptr(i) != c.want[i]) {
			w.fatalf("Vec.At(%d) = %v, want %v", i, c.v.At(i), c.want[i])
		}
	}
	if c.v.Ptr(-1) != nil || c.v.Ptr(len(c.want)) != nil {
		w.fatalf("Vec.Ptr of nothing is not nil")
	}
	if c.v.Cap() < len(c.want) {
		w.fatalf("Vec.Cap = %d of %d", c.v.Cap(), len(c.want))
	}
}

func (c *vecTenant[T]) values(w *world, n int) []T {
	xs := make([]T, n)
	for i := range xs {
		xs[i] = c.of(w.value())
	}
	return xs
}

// grown checks the result of a growth by n values.
func (c *vecTenant[T]) grown(w *world, what string, ok bool, n, used, room int) bool {
	w.t.Helper()
	if ok {
		return true
	}
	if n <= room {
		w.fatalf("%s of %d = false, with room for %d", what, n, room)
	}
	w.mayFail(what, (len(c.want)+n)*c.size)
	if w.a.Used() != used || c.v.Cap()-len(c.want) != room {
		w.fatalf("a refused %s changes something", what)
	}
	return false
}

func (c *vecTenant[T]) step(w *world) {
	used, room := w.a.Used(), c.v.Cap()-len(c.want)
	switch w.next() % 13 {
	case 0, 1, 2:
		xs := c.values(w, 1)
		if c.grown(w, "Push", c.v.Push(xs[0]), 1, used, room) {
			c.want = append(c.want, xs...)
		}
	case 3, 4:
		xs := c.values(w, w.arg())
		if c.grown(w, "Append", c.v.Append(xs...), len(xs), used, room) {
			c.want = append(c.want, xs...)
		}
	case 5:
		x, ok := c.v.Pop()
		if n := len(c.want); ok != (n > 0) || ok && x != c.want[n-1] {
			w.fatalf("Pop = %v, %t, want the last of %v", x, ok, c.want)
		}
		c.want = c.want[:max(0, len(c.want)-1)]
	case 6:
		n := w.arg()
		if c.grown(w, "Reserve", c.v.Reserve(n), n-len(c.want), used, room) && c.v.Cap() < n {
			w.fatalf("Reserve(%d): Cap = %d", n, c.v.Cap())
		}
	case 7:
		n := w.arg()
		if c.grown(w, "Resize", c.v.Resize(n), n-len(c.want), used, room) {
			c.want = append(c.want[:min(n, len(c.want))], make([]T, max(0, n-len(c.want)))...)
		}
	case 8:
		c.shrink(w, c.v.Cap(), used)
	case 9:
		c.v.Clear()
		c.want = nil
	case 10:
		if n := len(c.want); n > 0 {
			i := w.next() % n
			c.want[i] = c.of(w.value())
			*c.v.Ptr(i) = c.want[i]
		}
	case 11:
		c.loop(w)
	case 12: // from itself, but not so much that it doubles repeatedly
		xs := c.v.Slice()
		xs = xs[len(xs)-min(len(xs)/2, 300):]
		if c.grown(w, "Append", c.v.Append(xs...), len(xs), used, room) {
			c.want = append(c.want, c.want[len(c.want)-len(xs):]...)
		}
	}
}

// shrink checks that memory is given back exactly if possible.
func (c *vecTenant[T]) shrink(w *world, room, used int) {
	var own *tenancy
	for _, o := range w.tenants {
		if o.tenant == tenant(c) {
			own = o
		}
	}
	back := (room - len(c.want)) * c.size
	can := own.end == used && back > 0
	for _, m := range w.marks {
		can = can && !((m.valid || m.scope) && m.pos > used-back)
	}
	ok := c.v.Clip()
	if !ok && can && w.kind != chunked && used-back >= w.pin || ok && !can {
		w.fatalf("Clip = %t, want %t", ok, can)
	}
	if ok && (w.a.Used() != used-back || c.v.Cap() != len(c.want)) || !ok && w.a.Used() != used {
		w.fatalf("Clip from %d to %d gives back %d", room, c.v.Cap(), used-w.a.Used())
	}
}

// loop changes the Vec while a loop runs.
func (c *vecTenant[T]) loop(w *world) {
	next, n := 0, len(c.want)
	for i, p := range c.v.All() {
		if i != next || *p != c.want[i] {
			w.fatalf("All at %d: %d, %v, want %v", next, i, *p, c.want)
		}
		next++
		if n = min(n, len(c.want)); i >= n {
			w.fatalf("All visits %d of %d", i, n)
		}
		switch w.next() % 8 {
		case 0:
			if xs := c.values(w, 1); c.v.Push(xs[0]) {
				c.want = append(c.want, xs...)
			}
		case 1:
			c.v.Pop()
			c.want = c.want[:max(0, len(c.want)-1)]
		case 2:
			if w.next()%4 == 0 {
				return
			}
		case 3:
			if w.next()%4 == 0 {
				c.v.Clear()
				c.want = nil
			}
		}
	}
	if n = min(n, len(c.want)); next < n {
		w.fatalf("All ends at %d of %d", next, len(c.want))
	}
}

// A Vec grows in place as long as nothing lies behind it, up to the last byte.
func TestVecInPlace(t *testing.T) {
	for kind := range kinds {
		a := newArena(t, kind, 4096)
		v := arena.NewVec[uint32](a)
		v.Push(1)
		p := v.Ptr(0)
		for i := range 128 - 1 {
			v.Push(uint32(i))
		}
		if v.Ptr(0) != p || v.Cap() != 128 {
			t.Errorf("kind %d: moved: Cap %d", kind, v.Cap())
		}
		b, err := a.Alloc(8, 1)
		if err != nil {
			t.Fatal(err)
		}
		if !v.Push(7) || v.Ptr(0) == p {
			t.Errorf("kind %d: grows into what was allocated since", kind)
		}
		if v.Clip(); v.Cap() != 129 {
			t.Errorf("kind %d: Clip: Cap = %d, want 129", kind, v.Cap())
		}
		if !allZero(b) {
			t.Errorf("kind %d: growth writes to %v", kind, b)
		}
	}
	a := arena.NewFixed(100)
	v := arena.NewVec[byte](a)
	if !v.Reserve(99) || !v.Resize(99) || !v.Push(1) || v.Push(2) || v.Len() != 100 {
		t.Errorf("a full arena: %d values", v.Len())
	}
	if used := a.Used(); used != 100 || v.Reserve(101) || v.Resize(101) || v.Append(1) {
		t.Errorf("beyond the arena: Used = %d", used)
	}
	if v.Clear(); a.Used() != 0 || v.Cap() != 0 || !v.Push(3) || v.At(0) != 3 {
		t.Errorf("after Clear: Used = %d, Cap = %d", a.Used(), v.Cap())
	}
}

// Memory is given back only if it was allocated last, and no Mark lies within or behind it.
func TestVecGivesBack(t *testing.T) {
	a := arena.NewFixed(1 << 12)
	v, o := arena.NewVec[byte](a), arena.NewVec[byte](a)
	v.Append(make([]byte, 10)...)
	if v.Cap() != 64 || !v.Clip() || a.Used() != 10 || v.Clip() {
		t.Errorf("Clip: Cap = %d, Used = %d", v.Cap(), a.Used())
	}
	v.Reserve(20)
	m := a.Mark()
	if v.Clip() || a.Used() != 20 {
		t.Errorf("Clip before a Mark: Used = %d", a.Used())
	}
	if v.Clear(); v.Cap() != 20 {
		t.Errorf("Clear before a Mark: Cap = %d, want 20", v.Cap())
	}
	o.Push(1)
	if v.Push(1); v.Clip() || v.Cap() != 20 {
		t.Errorf("Clip before another one: Cap = %d", v.Cap())
	}
	if a.Rewind(m); v.Len() != 1 || v.At(0) != 1 {
		t.Errorf("a rewind behind it: %v", v.Slice())
	}
	wantPanic(t, "arena: Vec.Pop: its memory has been rewound", func() { o.Pop() })
	if o.Clear(); o.Len() != 0 || !o.Push(9) || o.At(0) != 9 {
		t.Errorf("after Clear: %v", o.Slice())
	}
}

// A Mark made at the start of a Scope is valid after the Scope.
func TestVecMarkOfScope(t *testing.T) {
	a := arena.NewFixed(1 << 12)
	v := arena.NewVec[byte](a)
	v.Push(1)
	var m arena.Mark
	a.Scope(func(a *arena.Arena) { m = a.Mark() })
	v.Clear()
	a.Rewind(m)
}

// A zero-size allocation is never the most recent one.
func TestVecBesideVoids(t *testing.T) {
	a := arena.NewFixed(1 << 12)
	v, voids := arena.NewVec[byte](a), arena.NewVec[void](a)
	v.Push(1)
	voids.Append(make([]void, 1000)...)
	v.Clip()
	a.CheckInvariants()
	v.CheckInvariants()
	if v.Append(make([]byte, 10)...); v.Len() != 11 || voids.Len() != 1000 {
		t.Errorf("Len = %d, %d, want 11, 1000", v.Len(), voids.Len())
	}
	m := a.Mark()
	arena.New[int](a)
	a.Rewind(m)
	if v.At(0) != 1 || voids.Len() != 1000 {
		t.Errorf("a rewind behind them: %d values, %d voids", v.Len(), voids.Len())
	}
	a.CheckInvariants()
}

func TestVecSwapAndClone(t *testing.T) {
	a, b := arena.NewFixed(1<<10), arena.NewFixed(1<<10)
	v, o := arena.NewVec[int](a), arena.NewVec[int](b)
	v.Append(1, 2, 3)
	o.Append(4)
	p, m := v.Ptr(1), b.Mark()
	o.Reserve(50)
	v.Swap(o)
	if !slices.Equal(o.Slice(), []int{1, 2, 3}) || !slices.Equal(v.Slice(), []int{4}) || o.Ptr(1) != p {
		t.Errorf("Swap: %v, %v", v.Slice(), o.Slice())
	}
	v.CheckInvariants()
	o.CheckInvariants()
	b.Rewind(m)
	wantPanic(t, "arena: Vec.Slice: its memory has been rewound", func() { v.Slice() })
	if !o.Push(5) || o.Len() != 4 {
		t.Errorf("the other one: %v", o.Slice())
	}
	wantPanic(t, "arena: Vec.Swap: its memory has been rewound", func() { v.Swap(v) })
	wantPanic(t, "arena: Vec.Swap: its memory has been rewound", func() { o.Swap(v) })
	var zero arena.Vec[int]
	zero.Swap(o)
	if o.Push(1) || o.Len() != 0 || !slices.Equal(zero.Slice(), []int{1, 2, 3, 5}) || !zero.Push(6) {
		t.Errorf("Swap with the zero Vec: %v, %v", zero.Slice(), o.Slice())
	}
	c, ok := zero.Clone(b)
	if !ok || !slices.Equal(c.Slice(), zero.Slice()) || c.Ptr(0) == zero.Ptr(0) {
		t.Errorf("Clone = %v, %t", c.Slice(), ok)
	}
	if c, ok := zero.Clone(arena.NewFixed(8)); ok || c.Len() != 0 {
		t.Errorf("Clone in a full arena = %v, %t", c.Slice(), ok)
	}
	a.Reset()
	wantPanic(t, "arena: Vec.Slice: its memory has been rewound", func() { zero.Slice() })
	if c.At(0) != 1 {
		t.Errorf("the clone: %v", c.Slice())
	}
	x, y := arena.NewVec[int](a), arena.NewVec[int](b)
	x.Append(1)
	y.Append(2)
	x.Swap(y)
	a.Reset()                               // the memory of y
	if !slices.Equal(x.Slice(), []int{2}) { //nolint:berthends // Swap has given it b's memory
		t.Errorf("the end of memory that was swapped away: %v", x.Slice())
	}
	wantPanic(t, "arena: Vec.Slice: its memory has been rewound", func() { y.Slice() })
}

func allZero(b []byte) bool { return !slices.ContainsFunc(b, func(c byte) bool { return c != 0 }) }
