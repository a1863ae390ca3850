package arena

import (
	"encoding"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/seed505807e1/berth/internal/layout"
)

var (
	_ encoding.BinaryAppender    = (*Pool[int])(nil)
	_ encoding.BinaryMarshaler   = (*Pool[int])(nil)
	_ encoding.BinaryUnmarshaler = (*Pool[int])(nil)
)

// AppendBinary appends the result of [Pool.MarshalBinary] to b. If it fails, it returns b
// unchanged.
// Cost: O(Len), and O(Cap/64); allocates if b has no room.
func (p *Pool[T]) AppendBinary(b []byte) ([]byte, error) {
	return p.appendBinary("Pool.AppendBinary", b)
}

// MarshalBinary encodes the values and their indices. For types without int, uint and uintptr, the
// bytes are the same on every machine. It fails if T holds a [Nested], whose values lie outside the
// Pool.
// Cost: O(Len), and O(Cap/64); allocates the bytes.
func (p *Pool[T]) MarshalBinary() ([]byte, error) {
	return p.appendBinary("Pool.MarshalBinary", nil)
}

func (p *Pool[T]) appendBinary(fn string, b []byte) ([]byte, error) {
	p.mem.check(fn)
	l, err := layoutOf[T](fn)
	if err != nil {
		return b, err
	}
	dir := p.dir
	for len(dir) > 0 && dir[len(dir)-1].occ == 0 {
		dir = dir[:len(dir)-1]
	}
	start := len(b)
	b = slices.Grow(b, headBytes+8+8*len(dir)+p.n*l.Encoded+sumBytes)
	b = headOf(wirePool, l).begin(b)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(dir)))
	for _, k := range dir {
		b = binary.LittleEndian.AppendUint64(b, k.occ)
	}
	for _, k := range dir {
		b = appendRuns(b, l, k.vals[:], k.occ)
	}
	return finish(b, start), nil
}

// UnmarshalBinary replaces the values of p by those encoded in data, at the same indices. It
// returns [ErrCorrupt] if data is not a marshalled Pool of this type, [ErrNoSpace] if the arena has
// no room, and an error if T holds a [Nested]. If it fails, p is unchanged. Types with different
// names but the same fields are the same type. The blocks of p are reused. The data must not lie in
// them.
//
// For each 8 bytes that describe a block, UnmarshalBinary takes memory for 64 values, even if few
// of them are live. In a Chunked arena without a limit, it takes at most 256 MiB plus 64 times
// len(data). If the values need more, call [Pool.Reserve] first.
// Cost: O(slots); takes the missing blocks from the arena, and allocates nothing if none is
// missing.
// Ends: earlier indices, and pointers to values.
func (p *Pool[T]) UnmarshalBinary(data []byte) error {
	const fn = "Pool.UnmarshalBinary"
	p.mem.check(fn)
	l, err := layoutOf[T](fn)
	if err != nil {
		return err
	}
	var r reader
	if err := r.open(fn, data, headOf(wirePool, l), 8); err != nil {
		return err
	}
	words, n, err := r.occupancy()
	if err != nil {
		return err
	}
	vals, err := r.values(n, l)
	if err != nil {
		return err
	}
	old := len(p.dir)
	if more := len(words)/8 - old; more > 0 {
		if !mayTake[poolBlock[T]](p.mem.a, more, len(data)) || !p.addBlocks(more) {
			return r.noSpace()
		}
	}
	p.n = int(n)
	p.live.Clear()
	p.room.Clear()
	for k, b := range p.dir {
		if k < old {
			*b = poolBlock[T]{}
		}
		if len(words) > 0 {
			b.occ = binary.LittleEndian.Uint64(words)
			words = words[8:]
		}
		vals = decodeRuns(vals, l, b.vals[:], b.occ)
		if b.occ != 0 {
			p.live.Add(k)
		}
		if b.occ != math.MaxUint64 {
			p.room.Add(k)
		}
	}
	p.changed()
	return nil
}

// occupancy reads the occupancy words of a Pool, and counts the values.
func (r *reader) occupancy() (words []byte, n uint64, err error) {
	words, err = r.take(r.uint64(), 8, "blocks")
	if err != nil {
		return nil, 0, err
	}
	last := uint64(1)
	for w := words; len(w) > 0; w = w[8:] {
		last = binary.LittleEndian.Uint64(w)
		n += uint64(bits.OnesCount64(last))
	}
	if last == 0 {
		r.at -= 8
		return nil, 0, r.corrupt("the last block is empty")
	}
	return words, n, nil
}

// appendRuns appends to b the values that have a bit in occ.
func appendRuns[T any](b []byte, l *layout.Layout, vals []T, occ uint64) []byte {
	for occ != 0 {
		i, n := firstRun(occ)
		b = l.Append(b, bytesOf(vals[i:i+n]))
		occ &^= (1<<n - 1) << i
	}
	return b
}

// decodeRuns decodes from b the values that have a bit in occ, and returns the rest of b. All of
// vals is zero before.
func decodeRuns[T any](b []byte, l *layout.Layout, vals []T, occ uint64) []byte {
	for occ != 0 {
		i, n := firstRun(occ)
		b = l.Decode(bytesOf(vals[i:i+n]), b)
		occ &^= (1<<n - 1) << i
	}
	return b
}

// firstRun returns the position of the lowest set bit of w, and the length of the run of set bits
// there.
func firstRun(w uint64) (i, n int) {
	i = bits.TrailingZeros64(w)
	return i, bits.TrailingZeros64(^(w >> i))
}
