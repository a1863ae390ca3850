package arena

import (
	"fmt"
	"iter"
	"math"
	"math/bits"
	"unsafe"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/nocopy"
	"github.com/seed505807e1/berth/internal/origin"
	"github.com/seed505807e1/berth/internal/plain"
)

// HandlesConfig tunes [NewHandles]. Its zero value is the default.
type HandlesConfig struct {
	// Seed determines the first generation of the slots. Two Handles with the same Seed and the
	// same calls give out the same handles on every machine. Handles of different seeds differ in
	// generation, so a handle of one finds nothing in another until its slot there has been reused
	// many times: with n of them seeded 1 to n, about 2^15/3n times for Handle32 and 2^31/3n times
	// for Handle64. Only the low 31 bits count. 0 takes the next seed of the process, counting from
	// 3<<30.
	Seed uint32
}

// handleBlock is 64 slots of a Handles.
type handleBlock[T any, H HandleOf[T]] struct {
	occ  uint64        // a bit per live slot
	meta [blockSlots]H // see invariants 1 to 3
	vals [blockSlots]T
}

// Handles is a slot map in an [Arena]: it holds values in slots, and refers to them by handle. A
// handle contains the generation of its slot, so a handle to a removed value finds nothing, even
// after the slot is reused. With [Handle32], a Handles holds at most 65 535 values, and a slot is
// retired after 2^15 values in succession. [Handle64] raises these limits to about 2^32 and 2^31.
//
// Slots lie in blocks of 64, which never move. A pointer is valid until its value is removed or
// its memory is rewound. A Handles whose memory has been rewound panics when it is used. The slot
// that was vacated last is taken first.
//
// The zero Handles has no arena. It is empty, and Insert fails. A Handles must not be copied.
//
// Loops run in order of slots, and their bodies may insert and remove values. A value that is live
// throughout the loop is visited exactly once. A value removed before its turn is not visited. A
// value inserted during the loop may be visited or not, but never twice, and the loop always ends.
// Leaving a loop by break, return or panic is safe.
type Handles[T any, H HandleOf[T]] struct {
	// Invariants (checkInvariants):
	//  1. meta of a live slot is its handle, and its occ bit is set
	//  2. meta of a vacant slot has the free bit, the index of the next vacant slot, and the
	//     generation of its next handle; the chain from head goes through each vacant slot once
	//  3. meta of a slot that is under construction or retired has index 0, and no free bit
	//  4. a slot that is not live holds the zero T
	//  5. the counts of live, vacant and retired slots are right; slots are those before used
	//  6. live holds the blocks with a live slot

	_    nocopy.NoCopy
	mem  memory
	dir  []*handleBlock[T, H]
	live bitset.Set // of blocks
	head uint32     // index of the vacant slot to take next, 0 for none
	used uint32     // slots that have ever been taken; later ones are new
	n    int
	gone int    // retired slots
	base uint32 // generation of a new slot
	mask uint32 // mask of the index in a handle, precomputed so that Ptr inlines

	pending int // slots under construction
}

// NewHandles returns an empty Handles in a. If a is nil, Insert fails. It panics if T holds Go
// pointers.
//
// Cost: O(1); allocates the Handles on Go's heap, and takes nothing from a.
//
//berth:housed r0 of a
func NewHandles[T any, H HandleOf[T]](a *Arena, c HandlesConfig) *Handles[T, H] {
	mustHold[T](a, "NewHandles")
	r := &Handles[T, H]{mask: maxIndex[H]()}
	top := origin.Seed(c.Seed) * origin.Silver & (1<<31 - 1)
	r.base = top >> (31 - bits.Len32(maxGeneration[H]()))
	r.mem.init(a, r)
	return r
}

// Len returns the number of values.
//
// Cost: O(1).
func (r *Handles[T, H]) Len() int { // inlined
	if r.n == 0 {
		r.mem.check("Handles.Len")
	}
	return r.n
}

// Cap returns the number of values that fit without growth.
//
// Cost: O(1).
func (r *Handles[T, H]) Cap() int {
	r.mem.check("Handles.Cap")
	return min(len(r.dir)*blockSlots, maxSlots[H]()) - r.gone
}

// String returns the type and number of the values, as in "arena.Handles[int](3 of 64 slots)".
//
// Cost: allocates the string.
func (r *Handles[T, H]) String() string {
	r.mem.check("Handles.String")
	return fmt.Sprintf("arena.Handles[%v](%d of %d slots)", plain.TypeFor[T](), r.Len(), r.Cap())
}

// maxSlots is the most slots: one per index, less a block, so that no slot has index 0.
func maxSlots[H word]() int {
	return int(min(uint64(maxIndex[H]()), 1<<32-blockSlots, math.MaxInt))
}

// Ptr returns a pointer to the value of h, or nil if h is stale or zero. The pointer is valid until
// that value is removed.
//
// Cost: O(1).
//
//berth:asks h
//berth:lends r0 by h
func (r *Handles[T, H]) Ptr(h H) *T {
	i := uint32(h)&r.mask - 1
	if k := int(i / blockSlots); k < len(r.dir) {
		if b := r.dir[k]; b.meta[i&blockMask] == h {
			return &b.vals[i&blockMask]
		}
	}
	r.mem.check("Handles.Ptr")
	return nil
}

// Get returns a copy of the value of h. It reports false if h is stale or zero.
//
// Cost: O(1) and the copy.
//
//berth:asks h
//berth:copies r0
func (r *Handles[T, H]) Get(h H) (v T, ok bool) {
	i := uint32(h)&r.mask - 1
	if k := int(i / blockSlots); k < len(r.dir) {
		if b := r.dir[k]; b.meta[i&blockMask] == h {
			return b.vals[i&blockMask], true
		}
	}
	r.mem.check("Handles.Get")
	return v, false
}

// Contains reports whether h refers to a value.
//
// Cost: O(1).
//
//berth:asks h
func (r *Handles[T, H]) Contains(h H) bool { return r.Ptr(h) != nil }

// Insert stores v in a slot and returns its handle. Like [berth.Pool.TryInsert], it returns an
// error: [ErrFull] if all indices are in use or retired, and [ErrNoSpace] if the arena has no room.
// Nothing changes then.
//
// Cost: O(1); takes blocks of the arena when no slot is vacant.
//
//berth:issues r0
//berth:must r1
func (r *Handles[T, H]) Insert(v T) (H, error) {
	if r.head == 0 {
		return r.insertNew(v)
	}
	i := r.head - 1
	b := r.dir[i/blockSlots]
	i &= blockMask
	m := b.meta[i]
	h := makeHandle[H](r.head, false, generationOf(m))
	b.vals[i] = v
	b.meta[i] = h
	if b.occ == 0 {
		r.live.Add(int((r.head - 1) / blockSlots))
	}
	b.occ |= 1 << i
	r.head = indexOf(m)
	r.n++
	if invariants.On {
		r.changed()
	}
	return h, nil
}

// insertNew is Insert for a slot that has never been taken.
func (r *Handles[T, H]) insertNew(v T) (H, error) {
	h, b, err := r.take()
	if err != nil {
		return 0, err
	}
	b.vals[(indexOf(h)-1)&blockMask] = v
	r.occupy(b, h)
	return h, nil
}

// InsertFunc takes a slot, calls f to build the value in place, and returns its handle. It passes f
// the future handle and a pointer to a zero T. Until f returns, the handle finds nothing and loops
// skip the value. If no slot is available, f is not called, and InsertFunc fails like
// [Handles.Insert].
//
// f may call any method of r except UnmarshalBinary. If f panics, the slot is vacant again, and the
// handle passed to f remains stale.
//
// Cost: as Insert.
//
//berth:issues r0
//berth:must r1
func (r *Handles[T, H]) InsertFunc(f func(H, *T)) (H, error) {
	h, b, err := r.take()
	if err != nil {
		return 0, err
	}
	i := (indexOf(h) - 1) & blockMask
	b.meta[i] = makeHandle[H](0, false, generationOf(h))
	r.pending++
	done := false
	defer func() {
		if done {
			return
		}
		r.pending--
		if !r.mem.l.dead {
			var zero T
			b.vals[i] = zero
			r.vacate(b, h)
		}
	}()
	f(h, &b.vals[i])
	r.mem.check("Handles.InsertFunc")
	done = true
	r.pending--
	r.occupy(b, h)
	return h, nil
}

// take takes a slot that is not live: the one vacated last, or a new one. It returns the handle of
// its future value.
func (r *Handles[T, H]) take() (H, *handleBlock[T, H], error) {
	if r.head != 0 {
		i := r.head - 1
		b := r.dir[i/blockSlots]
		m := b.meta[i&blockMask]
		h := makeHandle[H](r.head, false, generationOf(m))
		r.head = indexOf(m)
		return h, b, nil
	}
	if int(r.used) >= maxSlots[H]() {
		return 0, nil, ErrFull
	}
	k := int(r.used / blockSlots)
	if k == len(r.dir) && r.mem.stuck() {
		return 0, nil, ErrNoSpace
	}
	r.used++
	return makeHandle[H](r.used, false, r.base), r.dir[k], nil
}

// occupy makes the slot of h, in b, live.
func (r *Handles[T, H]) occupy(b *handleBlock[T, H], h H) {
	i := indexOf(h) - 1
	b.meta[i&blockMask] = h
	if b.occ == 0 {
		r.live.Add(int(i / blockSlots))
	}
	b.occ |= 1 << (i & blockMask)
	r.n++
	if invariants.On {
		r.changed()
	}
}

// vacate makes the slot of h, in b, vacant or retires it. The slot is not live, and its value is
// zero.
func (r *Handles[T, H]) vacate(b *handleBlock[T, H], h H) {
	g := (generationOf(h) + 1) & maxGeneration[H]()
	index := indexOf(h)
	if g == r.base {
		b.meta[(index-1)&blockMask] = 0
		r.gone++
		return
	}
	b.meta[(index-1)&blockMask] = makeHandle[H](r.head, true, g)
	r.head = index
}

// Delete removes the value of h. It reports false if h is stale or zero, and then leaves any
// newer value in the slot alone.
//
// Cost: O(1).
//
// Ends: h and its copies, and pointers to this value.
//
//berth:asks h
//berth:ends by h
func (r *Handles[T, H]) Delete(h H) bool {
	v := r.Ptr(h)
	if v == nil {
		return false
	}
	var zero T
	*v = zero
	i := indexOf(h) - 1
	b := r.dir[i/blockSlots]
	if b.occ &^= 1 << (i & blockMask); b.occ == 0 {
		r.live.Remove(int(i / blockSlots))
	}
	r.n--
	r.vacate(b, h)
	if invariants.On {
		r.changed()
	}
	return true
}

// Grow makes room for n more values. It reports false, and changes nothing, if the arena has no
// room for all of them or too few indices are left. It panics if n is negative.
//
// Cost: O(n/64).
func (r *Handles[T, H]) Grow(n int) bool {
	if n < 0 {
		panic("arena: Handles.Grow: negative count")
	}
	r.mem.check("Handles.Grow")
	if n > maxSlots[H]()-r.gone-r.n-r.pending {
		return false
	}
	n -= r.Cap() - r.n - r.pending
	return n <= 0 || r.addBlocks((n-1)/blockSlots+1)
}

// Clear removes all values. Slots are then taken from the lowest on. Unlike other containers, a
// Handles whose memory has been rewound panics in Clear too: its generations are lost with the
// memory, so old handles could refer to new values.
//
// Cost: O(slots).
//
// Ends: all handles, for good, and all pointers to values.
//
//berth:ends emptied
func (r *Handles[T, H]) Clear() {
	r.mem.check("Handles.Clear")
	r.head = 0
	for i := int(r.used) - 1; i >= 0; i-- {
		b := r.dir[i/blockSlots]
		bit := uint64(1) << (i & blockMask)
		switch m := b.meta[i&blockMask]; {
		case b.occ&bit != 0:
			var zero T
			b.vals[i&blockMask] = zero
			b.occ &^= bit
			r.vacate(b, m)
		case isFree(m):
			b.meta[i&blockMask] = makeHandle[H](r.head, true, generationOf(m))
			r.head = uint32(i) + 1
		}
	}
	r.live.Clear()
	r.n = 0
	r.changed()
}

// All returns an iterator over handles and pointers to the values, in order of slots. See [Handles]
// for the rules.
//
// Cost: O(Len); never allocates.
//
//berth:issues y0
//berth:lends y1 by y0
func (r *Handles[T, H]) All() iter.Seq2[H, *T] {
	return func(yield func(H, *T) bool) {
		r.mem.check("Handles.All")
		l, lost, last := r.mem.l, r.mem.lost(), len(r.dir)
		for k := r.live.First(); k >= 0 && k < last; k = r.live.Next(k + 1) {
			b := r.dir[k]
			for w := b.occ; w != 0; w &= (w - 1) & b.occ {
				i := bits.TrailingZeros64(w) & blockMask
				if !yield(b.meta[i], &b.vals[i]) {
					return
				}
				l.checkSince(lost, "Handles.All")
			}
		}
	}
}

func (r *Handles[T, H]) more() bool {
	r.mem.check("Handles.Insert")
	left := (maxSlots[H]()-1)/blockSlots + 1 - len(r.dir)
	return r.addBlocks(min(runOf(len(r.dir)), left)) || r.addBlocks(1)
}

func (r *Handles[T, H]) evict() {
	r.dir, r.live = nil, bitset.Set{} // for good
	r.head, r.used, r.n, r.gone = 0, 0, 0, 0
}

// Values returns an iterator over pointers to the values, in order of slots. It is faster than All.
// See [Handles] for the rules.
//
// Cost: O(Len); never allocates.
//
//berth:lends y0
func (r *Handles[T, H]) Values() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		r.mem.check("Handles.Values")
		l, lost, last := r.mem.l, r.mem.lost(), len(r.dir)
		for k := r.live.First(); k >= 0 && k < last; k = r.live.Next(k + 1) {
			b := r.dir[k]
			for w := b.occ; w != 0; w &= (w - 1) & b.occ {
				if !yield(&b.vals[bits.TrailingZeros64(w)&blockMask]) {
					return
				}
				l.checkSince(lost, "Handles.Values")
			}
		}
	}
}

// Spans returns an iterator over slices of up to 64 adjacent values, each with the handle of its
// first value. [Handles.At] returns the handles of the others, whose indices follow. It is the
// fastest loop, because there is no check inside a span. A value removed from a span while the body
// holds it reads as the zero T. Otherwise the rules of [Handles] apply.
//
// Cost: O(Len/64), and O(1) per span; never allocates.
//
//berth:issues y0
//berth:lends y1
func (r *Handles[T, H]) Spans() iter.Seq2[H, []T] {
	return func(yield func(H, []T) bool) {
		r.mem.check("Handles.Spans")
		l, lost, last := r.mem.l, r.mem.lost(), len(r.dir)
		for k := r.live.First(); k >= 0 && k < last; k = r.live.Next(k + 1) {
			b := r.dir[k]
			for w := b.occ; w != 0; w &= b.occ {
				i, n := bitset.Run(w)
				w &= bitset.Beyond(i + n)
				if !yield(b.meta[i], b.vals[i:i+n:i+n]) {
					return
				}
				l.checkSince(lost, "Handles.Spans")
			}
		}
	}
}

// Span returns the first run of adjacent live values at an index or after it, of up to 64, and the
// index from which to go on. It returns nil and 0 if there is none. See [berth.Pool.Span] for the
// loop, and [Handles.At] for the handles.
//
// Cost: O(1), and a word for each 64 vacant blocks in between; never allocates.
//
//berth:lends r0
func (r *Handles[T, H]) Span(index int) (span []T, next int) {
	r.mem.check("Handles.Span")
	s := max(index-1, 0)
	k, w := s>>6, bitset.Beyond(s&blockMask)
	for uint(k) < uint(len(r.dir)) {
		b := r.dir[k]
		if w &= b.occ; w != 0 {
			i, n := bitset.Run(w)
			return b.vals[i : i+n : i+n], k<<6 + i + n + 1
		}
		k, w = r.live.Next(k+1), bitset.Beyond(0)
	}
	return nil, 0
}

// At returns the handle with the given index and a pointer to its value, or the zero handle and nil
// if none is live. Element i of a span that begins with h has the index h.Index()+i.
//
// Cost: O(1); never allocates.
//
//berth:issues r0
//berth:lends r1 by r0
func (r *Handles[T, H]) At(index uint32) (h H, v *T) {
	s := int64(index) - 1
	if k := s / blockSlots; s >= 0 && k < int64(len(r.dir)) {
		if b := r.dir[k]; b.occ>>(s&blockMask)&1 != 0 {
			return b.meta[s&blockMask], &b.vals[s&blockMask]
		}
	}
	r.mem.check("Handles.At")
	return 0, nil
}

// Stats returns the slot counts. Vacant counts the slots in memory that can be taken, including new
// ones.
//
// Cost: O(1); never allocates.
func (r *Handles[T, H]) Stats() berth.Stats {
	r.mem.check("Handles.Stats")
	bytes, _ := bytesFor[handleBlock[T, H]](len(r.dir))
	return berth.Stats{
		Live: r.n, Vacant: r.Cap() - r.n - r.pending, Retired: r.gone, Chunks: len(r.dir),
		Bytes: bytes + cap(r.dir)*int(unsafe.Sizeof(r.dir[0])) + r.live.Bytes(),
	}
}

// addBlocks takes n more blocks of the arena. It reports false if the arena lacks room for all.
func (r *Handles[T, H]) addBlocks(n int) bool {
	s, ok := allocate[handleBlock[T, H]](&r.mem, n)
	if !ok {
		return false
	}
	r.live.Resize(len(r.dir) + n)
	for i := range s {
		r.dir = append(r.dir, &s[i])
	}
	return true
}

// changed checks the invariants after a change if the tag berth_invariants is set.
func (r *Handles[T, H]) changed() {
	if invariants.On && checkNow(r.n) {
		r.checkInvariants()
	}
}

// checkInvariants panics with the number of the invariant that r breaks, if any.
func (r *Handles[T, H]) checkInvariants() {
	live, free, none := 0, 0, 0
	for k, b := range r.dir {
		for i, m := range b.meta {
			index := uint32(k*blockSlots + i + 1)
			isLive := b.occ>>i&1 != 0
			switch {
			case isLive && (isFree(m) || indexOf(m) != index || index > r.used):
				fail("Handles", 1, "live slot %d has %x", index, uint64(m))
			case isLive:
				live++
			case isFree(m):
				free++
			case indexOf(m) != 0 || index > r.used && m != 0:
				fail("Handles", 3, "slot %d has %x", index, uint64(m))
			case index <= r.used:
				none++
			}
			if !isLive && r.pending == 0 && !invariants.IsZero(&b.vals[i]) {
				fail("Handles", 4, "slot %d is not live, and not zero", index)
			}
		}
		if r.live.Has(k) != (b.occ != 0) {
			fail("Handles", 6, "block %d with values %064b: live %t", k, b.occ, r.live.Has(k))
		}
	}
	chain := 0
	for i := r.head; i != 0; chain++ {
		m := r.dir[(i-1)/blockSlots].meta[(i-1)&blockMask]
		if !isFree(m) || chain == free {
			fail("Handles", 2, "slot %d, number %d in the free list, has %x", i, chain, uint64(m))
		}
		i = indexOf(m)
	}
	if live != r.n || chain != free || none != r.gone+r.pending {
		fail("Handles", 5, "live %d, noted %d; vacant %d, listed %d; neither %d, noted %d",
			live, r.n, free, chain, none, r.gone+r.pending)
	}
}
