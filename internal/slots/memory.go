package slots

import (
	"math"
	"math/bits"
	"slices"

	"github.com/seed505807e1/berth/internal/bitset"
)

// maxShift is the highest binary logarithm of the blocks in a chunk.
const maxShift = 8

// ChunkShift returns the binary logarithm of the number of blocks in a chunk, for blocks of the
// given size and a pool of the given capacity. Small chunks keep few slots in memory for scattered
// survivors. Large chunks cost the collector less, since it visits each. So a large reservation has
// larger chunks. See docs/decisions/0003-chunks.md.
func ChunkShift(blockBytes uintptr, capacity int) uint8 {
	shift := uint8(0)
	for shift < 2 && blockBytes<<shift <= 8<<10 {
		shift++
	}
	for shift < maxShift && capacity/BlockSlots>>shift > 1024 {
		shift++
	}
	return shift
}

// Grow is that of a Pool.
//
//go:noinline
func (s *State) Grow(block any, n int) { CoreAt(s, block).GrowBy(n) }

// GrowBy is Grow of a Pool that has had a change.
func (p *Core) GrowBy(n int) {
	if n < 0 {
		PanicGot("Pool.Grow", "n must not be negative", n)
	}
	p.MakeSlots("Pool.Grow", n, n)
	p.Changed()
}

// MakeSlots brings slots for n more values into memory. The caller of fn passed the number got.
func (p *Core) MakeSlots(fn string, n, got int) {
	p.Ready(n)
	if n = min(n, p.Max-p.N); n <= 0 {
		return
	}
	used := p.N + p.Rare.Taken()
	CheckSlots(fn, uint64(used)+uint64(n), p.Kind.Block/BlockSlots, got)
	want := used + n
	for p.Places() < want {
		if !p.AddChunk() {
			p.Supply.fail(fn)
		}
	}
	p.Reserve = max(p.Reserve, want)
}

// Ready makes a zero Pool usable, and chooses the size of chunks while there are none.
func (p *Core) Ready(capacity int) {
	if p.isZero() {
		p.init(Config{})
	}
	if len(p.Dir) == 0 {
		capacity = min(capacity, p.Max)
		p.Shift = ChunkShift(p.Kind.Block, capacity)
		if p.Supply == nil && capacity <= p.ChunkSlots()/2 {
			p.Shift = 0 // see widen
		}
	}
}

// widen joins the blocks of a pool that began with chunks of one block into one chunk, once they
// are as many as an ordinary chunk has. So a pool of a few values takes one block, and a larger one
// has no more chunks than if it had been large from the start.
func (p *Core) widen() {
	shift := ChunkShift(p.Kind.Block, 0)
	_, lost := p.Rare.Worn()
	if p.Shift != 0 || p.Supply != nil || len(p.Dir) != 1<<shift || lost != 0 {
		return
	}
	p.Shift, p.Chunks, p.Spares = shift, 1, 0
	p.Floors = append(make([]uint32, 0, 2), 0)
	p.Spare, p.Gone = bitset.Set{}, bitset.Set{}
	p.Spare.Resize(1)
	p.Gone.Resize(1)
	p.setSpare(0, !p.chunkLives(0))
}

// makeRoom ensures that block room.Low has a vacant slot. It reports false if it cannot.
func (p *Core) makeRoom() bool {
	p.Ready(0)
	if p.N >= p.Max {
		return false
	}
	return p.Room.Low < len(p.Dir) || p.AddChunk()
}

// AddChunk brings the lowest chunk without memory into memory, or a new one at the end. It reports
// false, and changes nothing, if there are no more indices or Memory refuses. supply.refused tells
// the two apart.
func (p *Core) AddChunk() bool {
	c := p.Gone.First()
	if c < 0 {
		p.widen()
		c = len(p.Floors)
	}
	last := len(p.Floors)
	if p.Supply != nil {
		p.Supply.Refused = nil
	}
	if uint64(c+1)*uint64(p.ChunkSlots()) > MaxSlots {
		return false
	}
	blocks, piece, err := p.newBlocks()
	if err != nil {
		p.Supply.Refused = err
		return false
	}
	if c == last {
		p.Floors = append(p.Floors, p.Tail)
		p.resize(c + 1)
	} else {
		p.Gone.Remove(c)
	}
	p.putChunk(c, blocks, piece)
	return true
}

// putChunk makes blocks, which are new, the memory of chunk c.
func (p *Core) putChunk(c int, blocks Ref, piece []byte) {
	if p.Supply != nil {
		p.Supply.Pieces[c] = piece
	}
	var gens [BlockSlots]uint32
	for i := range gens {
		gens[i] = p.Base + p.Floors[c]
	}
	first := c << p.Shift
	l := p.Rare.Recorder()
	for i := range 1 << p.Shift {
		b := p.Kind.nth(blocks, i)
		b.Free = math.MaxUint64
		b.Gens = gens
		p.Kind.poison(b)
		if l != nil {
			l.Placed(first+i, b)
		}
		p.Dir[first+i] = b
		p.Room.Add(first + i)
	}
	p.setSpare(c, true)
	p.Chunks++
	p.Grown++
}

// newBlocks returns zeroed memory for a chunk, and the piece of Memory that holds it.
func (p *Core) newBlocks() (Ref, []byte, error) {
	return newBlocks(p.Kind, p.Supply, p.Shift)
}

// resize gives the directory the given number of chunks. Chunks that are cut off have no memory.
func (p *Core) resize(chunks int) {
	blocks := chunks << p.Shift
	p.Spare.Resize(chunks)
	p.Gone.Resize(chunks)
	p.Supply.resize(chunks)
	p.Live.Resize(blocks)
	p.Room.Resize(blocks)
	if blocks > len(p.Dir) {
		p.Dir = append(p.Dir, make([]*Head, blocks-len(p.Dir))...)
		return
	}
	p.Dir, p.Floors = p.Dir[:blocks], p.Floors[:chunks]
	if blocks < cap(p.Dir)/4 {
		p.Dir = append(make([]*Head, 0, 2*blocks), p.Dir...)
		p.Floors = append(make([]uint32, 0, 2*chunks), p.Floors...)
	}
}

// opened records that block k, empty so far, gets a live slot.
func (p *Core) opened(k int) {
	p.Live.Add(k)
	p.setSpare(k>>p.Shift, false)
}

// setSpare adds chunk c to spare, or removes it.
func (p *Core) setSpare(c int, in bool) {
	switch {
	case p.Spare.Has(c) == in:
	case in:
		p.Spare.Add(c)
		p.Spares++
	default:
		p.Spare.Remove(c)
		p.Spares--
	}
}

// emptied records that block k has lost its last live slot, and releases memory if the mode does.
func (p *Core) emptied(k int) {
	if p.Truncate == TruncateNever {
		return
	}
	p.Live.Remove(k)
	p.left(k >> p.Shift)
}

// left records that chunk c, if no slot of it is live or reserved, is spare, and releases memory if
// the mode does.
func (p *Core) left(c int) {
	if p.chunkLives(c) {
		return
	}
	p.setSpare(c, true)
	if p.Truncate == TruncateMemory && p.Supply == nil {
		p.dropWorn(c)
		p.dropSpares(max(1, (p.Chunks-p.Spares)/8), 2)
		p.openFront()
	}
}

// dropWorn releases the spare chunk c if none of its slots can be used again, so that it does not
// stay as the one spare chunk that is kept.
func (p *Core) dropWorn(c int) {
	if retired, _ := p.Rare.Worn(); retired == 0 || p.building(c) {
		return
	}
	for k := c << p.Shift; k < (c+1)<<p.Shift; k++ {
		if p.Dir[k].Free != 0 {
			return
		}
	}
	p.drop(c)
}

// openFront brings the lowest chunk into memory if the live values are few and far from the front.
// The next inserts then go there, and the directory can be cut once the values at the end are gone.
func (p *Core) openFront() {
	c := p.Gone.First()
	if c >= 0 && c < p.Room.Low>>p.Shift && p.farOut(len(p.Floors)) {
		p.AddChunk()
	}
}

// farOut reports whether chunk c lies far beyond the place where everything in memory would fit,
// not counting the chunks that are used up.
func (p *Core) farOut(c int) bool {
	_, lost := p.Rare.Worn()
	return c-lost/p.ChunkSlots() > 16*(p.Chunks+1)
}

// dropSpares releases up to most empty chunks, highest first. It stops when only keep are left and
// the next one is not far out, or when a reserved slot would go. It skips chunks with a slot under
// construction.
func (p *Core) dropSpares(keep, most int) {
	for c := p.Spare.Last(); c >= 0 && most > 0; c = p.Spare.Prev(c - 1) {
		if p.Places()-p.ChunkSlots() < p.Reserve || p.Spares <= keep && !p.farOut(c) {
			break
		}
		if !p.building(c) {
			p.drop(c)
			most--
		}
	}
	// Cutting the directory only when half of it is unused makes that cost O(1) per chunk.
	if last := max(p.Live.Last()>>p.Shift, p.Spare.Last()); 2*(last+1) <= len(p.Floors) {
		p.trim()
	}
}

// drop releases chunk c, which has no slot live, reserved or under construction. It records the
// highest generation of its slots, and all of them resume there. If one slot is used up, all of the
// chunk's slots are given up. That takes 2^31 inserts, and costs a few of the 2^32 indices.
func (p *Core) drop(c int) {
	for k := c << p.Shift; k < (c+1)<<p.Shift; k++ {
		p.checkStale(k)
	}
	floor, worn := uint32(0), 0
	l := p.Rare.Recorder()
	for k := c << p.Shift; k < (c+1)<<p.Shift; k++ {
		b := p.Dir[k]
		if l != nil {
			l.Dropped(k)
		}
		worn += BlockSlots - bits.OnesCount64(b.Free)
		floor = max(floor, oldest(b, p.Base))
		p.Dir[k] = nil
		p.Room.Remove(k)
		p.Live.Remove(k)
	}
	if r := p.Rare; r != nil && r.Dropped != nil {
		r.Dropped(c<<p.Shift, 1<<p.Shift)
	}
	p.setSpare(c, false)
	p.Chunks--
	p.Released++
	if worn > 0 {
		p.Floors[c] = UsedUp
		p.Rare.Retired -= worn
		p.Rare.Lost += p.ChunkSlots()
	} else {
		p.Floors[c] = floor
		p.Gone.Add(c)
	}
	if p.Supply != nil {
		piece := p.Supply.Pieces[c]
		p.Supply.Pieces[c] = nil
		if l == nil {
			p.Supply.Free(piece)
		}
	}
}

// trim cuts the directory after the last chunk that is in memory or has a floor of its own to
// remember.
func (p *Core) trim() {
	c := len(p.Floors)
	for c > 0 && p.Gone.Has(c-1) && p.Floors[c-1] <= highFloor {
		c--
		p.Tail = max(p.Tail, p.Floors[c])
	}
	if c < len(p.Floors) {
		p.resize(c)
		for _, c := range p.Rare.Tables() {
			c.Cut(len(p.Dir))
		}
	}
}

// Clip is that of a Pool.
//
//go:noinline
func (p *Core) Clip() {
	p.Reserve = 0
	for c := range len(p.Floors) {
		if p.Dir[c<<p.Shift] != nil && p.idle(c) {
			p.drop(c)
		}
	}
	p.trim()
	p.Dir, p.Floors = slices.Clone(p.Dir), slices.Clone(p.Floors)
	if p.Supply != nil {
		p.Supply.Pieces = slices.Clone(p.Supply.Pieces)
	}
	if r := p.Rare; r != nil {
		r.Outside, r.clearing = nil, nil
	}
	for _, c := range p.Rare.Tables() {
		c.Clip()
	}
	for _, s := range []interface{ Clip() }{&p.Live, &p.Room, &p.Spare, &p.Gone} {
		s.Clip()
	}
	if l := p.Rare.Recorder(); l != nil {
		l.Clip()
	}
	p.Changed()
}

// idle reports whether chunk c, which is in memory, has no slot live, reserved or under
// construction.
func (p *Core) idle(c int) bool {
	for k := c << p.Shift; k < (c+1)<<p.Shift; k++ {
		if p.Dir[k].Occ != 0 {
			return false
		}
	}
	return !p.building(c) && !p.chunkReserved(c)
}

// Clone is that of a Pool.
//
//go:noinline
func (s *State) Clone(block any) Ref {
	q := new(Core)
	CoreAt(s, block).CloneTo("Pool.Clone", q)
	return Ref(q)
}

// CloneTo turns the zero Pool q into a clone of p.
func (p *Core) CloneTo(fn string, q *Core) {
	building := p.Rare.Building()
	if p.isZero() {
		p.init(Config{}) // both sides must start at the same place
	}
	q.Kind = p.Kind
	q.Dir = make([]*Head, len(p.Dir))
	q.Salt, q.Base, q.N, q.Hooked = p.Salt, p.Base, p.N, p.Hooked
	q.SetMax(p.Max + len(building))
	q.Live, q.Room = p.Live.Clone(), p.Room.Clone()
	q.Spare, q.Gone = p.Spare.Clone(), p.Gone.Clone()
	q.Floors, q.Tail = slices.Clone(p.Floors), p.Tail
	q.Shift, q.Truncate, q.Reserve = p.Shift, p.Mode(), p.Reserve
	q.Chunks, q.Spares = p.Chunks, p.Spares
	q.Ended, q.Grown, q.Released = p.Ended, p.Grown, p.Released
	if r := p.Rare; r != nil {
		q.Rare = &Rare{Reserved: r.Reserved, Retired: r.Retired, Lost: r.Lost, hooks: r.hooks}
	}
	if p.Supply != nil {
		q.Supply = newSupply(p.Supply.memory)
		q.Supply.resize(len(p.Floors))
	}
	attempt(func() { p.copyTo(fn, q) }, func() { q.Supply.freeAll() })
	for _, s := range building { // values under construction stay with p
		k := int(s >> 6)
		q.abandon(q.Dir[k], k, int(s&63))
	}
	q.Changed()
}

// copyTo copies the blocks.
func (p *Core) copyTo(fn string, q *Core) {
	for k := 0; k < len(p.Dir); k += 1 << p.Shift {
		if p.Dir[k] == nil {
			continue
		}
		blocks, piece, err := q.newBlocks()
		if err != nil {
			q.Supply.Refused = err
			q.Supply.fail(fn)
		}
		if q.Supply != nil {
			q.Supply.Pieces[k>>p.Shift] = piece
		}
		for i := range 1 << p.Shift {
			b := p.Kind.nth(blocks, i)
			p.Kind.copyBlock(b, p.Dir[k+i])
			q.Dir[k+i] = b
		}
	}
}

// newBlocks returns zeroed memory for 1<<shift blocks of values of kind k.
func newBlocks(k *kind, s *Supply, shift uint8) (Ref, []byte, error) {
	if s == nil {
		return k.alloc(1 << shift), nil, nil
	}
	b, err := s.allocFor(1<<shift, int(k.Block), k.Align)
	if err != nil {
		return nil, nil, err
	}
	return FirstOf(b), b, nil
}

// oldest returns how far beyond base the highest generation of b is. It searches in four
// independent lanes.
func oldest(b *Head, base uint32) uint32 {
	var m0, m1, m2, m3 uint32
	for i := 0; i < BlockSlots; i += 4 {
		g := b.Gens[i : i+4 : i+4]
		m0, m1 = max(m0, g[0]-base), max(m1, g[1]-base)
		m2, m3 = max(m2, g[2]-base), max(m3, g[3]-base)
	}
	return max(m0, m1, m2, m3)
}

// Made turns the zero core into one configured by c.
//
//go:noinline
func (p *Core) Made(c Config) {
	mustBePlain("NewPool", TypeOf(p.Kind), c.Memory)
	p.init(c)
	attempt(
		func() { p.MakeSlots("NewPool", c.Capacity, c.Capacity) },
		func() { p.Supply.freeAll() })
}
