package berth

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/inline"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/nocopy"
	"github.com/seed505807e1/berth/internal/poison"
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
// Tests find such a write with the build tag berth_poison: the slot is filled with the byte 0xDB
// (what holds Go pointers is nil), and when it is used again, or its memory given back, and it was
// written to, the Pool panics with the handle whose value it was.
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
//     out: a value removed while you are in it reads as the zero T there (or as poison, with the
//     tag berth_poison), or as the value that has been inserted into its slot since; nothing
//     inserted elsewhere gets into it.
//
// A loop allocates nothing where the compiler inlines its iterator, which it does for each range
// loop over a Pool, and each call of RemoveFunc, in a function of usual size. It does not in two
// cases. A loop through an interface, such as [View], makes 3 small objects, and All of an [Others]
// behind one makes 6. In a function of more than 5000 nodes of syntax, a loop makes 3, and Traverse
// one more for each value; RemoveFunc makes the function that it is given, and each variable that
// this one changes. Each and a range over Slice of a [Dense] allocate nothing in any function.
//
// The rules hold with a [Memory] too, but for spans: Clip and Clear inside a loop end them.
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
//  3. every vacant and retired slot holds the zero T, or with the tag berth_poison, poison
//  4. room holds exactly the blocks with a vacant slot
//  5. live holds exactly the blocks with a live slot (TruncateNever: those that ever had one)
//  6. dir is nil exactly for the blocks of chunks without memory, and gone holds those of them
//     that can come back; spare holds the chunks in memory that live has no block of; with a
//     Memory, supply has the piece that each chunk in memory lies in, and no other
//  7. the counts agree with what they count
//  8. tail is even, and not so high that it would wear out what comes after; base is even
type Pool[T any] struct {
	_ nocopy.NoCopy

	dir   []*block[T]
	salt  uint32 // index of slot 0
	base  uint32 // even; generation of a slot that has never been used
	n     int    // live values
	quick int    // max; or 0 while a call must do more than fill or empty a slot

	room        bitset.Queue // of blocks
	live        bitset.Set   // of blocks
	spare, gone bitset.Set   // of chunks
	floors      []uint32     // per chunk: how far beyond base its slots start next time; or usedUp
	tail        uint32       // the floor of the chunks behind len(floors)

	shift    uint8 // chunks have 1<<shift blocks
	truncate Truncate
	hooked   bool     // quick is 0
	max      int      // Limit, less the slots under construction; 0 before init
	reserve  int      // slots that stay in memory
	chunks   int      // in memory
	spares   int      // members of spare
	supply   *supply  // nil on Go's heap
	rare     *rare[T] // nil in most pools
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
	p.supply = newSupply(c.Memory)
	p.setMax(c.Limit)
	if c.Limit == 0 {
		p.setMax(math.MaxInt)
	}
}

// setMax sets max, and with it quick.
func (p *Pool[T]) setMax(n int) {
	p.max, p.quick = n, n
	if p.hooked {
		p.quick = 0
	}
}

// Len returns the number of live values.
// Cost: O(1).
func (p *Pool[T]) Len() int { return p.n }

// Cap returns the number of values that p can hold in the slots in memory: inserts up to there
// allocate nothing. It is at most Limit.
// Cost: O(1).
func (p *Pool[T]) Cap() int { return min(p.places(), p.max+len(p.rare.building())) }

// String returns the type of the values and how many there are, as in
// "berth.Pool[int](3 of 64 slots)".
// Cost: allocates the string.
func (p *Pool[T]) String() string {
	return fmt.Sprintf("berth.Pool[%v](%d of %d slots)", reflect.TypeFor[T](), p.Len(), p.Cap())
}

// places returns the number of slots in memory that are not used up.
func (p *Pool[T]) places() int {
	retired, _ := p.rare.worn()
	return p.chunks<<p.shift*blockSlots - retired
}

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
// element i. i may be negative. The result is the zero Handle if no live value lies there. Of first
// it takes the place alone, stale or not, so it is no test of first.
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

// IndexOf returns the number of the slot that h's value lives in, for data of your own that lies in
// a slice beside p; -1 if h is stale, zero or foreign. Numbers begin at 0, and the lowest vacant
// one is given out first, so the slice is as long as the most values that ever lived at a time, or
// hardly longer. The next value of the slot gets the number again: set your data when you insert.
// OnInsert may ask for the number, and OnRemove gets -1, since the handle is stale by then.
// Cost: O(1); never allocates.
func (p *Pool[T]) IndexOf(h Handle[T]) int {
	if p.Ptr(h) == nil {
		return -1
	}
	return int(h.index - p.salt)
}

// Insert puts v into the lowest vacant slot and returns its handle; the zero Handle if p is full,
// or Config.Memory refuses a chunk, which [Pool.TryInsert] tells by an error.
// Cost: O(1); allocates a chunk when no slot in memory is vacant.
func (p *Pool[T]) Insert(v T) Handle[T] { return inline.Call(p.inserting(v)) }

// inserting is Insert, to be inlined. It fills a slot of a block that has other values and more
// room, or else the next block with room is known. All else is for insertSlow. newing, and both of
// Dense, have the same lines: shared, they take a third as long again.
func (p *Pool[T]) inserting(v T) func() Handle[T] {
	return func() Handle[T] {
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
					p.changed()
				}
				return Handle[T]{index: p.salt + uint32(k<<6+i), gen: g}
			}
		}
		return p.insertSlow(v)
	}
}

// insertSlow is Insert where more than a slot changes, or a hook is to be called.
func (p *Pool[T]) insertSlow(v T) Handle[T] {
	h, x := p.open()
	if x != nil {
		*x = v
		p.inserted(h)
	}
	return h
}

// New makes the lowest vacant slot live, and returns its handle and a pointer to its zero T, to be
// filled in place; the zero Handle and nil if p is full, or Config.Memory refuses a chunk. Unlike
// with [Pool.InsertFunc], the value is live at once, and OnInsert, if there is one, sees the zero
// T. If that removes the value, the handle is stale, and the pointer nil.
// Cost: O(1), and less than Insert for large values; allocates as Insert.
func (p *Pool[T]) New() (Handle[T], *T) { return inline.Call2(p.newing()) }

// newing is New, to be inlined.
func (p *Pool[T]) newing() func() (Handle[T], *T) {
	return func() (Handle[T], *T) {
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
					p.changed()
				}
				return Handle[T]{index: p.salt + uint32(k<<6+i), gen: g}, &b.vals[i]
			}
		}
		return p.newSlow()
	}
}

// newSlow is New where more than a slot changes, or a hook is to be called.
func (p *Pool[T]) newSlow() (Handle[T], *T) {
	h, x := p.open()
	if x == nil || !p.hooked {
		return h, x
	}
	p.inserted(h)
	return h, p.Ptr(h)
}

// open makes the lowest vacant slot live, whatever it takes. It returns a nil pointer if it cannot.
func (p *Pool[T]) open() (Handle[T], *T) {
	if (p.room.Low >= len(p.dir) || p.n >= p.max) && !p.makeRoom() {
		return Handle[T]{}, nil
	}
	k := p.room.Low
	b, i := p.take(k)
	b.occupy(i)
	if !p.live.Has(k) {
		p.opened(k)
	}
	p.n++
	p.changed()
	return p.handle(b, k, i), &b.vals[i]
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

// Remove removes the value that h names and returns it.
// It reports false, and changes nothing, if h is stale, zero or foreign.
// Cost: amortised O(1). The slot is zeroed, so what the value pointed to can be collected. The last
// value of a chunk takes its memory along ([TruncateMemory], without a Memory), two chunks at a
// time at most. It allocates nothing, but for a pool that has shrunk to a fraction: that cuts its
// directory, and makes one chunk at the front if its last values live far behind.
// Ends: h and every copy of it, and pointers to this value; no others.
func (p *Pool[T]) Remove(h Handle[T]) (v T, ok bool) {
	s := h.index - p.salt
	if k := int(s >> 6); k < len(p.dir) {
		if b := p.dir[k]; b != nil && b.gens[s&63] == h.gen && h.gen&1 != 0 {
			free, bit := b.free, uint64(1)<<(s&63)
			if b.occ == bit || h.gen+1 == p.base || p.quick == 0 ||
				free == 0 && !p.room.AddLow(k) {
				return p.removeSlow(h)
			}
			b.free, b.occ = free|bit, b.occ^bit
			b.gens[s&63] = h.gen + 1
			p.n--
			v = b.vals[s&63]
			vacate(&b.vals[s&63])
			if invariants.On {
				p.changed()
			}
			return v, true
		}
	}
	return v, false
}

// removeSlow is Remove where more than a slot changes, or a hook is to be called. h is live.
func (p *Pool[T]) removeSlow(h Handle[T]) (v T, ok bool) {
	v = *p.Ptr(h)
	p.close(h)
	p.removed(h, &v)
	return v, true
}

// Delete is [Pool.Remove] without the value: it reports whether there was one.
// Cost: as Remove, without the copy.
// Ends: as Remove.
func (p *Pool[T]) Delete(h Handle[T]) bool {
	s := h.index - p.salt
	if k := int(s >> 6); k < len(p.dir) {
		if b := p.dir[k]; b != nil && b.gens[s&63] == h.gen && h.gen&1 != 0 {
			free, bit := b.free, uint64(1)<<(s&63)
			if b.occ == bit || h.gen+1 == p.base || p.quick == 0 ||
				free == 0 && !p.room.AddLow(k) {
				return p.deleteSlow(h)
			}
			b.free, b.occ = free|bit, b.occ^bit
			b.gens[s&63] = h.gen + 1
			p.n--
			vacate(&b.vals[s&63])
			if invariants.On {
				p.changed()
			}
			return true
		}
	}
	return false
}

// deleteSlow is removeSlow, with a copy only for a hook.
func (p *Pool[T]) deleteSlow(h Handle[T]) bool {
	if p.rare.on().OnRemove != nil {
		p.removeSlow(h)
	} else {
		p.close(h)
	}
	return true
}

// close vacates the slot of h, which is live, whatever it takes.
func (p *Pool[T]) close(h Handle[T]) {
	b, s := p.find(h)
	k, i := int(s>>6), int(s&63)
	b.release(i)
	p.n--
	if b.gens[i] == p.base {
		p.rarely().retired++
	} else {
		p.free(b, k, 1<<i)
	}
	if b.occ == 0 {
		p.emptied(k)
	}
	p.changed()
}

// RemoveFunc calls f for each value in slot order, and removes those for which it is true. It
// returns how many it removed. Rules 1 to 6 of loops hold for it, f being the loop's body: a
// value that f has removed by itself, or replaced, is not removed again.
// Cost: a loop over the live values, and [Pool.Delete] for each that goes. If the compiler
// inlines the call, it inlines a function literal f too.
// Ends: the handles of what it removes, and pointers to them.
func (p *Pool[T]) RemoveFunc(f func(Handle[T], *T) bool) int { return inline.Call(p.removing(f)) }

// removing is RemoveFunc, to be inlined.
func (p *Pool[T]) removing(f func(Handle[T], *T) bool) func() int {
	return func() (removed int) {
		for h, v := range p.All() {
			if f(h, v) && p.Delete(h) {
				removed++
			}
		}
		return removed
	}
}

// Clear removes every value and keeps the memory that they were in, so that as many can be
// inserted again without allocating. Under [TruncateMemory], memory that was empty already goes
// back (unless all of it was: to clear an empty Pool does nothing), and so does, by and by, what
// stays empty: two chunks with each chunk that empties later. [Pool.Clip] gives back all of it at
// once.
//
// With OnRemove, it removes the values that there are, in the order of the slots. What OnRemove
// inserts stays.
// Cost: O(Len), and O(1) per chunk given back or walked; allocates only to cut the directory, and
// with OnRemove, the first time, a list of the handles.
// Ends: all handles and pointers; with a Memory, also spans.
func (p *Pool[T]) Clear() {
	if p.n == 0 {
		return
	}
	if p.rare.on().OnRemove != nil {
		p.clearHooked()
		return
	}
	if p.truncate == TruncateMemory {
		p.dropSpares(0, math.MaxInt)
	}
	for k := p.live.First(); k >= 0; k = p.live.Next(k + 1) {
		b := p.dir[k]
		for w := b.occ; w != 0; w &= w - 1 {
			i := bits.TrailingZeros64(w)
			b.release(i)
			if b.gens[i] == p.base {
				p.rarely().retired++
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

// take takes the lowest vacant slot of block k, which is room.Low: it is under construction then.
func (p *Pool[T]) take(k int) (*block[T], int) {
	b := p.dir[k]
	i := bits.TrailingZeros64(b.free) & 63
	if poison.On {
		p.reuse(b, k, i)
	}
	if b.free &= b.free - 1; b.free == 0 {
		p.room.Pop()
	}
	return b, i
}

// occupy makes slot i live, which take has taken.
func (b *block[T]) occupy(i int) {
	b.occ |= 1 << (i & 63)
	b.gens[i&63]++
}

// release empties the live slot i. It is neither live nor vacant then.
func (b *block[T]) release(i int) {
	vacate(&b.vals[i&63])
	b.occ &^= 1 << (i & 63)
	b.gens[i&63]++
}

// free makes the slot of bit in b, which is block k, vacant.
func (p *Pool[T]) free(b *block[T], k int, bit uint64) {
	if b.free == 0 {
		p.room.Add(k)
	}
	b.free |= bit
}
