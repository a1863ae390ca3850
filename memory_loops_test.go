package berth_test

import (
	"iter"
	"math/rand/v2"
	"runtime/debug"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/pages"
)

// faulty is a Memory whose pieces cannot be accessed after they were freed.
type faulty struct {
	t   testing.TB
	out map[*byte]*pages.Region
}

// newFaulty returns a Memory that fails t when a freed piece is accessed.
func newFaulty(t testing.TB) *faulty {
	old := debug.SetPanicOnFault(true)
	t.Cleanup(func() { debug.SetPanicOnFault(old) })
	return &faulty{t, map[*byte]*pages.Region{}}
}

func (f *faulty) Alloc(size, _ int) ([]byte, error) {
	r, err := pages.Reserve(size, false)
	if err != nil {
		f.t.Fatal(err)
	}
	if err := r.Commit(0, r.Len()); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = r.Release() })
	b := r.Bytes()[:size:size]
	f.out[&b[0]] = r
	return b, nil
}

func (f *faulty) Free(b []byte) {
	r := f.out[&b[0]]
	delete(f.out, &b[0])
	if err := r.Decommit(0, r.Len()); err != nil {
		f.t.Fatal(err)
	}
}

// visitor is a loop over c that calls turn with each value it yields, before turn changes c.
type visitor struct {
	name string
	loop func(c box, turn func(a, b int))
}

// looper is the interface of the loops that both containers have.
type looper interface {
	box
	Spans() iter.Seq2[berth.Handle[int], []int]
}

// inner returns the loops over the others of each value.
func inner(name string, loop func(o berth.View[int], visit func(v *int))) visitor {
	return visitor{name, func(c box, turn func(a, b int)) {
		each := func(v *int, o berth.View[int]) {
			a := *v // *v may be removed inside the loop
			loop(o, func(b *int) { turn(a, *b) })
		}
		switch c := c.(type) {
		case *berth.Pool[int]:
			for e, o := range berth.Traverse(c) {
				each(e.Value, o)
			}
		case *berth.Dense[int]:
			for e, o := range berth.DenseTraverse(c) {
				each(e.Value, o)
			}
		}
	}}
}

// visitors returns loops over values, which yield each value once as a, and loops over pairs.
func visitors() (ones, pairs []visitor) {
	ones = []visitor{
		{"All", func(c box, turn func(a, b int)) {
			for _, v := range c.All() {
				turn(*v, 0)
			}
		}},
		{"Values", func(c box, turn func(a, b int)) {
			for v := range c.Values() {
				turn(*v, 0)
			}
		}},
		{"Backward", func(c box, turn func(a, b int)) {
			backward := func() iter.Seq2[berth.Handle[int], *int] {
				if p, ok := c.(*berth.Pool[int]); ok {
					return berth.Backward(p)
				}
				return berth.DenseBackward(c.(*berth.Dense[int]))
			}
			for _, v := range backward() {
				turn(*v, 0)
			}
		}},
		{"Spans", func(c box, turn func(a, b int)) {
			for _, s := range c.(looper).Spans() {
				for _, v := range append([]int(nil), s...) { // a change may end the span
					turn(v, 0)
				}
			}
		}},
		{"RemoveFunc", func(c box, turn func(a, b int)) {
			berth.RemoveFuncAny(c, func(_ berth.Handle[int], v *int) bool { turn(*v, 0); return false })
		}},
	}
	pairs = []visitor{
		{"Pairs", func(c box, turn func(a, b int)) {
			pairs := iter.Seq2[*int, *int](nil)
			switch c := c.(type) {
			case *berth.Pool[int]:
				pairs = berth.Pairs(c)
			case *berth.Dense[int]:
				pairs = berth.DensePairs(c)
			}
			for a, b := range pairs {
				turn(*a, *b)
			}
		}},
		inner("Others.All", func(o berth.View[int], visit func(v *int)) {
			for _, v := range o.All() {
				visit(v)
			}
		}),
		inner("Others.Values", func(o berth.View[int], visit func(v *int)) {
			for v := range o.Values() {
				visit(v)
			}
		}),
		inner("Others.Spans", func(o berth.View[int], visit func(v *int)) {
			for _, s := range o.(interface {
				Spans() iter.Seq2[berth.Handle[int], []int]
			}).Spans() {
				for _, v := range append([]int(nil), s...) {
					visit(&v)
				}
			}
		}),
	}
	return ones, pairs
}

// trip is one loop over a container that frees memory inside the loop.
type trip struct {
	c    box
	rng  *rand.Rand
	hs   map[int]berth.Handle[int] // of the values that were there at first and are not removed
	next int                       // value to insert
	more int                       // values that a change inserts
	left int                       // changes still to make
	seen map[[2]int]int
}

// turn records the values that the loop yields, and sometimes empties chunks, here or elsewhere.
func (w *trip) turn(a, b int) {
	w.seen[[2]int{a, b}]++
	if w.left == 0 || w.rng.IntN(100) > 0 {
		return
	}
	w.left--
	from, to := w.rng.IntN(w.next), w.rng.IntN(w.next)
	for v := from; v < to; v++ {
		if v%97 != 0 {
			w.c.Remove(w.hs[v])
			delete(w.hs, v)
		}
	}
	if w.rng.IntN(8) == 0 {
		w.c.Clear()
		clear(w.hs)
	}
	w.c.Clip()
	for range w.rng.IntN(2) * w.more {
		w.c.Insert(w.next)
		w.next++
	}
}

// newTrip returns a trip over n values.
func newTrip(t testing.TB, m maker, n int, seed uint64) *trip {
	w := &trip{
		c: m.make(newFaulty(t), 0), rng: rand.New(rand.NewPCG(seed, 3)),
		hs: map[int]berth.Handle[int]{}, next: 1, more: n / 2, left: 6, seen: map[[2]int]int{},
	}
	for ; w.next <= n; w.next++ {
		w.hs[w.next] = w.c.Insert(w.next)
	}
	return w
}

// Memory that Clip and Clear free inside a loop is never read again, and the loop keeps its rules:
// a value live throughout is visited once, and none twice.
func TestMemoryLoopsGoOn(t *testing.T) {
	cannotHang(t)
	ones, pairs := visitors()
	each(t, func(t *testing.T, m maker) {
		for seed := range uint64(3) {
			for _, v := range ones {
				w := newTrip(t, m, 700, seed)
				v.loop(w.c, w.turn)
				for i := range w.hs {
					if n := w.seen[[2]int{i, 0}]; n != 1 {
						t.Errorf("%s visits %d, live throughout, %d times", v.name, i, n)
					}
				}
				w.check(t, v.name)
			}
			for _, v := range pairs {
				w := newTrip(t, m, 140, seed)
				v.loop(w.c, w.turn)
				for i := range w.hs {
					for k := range w.hs {
						n := w.seen[[2]int{i, k}]
						if v.name == "Pairs" {
							n += w.seen[[2]int{k, i}]
						}
						if i != k && n != 1 {
							t.Errorf("%s visits the pair %d, %d, live throughout, %d times", v.name, i, k, n)
						}
					}
				}
				w.check(t, v.name)
			}
		}
	})
}

func (w *trip) check(t *testing.T, name string) {
	w.c.CheckInvariants()
	for what, n := range w.seen {
		if n > 1 {
			t.Errorf("%s visits %v %d times", name, what, n)
		}
	}
	if w.left == 6 {
		t.Errorf("%s: nothing was changed in %d iterations", name, len(w.seen))
	}
}

// However a loop ends, no piece is kept for it.
func TestMemoryWaitsForNoLoop(t *testing.T) {
	cannotHang(t)
	each(t, func(t *testing.T, m maker) {
		l := newLedger()
		c := m.make(l, 0)
		for i := range 1000 {
			c.Insert(i)
		}
		next, stop := iter.Pull2(c.All())
		defer stop()
		next()
		for range c.Values() {
			c.Clear()
			c.Clip()
			l.allBack(t, "inside two loops")
		}
		if _, _, ok := next(); ok {
			t.Error("a loop continues in an empty container")
		}
	})
}

// A removal frees no piece of a Pool. Clear frees the pieces that were empty before, and Clip all.
func TestMemoryGivenBack(t *testing.T) {
	cannotHang(t)
	l := newLedger()
	p := berth.NewPool[int](berth.Config{Memory: l})
	for i := range 1000 {
		p.Insert(i)
	}
	all := l.bytes
	p.RemoveFunc(func(_ berth.Handle[int], v *int) bool { return *v < 600 })
	if l.bytes != all {
		t.Errorf("after removals %d bytes are not freed, want %d", l.bytes, all)
	}
	p.Clear()
	if l.bytes >= all || l.bytes == 0 {
		t.Errorf("after Clear %d bytes are not freed, want less than %d and more than 0", l.bytes, all)
	}
	p.Clip()
	l.allBack(t, "after Clip")
}

// RemoveFunc does not remove a value from a block that its body has released.
func TestRemoveFuncInAReleasedBlock(t *testing.T) {
	p := berth.NewPool[uint64](berth.Config{Memory: newFaulty(t)})
	p.Insert(1)
	n := p.RemoveFunc(func(berth.Handle[uint64], *uint64) bool {
		p.Clear()
		p.Clip()
		return true
	})
	if s := p.Stats(); n != 0 || s.Live != 0 || s.Removes != 1 || s.Chunks != 0 {
		t.Errorf("RemoveFunc has removed %d; %+v", n, s)
	}
}
