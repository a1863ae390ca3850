package slots

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"github.com/seed505807e1/berth/internal/poison"
	"github.com/seed505807e1/berth/internal/wire"
)

// Seed returns the Seed, or the one that p has taken in place of 0.
func (p *Core) Seed() uint32 {
	const inverse = 0x144CBC89 // of origin.Golden, modulo 2^32
	return p.Salt * inverse
}

// poolHeadBytes is the number of bytes before the first chunk.
const poolHeadBytes = 4 + 1 + 1 + 4 + 8 + 4

// Write writes the contents of the frame of a Pool:
//
//	4  seed
//	1  Truncate
//	1  binary logarithm of the blocks in a chunk
//	4  floor of the chunks beyond the directory
//	8  slots that stay in memory
//	4  chunks in the directory, and for each:
//	   4  floor: how far beyond base the generations of its slots begin, or 1 if they are used up
//	   1  1 if the chunk is in memory, else 0. If it is, for each of its blocks of 64 slots:
//	      8  live slots, a bit each
//	      8  vacant slots; a slot that is neither is retired if its generation is base, and else
//	         its handle is reserved
//	      8  slots whose generation is not base + floor, plus 1 for a live slot
//	      4  for each of these: the generation
//	         the live values, in the order of the slots
func (p *Core) Write(w *wire.Writer, c *codec) {
	w.Uint32(p.Seed())
	w.Uint8(uint8(p.Mode()))
	w.Uint8(p.Shift)
	w.Uint32(p.Tail)
	w.Uint64(uint64(p.Reserve))
	w.Uint32(uint32(len(p.Floors)))
	for n, floor := range p.Floors {
		w.Uint32(floor)
		first := n << p.Shift
		if p.Dir[first] == nil {
			w.Uint8(0)
			continue
		}
		w.Uint8(1)
		for i, b := range p.Dir[first : first+1<<p.Shift] {
			w.Uint64(b.Occ)
			w.Uint64(b.Free)
			odd := oddOf(b, p.Base+floor)
			w.Uint64(odd)
			for ; odd != 0; odd &= odd - 1 {
				w.Uint32(b.Gens[bits.TrailingZeros64(odd)])
			}
			c.writeBlock(w, b, p.Salt+uint32((first+i)<<6))
		}
	}
}

// oddOf returns the slots whose generation is not first, plus 1 for a live slot.
func oddOf(b *Head, first uint32) (odd uint64) {
	for i, g := range b.Gens {
		if g != first+uint32(b.Occ>>i&1) {
			odd |= 1 << i
		}
	}
	return odd
}

// frame reads the frame of a Pool or a Dense. Its methods do nothing after an error of the Reader.
type frame struct {
	vals   codec
	inSlot codec // of what the slots hold: the values, or in a Dense their places
	limit  int   // of live values
	to     saver // its memory is used, and may count as taken already

	seed, salt, base uint32
	tail             uint32
	truncate         Truncate
	shift            uint8
	reserve          int
	chunks           int // in the directory
	places           int // of a Dense

	reserveAt int64 // its position
	room      int   // slots of the chunks in memory, or used up
	live      int
	reserved  int
	lacks     int  // chunks that to lacks
	checked   bool // check has found no error
	taken     []chunkMemory
	freed     [][]byte // pieces of to to free in the end

	gens [BlockSlots]uint32 // of the current block, where they are written
	seen *places            // not nil in check of a Dense
}

// chunkMemory is the memory of a chunk, and the piece of a Memory that holds it.
type chunkMemory struct {
	blocks Ref
	piece  []byte
}

// frame returns the reader of a frame of values of c, at most limit of them, into s.
func (s saver) frame(c codec, limit int) frame {
	f := frame{vals: c, inSlot: c, limit: limit, to: s}
	if s.dense != nil {
		f.inSlot = PlaceCodec(c.op)
	}
	return f
}

// check reads the frame, which has size bytes, without changing the container, and then takes the
// memory that it lacks.
func (f *frame) check(r *wire.Reader, size int) error {
	if f.open(r); r.Err() != nil {
		return r.Err()
	}
	if f.to.dense != nil {
		f.expectPlaces(r, size)
	}
	f.readSlots(r, true)
	if f.to.dense != nil {
		f.checkPlaces(r, size)
	}
	r.Stop(allow(f.dirBytes(f.chunks)+uint64(f.lacks)*f.chunkBytes(), int64(size)))
	if err := r.End(); err != nil {
		return err
	}
	f.checked = true
	if err := f.take(); err != nil || f.to.dense == nil {
		return err
	}
	return f.takePlaces()
}

// load reads the frame into the container. If it was not checked, it takes memory only as the data
// arrives.
func (f *frame) load(r *wire.Reader) error {
	if f.open(r); r.Err() != nil {
		return r.Err()
	}
	f.replace()
	f.readSlots(r, false)
	p := f.to.slots
	p.N, p.Grown = f.live, uint64(p.Chunks)
	f.free()
	if f.to.dense != nil {
		f.readPlaces(r)
	}
	return r.End()
}

// open reads the numbers before the first chunk.
func (f *frame) open(r *wire.Reader) {
	_ = r.Open(f.vals.kind, f.vals.Desc) // r keeps the error
	if f.to.dense != nil {
		f.places = int(r.Uint32())
	}
	f.seed = r.Uint32()
	f.salt, f.base = OriginOf(f.seed)
	f.truncate, f.shift = Truncate(r.Uint8()), r.Uint8()
	f.tail = r.Uint32()
	reserve := r.Uint64()
	chunks := r.Uint32()
	slots := uint64(chunks) << f.shift * BlockSlots
	switch {
	case f.seed == 0:
		r.Fail(-poolHeadBytes, "seed 0")
	case f.truncate > TruncateNever:
		r.Fail(4-poolHeadBytes, fmt.Sprintf("unknown Truncate(%d)", f.truncate))
	case f.shift > maxShift:
		r.Fail(5-poolHeadBytes, fmt.Sprintf("chunks of 2^%d blocks", f.shift))
	case f.tail&1 != 0 || f.tail > highFloor:
		r.Fail(6-poolHeadBytes, fmt.Sprintf("floor %d of the next chunk", f.tail))
	case reserve > MaxSlots:
		r.Fail(10-poolHeadBytes, fmt.Sprintf("%d slots that stay in memory", reserve))
	case slots > MaxSlots:
		r.Fail(-4, fmt.Sprintf("%d chunks, more than 2^32 slots", chunks))
	case f.places < 0 || slots > math.MaxInt:
		r.Stop(ErrFull) // more than a 32-bit machine can have
	}
	f.reserve, f.chunks = int(min(reserve, math.MaxInt)), int(chunks)
	f.reserveAt, f.room = r.Offset()+10-poolHeadBytes, 0
}

// readSlots reads the chunks, and counts the values. If check is set, it changes nothing, and
// counts the chunks that the container lacks.
func (f *frame) readSlots(r *wire.Reader, check bool) {
	f.live, f.reserved, f.lacks = 0, 0, 0
	p := f.to.slots
	for c := range f.chunks {
		floor, in := f.chunk(r)
		switch {
		case r.Err() != nil:
			return
		case !check:
			f.setChunk(r, c, floor, in)
		case in && !f.has(c):
			f.lacks++
		}
		for k := c << f.shift; in && k < (c+1)<<f.shift && r.Err() == nil; k++ {
			f.block(r, k, floor, check)
		}
		if in && !check {
			p.setSpare(c, !p.chunkLives(c))
		}
	}
	if f.reserve > f.room {
		r.Fail(f.reserveAt-r.Offset(),
			fmt.Sprintf("%d slots that stay in memory, of %d", f.reserve, f.room))
	}
}

// chunk reads the floor of a chunk, and whether it is in memory.
func (f *frame) chunk(r *wire.Reader) (floor uint32, in bool) {
	floor = r.Uint32()
	m := r.Uint8()
	switch {
	case m > 1:
		r.Fail(-1, fmt.Sprintf("a chunk that is in memory %d times", m))
	case floor&1 != 0 && (m == 1 || floor != UsedUp):
		r.Fail(-5, fmt.Sprintf("floor %d of a chunk", floor))
	}
	if m == 1 || floor == UsedUp {
		f.room += BlockSlots << f.shift
	}
	return floor, m == 1
}

// setChunk prepares chunk c: it gets memory if it must be in memory, and else loses it.
func (f *frame) setChunk(r *wire.Reader, c int, floor uint32, in bool) {
	p := f.to.slots
	if c >= len(p.Floors) {
		n := f.chunks
		if !f.checked {
			n = min(n, max(2*c, 64))
			r.Stop(allow(f.dirBytes(n), r.Count()))
		}
		if r.Err() != nil {
			return
		}
		p.Floors = append(p.Floors, make([]uint32, n-len(p.Floors))...)
		p.resize(n)
	}
	p.Floors[c] = floor
	switch {
	case in:
		if p.Chunks++; p.Dir[c<<p.Shift] == nil {
			f.give(r, c)
		}
		return
	case floor == UsedUp:
		p.Rarely().Lost += p.ChunkSlots()
	default:
		p.Gone.Add(c)
	}
	f.forget(c)
}

// block reads block k, of a chunk with the given floor.
func (f *frame) block(r *wire.Reader, k int, floor uint32, check bool) {
	s := f.words(r, floor)
	n := bits.OnesCount64(s.occ)
	f.live += n
	if f.reserved += bits.OnesCount64(s.reserved); f.live+f.reserved > f.limit {
		r.Stop(fmt.Errorf("%w: more values than Limit, which is %d", ErrFull, f.limit))
	}
	switch {
	case r.Err() != nil:
	case check && f.seen != nil:
		f.seen.read(r, n)
	case check:
		f.inSlot.check(r, n)
	default:
		f.setBlock(k, s, f.base+floor)
		f.inSlot.readBlock(r, f.to.slots.Dir[k], f.salt+uint32(k<<6))
	}
}

// words is the state of 64 slots in the data.
type words struct{ occ, free, odd, reserved uint64 }

// words reads the state of a block, and the generations that follow, and checks them.
func (f *frame) words(r *wire.Reader, floor uint32) words {
	s := words{r.Uint64(), r.Uint64(), r.Uint64(), 0}
	neither := ^(s.occ | s.free)
	if s.occ&s.free != 0 {
		r.Fail(-24, "a slot that is both live and vacant")
	}
	if s.odd == 0 && neither == 0 {
		return s
	}
	b := r.Next(4 * bits.OnesCount64(s.odd))
	if floor != 0 {
		s.reserved = neither &^ s.odd
	}
	wrong := uint64(0)
	for w := s.odd; w != 0 && len(b) >= 4; w &= w - 1 {
		i := bits.TrailingZeros64(w) & 63
		g := binary.LittleEndian.Uint32(b)
		b = b[4:]
		f.gens[i] = g
		wrong |= (uint64(g)&1 ^ s.occ>>i&1) << i
		if g != f.base {
			s.reserved |= neither & (1 << i)
		}
	}
	if f.to.dense != nil {
		wrong |= s.reserved // a Dense reserves none
	}
	if wrong != 0 {
		i := bits.TrailingZeros64(wrong)
		r.Fail(0, fmt.Sprintf("a wrong generation in slot %d of a block", i))
	}
	return s
}

// setBlock sets the state of block k. The generation of its vacant slots is first, and that of the
// live ones one more, except for those in odd. The live slots then hold zero, unless reading
// overwrites them.
func (f *frame) setBlock(k int, s words, first uint32) {
	p := f.to.slots
	b := p.Dir[k]
	for w := b.Occ &^ s.occ; w != 0; w &= w - 1 {
		p.Kind.vacate(p.Kind.val(b, bits.TrailingZeros64(w)))
	}
	if poison.On || !f.inSlot.overwrites() {
		for w := s.occ; w != 0; w &= w - 1 {
			p.Kind.clear(p.Kind.val(b, bits.TrailingZeros64(w)), 1)
		}
	}
	b.Occ, b.Free = s.occ, s.free
	switch s.occ {
	case 0, math.MaxUint64:
		first += uint32(s.occ & 1)
		for i := range b.Gens {
			b.Gens[i] = first
		}
	default:
		for i := range b.Gens {
			b.Gens[i] = first + uint32(s.occ>>i&1)
		}
	}
	for w := s.odd; w != 0; w &= w - 1 {
		i := bits.TrailingZeros64(w) & 63
		b.Gens[i] = f.gens[i]
	}
	if retired := ^(s.occ | s.free | s.reserved); retired != 0 {
		p.Rarely().Retired += bits.OnesCount64(retired)
	}
	if s.reserved != 0 {
		p.SetReserves(p.Rare.Reserves() + bits.OnesCount64(s.reserved))
	}
	if s.free != 0 {
		p.Room.Add(k)
	}
	if s.occ != 0 {
		p.Live.Add(k)
	}
}

// dirBytes returns the size of the directory of n chunks.
func (f *frame) dirBytes(n int) uint64 { return uint64(n) << f.shift * 8 }

// chunkBytes returns the size of a chunk.
func (f *frame) chunkBytes() uint64 { return uint64(f.to.slots.Kind.Block) << f.shift }

// has reports whether the container has memory for chunk c that can be used again.
func (f *frame) has(c int) bool {
	p := f.to.slots
	return f.fits() && c < len(p.Floors) && p.Dir[c<<f.shift] != nil
}

// fits reports whether the memory of the slots can be used again. With another seed it cannot,
// since a loop that is in a block makes handles of the seed that it has begun with.
func (f *frame) fits() bool {
	return f.to.slots.Shift == f.shift && f.to.slots.Seed() == f.seed
}

// take takes the chunks that the container lacks. If Memory refuses, it gives all of them back.
func (f *frame) take() (err error) {
	attempt(func() {
		for n := f.lacks; n > 0 && err == nil; n-- {
			err = f.takeChunk()
		}
	}, f.giveBack)
	if err != nil {
		f.giveBack()
	}
	return err
}

// takeChunk takes the memory of a chunk.
func (f *frame) takeChunk() error {
	blocks, piece, err := newBlocks(f.to.slots.Kind, f.to.slots.Supply, f.shift)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	f.taken = append(f.taken, chunkMemory{blocks, piece})
	return nil
}

// giveBack frees the memory of the chunks that were taken.
func (f *frame) giveBack() {
	for _, m := range f.taken {
		f.to.slots.Supply.Free(m.piece)
	}
}

// give gives chunk c, which has no memory, some that was taken, or else takes it.
func (f *frame) give(r *wire.Reader, c int) {
	p := f.to.slots
	if len(f.taken) == 0 {
		r.Stop(allow(uint64(p.Chunks)*f.chunkBytes(), r.Count()))
		if r.Err() == nil {
			r.Stop(f.takeChunk())
		}
		if r.Err() != nil {
			return
		}
	}
	n := len(f.taken) - 1
	m := f.taken[n]
	f.taken = f.taken[:n]
	if p.Supply != nil {
		p.Supply.Pieces[c] = m.piece
	}
	for i := range 1 << p.Shift {
		b := p.Kind.nth(m.blocks, i)
		p.Kind.poison(b)
		p.Dir[c<<p.Shift+i] = b
	}
}

// replace prepares the slots for readSlots: they have those chunks of the frame that were there
// before, and none else.
func (f *frame) replace() {
	p := f.to.slots
	for k, b := range p.Dir {
		if b != nil {
			p.checkStale(k)
		}
	}
	keep := 0
	if f.fits() {
		keep = min(len(p.Floors), f.chunks)
	}
	for c := keep; c < len(p.Floors); c++ {
		f.forget(c)
	}
	p.Live.Clear()
	p.Room.Clear()
	p.Spare.Clear()
	p.Gone.Clear()
	p.Shift, p.Reserve, p.Tail = f.shift, f.reserve, f.tail
	p.SetMode(f.truncate)
	p.Salt, p.Base = f.salt, f.base
	p.N, p.Chunks, p.Spares = 0, 0, 0
	p.Ended, p.Grown, p.Released = 0, 0, 0
	if r := p.Rare; r != nil {
		r.Retired, r.Lost = 0, 0
		p.SetReserves(0)
	}
	p.Dir, p.Floors = p.Dir[:keep<<f.shift], p.Floors[:keep]
	p.Supply.resize(keep)
}

// forget removes the blocks of chunk c, if any, from the directory. free frees their memory.
func (f *frame) forget(c int) {
	p := f.to.slots
	for k := c << p.Shift; k < (c+1)<<p.Shift; k++ {
		if b := p.Dir[k]; b != nil {
			p.Kind.Leave(b)
			p.Dir[k] = nil
		}
	}
	if p.Supply != nil && p.Supply.Pieces[c] != nil {
		f.freed = append(f.freed, p.Supply.Pieces[c])
		p.Supply.Pieces[c] = nil
	}
}

// free frees the memory of the chunks that were forgotten.
func (f *frame) free() {
	for _, b := range f.freed {
		f.to.slots.Supply.Free(b)
	}
}

// become gives p the state of q and its memory. q gets the memory of p, with empty blocks. p keeps
// its Limit and hooks.
func (p *Core) become(q *Core) {
	for k, b := range p.Dir {
		if b != nil {
			p.checkStale(k)
			p.Kind.Leave(b)
		}
	}
	dir, was := p.Dir, p.State
	p.Dir, p.State = q.Dir, q.State
	p.Hooked, p.Rare = was.Hooked, was.Rare
	p.SetMax(was.Max)
	p.SetMode(q.Truncate)
	if retired, lost := q.Rare.Worn(); p.Rare != nil || retired+lost > 0 {
		p.Rarely().Retired, p.Rare.Lost = retired, lost
	}
	p.SetReserves(q.Rare.Reserves())
	was.Supply.freeAll()
	was.Rare = nil
	q.Dir, q.State = dir, was
}

// loaded is called when p has other contents.
func (p *Core) loaded() {
	for _, c := range p.Rare.Tables() {
		c.Loaded()
	}
	p.forgetFrames()
	p.Changed()
}
