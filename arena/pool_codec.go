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

// AppendBinary appends what [Pool.MarshalBinary] returns to b. On an error, it returns b.
// Cost: O(Len), and O(Cap/64); allocates if b has no room.
func (p *Pool[T]) AppendBinary(b []byte) ([]byte, error) {
	return p.appendBinary("Pool.AppendBinary", b)
}

// MarshalBinary returns the values and their indices as bytes, which are the same on every machine
// for types without int, uint and uintptr. It returns an error if T holds a [Nested], whose values
// are not here.
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

// UnmarshalBinary makes the values of p those that were marshalled to data, at the same indices;
// the next insert takes the lowest vacant slot, as ever. It fails with [ErrCorrupt] if data is not
// what a Pool of this type was marshalled to, and with [ErrNoSpace] if the arena has no room;
// nothing changes then. A T that holds a [Nested] is an error too. A type of another name with the
// same fields is the same type. The blocks of p serve again. Data must not lie in them.
//
// What is taken of the arena is 64 values for each 8 bytes that data has for a block, also where
// few of them are there. Of an arena of chunks, which has no end, no more than 256 MiB and 64 times
// len(data) are taken; for more than that, Reserve it before.
// Cost: O(slots); takes the blocks that p lacks, and allocates nothing if it lacks none.
// Ends: indices of what was there before, and pointers to values.
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

// occupancy reads the words that say which slots of a Pool hold values, and counts these.
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

// appendRuns appends those of vals that have a bit in occ to b.
func appendRuns[T any](b []byte, l *layout.Layout, vals []T, occ uint64) []byte {
	for occ != 0 {
		i, n := firstRun(occ)
		b = l.Append(b, bytesOf(vals[i:i+n]))
		occ &^= (1<<n - 1) << i
	}
	return b
}

// decodeRuns reads those of vals, which are all zero, that have a bit in occ from b, and returns
// what follows.
func decodeRuns[T any](b []byte, l *layout.Layout, vals []T, occ uint64) []byte {
	for occ != 0 {
		i, n := firstRun(occ)
		b = l.Decode(bytesOf(vals[i:i+n]), b)
		occ &^= (1<<n - 1) << i
	}
	return b
}

// firstRun returns the place of the lowest bit that is set in w, and how many are from there on.
func firstRun(w uint64) (i, n int) {
	i = bits.TrailingZeros64(w)
	return i, bits.TrailingZeros64(^(w >> i))
}
