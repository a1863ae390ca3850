package arena_test

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/seed505807e1/berth/arena"
	"github.com/seed505807e1/berth/internal/long"
)

// dequeTenant is a Deque and its model.
type dequeTenant[T comparable] struct {
	d    *arena.Deque[T]
	want []T
	of   func(uint64) T
	size int
	gone int // values popped or cleared, for loops
}

func newDequeTenant[T comparable](w *world, of func(uint64) T, block int) tenant {
	var v T
	d := arena.NewDeque[T](w.a, arena.DequeConfig{Block: block})
	return &dequeTenant[T]{d: d, of: of, size: int(unsafe.Sizeof(v))}
}

func (c *dequeTenant[T]) self() any { return c.d }
func (c *dequeTenant[T]) cap() int  { return c.d.Cap() }

func (c *dequeTenant[T]) revive() bool {
	c.d.Clear()
	c.want = nil
	return true
}

func (c *dequeTenant[T]) compare(w *world) {
	w.t.Helper()
	c.d.CheckInvariants()
	n := len(c.want)
	got := make([]T, n+1)
	if k := c.d.CopyTo(got); k != n || c.d.Len() != n || !slices.Equal(got[:n], c.want) {
		w.fatalf("Deque = %v, %d of %d, want %v", got, k, c.d.Len(), c.want)
	}
	if k := c.d.CopyTo(got[:n/2]); k != n/2 || !slices.Equal(got[:n/2], c.want[:n/2]) {
		w.fatalf("CopyTo of %d: %d", n/2, k)
	}
	front, ok1 := c.d.Front()
	back, ok2 := c.d.Back()
	if ok1 != (n > 0) || ok2 != ok1 || ok1 && (front != c.want[0] || back != c.want[n-1]) {
		w.fatalf("Front, Back = %v, %v, want the ends of %v", front, back, c.want)
	}
	for _, i := range []int{0, n / 2, n - 1} {
		if i >= 0 && i < n && (c.d.At(i) != c.want[i] || *c.d.Ptr(i) != c.want[i]) {
			w.fatalf("At(%d) = %v, want %v", i, c.d.At(i), c.want[i])
		}
	}
	if c.d.Ptr(-1) != nil || c.d.Ptr(n) != nil {
		w.fatalf("Ptr of nothing is not nil")
	}
	next := 0
	for i, s := range c.d.Spans() {
		if i != next || len(s) == 0 || len(s) > c.d.Block() || cap(s) != len(s) {
			w.fatalf("Spans at %d: %d, %v with room for %d", next, i, s, cap(s))
		}
		next += len(s)
	}
	if next != n || c.d.Cap()%c.d.Block() != 0 {
		w.fatalf("Spans have %d values, want %d; Cap = %d", next, n, c.d.Cap())
	}
}

// push pushes at either end, and compares FreeBack and FreeFront with what the push takes.
func (c *dequeTenant[T]) push(w *world, atBack bool) {
	x, used, room := c.of(w.value()), w.a.Used(), c.d.Cap()
	free, ok := c.d.FreeBack(), false
	if atBack {
		ok = c.d.PushBack(x)
	} else {
		free = c.d.FreeFront()
		ok = c.d.PushFront(x)
	}
	if free > 0 && !ok || ok && (free > 0) != (c.d.Cap() == room) || free < 0 {
		w.fatalf("push at the back: %t = %t, with room for %d; Cap = %d after %d",
			atBack, ok, free, c.d.Cap(), room)
	}
	if !ok {
		w.mayFail("push", c.size*c.d.Block())
	}
	if !ok || free > 0 {
		if w.a.Used() != used || c.d.Cap() != room {
			w.fatalf("a push changes the memory, with room for %d", free)
		}
	}
	switch {
	case !ok:
	case atBack:
		c.want = append(c.want, x)
	default:
		c.want = append([]T{x}, c.want...)
	}
}

func (c *dequeTenant[T]) pop(w *world, atBack bool) {
	n := len(c.want)
	var x, want T
	var ok bool
	if atBack {
		x, ok = c.d.PopBack()
	} else {
		x, ok = c.d.PopFront()
	}
	if ok != (n > 0) {
		w.fatalf("pop = %v, %t of %d", x, ok, n)
	}
	if !ok {
		return
	}
	c.gone++
	if atBack {
		want, c.want = c.want[n-1], c.want[:n-1]
	} else {
		want, c.want = c.want[0], c.want[1:]
	}
	if x != want {
		w.fatalf("pop = %v, want %v", x, want)
	}
}

func (c *dequeTenant[T]) reserve(w *world, atBack bool) {
	n, used := w.arg(), w.a.Used()
	free, reserve := c.d.FreeFront, c.d.ReserveFront
	if atBack {
		free, reserve = c.d.FreeBack, c.d.ReserveBack
	}
	before := free()
	ok := reserve(n)
	if !ok {
		w.mayFail("Reserve", c.size*(n-before+c.d.Block()))
	}
	if ok && (free() < n || n <= before && w.a.Used() != used || n > before && free() >= n+c.d.Block()) ||
		!ok && (free() != before || w.a.Used() != used) {
		w.fatalf("Reserve(%d) at the back: %t = %t: room for %d, was %d", n, atBack, ok, free(), before)
	}
}

func (c *dequeTenant[T]) step(w *world) {
	switch op := w.next() % 16; op {
	case 0, 1, 2, 3:
		for range w.next() % 9 {
			c.push(w, op%2 == 0)
		}
	case 4, 5, 6, 7:
		for range w.next() % 9 {
			c.pop(w, op%2 == 0)
		}
	case 8, 9:
		c.reserve(w, op == 8)
	case 10:
		if w.next()%4 == 0 {
			c.d.Clear()
			c.want = nil
		}
	case 11, 12:
		c.loop(w)
	case 13:
		if n := len(c.want); n > 0 {
			i := w.next() % n
			c.want[i] = c.of(w.value())
			*c.d.Ptr(i) = c.want[i]
		}
	case 14, 15: // a queue
		for range w.next() % 64 {
			c.push(w, op == 14)
			c.pop(w, op != 14)
		}
	}
}

// loop changes the Deque while a loop runs.
func (c *dequeTenant[T]) loop(w *world) {
	start := slices.Clone(c.want)
	left := map[T]bool{} // visited or removed
	c.gone = 0
	for i, p := range c.d.All() {
		switch x := *p; {
		case i >= len(c.want) || c.want[i] != x:
			w.fatalf("All at %d: %v, want %v", i, x, c.want)
		case left[x]:
			w.fatalf("All at %d: %v, again", i, x)
		case !slices.Contains(start, x) && c.gone == 0:
			w.fatalf("All at %d: %v, which was pushed in the loop", i, x)
		default:
			left[x] = true
		}
		switch op := w.next() % 12; op {
		case 0, 1:
			c.push(w, op == 0)
		case 2, 3:
			c.pop(w, op == 2)
		case 4:
			if w.next()%4 == 0 {
				return
			}
		case 5:
			if w.next()%6 == 0 {
				c.d.Clear()
				c.want, c.gone = nil, c.gone+1
			}
		}
	}
	for _, x := range c.want {
		if slices.Contains(start, x) && !left[x] {
			w.fatalf("All did not visit %v, of %v", x, c.want)
		}
	}
}

// A queue of steady length runs forever in constant memory, whichever ends it uses, and with
// reservations.
func TestDequeQueue(t *testing.T) {
	turns := 10_000
	if long.On {
		turns = 3_000_000
	}
	for _, length := range []int{0, 1, 15, 16, 17, 100} {
		for _, reserved := range []int{0, 10} {
			for _, toBack := range []bool{true, false} {
				a := arena.NewFixed(1 << 16)
				d := arena.NewDeque[int](a, arena.DequeConfig{Block: 16})
				d.ReserveBack(reserved)
				d.ReserveFront(reserved)
				push, pop := d.PushBack, d.PopFront
				if !toBack {
					push, pop = d.PushFront, d.PopBack
				}
				for i := range length {
					push(i)
				}
				used := 0
				for i := range turns {
					push(i + length)
					if x, ok := pop(); !ok || x != i {
						t.Fatalf("to the back %t, length %d: pop = %d, %t, want %d", toBack, length, x, ok, i)
					}
					if i == 100 {
						used = a.Used()
					}
				}
				if a.Used() != used || used > (length/16+3)*16*8 || d.Len() != length {
					t.Errorf("to the back %t, length %d, %d reserved: Used = %d, was %d",
						toBack, length, reserved, a.Used(), used)
				}
				d.CheckInvariants()
			}
		}
	}
}

// Ends that alternate also need only constant memory.
func TestDequeAlternating(t *testing.T) {
	a := arena.NewFixed(1 << 16)
	d := arena.NewDeque[int](a, arena.DequeConfig{Block: 4})
	used := 0
	for i := range 10_000 {
		for k := range 10 {
			if i/7%2 == 0 {
				d.PushBack(k)
			} else {
				d.PushFront(9 - k)
			}
		}
		for k := range 10 {
			x, ok := 0, false
			if want := k; i/7%2 == 0 || i%3 == 0 {
				x, ok = d.PopFront()
				if !ok || x != want {
					t.Fatalf("PopFront = %d, %t, want %d", x, ok, want)
				}
			} else if x, ok = d.PopBack(); !ok || x != 9-k {
				t.Fatalf("PopBack = %d, %t, want %d", x, ok, 9-k)
			}
		}
		if i == 100 {
			used = a.Used()
		}
	}
	if a.Used() != used || used > 6*4*8 {
		t.Errorf("Used = %d, was %d", a.Used(), used)
	}
}

// A value that is pushed in the loop is visited only if it takes the place of a popped one, and
// then at most once.
func TestDequeLoopPush(t *testing.T) {
	for name, c := range map[string]struct {
		change func(d *arena.Deque[int])
		most   int
	}{
		"PushFront": {func(d *arena.Deque[int]) { d.PushFront(100) }, 0},
		"PushBack":  {func(d *arena.Deque[int]) { d.PushBack(100) }, 0},
		"a new place": {func(d *arena.Deque[int]) {
			d.PushBack(100)
			d.PopFront()
			d.PushBack(100)
		}, 0},
		"PopFront": {func(d *arena.Deque[int]) {
			for range 5 {
				d.PopFront()
			}
			d.PushFront(100)
		}, 1},
		"PopBack": {func(d *arena.Deque[int]) { d.PopBack(); d.PushBack(100) }, 1},
		"Clear":   {func(d *arena.Deque[int]) { d.Clear(); d.PushFront(100) }, 1},
	} {
		d := arena.NewDeque[int](arena.NewChunked(1<<10), arena.DequeConfig{Block: 8})
		for i := range 8 {
			d.PushBack(i)
		}
		visited := 0
		for _, p := range d.All() {
			if *p == 100 {
				visited++
			} else if *p == 0 {
				c.change(d)
			}
		}
		if visited > c.most {
			t.Errorf("%s: All visits %d values that were pushed, want %d", name, visited, c.most)
		}
	}
}

// A loop over spans may pop and push.
func TestDequeSpansWhileQueue(t *testing.T) {
	d := arena.NewDeque[int](arena.NewChunked(64), arena.DequeConfig{Block: 4})
	for i := range 10 {
		d.PushBack(i)
	}
	var seen []int
	for i, s := range d.Spans() {
		seen = append(seen, i, len(s), s[0])
		for range 4 {
			d.PushBack(50) // not visited
			d.PopFront()
		}
		d.PushFront(60)
		d.PopFront()
	}
	if want := []int{0, 4, 0, 0, 4, 4, 0, 2, 8}; !slices.Equal(seen, want) {
		t.Errorf("Spans of a queue that runs = %v, want %v", seen, want)
	}
}
