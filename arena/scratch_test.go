package arena_test

import (
	"bytes"
	"sync"
	"testing"

	"github.com/seed505807e1/berth/arena"
)

func TestScratch(t *testing.T) {
	a := arena.GetScratch()
	defer arena.PutScratch(a)
	s := arena.MakeSlice[byte](a, 100, 100)
	for i := range s {
		s[i] = 7
	}
	sum := calleeOne(t, a, s) + calleeTwo(t, s)
	if sum != 300 || !bytes.Equal(s, bytes.Repeat([]byte{7}, 100)) {
		t.Errorf("sum = %d, want 300; the caller's bytes: %v", sum, s)
	}
}

// calleeOne takes a scratch arena while its caller has one.
func calleeOne(t *testing.T, caller *arena.Arena, s []byte) int {
	a := arena.GetScratch()
	defer arena.PutScratch(a)
	if a == caller || a.Used() != 0 {
		t.Errorf("GetScratch returns one that is taken, or holds %d bytes", a.Used())
	}
	c := arena.MakeSlice[byte](a, 100, 100)
	if !allZero(c) {
		t.Errorf("scratch memory is %v, want zeros", c)
	}
	copy(c, s)
	clear(c)
	return 100
}

// calleeTwo takes two, and puts them back in the wrong order.
func calleeTwo(t *testing.T, s []byte) int {
	a, b := arena.GetScratch(), arena.GetScratch()
	if a == b {
		t.Error("GetScratch returns one twice")
	}
	x, y := arena.MakeSlice[byte](a, 100, 100), arena.MakeSlice[byte](b, 100, 100)
	copy(x, s)
	if !allZero(y) {
		t.Errorf("scratch memory is %v, want zeros", y)
	}
	copy(y, x)
	arena.PutScratch(a)
	if y[99] != 7 {
		t.Errorf("PutScratch ends another one")
	}
	arena.PutScratch(b)
	return 200
}

func TestScratchMisuse(t *testing.T) {
	const text = "arena: PutScratch: not from GetScratch, or put back already"
	a := arena.GetScratch()
	m := a.Mark()
	v := arena.NewVec[int](a)
	v.Push(1)
	p := arena.NewPool[int](a)
	arena.PutScratch(a)
	wantPanic(t, text, func() { arena.PutScratch(a) })
	wantPanic(t, text, func() { arena.PutScratch(new(arena.Arena)) })
	wantPanic(t, text, func() { arena.PutScratch(arena.NewFixed(10)) })
	wantPanic(t, "arena: Vec.Pop: its memory has been rewound", func() { v.Pop() })
	wantPanic(t, "arena: Arena.Rewind: has been rewound past this Mark", func() { a.Rewind(m) })
	if b, err := a.Alloc(1, 1); b != nil || err != arena.ErrNoSpace {
		t.Errorf("Alloc after PutScratch = %v, %v, want ErrNoSpace", b, err)
	}
	if arena.New[int](a) != nil || arena.MakeSlice[void](a, 0, 0) != nil || a.Used() != 0 {
		t.Errorf("an arena that was put back has memory")
	}
	if i, ok := p.Insert(1); ok {
		t.Errorf("Insert after PutScratch = %d, true", i)
	}
	b := arena.GetScratch()
	if err := b.Release(); err != nil {
		t.Error(err)
	}
	arena.PutScratch(b) // is not affected
	c := arena.GetScratch()
	if x := arena.New[int](c); x == nil || *x != 0 {
		t.Errorf("New after all = %v", x)
	}
	c.Scope(func(c *arena.Arena) { arena.PutScratch(c) })
	wantPanic(t, text, func() { arena.PutScratch(c) })
}

// A Scope that ends after its scratch arena was put back leaves the next loan alone.
func TestScratchLentInScope(t *testing.T) {
	for range 100 { // some of the loans are of the same arena
		var d *arena.Arena
		used := 0
		arena.GetScratch().Scope(func(c *arena.Arena) {
			arena.PutScratch(c)
			d = arena.GetScratch()
			arena.New[int](d)
			used = d.Used()
		})
		if d.Used() != used {
			t.Fatalf("Used = %d after a Scope of the last loan, want %d", d.Used(), used)
		}
		arena.PutScratch(d)
	}
}

// Each of many goroutines has its own arena, which is empty and zeroed.
func TestScratchGoroutines(t *testing.T) {
	var all sync.WaitGroup
	for g := range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := range 200 {
				a := arena.GetScratch()
				v := arena.NewVec[int](a)
				if s := arena.MakeSlice[byte](a, 3000, 3000); !allZero(s) || a.Used() != 3000 {
					t.Errorf("scratch memory is not empty and zero")
				} else {
					s[i], s[2999] = 1, 2
				}
				for k := range 100 {
					v.Push(g * k)
				}
				for k, p := range v.All() {
					if *p != g*k {
						t.Errorf("value %d is %d, want %d", k, *p, g*k)
					}
				}
				arena.PutScratch(a)
			}
		}()
	}
	all.Wait()
}

// Large memory does not stay with a scratch arena.
func TestScratchKeeps(t *testing.T) {
	for _, sizes := range [][]int{{4 << 20}, {100, 4 << 20}, {64 << 10, 100, 2 << 20, 100}} {
		a := arena.GetScratch()
		for range 3 {
			for _, n := range sizes {
				for _, c := range arena.MakeSlice[byte](a, n, n) {
					if c != 0 {
						t.Fatal("scratch memory is not zero")
					}
				}
				if b := arena.MakeSliceDirty[byte](a, n, n); b[n-1] == 0 {
					b[n-1], b[0] = 1, 1
				}
			}
			a.CheckInvariants()
			a.Reset()
		}
		arena.PutScratch(a)
		if n := a.Stats().Reserved; n > 1<<20 {
			t.Errorf("%v: %d bytes stay with it, want at most 1 MiB", sizes, n)
		}
	}
}

// Containers of zero-size values do not accumulate in a reused arena.
func TestScratchVoids(t *testing.T) {
	a := arena.GetScratch()
	arena.PutScratch(a)
	if n := testing.AllocsPerRun(1000, func() {
		a := arena.GetScratch()
		arena.New[void](a)
		arena.New[int](a)
		arena.PutScratch(a)
	}); n > 1 {
		t.Errorf("GetScratch and PutScratch: %v allocations, want 0", n)
	}
}
