package berth

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"weak"

	"github.com/seed505807e1/berth/internal/slots"
)

func TestPoolZeroValue(t *testing.T) {
	var p Pool[string]
	if p.Len() != 0 || p.Cap() != 0 || p.Contains(Handle[string]{}) {
		t.Error("the zero Pool is not empty")
	}
	p.Clear()
	p.Clip()
	p.Grow(0)
	for range p.All() {
		t.Error("a loop over nothing visits something")
	}
	for range Backward(&p) {
		t.Error("a backward loop over nothing visits something")
	}
	for range Pairs(&p) {
		t.Error("nothing has pairs")
	}
	if q := p.Clone(); q.Len() != 0 {
		t.Error("a clone of nothing has values")
	}
	if h := p.Insert("a"); *p.Ptr(h) != "a" {
		t.Error("the zero Pool loses its first value")
	}
	p.checkInvariants()
}

func testOf[T any](t *testing.T, v func(int) T, eq func(a, b T) bool) {
	t.Helper()
	var p Pool[T]
	var hs []Handle[T]
	for i := range 300 {
		hs = append(hs, p.Insert(v(i)))
	}
	for i := 0; i < 300; i += 3 {
		if got, ok := p.Remove(hs[i]); !ok || !eq(got, v(i)) {
			t.Fatalf("Remove of %d = %v, %v", i, got, ok)
		}
	}
	for i, h := range hs {
		if got, ok := p.Get(h); ok != (i%3 != 0) || ok && !eq(got, v(i)) {
			t.Fatalf("Get of %d = %v, %v", i, got, ok)
		}
	}
	n := 0
	for _, s := range p.Spans() {
		n += len(s)
	}
	if n != 200 || p.Len() != 200 {
		t.Fatalf("spans have %d values, Len() = %d, want 200", n, p.Len())
	}
	p.checkInvariants()
}

func TestPoolOfEveryShape(t *testing.T) {
	testOf(t, func(int) struct{} { return struct{}{} }, func(a, b struct{}) bool { return a == b })
	testOf(t, func(i int) byte { return byte(i) }, func(a, b byte) bool { return a == b })
	testOf(t, func(i int) spanning { return spanning{A: [20_000]uint32{19_999: uint32(i)}} },
		func(a, b spanning) bool { return a == b })
	type mixed struct {
		name string
		ref  *int
		list []int
		any  any
	}
	one := 1
	testOf(t, func(i int) mixed { return mixed{fmt.Sprint(i), &one, []int{i}, i} },
		func(a, b mixed) bool { return a.name == b.name && a.list[0] == b.list[0] && a.any == b.any })
	testOf(t, func(i int) func() int { return func() int { return i } },
		func(a, b func() int) bool { return a() == b() })
}

// Handles are part of saves and replays, so they must never change for a given seed and calls.
func TestPoolGoldenHandles(t *testing.T) {
	p := NewPool[int](Config{Seed: 7})
	var got []string
	insert := func() Handle[int] { h := p.Insert(0); got = append(got, h.String()); return h }
	a, b := insert(), insert()
	insert()
	p.Remove(b)
	p.Remove(a)
	insert()
	insert()
	insert()
	p.Clear()
	insert()
	p.Clear()
	p.Clip()
	insert()
	i0, g0 := slots.Origin(7)
	var want []string
	for _, x := range [][2]uint32{{0, 1}, {1, 1}, {2, 1}, {0, 3}, {1, 3}, {3, 1}, {0, 5}, {0, 7}} {
		want = append(want, Handle[int]{id: slots.ID{Index: i0 + x[0], Gen: g0 + x[1]}}.String())
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("handles\n got %v\nwant %v", got, want)
	}
	if i0 != 0x5384540f || g0 != 0xe6454cca {
		t.Errorf("seed 7 starts at %#x, %#x", i0, g0)
	}
}

func TestPoolLowestFirst(t *testing.T) {
	p := NewPool[int](Config{Seed: 1})
	var hs []Handle[int]
	for i := range 2000 {
		hs = append(hs, p.Insert(i))
	}
	for _, i := range []int{1999, 5, 700, 64, 1300, 63, 128} {
		p.Remove(hs[i])
	}
	for _, want := range []int{5, 63, 64, 128, 700, 1300, 1999, 2000} {
		if h := p.Insert(0); h.id.Index != hs[0].id.Index+uint32(want) {
			t.Errorf("insert took slot %d, want %d", h.id.Index-hs[0].id.Index, want)
		}
	}
}

// A loop begins when it runs, not when its iterator is made.
func TestPoolInsertBeforeLoop(t *testing.T) {
	var p Pool[int]
	all, backward, values, spans := p.All(), Backward(&p), p.Values(), p.Spans()
	const n = 1000
	for i := range n {
		p.Insert(i)
	}
	var got [4]int
	for range all {
		got[0]++
	}
	for range backward {
		got[1]++
	}
	for range values {
		got[2]++
	}
	for _, s := range spans {
		got[3] += len(s)
	}
	if got != [4]int{n, n, n, n} {
		t.Errorf("All, Backward, Values and Spans visit %d values of %d", got, n)
	}
}

// InsertSeq takes no value after one for which the Memory has refused a chunk.
func TestInsertSeqRefused(t *testing.T) {
	p := NewPool[int](Config{Memory: &sixPieces{}})
	taken := 0
	n := InsertSeq(p, func(yield func(int) bool) {
		for taken < 1<<20 {
			if taken++; !yield(taken) {
				return
			}
		}
	})
	if n != p.Len() || taken != n+1 {
		t.Errorf("%d values were taken, and %d inserted, Len %d", taken, n, p.Len())
	}
}

func TestPoolAt(t *testing.T) {
	p := NewPool[int](Config{Seed: 9})
	var hs []Handle[int]
	for i := range 1000 {
		hs = append(hs, p.Insert(i))
	}
	p.Remove(hs[70])
	for i, want := range map[int]Handle[int]{0: hs[0], 69: hs[69], 70: {}, 71: hs[71], -1: {}, 999: hs[999],
		1000: {}, 1 << 30: {}, math.MinInt: {}, math.MaxInt: {}} {
		if got, v := p.At(i); got != want || v != p.Ptr(want) {
			t.Errorf("At(%d) = %v, %p, want %v, %p", i, got, v, want, p.Ptr(want))
		}
	}
	p.InsertFunc(func(Handle[int], *int) {
		if h, v := p.At(70); !h.IsZero() || v != nil {
			t.Errorf("At of a slot under construction = %v, %p", h, v)
		}
	})
	if h, v := new(Pool[int]).At(0); !h.IsZero() || v != nil {
		t.Errorf("At of the zero Pool = %v, %p", h, v)
	}
}

// A loop over Span finds what is live when it gets there, whatever its body does.
func TestPoolSpan(t *testing.T) {
	visit := func(p *Pool[int], body func(span []int, at int)) (got []int) {
		for span, at := p.Span(0); span != nil; span, at = p.Span(at) {
			got = append(got, span...)
			body(span, at)
		}
		return got
	}
	for _, truncate := range []Truncate{TruncateMemory, TruncateLength, TruncateNever} {
		for _, n := range []int{0, 1, 63, 64, 65, 4097} {
			p := NewPool[int](Config{Truncate: truncate})
			var hs []Handle[int]
			for i := range n {
				hs = append(hs, p.Insert(i))
			}
			want := []int{}
			got := visit(p, func(span []int, at int) {
				for i := range span {
					if i%2 == 0 && at+i < n {
						p.Delete(hs[at+i]) // of the next run
					}
				}
			})
			for i := range n {
				if i < 64 || p.Contains(hs[i]) {
					want = append(want, i)
				}
			}
			if !slices.Equal(got, want) && n > 0 {
				t.Errorf("%v, %d values: visits %v, want %v", truncate, n, got, want)
			}
			if n > 1000 {
				got = visit(p, func([]int, int) { p.Clear(); p.Clip(); p.Insert(-1) })
				if len(got) != 64 {
					t.Errorf("%v: visits %v after a Clear in the loop", truncate, got)
				}
			}
			if s, next := p.Span(math.MaxInt); s != nil || next != 0 {
				t.Errorf("%v: beyond the last slot is %v, %d", truncate, s, next)
			}
			if s, next := p.Span(-1); s != nil || next != 0 {
				t.Errorf("%v: before the first slot is %v, %d", truncate, s, next)
			}
		}
	}
}

func TestPoolRetiresSlots(t *testing.T) {
	p := NewPool[int](Config{Capacity: 1, Truncate: TruncateLength, Seed: 2})
	age(p, 3)
	slots := p.Cap()
	seen := map[Handle[int]]bool{}
	for i := range 3 * slots {
		h := p.Insert(i)
		if seen[h] {
			t.Fatalf("%v was handed out twice", h)
		}
		seen[h] = true
		if s := h.id.Index - p.state.Salt; int(s) >= slots {
			t.Fatalf("insert %d took slot %d while others had lives left", i, s)
		}
		p.Remove(h)
	}
	p.checkInvariants()
	if s := p.Stats(); s.Retired != slots || s.Vacant != 0 || p.Cap() != 0 {
		t.Errorf("Stats() = %+v, want %d retired and no vacant", s, slots)
	}
	h := p.Insert(1)
	if s := h.id.Index - p.state.Salt; int(s) != slots {
		t.Errorf("insert took slot %d, want %d, the first of a new chunk", s, slots)
	}
	for old := range seen {
		if p.Contains(old) {
			t.Fatalf("%v is live again", old)
		}
	}
	p.Clip()
	p.checkInvariants()
	if s := p.Stats(); s.Retired != slots || s.Chunks != 1 {
		t.Errorf("Stats() after Clip = %+v, want %d retired in one chunk", s, slots)
	}
	for i := range 4 * slots {
		if h := p.Insert(i); int(h.id.Index-p.state.Salt) < slots {
			t.Fatalf("a used-up slot is used again as %v", h)
		}
	}
	q := p.Clone()
	q.checkInvariants()
	p.Clear()
	p.Clip()
	p.checkInvariants()
	if s := p.Stats(); s.Retired != slots {
		t.Errorf("%d retired at the end, want %d", s.Retired, slots)
	}
}

func newers[T any]() map[string]store[T] {
	m := map[string]store[T]{
		"Pool": NewPool[T](Config{}), "never": NewPool[T](Config{Truncate: TruncateNever}),
	}
	for _, d := range defragModes {
		m["Dense"+d.String()] = NewDense[T](DenseConfig{Defrag: d})
	}
	return m
}

// New and Delete do the same as Insert and Remove: a container that uses only New and Delete issues
// the same handles and holds the same values as one that uses Insert and Remove.
func TestNewAndDelete(t *testing.T) {
	for name, a := range newers[[4]uint64]() {
		var b store[[4]uint64]
		switch a := a.(type) {
		case *Pool[[4]uint64]:
			b = a.Clone()
		case *Dense[[4]uint64]:
			b = a.Clone()
		}
		r := rand.New(rand.NewPCG(1, 2))
		var hs []Handle[[4]uint64]
		for i := range 5000 {
			if grow := i/1000%2 == 0; len(hs) == 0 || r.IntN(4) < 3 == grow {
				v := [4]uint64{uint64(i), r.Uint64(), uint64(i)}
				h, p := a.New()
				if p == nil || *p != ([4]uint64{}) || a.Ptr(h) != p {
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
					t.Fatalf("%s: %v is still live after Delete", name, h)
				}
				if name == "DenseImmediate" && a.(*Dense[[4]uint64]).Holes() != 0 {
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
		if a.Delete(Handle[[4]uint64]{}) || a.Delete(Handle[[4]uint64]{id: slots.ID{Index: 1, Gen: 1<<31 + 1}}) {
			t.Errorf("%s: Delete of a stale handle = true", name)
		}
		a.checkInvariants()
		b.checkInvariants()
	}
}

// A used-up slot is not used again, by whichever verb it was used.
func TestNewAndDeleteRetire(t *testing.T) {
	for verb, end := range map[string]func(c store[int], h Handle[int]){
		"Delete": func(c store[int], h Handle[int]) { c.Delete(h) },
		"Remove": func(c store[int], h Handle[int]) { c.Remove(h) },
		"RemoveFunc": func(c store[int], h Handle[int]) {
			c.RemoveFunc(func(x Handle[int], _ *int) bool { return x == h })
		},
	} {
		for name, c := range newers[int]() {
			c.AgeForTest(1, 3)
			for i := range 5 {
				h, _ := c.New()
				g, _ := c.New() // in the same block
				if end(c, h); i%2 == 0 {
					end(c, g)
				}
			}
			if s := c.Stats(); s.Retired == 0 {
				t.Errorf("%s, %s: no slot is retired: %+v", name, verb, s)
			}
			c.checkInvariants()
		}
	}
}

// After Delete, the memory that the value pointed to can be collected.
func TestDeleteLetsGo(t *testing.T) {
	type object struct{ _ [64]byte }
	for name, c := range newers[*object]() {
		c.Insert(new(object)) // so that no memory is released
		h, v := c.New()
		*v = new(object)
		w := weak.Make(*v)
		g := c.Insert(new(object))
		c.Delete(h)
		for range 3 {
			runtime.GC()
		}
		if w.Value() != nil {
			t.Errorf("%s: the deleted value is not collected", name)
		}
		runtime.KeepAlive(c)
		c.Delete(g)
	}
}
