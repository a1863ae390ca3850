package berth

import (
	"errors"
	"math/bits"
	"reflect"
	"testing"
	"unsafe"

	"github.com/seed505807e1/berth/internal/costtest"
	"github.com/seed505807e1/berth/internal/slots"
)

// Cap is at most Limit, and inserts up to it allocate nothing, by whichever method.
func TestCapUnderLimit(t *testing.T) {
	for _, limit := range []int{0, 1, 10, 20, 300, 5000} {
		for _, capacity := range []int{0, 7, 300} {
			p := NewPool[int](Config{Limit: limit, Capacity: capacity})
			d := NewDense[int](DenseConfig{Limit: limit, Capacity: capacity})
			for p.Len() < 17 && p.Insert(1).id.Gen != 0 {
				d.Insert(1)
			}
			if limit > 0 && (p.Cap() > limit || d.Cap() > limit) || p.Cap() < p.Len() || d.Cap() < d.Len() {
				t.Errorf("Limit %d, Capacity %d: Cap = %d and %d", limit, capacity, p.Cap(), d.Cap())
			}
			if s := p.Stats(); s.Vacant != p.places()-s.Live {
				t.Errorf("Limit %d: %+v, %d slots", limit, s, p.places())
			}
			if s := d.Stats(); s.Vacant != min(cap(d.vals), d.state.Index.Look().Places())-s.Live {
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

// Clip visits slots only up to the highest one, whatever Cap is. After a spike with one survivor at
// its far end, only its chunk and at most 12 bytes for each 64 slots remain.
func TestPoolClipFollowsTheHighestSlot(t *testing.T) {
	var p Pool[uint64]
	const n = 1 << 15
	var last Handle[uint64]
	for range n {
		last = p.Insert(1)
	}
	p.RemoveFunc(func(h Handle[uint64], _ *uint64) bool { return h != last })
	_, bytes := mallocs(p.Clip)
	const blocks, word = n / slots.BlockSlots, bits.UintSize / 8
	if p.Cap() > 1024 || bytes < word*blocks || bytes > 14*blocks {
		t.Errorf("Clip allocates %d bytes for %d blocks, Cap = %d", bytes, blocks, p.Cap())
	}
	rest := p.Stats().Bytes - p.state.Chunks<<p.state.Shift*int(reflect.TypeFor[slots.Block[uint64]]().Size()) - 512
	if rest > 12*blocks || rest < word*blocks {
		t.Errorf("%d bytes remain for %d blocks", rest, blocks)
	}
	p.Remove(last)
	p.Clip()
	if rest := p.Stats().Bytes; rest > 1024 {
		t.Errorf("%d bytes remain of an empty pool", rest)
	}
}

// If several chunks are cut off at once, later ones start above their highest generation.
func TestPoolTailKeepsTheHighestMark(t *testing.T) {
	for worn := range 4 {
		p := NewPool[int](Config{Seed: 3, Truncate: TruncateLength})
		var hs []Handle[int]
		for range 4 * slots.BlockSlots << 2 {
			hs = append(hs, p.Insert(1))
		}
		slots := p.chunkSlots()
		at := worn * slots // one slot of this chunk is reused
		for range 9 {
			p.Remove(hs[at])
			if hs[at] = p.Insert(2); int(hs[at].id.Index-p.state.Salt) != at {
				t.Fatalf("slot %d was not reused", at)
			}
		}
		p.Clear()
		p.Clip()
		p.checkInvariants()
		if len(p.state.Floors) != 0 || p.state.Tail != 20 {
			t.Fatalf("chunk %d worn: %d chunks, tail %d; want 0 and 20", worn, len(p.state.Floors), p.state.Tail)
		}
		old := hs[at]
		for i := range len(hs) {
			if p.Insert(3); p.Contains(old) {
				t.Fatalf("chunk %d worn: after %d inserts, a stale handle finds a value", worn, i)
			}
		}
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
		t.Errorf("Cap() = %d after Grow(300) with one value", c)
	}
	p.checkInvariants()

	p = NewPool[[4]uint64](Config{Capacity: 1024}) // 4 chunks
	for range 1025 {
		p.Insert([4]uint64{})
	}
	for p.Len() > 0 {
		p.Remove(handleAt(p, p.Len()-1))
	}
	if p.Cap() != 1024 {
		t.Errorf("Cap() = %d after one value too many, want 1024", p.Cap())
	}
}

func TestPoolMemoryFollowsTheLiving(t *testing.T) {
	n := fewer(200_000, 20_000)
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

// A removal must not release memory that Grow has reserved, wherever that lies.
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

// Memory that is emptied while a value is under construction must be released too.
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
		t.Errorf("%+v, want 2 live values in at most 3 chunks", s)
	}
}

// A chunk without a usable slot must not be the one that is kept for the next insert.
func TestPoolWornChunkIsNoSpare(t *testing.T) {
	p := NewPool[int](Config{Capacity: 1})
	p.state.Reserve = 0
	age(p, 1)
	for range p.Cap() {
		p.Remove(p.Insert(1))
	}
	p.checkInvariants()
	if n := testing.AllocsPerRun(100, func() { p.Remove(p.Insert(1)) }); n != 0 {
		t.Errorf("%v allocations for repeated inserts and removals of one value", n)
	}

	p = NewPool[int](Config{Capacity: 1})
	age(p, 1)
	for range p.Cap() {
		p.Insert(1)
	}
	if p.Clear(); p.Stats().Chunks != 0 {
		t.Errorf("%+v, but Clear has used up every slot", p.Stats())
	}
	data, err := p.MarshalBinary()
	if err := errors.Join(err, new(Pool[int]).UnmarshalBinary(data)); err != nil {
		t.Errorf("a reservation that is used up: %v", err)
	}
}

// Survivors at the far end must not keep the pool there when other values are inserted.
func TestPoolComesBackToTheFront(t *testing.T) {
	n := fewer(200_000, 20_000)
	var p Pool[uint64]
	spike(&p, n, func(i int) bool { return i >= n-25 })
	var old []Handle[uint64]
	for h := range p.All() {
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
		if walked := p.state.Live.First() >= 0; walked != (mode == TruncateNever) {
			t.Errorf("%v: loops visit empty blocks: %v", mode, walked)
		}
		p.checkInvariants()
		p.Clip()
		p.checkInvariants()
		if p.Cap() != 0 {
			t.Errorf("%v: Cap() = %d after Clip", mode, p.Cap())
		}
	}
}

// A recurring burst must cost few allocations, and small fluctuations none.
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
		t.Errorf("%v allocations when a tenth of the values is removed and inserted", n)
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
	if n := testing.AllocsPerRun(20, burst); n > 60*(1+costtest.Older) {
		t.Errorf("%v allocations in a burst of 9900 values, want at most one per chunk", n)
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
		t.Errorf("%d chunks stay, but the last two fillings needed one", s.Chunks)
	}
	p.checkInvariants()
}

// A clone made while a value is under construction does not have the value, and can use its slot.
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
		t.Error("the handle of the half-built value finds another value in the clone")
	}
	if v, _ := p.Get(h); v != "whole" {
		t.Errorf("the value is %q", v)
	}
	p.checkInvariants()
}

// If a chunk with a used-up slot is released, all its slots are retired, and no others.
func TestPoolRetiresChunks(t *testing.T) {
	p := NewPool[int](Config{Seed: 2})
	keep := p.Insert(0)
	slots := p.Cap()
	for p.Cap() < 3*slots {
		p.addChunk()
	}
	p.dir[slots>>6].Gens[5] = p.state.Base - 2 // one life left
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
		if h := p.Insert(1); (h.id.Index-p.state.Salt)/uint32(slots) == 1 {
			t.Fatalf("the used-up chunk issued %v", h)
		}
	}
	if !p.Contains(keep) {
		t.Error("a live value in another chunk was removed")
	}
	p.checkInvariants()
}

// A hard-worn chunk at the end of the directory must not wear out later ones.
func TestPoolWornTail(t *testing.T) {
	p := NewPool[int](Config{Seed: 2})
	h := p.Insert(0)
	p.Remove(h)
	age(p, 5)
	p.Clip()
	p.checkInvariants()
	if len(p.state.Floors) != 1 || p.state.Tail != 0 {
		t.Errorf("%d chunks remembered, tail %d; want 1 and 0", len(p.state.Floors), p.state.Tail)
	}
	h = p.Insert(0)
	if p.Contains(Handle[int]{id: slots.ID{Index: h.id.Index, Gen: p.state.Base + 1}}) || h.id.Gen != p.state.Base-10+1 {
		t.Errorf("%v after %d", h, p.state.Base)
	}
	for p.Cap() < 2000 {
		p.addChunk()
	}
	if g := p.dir[len(p.dir)-1].Gens[0]; g != p.state.Base {
		t.Errorf("a new chunk starts at %d, want %d", g, p.state.Base)
	}
	// Generations in the lower half do go into the tail.
	q := NewPool[int](Config{Seed: 2})
	old := q.Insert(0)
	q.Remove(old)
	q.Clip()
	if len(q.state.Floors) != 0 || q.state.Tail != 2 {
		t.Errorf("%d chunks remembered, tail %d; want 0 and 2", len(q.state.Floors), q.state.Tail)
	}
	if h := q.Insert(0); h.id.Gen != old.id.Gen+2 {
		t.Errorf("the slot resumes with %v after %v", h, old)
	}
}

// A small Pool and a small Dense take little memory, and Capacity allocates no more than it must.
func TestSmallPools(t *testing.T) {
	const word = unsafe.Sizeof(uintptr(0))
	if word != 8 {
		return // they take less there
	}
	small := NewPool[*int](Config{})
	dense := NewDense[*int](DenseConfig{})
	for range 5 {
		small.Insert(nil)
		dense.Insert(nil)
	}
	var one Pool[[4]uint64]
	one.New()
	for name, c := range map[string]struct{ got, most, chunks, want int }{
		"Pool of 5 pointers":        {small.Stats().Bytes, 1200, small.Stats().Chunks, 1},
		"Dense of 5 pointers":       {dense.Stats().Bytes, 1400, dense.Stats().Chunks, 2},
		"Pool of one 32-byte value": {one.Stats().Bytes, 2788, one.Stats().Chunks, 1},
		"Pool of Capacity 8": {
			NewPool[*int](Config{Capacity: 8}).Stats().Bytes, 1200,
			NewPool[*int](Config{Capacity: 8}).places(), slots.BlockSlots,
		},
	} {
		if c.got > c.most && dense.state.Late == nil || c.chunks != c.want {
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

// A Pool that began small has the same chunks as any other once it has grown, at any size, and
// whatever is empty or under construction then.
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
			if wide := blocks > 4; wide != (p.state.Shift > 0) && blocks != 4 {
				t.Errorf("%d values, %s: %d blocks, shift %d", most, name, blocks, p.state.Shift)
			}
			if p.Stats().Bytes < 0 || p.state.Chunks<<p.state.Shift > blocks {
				t.Errorf("%d values, %s: %d chunks of %d", most, name, p.state.Chunks, 1<<p.state.Shift)
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

// Memory that is kept after all values are removed is also widened.
func TestPoolWidensWhenEmpty(t *testing.T) {
	for truncate := TruncateMemory; truncate <= TruncateNever; truncate++ {
		p := NewPool[int](Config{Truncate: truncate})
		for i := range 4 * slots.BlockSlots {
			p.Insert(i)
		}
		p.Clear()
		p.Grow(1000)
		p.checkInvariants()
		if p.state.Shift == 0 {
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
