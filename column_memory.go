package berth

import (
	"fmt"
	"slices"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/plain"
	"github.com/seed505807e1/berth/internal/poison"
	"github.com/seed505807e1/berth/internal/slots"
)

// A block of a Column that becomes empty leaves the directory. It is kept as a spare for any other
// block, since values with a V may be anywhere. So a loop must not trust the block that it holds
// once the directory has changed: see left.

// open returns block k, which is new unless it has a V.
func (c *Column[T, V]) open(k int) *slots.Block[V] {
	if k < len(c.dir) && c.dir[k] != nil {
		return c.dir[k]
	}
	if n := max(len(c.p.dir), k+1); n > len(c.dir) {
		c.dir = append(c.dir, make([]*slots.Block[V], n-len(c.dir))...)
		c.live.Resize(n)
	}
	b := c.takeSpare()
	c.dir[k] = b
	c.live.Add(k)
	c.blocks++
	if c.log != nil {
		c.log.log.Grow(len(c.dir))
		c.log.log.Cover(k, b.Vals[:])
	}
	return b
}

// takeSpare returns a block without a V.
func (c *Column[T, V]) takeSpare() *slots.Block[V] {
	n := len(c.spares) - 1
	if n < 0 {
		b := new(slots.Block[V])
		poisonIn(b)
		return b
	}
	b := c.spares[n]
	c.spares[n] = nil
	c.spares = c.spares[:n]
	if poison.On {
		for i := range slots.BlockSlots {
			c.reuse(b, int(b.Free), i)
			slots.Vacate(&b.Vals[i])
		}
	}
	return b
}

// reuse sets the vacant slot i of b, which is or was block k, to the zero V. It panics if the slot
// was written to.
func (c *Column[T, V]) reuse(b *slots.Block[V], k, i int) {
	if !slots.Refill(&b.Vals[i]) {
		slots.Vacate(&b.Vals[i])
		slots.PanicStale(slots.ID{Index: c.salt + uint32(k<<6+i), Gen: b.Gens[i] - 1})
	}
}

// emptied makes block k, which has lost its last V, a spare, and releases spares beyond those that
// are worth keeping: an eighth of the blocks in use, or as many as a chunk of a Pool has.
func (c *Column[T, V]) emptied(k int) {
	c.retire(k)
	if c.p.state.Truncate != slots.TruncateMemory {
		return
	}
	keep := max(1<<slots.ChunkShift(plain.TypeFor[slots.Block[V]]().Size(), 0), c.blocks/8)
	for drops := 2; drops > 0 && len(c.spares) > keep; drops-- {
		c.spares = slices.Delete(c.spares, len(c.spares)-1, len(c.spares))
	}
}

// retire makes block k, which has no V, a spare.
func (c *Column[T, V]) retire(k int) {
	b := c.dir[k]
	b.Free = uint64(k)
	c.dir[k] = nil
	c.spares = append(c.spares, b)
	c.live.Remove(k)
	c.blocks--
	c.moves++
}

// Leave implements [column].
func (e *columnEnd[T, V]) Leave(k, i int) {
	c := (*Column[T, V])(e)
	if k >= len(c.dir) {
		return
	}
	b := c.dir[k]
	if b == nil || b.Occ>>(i&63)&1 == 0 {
		return
	}
	if c.log != nil {
		c.log.Note(&b.Head, k, i)
	}
	releaseIn(b, i)
	if c.n--; b.Occ == 0 {
		c.emptied(k)
	}
}

// Cleared implements [column].
func (e *columnEnd[T, V]) Cleared() {
	c := (*Column[T, V])(e)
	if c.n == 0 {
		return
	}
	if look(c.p).Mode() == slots.TruncateMemory {
		clear(c.spares)
		c.spares = c.spares[:0]
	}
	for k := c.live.First(); k >= 0; k = c.live.Next(k + 1) {
		b := c.dir[k]
		if c.log != nil {
			c.log.NoteAll(&b.Head, k, b.Occ)
		}
		for i := range slots.BlockSlots {
			if b.Occ>>i&1 != 0 {
				releaseIn(b, i)
			}
		}
		c.retire(k)
	}
	c.n = 0
}

// Loaded implements [column].
func (e *columnEnd[T, V]) Loaded() {
	c := (*Column[T, V])(e)
	endOf(c).Cleared()
	c.salt = c.p.state.Salt
	endOf(c).Cut(len(c.p.dir))
	if c.log != nil {
		c.log.log.Forget() // open covers the blocks to come
	}
}

// Cut implements [column].
func (e *columnEnd[T, V]) Cut(blocks int) {
	c := (*Column[T, V])(e)
	if blocks >= len(c.dir) {
		return
	}
	c.live.Resize(blocks)
	c.dir = c.dir[:blocks]
	if blocks < cap(c.dir)/4 {
		c.dir = append(make([]*slots.Block[V], 0, 2*blocks), c.dir...)
	}
}

// Clip implements [column].
func (e *columnEnd[T, V]) Clip() {
	c := (*Column[T, V])(e)
	endOf(c).Cut(c.live.Last() + 1)
	c.dir, c.spares = slices.Clone(c.dir), nil
	c.live.Clip()
	if c.log != nil {
		c.log.clip()
	}
}

// changed checks the invariants after a change, with the tag berth_invariants: always while c is
// small, and sometimes when it is large.
func (c *Column[T, V]) changed() {
	if invariants.On && c.p != nil && (len(c.p.dir) <= 64 || c.n%256 == 0) {
		endOf(c).Check()
	}
}

// checkInvariants panics with the number of an invariant that c or its Pool violates, if any.
func (c *Column[T, V]) checkInvariants() {
	endOf(c).Check()
	if c.p != nil {
		look(c.p).CheckInvariants()
	}
}

// Check implements [column].
func (e *columnEnd[T, V]) Check() {
	c := (*Column[T, V])(e)
	p := c.p
	if p == nil {
		if c.n+c.blocks+len(c.dir)+len(c.spares) != 0 {
			failColumn(5, "a closed Column holds something")
		}
		return
	}
	if c.salt != p.state.Salt || !slices.Contains(p.state.Rare.Tables(), slots.Column(endOf(c))) {
		failColumn(6, "salt %d, that of the Pool %d", c.salt, p.state.Salt)
	}
	c.live.Check()
	if len(c.dir) > len(p.dir) || c.live.Len() != len(c.dir) {
		failColumn(4, "%d blocks, the Pool %d", len(c.dir), len(p.dir))
	}
	n, blocks := 0, 0
	for k, b := range c.dir {
		if c.live.Has(k) != (b != nil) || b != nil && b.Occ == 0 {
			failColumn(4, "block %d: in memory %v, in live %v", k, b != nil, c.live.Has(k))
		}
		if b != nil {
			blocks++
			n += c.checkBlock(b, k)
		}
	}
	if n != c.n || blocks != c.blocks {
		failColumn(5, "counted %d in %d blocks, noted %d in %d", n, blocks, c.n, c.blocks)
	}
	for _, b := range c.spares {
		if b.Occ != 0 {
			failColumn(1, "a spare block has a V")
		}
		c.checkBlock(b, int(b.Free))
	}
}

// checkBlock checks invariants 1 to 3 for b, which is or was block k. It returns the number of Vs.
func (c *Column[T, V]) checkBlock(b *slots.Block[V], k int) (n int) {
	for i := range slots.BlockSlots {
		h := Handle[T]{id: slots.ID{Index: c.salt + uint32(k<<6+i), Gen: b.Gens[i]}}
		set := b.Occ>>i&1 != 0
		switch {
		case set != (h.id.Gen&1 != 0):
			failColumn(1, "slot %d: set %v, generation %d", k<<6+i, set, h.id.Gen)
		case set && !c.p.Contains(h):
			failColumn(2, "%v has a V, and is not live", h)
		case set:
			n++
		case !slots.IsVacant(&b.Vals[i]):
			if poison.On {
				c.reuse(b, k, i) // panics with the handle of the value
			}
			failColumn(3, "slot %d holds %v", k<<6+i, b.Vals[i])
		}
	}
	return n
}

func failColumn(rule int, format string, args ...any) {
	panic(fmt.Sprintf("berth: Column invariant %d: ", rule) + fmt.Sprintf(format, args...))
}

// releaseIn empties the slot i of b.
func releaseIn[V any](b *slots.Block[V], i int) {
	slots.Vacate(&b.Vals[i&63])
	b.Occ &^= 1 << (i & 63)
	b.Gens[i&63]++
}

// poisonIn fills the slots of b, which are new, with poison.
func poisonIn[V any](b *slots.Block[V]) {
	if poison.On {
		poison.FillAll(b.Vals[:])
	}
}
