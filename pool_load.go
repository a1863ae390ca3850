package berth

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"

	"github.com/seed505807e1/berth/internal/poison"
	"github.com/seed505807e1/berth/internal/wire"
)

// A load checks everything before it changes p. UnmarshalBinary reads its data twice: the first
// pass only checks, and the second writes into the memory that p has. The other methods cannot read
// twice. They load another Pool, whose memory p then takes over.

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. It replaces the state of p by the one
// that data holds. The handles that were live when it was saved find the same values in p. Stale
// handles find nothing, and the next inserts issue the same handles as in the Pool that was saved.
// A handle that either Pool has issued since may find another value later; see [Pool.Clone].
// Truncate and Seed come from data. Limit, Memory and hooks stay those of p. No hook is called.
//
// If it fails, p is unchanged. The error wraps [ErrCorrupt] if data is damaged, or holds another
// container or another type of values, and also [io.ErrUnexpectedEOF] if data is cut. It wraps
// [ErrFull] if data holds more values than Limit allows, if Memory refuses, or if p would need more
// than 256 MiB and 64 times len(data): call Grow first, or Decode from a source that you trust.
// Types with the same fields are the same type, whatever their name.
// Cost: O(Cap), for both Pools; allocates the chunks that p lacks, and nothing if it lacks none.
// Ends: all handles and pointers; with a Memory, also spans.
//
//berth:ends emptied
//berth:clones
func (p *Pool[T]) UnmarshalBinary(data []byte) error { return coreOf(p).unmarshalBinary(data) }

func (p *core) unmarshalBinary(data []byte) error {
	const fn = "Pool.UnmarshalBinary"
	c, err := codecOf(fn, typeOf(p.kind))
	if err != nil {
		return err
	}
	if err := p.mayCode(fn); err != nil {
		return err
	}
	var r wire.Reader
	r.Read(data, false)
	f := poolFrame{codec: c, limit: p.max, to: p}
	if err := f.open(&r); err != nil {
		return corrupt(fn, err)
	}
	if err := f.check(&r); err != nil {
		return corrupt(fn, err)
	}
	if err := r.End(); err != nil {
		return corrupt(fn, err)
	}
	if err := f.take(fn); err != nil {
		return err
	}
	r.Read(data, true)
	if err := f.open(&r); err != nil {
		return corrupt(fn, err)
	}
	f.replace(p)
	if err := f.fill(&r, p); err != nil {
		panic("berth: " + fn + ": data changed while it was read: " + err.Error())
	}
	p.loaded()
	return nil
}

// ReadFrom implements [io.ReaderFrom]. It loads what [Pool.WriteTo] has written, as
// [Pool.UnmarshalBinary] does, and reads no byte beyond it. It returns the number of bytes read. An
// error of r is wrapped. The end of r before that of the data is an [ErrCorrupt] and an
// [io.ErrUnexpectedEOF].
// Cost: O(Cap), for both Pools; allocates the memory of the new state, which p takes over, and a
// buffer of 64 KiB.
// Ends: all handles and pointers; with a Memory, also spans.
//
//berth:ends emptied
//berth:clones
func (p *Pool[T]) ReadFrom(r io.Reader) (int64, error) { return coreOf(p).readPlain(r) }

//go:noinline
func (p *core) readPlain(r io.Reader) (int64, error) {
	c, err := codecOf("Pool.ReadFrom", typeOf(p.kind))
	if err != nil {
		return 0, err
	}
	return p.readFrom(r, &c, nil)
}

// Decode loads what [Encode] has written into r, as [Pool.ReadFrom] does. value sets *v, a zero T,
// from the bytes that Encode's function has appended. It must not keep b or v, or use p. If it
// fails, Decode stops, returns an error that wraps value's, and leaves p unchanged.
// Cost: as ReadFrom, and value for each live value; allocates.
// Ends: as ReadFrom.
//
//berth:ends emptied of p
//berth:clones of p
func Decode[T any](p *Pool[T], r io.Reader, value func(b []byte, v *T) error) error {
	return coreOf(p).decode(r, func(b []byte, _ id, v ref) error {
		return value(b, (*T)(v))
	})
}

//go:noinline
func (p *core) decode(r io.Reader, get func(b []byte, h id, v ref) error) error {
	_, err := p.readFrom(r, &codec{fn: "Decode", size: p.kind.size, get: get}, nil)
	return err
}

// UnmarshalJSON implements [json.Unmarshaler]. It loads what [Pool.MarshalJSON] has returned, as
// [Pool.UnmarshalBinary] does. The error of a value wraps that of package encoding/json. The JSON
// null leaves p unchanged.
// Cost: O(Cap), for both Pools, and json.Unmarshal for each value; allocates.
// Ends: all handles and pointers; with a Memory, also spans.
//
//berth:ends emptied
//berth:clones
func (p *Pool[T]) UnmarshalJSON(data []byte) error { return coreOf(p).unmarshalJSON(data) }

func (p *core) unmarshalJSON(data []byte) error {
	const fn = "Pool.UnmarshalJSON"
	s, err := readSaved(fn, data)
	if s == nil {
		return err
	}
	c := codec{fn: fn, size: p.kind.size, get: s.getter(p.kind.t)}
	_, err = p.readFrom(bytes.NewReader(s.Slots), &c, s)
	return err
}

// readFrom loads a Pool from r, and then gives its memory to p. s is what UnmarshalJSON has read,
// or nil.
func (p *core) readFrom(from io.Reader, c *codec, s *saved) (int64, error) {
	if err := p.mayCode(c.fn); err != nil {
		return 0, err
	}
	q := &core{state: state{kind: p.kind}}
	q.init(Config{Seed: 1})
	if p.supply != nil {
		q.supply = newSupply(p.supply.memory)
	}
	var r wire.Reader
	r.From(from)
	f := poolFrame{codec: *c, limit: p.max, to: q}
	var err error
	attempt(func() { err = f.load(&r, q, s) }, func() { q.supply.freeAll() })
	if err == nil {
		err = p.mayCode(c.fn) // the functions of the caller have run since
	}
	if err != nil {
		q.supply.freeAll()
		return r.Count(), err
	}
	p.become(q)
	return r.Count(), nil
}

// poolFrame reads the frame of a Pool. A Dense reads the slots of its values with it.
type poolFrame struct {
	codec
	limit int   // of live values
	to    *core // its memory is used, and may count as taken already

	seed, tail uint32
	truncate   Truncate
	shift      uint8
	reserve    int
	dirChunks  int

	headEnd int64 // position of the first chunk
	slots   int   // of the chunks in memory, or used up
	live    int
	lacks   int  // chunks that to lacks
	checked bool // check has found no error
	chunks  []ref
	pieces  [][]byte
	freed   [][]byte // pieces of to to free in the end

	odd    [blockSlots]uint32 // generations of the current block
	places *places            // not nil in check of a Dense: it reads the values
}

// load reads the frame into the new Pool q.
func (f *poolFrame) load(r *wire.Reader, q *core, s *saved) error {
	if err := f.open(r); err != nil {
		return corrupt(f.fn, err)
	}
	f.replace(q)
	if err := f.fill(r, q); err != nil {
		return corrupt(f.fn, err)
	}
	if err := r.End(); err != nil {
		return corrupt(f.fn, err)
	}
	if s != nil {
		return s.done(f.fn, f.seed)
	}
	return nil
}

// open reads the header of the frame, and of its contents.
func (f *poolFrame) open(r *wire.Reader) error {
	if err := r.Open(wire.Pool, f.Desc); err != nil {
		return err
	}
	return f.head(r)
}

// head reads the numbers before the first chunk.
func (f *poolFrame) head(r *wire.Reader) error {
	f.seed = r.Uint32()
	f.truncate, f.shift = Truncate(r.Uint8()), r.Uint8()
	f.tail = r.Uint32()
	reserve := r.Uint64()
	chunks := r.Uint32()
	switch {
	case r.Err() != nil:
	case f.seed == 0:
		r.Fail(-poolHeadBytes, "seed 0")
	case f.truncate > TruncateNever:
		r.Fail(4-poolHeadBytes, "unknown "+f.truncate.String())
	case f.shift > maxShift:
		r.Fail(5-poolHeadBytes, fmt.Sprintf("chunks of 2^%d blocks", f.shift))
	case f.tail&1 != 0 || f.tail > highFloor:
		r.Fail(6-poolHeadBytes, fmt.Sprintf("floor %d of the next chunk", f.tail))
	case reserve > maxSlots:
		r.Fail(10-poolHeadBytes, fmt.Sprintf("%d slots that stay in memory", reserve))
	case uint64(chunks)<<f.shift*blockSlots > maxSlots:
		r.Fail(-4, fmt.Sprintf("%d chunks, more than 2^32 slots", chunks))
	case bits.UintSize == 32 && uint64(chunks)<<f.shift*blockSlots > math.MaxInt32:
		return ErrFull
	}
	f.reserve, f.dirChunks = int(min(reserve, math.MaxInt)), int(chunks)
	f.headEnd, f.slots = r.Offset(), 0
	return r.Err()
}

// check reads the chunks without changing anything. It counts the values, and the chunks that to
// lacks.
func (f *poolFrame) check(r *wire.Reader) error {
	f.live, f.lacks = 0, 0
	_, base := originOf(f.seed)
	for c := range f.dirChunks {
		floor, in := f.chunk(r)
		if r.Err() != nil {
			return r.Err()
		}
		if !in {
			continue
		}
		if !f.has(c) {
			f.lacks++
		}
		for range 1 << f.shift {
			s, ok := readWords(r, base, floor, &f.odd)
			if !ok || !f.count(s.occ) {
				return f.err(r)
			}
			if n := bits.OnesCount64(s.occ); f.places != nil {
				f.places.read(r, n)
			} else {
				f.codec.check(r, n)
			}
		}
	}
	if err := f.end(r); err != nil {
		return err
	}
	n := r.Count()
	if need := f.dirBytes(f.dirChunks) + uint64(f.lacks)*f.chunkBytes(); need > bound(n) {
		return tooMuch(need, n)
	}
	f.checked = true
	return nil
}

// err returns the error of r, or that there are too many values.
func (f *poolFrame) err(r *wire.Reader) error {
	if r.Err() == nil && f.live > f.limit {
		return fmt.Errorf("%w: more values than Limit, which is %d", ErrFull, f.limit)
	}
	return r.Err()
}

// end is err after the last chunk. It fails also if more slots stay in memory than the chunks have.
// Slots that were used up since they were reserved count.
func (f *poolFrame) end(r *wire.Reader) error {
	if r.Err() == nil && f.reserve > f.slots {
		r.Fail(f.headEnd+10-poolHeadBytes-r.Offset(),
			fmt.Sprintf("%d slots that stay in memory, of %d", f.reserve, f.slots))
	}
	return f.err(r)
}

// count counts the live values of a block.
func (f *poolFrame) count(occ uint64) bool {
	f.live += bits.OnesCount64(occ)
	return f.live <= f.limit
}

// has reports whether to has memory for chunk c that can be used again.
func (f *poolFrame) has(c int) bool {
	return f.fits(f.to) && c < len(f.to.floors) && f.to.dir[c<<f.shift] != nil
}

// fits reports whether the frame can use p's memory again. With another seed it cannot, since a
// loop that is in a block makes handles of the seed that it has begun with.
func (f *poolFrame) fits(p *core) bool { return p.shift == f.shift && p.seed() == f.seed }

// chunk reads the floor of a chunk, and whether it is in memory.
func (f *poolFrame) chunk(r *wire.Reader) (floor uint32, in bool) {
	floor = r.Uint32()
	switch m := r.Uint8(); {
	case m > 1:
		r.Fail(-1, fmt.Sprintf("a chunk that is in memory %d times", m))
	case floor&1 != 0 && (m == 1 || floor != usedUp):
		r.Fail(-5, fmt.Sprintf("floor %d of a chunk", floor))
	default:
		in = m == 1
	}
	if in || floor == usedUp {
		f.slots += blockSlots << f.shift
	}
	return floor, in
}

// words is the state of 64 slots in the data.
type words struct{ occ, free, odd uint64 }

// readWords reads the words of a block, and the generations that follow, and checks them. It
// reports false after an error.
func readWords(r *wire.Reader, base, floor uint32, gens *[blockSlots]uint32) (s words, ok bool) {
	s = words{r.Uint64(), r.Uint64(), r.Uint64()}
	retired := ^(s.occ | s.free)
	if s.occ&s.free != 0 {
		r.Fail(-24, "a slot that is both live and vacant")
	}
	if s.odd == 0 && retired == 0 {
		return s, r.Err() == nil
	}
	b := r.Next(4 * bits.OnesCount64(s.odd))
	if r.Err() != nil {
		return s, false
	}
	wrong := uint64(0)
	if floor != 0 {
		wrong = retired &^ s.odd
	}
	for w := s.odd; w != 0 && len(b) >= 4; w &= w - 1 {
		i := bits.TrailingZeros64(w) & 63
		g := binary.LittleEndian.Uint32(b)
		b = b[4:]
		gens[i] = g
		bad := uint64(g)&1 ^ s.occ>>i&1
		if g != base {
			bad |= retired >> i & 1
		}
		wrong |= bad << i
	}
	if wrong != 0 {
		i := bits.TrailingZeros64(wrong) & 63
		r.Fail(0, fmt.Sprintf("a wrong generation in slot %d of a block", i))
	}
	return s, wrong == 0
}

// take gets the memory that to lacks.
func (f *poolFrame) take(fn string) (err error) {
	if f.lacks == 0 {
		return nil
	}
	attempt(func() {
		for range f.lacks {
			var blocks ref
			var piece []byte
			if blocks, piece, err = newBlocks(f.to.kind, f.to.supply, f.shift); err != nil {
				return
			}
			f.chunks, f.pieces = append(f.chunks, blocks), append(f.pieces, piece)
		}
	}, f.giveBack)
	if err != nil {
		f.giveBack()
		return fmt.Errorf("berth: %s: %w: %w", fn, ErrFull, err)
	}
	return nil
}

// giveBack frees the memory that take has got.
func (f *poolFrame) giveBack() {
	for _, b := range f.pieces {
		f.to.supply.free(b)
	}
}

// replace prepares p for fill: it has the directory of the frame, and those of its old chunks that
// the frame has too.
func (f *poolFrame) replace(p *core) {
	for k, b := range p.dir {
		if b != nil {
			p.checkStale(k)
		}
	}
	keep := 0
	if f.fits(p) {
		keep = min(len(p.floors), f.dirChunks)
	}
	for c := keep; c < len(p.floors); c++ {
		f.forget(p, c)
	}
	p.live.Clear()
	p.room.Clear()
	p.spare.Clear()
	p.gone.Clear()
	p.shift, p.reserve, p.tail = f.shift, f.reserve, f.tail
	p.setMode(f.truncate)
	p.salt, p.base = originOf(f.seed)
	p.n, p.chunks, p.spares = 0, 0, 0
	p.ended, p.grown, p.released = 0, 0, 0
	if r := p.rare; r != nil {
		r.retired, r.lost = 0, 0
	}
	p.dir, p.floors = p.dir[:keep<<f.shift], p.floors[:keep]
	p.supply.resize(keep)
}

// forget takes the blocks of chunk c from the directory, and records that their memory is not
// needed.
func (f *poolFrame) forget(p *core, c int) {
	for k := c << p.shift; k < (c+1)<<p.shift; k++ {
		if b := p.dir[k]; b != nil {
			p.kind.leave(b)
			p.dir[k] = nil
		}
	}
	if p.supply != nil && p.supply.pieces[c] != nil {
		f.freed = append(f.freed, p.supply.pieces[c])
		p.supply.pieces[c] = nil
	}
}

// fill reads the chunks into p. If the data was not checked, it takes memory only as it arrives.
func (f *poolFrame) fill(r *wire.Reader, p *core) error {
	f.live = 0
	old := len(p.floors)
	for c := range f.dirChunks {
		floor, in := f.chunk(r)
		if r.Err() != nil {
			return r.Err()
		}
		if c >= len(p.floors) {
			if err := f.extend(r, p, c); err != nil {
				return err
			}
		}
		p.floors[c] = floor
		first := c << p.shift
		switch {
		case !in && floor == usedUp:
			p.rarely().lost += p.chunkSlots()
		case !in:
			p.gone.Add(c)
		}
		if !in {
			if c < old {
				f.forget(p, c)
			}
			continue
		}
		if p.dir[first] == nil {
			if err := f.supply(r, p, c); err != nil {
				return err
			}
		}
		p.chunks++
		for k := first; k < first+1<<p.shift; k++ {
			if err := f.block(r, p, k, floor); err != nil {
				return err
			}
		}
		p.setSpare(c, !p.chunkLives(c))
	}
	p.n, p.grown = f.live, uint64(p.chunks)
	for _, piece := range f.freed {
		p.supply.free(piece)
	}
	return f.end(r)
}

// extend makes the directory of p longer, so that it has chunk c.
func (f *poolFrame) extend(r *wire.Reader, p *core, c int) error {
	n := f.dirChunks
	if !f.checked {
		n = min(n, max(2*c, 64))
		if need := f.dirBytes(n); need > bound(r.Count()) {
			return tooMuch(need, r.Count())
		}
	}
	p.floors = append(p.floors, make([]uint32, n-len(p.floors))...)
	p.resize(n)
	return nil
}

// dirBytes returns the size of the directory of n chunks.
func (f *poolFrame) dirBytes(n int) uint64 { return uint64(n) << f.shift * 8 }

// chunkBytes returns the size of a chunk.
func (f *poolFrame) chunkBytes() uint64 {
	return uint64(f.to.kind.block) << f.shift
}

// tooMuch returns the error for data that needs more memory than bound allows.
func tooMuch(need uint64, data int64) error {
	return fmt.Errorf("%w: %d bytes of memory for %d bytes of data", ErrFull, need, data)
}

// supply gives chunk c of p memory.
func (f *poolFrame) supply(r *wire.Reader, p *core, c int) error {
	var blocks ref
	var piece []byte
	if n := len(f.chunks); n > 0 {
		blocks, piece = f.chunks[n-1], f.pieces[n-1]
		f.chunks, f.pieces = f.chunks[:n-1], f.pieces[:n-1]
	} else {
		if need := uint64(p.chunks+1) * f.chunkBytes(); need > bound(r.Count()) {
			return tooMuch(need, r.Count())
		}
		var err error
		if blocks, piece, err = p.newBlocks(); err != nil {
			return fmt.Errorf("%w: %w", ErrFull, err)
		}
	}
	if p.supply != nil {
		p.supply.pieces[c] = piece
	}
	for i := range 1 << p.shift {
		b := p.kind.nth(blocks, i)
		p.kind.poison(b)
		p.dir[c<<p.shift+i] = b
	}
	return nil
}

// block reads block k.
func (f *poolFrame) block(r *wire.Reader, p *core, k int, floor uint32) error {
	b := p.dir[k]
	was := b.occ
	s, ok := readWords(r, p.base, floor, &f.odd)
	if !ok || !f.count(s.occ) {
		return f.err(r)
	}
	setWords(b, s, p.base+floor, &f.odd)
	if poison.On || !f.flat() {
		for w := was | b.occ; w != 0; w &= w - 1 {
			p.kind.clear(p.kind.val(b, bits.TrailingZeros64(w)), 1)
		}
	}
	for w := was &^ b.occ; w != 0; w &= w - 1 {
		p.kind.vacate(p.kind.val(b, bits.TrailingZeros64(w)))
	}
	if retired := blockSlots - bits.OnesCount64(b.occ|b.free); retired > 0 {
		p.rarely().retired += retired
	}
	if b.free != 0 {
		p.room.Add(k)
	}
	if b.occ != 0 {
		p.live.Add(k)
	}
	return f.codec.read(r, valsOf(b), b.occ, p.salt+uint32(k<<6), &b.gens)
}

// flat reports whether reading a value overwrites all of it.
func (f *poolFrame) flat() bool { return f.get == nil && f.Layout != nil && f.Flat() }

// become gives p the state of q, and the memory. q must not be used again. p keeps its Limit,
// Memory and hooks.
func (p *core) become(q *core) {
	for k, b := range p.dir {
		if b != nil {
			p.checkStale(k)
			p.kind.leave(b)
		}
	}
	old := p.supply
	p.supply = q.supply
	p.salt, p.base, p.n = q.salt, q.base, q.n
	p.dir, p.floors, p.tail = q.dir, q.floors, q.tail
	p.room, p.live, p.spare, p.gone = q.room, q.live, q.spare, q.gone
	p.shift, p.reserve = q.shift, q.reserve
	p.setMode(q.truncate)
	p.chunks, p.spares = q.chunks, q.spares
	p.ended, p.grown, p.released = q.ended, q.grown, q.released
	if retired, lost := q.rare.worn(); p.rare != nil || retired+lost > 0 {
		p.rarely().retired, p.rare.lost = retired, lost
	}
	old.freeAll()
	p.loaded()
}

// loaded is called when p has been loaded.
func (p *core) loaded() {
	for _, c := range p.rare.tables() {
		c.loaded()
	}
	p.forgetFrames()
	p.changed()
}
