package berth

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/nocopy"
	"github.com/seed505807e1/berth/internal/poison"
)

const (
	blockSlots = 64 // one word of occupancy
	maxSlots   = 1 << 32
)

// Pool is a slot map. It holds values in slots that never move, and issues a [Handle] for each.
// Insert, Remove and lookups take amortised constant time. The zero Pool is ready to use; [NewPool]
// makes one with other settings. Functions that take a *Pool or a *Dense panic if it is nil: those
// that return an iterator when its loop begins, the others at once.
//
// Values live in blocks of 64 slots, and blocks in chunks of one or more. A chunk is the unit of
// memory. An insert takes the lowest vacant slot in memory, so live values gather at the front. A
// chunk that becomes empty, wherever it lies, is released ([TruncateMemory]). The Pool remembers
// the highest generation of a released chunk. If its slots are ever needed again, they resume above
// it, so stale handles stay stale. A slot has 2^31 lives. Then it is retired, and [Stats] counts
// it.
//
// # Pointers
//
// A *T from a Pool is valid until its value is removed. Growth, truncation, Clip and the removal of
// other values do not affect it. Go does not detect a write through a pointer kept longer: the
// write is lost, or it changes the slot's next value. So keep handles, and call [Pool.Ptr] when you
// need the pointer.
//
// Tests detect such a write with the build tag berth_poison. The Pool then fills a vacant slot with
// the byte 0xDB (and Go pointers with nil). When the slot is reused or its memory released, and it
// was written to, the Pool panics with the handle of the removed value.
//
// # Loops
//
// Every iterator keeps these rules, whatever its loop body does to the Pool:
//
//  1. A value that is live throughout the loop is visited exactly once.
//  2. A value removed before its turn is not visited.
//  3. A value inserted inside the loop is visited once or not at all. A loop ends even if its body
//     inserts on every iteration: it passes each slot once, and none beyond the last one that was
//     in memory when it began.
//  4. Loops may be nested, including over the same Pool.
//  5. break, return, a panic and Goexit leave the Pool as usable as if the loop had ended.
//  6. The order is that of the slots, lowest first (Backward: highest first). It depends only on
//     the calls made so far.
//  7. Spans yields up to 64 values at once, for speed. A span is fixed when it is yielded. A value
//     removed after that reads as the zero T (or as poison, with the tag berth_poison), or as the
//     value inserted into its slot since. Values inserted into other slots do not enter the span.
//
// A load or [Pool.CopyFrom] inside a loop removes all values, and inserts those of the new state.
// [History.Rewind] removes and inserts only values that are live on one side.
//
// A loop allocates nothing if the compiler inlines its iterator. It does so for each range loop
// over a Pool in a function of usual size. There are two exceptions.
// A loop through an interface, such as [View], allocates 3 small objects, and All of an [Others]
// behind an interface allocates 6. In a function of more than 5000 syntax nodes, a loop allocates
// 3, and Traverse one more for each value. RemoveFunc, [Dense.Each], and a range over
// [Dense.Slice] allocate nothing in any function.
//
// The rules also hold with a [Memory], except that Clip and Clear inside a loop end its spans.
//
// # Large values
//
// The smallest unit of memory is a block of 64 slots. For values of many kilobytes, or for only a
// few values, a Pool[*T] takes less memory.
//
// # Use by several goroutines
//
// Any number of goroutines may read a Pool while none writes, as with a map. Changing a value
// through its pointer is a write to that value, not to the Pool. A Pool must not be copied; see
// [Pool.Clone].
type Pool[T any] struct {
	_ nocopy.NoCopy

	// Invariants (checkInvariants):
	//  1. a slot is live exactly when its generation is odd, and exactly when its occ bit is set
	//  2. a slot that is neither live nor vacant is under construction, or retired: its generation
	//     is base
	//  3. every vacant and retired slot holds the zero T, or with the tag berth_poison, poison
	//  4. room holds exactly the blocks with a vacant slot
	//  5. live holds exactly the blocks with a live slot (TruncateNever: those that ever had one)
	//  6. dir is nil exactly for the blocks of chunks without memory, and gone holds those of these
	//     chunks that can come back; spare holds the chunks in memory without a block in live; with
	//     a Memory, supply has the piece of each chunk in memory, and no other
	//  7. the counts agree with what they count
	//  8. tail and base are even, and tail is at most highFloor

	dir []*block[T]
	state
}

// NewPool returns a Pool configured by c. It panics if c has a negative size, an unknown Truncate,
// or a Capacity beyond 2^32 slots or 1 TiB; if c.Memory refuses the Capacity; or if c has a Memory
// and T has Go pointers. The panic names the rule and the value.
// Cost: allocates c.Capacity slots, rounded up to chunks.
func NewPool[T any](c Config) *Pool[T] {
	p := new(Pool[T])
	coreOf(p).made(c)
	return p
}

// made turns the zero core into one configured by c.
//
//go:noinline
func (p *core) made(c Config) {
	c.check("NewPool")
	mustBePlain("NewPool", typeOf(p.kind), c.Memory)
	p.init(c)
	attempt(
		func() { p.makeSlots("NewPool", c.Capacity, c.Capacity) },
		func() { p.supply.freeAll() })
}

// init turns the zero Pool into one configured by c.
func (p *core) init(c Config) {
	p.salt, p.base = origin(c.Seed)
	p.truncate = c.Truncate
	p.room = bitset.NewQueue()
	p.supply = newSupply(c.Memory)
	p.setMax(c.Limit)
	if c.Limit == 0 {
		p.setMax(math.MaxInt)
	}
}

// setMax sets max, quick and calm.
func (p *core) setMax(n int) {
	p.max, p.quick, p.calm = n, n, n
	if p.hooked || p.rare.recorder() != nil {
		p.quick, p.calm = 0, 0
	}
	if p.rare.tells() {
		p.calm = 0
	}
}

// Len returns the number of live values.
// Cost: O(1).
func (p *Pool[T]) Len() int { return p.n }

// Cap returns the number of values that p can hold in its present memory. Inserts allocate nothing
// until Len reaches it. It is at most Limit.
// Cost: O(1).
func (p *Pool[T]) Cap() int { return look(p).cap() }

//go:noinline
func (p *core) cap() int { return min(p.places(), p.max+len(p.rare.building())) }

// String returns the type of the values and their number, as in "berth.Pool[int](3 of 64 slots)".
// Cost: allocates the string.
func (p *Pool[T]) String() string {
	return look(p).string((*T)(nil))
}

//go:noinline
func (p *core) string(pointer any) string {
	t := reflect.TypeOf(pointer).Elem()
	return fmt.Sprintf("berth.Pool[%v](%d of %d slots)", t, p.n, p.cap())
}

// places returns the number of slots in memory that are not used up.
func (p *core) places() int {
	retired, _ := p.rare.worn()
	return p.chunks<<p.shift*blockSlots - retired
}

// Ptr returns a pointer to the value of h, or nil if h is stale, zero or foreign. The pointer is
// valid until that value is removed.
// Cost: O(1), one bounds check; never allocates.
//
//berth:asks h
//berth:lends r0 by h
func (p *Pool[T]) Ptr(h Handle[T]) *T {
	// Ptr and Get duplicate core.find so that they inline: a Get takes 1.9 ns instead of 2.9.
	s := h.index - p.salt
	if k := int(s >> 6); k < len(p.dir) {
		if b := p.dir[k]; b != nil && b.gens[s&63] == h.gen && h.gen&1 != 0 {
			return &b.vals[s&63]
		}
	}
	return nil
}

// Get returns a copy of the value of h. It reports false if h is stale, zero or foreign.
// Cost: O(1) and the copy; never allocates.
//
//berth:asks h
//berth:copies r0
func (p *Pool[T]) Get(h Handle[T]) (v T, ok bool) {
	s := h.index - p.salt
	if k := int(s >> 6); k < len(p.dir) {
		if b := p.dir[k]; b != nil && b.gens[s&63] == h.gen && h.gen&1 != 0 {
			return b.vals[s&63], true
		}
	}
	return v, false
}

// Contains reports whether h refers to a live value of p.
// Cost: O(1); never allocates.
//
//berth:asks h
func (p *Pool[T]) Contains(h Handle[T]) bool { return p.Ptr(h) != nil }

// HandleAt returns the handle of the value i slots after that of first, or the zero Handle if no
// live value is there. If first came with a span, that is the handle of its element i. i may be
// negative. HandleAt uses only the position of first, and does not test whether first is stale.
// Cost: O(1); never allocates.
//
//berth:issues r0
func (p *Pool[T]) HandleAt(first Handle[T], i int) Handle[T] {
	s := int64(first.index-p.salt) + int64(i)
	if k := s >> 6; s >= 0 && k < int64(len(p.dir)) {
		if b := p.dir[k]; b != nil && b.occ>>(s&63)&1 != 0 {
			return Handle[T]{id: look(p).id(&b.head, int(k), int(s&63))}
		}
	}
	return Handle[T]{}
}

// Insert puts v into the lowest vacant slot and returns its handle. It returns the zero Handle if p
// is full or Config.Memory refuses a chunk; [Pool.TryInsert] tells the two apart.
// Cost: O(1); allocates a chunk when no slot in memory is vacant.
//
//berth:issues r0
func (p *Pool[T]) Insert(v T) Handle[T] {
	// This fills a slot if the block has other values, and either has more room or the next block
	// with room is known. New, and the same two verbs of Dense, repeat these lines: sharing them
	// makes an insert a third slower.
	return Handle[T]{id: callID(func() id {
		if k := p.room.Low; uint(k) < uint(len(p.dir)) && p.n < p.quick && !poison.On {
			b := p.dir[k]
			free, occ := b.free, b.occ
			rest := free & (free - 1)
			if occ != 0 && (rest != 0 || p.room.PopLow()) {
				i := bits.TrailingZeros64(free) & 63
				b.free, b.occ = rest, occ|free^rest
				g := b.gens[i] + 1
				b.gens[i] = g
				b.vals[i] = v
				p.n++
				if invariants.On {
					coreOf(p).changed()
				}
				return id{p.salt + uint32(k<<6+i), g}
			}
		}
		return insertSlow(p, v)
	})}
}

// callID, callNew and callInt return f(). See package inline, whose functions would be compiled
// anew for each type of handles.
func callID(f func() id) id { return f() }

func callNew[T any](f func() (id, *T)) (id, *T) { return f() }

func callInt(f func() int) int { return f() }

// insertSlow is Insert where more than a slot changes, or a hook is called.
func insertSlow[T any](p *Pool[T], v T) id {
	c := look(p)
	if c.kind == nil { // coreOf would call a function each time
		coreOf(p)
	}
	h, x := c.open()
	if x != nil {
		*(*T)(x) = v
		if p.hooked {
			c.inserted(h, x)
		}
	}
	return h
}

// New makes the lowest vacant slot live with a zero T, and returns its handle and a pointer to it,
// so that the value can be filled in place. It returns the zero Handle and nil if p is full or
// Config.Memory refuses a chunk. In contrast to [Pool.InsertFunc], the value is live at once, and
// OnInsert gets the zero T. If OnInsert removes the value, the handle is stale and the pointer nil.
// Cost: O(1), and less than Insert for large values; allocates as Insert.
//
//berth:issues r0
//berth:lends r1 by r0
func (p *Pool[T]) New() (Handle[T], *T) {
	h, v := callNew(func() (id, *T) {
		if k := p.room.Low; uint(k) < uint(len(p.dir)) && p.n < p.quick && !poison.On {
			b := p.dir[k]
			free, occ := b.free, b.occ
			rest := free & (free - 1)
			if occ != 0 && (rest != 0 || p.room.PopLow()) {
				i := bits.TrailingZeros64(free) & 63
				b.free, b.occ = rest, occ|free^rest
				g := b.gens[i] + 1
				b.gens[i] = g
				p.n++
				if invariants.On {
					coreOf(p).changed()
				}
				return id{p.salt + uint32(k<<6+i), g}, &b.vals[i]
			}
		}
		h, x := coreOf(p).new()
		return h, (*T)(x)
	})
	return Handle[T]{id: h}, v
}

// TryInsert is like [Pool.Insert], but returns an error in place of the zero Handle. The error is
// [ErrFull] if p holds Limit values or all its 2^32 indices are live or retired. If Config.Memory
// refuses, it wraps both ErrFull and Memory's own error.
// Cost: as Insert.
//
//berth:issues r0
//berth:must r1
func (p *Pool[T]) TryInsert(v T) (Handle[T], error) {
	if h := p.Insert(v); !h.IsZero() {
		return h, nil
	}
	return Handle[T]{}, look(p).full()
}

// full returns the reason why an insert has just failed.
//
//go:noinline
func (p *core) full() error {
	if p.n >= p.max {
		return ErrFull
	}
	return p.supply.why()
}

// Remove removes the value of h and returns it. It reports false, and changes nothing, if h is
// stale, zero or foreign.
// Cost: amortised O(1). The slot is zeroed, so the collector can free whatever the value pointed
// to. Removing the last value of a chunk releases the memory of at most two chunks
// ([TruncateMemory], without a Memory). It allocates only in a Pool that has shrunk to a fraction
// of its size: to cut the directory, and for one chunk at the front if the last values live far
// from it.
// Ends: h and every copy of it, and pointers to this value; no others.
//
//berth:asks h
//berth:ends by h
func (p *Pool[T]) Remove(h Handle[T]) (v T, ok bool) {
	s := h.index - p.salt
	if k := int(s >> 6); k < len(p.dir) {
		if b := p.dir[k]; b != nil && b.gens[s&63] == h.gen && h.gen&1 != 0 {
			free, bit := b.free, uint64(1)<<(s&63)
			if b.occ == bit || h.gen+1 == p.base || p.calm == 0 ||
				free == 0 && !p.room.AddLow(k) {
				v = b.vals[s&63]
				return v, deleteSlow(p, h)
			}
			b.free, b.occ = free|bit, b.occ^bit
			b.gens[s&63] = h.gen + 1
			p.n--
			p.ended++
			v = b.vals[s&63]
			vacate(&b.vals[s&63])
			if invariants.On {
				coreOf(p).changed()
			}
			return v, true
		}
	}
	return v, false
}

// Delete is like [Pool.Remove], but only reports whether there was a value.
// Cost: as Remove, without the copy.
// Ends: as Remove.
//
//berth:asks h
//berth:ends by h
func (p *Pool[T]) Delete(h Handle[T]) bool {
	s := h.index - p.salt
	if k := int(s >> 6); k < len(p.dir) {
		if b := p.dir[k]; b != nil && b.gens[s&63] == h.gen && h.gen&1 != 0 {
			free, bit := b.free, uint64(1)<<(s&63)
			if b.occ == bit || h.gen+1 == p.base || p.calm == 0 ||
				free == 0 && !p.room.AddLow(k) {
				return deleteSlow(p, h)
			}
			b.free, b.occ = free|bit, b.occ^bit
			b.gens[s&63] = h.gen + 1
			p.n--
			p.ended++
			vacate(&b.vals[s&63])
			if invariants.On {
				coreOf(p).changed()
			}
			return true
		}
	}
	return false
}

// deleteSlow is Delete of the live h where more than a slot changes, or a hook is called.
//
//go:noinline
func deleteSlow[T any](p *Pool[T], h Handle[T]) bool {
	if p.rare == nil && !poison.On {
		vacate(p.Ptr(h))
		look(p).closeEmpty(h.id)
		return true
	}
	return look(p).remove(h.id)
}

// RemoveFunc calls f for each value in slot order, removes the values for which f returns true, and
// returns how many it removed. Rules 1 to 6 of loops hold, with f as the loop's body. A value that
// f itself has removed or replaced is not removed again.
// Cost: a loop over the live values, and [Pool.Delete] for each one removed. If the compiler
// inlines the call, it also inlines f where f is a function literal.
// Ends: the handles of the removed values, and pointers to them.
//
//berth:ends some
func (p *Pool[T]) RemoveFunc(f func(Handle[T], *T) bool) int {
	// This repeats the loop of All, since f would escape to the heap from a range over All.
	return callInt(func() (removed int) {
		end, given := len(p.dir), p.supply != nil
		for k := 0; ; k++ {
			if !p.live.Has(k) {
				k = p.live.Next(k)
			}
			if uint(k) >= uint(end) {
				break
			}
			b := p.dir[k]
			first := p.salt + uint32(k<<6)
			for w := b.occ; w != 0; w = (w & b.occ) & (w - 1) {
				i := bits.TrailingZeros64(w)
				h := Handle[T]{id: id{first + uint32(i), b.gens[i]}}
				if f(h, &b.vals[i]) && p.Delete(h) {
					removed++
				}
				if given && (uint(k) >= uint(len(p.dir)) || p.dir[k] != b) {
					break
				}
			}
		}
		return removed
	})
}

// Clear removes every value. It keeps the memory of the values, so that as many can be inserted
// again without allocating. Under [TruncateMemory], it releases the memory that was already empty
// (clearing an empty Pool does nothing). The memory it keeps is then released gradually if it stays
// empty, two chunks with each chunk that empties later. [Pool.Clip] releases all of it at once.
//
// With OnRemove, Clear removes the values that exist when it begins, in slot order. Values that
// OnRemove inserts stay.
// Cost: O(Len), and O(1) per chunk released or visited; allocates only to cut the directory and,
// the first time with OnRemove, for a list of the handles.
// Ends: all handles and pointers; with a Memory, also spans.
//
//berth:ends emptied
func (p *Pool[T]) Clear() { look(p).clear() }

//go:noinline
func (p *core) clear() {
	if p.n == 0 {
		return
	}
	if p.rare.on().onRemove != nil {
		p.clearHooked()
		return
	}
	if p.truncate == TruncateMemory {
		p.dropSpares(0, math.MaxInt)
	}
	for k := p.live.First(); k >= 0; k = p.live.Next(k + 1) {
		b := p.dir[k]
		if l := p.rare.recorder(); l != nil {
			l.noteAll(b, k, b.occ)
		}
		// Vacant values are zero, so many short runs of small values are cleared as one.
		whole := !poison.On && p.kind.size <= 64 && b.occ|b.free == math.MaxUint64 &&
			bits.OnesCount64(b.occ&^(b.occ<<1)) > 8
		if whole {
			p.kind.clear(valsOf(b), blockSlots)
		}
		for w := b.occ; w != 0 && !whole; {
			i, n := bitset.Run(w)
			w &= bitset.Beyond(i + n)
			p.kind.vacateRun(p.kind.val(b, i), n)
		}
		occ := b.occ
		for w := occ; w != 0; w &= w - 1 {
			i := bits.TrailingZeros64(w) & 63
			if b.gens[i]++; b.gens[i] == p.base {
				p.rarely().retired++
				occ &^= 1 << i
			}
		}
		b.occ = 0
		if occ != 0 {
			p.free(b, k, occ)
		}
		if p.truncate != TruncateNever {
			p.live.Remove(k)
			if c := k >> p.shift; !p.chunkLives(c) {
				p.setSpare(c, true)
				if p.truncate == TruncateMemory {
					p.dropWorn(c)
				}
			}
		}
	}
	p.ended += uint64(p.n)
	p.n = 0
	for _, c := range p.rare.tables() {
		c.cleared()
	}
	p.changed()
}
