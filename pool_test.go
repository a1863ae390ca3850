package berth

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// mustPanic runs f, and fails unless it panics with a text that contains want.
func mustPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), want) {
			t.Errorf("panic %v, want %q", r, want)
		}
	}()
	f()
}

func TestPoolBadConfig(t *testing.T) {
	for want, c := range map[string]Config{
		"berth: NewPool: Capacity must not be negative (got -1)": {Capacity: -1},
		"berth: NewPool: Limit must not be negative (got -1)":    {Limit: -1},
		"berth: NewPool: unknown Truncate(3)":                    {Truncate: 3},
		"berth: NewPool: unknown Truncate(77)":                   {Truncate: 77},
	} {
		mustPanic(t, want, func() { NewPool[int](c) })
	}
	if math.MaxInt > math.MaxUint32 {
		mustPanic(t, "berth: NewPool: more than 2^32 slots", func() { NewPool[int](Config{Capacity: math.MaxInt}) })
	}
	var p Pool[int]
	mustPanic(t, "berth: Pool.Grow: n must not be negative (got -1)", func() { p.Grow(-1) })
	p.Insert(1)
	if math.MaxInt > math.MaxUint32 {
		mustPanic(t, "berth: Pool.Grow: more than 2^32 slots", func() { p.Grow(math.MaxInt) })
	}
	p.checkInvariants()
	if p.Len() != 1 {
		t.Errorf("Len() = %d after refused calls, want 1", p.Len())
	}
}

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
	for range p.Backward() {
		t.Error("a backward loop over nothing visits something")
	}
	for range p.Pairs() {
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

func TestPoolLimit(t *testing.T) {
	for _, limit := range []int{1, 2, 63, 64, 65, 1000} {
		p := NewPool[int](Config{Limit: limit, Capacity: 10 * limit})
		for i := range limit {
			if _, err := p.TryInsert(i); err != nil {
				t.Fatalf("Limit %d: insert %d: %v", limit, i, err)
			}
		}
		if h, err := p.TryInsert(0); !errors.Is(err, ErrFull) || !h.IsZero() {
			t.Errorf("Limit %d: TryInsert on a full pool = %v, %v", limit, h, err)
		}
		if h := p.InsertFunc(func(Handle[int], *int) { t.Error("f called on a full pool") }); !h.IsZero() {
			t.Errorf("Limit %d: InsertFunc on a full pool = %v", limit, h)
		}
		for h := range p.Handles() {
			p.Remove(h)
			break
		}
		built := p.InsertFunc(func(Handle[int], *int) {
			if h := p.Insert(1); !h.IsZero() {
				t.Errorf("Limit %d: a slot under construction does not count", limit)
			}
		})
		if !p.Contains(built) || p.Len() != limit {
			t.Errorf("Limit %d: Len() = %d", limit, p.Len())
		}
		if p.Cap() < limit {
			t.Errorf("Limit %d: Cap() = %d", limit, p.Cap())
		}
		p.checkInvariants()
	}
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
	testOf(t, func(i int) [5000]byte { return [5000]byte{4999: byte(i)} },
		func(a, b [5000]byte) bool { return a == b })
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

// Handles are part of saves and replays: these must never change for a given seed and calls.
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
	i0, g0 := origin(7)
	var want []string
	for _, x := range [][2]uint32{{0, 1}, {1, 1}, {2, 1}, {0, 3}, {1, 3}, {3, 1}, {0, 5}, {0, 7}} {
		want = append(want, Handle[int]{index: i0 + x[0], gen: g0 + x[1]}.String())
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
		if h := p.Insert(0); h.index != hs[0].index+uint32(want) {
			t.Errorf("insert took slot %d, want %d", h.index-hs[0].index, want)
		}
	}
}

func TestPoolPointersStay(t *testing.T) {
	var p Pool[int]
	h := p.Insert(1)
	x := p.Ptr(h)
	var others []Handle[int]
	for i := range 100_000 {
		others = append(others, p.Insert(i))
	}
	for _, o := range others {
		p.Remove(o)
	}
	p.Clip()
	p.Grow(10_000)
	*x = 42
	if v, _ := p.Get(h); v != 42 || p.Ptr(h) != x {
		t.Errorf("the value moved: Get = %d", v)
	}
}

func TestPoolCapacityStays(t *testing.T) {
	p := NewPool[[4]uint64](Config{Capacity: 5000})
	if p.Cap() < 5000 {
		t.Fatalf("Cap() = %d, want 5000", p.Cap())
	}
	hs := make([]Handle[[4]uint64], 5000)
	round := func() {
		for i := range hs {
			hs[i] = p.Insert([4]uint64{})
		}
		for _, h := range hs {
			p.Remove(h)
		}
	}
	if n := testing.AllocsPerRun(5, round); n != 0 {
		t.Errorf("%v allocations in a pool with room", n)
	}
	p.Clip()
	if p.Cap() != 0 || p.Stats().Chunks != 0 {
		t.Errorf("Cap() = %d after Clip of an empty pool, %+v", p.Cap(), p.Stats())
	}
	p.Insert([4]uint64{})
	p.Grow(300)
	if c := p.Cap(); c < 301 || c > 301+256 {
		t.Errorf("Cap() = %d after Grow(300) beside one value", c)
	}
	p.checkInvariants()
}

// spike inserts n values and removes all but those of which keep is true.
func spike(p *Pool[uint64], n int, keep func(i int) bool) {
	hs := make([]Handle[uint64], n)
	for i := range hs {
		hs[i] = p.Insert(uint64(i))
	}
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
		if !keep(i) {
			p.Remove(hs[i])
		}
	}
}

func TestPoolMemoryFollowsTheLiving(t *testing.T) {
	const n = 200_000
	for name, keep := range map[string]func(int) bool{
		"first":  func(i int) bool { return i < 25 },
		"last":   func(i int) bool { return i >= n-25 },
		"random": func(i int) bool { return i%(n/25) == n/50 },
		"none":   func(int) bool { return false },
	} {
		t.Run(name, func(t *testing.T) {
			var p Pool[uint64]
			spike(&p, n, keep)
			p.checkInvariants()
			s := p.Stats()
			if s.Chunks > 25+3 {
				t.Errorf("%d chunks for %d values", s.Chunks, s.Live)
			}
			if s.Bytes > 130_000 {
				t.Errorf("%d bytes for %d values", s.Bytes, s.Live)
			}
			if s.Live != p.Len() || s.Vacant != p.Cap()-p.Len() {
				t.Errorf("Stats() = %+v, Len %d, Cap %d", s, p.Len(), p.Cap())
			}
			if name == "first" || name == "none" {
				if len(p.dir) > 16 || cap(p.dir) > 64 {
					t.Errorf("a directory of %d blocks (room for %d) remains", len(p.dir), cap(p.dir))
				}
			}
		})
	}
}

// Room that Grow has promised must not go with the next removal, wherever it lies.
func TestPoolGrowKeepsItsPromise(t *testing.T) {
	p := NewPool[int](Config{Seed: 1})
	for i := range 24 * 256 {
		p.Insert(i)
	}
	p.RemoveFunc(func(_ Handle[int], v *int) bool { return *v < 16*256 })
	p.Insert(0)
	p.Clear()
	p.Grow(9 * 256)
	for range 50 {
		p.Remove(p.Insert(1))
	}
	if n := testing.AllocsPerRun(1, func() {
		for range 9 * 128 {
			p.Insert(1)
		}
	}); n != 0 {
		t.Errorf("%v allocations in the room that Grow made", n)
	}
	p.checkInvariants()
}

// Memory that is emptied while a value is under construction must go back too.
func TestPoolEmptiedInsideInsertFunc(t *testing.T) {
	var p Pool[int]
	for i := range 1 << 16 {
		p.Insert(i)
	}
	p.InsertFunc(func(Handle[int], *int) {
		p.RemoveFunc(func(_ Handle[int], v *int) bool { return *v > 0 })
		p.checkInvariants()
	})
	if s := p.Stats(); s.Live != 2 || s.Chunks > 3 {
		t.Errorf("%+v, want 2 live values in 3 chunks at most", s)
	}
}

// A chunk without a usable slot must not be the one that is kept for the next insert.
func TestPoolWornChunkIsNoSpare(t *testing.T) {
	p := NewPool[int](Config{Capacity: 1})
	p.reserve = 0
	age(p, 1)
	for range p.Cap() {
		p.Remove(p.Insert(1))
	}
	p.checkInvariants()
	if n := testing.AllocsPerRun(100, func() { p.Remove(p.Insert(1)) }); n != 0 {
		t.Errorf("%v allocations for a value that comes and goes", n)
	}
}

// A slot may be the pivot's no more while Others is in use.
func TestOthersAfterPivotIsReplaced(t *testing.T) {
	var p Pool[int]
	a, b := p.Insert(1), p.Insert(2)
	p.Apply(a, func(_ *int, o Others[int]) {
		p.Remove(a)
		c := p.Insert(3)
		for _, loop := range []func() int{
			func() (n int) {
				for range o.All() {
					n++
				}
				return n
			},
			func() (n int) {
				for range o.Values() {
					n++
				}
				return n
			},
			func() (n int) {
				for _, s := range o.Spans() {
					n += len(s)
				}
				return n
			},
		} {
			if n := loop(); n != 2 || o.Len() != 2 || !o.Contains(b) || !o.Contains(c) {
				t.Errorf("a loop visits %d, Len %d, want 2", n, o.Len())
			}
		}
	})
}

// Survivors at the far end must not keep the pool there when others come after them.
func TestPoolComesBackToTheFront(t *testing.T) {
	const n = 200_000
	var p Pool[uint64]
	spike(&p, n, func(i int) bool { return i >= n-25 })
	var old []Handle[uint64]
	for h := range p.Handles() {
		old = append(old, h)
	}
	for _, h := range old {
		p.Insert(0)
		p.Remove(h)
	}
	p.checkInvariants()
	if s := p.Stats(); s.Live != 25 || s.Bytes > 12_000 || len(p.dir) > 16 {
		t.Errorf("%+v, a directory of %d blocks", s, len(p.dir))
	}
	if n := testing.AllocsPerRun(100, func() { p.Remove(p.Insert(0)) }); n != 0 {
		t.Errorf("%v allocations afterwards", n)
	}
}

func TestPoolTruncateModes(t *testing.T) {
	none := func(int) bool { return false }
	for _, mode := range []Truncate{TruncateLength, TruncateNever} {
		p := NewPool[uint64](Config{Truncate: mode})
		spike(p, 10_000, none)
		if p.Cap() < 10_000 {
			t.Errorf("%v: Cap() = %d after a spike of 10 000", mode, p.Cap())
		}
		if n := testing.AllocsPerRun(3, func() { fillAndDrain(p, 10_000) }); n != 0 {
			t.Errorf("%v: %v allocations in the next spike", mode, n)
		}
		if walked := p.live.First() >= 0; walked != (mode == TruncateNever) {
			t.Errorf("%v: loops look at empty blocks: %v", mode, walked)
		}
		p.checkInvariants()
		p.Clip()
		p.checkInvariants()
		if p.Cap() != 0 {
			t.Errorf("%v: Cap() = %d after Clip", mode, p.Cap())
		}
	}
}

func fillAndDrain(p *Pool[uint64], n int) {
	for i := range n {
		p.Insert(uint64(i))
	}
	for range p.Drain() {
	}
}

// A burst that comes again and again must cost few allocations, and one that only wavers none.
func TestPoolNoAllocationStorm(t *testing.T) {
	var p Pool[[4]uint64]
	hs := make([]Handle[[4]uint64], 10_000)
	for i := range hs {
		hs[i] = p.Insert([4]uint64{})
	}
	wave := func() {
		for i := range hs[:1000] {
			p.Remove(hs[i])
		}
		for i := range hs[:1000] {
			hs[i] = p.Insert([4]uint64{})
		}
	}
	if n := testing.AllocsPerRun(20, wave); n != 0 {
		t.Errorf("%v allocations in a wave of a tenth of the values", n)
	}
	for _, h := range hs[100:] {
		p.Remove(h)
	}
	burst := func() {
		for i := range hs[100:] {
			hs[100+i] = p.Insert([4]uint64{})
		}
		for _, h := range hs[100:] {
			p.Remove(h)
		}
	}
	if n := testing.AllocsPerRun(20, burst); n > 60 {
		t.Errorf("%v allocations in a burst of 9900 values, want one per chunk at most", n)
	}
}

func TestPoolClearKeepsMemory(t *testing.T) {
	var p Pool[uint64]
	refill := func(n int) {
		for i := range n {
			p.Insert(uint64(i))
		}
		p.Clear()
	}
	refill(50_000)
	if n := testing.AllocsPerRun(3, func() { refill(50_000) }); n != 0 {
		t.Errorf("%v allocations when a cleared pool is refilled", n)
	}
	refill(100)
	refill(100)
	if s := p.Stats(); s.Chunks > 2 {
		t.Errorf("%d chunks stay though the last two fillings needed one", s.Chunks)
	}
	p.checkInvariants()
}

func TestPoolCloneIsIndependent(t *testing.T) {
	p := NewPool[[]int](Config{Seed: 5})
	h := p.Insert([]int{1})
	gone := p.Insert(nil)
	p.Remove(gone)
	q := p.Clone()
	if v, ok := q.Get(h); !ok || v[0] != 1 {
		t.Fatalf("the clone's Get = %v, %v", v, ok)
	}
	if q.Contains(gone) {
		t.Error("a stale handle is live in the clone")
	}
	*q.Ptr(h) = nil
	if v, _ := p.Get(h); len(v) != 1 {
		t.Error("the clone shares values")
	}
	for range 500 {
		if a, b := p.Insert(nil), q.Insert(nil); a != b {
			t.Fatalf("after the same calls: %v and %v", a, b)
		}
	}
	q.Clear()
	q.checkInvariants()
	p.checkInvariants()
	if p.Len() != 501 {
		t.Errorf("Len() = %d after the clone was cleared", p.Len())
	}
}

// A clone made while a value is under construction does not have it, and can use its slot.
func TestPoolCloneInsideInsertFunc(t *testing.T) {
	p := NewPool[string](Config{Limit: 3})
	var q *Pool[string]
	h := p.InsertFunc(func(h Handle[string], v *string) {
		*v = "half"
		q = p.Clone()
		*v = "whole"
	})
	q.checkInvariants()
	if q.Len() != 0 || q.Contains(h) {
		t.Error("the clone has the half-built value")
	}
	for range 3 {
		if _, err := q.TryInsert("x"); err != nil {
			t.Error("the clone has lost a slot:", err)
		}
	}
	if q.Contains(h) {
		t.Error("the handle of the half-built value names another one in the clone")
	}
	if v, _ := p.Get(h); v != "whole" {
		t.Errorf("the value is %q", v)
	}
	p.checkInvariants()
}

func TestPoolInsertFuncFails(t *testing.T) {
	for name, fail := range map[string]func(){"panic": func() { panic("x") }, "Goexit": runtime.Goexit} {
		var p Pool[*int]
		done := make(chan bool)
		var built Handle[*int]
		go func() {
			defer close(done)
			defer func() { _ = recover() }()
			p.InsertFunc(func(h Handle[*int], v **int) {
				built = h
				*v = new(int)
				p.Insert(nil)
				p.InsertFunc(func(Handle[*int], **int) { p.Clear(); p.Clip() })
				fail()
			})
		}()
		<-done
		p.checkInvariants()
		if p.Contains(built) || p.Len() != 1 {
			t.Errorf("%s: Contains %v, Len %d", name, p.Contains(built), p.Len())
		}
		h := p.Insert(nil)
		if h.index != built.index {
			t.Errorf("%s: the slot is not the lowest vacant one: %v, want that of %v", name, h, built)
		}
		if h == built || p.Contains(built) {
			t.Errorf("%s: the handle that the failed f was given, %v, names another value", name, built)
		}
	}
}

func TestPoolHandleAt(t *testing.T) {
	p := NewPool[int](Config{Seed: 9})
	var hs []Handle[int]
	for i := range 1000 {
		hs = append(hs, p.Insert(i))
	}
	p.Remove(hs[70])
	for i, want := range map[int]Handle[int]{0: hs[10], 59: hs[69], 60: {}, 61: hs[71], -10: hs[0], -11: {},
		989: hs[999], 990: {}, 1 << 30: {}, math.MinInt: {}, math.MaxInt: {}} {
		if got := p.HandleAt(hs[10], i); got != want {
			t.Errorf("HandleAt(%d) = %v, want %v", i, got, want)
		}
	}
	if got := p.HandleAt(Handle[int]{}, 0); !got.IsZero() {
		t.Errorf("HandleAt of the zero Handle = %v", got)
	}
}

func TestOthersZero(t *testing.T) {
	var o Others[int]
	if o.Len() != 0 || o.Contains(Handle[int]{}) || o.Ptr(HandleFromUint64[int](1<<32)) != nil {
		t.Error("the zero Others shows something")
	}
	for range o.All() {
		t.Error("All of the zero Others visits something")
	}
	for range o.Values() {
		t.Error("Values of the zero Others visits something")
	}
	for range o.Spans() {
		t.Error("Spans of the zero Others visits something")
	}
}

func TestOthersOutliveThePivot(t *testing.T) {
	var p Pool[int]
	a := p.Insert(1)
	p.Insert(2)
	p.Apply(a, func(v *int, o Others[int]) {
		if o.Len() != 1 || o.Contains(a) {
			t.Errorf("Len %d, Contains(pivot) %v", o.Len(), o.Contains(a))
		}
		p.Remove(a)
		if o.Len() != 1 {
			t.Errorf("Len %d after the pivot is gone, want 1", o.Len())
		}
		if c := p.Insert(3); !o.Contains(c) {
			t.Error("a value in the pivot's old slot is not among the others")
		}
	})
	if p.Apply(a, func(*int, Others[int]) { t.Error("f called for a stale handle") }) {
		t.Error("Apply of a stale handle is true")
	}
}

// age leaves every vacant slot in memory with so many lives.
func age[T any](p *Pool[T], lives uint32) {
	for _, b := range p.dir {
		for i := range blockSlots {
			if b != nil && b.free>>i&1 != 0 {
				b.gens[i] = p.base - 2*lives
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
		if s := h.index - p.salt; int(s) >= slots {
			t.Fatalf("insert %d took slot %d while others had lives left", i, s)
		}
		p.Remove(h)
	}
	p.checkInvariants()
	if s := p.Stats(); s.Retired != slots || s.Vacant != 0 || p.Cap() != 0 {
		t.Errorf("Stats() = %+v, want %d retired and no vacant", s, slots)
	}
	h := p.Insert(1)
	if s := h.index - p.salt; int(s) != slots {
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
		if h := p.Insert(i); int(h.index-p.salt) < slots {
			t.Fatalf("a used-up slot came back as %v", h)
		}
	}
	q := p.Clone()
	q.checkInvariants()
	p.Clear()
	p.Clip()
	p.checkInvariants()
	if s := p.Stats(); s.Retired != slots {
		t.Errorf("%d retired after all, want %d", s.Retired, slots)
	}
}

// A construction that fails costs a life, and the last one retires the slot.
func TestPoolRetiresFailedSlots(t *testing.T) {
	p := NewPool[int](Config{Capacity: 1})
	age(p, 1)
	slots := p.Cap()
	for range slots {
		mustPanic(t, "no", func() { p.InsertFunc(func(Handle[int], *int) { panic("no") }) })
	}
	p.checkInvariants()
	if s := p.Stats(); s.Retired != slots || s.Vacant != 0 {
		t.Errorf("Stats() = %+v, want %d retired", s, slots)
	}
}

// One used-up slot takes its chunk along when that is given back, and no other.
func TestPoolRetiresChunks(t *testing.T) {
	p := NewPool[int](Config{Seed: 2})
	keep := p.Insert(0)
	slots := p.Cap()
	for p.Cap() < 3*slots {
		p.addChunk()
	}
	p.dir[slots>>6].gens[5] = p.base - 2 // one life left
	var hs []Handle[int]
	for p.Len() < 3*slots {
		hs = append(hs, p.Insert(1))
	}
	for _, h := range hs {
		p.Remove(h)
	}
	p.checkInvariants()
	p.Clip()
	p.checkInvariants()
	if s := p.Stats(); s.Retired != slots || s.Chunks != 1 || s.Live != 1 {
		t.Errorf("Stats() = %+v, want the %d slots of one chunk retired", s, slots)
	}
	for range 3 * slots {
		if h := p.Insert(1); (h.index-p.salt)/uint32(slots) == 1 {
			t.Fatalf("the used-up chunk issued %v", h)
		}
	}
	if !p.Contains(keep) {
		t.Error("a bystander died")
	}
	p.checkInvariants()
}

// A hard-worn chunk at the end of the directory must not wear out those that come after it.
func TestPoolWornTail(t *testing.T) {
	p := NewPool[int](Config{Seed: 2})
	h := p.Insert(0)
	p.Remove(h)
	age(p, 5)
	p.Clip()
	p.checkInvariants()
	if len(p.floors) != 1 || p.tail != 0 {
		t.Errorf("%d chunks remembered, tail %d; want 1 and 0", len(p.floors), p.tail)
	}
	h = p.Insert(0)
	if p.Contains(Handle[int]{index: h.index, gen: p.base + 1}) || h.gen != p.base-10+1 {
		t.Errorf("%v after %d", h, p.base)
	}
	for p.Cap() < 2000 {
		p.addChunk()
	}
	if g := p.dir[len(p.dir)-1].gens[0]; g != p.base {
		t.Errorf("a new chunk starts at %d, want %d", g, p.base)
	}
	// Marks in the lower half do go into the tail.
	q := NewPool[int](Config{Seed: 2})
	old := q.Insert(0)
	q.Remove(old)
	q.Clip()
	if len(q.floors) != 0 || q.tail != 2 {
		t.Errorf("%d chunks remembered, tail %d; want 0 and 2", len(q.floors), q.tail)
	}
	if h := q.Insert(0); h.gen != old.gen+2 {
		t.Errorf("the slot goes on as %v after %v", h, old)
	}
}
