package berth

import (
	"iter"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/seed505807e1/berth/internal/bitset"
)

const (
	// usedUp is the floor of a chunk that never comes back. Real floors are even.
	usedUp = 1
	// highFloor is the highest floor that may stand for all chunks beyond the last. One chunk with
	// hard-worn slots must not shorten the lives of all later ones.
	highFloor = 1 << 31
	// maxShift is the highest binary logarithm of the blocks in a chunk.
	maxShift = 8
)

// chunkShift returns the binary logarithm of the number of blocks in a chunk, for blocks of the
// given size and a pool of the given capacity. Small chunks keep few slots in memory for scattered
// survivors. Large chunks cost the collector less, since it visits each. So a large reservation has
// larger chunks. See docs/decisions/0003-chunks.md.
func chunkShift(blockBytes uintptr, capacity int) uint8 {
	shift := uint8(0)
	for shift < 2 && blockBytes<<shift <= 8<<10 {
		shift++
	}
	for shift < maxShift && capacity/blockSlots>>shift > 1024 {
		shift++
	}
	return shift
}

// Grow makes room for n more values, or for as many as Limit allows, so that inserting them
// allocates nothing. The memory stays until [Pool.Clip], in every Truncate mode. Grow panics, and
// leaves p unchanged, if n is negative, or if p would need more than 2^32 slots or 1 TiB. It
// panics, and keeps the memory it got, if Config.Memory refuses. See [Config.Capacity] for
// exhausted memory.
// Cost: allocates the missing memory; copies no value.
func (p *Pool[T]) Grow(n int) { coreOf(p).growBy(n) }

//go:noinline
func (p *core) growBy(n int) {
	if n < 0 {
		panicGot("Pool.Grow", "n must not be negative", n)
	}
	p.makeSlots("Pool.Grow", n, n)
	p.changed()
}

// makeSlots brings slots for n more values into memory. The caller of fn passed the number got.
func (p *core) makeSlots(fn string, n, got int) {
	p.ready(n)
	if n = min(n, p.max-p.n); n <= 0 {
		return
	}
	used := p.n + len(p.rare.building())
	checkSlots(fn, uint64(used)+uint64(n), p.kind.block/blockSlots, got)
	want := used + n
	for p.places() < want {
		if !p.addChunk() {
			p.supply.fail(fn)
		}
	}
	p.reserve = max(p.reserve, want)
}

// ready makes a zero Pool usable, and chooses the size of chunks while there are none.
func (p *core) ready(capacity int) {
	if p.max == 0 && p.n == 0 && len(p.rare.building()) == 0 {
		p.init(Config{})
	}
	if len(p.dir) == 0 {
		capacity = min(capacity, p.max)
		p.shift = chunkShift(p.kind.block, capacity)
		if p.supply == nil && capacity <= p.chunkSlots()/2 {
			p.shift = 0 // see widen
		}
	}
}

// widen joins the blocks of a pool that began with chunks of one block into one chunk, once they
// are as many as an ordinary chunk has. So a pool of a few values takes one block, and a larger one
// has no more chunks than if it had been large from the start.
func (p *core) widen() {
	shift := chunkShift(p.kind.block, 0)
	_, lost := p.rare.worn()
	if p.shift != 0 || p.supply != nil || len(p.dir) != 1<<shift || lost != 0 {
		return
	}
	p.shift, p.chunks, p.spares = shift, 1, 0
	p.floors = append(make([]uint32, 0, 2), 0)
	p.spare, p.gone = bitset.Set{}, bitset.Set{}
	p.spare.Resize(1)
	p.gone.Resize(1)
	p.setSpare(0, !p.chunkLives(0))
}

// makeRoom ensures that block room.Low has a vacant slot. It reports false if it cannot.
func (p *core) makeRoom() bool {
	p.ready(0)
	if p.n >= p.max {
		return false
	}
	return p.room.Low < len(p.dir) || p.addChunk()
}

func (p *core) chunkSlots() int { return blockSlots << p.shift }

// addChunk brings the lowest chunk without memory into memory, or a new one at the end. It reports
// false, and changes nothing, if there are no more indices or Memory refuses. supply.refused tells
// the two apart.
func (p *core) addChunk() bool {
	c := p.gone.First()
	if c < 0 {
		p.widen()
		c = len(p.floors)
	}
	last := len(p.floors)
	if p.supply != nil {
		p.supply.refused = nil
	}
	if uint64(c+1)*uint64(p.chunkSlots()) > maxSlots {
		return false
	}
	blocks, piece, err := p.newBlocks()
	if err != nil {
		p.supply.refused = err
		return false
	}
	if c == last {
		p.floors = append(p.floors, p.tail)
		p.resize(c + 1)
	} else {
		p.gone.Remove(c)
	}
	p.putChunk(c, blocks, piece)
	return true
}

// putChunk makes blocks, which are new, the memory of chunk c.
func (p *core) putChunk(c int, blocks ref, piece []byte) {
	if p.supply != nil {
		p.supply.pieces[c] = piece
	}
	var gens [blockSlots]uint32
	for i := range gens {
		gens[i] = p.base + p.floors[c]
	}
	first := c << p.shift
	l := p.rare.recorder()
	for i := range 1 << p.shift {
		b := p.kind.nth(blocks, i)
		b.free = math.MaxUint64
		b.gens = gens
		p.kind.poison(b)
		if l != nil {
			l.placed(first+i, b)
		}
		p.dir[first+i] = b
		p.room.Add(first + i)
	}
	p.setSpare(c, true)
	p.chunks++
	p.grown++
}

// newBlocks returns zeroed memory for a chunk, and the piece of Memory that holds it.
func (p *core) newBlocks() (ref, []byte, error) {
	return newBlocks(p.kind, p.supply, p.shift)
}

// newBlocks returns zeroed memory for 1<<shift blocks of values of kind k.
func newBlocks(k *kind, s *supply, shift uint8) (ref, []byte, error) {
	if s == nil {
		return k.alloc(1 << shift), nil, nil
	}
	b, err := s.allocFor(1<<shift, int(k.block), k.align)
	if err != nil {
		return nil, nil, err
	}
	return firstOf(b), b, nil
}

// resize gives the directory the given number of chunks. Chunks that are cut off have no memory.
func (p *core) resize(chunks int) {
	blocks := chunks << p.shift
	p.spare.Resize(chunks)
	p.gone.Resize(chunks)
	p.supply.resize(chunks)
	p.live.Resize(blocks)
	p.room.Resize(blocks)
	if blocks > len(p.dir) {
		p.dir = append(p.dir, make([]*head, blocks-len(p.dir))...)
		return
	}
	p.dir, p.floors = p.dir[:blocks], p.floors[:chunks]
	if blocks < cap(p.dir)/4 {
		p.dir = append(make([]*head, 0, 2*blocks), p.dir...)
		p.floors = append(make([]uint32, 0, 2*chunks), p.floors...)
	}
}

// opened records that block k, empty so far, gets a live slot.
func (p *core) opened(k int) {
	p.live.Add(k)
	p.setSpare(k>>p.shift, false)
}

// setSpare adds chunk c to spare, or removes it.
func (p *core) setSpare(c int, in bool) {
	switch {
	case p.spare.Has(c) == in:
	case in:
		p.spare.Add(c)
		p.spares++
	default:
		p.spare.Remove(c)
		p.spares--
	}
}

// emptied records that block k has lost its last live slot, and releases memory if the mode does.
func (p *core) emptied(k int) {
	if p.truncate == TruncateNever {
		return
	}
	p.live.Remove(k)
	c := k >> p.shift
	if p.chunkLives(c) {
		return
	}
	p.setSpare(c, true)
	if p.truncate == TruncateMemory && p.supply == nil {
		p.dropWorn(c)
		p.dropSpares(max(1, (p.chunks-p.spares)/8), 2)
		p.openFront()
	}
}

// dropWorn releases the spare chunk c if none of its slots can be used again, so that it does not
// stay as the one spare chunk that is kept.
func (p *core) dropWorn(c int) {
	if retired, _ := p.rare.worn(); retired == 0 || p.building(c) {
		return
	}
	for k := c << p.shift; k < (c+1)<<p.shift; k++ {
		if p.dir[k].free != 0 {
			return
		}
	}
	p.drop(c)
}

// openFront brings the lowest chunk into memory if the live values are few and far from the front.
// The next inserts then go there, and the directory can be cut once the values at the end are gone.
func (p *core) openFront() {
	c := p.gone.First()
	if c >= 0 && c < p.room.Low>>p.shift && p.farOut(len(p.floors)) {
		p.addChunk()
	}
}

// farOut reports whether chunk c lies far beyond the place where everything in memory would fit,
// not counting the chunks that are used up.
func (p *core) farOut(c int) bool {
	_, lost := p.rare.worn()
	return c-lost/p.chunkSlots() > 16*(p.chunks+1)
}

// chunkLives reports whether live has a block of chunk c.
func (p *core) chunkLives(c int) bool {
	k := p.live.Next(c << p.shift)
	return k >= 0 && k>>p.shift == c
}

// dropSpares releases up to most empty chunks, highest first. It stops when only keep are left and
// the next one is not far out, or when a reserved slot would go. It skips chunks with a slot under
// construction.
func (p *core) dropSpares(keep, most int) {
	for c := p.spare.Last(); c >= 0 && most > 0; c = p.spare.Prev(c - 1) {
		if p.places()-p.chunkSlots() < p.reserve || p.spares <= keep && !p.farOut(c) {
			break
		}
		if !p.building(c) {
			p.drop(c)
			most--
		}
	}
	// Cutting the directory only when half of it is unused makes that cost O(1) per chunk.
	if last := max(p.live.Last()>>p.shift, p.spare.Last()); 2*(last+1) <= len(p.floors) {
		p.trim()
	}
}

// drop releases chunk c, which has no slot live or under construction. It records the highest
// generation of its slots, and all of them resume there. If one slot is used up, all of the chunk's
// slots are given up. That takes 2^31 inserts, and costs a few of the 2^32 indices.
func (p *core) drop(c int) {
	for k := c << p.shift; k < (c+1)<<p.shift; k++ {
		p.checkStale(k)
	}
	floor, worn := uint32(0), 0
	l := p.rare.recorder()
	for k := c << p.shift; k < (c+1)<<p.shift; k++ {
		b := p.dir[k]
		if l != nil {
			l.dropped(k)
		}
		worn += blockSlots - bits.OnesCount64(b.free)
		floor = max(floor, oldest(b, p.base))
		p.dir[k] = nil
		p.room.Remove(k)
		p.live.Remove(k)
	}
	p.setSpare(c, false)
	p.chunks--
	p.released++
	if worn > 0 {
		p.floors[c] = usedUp
		p.rare.retired -= worn
		p.rare.lost += p.chunkSlots()
	} else {
		p.floors[c] = floor
		p.gone.Add(c)
	}
	if p.supply != nil {
		piece := p.supply.pieces[c]
		p.supply.pieces[c] = nil
		if l == nil {
			p.supply.free(piece)
		}
	}
}

// oldest returns how far beyond base the highest generation of b is. It searches in four
// independent lanes.
func oldest(b *head, base uint32) uint32 {
	var m0, m1, m2, m3 uint32
	for i := 0; i < blockSlots; i += 4 {
		g := b.gens[i : i+4 : i+4]
		m0, m1 = max(m0, g[0]-base), max(m1, g[1]-base)
		m2, m3 = max(m2, g[2]-base), max(m3, g[3]-base)
	}
	return max(m0, m1, m2, m3)
}

// trim cuts the directory after the last chunk that is in memory or has a floor of its own to
// remember.
func (p *core) trim() {
	c := len(p.floors)
	for c > 0 && p.gone.Has(c-1) && p.floors[c-1] <= highFloor {
		c--
		p.tail = max(p.tail, p.floors[c])
	}
	if c < len(p.floors) {
		p.resize(c)
		for _, c := range p.rare.tables() {
			c.cut(len(p.dir))
		}
	}
}

// Clip releases all memory that holds no value, in every Truncate mode, and cancels the
// reservations of Capacity and Grow. The chunks with a value stay, and so does the directory: up to
// 12 bytes for each 64 slots from the first to the highest live one. A [History] keeps what its
// frames need.
// Cost: O(highest slot), whatever Cap is: a step for each chunk up to the highest that was in use
// since the directory was last cut. It allocates a copy of the directory, and copies no value. With
// a History, O(changes in its frames) too, which it copies.
// Ends: with a Memory, spans and stale pointers into the released memory; no others.
//
//berth:ends some
func (p *Pool[T]) Clip() { look(p).clip() }

//go:noinline
func (p *core) clip() {
	p.reserve = 0
	for c := range len(p.floors) {
		if p.dir[c<<p.shift] != nil && p.idle(c) {
			p.drop(c)
		}
	}
	p.trim()
	p.dir, p.floors = slices.Clone(p.dir), slices.Clone(p.floors)
	if p.supply != nil {
		p.supply.pieces = slices.Clone(p.supply.pieces)
	}
	if r := p.rare; r != nil {
		r.outside, r.clearing = nil, nil
	}
	for _, c := range p.rare.tables() {
		c.clip()
	}
	for _, s := range []interface{ Clip() }{&p.live, &p.room, &p.spare, &p.gone} {
		s.Clip()
	}
	if l := p.rare.recorder(); l != nil {
		l.clip()
	}
	p.changed()
}

// idle reports whether chunk c, which is in memory, has no slot live or under construction.
func (p *core) idle(c int) bool {
	for k := c << p.shift; k < (c+1)<<p.shift; k++ {
		if p.dir[k].occ != 0 {
			return false
		}
	}
	return !p.building(c)
}

// building reports whether a slot of chunk c is under construction.
func (p *core) building(c int) bool {
	in := func(s uint32) bool { return int(s>>6)>>p.shift == c }
	return slices.ContainsFunc(p.rare.building(), in)
}

// Clone returns an independent Pool in which the same handles find copies of the values. Values are
// copied by assignment, so they share whatever they point to. Both Pools continue alike: the same
// calls issue the same handles on either side, which rollback and replay need. So a handle issued
// on one side after the fork belongs to that side. On the other, the same handle may refer to a
// different value. The clone has no values that InsertFunc is still building.
//
// After going back to a clone, as undo does, discard the handles that were issued since it was
// made: inserts may issue them again, for other values. A ReadOnly, a grid of package near or a
// hook that was made for p still refers to p.
//
// Clone only reads p, unless nothing has ever been inserted into it. The clone's memory comes from
// the same Config.Memory. If that refuses, Clone panics, and gives back the memory it took.
// Cost: O(Cap); allocates a copy of everything in memory.
//
//berth:clones r0
func (p *Pool[T]) Clone() *Pool[T] {
	q := new(Pool[T])
	coreOf(p).cloneTo("Pool.Clone", look(q))
	return q
}

// cloneTo turns the zero Pool q into a clone of p.
func (p *core) cloneTo(fn string, q *core) {
	building := p.rare.building()
	if p.max == 0 && len(building) == 0 {
		p.init(Config{}) // both sides must start at the same place
	}
	q.kind = p.kind
	q.dir = make([]*head, len(p.dir))
	q.salt, q.base, q.n, q.hooked = p.salt, p.base, p.n, p.hooked
	q.setMax(p.max + len(building))
	q.live, q.room = p.live.Clone(), p.room.Clone()
	q.spare, q.gone = p.spare.Clone(), p.gone.Clone()
	q.floors, q.tail = slices.Clone(p.floors), p.tail
	q.shift, q.truncate, q.reserve = p.shift, p.mode(), p.reserve
	q.chunks, q.spares = p.chunks, p.spares
	q.ended, q.grown, q.released = p.ended, p.grown, p.released
	if r := p.rare; r != nil {
		q.rare = &rare{retired: r.retired, lost: r.lost, hooks: r.hooks}
	}
	if p.supply != nil {
		q.supply = newSupply(p.supply.memory)
		q.supply.resize(len(p.floors))
	}
	attempt(func() { p.copyTo(fn, q) }, func() { q.supply.freeAll() })
	for _, s := range building { // values under construction stay with p
		k := int(s >> 6)
		q.abandon(q.dir[k], k, int(s&63))
	}
	q.changed()
}

// copyTo copies the blocks.
func (p *core) copyTo(fn string, q *core) {
	for k := 0; k < len(p.dir); k += 1 << p.shift {
		if p.dir[k] == nil {
			continue
		}
		blocks, piece, err := q.newBlocks()
		if err != nil {
			q.supply.refused = err
			q.supply.fail(fn)
		}
		if q.supply != nil {
			q.supply.pieces[k>>p.shift] = piece
		}
		for i := range 1 << p.shift {
			b := p.kind.nth(blocks, i)
			p.kind.copyBlock(b, p.dir[k+i])
			q.dir[k+i] = b
		}
	}
}

// Stats returns the counts of p.
// Cost: O(1).
func (p *Pool[T]) Stats() Stats { return look(p).stats() }

//go:noinline
func (p *core) stats() Stats {
	bytes := int(unsafe.Sizeof(core{}))
	if p.chunks > 0 {
		bytes += p.chunks << p.shift * int(p.kind.block)
	}
	bytes += cap(p.dir)*bits.UintSize/8 + cap(p.floors)*4 + p.rare.bytes(p.valueSize())
	bytes += p.live.Bytes() + p.room.Bytes() + p.spare.Bytes() + p.gone.Bytes() + p.supply.bytes()
	retired, lost := p.rare.worn()
	return Stats{
		Live:      p.n,
		Vacant:    p.places() - p.n - len(p.rare.building()),
		Retired:   retired + lost,
		Chunks:    p.chunks,
		Bytes:     bytes,
		Limit:     p.limit(),
		Inserts:   p.ended + uint64(p.n),
		Removes:   p.ended,
		Grown:     p.grown,
		Truncated: p.released,
	}
}

// valueSize returns the size of a value, if p has had one.
func (p *core) valueSize() uintptr {
	if p.kind == nil {
		return 0
	}
	return p.kind.size
}

// limit returns Config.Limit.
func (p *core) limit() int {
	if n := p.max + len(p.rare.building()); n != math.MaxInt {
		return n
	}
	return 0
}

// Slots returns an iterator over the slots of p, 64 at a time, from the lowest to the end of the
// directory. It maps the live values, for pictures and reports of memory use. It yields the slots
// as they are when it comes to them, whatever its body does to p.
// Cost: O(1) for each 64 slots, also without memory, and for each value under construction; never
// allocates.
func (p *Pool[T]) Slots() iter.Seq[Slots] { return look(p).allSlots() }

func (p *core) allSlots() iter.Seq[Slots] {
	return func(yield func(Slots) bool) {
		end := len(p.dir) // so that a body that inserts on every iteration ends
		for k := 0; k < end && k < len(p.dir); k++ {
			if !yield(p.slots(k)) {
				return
			}
		}
	}
}

// slots returns the state of block k.
func (p *core) slots(k int) (s Slots) {
	b := p.dir[k]
	if b == nil {
		if p.floors[k>>p.shift] == usedUp {
			s.Retired = math.MaxUint64
		}
		return s
	}
	s = Slots{Live: b.occ, Vacant: b.free, Retired: ^(b.occ | b.free)}
	if s.Retired != 0 {
		for _, slot := range p.rare.building() {
			if int(slot>>6) == k {
				s.Retired &^= 1 << (slot & 63)
			}
		}
	}
	return s
}
