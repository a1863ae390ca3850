package berth

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/seed505807e1/berth/internal/slots"
)

// eachContainer runs f for functions that make Pools and Denses.
func eachContainer(t *testing.T, f func(t *testing.T, make func(c Config) store[uint64])) {
	t.Run("Pool", func(t *testing.T) {
		f(t, func(c Config) store[uint64] { return NewPool[uint64](c) })
	})
	t.Run("Dense", func(t *testing.T) {
		f(t, func(c Config) store[uint64] {
			return NewDense[uint64](DenseConfig{Seed: c.Seed, Limit: c.Limit, Memory: c.Memory})
		})
	})
}

// A mirror of any subset of the values, inserted in any order, finds them and nothing else.
func TestInsertAtMirror(t *testing.T) {
	eachContainer(t, func(t *testing.T, make func(Config) store[uint64]) {
		for seed := range uint64(12) {
			r := rand.New(rand.NewPCG(seed, 3))
			a, m := make(Config{Seed: 1}), make(Config{Seed: 1})
			var hs, gone []Handle[uint64]
			for i := range 3000 {
				if r.IntN(5) < 3 {
					hs = append(hs, a.Insert(uint64(i)))
				} else if len(hs) > 0 {
					k := r.IntN(len(hs))
					a.Remove(hs[k])
					gone = append(gone, hs[k])
					hs = append(hs[:k], hs[k+1:]...)
				}
				if i%400 != 399 {
					continue
				}
				for _, h := range gone {
					m.Remove(h)
				}
				if i%800 == 799 {
					m.Clear()
				}
				n := 0
				for _, k := range r.Perm(len(hs)) {
					h := hs[k]
					want, _ := a.Get(h)
					got, live := m.Get(h)
					switch {
					case h.id.Index&1 != 0:
						continue
					case live && got != want:
						t.Fatal(h, got, want)
					case live:
						if err := InsertAtAny(m, h, want); !errors.Is(err, ErrTaken) {
							t.Fatal(h, err)
						}
					default:
						if err := InsertAtAny(m, h, want); err != nil {
							t.Fatal(err)
						}
						m.checkInvariants()
					}
					n++
				}
				if m.Len() != n {
					t.Fatal(m, n)
				}
				for _, h := range gone {
					if _, ok := m.Get(h); ok {
						t.Fatal(h, "is stale")
					}
				}
			}
		}
	})
}

// The errors of InsertAt, each of which leaves the container unchanged.
func TestInsertAtErrors(t *testing.T) {
	eachContainer(t, func(t *testing.T, make func(Config) store[uint64]) {
		p := make(Config{Seed: 1})
		h := p.Insert(1)
		refuse := func(p store[uint64], h Handle[uint64], want error) {
			t.Helper()
			n := p.Len()
			if err := InsertAtAny(p, h, 5); !errors.Is(err, want) || p.Len() != n {
				t.Errorf("%v: %v, want %v", h, err, want)
			}
			p.checkInvariants()
		}
		salt, base := slots.OriginOf(1)
		at := func(slot, age uint32) Handle[uint64] {
			return Handle[uint64]{id: slots.ID{Index: salt + slot, Gen: base + age}}
		}
		refuse(p, Handle[uint64]{}, ErrStale)
		refuse(p, h, ErrTaken)
		refuse(p, at(0, 7), ErrTaken)
		refuse(p, at(1, 2), ErrStale)
		refuse(p, at(1<<20+64, 1), ErrRange)
		refuse(p, at(1<<32-1, 1), ErrRange)
		if _, bytes := mallocs(func() { _ = InsertAtAny(p, at(1<<20+63, 1), 9) }); bytes > 1<<20 {
			t.Errorf("a far handle takes %d bytes", bytes)
		}
		if v, ok := p.Get(at(1<<20+63, 1)); !ok || v != 9 {
			t.Error(v, ok)
		}
		p.checkInvariants()

		p.Remove(h)
		if err := InsertAtAny(p, h, 6); err != nil { // the last handle of its slot
			t.Error(err)
		}
		if v, _ := p.Get(h); v != 6 {
			t.Error(v)
		}
		p.Remove(h)
		g := p.Insert(7)
		p.Remove(g)
		refuse(p, h, ErrStale)
		if g.id.Index != h.id.Index || g.id.Gen != h.id.Gen+2 {
			t.Error(h, g)
		}

		if err := InsertAtAny(p, at(5, 1<<32-1), 1); err != nil { // the last life of a slot
			t.Error(err)
		}
		p.Remove(at(5, 1<<32-1))
		refuse(p, at(5, 1), ErrStale)
		refuse(p, at(5, 1<<32-1), ErrStale)

		limited := make(Config{Seed: 1, Limit: 3})
		refuse(limited, at(3, 1), ErrFull)
		for slot := range uint32(3) {
			if err := InsertAtAny(limited, at(2-slot, 3), 1); err != nil {
				t.Error(err)
			}
		}
		refuse(limited, at(1, 5), ErrTaken)
		if !limited.Insert(1).IsZero() {
			t.Error("beyond Limit")
		}
	})
}

// Blocks are joined into chunks only when all of a chunk is in memory.
func TestInsertAtJoins(t *testing.T) {
	salt, base := slots.OriginOf(1)
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 5))
		p := NewPool[uint64](Config{Seed: 1})
		for i := range 12 {
			h := Handle[uint64]{id: slots.ID{Index: salt + uint32(r.IntN(12)<<6), Gen: base + 1}}
			if err := InsertAt(p, h, 1); err != nil && !errors.Is(err, ErrTaken) {
				t.Fatal(err)
			}
			if r.IntN(3) == 0 {
				p.Insert(uint64(i))
			}
			p.checkInvariants()
		}
	}
}

// After mass removal, floors of released chunks are respected.
func TestInsertAtFloors(t *testing.T) {
	p := NewPool[uint64](Config{Seed: 1})
	var hs []Handle[uint64]
	for range 3 {
		hs = hs[:0]
		for i := range 4000 {
			hs = append(hs, p.Insert(uint64(i)))
		}
		for _, h := range hs {
			p.Remove(h)
		}
		p.Clip()
	}
	p.checkInvariants()
	for _, h := range hs {
		old := h
		old.id.Gen -= 4
		if err := InsertAt(p, old, 1); !errors.Is(err, ErrStale) {
			t.Fatal(err)
		}
	}
	for i := len(hs) - 1; i >= 0; i -= 7 {
		if err := InsertAt(p, hs[i], 1); err != nil {
			t.Fatal(err)
		}
	}
	p.checkInvariants()
}

// A chunk that is used up takes no value back, of whatever generation.
func TestInsertAtUsedUp(t *testing.T) {
	p := NewPool[int](Config{Capacity: 1})
	age(p, 1)
	h := p.Insert(1)
	for p.Len() < p.Cap() {
		p.Insert(1)
	}
	if p.Clear(); p.Stats().Chunks != 0 {
		t.Fatal("the chunk is not used up")
	}
	for _, gen := range []uint32{h.id.Gen, p.state.Base + 1} {
		h.id.Gen = gen
		if err := InsertAt(p, h, 1); !errors.Is(err, ErrStale) {
			t.Errorf("%v: %v", h, err)
		}
	}
	p.checkInvariants()
}

func TestInsertAtHooks(t *testing.T) {
	q := NewPool[uint64](Config{Seed: 1})
	hs := []Handle[uint64]{q.Insert(0), q.Insert(1)}
	p, d := NewPool[uint64](Config{Seed: 1}), NewDense[uint64](DenseConfig{Seed: 1})
	seen := 0
	hooks := Hooks[uint64]{OnInsert: func(h Handle[uint64], v *uint64) {
		if seen++; *v == 9 {
			panic("no")
		}
	}}
	SetHooks(p, hooks)
	DenseSetHooks(d, hooks)
	for _, c := range []store[uint64]{p, d} {
		if err := InsertAtAny(c, hs[1], 4); err != nil {
			t.Error(err)
		}
		mustPanic(t, "no", func() { _ = InsertAtAny(c, hs[0], 9) })
		if c.Len() != 1 {
			t.Error(c.Len())
		}
	}
	if seen != 4 {
		t.Error(seen)
	}
	SetHooks(p, Hooks[uint64]{})
	p.InsertFunc(func(h Handle[uint64], _ *uint64) {
		if err := InsertAt(p, h, 1); !errors.Is(err, ErrTaken) {
			t.Error(err)
		}
	})
}

// A copy is what Clone returns, in the memory that is there.
func TestCopyFrom(t *testing.T) {
	value := func(i uint64) string { return fmt.Sprint(i) }
	eachSaved(t, value, func(t *testing.T, p, q store[string]) {
		CopyFromAny[string](q, p)
		CopyFromAny[string](q, q)
		q.checkInvariants()
		if p, ok := p.(*Pool[string]); ok {
			q := q.(*Pool[string])
			if s := q.Stats(); s.Live != p.Len() || s.Chunks != p.Stats().Chunks {
				t.Error(s, p.Stats())
			}
			if n := testing.AllocsPerRun(1, func() { q.CopyFrom(p) }); n != 0 {
				t.Errorf("%v allocations", n)
			}
		}
	})
	d := newDense(DenseConfig{Defrag: DefragImmediate}, 5)
	for range d.All() {
		d.CopyFrom(d.Clone()) // ends the loop
	}
	if d.Remove(handleAt(d, 0)); d.Holes() != 0 {
		t.Error("a loop that CopyFrom has ended keeps values in place")
	}
}

// After CopyFrom the memory that stays is what the original has reserved, not the receiver.
func TestDenseCopyFromReserve(t *testing.T) {
	for _, n := range []int{0, 10_000} {
		d := NewDense[int](DenseConfig{Capacity: 10_000 - n})
		d.CopyFrom(NewDense[int](DenseConfig{Capacity: n}))
		d.Remove(d.Insert(1))
		if got := cap(d.vals) >= 10_000; got != (n > 0) {
			t.Errorf("%d reserved: room for %d once all values are removed", n, cap(d.vals))
		}
	}
}

// CopyFrom leaves out values under construction, and panics if the receiver has any.
func TestCopyFromUnderConstruction(t *testing.T) {
	p, q := NewPool[int](Config{Seed: 1, Limit: 5}), NewPool[int](Config{Seed: 2})
	p.Insert(1)
	p.InsertFunc(func(Handle[int], *int) {
		q.CopyFrom(p)
		mustPanic(t, "berth: Pool.CopyFrom: a value is under construction",
			func() { p.CopyFrom(q) })
	})
	q.checkInvariants()
	if q.Len() != 1 || p.Len() != 2 {
		t.Error(p, q)
	}
	for q.Len() < 5 {
		if q.Insert(1).IsZero() {
			t.Fatal("no slot below Limit")
		}
	}
	if !q.Insert(1).IsZero() {
		t.Error("beyond Limit")
	}
}

// The chunks that InsertAt skips resume where those before them ended, as all others do.
func TestInsertAtSkipsFloors(t *testing.T) {
	p := NewPool[int](Config{Seed: 1})
	var hs []Handle[int]
	for i := range 3000 {
		hs = append(hs, p.Insert(i))
	}
	p.Clear()
	if p.Clip(); len(p.dir) != 0 || p.state.Tail == 0 {
		t.Fatalf("%d blocks, tail %d", len(p.dir), p.state.Tail)
	}
	far := hs[2999]
	far.id.Gen += 2
	if err := InsertAt(p, far, 1); err != nil {
		t.Fatal(err)
	}
	for range 2999 {
		p.Insert(2)
	}
	for i, h := range hs {
		if p.Contains(h) {
			t.Fatalf("stale handle %d finds a value", i)
		}
	}
	p.checkInvariants()
}
