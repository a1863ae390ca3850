package berth

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"runtime"
	"testing"

	"github.com/seed505807e1/berth/internal/limits"
)

// page is a value of which no machine has room for math.MaxInt32.
type page [1 << 16]byte

// Sizes that no machine has are refused by a panic that says so, and nothing has changed.
func TestSizesThatNoMachineHas(t *testing.T) {
	const n = math.MaxInt32
	p, d := new(Pool[page]), new(Dense[page])
	h, g := p.Insert(page{1}), d.Insert(page{2})
	before, dense := p.Stats(), d.Stats()
	for fn, f := range map[string]func(){
		"NewPool":    func() { NewPool[page](Config{Capacity: n}) },
		"NewDense":   func() { NewDense(DenseConfig[page]{Capacity: n}) },
		"Pool.Grow":  func() { p.Grow(n) },
		"Dense.Grow": func() { d.Grow(n) },
	} {
		wantPanic(t, fmt.Sprintf("berth: %s: more than 1 TiB of slots (got %d)", fn, n), f)
	}
	if p.Stats() != before || d.Stats() != dense || !p.Contains(h) || !d.Contains(g) {
		t.Errorf("after refused calls: %+v and %+v, want %+v and %+v", p.Stats(), d.Stats(), before, dense)
	}
	p.checkInvariants()
	d.checkInvariants()
	if c := NewPool[[64]byte](Config{Capacity: n, Limit: 10}).Cap(); c != 10 {
		t.Errorf("Capacity above Limit: Cap = %d, want 10", c)
	}
	if c := NewDense(DenseConfig[[64]byte]{Capacity: n, Limit: 10}).Cap(); c != 10 {
		t.Errorf("Capacity above Limit: Cap = %d, want 10", c)
	}
	if math.MaxInt == math.MaxInt32 {
		return
	}
	for fn, f := range map[string]func(){
		"NewPool":    func() { NewPool[int](Config{Capacity: math.MaxInt}) },
		"NewDense":   func() { NewDense(DenseConfig[int]{Capacity: math.MaxInt}) },
		"Pool.Grow":  func() { p.Grow(math.MaxInt) },
		"Dense.Grow": func() { d.Grow(math.MaxInt) },
	} {
		wantPanic(t, fmt.Sprintf("berth: %s: more than 2^32 slots (got %d)", fn, math.MaxInt), f)
	}
}

// The bounds of checkSlots are exact.
func TestCheckSlots(t *testing.T) {
	const most = limits.MaxBytes
	if math.MaxInt > math.MaxInt32 {
		checkSlots("f", maxSlots, 1, 5)
	}
	wantPanic(t, "berth: f: more than 2^32 slots (got 5)", func() { checkSlots("f", maxSlots+1, 1, 5) })
	checkSlots("f", 3, most/3, 6)
	wantPanic(t, "berth: f: more than 1 TiB of slots (got 6)",
		func() { checkSlots("f", 3, most/3+1, 6) })
}

// mallocs returns how often f allocates, and how many bytes.
func mallocs(f func()) (n, bytes int) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that nobody else allocates meanwhile
	var a, b runtime.MemStats
	runtime.ReadMemStats(&a)
	f()
	runtime.ReadMemStats(&b)
	return int(b.Mallocs - a.Mallocs), int(b.TotalAlloc - a.TotalAlloc)
}

// Cap is at most Limit, and inserts up to it allocate nothing, however they are made.
func TestCapUnderLimit(t *testing.T) {
	for _, limit := range []int{0, 1, 10, 20, 300, 5000} {
		for _, capacity := range []int{0, 7, 300} {
			p := NewPool[int](Config{Limit: limit, Capacity: capacity})
			d := NewDense(DenseConfig[int]{Limit: limit, Capacity: capacity})
			for p.Len() < 17 && p.Insert(1).gen != 0 {
				d.Insert(1)
			}
			if limit > 0 && (p.Cap() > limit || d.Cap() > limit) || p.Cap() < p.Len() || d.Cap() < d.Len() {
				t.Errorf("Limit %d, Capacity %d: Cap = %d and %d", limit, capacity, p.Cap(), d.Cap())
			}
			if s := p.Stats(); s.Vacant != p.places()-s.Live {
				t.Errorf("Limit %d: %+v, %d slots", limit, s, p.places())
			}
			if s := d.Stats(); s.Vacant != min(cap(d.vals), d.index.places())-s.Live {
				t.Errorf("Limit %d: %+v, %d places", limit, s, cap(d.vals))
			}
			p.InsertFunc(func(Handle[int], *int) {
				if limit > 0 && p.Cap() != min(limit, p.places()) {
					t.Errorf("Limit %d: Cap = %d inside InsertFunc", limit, p.Cap())
				}
			})
			build := func(Handle[int], *int) {}
			if n, _ := mallocs(func() {
				for i := 0; p.Len() < p.Cap(); i++ {
					if i%2 == 0 {
						p.Insert(1)
					} else {
						p.InsertFunc(build)
					}
				}
				for d.Len() < d.Cap() {
					d.Insert(1)
				}
			}); n > 0 {
				t.Errorf("Limit %d, Capacity %d: inserts up to Cap allocate %d times", limit, capacity, n)
			}
		}
	}
	if new(Pool[int]).Cap() != 0 || new(Dense[int]).Cap() != 0 {
		t.Error("the zero containers have room")
	}
}

// InsertFunc allocates no more than Insert, but for one object the first time, and unless more than
// four calls are nested: also after Clip, and in a clone.
func TestPoolInsertFuncAllocates(t *testing.T) {
	nest := func(p *Pool[int], depth int) int {
		var f func(Handle[int], *int)
		f = func(Handle[int], *int) {
			if depth--; depth > 0 {
				p.InsertFunc(f)
			}
		}
		n, _ := mallocs(func() { p.InsertFunc(f) })
		return n
	}
	p := NewPool[int](Config{Capacity: 200})
	q := NewPool[int](Config{Capacity: 200})
	q.Insert(1)
	q.Clip()
	for name, p := range map[string]*Pool[int]{"new": p, "after Clip": q, "a clone": q.Clone()} {
		if n := nest(p, 1); n > 1 {
			t.Errorf("%s: the first call of InsertFunc allocates %d times", name, n)
		}
		for _, depth := range []int{1, 4} {
			if n := nest(p, depth); n != 0 {
				t.Errorf("%s: %d calls of InsertFunc allocate %d times", name, depth, n)
			}
		}
		if n := nest(p, 5); n != 1 {
			t.Errorf("%s: five nested calls allocate %d times, want once", name, n)
		}
	}
}

// Clip costs a walk to the highest slot, whatever Cap is, and of a spike with one survivor at its far
// end remain its chunk and at most 12 bytes for each 64 slots.
func TestPoolClipFollowsTheHighestSlot(t *testing.T) {
	var p Pool[uint64]
	const n = 1 << 15
	var last Handle[uint64]
	for range n {
		last = p.Insert(1)
	}
	p.RemoveFunc(func(h Handle[uint64], _ *uint64) bool { return h != last })
	_, bytes := mallocs(p.Clip)
	const blocks, word = n / blockSlots, bits.UintSize / 8
	if p.Cap() > 1024 || bytes < word*blocks || bytes > 14*blocks {
		t.Errorf("Clip allocates %d bytes for %d blocks, Cap = %d", bytes, blocks, p.Cap())
	}
	rest := p.Stats().Bytes - p.chunks<<p.shift*int(reflect.TypeFor[block[uint64]]().Size()) - 512
	if rest > 12*blocks || rest < word*blocks {
		t.Errorf("%d bytes remain for %d blocks", rest, blocks)
	}
	p.Remove(last)
	p.Clip()
	if rest := p.Stats().Bytes; rest > 1024 {
		t.Errorf("%d bytes remain of nothing", rest)
	}
}

// Where several chunks are cut off at once, those that come after start above the highest mark.
func TestPoolTailKeepsTheHighestMark(t *testing.T) {
	for worn := range 4 {
		p := NewPool[int](Config{Seed: 3, Truncate: TruncateLength})
		var hs []Handle[int]
		for range 4 * blockSlots << 2 {
			hs = append(hs, p.Insert(1))
		}
		slots := p.chunkSlots()
		at := worn * slots // one slot of this chunk is reused
		for range 9 {
			p.Remove(hs[at])
			if hs[at] = p.Insert(2); int(hs[at].index-p.salt) != at {
				t.Fatalf("slot %d was not reused", at)
			}
		}
		p.Clear()
		p.Clip()
		p.checkInvariants()
		if len(p.floors) != 0 || p.tail != 20 {
			t.Fatalf("chunk %d worn: %d chunks, tail %d; want 0 and 20", worn, len(p.floors), p.tail)
		}
		old := hs[at]
		for i := range len(hs) {
			if p.Insert(3); p.Contains(old) {
				t.Fatalf("chunk %d worn: after %d inserts, a stale handle finds a value", worn, i)
			}
		}
	}
}
