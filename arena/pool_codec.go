package arena

import (
	"math"
	"math/bits"

	"github.com/seed505807e1/berth/internal/wire"
)

// AppendBinary appends the result of [Pool.MarshalBinary] to b. If it fails, it returns b
// unchanged.
//
// Cost: O(Len), and O(Cap/64); allocates if b has no room.
func (p *Pool[T]) AppendBinary(b []byte) ([]byte, error) {
	return p.appendBinary("Pool.AppendBinary", b)
}

// MarshalBinary encodes the values and their indices. For types without int, uint and uintptr, the
// bytes are the same on every machine. It fails if T holds a [Nested], whose values lie outside the
// Pool.
//
// Cost: O(Len), and O(Cap/64); allocates the bytes.
func (p *Pool[T]) MarshalBinary() ([]byte, error) {
	return p.appendBinary("Pool.MarshalBinary", nil)
}

func (p *Pool[T]) appendBinary(fn string, b []byte) ([]byte, error) {
	p.mem.check(fn)
	e, err := codecOf[T](fn)
	if err != nil {
		return b, err
	}
	dir := p.dir
	for len(dir) > 0 && dir[len(dir)-1].occ == 0 {
		dir = dir[:len(dir)-1]
	}
	w := begin(b, wire.ArenaPool, e, 8+8*len(dir)+p.n*e.Encoded)
	w.Uint64(uint64(len(dir)))
	for _, k := range dir {
		w.Uint64(k.occ)
	}
	for _, k := range dir {
		writeRuns(w, e, k.vals[:], k.occ)
	}
	return finish(w), nil
}

// UnmarshalBinary replaces the values of p by those encoded in data, at the same indices. It
// returns [ErrCorrupt] if data is not a marshalled Pool of this type, [ErrNoSpace] if the arena has
// no room, and an error if T holds a [Nested]. If it fails, p is unchanged. Types with different
// names but the same fields are the same type. The blocks of p are reused. The data must not lie in
// them.
//
// For each 8 bytes that describe a block, UnmarshalBinary takes memory for 64 values, even if few
// of them are live. In a Chunked arena without a limit, it takes at most 256 MiB plus 64 times
// len(data). If the values need more, call [Pool.Grow] first.
//
// Cost: O(slots); takes the missing blocks from the arena, and allocates nothing if none is
// missing.
//
// Ends: earlier indices, and pointers to values.
//
//berth:ends emptied
//berth:clones
func (p *Pool[T]) UnmarshalBinary(data []byte) error {
	const fn = "Pool.UnmarshalBinary"
	p.mem.check(fn)
	r, e, err := openOf[T](fn, data, wire.ArenaPool)
	if err != nil {
		return err
	}
	defer r.close()
	blocks, n, err := r.occupancy()
	if err == nil {
		err = r.values(e, n)
	}
	if err != nil {
		return err
	}
	old := len(p.dir)
	if more := blocks - old; more > 0 {
		if !mayTake[poolBlock[T]](p.mem.a, more, len(r.data)) || !p.addBlocks(more) {
			return r.noSpace()
		}
	}
	r.again()
	r.Uint64()
	p.n = int(n)
	p.live.Clear()
	p.room.Clear()
	for k, b := range p.dir {
		if k < old {
			*b = poolBlock[T]{}
		}
		if k < blocks {
			b.occ = r.Uint64()
		}
		if b.occ != 0 {
			p.live.Add(k)
		}
		if b.occ != math.MaxUint64 {
			p.room.Add(k)
		}
	}
	for _, b := range p.dir[:blocks] {
		readRuns(r, e, b.vals[:], b.occ)
	}
	r.loaded()
	p.changed()
	return nil
}

// occupancy reads the occupancy words of a Pool, and returns the numbers of blocks and of values.
func (r *loader) occupancy() (blocks int, n uint64, err error) {
	count := r.Uint64()
	if !r.fits(count, 8) {
		return 0, 0, r.failed()
	}
	last := uint64(1)
	for range count {
		last = r.Uint64()
		n += uint64(bits.OnesCount64(last))
	}
	if last == 0 {
		r.Fail(-8, "the last block is empty")
	}
	return int(count), n, r.failed()
}
