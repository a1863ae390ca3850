package berth

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/nocopy"
	"github.com/seed505807e1/berth/internal/plain"
	"github.com/seed505807e1/berth/internal/poison"
	"github.com/seed505807e1/berth/internal/slots"
)

// Column holds a V for some of the values of one [Pool] of T, by the Pool's handles. It is the
// secondary map of a slot map, and the component storage of an entity component system. [NewColumn]
// makes one. The zero Column is like a closed one: it holds nothing, and Set reports false.
//
// When a value is removed from the Pool, by whatever means, its V goes at once, before the removal
// returns and before OnRemove is called. So a Column never finds a V of a removed value, and keeps
// nothing alive. Vs lie in the order of the slots, in chunks of 64 to 256. A V that is not set
// takes no memory if none of the values around it, which share its chunk, has one.
//
// A Pool may have any number of Columns, also of the same V. [Column.Join] visits the values that
// have a V together with it, [Join3] those that have two of them together with these, [Join2] the
// two alone, and [Without] those that have one and not the other.
//
// # What happens to the Pool
//
// [Pool.Clear] empties the Column and keeps its memory, as it does with that of the Pool. Clip and
// the Truncate mode apply to the memory of the Column too. [Pool.CopyFrom], UnmarshalBinary and the
// other methods that replace the contents of the Pool empty the Column. A [Pool.Clone] has no
// Columns; see [Column.CloneTo]. [InsertAt] inserts a value without a V.
//
// While a Pool has a Column, Insert and Remove take about twice as long.
//
// # Pointers
//
// A *V is valid until that V is deleted or its value removed. Other changes do not affect it, as
// with a *T of the Pool. The memory is on Go's heap, also if the Pool has a [Memory], so V may have
// Go pointers.
//
// # Loops
//
// Rules 1 to 6 of loops at [Pool] hold, for the values that have a V: a loop visits each one that
// is set throughout exactly once, and none that was removed or deleted before its turn. A loop
// allocates nothing if the compiler inlines it.
//
// # Use by several goroutines
//
// A Column counts as a part of its Pool, with one exception: while no goroutine changes the Pool,
// each Column may be changed by one goroutine, if no other uses that Column. A Column must not be
// copied.
//
// Source: O. Svensson, the SecondaryMap of the Rust crate slotmap.
type Column[V, T any] struct {
	_ nocopy.NoCopy

	// Invariants (checkInvariants):
	//  1. a slot has a V exactly when its occ bit is set, and exactly when its generation is odd
	//  2. that generation is the one of a live slot of the Pool
	//  3. every other slot holds the zero V, or with the tag berth_poison, poison
	//  4. dir[k] is nil exactly if block k has no V, live holds the others, and dir is not longer
	//     than that of the Pool
	//  5. n is the number of Vs, blocks that of the blocks in dir, and memory that of all blocks
	//  6. the Pool has the Column in its list exactly until Close, and slot 0 has index salt
	//  7. chunks has the chunk of each block in dir, with the block at its place; the others are
	//     nil, except for the small ones

	p    *Pool[T]          // nil for the zero and the closed Column
	dir  []*slots.Block[V] // of the same slots as the Pool's; free is not used
	salt uint32

	live   bitset.Set // of blocks
	n      int
	blocks int
	memory int
	moves  uint64             // number of blocks that have left dir
	chunks [][]slots.Block[V] // see chunkOf
	spares [][]slots.Block[V] // chunks without a V; Free of a block holds its last number
	log    *columnLog[V, T]
}

// columnEnd is a Column as its Pool sees it, with the methods that its users need not see.
type columnEnd[V, T any] Column[V, T]

// endOf returns c for its Pool.
func endOf[V, T any](c *Column[V, T]) *columnEnd[V, T] { return (*columnEnd[V, T])(c) }

// NewColumn returns an empty Column of V for the values of p, as in
// berth.NewColumn[Velocity](bodies). It panics if p is nil. p keeps the Column until it is closed.
//
// Cost: allocates the Column. A removal and a Set take about three times as long as without, and
// somewhat more for each further Column that has a V of the value.
func NewColumn[V, T any](p *Pool[T]) *Column[V, T] {
	if p == nil {
		panic("berth: NewColumn: the Pool must not be nil")
	}
	coreOf(p).Ready(0)
	c := &Column[V, T]{p: p, salt: p.state.Salt}
	r := coreOf(p).Rarely()
	r.Columns = append(r.Columns, endOf(c))
	coreOf(p).SetMax(p.state.Max)
	if r.Recorded != nil {
		endOf(c).Record(r.Recorded.Settings())
	}
	return c
}

// Close empties c for good. The Pool forgets it, and is as fast as before once it has no Column
// left. A second Close does nothing.
//
// Cost: O(columns of the Pool).
//
// Ends: pointers of c.
//
//berth:ends emptied
func (c *Column[V, T]) Close() {
	p := c.p
	if p == nil {
		return
	}
	r := p.state.Rare
	r.Columns = slices.DeleteFunc(r.Columns,
		func(x slots.Column) bool { return x == slots.Column(endOf(c)) })
	if len(r.Columns) == 0 {
		r.Columns = nil
	}
	coreOf(p).SetMax(p.state.Max)
	c.p, c.dir, c.chunks, c.spares, c.log = nil, nil, nil, nil, nil
	c.live = bitset.Set{}
	c.n, c.blocks, c.memory = 0, 0, 0
	c.moves++
}

// Len returns the number of values that have a V.
//
// Cost: O(1).
func (c *Column[V, T]) Len() int { return c.n }

// String returns the types and the numbers, as in "berth.Column[bool, int](3 of 5 values)".
//
// Cost: allocates the string.
func (c *Column[V, T]) String() string {
	n := 0
	if c.p != nil {
		n = c.p.state.N
	}
	return fmt.Sprintf("berth.Column[%v, %v](%d of %d values)",
		plain.TypeFor[V](), plain.TypeFor[T](), c.n, n)
}

// Ptr returns a pointer to the V of h, or nil if there is none. It is nil if h is stale, zero or
// foreign. The pointer is valid until the V is deleted or its value removed.
//
// Cost: O(1), as [Pool.Ptr]; never allocates.
//
//berth:lends r0 by h
func (c *Column[V, T]) Ptr(h Handle[T]) *V {
	s, dir := h.id.Index-c.salt, c.dir
	if k := int(s >> 6); k < len(dir) {
		if b := dir[k]; b != nil && b.Gens[s&63] == h.id.Gen && h.id.Gen&1 != 0 {
			return &b.Vals[s&63]
		}
	}
	return nil
}

// Get returns a copy of the V of h. It reports false if there is none.
//
// Cost: O(1) and the copy; never allocates.
//
//berth:copies r0
func (c *Column[V, T]) Get(h Handle[T]) (v V, ok bool) {
	s, dir := h.id.Index-c.salt, c.dir
	if k := int(s >> 6); k < len(dir) {
		if b := dir[k]; b != nil && b.Gens[s&63] == h.id.Gen && h.id.Gen&1 != 0 {
			return b.Vals[s&63], true
		}
	}
	return v, false
}

// Contains reports whether the value of h has a V.
//
// Cost: O(1); never allocates.
func (c *Column[V, T]) Contains(h Handle[T]) bool { return c.Ptr(h) != nil }

// Set makes v the V of h. It reports false, and changes nothing, if h is stale, zero or foreign,
// or if its value is still under construction by InsertFunc.
//
// Cost: amortised O(1); allocates a chunk of 64 to 256 Vs if no value in it has one.
func (c *Column[V, T]) Set(h Handle[T], v V) bool {
	s := h.id.Index - c.salt
	k, i := int(s>>6), int(s&63)
	if k < len(c.dir) {
		if b := c.dir[k]; b != nil && b.Gens[i] == h.id.Gen && h.id.Gen&1 != 0 {
			if c.log != nil {
				c.log.Note(&b.Head, k, i)
			}
			b.Vals[i] = v
			return true
		}
	}
	if c.p == nil || !c.p.Contains(h) {
		return false
	}
	b := c.open(k)
	if c.log != nil {
		c.log.Note(&b.Head, k, i)
	}
	if poison.On {
		c.reuse(b, k, i)
	}
	b.Occ |= 1 << i
	b.Gens[i] = h.id.Gen
	b.Vals[i] = v
	c.n++
	if invariants.On {
		c.changed()
	}
	return true
}

// SetAll makes v the V of each value of the Pool that has none, such as those just inserted. Values
// under construction by InsertFunc get none. If c is closed, SetAll does nothing. To give those
// values a V that have an A in another Column, loop over [Without] and call Set.
//
// Cost: O(Len of the Pool), a fraction of a Set for each value; allocates the chunks that c lacks.
func SetAll[V, T any](c *Column[V, T], v V) {
	if c.p == nil {
		return
	}
	live := &c.p.state.Live
	for k := live.First(); k >= 0; k = live.Next(k + 1) {
		x := c.p.dir[k]
		lack := x.Occ &^ c.word(k)
		if lack == 0 {
			continue
		}
		b := c.fill(k, lack, &x.Gens)
		if lack == math.MaxUint64 {
			for i := range b.Vals {
				b.Vals[i] = v
			}
			continue
		}
		for ; lack != 0; lack &= lack - 1 {
			b.Vals[bits.TrailingZeros64(lack)] = v
		}
	}
	c.changed()
}

// Delete removes the V of h. It reports false if there is none. The value stays in the Pool.
//
// Cost: amortised O(1); never allocates. The slot is zeroed, so the collector can free whatever
// the V pointed to.
//
// Ends: pointers to this V.
//
//berth:ends by h
func (c *Column[V, T]) Delete(h Handle[T]) bool {
	if c.Ptr(h) == nil {
		return false
	}
	s := h.id.Index - c.salt
	endOf(c).Leave(int(s>>6), int(s&63))
	if invariants.On {
		c.changed()
	}
	return true
}

// Clear removes every V. It keeps the memory as [Pool.Clear] does.
//
// Cost: O(Len); never allocates in a steady state.
//
// Ends: pointers of c.
//
//berth:ends emptied
func (c *Column[V, T]) Clear() {
	endOf(c).Cleared()
	if invariants.On {
		c.changed()
	}
}

// Stats returns the counts of c: the Vs, the vacant slots in memory, the blocks of 64 slots, and
// their memory. The Stats of the Pool do not count it.
//
// Cost: O(1).
func (c *Column[V, T]) Stats() Stats {
	bytes := int(plain.TypeFor[Column[V, T]]().Size()) + c.live.Bytes()
	bytes += c.memory * int(plain.TypeFor[slots.Block[V]]().Size())
	bytes += (cap(c.dir) + 3*(cap(c.chunks)+cap(c.spares))) * bits.UintSize / 8
	return Stats{
		Live: c.n, Vacant: c.memory*slots.BlockSlots - c.n, Chunks: c.memory, Bytes: bytes,
	}
}

// CloneTo returns a new Column of p with a copy of each V of c whose handle is live in p. p is
// usually a [Pool.Clone] of c's Pool, so that it has the same handles. Vs are copied by assignment.
// CloneTo panics if p is nil.
//
// Cost: O(Len); allocates a copy of everything in c.
func (c *Column[V, T]) CloneTo(p *Pool[T]) *Column[V, T] {
	if p == nil {
		panic("berth: Column.CloneTo: the Pool must not be nil")
	}
	d := NewColumn[V](p)
	d.CopyFrom(c)
	return d
}

// CopyFrom replaces the contents of c by a copy of each V of from whose handle is live in the Pool
// of c. After [Pool.CopyFrom], which empties the Columns of its receiver, it copies the Columns
// too. A closed c stays empty.
//
// Cost: O(Len) of both; allocates the memory that c lacks: nothing in a steady state.
//
// Ends: pointers of c.
//
//berth:ends emptied
func (c *Column[V, T]) CopyFrom(from *Column[V, T]) {
	if c == from || c.p == nil {
		return
	}
	endOf(c).Cleared()
	if from.salt == c.salt {
		for k := from.live.First(); k >= 0 && k < len(c.p.dir); k = from.live.Next(k + 1) {
			c.copyBlock(from.dir[k], k)
		}
	}
	c.changed()
}

// copyBlock copies the Vs of b, which is block k of another Column, whose values are live.
func (c *Column[V, T]) copyBlock(b *slots.Block[V], k int) {
	values := c.p.dir[k]
	if values == nil {
		return
	}
	slots := b.Occ
	for w := slots; w != 0; w &= w - 1 {
		if i := bits.TrailingZeros64(w); b.Gens[i] != values.Gens[i] {
			slots &^= 1 << i
		}
	}
	if slots == 0 {
		return
	}
	to := c.fill(k, slots, &b.Gens)
	for w := slots; w != 0; w &= w - 1 {
		i := bits.TrailingZeros64(w)
		to.Vals[i] = b.Vals[i]
	}
}

// fill gives the given slots of block k, which have no V, zero Vs, and returns the block.
func (c *Column[V, T]) fill(k int, slots uint64, gens *[slots.BlockSlots]uint32) *slots.Block[V] {
	b := c.open(k)
	if c.log != nil {
		c.log.NoteAll(k, slots)
	}
	if slots == math.MaxUint64 && !poison.On {
		b.Gens = *gens
	} else {
		for w := slots; w != 0; w &= w - 1 {
			i := bits.TrailingZeros64(w)
			if poison.On {
				c.reuse(b, k, i)
			}
			b.Gens[i] = gens[i]
		}
	}
	b.Occ |= slots
	c.n += bits.OnesCount64(slots)
	return b
}
