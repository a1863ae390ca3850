package berth

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"
	"weak"
)

// newer is what Pool and Dense have in common for these tests.
type newer[T any] interface {
	New() (Handle[T], *T)
	Insert(v T) Handle[T]
	Delete(h Handle[T]) bool
	Remove(h Handle[T]) (T, bool)
	Ptr(h Handle[T]) *T
	Len() int
	checkInvariants()
}

func newers[T any](limit int) map[string]newer[T] {
	m := map[string]newer[T]{
		"Pool": NewPool[T](Config{Limit: limit}),
		"never": NewPool[T](Config{
			Limit: limit, Truncate: TruncateNever,
		}),
	}
	for d := range DefragManual + 1 {
		m["Dense"+d.String()] = NewDense(DenseConfig[T]{Limit: limit, Defrag: d})
	}
	return m
}

// New and Delete do what Insert and Remove do: two containers, of which one is used by New and
// Delete alone, issue the same handles and hold the same values.
func TestNewAndDelete(t *testing.T) {
	for name, a := range newers[[3]int](0) {
		var b newer[[3]int]
		switch a := a.(type) {
		case *Pool[[3]int]:
			b = a.Clone()
		case *Dense[[3]int]:
			b = a.Clone()
		}
		r := rand.New(rand.NewPCG(1, 2))
		var hs []Handle[[3]int]
		for i := range 5000 {
			if grow := i/1000%2 == 0; len(hs) == 0 || r.IntN(4) < 3 == grow {
				v := [3]int{i, r.Int(), i}
				h, p := a.New()
				if p == nil || *p != ([3]int{}) || a.Ptr(h) != p {
					t.Fatalf("%s: New = %v, %v", name, h, p)
				}
				if *p = v; b.Insert(v) != h {
					t.Fatalf("%s: New and Insert issue different handles", name)
				}
				hs = append(hs, h)
			} else {
				k := r.IntN(len(hs))
				h := hs[k]
				hs[k] = hs[len(hs)-1]
				hs = hs[:len(hs)-1]
				want, wantOK := b.Remove(h)
				got := *a.Ptr(h)
				if ok := a.Delete(h); !ok || !wantOK || got != want {
					t.Fatalf("%s: Delete(%v) = %t", name, h, ok)
				}
				if a.Delete(h) || a.Ptr(h) != nil {
					t.Fatalf("%s: %v is deleted, and still there", name, h)
				}
				if name == "DenseImmediate" && a.(*Dense[[3]int]).Holes() != 0 {
					t.Fatalf("%s: Delete leaves a hole", name)
				}
			}
			if a.Len() != b.Len() || len(hs) != a.Len() {
				t.Fatalf("%s: Len = %d and %d, want %d", name, a.Len(), b.Len(), len(hs))
			}
		}
		for _, h := range hs {
			if *a.Ptr(h) != *b.Ptr(h) {
				t.Errorf("%s: %v has other values", name, h)
			}
		}
		if a.Delete(Handle[[3]int]{}) || a.Delete(Handle[[3]int]{index: 1, gen: 1<<31 + 1}) {
			t.Errorf("%s: Delete of a handle of nothing", name)
		}
		a.checkInvariants()
		b.checkInvariants()
	}
}

// At Limit, New returns nothing and changes nothing.
func TestNewAtLimit(t *testing.T) {
	for name, c := range newers[int](3) {
		var last Handle[int]
		for range 3 {
			last, _ = c.New()
		}
		if h, v := c.New(); !h.IsZero() || v != nil || c.Len() != 3 {
			t.Errorf("%s: New at Limit = %v, %v", name, h, v)
		}
		c.Delete(last)
		if _, v := c.New(); v == nil || *v != 0 {
			t.Errorf("%s: no room after Delete", name)
		}
		c.checkInvariants()
	}
}

// A slot that is used up is not used again, whichever verb used it.
func TestNewAndDeleteRetire(t *testing.T) {
	for name, end := range map[string]struct {
		pool  func(p *Pool[int], h Handle[int])
		dense func(d *Dense[int], h Handle[int])
	}{
		"Delete": {
			func(p *Pool[int], h Handle[int]) { p.Delete(h) },
			func(d *Dense[int], h Handle[int]) { d.Delete(h) },
		},
		"Remove": {
			func(p *Pool[int], h Handle[int]) { p.Remove(h) },
			func(d *Dense[int], h Handle[int]) { d.Remove(h) },
		},
	} {
		p := new(Pool[int])
		p.AgeForTest(1, 3)
		for range 5 {
			h, _ := p.New()
			end.pool(p, h)
		}
		if s := p.Stats(); s.Retired == 0 {
			t.Errorf("%s: nothing is retired: %+v", name, s)
		}
		p.checkInvariants()
		d := new(Dense[int])
		d.AgeForTest(1, 3)
		for i := range 5 {
			h, _ := d.New()
			g, _ := d.New()
			if end.dense(d, h); i%2 == 0 {
				end.dense(d, g)
			}
		}
		if s := d.Stats(); s.Retired == 0 {
			t.Errorf("%s: nothing of a Dense is retired: %+v", name, s)
		}
		d.checkInvariants()
	}
}

// Delete lets go of what the value pointed to.
func TestDeleteLetsGo(t *testing.T) {
	type object struct{ _ [64]byte }
	for name, c := range newers[*object](0) {
		c.Insert(new(object)) // so that nothing is given back
		h, v := c.New()
		*v = new(object)
		w := weak.Make(*v)
		g := c.Insert(new(object))
		c.Delete(h)
		for range 3 {
			runtime.GC()
		}
		if w.Value() != nil {
			t.Errorf("%s: what was deleted is kept", name)
		}
		runtime.KeepAlive(c)
		c.Delete(g)
	}
}

// IndexOf is the number of the slot: dense from 0, given out again, and what HandleAt counts by.
func TestPoolIndexOf(t *testing.T) {
	for _, truncate := range []Truncate{TruncateMemory, TruncateLength, TruncateNever} {
		p := NewPool[int](Config{Truncate: truncate})
		var hs []Handle[int]
		for i := range 200 {
			hs = append(hs, p.Insert(i))
			if got := p.IndexOf(hs[i]); got != i {
				t.Errorf("IndexOf of value %d = %d", i, got)
			}
			if h := p.HandleAt(hs[0], p.IndexOf(hs[i])); h != hs[i] {
				t.Errorf("HandleAt does not lead back to %v", hs[i])
			}
		}
		p.Delete(hs[77])
		if got := p.IndexOf(hs[77]); got != -1 {
			t.Errorf("IndexOf of a stale handle = %d", got)
		}
		if got := p.IndexOf(p.Insert(1)); got != 77 {
			t.Errorf("the vacant slot 77 is passed over for %d", got)
		}
		if p.IndexOf(Handle[int]{}) != -1 || NewPool[int](Config{}).IndexOf(hs[0]) != -1 {
			t.Error("IndexOf of the zero handle or a foreign one is not -1")
		}
	}
}

// A small Pool and a small Dense are small, and Capacity makes no more than it must.
func TestSmallPools(t *testing.T) {
	const word = unsafe.Sizeof(uintptr(0))
	if word != 8 {
		return // less there
	}
	small := NewPool[*int](Config{})
	dense := NewDense(DenseConfig[*int]{})
	for range 5 {
		small.Insert(nil)
		dense.Insert(nil)
	}
	var one Pool[[5]uint64]
	one.New()
	for name, c := range map[string]struct{ got, most, chunks, want int }{
		"Pool of 5 pointers":        {small.Stats().Bytes, 1200, small.Stats().Chunks, 1},
		"Dense of 5 pointers":       {dense.Stats().Bytes, 1400, dense.Stats().Chunks, 2},
		"Pool of one 40-byte value": {one.Stats().Bytes, 3300, one.Stats().Chunks, 1},
		"Pool of Capacity 8": {
			NewPool[*int](Config{Capacity: 8}).Stats().Bytes, 1200,
			NewPool[*int](Config{Capacity: 8}).places(), blockSlots,
		},
	} {
		if c.got > c.most && dense.late == nil || c.chunks != c.want {
			t.Errorf("%s: %d bytes, want at most %d; %d chunks", name, c.got, c.most, c.chunks)
		}
	}
}

// A large Capacity makes large chunks at once.
func TestLargeCapacity(t *testing.T) {
	p := NewPool[byte](Config{Capacity: 1 << 20})
	if n := p.Stats().Chunks; n < 1024 || n > 2048 {
		t.Errorf("%d chunks", n)
	}
	p.checkInvariants()
}

// The last vacant slot of a block without values, the others being under construction, is found
// by each verb, and no block is passed over by the next.
func TestLastSlotBesideBuilding(t *testing.T) {
	for name, insert := range map[string]func(p *Pool[int]) Handle[int]{
		"Insert": func(p *Pool[int]) Handle[int] { return p.Insert(1) },
		"New": func(p *Pool[int]) Handle[int] {
			h, _ := p.New()
			return h
		},
	} {
		p := NewPool[int](Config{Truncate: TruncateLength})
		var hs []Handle[int]
		for i := range 2*blockSlots - 1 {
			hs = append(hs, p.Insert(i))
		}
		for _, h := range hs[:blockSlots] {
			p.Delete(h)
		}
		var build func(n int)
		build = func(n int) {
			if n == 0 {
				if got := p.IndexOf(insert(p)); got != blockSlots-1 {
					t.Errorf("%s takes slot %d", name, got)
				}
				p.checkInvariants()
				return
			}
			p.InsertFunc(func(Handle[int], *int) { build(n - 1) })
		}
		build(blockSlots - 1)
		p.checkInvariants()
	}
}

// A Pool that began small has the same chunks as any other once it has grown, at any size that it
// stops at, and whatever is empty or under construction by then.
func TestPoolWidens(t *testing.T) {
	for _, most := range []int{1, 64, 65, 192, 193, 256, 257, 1000} {
		for name, each := range map[string]func(p *Pool[int], h Handle[int]){
			"stay":      func(*Pool[int], Handle[int]) {},
			"every 2nd": func(p *Pool[int], h Handle[int]) { p.remove2(h) },
			"build":     func(p *Pool[int], _ Handle[int]) { p.InsertFunc(func(Handle[int], *int) {}) },
		} {
			var p Pool[int]
			for i := range most {
				each(&p, p.Insert(i))
				p.checkInvariants()
			}
			blocks := len(p.dir)
			if wide := blocks > 4; wide != (p.shift > 0) && blocks != 4 {
				t.Errorf("%d values, %s: %d blocks, shift %d", most, name, blocks, p.shift)
			}
			if p.Stats().Bytes < 0 || p.chunks<<p.shift > blocks {
				t.Errorf("%d values, %s: %d chunks of %d", most, name, p.chunks, 1<<p.shift)
			}
			clone := p.Clone()
			clone.Clear()
			clone.Clip()
			clone.checkInvariants()
			if clone.Cap() != 0 {
				t.Errorf("%d values, %s: Cap %d after Clear and Clip", most, name, clone.Cap())
			}
			clone.Insert(1)
			clone.checkInvariants()
		}
	}
}

// Memory that is kept though all values have gone is widened as well.
func TestPoolWidensWhenEmpty(t *testing.T) {
	for truncate := range TruncateNever + 1 {
		p := NewPool[int](Config{Truncate: truncate})
		for i := range 4 * blockSlots {
			p.Insert(i)
		}
		p.Clear()
		p.Grow(1000)
		p.checkInvariants()
		if p.shift == 0 {
			t.Errorf("%v: chunks of one block", truncate)
		}
		for i := range 1000 {
			p.Insert(i)
		}
		p.Clear()
		p.Clip()
		p.checkInvariants()
	}
}

// remove2 removes the value of every second slot.
func (p *Pool[T]) remove2(h Handle[T]) {
	if p.IndexOf(h)%2 == 1 {
		p.Delete(h)
	}
}
