package berth

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed505807e1/berth/internal/slots"
)

// With any ShrinkAbove, alternating growth and shrinking moves each value only a few times.
func TestDenseShrinkDoesNotThrash(t *testing.T) {
	for _, above := range []int{1, 10, 50, 1000} {
		d := newDense(DenseConfig{ShrinkAbove: above}, 15_000)
		copied, ops, c := 0, 0, cap(d.vals)
		for grow := true; ops < 100_000; grow = !grow {
			for ; cap(d.vals) == c && ops < 100_000; ops++ {
				if grow {
					d.Insert(1)
				} else if d.Len() > 0 {
					d.Remove(handleAt(d, d.Len()-1))
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
	d := newDense(DenseConfig{Limit: 20_000}, 20_000)
	d.Grow(0)
	d.Grow(5) // which does not fit
	for d.Len() > 0 {
		d.Remove(handleAt(d, d.Len()-1))
	}
	if cap(d.vals) > slots.DefaultShrinkAbove {
		t.Errorf("Grow(0) has reserved %d places", cap(d.vals))
	}
	var large Dense[spanning]
	large.Insert(spanning{})
	if cap(large.vals) > 2 {
		t.Errorf("room for %d values of 80 kB, for one", cap(large.vals))
	}
	wantFail := new(Dense[spanning])
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		wantFail.Grow(1 << 30)
	}()
	if wantFail.Cap() != 0 || wantFail.state.Index.Look().Cap() != 0 || wantFail.state.Reserve != 0 {
		t.Error("a Grow that failed has left something")
	}
}

// Later inserts fill holes before any value moves.
func TestDenseFillsHoles(t *testing.T) {
	for _, m := range []Defrag{DefragDeferred, DefragManual} {
		d := NewDense[int](DenseConfig{Defrag: m})
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
		if d.state.Moves != 0 {
			t.Errorf("%v: %d moves", m, d.state.Moves)
		}
	}
}

func TestDenseDefrag(t *testing.T) {
	for _, m := range []Defrag{DefragDeferred, DefragManual} {
		r := rand.New(rand.NewPCG(1, 2))
		for round := range 300 {
			d := NewDense[int](DenseConfig{Defrag: m})
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
			behind := 0 // live values beyond the places that will be left
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
		if Defrag(d.state.Defrag) == DefragManual {
			wantPanic(t, "berth: Dense.Slice: under DefragManual, Defrag must close the holes first", func() {
				d.Slice()
			})
			d.Defrag()
		}
		s := d.Slice()
		if got := slices.Sorted(slices.Values(s)); !slices.Equal(got, []int{0, 1, 3, 4, 6, 7, 8, 9}) {
			t.Errorf("Slice has %v", got)
		}
		for i := range s {
			if h := handleAt(d, i); d.Ptr(h) != &s[i] {
				t.Errorf("At(%d) leads elsewhere", i)
			}
		}
		for _, i := range []int{-1, 8, 1 << 30} {
			if !handleAt(d, i).IsZero() {
				t.Errorf("At(%d) is not zero", i)
			}
		}
		if _ = append(s, 1); d.Len() != 8 || cap(d.vals) > 8 && d.vals[:9][8] != Vacant[int]() {
			t.Error("appending to the slice wrote into the Dense")
		}
	})
	if s := new(Dense[int]).Slice(); len(s) != 0 {
		t.Errorf("Slice of a zero Dense: %v", s)
	}
	h := NewDense[int](DenseConfig{Defrag: DefragManual})
	a := h.Insert(1)
	h.Insert(2)
	h.Remove(a)
	if !handleAt(h, 0).IsZero() {
		t.Error("At of a hole is not zero")
	}
}

// A forward loop over the slice may remove its current value, except under DefragImmediate.
func TestDenseSliceWhileRemoving(t *testing.T) {
	for _, m := range []Defrag{DefragDeferred, DefragManual} {
		for every := 1; every < 5; every++ {
			d := NewDense[int](DenseConfig{Defrag: m})
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
					if v, ok := d.Remove(handleAt(d, i)); v != -i || !ok {
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

// A clone of a Dense with Capacity has room for as many values.
func TestDenseCloneHasRoom(t *testing.T) {
	d := newDense(DenseConfig{Capacity: 1000}, 3)
	if q := d.Clone(); q.Cap() != d.Cap() || q.Len() != 3 {
		t.Errorf("a clone has %d values and room for %d, want 3 and %d", q.Len(), q.Cap(), d.Cap())
	}
}

func TestDenseShrink(t *testing.T) {
	eachMode(t, 100, func(t *testing.T, d *Dense[int], hs []Handle[int]) {
		d.Remove(hs[5])
		err := d.Shrink()
		if holes := d.Holes() != 0; holes != errors.Is(err, ErrHoles) || holes == (Defrag(d.state.Defrag) == DefragImmediate) {
			t.Errorf("Shrink with %d holes: %v", d.Holes(), err)
		}
		d.Defrag()
		if err := d.Shrink(); err != nil || cap(d.vals) != 99 {
			t.Errorf("Shrink: %v, %d places for 99 values", err, cap(d.vals))
		}
	})
}

// Memory is released when more than ShrinkAbove places are unused, in whichever order values are
// removed.
func TestDenseShrinkAbove(t *testing.T) {
	for _, m := range []Defrag{DefragDeferred, DefragImmediate} {
		for _, above := range []int{0, 10, 1000} {
			for _, fromEnd := range []bool{true, false} {
				d := NewDense[int](DenseConfig{Defrag: m, ShrinkAbove: above})
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
				most := 10 + max(above, 3*10) // and more than three quarters must be unused
				if above == 0 {
					most = 10 + 1024
				}
				if cap(d.vals) > most || cap(d.state.Owner) > most+64 {
					t.Errorf("%v, ShrinkAbove %d, from the end %t: %d places for 10 values",
						m, above, fromEnd, cap(d.vals))
				}
				d.checkInvariants()
			}
		}
	}
	d := NewDense[int](DenseConfig{Capacity: 5000})
	d.Grow(1) // takes nothing back
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
		before := slices.Collect(Handles(d))
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
		if Defrag(d.state.Defrag) != DefragManual { // otherwise Sort has closed the holes first
			place := map[Handle[int]]int{}
			for i, h := range before {
				place[h] = i
			}
			for i := 1; i < len(s); i++ {
				if byHundreds(&s[i-1], &s[i]) == 0 && place[handleAt(d, i-1)] > place[handleAt(d, i)] {
					t.Error("equal values have changed places")
				}
			}
		}
	})
}

// SortPlaces orders the values as Sort does, also values that take no memory.
func TestDenseSortPlaces(t *testing.T) {
	eachMode(t, 300, func(t *testing.T, d *Dense[int], hs []Handle[int]) {
		for i, h := range hs {
			if *d.Ptr(h) = i * 37 % 100; i%3 == 0 {
				d.Remove(h)
			}
		}
		q := d.Clone()
		q.Sort(func(a, b *int) int { return *a - *b })
		d.Defrag()
		d.SortPlaces(func(i, k int) int { return d.vals[i] - d.vals[k] })
		d.checkInvariants()
		if !slices.Equal(d.Slice(), q.Slice()) || !slices.Equal(d.state.Owner, q.state.Owner) {
			t.Error("SortPlaces and Sort differ")
		}
	})
	var d Dense[struct{}]
	c := NewDenseColumn[int](&d)
	var hs []Handle[struct{}]
	for i := range 2000 {
		h := d.Insert(struct{}{})
		hs = append(hs, h)
		*c.EditAt(d.PlaceOf(h)) = i * 37 % 2000
		if i%4 == 3 {
			d.Delete(hs[i/2])
		}
		c.checkInvariants()
	}
	s := c.Slice()
	d.SortPlaces(func(i, k int) int { return s[i] - s[k] })
	c.checkInvariants()
	if !slices.IsSorted(c.Slice()) || d.Len() != 1500 || len(d.Slice()) != 1500 {
		t.Errorf("%d values are not sorted, want 1500 that are", d.Len())
	}
	for i, h := range hs {
		if v := c.Ptr(h); (v != nil) != d.Contains(h) || v != nil && *v != i*37%2000 {
			t.Fatalf("the V of value %d is %v", i, v)
		}
	}
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
		d.Sort(func(a, b *int) int { return 1 }) // inconsistent
		d.checkInvariants()
		for i, h := range hs {
			if v, _ := d.Get(h); v != i {
				t.Fatalf("Get = %d, want %d", v, i)
			}
		}
		for _, change := range []func(){
			func() { d.Insert(1) },
			func() { d.Remove(handleAt(d, 3)) },
			func() { d.Remove(handleAt(d, d.Len()-1)) },
			func() { d.Clear() },
		} {
			first := true
			wantPanic(t, "berth: Dense.Sort: cmp must not change the Dense", func() {
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
