package berth

import (
	"errors"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"unsafe"
)

func TestDenseConfig(t *testing.T) {
	wantPanic(t, "berth: NewDense: Capacity must not be negative (got -1)", func() {
		NewDense[int](DenseConfig{Capacity: -1})
	})
	wantPanic(t, "berth: NewDense: Limit must not be negative (got -1)", func() {
		NewDense[int](DenseConfig{Limit: -1})
	})
	wantPanic(t, "berth: NewDense: ShrinkAbove must not be negative (got -1)", func() {
		NewDense[int](DenseConfig{ShrinkAbove: -1})
	})
	wantPanic(t, "berth: NewDense: unknown Defrag(3)", func() { NewDense[int](DenseConfig{Defrag: 3}) })
	wantPanic(t, "berth: Dense.Grow: n must not be negative (got -1)", func() { new(Dense[int]).Grow(-1) })
	d := NewDense[int](DenseConfig{Capacity: 100, Limit: 10}) // Limit below Capacity
	if d.Cap() < 10 {
		t.Errorf("Cap = %d, want at least Limit", d.Cap())
	}
	for i := range 12 {
		if _, err := d.TryInsert(i); (err != nil) != (i >= 10) || err != nil && !errors.Is(err, ErrFull) {
			t.Errorf("TryInsert %d: %v", i, err)
		}
	}
}

// If Capacity and Limit are the same, nothing is allocated after that.
func TestDenseCapacityIsLimit(t *testing.T) {
	for _, m := range defragModes {
		d := NewDense[int](DenseConfig{Capacity: 3000, Limit: 3000, Defrag: m})
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

func TestDenseSizes(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) == 8 && unsafe.Sizeof(Ref[int]{}) != 24 {
		t.Errorf("Ref takes %d bytes, want 24", unsafe.Sizeof(Ref[int]{}))
	}
}

// The memory of a removed value can be collected, including that of a copy for a hook.
func TestDenseLetsGo(t *testing.T) {
	for _, m := range defragModes {
		d := hookedDense(DenseConfig{Defrag: m}, Hooks[*[1 << 10]byte]{
			OnRemove: func(Handle[*[1 << 10]byte], **[1 << 10]byte) {},
		})
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
			t.Error("a live value was collected")
		}
	}
}

// Denses with the same calls have the same order. The order of a run is pinned.
func TestDenseGoldenOrder(t *testing.T) {
	for m, want := range map[Defrag]uint64{
		DefragDeferred: 12817676435129309120, DefragImmediate: 16604650099138337972, DefragManual: 17136869980008085508,
	} {
		d := NewDense[int](DenseConfig{Defrag: m, Seed: 9})
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

// Details that a change of one line once broke with no other test failing.
func TestDenseDetails(t *testing.T) {
	const changed = "berth: Dense.Sort: cmp must not change the Dense"
	d := newDense(DenseConfig{}, 2)
	wantPanic(t, changed, func() { d.Sort(func(a, b *int) int { d.Insert(9); return 0 }) })
	wantPanic(t, "berth: Dense.SortPlaces: cmp must not change the Dense",
		func() { d.SortPlaces(func(i, k int) int { d.Insert(9); return 0 }) })
	d = newDense(DenseConfig{}, 20)
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
	d = newDense(DenseConfig{}, 10)
	if r := NewRef(d, handleAt(d, 7)); r.place != 7 {
		t.Error("a Ref does not remember the place")
	}
	d.Remove(handleAt(d, 5))
	d.Remove(handleAt(d, 0))
	if r := NewRef(d, HandleFromUint64[int](5)); r.Ptr() != nil {
		t.Error("a handle forged from the bits of a hole finds something")
	}
	if !handleAt(d, 0).IsZero() {
		t.Error("At of a hole")
	}

	d = newDense(DenseConfig{}, 10)
	n := 0
	for range d.All() {
		if n++; n == 1 {
			d.Remove(handleAt(d, 8))
			d.Remove(handleAt(d, 9))
			d.Defrag() // moves nothing
			d.Remove(handleAt(d, 0))
			for range d.Values() {
				break
			}
		}
	}
	if n != 8 {
		t.Errorf("a Defrag that moved nothing has ended the loop after %d", n)
	}
	d = newDense(DenseConfig{}, 10)
	for h := range d.All() {
		d.Remove(h)
		d.Clip()
	}

	d = newDense(DenseConfig{Defrag: DefragImmediate}, 10)
	next, stop := iter.Pull2(d.All())
	next()
	d.Remove(handleAt(d, 0))
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

	d = newDense(DenseConfig{Capacity: 5000}, 10)
	d.InsertFunc(func(Handle[int], *int) {})
	d.Clear()
	d.Clip()
	if d.state.Reserve != 0 || d.state.Index.Look().Cap() != 0 || d.state.Rare != nil && d.state.Rare.Outside != nil {
		t.Error("Clip leaves something")
	}
	d = newDense(DenseConfig{}, 3)
	for _, s := range d.Spans() {
		if _ = append(s, 77); d.vals[:4][3] != Vacant[int]() {
			t.Error("appending to a span wrote into the Dense")
		}
	}
	d = newDense(DenseConfig{Defrag: DefragManual}, 10)
	d.Remove(handleAt(d, 2))
	d.Clear()
	if d.Holes() != 0 {
		t.Error("Clear leaves holes")
	}
	d = newDense(DenseConfig{}, 1000)
	d.Clip()
	for d.Len() > 1 {
		d.Remove(handleAt(d, d.Len()-1))
	}
	if cap(d.vals) != 1000 {
		t.Errorf("%d places are kept, want 1000", cap(d.vals))
	}
	d = newDense(DenseConfig{}, 5)
	for a, b := range DensePairs(d) {
		switch {
		case *a == 0 && *b == 1:
			d.Remove(handleAt(d, 0))
			d.Insert(50)
		case *a == 0 || *a == 50:
			t.Errorf("Pairs visits %d and %d", *a, *b)
		}
	}
}
