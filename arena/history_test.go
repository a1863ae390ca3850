package arena

import (
	"runtime"
	"testing"
)

// bookkeeping returns the number of entries that a has on Go's heap.
func bookkeeping(a *Arena) (rewinds, tenancies int) { return len(a.past.list), cap(a.tenants) }

// The records of rewinds and containers do not grow with their number.
func TestBookkeeping(t *testing.T) {
	const rounds = 20000
	one, two := NewBump[byte](nil, 1), NewBump[byte](nil, 1)
	for name, round := range map[string]func(*Arena){
		"a Scope above what stays": func(a *Arena) {
			New[byte](a)
			a.Scope(func(a *Arena) { New[int](a) })
		},
		"Scopes in Scopes": func(a *Arena) {
			New[byte](a)
			a.Scope(func(a *Arena) { New[int](a); a.Scope(func(a *Arena) { New[int](a) }) })
		},
		"a rewind to the last Mark": func(a *Arena) {
			New[byte](a)
			m := a.Mark()
			New[int](a)
			a.Rewind(m)
		},
		"two Bumps in turns": func(a *Arena) {
			if one.mem.a != a {
				one, two = NewBump[byte](a, 1), NewBump[byte](a, 1)
			}
			one.New()
			two.New()
		},
		"a Vec that gives back what it does not need": func(a *Arena) {
			New[byte](a)
			v := NewVec[int](a)
			v.Append(1, 2, 3)
			v.Pop()
			v.Clip()
			v.Clear()
		},
	} {
		a := NewChunked(1 << 16)
		for range rounds {
			round(a)
		}
		if r, n := bookkeeping(a); r > 0 || n > 16 {
			t.Errorf("%s: %d rewinds and %d tenancies are recorded, want 0 and a few", name, r, n)
		}
		if a.Used() < rounds {
			t.Errorf("%s: Used = %d, want a byte for each round", name, a.Used())
		}
		a.checkInvariants()
	}
}

// Many values from two Bumps take no more of Go's heap than the arena does.
func TestBumpsInTurns(t *testing.T) {
	var before, after runtime.MemStats
	a := NewFixed(1 << 18)
	one, two := NewBump[byte](a, 1), NewBump[byte](a, 1)
	runtime.ReadMemStats(&before)
	for range 1 << 17 {
		if one.New() == nil || two.New() == nil {
			t.Fatal("no room")
		}
	}
	runtime.ReadMemStats(&after)
	// Meanwhile the runtime may start a worker of the collector, which takes a few KiB.
	if n := after.TotalAlloc - before.TotalAlloc; n > 64<<10 {
		t.Errorf("%d bytes of Go's heap for 256 KiB of values, want next to nothing", n)
	}
}

// Containers that grow in turns have at most two tenancies each, and each is evicted exactly when
// its memory is rewound.
func TestTenantsInTurns(t *testing.T) {
	const n = 50
	a := NewChunked(1 << 16)
	var ds [n]*Deque[byte]
	var marks [n]Mark
	for i := range ds {
		ds[i] = NewDeque[byte](a, DequeConfig{Block: 1})
	}
	for range 100 {
		for _, d := range ds {
			d.PushBack(1)
		}
	}
	for i, d := range ds { // the last growth of each lies behind a Mark
		marks[i] = a.Mark()
		d.PushBack(2)
	}
	if k := cap(a.tenants); k > 3*n {
		t.Errorf("room for %d tenancies of %d containers", k, n)
	}
	for i := n - 1; i >= 0; i-- {
		a.Rewind(marks[i])
		a.checkInvariants()
		for k, d := range ds {
			if dead := d.mem.l.dead; dead != (k >= i) {
				t.Fatalf("after a rewind to before the last growth of %d: Deque %d is dead: %t",
					i, k, dead)
			}
		}
	}
}

// A rewind that ends Marks or lists is recorded once per position, as long as it matters.
func TestRewindsRemembered(t *testing.T) {
	a := NewChunked(1 << 12)
	for name, inner := range map[string]func(){
		"a Mark":   func() { a.Mark() },
		"a Nested": func() { new(Nested[byte]).Push(a, 1) },
	} {
		a.Reset()
		m := a.Mark()
		for i := range 100 {
			New[byte](a)
			m := a.Mark()
			New[int](a)
			inner()
			a.Rewind(m)
			if n := len(a.past.list); n > i+2 || n < i+1 {
				t.Fatalf("%s: %d rewinds are recorded after %d rounds", name, n, i+1)
			}
		}
		if a.Rewind(m); len(a.past.list) != 1 {
			t.Errorf("%s: %d rewinds are recorded after one to the start, want 1",
				name, len(a.past.list))
		}
	}
}

// If f rewinds to before the Scope, the Scope gives back nothing allocated later.
func TestScopeUndercut(t *testing.T) {
	var a Typed[int]
	b := NewChunked(64)
	for range 3 {
		a.New()
		New[int64](b)
	}
	m, n := a.Mark(), b.Mark()
	a.New()
	New[int64](b)
	a.Scope(func(*Typed[int]) {
		a.Scope(func(*Typed[int]) { a.Rewind(m); a.New(); a.New() })
		if a.Len() != 5 {
			t.Errorf("inner Typed.Scope: Len = %d, want 5", a.Len())
		}
	})
	b.Scope(func(*Arena) {
		b.Scope(func(*Arena) { b.Rewind(n); New[int64](b); New[int64](b) })
		if b.Used() != 40 {
			t.Errorf("inner Scope: Used = %d, want 40", b.Used())
		}
	})
	if a.Len() != 5 || b.Used() != 40 {
		t.Errorf("Len = %d, Used = %d, want 5 and 40: later allocations stay", a.Len(), b.Used())
	}
	a.Scope(func(*Typed[int]) { a.New() }) // later Scopes work as usual
	b.Scope(func(*Arena) { New[int64](b) })
	if a.Len() != 5 || b.Used() != 40 {
		t.Errorf("after another Scope: Len = %d, Used = %d, want 5 and 40", a.Len(), b.Used())
	}
}
