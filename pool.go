package berth

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"slices"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/nocopy"
)

const (
	blockSlots = 64 // one word of occupancy
	maxSlots   = 1 << 32
)

// block is 64 slots. A slot is vacant (its free bit is set), live (its occ bit is set), under
// construction by InsertFunc, or retired.
type block[T any] struct {
	occ, free uint64
	gens      [blockSlots]uint32 // odd while the slot is live
	vals      [blockSlots]T
}

// Pool holds values in slots that never move, and names them by handles. The zero Pool is ready
// to use; [NewPool] only tunes it.
//
// Values live in blocks of 64 slots, and blocks in chunks of one or more, which are the units of
// memory. An insert takes the lowest vacant slot in memory, so the living gather at the front; a
// chunk that empties, wherever it lies, gives its memory back ([TruncateMemory]). What stays
// behind of it is the generation from which its slots go on if they are ever needed again, so a
// stale handle stays stale. A slot has 2^31 lives; then it is retired, and [Stats] counts it.
//
// # Pointers
//
// A *T from a Pool is good until its value is removed: growth, truncation, Clip and the removal
// of other values leave it alone. A pointer kept longer is not a crash but a lost write, or a
// write to the slot's next value: keep handles, and ask for the pointer when you need it.
//
// # Loops
//
// Every iterator holds to these rules, whatever its loop body does to the Pool:
//
//  1. A value that is live throughout the loop is visited exactly once.
//  2. A value removed before its turn is not visited.
//  3. A value inserted inside the loop is visited once or not at all. A loop ends, even if its
//     body inserts at each turn: it passes each place once, and none behind the last one that was
//     in memory when it began.
//  4. Loops nest, in each other and in themselves.
//  5. break, return, a panic and Goexit leave the Pool as usable as if the loop had ended.
//  6. The order is that of the slots, lowest first (Backward: highest first). It depends on the
//     calls made so far and on nothing else.
//  7. Spans, for speed, hands out up to 64 values at once, and a span is fixed when it is handed
//     out: a value removed while you are in it reads as the zero T there, or as the value that
//     has been inserted into its slot since; nothing inserted elsewhere gets into it.
//
// A loop allocates nothing where the compiler inlines its iterator, which it does for each range
// loop over a Pool in a function of usual size. It does not in two cases. A loop through an
// interface, such as [View], makes 3 small objects, and All of an [Others] behind one makes 6. In a
// function of more than 5000 nodes of syntax, a loop makes 3, and Traverse one more for each value.
//
// # Large values
//
// The smallest unit of memory is a block: 64 slots. For values of many kilobytes, or for a few
// values only, a Pool[*T] holds less.
//
// # Use by several goroutines
//
// A Pool is like a map: any number may read while nobody writes. Changing a value through its
// pointer is a write to that value, not to the Pool. A Pool must not be copied; see [Pool.Clone].
//
// Invariants (checkInvariants):
//  1. a slot is live exactly when its generation is odd; its occ bit says the same
//  2. a slot that is neither live nor vacant is under construction, or retired: its generation is
//     base
//  3. every vacant and retired slot holds the zero T
//  4. room holds exactly the blocks with a vacant slot
//  5. live holds exactly the blocks with a live slot (TruncateNever: those that ever had one)
//  6. dir is nil exactly for the blocks of chunks without memory, and gone holds those of them
//     that can come back; spare holds the chunks in memory that live has no block of; with a
//     Memory, supply has the piece that each chunk in memory lies in, and no other
//  7. the counts agree with what they count
//  8. tail is even, and not so high that it would wear out what comes after; base is even
type Pool[T any] struct {
	_ nocopy.Mark

	dir  []*block[T]
	salt uint32 // index of slot 0
	base uint32 // even; generation of a slot that has never been used
	n    int    // live values
	max  int    // Limit, less the slots under construction; 0 before init

	room        bitset.Queue // of blocks
	live        bitset.Set   // of blocks
	spare, gone bitset.Set   // of chunks
	marks       []uint32     // per chunk: how far beyond base its slots start next time; or usedUp
	tail        uint32       // the mark of the chunks behind len(marks)

	shift    uint8 // chunks have 1<<shift blocks
	truncate Truncate
	reserve  int      // slots that stay in memory
	chunks   int      // in memory
	spares   int      // members of spare
	retired  int      // slots in memory that are used up
	lost     int      // slots of chunks that are used up
	pending  []uint32 // slots under construction
	supply   *supply  // nil on Go's heap
}

// NewPool returns a Pool sized by c.
// It panics if c has a negative size, an unknown Truncate, or a Capacity beyond 2^32 slots or 1
// TiB; if c.Memory refuses the Capacity; and if T has Go pointers and c a Memory. The text says
// which, and names the value.
// Cost: allocates c.Capacity slots, rounded up to chunks.
func NewPool[T any](c Config) *Pool[T] {
	c.check("NewPool")
	mustBePlain[T]("NewPool", c.Memory)
	p := new(Pool[T])
	p.init(c)
	attempt(
		func() { p.makeSlots("NewPool", c.Capacity, c.Capacity) },
		func() { p.supply.freeAll() })
	return p
}

// init makes the zero Pool one of Config c.
func (p *Pool[T]) init(c Config) {
	p.salt, p.base = origin(c.Seed)
	p.truncate = c.Truncate
	p.room = bitset.NewQueue()
	p.max = c.Limit
	if p.max == 0 {
		p.max = math.MaxInt
	}
	p.supply = newSupply(c.Memory)
}

// Len returns the number of live values.
// Cost: O(1).
func (p *Pool[T]) Len() int { return p.n }

// Cap returns the number of values that p can hold in the slots in memory: inserts up to there
// allocate nothing. It is at most Limit.
// Cost: O(1).
func (p *Pool[T]) Cap() int { return min(p.places(), p.max+len(p.pending)) }

// String returns the type of the values and how many there are, as in
// "berth.Pool[int](3 of 64 slots)".
// Cost: allocates the string.
func (p *Pool[T]) String() string {
	return fmt.Sprintf("berth.Pool[%v](%d of %d slots)", reflect.TypeFor[T](), p.Len(), p.Cap())
}

// places returns the number of slots in memory that are not used up.
func (p *Pool[T]) places() int { return p.chunks<<p.shift*blockSlots - p.retired }

// find returns the block of h's slot and the slot's number, or nil if h is not live. Ptr and Get
// repeat it word for word: by way of find, they would be too large for the compiler to inline, and
// a Get then costs 2.9 ns in place of 1.9.
func (p *Pool[T]) find(h Handle[T]) (*block[T], uint32) {
	s := h.index - p.salt
	if k := int(s >> 6); k < len(p.dir) {
		if b := p.dir[k]; b != nil && b.gens[s&63] == h.gen && h.gen&1 != 0 {
			return b, s
		}
	}
	return nil, 0
}

// Ptr returns a pointer to the value that h names; nil if h is stale, zero or foreign.
// The pointer is good until that value is removed.
// Cost: O(1), one bounds check; never allocates.
func (p *Pool[T]) Ptr(h Handle[T]) *T {
	s := h.index - p.salt
	if k := int(s >> 6); k < len(p.dir) {
		if b := p.dir[k]; b != nil && b.gens[s&63] == h.gen && h.gen&1 != 0 {
			return &b.vals[s&63]
		}
	}
	return nil
}

// Get returns a copy of the value that h names; it reports false if h is stale, zero or foreign.
// Cost: O(1) and the copy; never allocates.
func (p *Pool[T]) Get(h Handle[T]) (v T, ok bool) {
	s := h.index - p.salt
	if k := int(s >> 6); k < len(p.dir) {
		if b := p.dir[k]; b != nil && b.gens[s&63] == h.gen && h.gen&1 != 0 {
			return b.vals[s&63], true
		}
	}
	return v, false
}

// Contains reports whether h names a live value of p.
// Cost: O(1); never allocates.
func (p *Pool[T]) Contains(h Handle[T]) bool { return p.Ptr(h) != nil }

// HandleAt returns the handle of the value that lies i slots behind first's: in a span, that of
// element i. It is the zero Handle if no live value lies there. Of first it takes the place alone,
// stale or not, so it is no test of first.
// Cost: O(1); never allocates.
func (p *Pool[T]) HandleAt(first Handle[T], i int) Handle[T] {
	s := int64(first.index-p.salt) + int64(i)
	if k := s >> 6; s >= 0 && k < int64(len(p.dir)) {
		if b := p.dir[k]; b != nil && b.occ>>(s&63)&1 != 0 {
			return p.handle(b, int(k), int(s&63))
		}
	}
	return Handle[T]{}
}

// handle names the live slot i of b, which is block k.
func (p *Pool[T]) handle(b *block[T], k, i int) Handle[T] {
	return Handle[T]{index: p.salt + uint32(k<<6+i), gen: b.gens[i&63]}
}

// Insert puts v into the lowest vacant slot and returns its handle; the zero Handle if p is full,
// or Config.Memory refuses a chunk, which [Pool.TryInsert] tells by an error.
// Cost: O(1); allocates a chunk when no slot in memory is vacant.
func (p *Pool[T]) Insert(v T) Handle[T] {
	k := p.room.Low
	if k >= len(p.dir) || p.n >= p.max {
		return p.insertSlowly(v)
	}
	b := p.dir[k]
	i := b.take()
	b.vals[i] = v
	first := b.occ == 0
	b.enter(i)
	p.n++
	h := p.handle(b, k, i)
	if b.free == 0 && !p.room.PopLow() {
		p.room.Pop()
	}
	if first {
		p.opened(k)
	}
	if invariants.On {
		p.changed()
	}
	return h
}

// insertSlowly is Insert where room must be made first, apart from it so that Insert has no
// register to save.
func (p *Pool[T]) insertSlowly(v T) Handle[T] {
	if !p.makeRoom() {
		return Handle[T]{}
	}
	return p.Insert(v)
}

// TryInsert is [Pool.Insert] with the reason: [ErrFull] if p holds Limit values, or if all its
// 2^32 indices are live or retired; or an error that is ErrFull and what Config.Memory has refused
// with.
// Cost: as Insert.
func (p *Pool[T]) TryInsert(v T) (Handle[T], error) {
	if h := p.Insert(v); !h.IsZero() {
		return h, nil
	}
	return Handle[T]{}, p.full()
}

// full returns why an insert was just refused.
func (p *Pool[T]) full() error {
	if p.n >= p.max {
		return ErrFull
	}
	return p.supply.why()
}

// InsertFunc takes a slot, lets f build the value in place, and returns its handle. f gets a
// pointer to a zero T and the handle that the value is going to have; until f returns, that
// handle finds nothing, and loops pass the value over. If p is full, or
// Config.Memory refuses a chunk, f is not called, and the zero Handle returned.
//
// f may use p in any way: what it inserts gets other slots, and neither Clear nor Clip takes the
// slot away. If f panics, the slot is vacant again, and the handle that f was given stays stale.
// Cost: O(1) and f: without f about three times Insert, since a panic in f is undone. It allocates
// where Insert would, and a longer list where more than four calls are nested.
func (p *Pool[T]) InsertFunc(f func(Handle[T], *T)) Handle[T] {
	if (p.room.Low >= len(p.dir) || p.n >= p.max) && !p.makeRoom() {
		return Handle[T]{}
	}
	k := p.room.Low
	b := p.dir[k]
	i := b.take()
	if b.free == 0 {
		p.room.Pop()
	}
	h := Handle[T]{index: p.salt + uint32(k<<6+i), gen: b.gens[i] + 1}
	p.build(b, k, i, func() { f(h, &b.vals[i]) })
	b.enter(i)
	if !p.live.Has(k) {
		p.opened(k)
	}
	p.n++
	p.changed()
	return h
}

// build runs f while slot i of b counts as under construction, and takes the slot back if f
// fails.
func (p *Pool[T]) build(b *block[T], k, i int, f func()) {
	p.pending = append(p.pending, uint32(k<<6+i))
	p.max--
	done := false
	defer func() {
		at := len(p.pending) - 1 // the last one, unless coroutines are interleaved
		for p.pending[at] != uint32(k<<6+i) {
			at--
		}
		p.pending = slices.Delete(p.pending, at, at+1)
		p.max++
		if !done {
			p.abandon(b, k, i)
		}
	}()
	f()
	done = true
}

// Remove removes the value that h names and returns it.
// It reports false, and changes nothing, if h is stale, zero or foreign.
// Cost: amortised O(1). The slot is zeroed, so what the value pointed to can be collected. The last
// value of a chunk takes its memory along ([TruncateMemory]), two chunks at a time at most. It
// allocates nothing, but for a pool that has shrunk to a fraction: that cuts its directory, and
// makes one chunk at the front if its last values live far behind.
// Ends: h and every copy of it, and pointers to this value; no others.
func (p *Pool[T]) Remove(h Handle[T]) (v T, ok bool) {
	b, s := p.find(h)
	if b == nil {
		return v, false
	}
	k, i := int(s>>6), int(s&63)
	v = b.vals[i]
	b.leave(i)
	p.n--
	if h.gen+1 == p.base {
		p.retired++
	} else {
		if b.free == 0 && !p.room.AddLow(k) {
			p.room.Add(k)
		}
		b.free |= 1 << i
	}
	if b.occ == 0 {
		p.emptied(k)
	}
	if invariants.On {
		p.changed()
	}
	return v, true
}

// RemoveFunc calls f for each value in slot order, and removes those for which it is true. It
// returns how many it removed. Rules 1 to 6 of loops hold for it, f being the loop's body: a
// value that f has removed by itself, or replaced, is not removed again.
// Cost: a loop over the live values, and Remove for each that goes.
// Ends: the handles of what it removes, and pointers to them.
func (p *Pool[T]) RemoveFunc(f func(Handle[T], *T) bool) int {
	removed := 0
	for h, v := range p.All() {
		if f(h, v) {
			if _, ok := p.Remove(h); ok {
				removed++
			}
		}
	}
	return removed
}

// Clear removes every value and keeps the memory that they were in, so that as many can be
// inserted again without allocating. Under [TruncateMemory], memory that was empty already goes
// back (unless all of it was: to clear an empty Pool does nothing), and so does, by and by, what
// stays empty: two chunks with each chunk that empties later. [Pool.Clip] gives back all of it at
// once.
// Cost: O(Len), and O(1) per chunk given back or walked; allocates only to cut the directory.
// Ends: all handles and pointers.
func (p *Pool[T]) Clear() {
	if p.n == 0 {
		return
	}
	if p.truncate == TruncateMemory {
		p.dropSpares(0, math.MaxInt)
	}
	for k := p.live.First(); k >= 0; k = p.live.Next(k + 1) {
		b := p.dir[k]
		for w := b.occ; w != 0; w &= w - 1 {
			i := bits.TrailingZeros64(w)
			b.leave(i)
			if b.gens[i] == p.base {
				p.retired++
			} else {
				p.free(b, k, 1<<i)
			}
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
	p.n = 0
	p.changed()
}

// take takes the lowest vacant slot of b, of which there is one: it is under construction then.
func (b *block[T]) take() int {
	i := bits.TrailingZeros64(b.free) & 63
	b.free &= b.free - 1
	return i
}

// enter makes slot i live, which take has taken.
func (b *block[T]) enter(i int) {
	b.occ |= 1 << (i & 63)
	b.gens[i&63]++
}

// leave empties the live slot i. It is neither live nor vacant then.
func (b *block[T]) leave(i int) {
	var zero T
	b.vals[i&63] = zero
	b.occ &^= 1 << (i & 63)
	b.gens[i&63]++
}

// abandon ends the construction in slot i of b without a value. The handle that f was given may be
// kept somewhere, so its generation is used up.
func (p *Pool[T]) abandon(b *block[T], k, i int) {
	var zero T
	b.vals[i] = zero
	if b.gens[i] += 2; b.gens[i] == p.base {
		p.retired++
		return
	}
	p.free(b, k, 1<<i)
}

// free makes the slot of bit in b, which is block k, vacant.
func (p *Pool[T]) free(b *block[T], k int, bit uint64) {
	if b.free == 0 {
		p.room.Add(k)
	}
	b.free |= bit
}
