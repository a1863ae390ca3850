package berth

import "testing"

// Loops inside Apply move nothing, even if there are holes that an outermost loop would close.
func TestDenseApplyCountsAsLoop(t *testing.T) {
	for _, m := range defragModes {
		d := newDense(DenseConfig{Defrag: m}, 10)
		d.Remove(handleAt(d, 0))
		d.Remove(handleAt(d, 4))
		h := handleAt(d, d.Len()) // of a value after a hole, if there are any
		if h.IsZero() {
			h = handleAt(d, d.Len()-1)
		}
		want := 0
		for _, v := range d.Clone().All() {
			want += *v
		}
		DenseApply(d, h, func(v *int, o DenseOthers[int]) {
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
		if d.state.Loops != 0 {
			t.Errorf("%v: %d loops run", m, d.state.Loops)
		}
	}
}

// A loop that was abandoned, for example by a panic, is forgotten when all values are removed.
func TestDenseForgetsAbandonedLoops(t *testing.T) {
	for name, empty := range map[string]func(d *Dense[int]){
		"Clear": func(d *Dense[int]) { d.Clear() },
		"Remove": func(d *Dense[int]) {
			for d.Len() > 0 {
				d.Remove(handleAt(d, len(d.vals)-1))
			}
		},
	} {
		d := newDense(DenseConfig{Defrag: DefragImmediate}, 10)
		wantPanic(t, "body", func() {
			for range d.All() {
				panic("body")
			}
		})
		empty(d)
		for i := range 10 {
			d.Insert(i)
		}
		d.Remove(handleAt(d, 3))
		if d.state.Loops != 0 || d.Holes() != 0 {
			t.Errorf("%s: %d loops run, %d holes", name, d.state.Loops, d.Holes())
		}
	}
}

// A loop ends when all values are removed, even if others are inserted after that.
func TestDenseLoopEndsWhenEmptied(t *testing.T) {
	for _, m := range defragModes {
		d := newDense(DenseConfig{Defrag: m}, 20)
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
		if turns != 1 || d.state.Loops != 0 || d.Len() != 20 {
			t.Errorf("%v: %d iterations, %d loops run, Len %d", m, turns, d.state.Loops, d.Len())
		}
	}
}

// A loop panics after its body has moved values by force, unless it ends.
func TestDenseMovedInsideLoop(t *testing.T) {
	eachMode(t, 20, func(t *testing.T, d *Dense[int], hs []Handle[int]) {
		const text = ": Slice, Defrag or Sort has moved values inside the loop"
		fill := func() {
			d.Clear()
			for i := range 20 {
				d.Insert(i)
			}
		}
		force := func() {
			d.Remove(handleAt(d, 0)) // leaves a hole in every mode, because a loop runs
			if d.Holes() != 1 || d.Defrag() != 1 {
				t.Error("no hole to close")
			}
		}
		for name, run := range map[string]func(){
			"Dense.All":        func() { d.All()(func(Handle[int], *int) bool { force(); return true }) },
			"Dense.Values":     func() { d.Values()(func(*int) bool { force(); return true }) },
			"DenseBackward":    func() { DenseBackward(d)(func(Handle[int], *int) bool { force(); return true }) },
			"Dense.Spans":      func() { d.Spans()(func(Handle[int], []int) bool { force(); return true }) },
			"DensePairs":       func() { DensePairs(d)(func(_, _ *int) bool { force(); return true }) },
			"Dense.RemoveFunc": func() { d.RemoveFunc(func(Handle[int], *int) bool { force(); return false }) },
			"Each":             func() { Each(d, func(Handle[int], *int) Control { force(); return LoopContinue }) },
		} {
			fill()
			wantPanic(t, "berth: "+name+text, run)
			d.checkInvariants()
			if d.Len() != 19 || d.state.Loops != 0 {
				t.Errorf("%s: Len = %d, %d loops", name, d.Len(), d.state.Loops)
			}
		}
		fill()
		for range d.All() {
			force()
			break // before the loop's next step
		}
		for range d.All() {
			d.Defrag() // without holes: moves nothing
			d.Slice()
		}
		for range d.All() {
			d.Sort(func(a, b *int) int { return *b - *a })
			break
		}
		if d.state.Loops != 0 {
			t.Errorf("%d loops run after Sort in a loop that ended by break", d.state.Loops)
		}
	})
}

// A panic in a loop's body may delay the closing of holes, and has no other effect.
func TestDensePanicInLoop(t *testing.T) {
	eachMode(t, 20, func(t *testing.T, d *Dense[int], hs []Handle[int]) {
		wantPanic(t, "body", func() {
			for h := range d.All() {
				d.Remove(h)
				panic("body")
			}
		})
		d.Remove(hs[9])
		n := 0
		for range d.All() {
			n++
		}
		if n != 18 || d.Len() != 18 {
			t.Errorf("visited %d of %d", n, d.Len())
		}
		d.Defrag()
		if d.state.Loops != 0 || d.Holes() != 0 {
			t.Errorf("after Defrag: %d loops run, %d holes", d.state.Loops, d.Holes())
		}
		wantPanic(t, "body", func() { Each(d, func(Handle[int], *int) Control { panic("body") }) })
		if d.state.Loops != 0 {
			t.Error("Each left its loop running")
		}
	})
}

func TestDenseEach(t *testing.T) {
	eachMode(t, 100, func(t *testing.T, d *Dense[int], hs []Handle[int]) {
		var seen []int
		removed := Each(d, func(h Handle[int], v *int) Control {
			seen = append(seen, *v)
			switch {
			case *v == 60:
				return LoopBreak | LoopRemove
			case *v%4 == 0:
				return LoopRemove
			case *v%4 == 1:
				d.Remove(h)
				return LoopRemove // the value is removed already
			}
			return LoopContinue
		})
		if len(seen) != 61 || removed != 16 || d.Len() != 100-31 {
			t.Errorf("visited %d, removed %d, left %d; want 61, 16, 69", len(seen), removed, d.Len())
		}
	})
}

// RemoveFunc ends its loop: holes close as after a range loop.
func TestDenseRemoveFuncEndsItsLoop(t *testing.T) {
	eachMode(t, 20, func(t *testing.T, d *Dense[int], _ []Handle[int]) {
		n := d.RemoveFunc(func(_ Handle[int], v *int) bool { return *v%2 == 0 })
		if n != 10 || d.state.Loops != 0 {
			t.Errorf("%d removed, %d loops counted", n, d.state.Loops)
		}
	})
}
