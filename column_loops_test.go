package berth

import (
	"iter"
	"maps"
	"slices"
	"testing"
	"unsafe"

	"github.com/seed505807e1/berth/internal/slots"
)

// Loads empty the Columns, and the Columns then take the new handles.
func TestColumnLoads(t *testing.T) {
	q := NewPool[int](Config{Seed: 77})
	for i := range 100 {
		q.Insert(i)
	}
	bin, _ := q.MarshalBinary()
	js, _ := q.MarshalJSON()
	for name, load := range map[string]func(p *Pool[int]) error{
		"UnmarshalBinary": func(p *Pool[int]) error { return p.UnmarshalBinary(bin) },
		"UnmarshalJSON":   func(p *Pool[int]) error { return p.UnmarshalJSON(js) },
		"CopyFrom":        func(p *Pool[int]) error { p.CopyFrom(q); return nil },
	} {
		p := NewPool[int](Config{Seed: 1})
		c := NewColumn[int](p)
		for i := range 1000 {
			c.Set(p.Insert(i), i)
		}
		if err := load(p); err != nil {
			t.Fatal(name, err)
		}
		if c.Len() != 0 {
			t.Errorf("%s: %d Vs are left", name, c.Len())
		}
		for h := range p.All() {
			if !c.Set(h, 1) || !q.Contains(h) {
				t.Fatalf("%s: Set of a loaded value is false", name)
			}
		}
		c.checkInvariants()
	}
	p := NewPool[int](Config{Seed: 1})
	c := NewColumn[int](p)
	c.Set(p.Insert(1), 1)
	if err := p.UnmarshalBinary(bin[:50]); err == nil || c.Len() != 1 {
		t.Error("a load that fails changes a Column")
	}
	if c.checkInvariants(); InsertAt(p, q.Insert(1), 2) == nil {
		t.Error("InsertAt takes a handle of another seed")
	}
}

// A V that was kept is found by InsertAt's handle only after a new Set.
func TestColumnInsertAt(t *testing.T) {
	p := NewPool[int](Config{Seed: 1})
	c := NewColumn[string](p)
	h := p.Insert(1)
	c.Set(h, "a")
	p.Remove(h)
	if err := InsertAt(p, h, 2); err != nil {
		t.Fatal(err)
	}
	if c.Contains(h) || !c.Set(h, "b") {
		t.Error("InsertAt brings a V back")
	}
	c.checkInvariants()
}

// A panic anywhere in a loop leaves both whole.
func TestColumnPanicInLoop(t *testing.T) {
	p := NewPool[int](Config{Seed: 1})
	c := NewColumn[int](p)
	for i := range 200 {
		c.Set(p.Insert(i), i)
	}
	for i := range 200 {
		func() {
			defer func() { _ = recover() }()
			for v := range c.Join() {
				if *v == i {
					for h := range p.All() {
						p.Delete(h)
						break
					}
					panic("no")
				}
			}
		}()
		c.checkInvariants()
	}
	if c.Len() != p.Len() || c.Len() == 200 {
		t.Error(c.Len(), p.Len())
	}
}

// columnLoops are the loops over the Vs of a that have one in b if the loop joins the two. Those of
// Join, Join2 and Join3 fail unless a value has equal Vs.
var columnLoops = map[string]func(t *testing.T, a, b *Column[int, int], body func(v *int) bool){
	"All": func(_ *testing.T, a, _ *Column[int, int], body func(*int) bool) {
		for _, v := range a.All() {
			if !body(v) {
				return
			}
		}
	},
	"Values": func(_ *testing.T, a, _ *Column[int, int], body func(*int) bool) { a.Values()(body) },
	"Join": func(t *testing.T, a, _ *Column[int, int], body func(*int) bool) {
		for x, v := range a.Join() {
			if *x != *v {
				t.Errorf("Join: %d with %d", *x, *v)
			}
			if !body(v) {
				return
			}
		}
	},
	"Join2": func(t *testing.T, a, b *Column[int, int], body func(*int) bool) {
		for v, w := range Join2(a, b) {
			if *w != *v {
				t.Errorf("Join2: %d with %d", *v, *w)
			}
			if !body(v) {
				return
			}
		}
	},
	"Join3": func(t *testing.T, a, b *Column[int, int], body func(*int) bool) {
		for x, v := range Join3(a, b) {
			if *x != *v.A || *x != *v.B {
				t.Errorf("Join3: %d with %d and %d", *x, *v.A, *v.B)
			}
			if !body(v.A) {
				return
			}
		}
	},
	"Without": func(_ *testing.T, a, _ *Column[int, int], body func(*int) bool) {
		for _, v := range Without(a, new(Column[int, int])) {
			if !body(v) {
				return
			}
		}
	},
}

// The rules of loops, with changes that give the memory of the current block to another.
func TestColumnLoopRules(t *testing.T) {
	for name, loop := range columnLoops {
		const n = 640
		p := NewPool[int](Config{Seed: 1})
		a, b := NewColumn[int](p), NewColumn[int](p)
		hs := make([]Handle[int], n)
		for i := range hs {
			hs[i] = p.Insert(i)
		}
		set := func(i int) {
			a.Set(hs[i], i)
			b.Set(hs[i], i)
		}
		reset := func() {
			a.Clear()
			b.Clear()
			for i := 0; i < n/2; i++ {
				set(i)
			}
		}
		reset()
		// Block 0 empties and its memory serves block 7, with the bits still to come.
		var seen []int
		loop(t, a, b, func(v *int) bool {
			seen = append(seen, *v)
			if *v == 10 {
				for i := range 64 {
					a.Delete(hs[i])
					b.Delete(hs[i])
				}
				for i := 20; i < 30; i++ {
					set(7*64 + i)
				}
			}
			return true
		})
		want := map[int]bool{}
		for i := range n / 2 {
			want[i] = i <= 10 || i >= 64
		}
		maps.DeleteFunc(want, func(_ int, ok bool) bool { return !ok })
		for at, v := range seen {
			if at > 0 && v <= seen[at-1] {
				t.Errorf("%s: %d after %d", name, v, seen[at-1])
			}
			if delete(want, v); v >= n/2 && v < 7*64+20 {
				t.Errorf("%s: %d is not set", name, v)
			}
		}
		if len(want) != 0 {
			t.Errorf("%s: %v are not visited", name, want)
		}
		// A loop whose body sets on every iteration ends.
		reset()
		count := 0
		loop(t, a, b, func(v *int) bool {
			i := *v
			a.Delete(hs[i])
			b.Delete(hs[i])
			set(n - 1 - i)
			set(i)
			count++
			return count < 10*n
		})
		if count > n {
			t.Errorf("%s: %d iterations for %d values", name, count, n)
		}
		// Clear, Clip and Close inside.
		for _, end := range []func(){a.Clear, p.Clear, func() { p.Clear(); p.Clip() }, a.Close} {
			if p.Len() == 0 {
				for i := range hs {
					hs[i] = p.Insert(i)
				}
			}
			reset()
			count = 0
			loop(t, a, b, func(*int) bool {
				count++
				end()
				return true
			})
			if count != 1 {
				t.Errorf("%s: %d iterations after the end of all", name, count)
			}
			a.checkInvariants()
			b.checkInvariants()
		}
	}
}

// A value that leaves a column before its turn is not visited by loops over that column.
func TestColumnLoopSkips(t *testing.T) {
	for name, loop := range columnLoops {
		want := []int{0, 1, 4, 5}
		if name == "Join2" || name == "Join3" {
			want = []int{0, 1, 5}
		}
		for _, first := range []bool{true, false} {
			p := NewPool[int](Config{Seed: 1})
			a, b := NewColumn[int](p), NewColumn[int](p)
			if !first {
				a, b = b, a
			}
			var hs []Handle[int]
			for i := range 6 {
				hs = append(hs, p.Insert(i))
				a.Set(hs[i], i)
				b.Set(hs[i], i)
			}
			var seen []int
			loop(t, a, b, func(v *int) bool {
				if seen = append(seen, *v); *v == 1 {
					a.Delete(hs[2])
					p.Delete(hs[3])
					b.Delete(hs[4])
				}
				return true
			})
			if !slices.Equal(seen, want) {
				t.Errorf("%s: %v, want %v", name, seen, want)
			}
		}
	}
}

// In Join2, the second column may lose the block that the loop is in, or be closed.
func TestJoin2Inside(t *testing.T) {
	p := NewPool[int](Config{Seed: 1})
	a, b := NewColumn[int](p), NewColumn[int](p)
	var hs []Handle[int]
	for i := range 640 {
		hs = append(hs, p.Insert(i))
		a.Set(hs[i], i)
	}
	for i := range 128 {
		b.Set(hs[i], i)
	}
	n := 0
	for v, w := range Join2(a, b) {
		if *v != *w {
			t.Errorf("%d with %d", *v, *w)
		}
		if n++; *v == 10 {
			for i := range slots.BlockSlots {
				b.Delete(hs[i])
			}
			for i := range slots.BlockSlots { // in the memory that block 0 had
				b.Set(hs[7*slots.BlockSlots+i], 7*slots.BlockSlots+i)
			}
		}
	}
	if n != 11+2*slots.BlockSlots {
		t.Errorf("%d iterations", n)
	}
	n = 0
	for range Join2(a, b) {
		b.Close()
		n++
	}
	if n != 1 {
		t.Errorf("%d iterations after Close", n)
	}
}

// In Join and Join3, the Pool may give the memory of a block back, of which the Columns use their
// own again.
func TestJoinInside(t *testing.T) {
	type big = [512]int // a chunk has one block
	testJoinInside(t, func(a, _ *Column[int, big]) iter.Seq2[*big, *int] { return a.Join() })
	testJoinInside(t, func(a, b *Column[int, big]) iter.Seq2[*big, *int] {
		return func(yield func(*big, *int) bool) {
			Join3(a, b)(func(x *big, ab Both[int, int]) bool { return yield(x, ab.A) })
		}
	})
}

func testJoinInside(t *testing.T, join func(a, b *Column[int, [512]int]) iter.Seq2[*[512]int, *int]) {
	p := NewPool[[512]int](Config{Seed: 1})
	c, d := NewColumn[int](p), NewColumn[int](p)
	fill := func() {
		for i := p.Len(); i < 3*slots.BlockSlots; i++ {
			if h := p.Insert([512]int{i}); p.IndexOf(h) >= 2*slots.BlockSlots {
				c.Set(h, i)
				d.Set(h, i)
			}
		}
	}
	fill()
	values, vs := p.dir[2], c.dir[2]
	for x, v := range join(c, d) {
		if x[0] != *v {
			t.Errorf("%d with %d", x[0], *v)
		}
		if *v != 2*slots.BlockSlots+10 || p.dir[2] != values {
			continue
		}
		for _, k := range []int{2, 1} {
			for i := range slots.BlockSlots {
				p.Delete(Handle[[512]int]{id: look(p).ID(&p.dir[k].Head, k, i)})
			}
		}
		if fill(); c.dir[2] != vs || p.dir[2] == values {
			t.Fatal("the Pool's block has the same memory, or the Column's has not")
		}
		for i := range values.Vals {
			values.Vals[i][0] = -1
		}
	}
}

// In Without, a value that gets a B before its turn is not visited.
func TestColumnWithoutInside(t *testing.T) {
	p := NewPool[int](Config{Seed: 1})
	a, b := NewColumn[int](p), NewColumn[int](p)
	var hs []Handle[int]
	for i := range 200 {
		hs = append(hs, p.Insert(i))
		a.Set(hs[i], i)
	}
	var seen []int
	for _, v := range Without(a, b) {
		seen = append(seen, *v)
		if *v+1 < len(hs) {
			b.Set(hs[*v+1], 0)
		}
	}
	if len(seen) != 100 || seen[99] != 198 {
		t.Error(seen)
	}
}

// With a Memory, a join leaves the blocks that Clip gives back.
func TestColumnWithMemory(t *testing.T) {
	p := NewPool[int](Config{Seed: 1, Memory: heapMemory{}})
	c := NewColumn[*[64]int](p)
	for i := range 300 {
		c.Set(p.Insert(i), new([64]int))
	}
	n := 0
	for v, w := range c.Join() {
		*v, (*w)[0] = 1, 1
		if n++; n == 100 {
			p.Clear()
			p.Clip()
			for i := range 300 {
				c.Set(p.Insert(i), new([64]int))
			}
		}
	}
	if n < 100 || n > 400 {
		t.Error(n)
	}
	c.checkInvariants()
}

// heapMemory is a Memory on Go's heap.
type heapMemory struct{}

func (heapMemory) Alloc(size, _ int) ([]byte, error) {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(make([]uint64, (size+7)/8)))), size), nil
}

func (heapMemory) Free([]byte) {}
