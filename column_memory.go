package berth

import (
	"fmt"
	"slices"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/plain"
	"github.com/seed505807e1/berth/internal/poison"
)

// A block of a Column that becomes empty leaves the directory. It is kept as a spare for any other
// block, since values with a V may be anywhere. So a loop must not trust the block that it holds
// once the directory has changed: see left.

// open returns block k, which is new unless it has a V.
func (c *Column[T, V]) open(k int) *block[V] {
	if k < len(c.dir) && c.dir[k] != nil {
		return c.dir[k]
	}
	if n := max(len(c.p.dir), k+1); n > len(c.dir) {
		c.dir = append(c.dir, make([]*block[V], n-len(c.dir))...)
		c.live.Resize(n)
	}
	b := c.takeSpare()
	c.dir[k] = b
	c.live.Add(k)
	c.blocks++
	if c.log != nil {
		c.log.log.Grow(len(c.dir))
		c.log.log.Cover(k, b.vals[:])
	}
	return b
}

// takeSpare returns a block without a V.
func (c *Column[T, V]) takeSpare() *block[V] {
	n := len(c.spares) - 1
	if n < 0 {
		b := new(block[V])
		poisonIn(b)
		return b
	}
	b := c.spares[n]
	c.spares[n] = nil
	c.spares = c.spares[:n]
	if poison.On {
		for i := range blockSlots {
			c.reuse(b, int(b.free), i)
			vacate(&b.vals[i])
		}
	}
	return b
}

// reuse sets the vacant slot i of b, which is or was block k, to the zero V. It panics if the slot
// was written to.
func (c *Column[T, V]) reuse(b *block[V], k, i int) {
	if !refill(&b.vals[i]) {
		vacate(&b.vals[i])
		panicStale(id{c.salt + uint32(k<<6+i), b.gens[i] - 1})
	}
}

// emptied makes block k, which has lost its last V, a spare, and releases spares beyond those that
// are worth keeping: an eighth of the blocks in use, or as many as a chunk of a Pool has.
func (c *Column[T, V]) emptied(k int) {
	c.retire(k)
	if c.p.truncate != TruncateMemory {
		return
	}
	keep := max(1<<chunkShift(plain.TypeFor[block[V]]().Size(), 0), c.blocks/8)
	for drops := 2; drops > 0 && len(c.spares) > keep; drops-- {
		c.spares = slices.Delete(c.spares, len(c.spares)-1, len(c.spares))
	}
}

// retire makes block k, which has no V, a spare.
func (c *Column[T, V]) retire(k int) {
	b := c.dir[k]
	b.free = uint64(k)
	c.dir[k] = nil
	c.spares = append(c.spares, b)
	c.live.Remove(k)
	c.blocks--
	c.moves++
}

// leave implements [column].
func (c *Column[T, V]) leave(k, i int) {
	if k >= len(c.dir) {
		return
	}
	b := c.dir[k]
	if b == nil || b.occ>>(i&63)&1 == 0 {
		return
	}
	if c.log != nil {
		c.log.note(&b.head, k, i)
	}
	releaseIn(b, i)
	if c.n--; b.occ == 0 {
		c.emptied(k)
	}
}

// cleared implements [column].
func (c *Column[T, V]) cleared() {
	if c.n == 0 {
		return
	}
	if look(c.p).mode() == TruncateMemory {
		clear(c.spares)
		c.spares = c.spares[:0]
	}
	for k := c.live.First(); k >= 0; k = c.live.Next(k + 1) {
		b := c.dir[k]
		if c.log != nil {
			c.log.noteAll(&b.head, k, b.occ)
		}
		for i := range blockSlots {
			if b.occ>>i&1 != 0 {
				releaseIn(b, i)
			}
		}
		c.retire(k)
	}
	c.n = 0
}

// loaded implements [column].
func (c *Column[T, V]) loaded() {
	c.cleared()
	c.salt = c.p.salt
	c.cut(len(c.p.dir))
	if c.log != nil {
		c.log.log.Forget() // open covers the blocks to come
	}
}

// cut implements [column].
func (c *Column[T, V]) cut(blocks int) {
	if blocks >= len(c.dir) {
		return
	}
	c.live.Resize(blocks)
	c.dir = c.dir[:blocks]
	if blocks < cap(c.dir)/4 {
		c.dir = append(make([]*block[V], 0, 2*blocks), c.dir...)
	}
}

// clip implements [column].
func (c *Column[T, V]) clip() {
	c.cut(c.live.Last() + 1)
	c.dir, c.spares = slices.Clone(c.dir), nil
	c.live.Clip()
	if c.log != nil {
		c.log.clip()
	}
}

// tables returns the Columns of the Pool.
func (r *rare) tables() []column {
	if r == nil {
		return nil
	}
	return r.columns
}

// tells reports whether the Pool tells Columns, or a Dense its DenseColumns, of each removal.
func (r *rare) tells() bool { return r != nil && (len(r.columns) > 0 || r.told) }

// changed checks the invariants after a change, with the tag berth_invariants: always while c is
// small, and sometimes when it is large.
func (c *Column[T, V]) changed() {
	if invariants.On && c.p != nil && (len(c.p.dir) <= 64 || c.n%256 == 0) {
		c.check()
	}
}

// checkInvariants panics with the number of an invariant that c or its Pool violates, if any.
func (c *Column[T, V]) checkInvariants() {
	c.check()
	if c.p != nil {
		look(c.p).checkInvariants()
	}
}

// check implements [column].
func (c *Column[T, V]) check() {
	p := c.p
	if p == nil {
		if c.n+c.blocks+len(c.dir)+len(c.spares) != 0 {
			failColumn(5, "a closed Column holds something")
		}
		return
	}
	if c.salt != p.salt || !slices.Contains(p.rare.tables(), column(c)) {
		failColumn(6, "salt %d, that of the Pool %d", c.salt, p.salt)
	}
	c.live.Check()
	if len(c.dir) > len(p.dir) || c.live.Len() != len(c.dir) {
		failColumn(4, "%d blocks, the Pool %d", len(c.dir), len(p.dir))
	}
	n, blocks := 0, 0
	for k, b := range c.dir {
		if c.live.Has(k) != (b != nil) || b != nil && b.occ == 0 {
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
		if b.occ != 0 {
			failColumn(1, "a spare block has a V")
		}
		c.checkBlock(b, int(b.free))
	}
}

// checkBlock checks invariants 1 to 3 for b, which is or was block k. It returns the number of Vs.
func (c *Column[T, V]) checkBlock(b *block[V], k int) (n int) {
	for i := range blockSlots {
		h := Handle[T]{id: id{c.salt + uint32(k<<6+i), b.gens[i]}}
		set := b.occ>>i&1 != 0
		switch {
		case set != (h.gen&1 != 0):
			failColumn(1, "slot %d: set %v, generation %d", k<<6+i, set, h.gen)
		case set && !c.p.Contains(h):
			failColumn(2, "%v has a V, and is not live", h)
		case set:
			n++
		case !isVacant(&b.vals[i]):
			if poison.On {
				c.reuse(b, k, i) // panics with the handle of the value
			}
			failColumn(3, "slot %d holds %v", k<<6+i, b.vals[i])
		}
	}
	return n
}

func failColumn(rule int, format string, args ...any) {
	panic(fmt.Sprintf("berth: Column invariant %d: ", rule) + fmt.Sprintf(format, args...))
}

// releaseIn empties the slot i of b.
func releaseIn[V any](b *block[V], i int) {
	vacate(&b.vals[i&63])
	b.occ &^= 1 << (i & 63)
	b.gens[i&63]++
}

// poisonIn fills the slots of b, which are new, with poison.
func poisonIn[V any](b *block[V]) {
	if poison.On {
		poison.FillAll(b.vals[:])
	}
}
