package berth

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"unsafe"
)

var defragModes = []Defrag{DefragDeferred, DefragImmediate, DefragManual}

// eachMode runs f for a Dense of n numbers in each mode.
func eachMode(t *testing.T, n int, f func(t *testing.T, d *Dense[int], hs []Handle[int])) {
	t.Helper()
	for _, m := range defragModes {
		t.Run("defrag="+m.String(), func(t *testing.T) {
			d := NewDense(DenseConfig[int]{Defrag: m, Seed: 1})
			hs := make([]Handle[int], n)
			for i := range hs {
				hs[i] = d.Insert(i)
			}
			f(t, d, hs)
			d.checkInvariants()
		})
	}
}

func wantPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := fmt.Sprint(recover()); got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
	}()
	f()
}

func TestDenseConfig(t *testing.T) {
	wantPanic(t, "berth: NewDense: Capacity must not be negative (got -1)", func() { NewDense(DenseConfig[int]{Capacity: -1}) })
	wantPanic(t, "berth: NewDense: Limit must not be negative (got -1)", func() { NewDense(DenseConfig[int]{Limit: -1}) })
	wantPanic(t, "berth: NewDense: ShrinkAbove must not be negative (got -1)", func() { NewDense(DenseConfig[int]{ShrinkAbove: -1}) })
	wantPanic(t, "berth: NewDense: unknown Defrag(3)", func() { NewDense(DenseConfig[int]{Defrag: 3}) })
	wantPanic(t, "berth: Dense.Grow: n must not be negative (got -1)", func() { new(Dense[int]).Grow(-1) })
	d := NewDense(DenseConfig[int]{Capacity: 100, Limit: 10}) // Limit below Capacity
	if d.Cap() < 10 {
		t.Errorf("Cap = %d, want at least Limit", d.Cap())
	}
	for i := range 12 {
		if _, err := d.TryInsert(i); (err != nil) != (i >= 10) || err != nil && !errors.Is(err, ErrFull) {
			t.Errorf("TryInsert %d: %v", i, err)
		}
	}
}

// With Capacity and Limit alike, nothing is ever allocated again.
func TestDenseCapacityIsLimit(t *testing.T) {
	for _, m := range defragModes {
		d := NewDense(DenseConfig[int]{Capacity: 3000, Limit: 3000, Defrag: m})
		var hs []Handle[int]
		hs = slices.Grow(hs, 3000)
		if n := testing.AllocsPerRun(5, func() {
			for i := range 3000 {
				hs = append(hs, d.Insert(i))
			}
			if !d.Insert(1).IsZero() {
				t.Error("inserted beyond Limit")
			}
			for i, h := range hs {
				if i%7 != 0 {
					d.Remove(h)
				}
			}
			d.Defrag()
			for range d.All() {
				break
			}
			d.Clear()
			d.InsertFunc(func(Handle[int], *int) {})
			d.Clear()
			hs = hs[:0]
		}); n != 0 {
			t.Errorf("%v: %v allocations", m, n)
		}
	}
}

// Holes are filled by later inserts before anything moves.
func TestDenseFillsHoles(t *testing.T) {
	for _, m := range []Defrag{DefragDeferred, DefragManual} {
		d := NewDense(DenseConfig[int]{Defrag: m})
		hs := make([]Handle[int], 100)
		ps := make([]*int, 100)
		for i := range hs {
			hs[i] = d.Insert(i)
		}
		for i, h := range hs {
			ps[i] = d.Ptr(h)
		}
		for turn := range 1000 {
			i := turn * 37 % 99
			d.Remove(hs[i])
			if d.Holes() != 1 {
				t.Fatalf("%v: Holes = %d after a removal", m, d.Holes())
			}
			hs[i] = d.Insert(turn)
			if d.Holes() != 0 || d.Ptr(hs[i]) != ps[i] || len(d.vals) != 100 {
				t.Fatalf("%v: the insert did not fill the hole", m)
			}
		}
		if d.moves != 0 {
			t.Errorf("%v: %d moves", m, d.moves)
		}
	}
}

// In the original, releasing the last object beside a hole lost the hole: it never came back, and a
// live handle found another's value.
func TestDenseLosesNoHole(t *testing.T) {
	eachMode(t, 10, func(t *testing.T, d *Dense[int], hs []Handle[int]) {
		d.Remove(hs[8])
		d.Remove(hs[9]) // the last, beside a hole
		d.Remove(hs[3])
		a := d.Insert(100)
		b := d.Insert(101)
		c := d.Insert(102)
		moved := d.Defrag()
		for h, want := range map[Handle[int]]int{a: 100, b: 101, c: 102, hs[0]: 0, hs[7]: 7} {
			if v, ok := d.Get(h); v != want || !ok {
				t.Errorf("Get = %d, %t, want %d (moved %d)", v, ok, want, moved)
			}
		}
		if d.Holes() != 0 || d.Len() != 10 || len(d.Slice()) != 10 {
			t.Errorf("Holes %d, Len %d, %d in the slice", d.Holes(), d.Len(), len(d.Slice()))
		}
	})
}

func TestDenseDefrag(t *testing.T) {
	for _, m := range []Defrag{DefragDeferred, DefragManual} {
		r := rand.New(rand.NewPCG(1, 2))
		for round := range 300 {
			d := NewDense(DenseConfig[int]{Defrag: m})
			n := 1 + r.IntN(60)
			live := map[int]Handle[int]{}
			for i := range n {
				live[i] = d.Insert(i)
			}
			for range r.IntN(n + 1) {
				i := r.IntN(n)
				d.Remove(live[i])
				delete(live, i)
			}
			behind := 0 // live values behind the places that will be left
			for _, h := range live {
				if d.PlaceOf(h) >= len(live) {
					behind++
				}
			}
			holes := d.Holes()
			if got := d.Defrag(); got != behind || got > holes {
				t.Fatalf("round %d: Defrag = %d, want %d; %d holes", round, got, behind, holes)
			}
			d.checkInvariants()
			for i, h := range live {
				if v, ok := d.Get(h); v != i || !ok {
					t.Fatalf("round %d: Get = %d, %t, want %d", round, v, ok, i)
				}
			}
			if d.Holes() != 0 || len(d.Slice()) != len(live) || d.Defrag() != 0 {
				t.Fatalf("round %d: holes are left", round)
			}
		}
	}
}

func TestDenseSlice(t *testing.T) {
	eachMode(t, 10, func(t *testing.T, d *Dense[int], hs []Handle[int]) {
		d.Remove(hs[2])
		d.Remove(hs[5])
		if d.defrag == DefragManual {
			wantPanic(t, "berth: Dense.Slice: there are holes, which DefragManual leaves to Defrag", func() { d.Slice() })
			d.Defrag()
		}
		s := d.Slice()
		if got := slices.Sorted(slices.Values(s)); !slices.Equal(got, []int{0, 1, 3, 4, 6, 7, 8, 9}) {
			t.Errorf("Slice has %v", got)
		}
		for i := range s {
			if h := d.HandleAt(i); d.Ptr(h) != &s[i] {
				t.Errorf("HandleAt(%d) leads elsewhere", i)
			}
		}
		for _, i := range []int{-1, 8, 1 << 30} {
			if !d.HandleAt(i).IsZero() {
				t.Errorf("HandleAt(%d) is not zero", i)
			}
		}
		if _ = append(s, 1); d.Len() != 8 || cap(d.vals) > 8 && d.vals[:9][8] != Vacant[int]() {
			t.Error("appending to the slice wrote into the Dense")
		}
	})
	if s := new(Dense[int]).Slice(); len(s) != 0 {
		t.Errorf("Slice of a zero Dense: %v", s)
	}
	h := NewDense(DenseConfig[int]{Defrag: DefragManual})
	a := h.Insert(1)
	h.Insert(2)
	h.Remove(a)
	if !h.HandleAt(0).IsZero() {
		t.Error("HandleAt of a hole is not zero")
	}
}

// A forward loop over the slice may remove what it is at, but under DefragImmediate.
func TestDenseSliceWhileRemoving(t *testing.T) {
	for _, m := range []Defrag{DefragDeferred, DefragManual} {
		for every := 1; every < 5; every++ {
			d := NewDense(DenseConfig[int]{Defrag: m})
			for i := range 5000 {
				d.Insert(i)
			}
			s, sum := d.Slice(), 0
			for i := range s {
				if s[i] != i {
					t.Fatalf("%v: element %d is %d", m, i, s[i])
				}
				s[i] = -i // must not be lost
				if i%every == 0 {
					if v, ok := d.Remove(d.HandleAt(i)); v != -i || !ok {
						t.Fatalf("%v: Remove = %d, %t, want %d", m, v, ok, -i)
					}
				}
			}
			for _, v := range d.All() {
				sum++
				if *v > 0 || -*v%every == 0 {
					t.Fatalf("%v: %d is left", m, *v)
				}
			}
			if sum != d.Len() || sum != 5000-(5000+every-1)/every {
				t.Errorf("%v: %d are left", m, sum)
			}
		}
	}
}

func TestDenseShrink(t *testing.T) {
	eachMode(t, 100, func(t *testing.T, d *Dense[int], hs []Handle[int]) {
		d.Remove(hs[5])
		err := d.Shrink()
		if holes := d.Holes() != 0; holes != errors.Is(err, ErrHoles) || holes == (d.defrag == DefragImmediate) {
			t.Errorf("Shrink with %d holes: %v", d.Holes(), err)
		}
		d.Defrag()
		if err := d.Shrink(); err != nil || cap(d.vals) != 99 {
			t.Errorf("Shrink: %v, %d places for 99 values", err, cap(d.vals))
		}
	})
}

// Memory goes back when more than ShrinkAbove places are unused, in whichever order the values go.
func TestDenseShrinkAbove(t *testing.T) {
	for _, m := range []Defrag{DefragDeferred, DefragImmediate} {
		for _, above := range []int{0, 10, 1000} {
			for _, fromEnd := range []bool{true, false} {
				d := NewDense(DenseConfig[int]{Defrag: m, ShrinkAbove: above})
				var hs []Handle[int]
				for i := range 20_000 {
					hs = append(hs, d.Insert(i))
				}
				if fromEnd {
					slices.Reverse(hs)
				}
				for _, h := range hs[:19_990] {
					d.Remove(h)
				}
				for range d.All() {
					break
				}
				most := 10 + max(above, 3*10) // more than three quarters must be unused, too
				if above == 0 {
					most = 10 + 1024
				}
				if cap(d.vals) > most || cap(d.owner) > most+64 {
					t.Errorf("%v, ShrinkAbove %d, from the end %t: %d places for 10 values", m, above, fromEnd, cap(d.vals))
				}
				d.checkInvariants()
			}
		}
	}
	d := NewDense(DenseConfig[int]{Capacity: 5000})
	for i := range 4000 {
		d.Remove(d.Insert(i))
	}
	if d.Cap() < 5000 {
		t.Errorf("a reserved Dense shrank to %d", d.Cap())
	}
	d.Clip()
	if d.Cap() != 0 {
		t.Errorf("Clip left %d places", d.Cap())
	}
}

func TestDenseSort(t *testing.T) {
	eachMode(t, 500, func(t *testing.T, d *Dense[int], hs []Handle[int]) {
		r := rand.New(rand.NewPCG(3, 4))
		want := map[Handle[int]]int{}
		for i, h := range hs {
			if i%5 == 0 {
				d.Remove(h)
				continue
			}
			*d.Ptr(h) = r.IntN(100)*1000 + i
		}
		for h, v := range d.All() {
			want[h] = *v
		}
		before := slices.Collect(d.Handles())
		byHundreds := func(a, b *int) int { return cmp.Compare(*a/1000, *b/1000) }
		d.Sort(byHundreds)
		d.checkInvariants()
		s := d.Slice()
		if !slices.IsSortedFunc(s, func(a, b int) int { return byHundreds(&a, &b) }) || len(s) != 400 {
			t.Error("not sorted")
		}
		for h, v := range want {
			if got, ok := d.Get(h); got != v || !ok {
				t.Fatalf("after Sort: Get = %d, %t, want %d", got, ok, v)
			}
		}
		if d.defrag != DefragManual { // else Sort has closed the holes first
			place := map[Handle[int]]int{}
			for i, h := range before {
				place[h] = i
			}
			for i := 1; i < len(s); i++ {
				if byHundreds(&s[i-1], &s[i]) == 0 && place[d.HandleAt(i-1)] > place[d.HandleAt(i)] {
					t.Error("equal values have changed places")
				}
			}
		}
	})
}

func TestDenseSortBadCmp(t *testing.T) {
	eachMode(t, 200, func(t *testing.T, d *Dense[int], hs []Handle[int]) {
		calls := 0
		wantPanic(t, "cmp", func() {
			d.Sort(func(a, b *int) int {
				if calls++; calls == 50 {
					panic("cmp")
				}
				return *b - *a
			})
		})
		d.checkInvariants()
		d.Sort(func(a, b *int) int { return 1 }) // contradicts itself
		d.checkInvariants()
		for i, h := range hs {
			if v, _ := d.Get(h); v != i {
				t.Fatalf("Get = %d, want %d", v, i)
			}
		}
		for _, change := range []func(){
			func() { d.Insert(1) },
			func() { d.Remove(d.HandleAt(3)) },
			func() { d.Remove(d.HandleAt(d.Len() - 1)) },
			func() { d.Clear() },
		} {
			first := true
			wantPanic(t, "berth: Dense.Sort: cmp has changed the Dense", func() {
				d.Sort(func(a, b *int) int {
					if first {
						first = false
						change()
					}
					return 0
				})
			})
			d.checkInvariants()
		}
	})
	new(Dense[int]).Sort(func(a, b *int) int { panic("called") })
}

func TestDenseRef(t *testing.T) {
	eachMode(t, 50, func(t *testing.T, d *Dense[int], hs []Handle[int]) {
		refs := make([]Ref[int], len(hs))
		for i, h := range hs {
			refs[i] = d.Ref(h)
		}
		gone := map[int]bool{}
		check := func(when string) {
			t.Helper()
			for i := range refs {
				v, ok := refs[i].Get()
				if p := refs[i].Ptr(); ok == gone[i] || ok && (v != i || *p != i || p != d.Ptr(hs[i])) || !ok && p != nil {
					t.Errorf("%s: Ref %d: %d, %t", when, i, v, ok)
				}
				if refs[i].Handle() != hs[i] {
					t.Errorf("%s: Ref %d has another handle", when, i)
				}
			}
		}
		check("fresh")
		d.Remove(hs[7])
		gone[7] = true
		check("after a removal")
		d.Insert(-1) // into the hole
		check("after reuse of the place")
		for i := range 1000 {
			d.Insert(-2 - i)
		}
		check("after growth")
		for i := 10; i < 20; i++ {
			d.Remove(hs[i])
			gone[i] = true
		}
		d.Defrag()
		check("after Defrag")
		d.Sort(func(a, b *int) int { return *a - *b })
		check("after Sort")
		d.Clip()
		check("after Clip")
		if n := testing.AllocsPerRun(10, func() { refs[30].Ptr(); r := d.Ref(hs[31]); r.Get() }); n != 0 {
			t.Errorf("%v allocations", n)
		}
		d.Clear()
		for i := range refs {
			gone[i] = true
		}
		check("after Clear")
		for i := range 100 {
			d.Insert(i)
		}
		check("after a refill")
	})
	d := new(Dense[int])
	var zero Ref[int]
	for _, r := range []Ref[int]{zero, d.Ref(Handle[int]{}), d.Ref(HandleFromUint64[int](1 << 33)), d.Ref(HandleFromUint64[int](1 << 32))} {
		if p := r.Ptr(); p != nil {
			t.Errorf("Ref to nothing finds %v", *p)
		}
		if _, ok := r.Get(); ok {
			t.Error("Ref to nothing finds something")
		}
	}
	// A Ref that is made before its value is live finds it once it is.
	var early Ref[int]
	d.InsertFunc(func(h Handle[int], v *int) { *v = 5; early = d.Ref(h) })
	if v, ok := early.Get(); v != 5 || !ok {
		t.Errorf("early Ref: %d, %t", v, ok)
	}
}

func TestDenseSizes(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) == 8 && unsafe.Sizeof(Ref[int]{}) != 24 {
		t.Errorf("Ref takes %d bytes, want 24", unsafe.Sizeof(Ref[int]{}))
	}
}

// Law 7, mode by mode: remove the current one, an earlier, a later, the last, and insert, inside
// All, Each and Traverse. pooltest has the same for values of other kinds and for all loops.
func TestDenseRule7(t *testing.T) {
	type loop struct {
		name string
		run  func(d *Dense[int], body func(Handle[int]))
	}
	loops := []loop{
		{"All", func(d *Dense[int], body func(Handle[int])) {
			for h := range d.All() {
				body(h)
			}
		}},
		{"Each", func(d *Dense[int], body func(Handle[int])) {
			d.Each(func(h Handle[int], _ *int) Control { body(h); return LoopContinue })
		}},
		{"Traverse", func(d *Dense[int], body func(Handle[int])) {
			for e := range d.Traverse() {
				body(e.Handle)
			}
		}},
	}
	for _, l := range loops {
		for _, what := range []string{"current", "earlier", "later", "last", "insert", "holes"} {
			eachMode(t, 40, func(t *testing.T, d *Dense[int], hs []Handle[int]) {
				if what == "holes" {
					for i := 0; i < 40; i += 3 {
						d.Remove(hs[i])
					}
				}
				start := map[Handle[int]]bool{}
				for h := range d.Handles() {
					start[h] = true
				}
				var order []Handle[int]
				seen := map[Handle[int]]int{}
				l.run(d, func(h Handle[int]) {
					if !d.Contains(h) {
						t.Fatal("visited what is gone")
					}
					seen[h]++
					order = append(order, h)
					turn := len(order)
					switch {
					case what == "current":
						d.Remove(h)
					case what == "earlier" && turn > 3:
						d.Remove(order[turn-3])
					case what == "later" && turn < 15:
						d.Remove(d.HandleAt(d.PlaceOf(h) + 5))
					case what == "last" && turn < 15:
						d.Remove(d.HandleAt(len(d.vals) - 1))
					case what == "insert" && turn < 60:
						d.Remove(h)
						d.Insert(-turn)
						d.Insert(-turn)
					}
				})
				for h := range start {
					if d.Contains(h) && seen[h] != 1 || seen[h] > 1 {
						t.Errorf("%s, %s: visited %d times", l.name, what, seen[h])
					}
				}
				if d.loops != 0 {
					t.Errorf("%s, %s: %d loops run after the loop", l.name, what, d.loops)
				}
				if d.defrag == DefragImmediate && d.Holes() != 0 {
					t.Errorf("%s, %s: %d holes are left", l.name, what, d.Holes())
				}
			})
		}
	}
}

// Who moves values inside a loop by force must leave the loop.
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
			d.Remove(d.HandleAt(0)) // leaves a hole in every mode, because a loop runs
			if d.Holes() != 1 || d.Defrag() != 1 {
				t.Error("no hole to close")
			}
		}
		for name, run := range map[string]func(){
			"All":        func() { d.All()(func(Handle[int], *int) bool { force(); return true }) },
			"Values":     func() { d.Values()(func(*int) bool { force(); return true }) },
			"Backward":   func() { d.Backward()(func(Handle[int], *int) bool { force(); return true }) },
			"Spans":      func() { d.Spans()(func(Handle[int], []int) bool { force(); return true }) },
			"Pairs":      func() { d.Pairs()(func(_, _ *int) bool { force(); return true }) },
			"RemoveFunc": func() { d.RemoveFunc(func(Handle[int], *int) bool { force(); return false }) },
			"Each":       func() { d.Each(func(Handle[int], *int) Control { force(); return LoopContinue }) },
		} {
			fill()
			wantPanic(t, "berth: Dense."+name+text, run)
			d.checkInvariants()
			if d.Len() != 19 || d.loops != 0 {
				t.Errorf("%s: Len = %d, %d loops", name, d.Len(), d.loops)
			}
		}
		fill()
		for range d.All() {
			force()
			break // in time
		}
		for range d.All() {
			d.Defrag() // without holes: moves nothing
			d.Slice()
		}
		for range d.All() {
			d.Sort(func(a, b *int) int { return *b - *a })
			break
		}
		if d.loops != 0 {
			t.Errorf("%d loops run after Sort in one that was left", d.loops)
		}
		if d.loops != 0 {
			t.Errorf("%d loops run", d.loops)
		}
	})
}

// A panic in a loop's body may postpone the closing of holes, and does no other harm.
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
		if d.loops != 0 || d.Holes() != 0 {
			t.Errorf("after Defrag: %d loops run, %d holes", d.loops, d.Holes())
		}
		wantPanic(t, "body", func() { d.Each(func(Handle[int], *int) Control { panic("body") }) })
		if d.loops != 0 {
			t.Error("Each left its loop running")
		}
	})
}

func TestDenseEach(t *testing.T) {
	eachMode(t, 100, func(t *testing.T, d *Dense[int], hs []Handle[int]) {
		var seen []int
		removed := d.Each(func(h Handle[int], v *int) Control {
			seen = append(seen, *v)
			switch {
			case *v == 60:
				return LoopBreak | LoopRemove
			case *v%4 == 0:
				return LoopRemove
			case *v%4 == 1:
				d.Remove(h)
				return LoopRemove // it is gone already
			}
			return LoopContinue
		})
		if len(seen) != 61 || removed != 16 || d.Len() != 100-31 {
			t.Errorf("visited %d, removed %d, left %d; want 61, 16, 69", len(seen), removed, d.Len())
		}
	})
}

// A removed value's memory is let go, also that of a copy for a hook.
func TestDenseLetsGo(t *testing.T) {
	for _, m := range defragModes {
		d := NewDense(DenseConfig[*[1 << 10]byte]{Defrag: m, OnRemove: func(Handle[*[1 << 10]byte], **[1 << 10]byte) {}})
		freed := make(chan bool, 100)
		var hs []Handle[*[1 << 10]byte]
		for range 100 {
			p := new([1 << 10]byte)
			runtime.AddCleanup(p, func(c chan bool) { c <- true }, freed)
			hs = append(hs, d.Insert(p))
		}
		for i, h := range hs {
			if i%10 != 0 {
				d.Remove(h)
			}
		}
		for range 5 {
			runtime.GC()
		}
		for range 90 {
			<-freed
		}
		if d.Len() != 10 {
			t.Error("too much is gone")
		}
	}
}

// Two that are used alike are alike: the order of a run is pinned.
func TestDenseGoldenOrder(t *testing.T) {
	for m, want := range map[Defrag]uint64{
		DefragDeferred: 12817676435129309120, DefragImmediate: 16604650099138337972, DefragManual: 17136869980008085508,
	} {
		d := NewDense(DenseConfig[int]{Defrag: m, Seed: 9})
		r := rand.New(rand.NewPCG(7, 7))
		hash := uint64(14695981039346656037)
		var hs []Handle[int]
		for i := range 5000 {
			switch k := len(hs); {
			case k > 0 && r.IntN(100) < 48:
				j := r.IntN(k)
				d.Remove(hs[j])
				hs[j] = hs[k-1]
				hs = hs[:k-1]
			default:
				hs = append(hs, d.Insert(i))
			}
			if i%100 == 0 {
				for h, v := range d.All() {
					hash = (hash ^ h.Uint64() ^ uint64(*v)) * 1099511628211
				}
			}
		}
		if hash != want {
			t.Errorf("%v: order hashes to %d, want %d", m, hash, want)
		}
	}
}

func TestDenseStats(t *testing.T) {
	d := new(Dense[[4]uint64])
	if s := d.Stats(); s.Live != 0 || s.Chunks != 0 {
		t.Errorf("zero Dense: %+v", s)
	}
	for range 1000 {
		d.Insert([4]uint64{1})
	}
	s := d.Stats()
	if s.Live != 1000 || s.Vacant != d.Cap()-1000 || s.Bytes < 1000*(32+8+8) || s.Bytes > 3*1000*48 {
		t.Errorf("%+v", s)
	}
}
