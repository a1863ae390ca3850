package berth

import (
	"errors"
	"iter"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/seed505807e1/berth/internal/slots"
)

// none returns a view of all values, without a pivot.
func none(d *Dense[int]) DenseOthers[int] { return DenseOthers[int]{d: d} }

// loopsToLeave are all the kinds of loop over a Dense. Each calls body at its first step.
var loopsToLeave = map[string]func(d *Dense[int], body func()){
	"All":           func(d *Dense[int], body func()) { d.All()(seq2[Handle[int], *int](body)) },
	"Values":        func(d *Dense[int], body func()) { d.Values()(seq1[*int](body)) },
	"Handles":       func(d *Dense[int], body func()) { Handles(d)(seq1[Handle[int]](body)) },
	"Backward":      func(d *Dense[int], body func()) { DenseBackward(d)(seq2[Handle[int], *int](body)) },
	"Spans":         func(d *Dense[int], body func()) { d.Spans()(seq2[Handle[int], []int](body)) },
	"Drain":         func(d *Dense[int], body func()) { Drain(d)(seq2[Handle[int], int](body)) },
	"Traverse":      func(d *Dense[int], body func()) { DenseTraverse(d)(seq2[Entry[int], DenseOthers[int]](body)) },
	"Pairs":         func(d *Dense[int], body func()) { DensePairs(d)(seq2[*int, *int](body)) },
	"Others.All":    func(d *Dense[int], body func()) { none(d).All()(seq2[Handle[int], *int](body)) },
	"Others.Values": func(d *Dense[int], body func()) { none(d).Values()(seq1[*int](body)) },
	"Others.Spans":  func(d *Dense[int], body func()) { none(d).Spans()(seq2[Handle[int], []int](body)) },
	"Each": func(d *Dense[int], body func()) {
		Each(d, func(Handle[int], *int) Control { body(); return LoopBreak })
	},
	"RemoveFunc": func(d *Dense[int], body func()) {
		d.RemoveFunc(func(Handle[int], *int) bool { body(); return false })
	},
	"Apply": func(d *Dense[int], body func()) {
		DenseApply(d, handleAt(d, 0), func(*int, DenseOthers[int]) { body() })
	},
	"nested": func(d *Dense[int], body func()) {
		for range d.Values() {
			for range DensePairs(d) {
				Each(d, func(Handle[int], *int) Control { body(); return LoopBreak })
				return
			}
		}
	},
}

func seq1[A any](body func()) func(A) bool       { return func(A) bool { body(); return false } }
func seq2[A, B any](body func()) func(A, B) bool { return func(A, B) bool { body(); return false } }

// waysToLeave are the ways to leave a loop in its body.
var waysToLeave = map[string]func(d *Dense[int], loop func(*Dense[int], func()), body func()){
	"panic": func(d *Dense[int], loop func(*Dense[int], func()), body func()) {
		defer func() { _ = recover() }()
		loop(d, func() { body(); panic("left") })
	},
	"Goexit": func(d *Dense[int], loop func(*Dense[int], func()), body func()) {
		done := make(chan bool)
		go func() {
			defer close(done)
			loop(d, func() { body(); runtime.Goexit() })
		}()
		<-done
	},
	"Pull without stop": func(d *Dense[int], loop func(*Dense[int], func()), body func()) {
		next, _ := iter.Pull(func(yield func(bool) bool) {
			loop(d, func() { body(); yield(true) })
		})
		next()
	},
}

// After a loop that did not end normally, Clip releases all memory, including that of the loop,
// round after round.
func TestDenseClipAfterLeftLoop(t *testing.T) {
	const n = 600
	for _, mode := range defragModes {
		for kind, loop := range loopsToLeave {
			for way, leave := range waysToLeave {
				d, places := NewDense[int](DenseConfig{Defrag: mode}), 0
				for round := range fewer(10, 3) {
					for d.Len() < n {
						d.Insert(d.Len())
					}
					last := handleAt(d, len(d.vals)-1)
					leave(d, loop, func() {
						for i := range d.state.Owner {
							if h := handleAt(d, i); h != last {
								d.Remove(h)
							}
						}
					})
					d.Clip()
					d.checkInvariants()
					bytes := d.Stats().Bytes
					if d.state.Loops != 0 || d.Holes() != 0 || len(d.vals) != 1 || cap(d.vals) > 8 || bytes > 4096 {
						t.Fatalf("%v, %s, %s, round %d: %d loops, %d holes, %d of %d places, %d bytes",
							mode, kind, way, round, d.state.Loops, d.Holes(), len(d.vals), cap(d.vals), bytes)
					}
					if round > 0 && bytes > places {
						t.Fatalf("%v, %s, %s: %d bytes after round %d, %d before",
							mode, kind, way, bytes, round, places)
					}
					places = bytes
					// Removals and loops close holes again.
					for d.Len() < n {
						d.Insert(d.Len())
					}
					for i := range n / 2 {
						d.Remove(handleAt(d, i))
					}
					for range d.All() {
						if d.Holes() != 0 && mode != DefragManual {
							t.Fatalf("%v, %s, %s: a loop begins with %d holes", mode, kind, way, d.Holes())
						}
						break
					}
					if mode == DefragManual {
						d.Defrag()
					}
				}
			}
		}
	}
}

// loopsToClip are loops that visit single values. The value *v is also its index, and does not
// change.
var loopsToClip = map[string]func(d *Dense[int], visit func(v *int)){
	"All": func(d *Dense[int], visit func(*int)) {
		for h, v := range d.All() {
			if d.Ptr(h) != v {
				panic("All: handle and pointer differ")
			}
			visit(v)
		}
	},
	"Values": func(d *Dense[int], visit func(*int)) {
		for v := range d.Values() {
			visit(v)
		}
	},
	"Handles": func(d *Dense[int], visit func(*int)) {
		for h := range d.All() {
			visit(d.Ptr(h))
		}
	},
	"Backward": func(d *Dense[int], visit func(*int)) {
		for _, v := range DenseBackward(d) {
			visit(v)
		}
	},
	"Spans": func(d *Dense[int], visit func(*int)) {
		for _, s := range d.Spans() {
			was := slices.Clone(s)
			visit(&s[0])
			for i := range was[1:] {
				visit(&was[i+1])
			}
		}
	},
	"Others.Values": func(d *Dense[int], visit func(*int)) {
		o, pivot := middle(d)
		for v := range o.Values() {
			if *v == pivot && d.Contains(o.pivot) {
				panic("the pivot is visited")
			}
			visit(v)
		}
		if d.Contains(o.pivot) {
			visit(&pivot)
		}
	},
	"Others.Spans": func(d *Dense[int], visit func(*int)) {
		o, pivot := middle(d)
		for _, s := range o.Spans() {
			for _, v := range slices.Clone(s) {
				if v == pivot && d.Contains(o.pivot) {
					panic("the pivot is visited")
				}
				visit(&v)
			}
		}
		if d.Contains(o.pivot) {
			visit(&pivot)
		}
	},
	"Each": func(d *Dense[int], visit func(*int)) {
		Each(d, func(_ Handle[int], v *int) Control { visit(v); return LoopContinue })
	},
	"RemoveFunc": func(d *Dense[int], visit func(*int)) {
		d.RemoveFunc(func(_ Handle[int], v *int) bool { visit(v); return false })
	},
}

// middle returns the value in the middle, and a view of all the others.
func middle(d *Dense[int]) (DenseOthers[int], int) {
	h := handleAt(d, d.Len()/2)
	return DenseOthers[int]{d, h}, *d.Ptr(h)
}

// clipWorld is the model for loops with a Clip inside.
type clipWorld struct {
	t     *testing.T
	d     *Dense[int]
	rng   *rand.Rand
	next  int                 // the next value, counting from 1
	live  map[int]Handle[int] // by value
	moves bool                // Clip was called, so values may be moved by force
}

func (w *clipWorld) insert() {
	w.next++
	w.live[w.next] = w.d.Insert(w.next)
}

func (w *clipWorld) remove(v int) {
	if got, ok := w.d.Remove(w.live[v]); !ok || got != v {
		w.t.Fatalf("Remove of %d = %d, %t", v, got, ok)
	}
	delete(w.live, v)
}

// any returns a live value, or 0.
func (w *clipWorld) any() int {
	if w.d.Len() == 0 {
		return 0
	}
	for i := w.rng.IntN(len(w.d.state.Owner)); ; i = (i + 1) % len(w.d.state.Owner) {
		if w.d.state.Owner[i].Gen&1 != 0 {
			return w.d.vals[i]
		}
	}
}

// change makes a change inside a loop: any change, once Clip has been called.
func (w *clipWorld) change() {
	switch w.rng.IntN(12) {
	case 0, 1:
		w.d.Clip()
		w.moves = true
	case 2, 3, 4, 5:
		if v := w.any(); v != 0 {
			w.remove(v)
		}
	case 6:
		w.insert()
	case 7:
		for range w.d.Values() {
			break
		}
	case 8:
		if w.moves {
			w.d.Defrag()
		}
	case 9:
		if w.moves {
			w.d.Sort(func(a, b *int) int { return *b - *a })
		}
	}
	w.d.checkInvariants()
}

// Rules 1 to 3 of loops hold after Clip inside a loop, whatever follows.
func TestDenseClipInsideLoop(t *testing.T) {
	for seed := range uint64(60) {
		for _, mode := range defragModes {
			for kind, loop := range loopsToClip {
				w := &clipWorld{
					t: t, rng: rand.New(rand.NewPCG(seed, 4)), live: map[int]Handle[int]{},
					d: NewDense[int](DenseConfig{Defrag: mode}),
				}
				for range 1 + seed%20 {
					w.insert()
				}
				before, removed, visits := maps.Clone(w.live), map[int]bool{}, map[int]int{}
				loop(w.d, func(v *int) {
					x := *v
					if visits[x]++; visits[x] > 1 {
						t.Fatalf("seed %d, %v, %s: %d is visited twice", seed, mode, kind, x)
					}
					if removed[x] && kind != "Spans" && kind != "Others.Spans" {
						t.Fatalf("seed %d, %v, %s: %d is visited after its removal", seed, mode, kind, x)
					}
					if w.next < 200 {
						w.change()
					}
					for x := range before {
						removed[x] = w.live[x] != before[x]
					}
				})
				for x, h := range before {
					if visits[x] != 1 && w.live[x] == h {
						t.Fatalf("seed %d, %v, %s: %d is not visited", seed, mode, kind, x)
					}
				}
				w.d.Clip()
				if w.d.state.Loops != 0 || w.d.Holes() != 0 || w.d.Len() != len(w.live) {
					t.Fatalf("seed %d, %v, %s: %d loops, %d holes after it", seed, mode, kind, w.d.state.Loops, w.d.Holes())
				}
			}
		}
	}
}

// Pairs with a Clip inside visits each pair of values that stay exactly once.
func TestDenseClipInsidePairs(t *testing.T) {
	for seed := range uint64(200) {
		for _, mode := range defragModes {
			w := &clipWorld{
				t: t, rng: rand.New(rand.NewPCG(seed, 5)), live: map[int]Handle[int]{},
				d: NewDense[int](DenseConfig{Defrag: mode}),
			}
			for range 2 + seed%9 {
				w.insert()
			}
			before, seen := maps.Clone(w.live), map[[2]int]bool{}
			for a, b := range DensePairs(w.d) {
				pair := [2]int{min(*a, *b), max(*a, *b)}
				if seen[pair] || w.live[*a].IsZero() || w.live[*b].IsZero() || *a == *b {
					t.Fatalf("seed %d, %v: pair %v is visited twice, or after a removal", seed, mode, pair)
				}
				seen[pair] = true
				if w.rng.IntN(4) == 0 && w.next < 200 {
					w.change()
				}
			}
			for a := range before {
				for b := range before {
					if a < b && !w.live[a].IsZero() && !w.live[b].IsZero() && !seen[[2]int{a, b}] {
						t.Fatalf("seed %d, %v: the pair %d, %d is not visited", seed, mode, a, b)
					}
				}
			}
		}
	}
}

// After Clip inside a loop, a value that a later iteration yields does not move when nested loops
// begin.
func TestDenseClipInsideNested(t *testing.T) {
	eachMode(t, 20, func(t *testing.T, d *Dense[int], _ []Handle[int]) {
		turn := 0
		for h, v := range DenseBackward(d) {
			if turn++; turn == 1 {
				d.Clip()
				for _, g := range slices.Clone(d.state.Owner[:5]) {
					d.Remove(Handle[int]{id: g})
				}
				continue
			}
			for range d.Values() {
				if d.Ptr(h) != v {
					t.Fatalf("iteration %d: the value has moved when a loop began", turn)
				}
			}
		}
		if turn != 15 {
			t.Errorf("%d iterations, want 15", turn)
		}
	})
}

// A loop with a Clip inside ends once all values are removed, and panics if values were moved
// before Clip.
func TestDenseClipIsNoExcuse(t *testing.T) {
	eachMode(t, 20, func(t *testing.T, d *Dense[int], hs []Handle[int]) {
		turns := 0
		for range d.All() {
			turns++
			d.Clear()
			d.Insert(1)
			DenseApply(d, handleAt(d, 0), func(*int, DenseOthers[int]) { d.Clip() })
			d.Insert(2)
		}
		for range d.Values() {
			d.Clip()
			d.Clear()
			d.Insert(3)
			turns++
		}
		if turns != 2 {
			t.Errorf("%d iterations, want 2", turns)
		}
		for i := range 9 {
			d.Insert(i)
		}
		wantPanic(t, "berth: Dense.All"+slots.MovedInLoop, func() {
			for range d.All() {
				d.Remove(handleAt(d, 0))
				d.Defrag()
				DenseApply(d, handleAt(d, 0), func(*int, DenseOthers[int]) { d.Clip() })
			}
		})
	})
}

// A span stays unchanged when Clip closes holes.
func TestDenseClipInsideSpan(t *testing.T) {
	eachMode(t, 20, func(t *testing.T, d *Dense[int], hs []Handle[int]) {
		for _, s := range d.Spans() {
			for _, h := range hs[:15] {
				d.Remove(h)
			}
			d.Clip()
			d.Insert(100)
			for i, v := range s { //nolint:berthends // rule 7 of loops: a copy
				if want := i; i < 15 && v != Vacant[int]() || i >= 15 && v != want {
					t.Errorf("element %d reads as %d", i, v)
				}
			}
			break
		}
	})
}

// spoiler is a Memory that overwrites freed pieces, and refuses on demand.
type spoiler struct {
	refuse bool
	out    int // bytes allocated and not freed
}

func (m *spoiler) Alloc(size, _ int) ([]byte, error) {
	if m.refuse {
		return nil, errors.New("on demand")
	}
	m.out += size
	return make([]byte, size+16)[:size:size], nil // at an address for any T
}

func (m *spoiler) Free(b []byte) {
	m.out -= len(b)
	for i := range b {
		b[i] = 0xa5
	}
}

// With a Memory, Clip does the same. If Memory refuses, nothing changes.
func TestDenseClipWithMemory(t *testing.T) {
	for _, mode := range defragModes {
		m := new(spoiler)
		d := NewDense[int](DenseConfig{Defrag: mode, Memory: m})
		for i := range 200 {
			d.Insert(i)
		}
		full := m.out
		waysToLeave["panic"](d, loopsToLeave["All"], func() {
			for i := range 199 {
				d.Remove(handleAt(d, i))
			}
		})
		m.refuse = true
		d.Clip()
		d.checkInvariants()
		if d.state.Loops != 1 || d.Holes() != 199 || d.Len() != 1 || d.vals[199] != 199 {
			t.Fatalf("%v: refused: %d loops, %d holes, %d values", mode, d.state.Loops, d.Holes(), d.Len())
		}
		m.refuse = false
		d.Clip()
		d.checkInvariants()
		if d.state.Loops != 0 || d.Holes() != 0 || cap(d.vals) != 1 || d.vals[0] != 199 || m.out > full/2 {
			t.Fatalf("%v: %d loops, %d holes, %d places, %d of %d bytes",
				mode, d.state.Loops, d.Holes(), cap(d.vals), m.out, full)
		}
		for i := range 50 {
			d.Insert(i)
		}
		sum, turns := 0, 0
		for h, v := range d.All() {
			sum += *v
			if turns++; turns%10 == 3 {
				d.Remove(h)
				d.Clip()
			}
		}
		if want := 199 + 49*50/2; sum != want || turns != 51 {
			t.Errorf("%v: %d iterations, sum %d; want 51 and %d", mode, turns, sum, want)
		}
		d.Clear()
		if d.Clip(); m.out != 0 {
			t.Errorf("%v: %d bytes are not freed", mode, m.out)
		}
	}
}

// Stats also counts memory that stays after a Dense was emptied and clipped, and that a new one
// does not have. The test compares it to the growth of the heap for many of each.
func TestDenseBytesOfEmptied(t *testing.T) {
	const n = 2000
	weigh := func(empty func(d *Dense[uint64])) (heap, stats int) {
		var before, after runtime.MemStats
		all := make([]*Dense[uint64], n)
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range all {
			all[i] = new(Dense[uint64])
			empty(all[i])
		}
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&after)
		for _, d := range all {
			stats += d.Stats().Bytes
		}
		return int(after.HeapAlloc) - int(before.HeapAlloc), stats
	}
	heap0, stats0 := weigh(func(*Dense[uint64]) {})
	heap, stats := weigh(func(d *Dense[uint64]) { d.Remove(d.Insert(1)); d.Clip(); d.Clear() })
	if heap, stats = heap-heap0, stats-stats0; heap < 8*n || stats < heap*3/4 || stats > heap*5/4 {
		t.Errorf("Stats counts %d bytes of %d Denses emptied, the heap %d", stats, n, heap)
	}
}
