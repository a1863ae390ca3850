package berth

import (
	"math/bits"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/nocopy"
	"github.com/seed505807e1/berth/internal/poison"
	"github.com/seed505807e1/berth/internal/slots"
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
// over a Pool in a function of usual size. There are two exceptions. A loop through an interface,
// such as [View], allocates 3 small objects, and All of an [Others] behind an interface allocates
// 6. In a function of more than 5000 syntax nodes, a loop allocates 3, and Traverse one more for
// each value. RemoveFunc, [Each], and a range over [Dense.Slice] allocate nothing in any function.
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
// [Pool.Clone]. A removal zeroes the value, and so unlocks a sync.Mutex in it. If goroutines hold
// pointers, use a Pool[*T].
type Pool[T any] struct {
	_ nocopy.NoCopy

	// Invariants (checkInvariants):
	//  1. a slot is live exactly when its generation is odd, and exactly when its occ bit is set
	//  2. a slot that is neither live nor vacant is under construction, or retired: its generation
	//     is base, or reserved: it is not
	//  3. every vacant, retired and reserved slot holds the zero T, or with the tag berth_poison,
	//     poison
	//  4. room holds exactly the blocks with a vacant slot
	//  5. live holds exactly the blocks with a live slot (TruncateNever: those that ever had one)
	//  6. dir is nil exactly for the blocks of chunks without memory, and gone holds those of these
	//     chunks that can come back; spare holds those in memory without a block in live or a
	//     reserved slot; with
	//     a Memory, supply has the piece of each chunk in memory, and no other
	//  7. the counts agree with what they count
	//  8. tail and base are even, and tail is at most highFloor

	dir   []*slots.Block[T]
	state slots.State
}

// NewPool returns a Pool configured by c. It panics if c has a negative size, an unknown Truncate,
// or a Capacity beyond 2^32 slots or 1 TiB; if c.Memory refuses the Capacity; or if c has a Memory
// and T has Go pointers. The panic names the rule and the value.
//
// Cost: allocates c.Capacity slots, rounded up to chunks.
func NewPool[T any](c Config) *Pool[T] {
	p := new(Pool[T])
	coreOf(p).Made(c.checked("NewPool"))
	return p
}

// Len returns the number of live values.
//
// Cost: O(1).
func (p *Pool[T]) Len() int { return p.state.N }

// Cap returns the number of values, reserved ones included, that p can hold in its present memory.
// Inserts allocate nothing until Len reaches it. It is at most Limit.
//
// Cost: O(1).
func (p *Pool[T]) Cap() int { return slots.CoreOf(&p.state).Cap() }

// String returns the type of the values and their number, as in "berth.Pool[int](3 of 64 slots)".
//
// Cost: allocates the string.
func (p *Pool[T]) String() string {
	return slots.CoreOf(&p.state).String((*T)(nil))
}

// Ptr returns a pointer to the value of h, or nil if h is stale, zero or foreign. The pointer is
// valid until that value is removed.
//
// Cost: O(1), one bounds check; never allocates.
//
//berth:asks h
//berth:lends r0 by h
func (p *Pool[T]) Ptr(h Handle[T]) *T {
	// Ptr and Get duplicate core.find so that they inline: a Get takes 1.9 ns instead of 2.9. Where
	// T is known, two mentions of p.dir would be slices of different types, and k checked twice.
	s, dir := h.id.Index-p.state.Salt, p.dir
	if k := int(s >> 6); k < len(dir) {
		if b := dir[k]; b != nil && b.Gens[s&63] == h.id.Gen && h.id.Gen&1 != 0 {
			return &b.Vals[s&63]
		}
	}
	return nil
}

// Get returns a copy of the value of h. It reports false if h is stale, zero or foreign.
//
// Cost: O(1) and the copy; never allocates.
//
//berth:asks h
//berth:copies r0
func (p *Pool[T]) Get(h Handle[T]) (v T, ok bool) {
	s, dir := h.id.Index-p.state.Salt, p.dir
	if k := int(s >> 6); k < len(dir) {
		if b := dir[k]; b != nil && b.Gens[s&63] == h.id.Gen && h.id.Gen&1 != 0 {
			return b.Vals[s&63], true
		}
	}
	return v, false
}

// Contains reports whether h refers to a live value of p.
//
// Cost: O(1); never allocates.
//
//berth:asks h
func (p *Pool[T]) Contains(h Handle[T]) bool { return p.Ptr(h) != nil }

// At returns the handle of the value in a slot and a pointer to it, or the zero Handle and nil if
// no value lives there. It is the inverse of [Pool.IndexOf], so it takes its -1 too.
//
// Cost: O(1); never allocates.
//
//berth:issues r0
//berth:lends r1 by r0
func (p *Pool[T]) At(slot int) (Handle[T], *T) {
	h, v := p.state.At(slot)
	return Handle[T]{id: h}, (*T)(v)
}

// IndexOf returns the number of the slot that holds the value of h, or -1 if h is stale, zero or
// foreign. It is an index for data of your own in a slice parallel to p. Numbers start at 0 and the
// lowest vacant slot is used first, so that slice is hardly longer than the most values that lived
// at a time. The slot's next value has the same number: set your data when you insert. OnInsert may
// call IndexOf. In OnRemove the handle is already stale, and the result is -1.
//
// Cost: O(1); never allocates.
//
//berth:asks h
func (p *Pool[T]) IndexOf(h Handle[T]) int { return slots.CoreOf(&p.state).IndexOf(h.id) }

// Insert puts v into the lowest vacant slot and returns its handle. It returns the zero Handle if p
// is full or Config.Memory refuses a chunk; [Pool.TryInsert] tells the two apart.
//
// Cost: O(1); allocates a chunk when no slot in memory is vacant.
//
//berth:issues r0
func (p *Pool[T]) Insert(v T) Handle[T] {
	// This fills a slot if the block has other values, and either has more room or the next block
	// with room is known. New, and the same two verbs of Dense, repeat these lines: sharing them
	// makes an insert a third slower.
	return Handle[T]{id: callID(func() slots.ID {
		dir := p.dir
		if k := p.state.Room.Low; uint(k) < uint(len(dir)) && p.state.N < p.state.Quick &&
			!poison.On {
			b := dir[k]
			free, occ := b.Free, b.Occ
			rest := free & (free - 1)
			if occ != 0 && (rest != 0 || p.state.Room.Two()) {
				if rest == 0 {
					p.state.Room.PopLow()
				}
				i := bits.TrailingZeros64(free) & 63
				b.Free, b.Occ = rest, occ|free^rest
				g := b.Gens[i] + 1
				b.Gens[i] = g
				b.Vals[i] = v
				p.state.N++
				if invariants.On {
					slots.CoreOf(&p.state).Changed()
				}
				return slots.ID{Index: p.state.Salt + uint32(k<<6+i), Gen: g}
			}
		}
		// More than a slot changes, or a hook is called.
		h, x := p.state.Insert((*slots.Block[T])(nil))
		if x != nil {
			*(*T)(x) = v
			if p.state.Hooked {
				slots.CoreOf(&p.state).Inserted(h, x)
			}
		}
		return h
	})}
}

// callID and callInt return f(). See package inline, whose functions would be compiled anew for
// each type of handles.
func callID(f func() slots.ID) slots.ID { return f() }

func callInt(f func() int) int { return f() }

// New makes the lowest vacant slot live with a zero T, and returns its handle and a pointer to it,
// so that the value can be filled in place. It returns the zero Handle and nil if p is full or
// Config.Memory refuses a chunk. In contrast to [Pool.InsertFunc], the value is live at once, and
// OnInsert gets the zero T. If OnInsert removes the value, the handle is stale and the pointer nil.
//
// Cost: O(1), and less than Insert for large values; allocates as Insert.
//
//berth:issues r0
//berth:lends r1 by r0
func (p *Pool[T]) New() (Handle[T], *T) {
	var v *T
	h := callID(func() slots.ID {
		dir := p.dir
		if k := p.state.Room.Low; uint(k) < uint(len(dir)) && p.state.N < p.state.Quick &&
			!poison.On {
			b := dir[k]
			free, occ := b.Free, b.Occ
			rest := free & (free - 1)
			if occ != 0 && (rest != 0 || p.state.Room.Two()) {
				if rest == 0 {
					p.state.Room.PopLow()
				}
				i := bits.TrailingZeros64(free) & 63
				b.Free, b.Occ = rest, occ|free^rest
				g := b.Gens[i] + 1
				b.Gens[i] = g
				p.state.N++
				if invariants.On {
					slots.CoreOf(&p.state).Changed()
				}
				v = &b.Vals[i]
				return slots.ID{Index: p.state.Salt + uint32(k<<6+i), Gen: g}
			}
		}
		h, x := p.state.New((*slots.Block[T])(nil))
		v = (*T)(x)
		return h
	})
	return Handle[T]{id: h}, v
}

// TryInsert is like [Pool.Insert], but returns an error in place of the zero Handle. The error is
// [ErrFull] if p holds Limit values or all its 2^32 indices are live or retired. If Config.Memory
// refuses, it wraps both ErrFull and Memory's own error.
//
// Cost: as Insert.
//
//berth:issues r0
//berth:must r1
func (p *Pool[T]) TryInsert(v T) (Handle[T], error) {
	h := p.Insert(v)
	if slots.IsZero(h.id) {
		return h, slots.CoreOf(&p.state).Full()
	}
	return h, nil
}

// InsertFunc takes the lowest vacant slot, lets f build the value in place, and returns its handle.
// f gets a pointer to a zero T and the handle that the value will have. Until f returns, that
// handle finds nothing, and loops skip the slot. If p is full or Config.Memory refuses a chunk,
// InsertFunc does not call f, and returns the zero Handle.
//
// f may use p in any way. Values that it inserts get other slots, and neither Clear nor Clip frees
// the slot. If f panics, the slot is vacant again, and the handle that f was given stays stale.
//
// Cost: O(1) and f; without f about three times Insert, because a panic in f is undone. It
// allocates when Insert would, and for the list of running calls: the first time, and when more
// than four are nested.
//
//berth:issues r0
func (p *Pool[T]) InsertFunc(f func(Handle[T], *T)) Handle[T] {
	h := p.state.InsertFunc((*slots.Block[T])(nil), func(h slots.ID, v slots.Ref) bool {
		f(Handle[T]{id: h}, (*T)(v))
		return true
	})
	return Handle[T]{id: h}
}

// InsertErr is [Pool.InsertFunc] for an f that can fail. If f returns an error, there is no value,
// no hook is called, and InsertErr returns the zero Handle and that error. If there is no room for
// the value, the error is that of [Pool.TryInsert].
//
// Cost: as InsertFunc.
//
//berth:issues r0 of p
//berth:must r1 of p
func InsertErr[T any](p *Pool[T], f func(Handle[T], *T) error) (_ Handle[T], err error) {
	h := p.state.InsertFunc((*slots.Block[T])(nil), func(h slots.ID, v slots.Ref) bool {
		err = f(Handle[T]{id: h}, (*T)(v))
		return err == nil
	})
	if err == nil && slots.IsZero(h) {
		err = look(p).Full()
	}
	return Handle[T]{id: h}, err
}

// InsertAt inserts v into the slot of h, under that handle. It serves mirrors, which receive the
// values of another Pool with their handles in any order, loaders, and undo. p must have the Seed
// of the Pool that issued h. The slot must be vacant, and must not have been issued again since: h
// is a handle that p has not issued yet, or the last one of its slot. In the second case, copies of
// h that were stale find v. The next insert into the slot issues a later handle.
//
// For undo, keep the slot from being issued again while the value is away: let a Pool[struct{}]
// with the same Seed issue the handles, and remove a handle there when its value can no longer come
// back. [Handle.Uint64] and [HandleFromUint64] convert the handles. Save both Pools: a new one
// would issue handles of removed values again.
//
// A chunk that is released keeps only the highest generation of its slots, and the handles below it
// become stale. So after the first InsertAt, p releases no memory before Clip, as under
// [TruncateLength]. If values that Insert has inserted may come back, set TruncateLength.
//
// InsertAt calls OnInsert. If it fails, it returns one of these errors, and p is unchanged:
//
//   - [ErrStale] for the zero Handle, one that no Pool has issued, or one whose slot has had a
//     later value or is retired
//   - [ErrTaken] if a value lives in the slot, or is under construction or to come there
//   - [ErrFull] if p holds Limit values, if the slot's number is not below Limit, or, with its own
//     error, if Memory refuses
//   - [ErrRange] if there is no Limit, and the slot lies more than 2^20 slots beyond the directory
//
// Cost: O(1); allocates the slot's chunk if it is not in memory, and 12 bytes for each 64 slots
// between the last chunk and it.
//
//berth:clones of p
func InsertAt[T any](p *Pool[T], h Handle[T], v T) error {
	c := coreOf(p)
	x, err := c.OpenAt("InsertAt", h.id)
	if err == nil {
		*(*T)(x) = v
		c.Inserted(h.id, x)
	}
	return err
}

// Reserve takes the lowest vacant slot of p, and returns the handle that its value will have. Until
// [Fill] that handle finds nothing, and loops skip the slot. Len does not count it; Limit and Stats
// do. It stays so until Fill or [Cancel], also in Clear. Reserve returns the zero Handle if p is
// full or Config.Memory refuses a chunk.
//
// Reserved handles are part of what a [History] and a clone have, and of what is saved.
//
// Cost: O(1); allocates as Insert, and once to count the reserved handles.
//
//berth:issues r0 of p
func Reserve[T any](p *Pool[T]) Handle[T] { return Handle[T]{id: coreOf(p).ReserveSlot()} }

// Fill inserts v under h, which [Reserve] has issued: h is live from now on. It calls OnInsert.
// Fill reports false, and changes nothing, if h is not reserved, as after the first Fill.
//
// Cost: O(1); allocates only in a History, for its frame.
//
//berth:asks h of p
func Fill[T any](p *Pool[T], h Handle[T], v T) bool {
	c := coreOf(p)
	x := c.FillSlot(h.id)
	if x == nil {
		return false
	}
	*(*T)(x) = v
	c.Inserted(h.id, x)
	return true
}

// Cancel gives up h, which [Reserve] has issued: it is stale from now on, and its slot vacant. No
// hook is called. Cancel reports false, and changes nothing, if h is not reserved.
//
// Cost: as [Pool.Delete]; allocates only in a History, for its frame.
//
// Ends: h and every copy of it.
//
//berth:asks h of p
//berth:ends by h of p
func Cancel[T any](p *Pool[T], h Handle[T]) bool { return coreOf(p).CancelSlot(h.id) }

// Remove removes the value of h and returns it. It reports false, and changes nothing, if h is
// stale, zero or foreign.
//
// Cost: amortised O(1). The slot is zeroed, so the collector can free whatever the value pointed
// to. Removing the last value of a chunk releases the memory of at most two chunks
// ([TruncateMemory], without a Memory). It allocates only in a Pool that has shrunk to a fraction
// of its size: to cut the directory, and for one chunk at the front if the last values live far
// from it.
//
// Ends: h and every copy of it, and pointers to this value; no others.
//
//berth:asks h
//berth:ends by h
func (p *Pool[T]) Remove(h Handle[T]) (v T, ok bool) {
	s := h.id.Index - p.state.Salt
	if k := int(s >> 6); k < len(p.dir) {
		if b := p.dir[k]; b != nil && b.Gens[s&63] == h.id.Gen && h.id.Gen&1 != 0 {
			// The slow path has what is rare: also a full block that Room cannot take by AddLow.
			// The removals of a Pool and a Dense repeat the condition, since each call in it, even
			// an inlined one, takes 1 to 3 %.
			free, bit := b.Free, uint64(1)<<(s&63)
			if b.Occ == bit || h.id.Gen+1 == p.state.Base || p.state.Calm == 0 ||
				poison.On || free == 0 && (k > p.state.Room.Low || p.state.Room.Two()) {
				v = b.Vals[s&63]
				return v, slots.CoreOf(&p.state).Remove(h.id)
			}
			if free == 0 {
				p.state.Room.AddLow(k)
			}
			b.Free, b.Occ = free|bit, b.Occ^bit
			b.Gens[s&63] = h.id.Gen + 1
			p.state.N--
			p.state.Ended++
			v = b.Vals[s&63]
			var zero T
			b.Vals[s&63] = zero
			if invariants.On {
				slots.CoreOf(&p.state).Changed()
			}
			return v, true
		}
	}
	return v, false
}

// Delete is like [Pool.Remove], but only reports whether there was a value.
//
// Cost: as Remove, without the copy.
//
// Ends: as Remove.
//
//berth:asks h
//berth:ends by h
func (p *Pool[T]) Delete(h Handle[T]) bool {
	s := h.id.Index - p.state.Salt
	if k := int(s >> 6); k < len(p.dir) {
		if b := p.dir[k]; b != nil && b.Gens[s&63] == h.id.Gen && h.id.Gen&1 != 0 {
			free, bit := b.Free, uint64(1)<<(s&63)
			if b.Occ == bit || h.id.Gen+1 == p.state.Base || p.state.Calm == 0 ||
				poison.On || free == 0 && (k > p.state.Room.Low || p.state.Room.Two()) {
				return slots.CoreOf(&p.state).Remove(h.id)
			}
			if free == 0 {
				p.state.Room.AddLow(k)
			}
			b.Free, b.Occ = free|bit, b.Occ^bit
			b.Gens[s&63] = h.id.Gen + 1
			p.state.N--
			p.state.Ended++
			var zero T
			b.Vals[s&63] = zero
			if invariants.On {
				slots.CoreOf(&p.state).Changed()
			}
			return true
		}
	}
	return false
}

// RemoveFunc calls f for each value in slot order, removes the values for which f returns true, and
// returns how many it removed. Rules 1 to 6 of loops hold, with f as the loop's body. A value that
// f itself has removed or replaced is not removed again.
//
// Cost: a loop over the live values, and [Pool.Delete] for each one removed. If the compiler
// inlines the call, it also inlines f where f is a function literal.
//
// Ends: the handles of the removed values, and pointers to them.
//
//berth:ends some
func (p *Pool[T]) RemoveFunc(f func(Handle[T], *T) bool) int {
	// This repeats the loop of All, since f would escape to the heap from a range over All, and
	// Delete for a value whose block is at hand: an update of particles takes .8 of the time.
	return callInt(func() (removed int) {
		end, given := len(p.dir), p.state.Supply != nil
		for k := 0; ; k++ {
			if !p.state.Live.Has(k) {
				k = p.state.Live.Next(k)
			}
			if uint(k) >= uint(end) {
				break
			}
			b := p.dir[k]
			first := p.state.Salt + uint32(k<<6)
			for w := b.Occ; w != 0; w = (w & b.Occ) & (w - 1) {
				i := bits.TrailingZeros64(w)
				h := Handle[T]{id: slots.ID{Index: first + uint32(i), Gen: b.Gens[i]}}
				if !f(h, &b.Vals[i]) {
					// The value stays.
				} else if bit := uint64(1) << (i & 63); given || b.Free == 0 ||
					b.Occ&^bit == 0 || b.Gens[i] != h.id.Gen || h.id.Gen+1 == p.state.Base ||
					p.state.Calm == 0 || poison.On {
					if p.Delete(h) {
						removed++
					}
				} else {
					b.Free, b.Occ = b.Free|bit, b.Occ^bit
					b.Gens[i] = h.id.Gen + 1
					p.state.N--
					p.state.Ended++
					var zero T
					b.Vals[i] = zero
					removed++
					if invariants.On {
						slots.CoreOf(&p.state).Changed()
					}
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
//
// Cost: O(Len), and O(1) per chunk released or visited; allocates only to cut the directory and,
// the first time with OnRemove, for a list of the handles.
//
// Ends: all handles and pointers; with a Memory, also spans.
//
//berth:ends emptied
func (p *Pool[T]) Clear() { slots.CoreOf(&p.state).Clear() }

// Hooks are functions that a container calls when values are inserted and removed: see
// [SetHooks] and [DenseSetHooks]. Either may be nil.
//
// A change through a pointer calls no hook. If you keep an index by a field of the value, change
// that field in one function that also updates the index.
type Hooks[T any] struct {
	// OnInsert is called when a value is in place, before the insert returns. It may use the
	// container in any way, and may remove the value. If it panics, the value is removed without
	// OnRemove, since the insert has not returned its handle.
	OnInsert func(h Handle[T], v *T)
	// OnRemove is called for each value that is removed. h is already stale, also for Pool.IndexOf:
	// keep the slot's number in the value if OnRemove needs it. v points to a copy of the value and
	// is valid until OnRemove returns. OnRemove may use the container in any way. If it panics, the
	// value stays removed, and a Clear, Drain or other loop of removals stops.
	OnRemove func(h Handle[T], v *T)
}

// SetHooks makes p call hs from now on when values are inserted and removed, instead of earlier
// hooks. The zero Hooks remove them. OnRemove is called by everything that removes values,
// including Clear and Drain. A Clone shares the hooks. If they maintain an index, it must
// distinguish the two Pools.
//
// Cost: O(1); allocates the first time. With hooks, Insert and Remove take about three times as
// long, plus the time of the hooks.
func SetHooks[T any](p *Pool[T], hs Hooks[T]) {
	coreOf(p).SetHooks(slots.Hooks{OnInsert: adapt(hs.OnInsert), OnRemove: adapt(hs.OnRemove)})
}

// adapt returns f for code that does not know T, or nil if f is nil.
//
//go:noinline
func adapt[T any](f func(Handle[T], *T)) func(slots.ID, slots.Ref) {
	if f == nil {
		return nil
	}
	return func(h slots.ID, v slots.Ref) { f(Handle[T]{id: h}, (*T)(v)) }
}

// coreOf returns p as its core, for a change. Methods call methods of p.state, since they would
// compile coreOf for each type of values.
func coreOf[T any](p *Pool[T]) *slots.Core {
	return slots.CoreAt(&p.state, (*slots.Block[T])(nil))
}

// look returns p as its core, for a call that needs no kind, or does nothing if p has none yet.
// Methods call [slots.CoreOf], since they would compile look for each type of values.
func look[T any](p *Pool[T]) *slots.Core { return (*slots.Core)(slots.Ref(p)) }
