package berth

import (
	"iter"
	"testing"
)

// denseOf returns a Dense of the numbers 0 to n-1.
func denseOf(c DenseConfig[int], n int) *Dense[int] {
	d := NewDense(c)
	for i := range n {
		d.Insert(i)
	}
	return d
}

// Loops inside Apply move nothing, though there are holes that an outermost loop would close.
func TestDenseApplyCountsAsLoop(t *testing.T) {
	for _, m := range defragModes {
		d := denseOf(DenseConfig[int]{Defrag: m}, 10)
		d.Remove(d.HandleAt(0))
		d.Remove(d.HandleAt(4))
		h := d.HandleAt(d.Len()) // of a value behind a hole, if there are any
		if h.IsZero() {
			h = d.HandleAt(d.Len() - 1)
		}
		want := 0
		for _, v := range d.Clone().All() {
			want += *v
		}
		d.Apply(h, func(v *int, o DenseOthers[int]) {
			for x := range o.Values() {
				*v += *x
			}
			if d.Ptr(h) != v {
				t.Errorf("%v: the value has moved inside Apply", m)
			}
		})
		if v, _ := d.Get(h); v != want {
			t.Errorf("%v: Apply wrote %d, want %d", m, v, want)
		}
		d.checkInvariants()
		if d.loops != 0 {
			t.Errorf("%v: %d loops run", m, d.loops)
		}
	}
}

// Clear calls OnRemove for each that there was, whatever the hook does, and what it inserts stays.
func TestDenseClearWithMovingHook(t *testing.T) {
	for _, m := range defragModes {
		for name, f := range map[string]func(d *Dense[int]){
			"Defrag": func(d *Dense[int]) { d.Defrag() },
			"Sort":   func(d *Dense[int]) { d.Sort(func(a, b *int) int { return *b - *a }) },
			"Clip":   func(d *Dense[int]) { d.Clip() },
			"Insert": func(d *Dense[int]) { d.Insert(1000) },
			"Clear":  func(d *Dense[int]) { d.Clear() },
			"Slice": func(d *Dense[int]) {
				if m != DefragManual {
					d.Slice()
				}
			},
		} {
			var d *Dense[int]
			calls := map[int]int{}
			d = NewDense(DenseConfig[int]{Defrag: m, OnRemove: func(_ Handle[int], v *int) {
				if calls[*v]++; *v < 1000 {
					f(d)
				}
			}})
			for i := range 50 {
				d.Insert(i)
			}
			d.Remove(d.HandleAt(7))
			d.Clear()
			d.checkInvariants()
			for i := range 50 {
				if calls[i] != 1 {
					t.Errorf("%v, %s: OnRemove called %d times for %d", m, name, calls[i], i)
				}
			}
			if stay := d.Len(); stay != 0 && (name != "Insert" || stay != 49) {
				t.Errorf("%v, %s: %d values are left", m, name, stay)
			}
			if d.keeping != 0 || d.index.truncate != TruncateMemory {
				t.Errorf("%v, %s: memory is still being kept", m, name)
			}
		}
	}
}

// Clear with a hook keeps the memory, also where the hook clones and grows.
func TestDenseClearWithHookKeeps(t *testing.T) {
	var d, clone *Dense[int]
	grow := 0
	d = NewDense(DenseConfig[int]{OnRemove: func(Handle[int], *int) {
		if clone == nil {
			clone = d.Clone()
		}
		d.Grow(grow)
	}})
	for i := range 5000 {
		d.Insert(i)
	}
	before := d.Cap()
	d.Clear()
	if d.Cap() != before {
		t.Errorf("Cap = %d after Clear, want %d", d.Cap(), before)
	}
	d.Remove(d.Insert(1))
	if cap(d.vals) >= before || d.reserve != 0 || d.index.reserve != 0 {
		t.Errorf("after Clear, memory does not go back: %d places", cap(d.vals))
	}
	clone.SetHooks(Hooks[int]{})
	clone.RemoveFunc(func(Handle[int], *int) bool { return true })
	if cap(clone.vals) > defaultShrinkAbove {
		t.Errorf("a clone made in OnRemove keeps %d places", cap(clone.vals))
	}
	grow = 20_000
	d.Insert(1)
	d.Clear()
	d.Remove(d.Insert(1))
	if d.Cap() < grow {
		t.Errorf("what Grow in OnRemove has reserved is gone: Cap = %d", d.Cap())
	}
}

// A loop that was never ended, as by a panic, is forgotten when all values have gone.
func TestDenseForgetsAbandonedLoops(t *testing.T) {
	for name, empty := range map[string]func(d *Dense[int]){
		"Clear": func(d *Dense[int]) { d.Clear() },
		"Remove": func(d *Dense[int]) {
			for d.Len() > 0 {
				d.Remove(d.HandleAt(len(d.vals) - 1))
			}
		},
	} {
		d := denseOf(DenseConfig[int]{Defrag: DefragImmediate}, 10)
		wantPanic(t, "body", func() {
			for range d.All() {
				panic("body")
			}
		})
		empty(d)
		for i := range 10 {
			d.Insert(i)
		}
		d.Remove(d.HandleAt(3))
		if d.loops != 0 || d.Holes() != 0 {
			t.Errorf("%s: %d loops run, %d holes", name, d.loops, d.Holes())
		}
	}
}

// A loop ends when all values have gone, though others come after.
func TestDenseLoopEndsWhenEmptied(t *testing.T) {
	for _, m := range defragModes {
		d := denseOf(DenseConfig[int]{Defrag: m}, 20)
		turns := 0
		for range d.All() {
			for range d.Values() {
				turns++
				d.Clear()
				for i := range 20 {
					d.Insert(i)
				}
			}
		}
		if turns != 1 || d.loops != 0 || d.Len() != 20 {
			t.Errorf("%v: %d turns, %d loops run, Len %d", m, turns, d.loops, d.Len())
		}
	}
}

// Whatever ShrinkAbove, growing and shrinking in turn moves each value a few times at most.
func TestDenseShrinkDoesNotThrash(t *testing.T) {
	for _, above := range []int{1, 10, 50, 1000} {
		d := denseOf(DenseConfig[int]{ShrinkAbove: above}, 15_000)
		copied, ops, c := 0, 0, cap(d.vals)
		for grow := true; ops < 100_000; grow = !grow {
			for ; cap(d.vals) == c && ops < 100_000; ops++ {
				if grow {
					d.Insert(1)
				} else if d.Len() > 0 {
					d.Remove(d.HandleAt(d.Len() - 1))
				}
			}
			copied += d.Len()
			c = cap(d.vals)
		}
		if copied > 8*ops {
			t.Errorf("ShrinkAbove %d: %d values copied in %d calls", above, copied, ops)
		}
	}
}

func TestDenseGrowOfNothing(t *testing.T) {
	d := denseOf(DenseConfig[int]{Limit: 20_000}, 20_000)
	d.Grow(0)
	d.Grow(5) // there is no room for them
	for d.Len() > 0 {
		d.Remove(d.HandleAt(d.Len() - 1))
	}
	if cap(d.vals) > defaultShrinkAbove {
		t.Errorf("Grow(0) has reserved %d places", cap(d.vals))
	}
	var large Dense[[1 << 20]byte]
	large.Insert([1 << 20]byte{})
	if cap(large.vals) > 2 {
		t.Errorf("room for %d values of a megabyte, for one", cap(large.vals))
	}
	wantFail := new(Dense[[1 << 24]byte])
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		wantFail.Grow(1 << 30)
	}()
	if wantFail.Cap() != 0 || wantFail.index.Cap() != 0 || wantFail.reserve != 0 {
		t.Error("a Grow that failed has left something")
	}
}

// Details that a change of one line has broken without another test noticing.
func TestDenseDetails(t *testing.T) {
	const changed = "berth: Dense.Sort: cmp has changed the Dense"
	d := denseOf(DenseConfig[int]{}, 2)
	wantPanic(t, changed, func() { d.Sort(func(a, b *int) int { d.Insert(9); return 0 }) })
	d = denseOf(DenseConfig[int]{}, 20)
	once := false
	wantPanic(t, changed, func() {
		d.Sort(func(a, b *int) int {
			if !once {
				once = true
				d.Sort(func(a, b *int) int { return *b - *a })
			}
			return *a - *b
		})
	})
	d = denseOf(DenseConfig[int]{}, 10)
	if r := d.Ref(d.HandleAt(7)); r.place != 7 {
		t.Error("a Ref does not remember the place")
	}
	d.Remove(d.HandleAt(5))
	d.Remove(d.HandleAt(0))
	if r := d.Ref(HandleFromUint64[int](5)); r.Ptr() != nil {
		t.Error("the bits of a hole are taken for a handle")
	}
	if !d.HandleAt(0).IsZero() {
		t.Error("HandleAt of a hole")
	}

	d = denseOf(DenseConfig[int]{}, 10)
	n := 0
	for range d.All() {
		if n++; n == 1 {
			d.Remove(d.HandleAt(8))
			d.Remove(d.HandleAt(9))
			d.Defrag() // moves nothing
			d.Remove(d.HandleAt(0))
			for range d.Values() {
				break
			}
		}
	}
	if n != 8 {
		t.Errorf("a Defrag that moved nothing has ended the loop after %d", n)
	}
	d = denseOf(DenseConfig[int]{}, 10)
	for h := range d.All() {
		d.Remove(h)
		d.Clip()
	}

	d = denseOf(DenseConfig[int]{Defrag: DefragImmediate}, 10)
	next, stop := iter.Pull2(d.All())
	next()
	d.Remove(d.HandleAt(0))
	d.Defrag()
	n = 0
	for h := range d.All() {
		if n++; n == 1 {
			stop() // must not end this loop
			d.Remove(h)
		}
	}
	if n != 9 {
		t.Errorf("visited %d of 9", n)
	}

	d = denseOf(DenseConfig[int]{Capacity: 5000}, 10)
	d.InsertFunc(func(Handle[int], *int) {})
	d.Clear()
	d.Clip()
	if d.reserve != 0 || d.index.Cap() != 0 || d.rare != nil && d.rare.outside != nil {
		t.Error("Clip leaves something")
	}
	d = denseOf(DenseConfig[int]{}, 3)
	for _, s := range d.Spans() {
		if _ = append(s, 77); d.vals[:4][3] != Vacant[int]() {
			t.Error("appending to a span wrote into the Dense")
		}
	}
	d = denseOf(DenseConfig[int]{Defrag: DefragManual}, 10)
	d.Remove(d.HandleAt(2))
	d.Clear()
	if d.Holes() != 0 {
		t.Error("Clear leaves holes")
	}
	d = denseOf(DenseConfig[int]{}, 1000)
	d.Clip()
	for d.Len() > 1 {
		d.Remove(d.HandleAt(d.Len() - 1))
	}
	if cap(d.vals) != 1000 {
		t.Errorf("%d places are kept, want 1000", cap(d.vals))
	}
	d = denseOf(DenseConfig[int]{}, 5)
	for a, b := range d.Pairs() {
		switch {
		case *a == 0 && *b == 1:
			d.Remove(d.HandleAt(0))
			d.Insert(50)
		case *a == 0 || *a == 50:
			t.Errorf("Pairs visits %d and %d", *a, *b)
		}
	}
}
