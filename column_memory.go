package berth

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/poison"
	"github.com/seed505807e1/berth/internal/slots"
)

// A block of a Column that becomes empty leaves the directory. A chunk whose blocks have all done
// so is kept as a spare for any other chunk, since values with a V may be anywhere. So a loop must
// not trust the block that it holds once the directory has changed: see left.

// smallChunks is the number of chunks with fewer blocks than the others. They stay where they are
// when they become empty.
const smallChunks = 3

// chunkOf returns the number of the chunk of block k, and the place of the block in it. Chunks have
// 1, 1, 2, 4, 4, ... blocks: in four that lie side by side, a loop reads memory in order, and the
// Column of a small Pool takes less.
func chunkOf(k int) (chunk, i int) {
	if k < 4 {
		chunk = bits.Len(uint(k))
		return chunk, k &^ (1 << chunk >> 1)
	}
	return k>>2 + 2, k & 3
}

// blocksOfChunk returns the number of blocks of a chunk.
func blocksOfChunk(chunk int) int { return max(1, 1<<min(chunk, smallChunks)>>1) }

// chunksOf returns the number of chunks that have the given number of blocks.
func chunksOf(blocks int) int { return min(blocks, smallChunks) + max(blocks-1, 0)>>2 }

// open returns block k, which is new unless it has a V.
func (c *Column[V, T]) open(k int) *slots.Block[V] {
	if k < len(c.dir) && c.dir[k] != nil {
		return c.dir[k]
	}
	if n := max(len(c.p.dir), k+1); n > len(c.dir) {
		c.dir = append(c.dir, make([]*slots.Block[V], n-len(c.dir))...)
		c.chunks = append(c.chunks, make([][]slots.Block[V], chunksOf(n)-len(c.chunks))...)
		c.live.Resize(n)
	}
	chunk, i := chunkOf(k)
	if c.chunks[chunk] == nil {
		c.chunks[chunk] = c.takeChunk(chunk)
	} else {
		c.checkStale(c.chunks[chunk][i : i+1])
	}
	b := &c.chunks[chunk][i]
	c.dir[k] = b
	c.live.Add(k)
	c.blocks++
	if c.log != nil {
		c.log.log.Grow(len(c.dir))
		c.log.log.Cover(k, b.Vals[:])
	}
	return b
}

// takeChunk returns memory for a chunk that has none.
func (c *Column[V, T]) takeChunk(chunk int) []slots.Block[V] {
	last := len(c.spares) - 1
	if chunk < smallChunks || last < 0 {
		blocks := make([]slots.Block[V], blocksOfChunk(chunk))
		c.memory += len(blocks)
		poisonIn(blocks)
		return blocks
	}
	blocks := c.spares[last]
	c.checkStale(blocks)
	c.spares[last] = nil
	c.spares = c.spares[:last]
	return blocks
}

// checkStale panics if a slot of blocks, which have no V, was written to.
func (c *Column[V, T]) checkStale(blocks []slots.Block[V]) {
	if !poison.On {
		return
	}
	for k := range blocks {
		for i := range slots.BlockSlots {
			c.reuse(&blocks[k], int(blocks[k].Free), i)
			slots.Vacate(&blocks[k].Vals[i])
		}
	}
}

// reuse sets the vacant slot i of b, which is or was block k, to the zero V. It panics if the slot
// was written to.
func (c *Column[V, T]) reuse(b *slots.Block[V], k, i int) {
	if !slots.Refill(&b.Vals[i]) {
		slots.Vacate(&b.Vals[i])
		slots.PanicStale(slots.ID{Index: c.salt + uint32(k<<6+i), Gen: b.Gens[i] - 1})
	}
}

// emptied takes block k, which has lost its last V, out of the directory, and releases the spares
// that are not worth keeping: all but an eighth of the blocks in use, or one chunk.
func (c *Column[V, T]) emptied(k int) {
	c.retire(k)
	if c.p.state.Truncate != slots.TruncateMemory {
		return
	}
	for drops := 2; drops > 0 && len(c.spares) > max(1, c.blocks/32); drops-- {
		c.dropSpares(len(c.spares) - 1)
	}
}

// retire takes block k, which has no V, out of the directory. If it is the last of its chunk, the
// chunk becomes a spare.
func (c *Column[V, T]) retire(k int) {
	c.dir[k].Free = uint64(k)
	c.dir[k] = nil
	c.live.Remove(k)
	c.blocks--
	c.moves++
	chunk, i := chunkOf(k)
	if chunk < smallChunks {
		return
	}
	if !hasFrom(&c.live, k-i, len(c.chunks[chunk])) {
		c.spares = append(c.spares, c.chunks[chunk])
		c.chunks[chunk] = nil
	}
}

// hasFrom reports whether s has one of the n numbers from first on.
func hasFrom(s *bitset.Set, first, n int) bool {
	next := s.Next(first)
	return next >= 0 && next < first+n
}

// dropSpares releases the spares from number first on.
func (c *Column[V, T]) dropSpares(first int) {
	c.memory -= (len(c.spares) - first) * blocksOfChunk(smallChunks)
	clear(c.spares[first:])
	c.spares = c.spares[:first]
}

// dropEmpty releases all chunks without a V.
func (c *Column[V, T]) dropEmpty() {
	c.dropSpares(0)
	for i, chunk := range c.chunks[:min(len(c.chunks), smallChunks)] { // i is also its first block
		if !hasFrom(&c.live, i, len(chunk)) {
			c.memory -= len(chunk)
			c.chunks[i] = nil
		}
	}
}

// Leave implements [column].
func (e *columnEnd[V, T]) Leave(k, i int) {
	c := (*Column[V, T])(e)
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
func (e *columnEnd[V, T]) Cleared() {
	c := (*Column[V, T])(e)
	if c.n == 0 {
		return
	}
	if look(c.p).Mode() == slots.TruncateMemory {
		c.dropEmpty()
	}
	// The last spare is used first, so the Vs to come lie in order again.
	for k := c.live.Last(); k >= 0; k = c.live.Prev(k - 1) {
		b := c.dir[k]
		if c.log != nil {
			c.log.NoteAll(k, b.Occ)
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
func (e *columnEnd[V, T]) Loaded() {
	c := (*Column[V, T])(e)
	endOf(c).Cleared()
	c.salt = c.p.state.Salt
	endOf(c).Cut(len(c.p.dir))
	if c.log != nil {
		c.log.log.Forget() // open covers the blocks to come
	}
}

// Cut implements [column].
func (e *columnEnd[V, T]) Cut(blocks int) {
	c := (*Column[V, T])(e)
	if blocks >= len(c.dir) {
		return
	}
	c.live.Resize(blocks)
	for _, chunk := range c.chunks[chunksOf(blocks):] {
		c.memory -= len(chunk)
	}
	clear(c.chunks[chunksOf(blocks):])
	c.dir, c.chunks = c.dir[:blocks], c.chunks[:chunksOf(blocks)]
	if blocks < cap(c.dir)/4 {
		c.dir = append(make([]*slots.Block[V], 0, 2*blocks), c.dir...)
		c.chunks = slices.Clone(c.chunks)
	}
}

// Clip implements [column].
func (e *columnEnd[V, T]) Clip() {
	c := (*Column[V, T])(e)
	c.dropEmpty()
	endOf(c).Cut(c.live.Last() + 1)
	c.dir, c.chunks, c.spares = slices.Clone(c.dir), slices.Clone(c.chunks), nil
	c.live.Clip()
	if c.log != nil {
		c.log.clip()
	}
}

// changed checks the invariants after a change, with the tag berth_invariants: always while c is
// small, and sometimes when it is large.
func (c *Column[V, T]) changed() {
	if invariants.On && c.p != nil && (len(c.p.dir) <= 64 || c.n%256 == 0) {
		endOf(c).Check()
	}
}

// checkInvariants panics with the number of an invariant that c or its Pool violates, if any.
func (c *Column[V, T]) checkInvariants() {
	endOf(c).Check()
	if c.p != nil {
		look(c.p).CheckInvariants()
	}
}

// Check implements [column].
func (e *columnEnd[V, T]) Check() {
	c := (*Column[V, T])(e)
	p := c.p
	if p == nil {
		if c.n+c.blocks+c.memory+len(c.dir)+len(c.chunks)+len(c.spares) != 0 {
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
	if memory := c.checkChunks(); n != c.n || blocks != c.blocks || memory != c.memory {
		failColumn(5, "counted %d in %d of %d blocks, noted %d in %d of %d",
			n, blocks, memory, c.n, c.blocks, c.memory)
	}
}

// checkChunks checks invariant 7, and the blocks without a V. It returns the number of blocks in
// memory.
func (c *Column[V, T]) checkChunks() (memory int) {
	if len(c.chunks) != chunksOf(len(c.dir)) {
		failColumn(7, "%d chunks of %d blocks", len(c.chunks), len(c.dir))
	}
	k, blocks := 0, 0
	for i, chunk := range c.chunks {
		used := false
		for j := range blocksOfChunk(i) {
			if k < len(c.dir) && c.dir[k] != nil {
				used = true
				if j >= len(chunk) || c.dir[k] != &chunk[j] {
					failColumn(7, "block %d is not at its place", k)
				}
			}
			k++
		}
		if chunk != nil && (len(chunk) != blocksOfChunk(i) || !used && i >= smallChunks) {
			failColumn(7, "chunk %d has %d blocks, used %v", i, len(chunk), used)
		}
		memory += len(chunk)
		blocks += c.checkVacant(chunk)
	}
	for _, chunk := range c.spares {
		memory += len(chunk)
		blocks += c.checkVacant(chunk)
	}
	if blocks != c.blocks {
		failColumn(1, "%d blocks have Vs, and %d are in the directory", blocks, c.blocks)
	}
	return memory
}

// checkVacant checks the blocks of a chunk that have no V. It returns the number of the others.
func (c *Column[V, T]) checkVacant(chunk []slots.Block[V]) (blocks int) {
	for i := range chunk {
		if b := &chunk[i]; b.Occ != 0 {
			blocks++
		} else {
			c.checkBlock(b, int(b.Free))
		}
	}
	return blocks
}

// checkBlock checks invariants 1 to 3 for b, which is or was block k. It returns the number of Vs.
func (c *Column[V, T]) checkBlock(b *slots.Block[V], k int) (n int) {
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

// poisonIn fills the slots of a chunk, which is new, with poison.
func poisonIn[V any](chunk []slots.Block[V]) {
	if poison.On {
		for i := range chunk {
			poison.FillAll(chunk[i].Vals[:])
		}
	}
}
