package arena_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/seed505807e1/berth/arena"
)

// The model counts the pushes that are reserved at each end, at least. A reserved push succeeds,
// whatever was done at the other end. FreeBack and FreeFront return how many pushes would succeed.
func TestDequeReservations(t *testing.T) {
	both := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 17))
		block := 1 << r.IntN(4)
		blocks := 1 + r.IntN(8)
		a := arena.NewFixed(blocks * block * 8)
		d := arena.NewDeque[int](a, arena.DequeConfig{Block: block})
		var want []int
		var back, front int // reserved
		where := ""
		push := func(atBack, must bool, v int) bool {
			used := a.Used()
			free, ok := d.FreeBack(), false
			if !atBack {
				free = d.FreeFront()
			}
			if atBack {
				ok = d.PushBack(v)
			} else {
				ok = d.PushFront(v)
			}
			switch {
			case ok && atBack:
				want, back = append(want, v), max(0, back-1)
			case ok:
				want, front = append([]int{v}, want...), max(0, front-1)
			case must || free > 0:
				t.Fatalf("%s: push at the back %t = false, promised %d and %d, free %d",
					where, atBack, back, front, free)
			}
			if grown := a.Used() != used; ok && grown != (free == 0) {
				t.Fatalf("%s: push at the back %t grew: %t, with %d free", where, atBack, grown, free)
			}
			return ok
		}
		for step := range 120 {
			where = fmt.Sprintf("seed %d, step %d, block %d", seed, step, block)
			switch op := r.IntN(12); {
			case op < 3:
				push(true, back > 0, step)
			case op < 6:
				push(false, front > 0, step)
			case op < 9 && len(want) > 0:
				n := r.IntN(len(want)) / 2
				for range n + 1 {
					if r.IntN(2) == 0 {
						v, ok := d.PopFront()
						if !ok || v != want[0] {
							t.Fatalf("%s: PopFront = %d, %t, want %d", where, v, ok, want[0])
						}
						want = want[1:]
					} else {
						v, ok := d.PopBack()
						if !ok || v != want[len(want)-1] {
							t.Fatalf("%s: PopBack = %d, %t", where, v, ok)
						}
						want = want[:len(want)-1]
					}
				}
			case op == 9:
				n := r.IntN(3 * block)
				if used := a.Used(); d.ReserveBack(n) {
					back = max(back, n)
				} else if a.Used() != used {
					t.Fatalf("%s: ReserveBack(%d) is refused, and takes memory", where, n)
				}
			case op == 10:
				n := r.IntN(3 * block)
				if used := a.Used(); d.ReserveFront(n) {
					front = max(front, n)
				} else if a.Used() != used {
					t.Fatalf("%s: ReserveFront(%d) is refused, and takes memory", where, n)
				}
			case op == 11 && r.IntN(4) == 0:
				if d.Clear(); d.FreeBack() != d.Cap() || d.FreeFront() != d.Cap() {
					t.Fatalf("%s: Clear leaves %d and %d free of %d", where,
						d.FreeBack(), d.FreeFront(), d.Cap())
				}
				want, back, front = nil, 0, 0
			}
			d.CheckInvariants()
			if d.FreeBack() < back || d.FreeFront() < front || d.Len() != len(want) {
				t.Fatalf("%s: FreeBack, FreeFront = %d, %d, promised %d, %d; Len = %d, want %d", where,
					d.FreeBack(), d.FreeFront(), back, front, d.Len(), len(want))
			}
		}
		if back > 0 && front > 0 {
			both++
		}
		for back+front > 0 { // every reserved push succeeds, in any order
			where = fmt.Sprintf("seed %d, at the end", seed)
			atBack := r.IntN(back+front) < back
			push(atBack, true, -1)
		}
		for i, p := range d.All() {
			if *p != want[i] {
				t.Fatalf("seed %d: value %d is %d, want %d", seed, i, *p, want[i])
			}
		}
	}
	if both < 20 {
		t.Errorf("%d runs end with promises to both ends, want more", both)
	}
}

// Zero-size values take no memory, but their blocks do on Go's heap. All of them count.
func TestDequeReserveNothing(t *testing.T) {
	d := arena.NewDeque[void](arena.NewChunked(64), arena.DequeConfig{Block: 1})
	if !d.ReserveBack(4000) || d.ReserveBack(8000) || d.Cap() < 4000 || d.Cap() > 4096 {
		t.Errorf("Cap = %d after ReserveBack(4000) and ReserveBack(8000), want 4000", d.Cap())
	}
}

// An empty Deque gives all its room to the end that reserves it.
func TestDequeReserveEmpty(t *testing.T) {
	for at := range 8 {
		d := arena.NewDeque[int](arena.NewFixed(8*8), arena.DequeConfig{Block: 8})
		for i := range at {
			d.PushBack(i)
			d.PopFront()
		}
		if !d.ReserveFront(8) || d.FreeFront() != 8 || d.FreeBack() != 0 && d.Cap() > 8 {
			t.Errorf("at %d: ReserveFront(8) = false, or FreeFront = %d", at, d.FreeFront())
		}
		d.Clear()
		for range at {
			d.PushBack(1)
			d.PopFront()
		}
		if !d.ReserveBack(8-at) || !d.ReserveFront(at) || d.FreeBack() < 8-at || d.FreeFront() < at {
			t.Errorf("at %d: no room for %d and %d in 8", at, 8-at, at)
		}
	}
}

// A reservation is used up after that many pushes and at most a block more, however many values
// were popped before. The spare blocks then serve the other end.
func TestDequeReservationUsedUp(t *testing.T) {
	const block, n = 4, 8
	for _, back := range []bool{true, false} {
		d := arena.NewDeque[int](arena.NewFixed(10*block*8), arena.DequeConfig{Block: block})
		push, pop, reserve, free := d.PushBack, d.PopBack, d.ReserveBack, d.FreeFront
		if !back {
			push, pop, reserve, free = d.PushFront, d.PopFront, d.ReserveFront, d.FreeBack
		}
		times := func(n int, f func() bool) {
			for range n {
				if !f() {
					t.Fatalf("back %t: a push or pop = false", back)
				}
			}
		}
		times(6*block, func() bool { return push(1) })
		if !reserve(4 * block) {
			t.Fatalf("back %t: the rest cannot be reserved", back)
		}
		d.Clear()
		times(6*block, func() bool { return push(1) })
		if !reserve(n) {
			t.Fatalf("back %t: %d cannot be reserved", back, n)
		}
		times(6*block-1, func() bool { _, ok := pop(); return ok })
		times(n+block, func() bool { return push(1) })
		if most := d.Cap() - d.Len() - block; free() < most {
			t.Errorf("back %t: %d free at the other end, want %d at least", back, free(), most)
		}
		d.CheckInvariants()
	}
}
