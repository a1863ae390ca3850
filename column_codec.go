package berth

import (
	"encoding"
	"errors"
	"fmt"
	"math/bits"

	"github.com/seed505807e1/berth/internal/plain"
	"github.com/seed505807e1/berth/internal/poison"
	"github.com/seed505807e1/berth/internal/wire"
)

var (
	_ encoding.BinaryAppender    = (*Column[int, int])(nil)
	_ encoding.BinaryMarshaler   = (*Column[int, int])(nil)
	_ encoding.BinaryUnmarshaler = (*Column[int, int])(nil)
)

var errColumnClosed = errors.New("the column is closed")

// columnHeadBytes is the number of bytes before the first block.
const columnHeadBytes = 4 + 4

// AppendBinary implements [encoding.BinaryAppender]. It appends the Vs of c to b, with the handles
// of their values. The values themselves are in the bytes of the Pool, which must be saved at the
// same time.
//
// It fails, and returns b unchanged, if V has Go pointers or c is closed. For a V without int, uint
// and uintptr, the bytes are the same on every machine.
// Cost: O(Len); allocates if b has no room.
func (c *Column[T, V]) AppendBinary(b []byte) ([]byte, error) {
	return c.appendBinary("Column.AppendBinary", b)
}

// MarshalBinary implements [encoding.BinaryMarshaler]. It returns the bytes of
// [Column.AppendBinary].
// Cost: as AppendBinary; allocates the bytes.
func (c *Column[T, V]) MarshalBinary() ([]byte, error) {
	return c.appendBinary("Column.MarshalBinary", nil)
}

// appendBinary writes the contents of the frame of a Column:
//
//	4  seed of the Pool
//	4  blocks with a V, and for each, by ascending number:
//	   4  the number of the block
//	   8  the slots with a V, a bit each
//	   4  for each of these: the generation
//	      the Vs, in the order of the slots
func (c *Column[T, V]) appendBinary(fn string, b []byte) ([]byte, error) {
	vs, err := c.codec(fn)
	if err != nil {
		return b, err
	}
	n := columnHeadBytes + c.blocks*12 + c.n*(4+vs.Encoded)
	var w wire.Writer
	w.Append(grown(b, wire.FrameBytes(vs.Desc, n)), wire.Column, vs.Desc)
	w.Uint32(look(c.p).seed())
	w.Uint32(uint32(c.blocks))
	for k := c.live.First(); k >= 0; k = c.live.Next(k + 1) {
		b := c.dir[k]
		w.Uint32(uint32(k))
		w.Uint64(b.occ)
		for slots := b.occ; slots != 0; slots &= slots - 1 {
			w.Uint32(b.gens[bits.TrailingZeros64(slots)])
		}
		_ = vs.write(&w, refTo(&b.vals), b.occ) // fails only for a codec with functions
	}
	w.End()
	return w.Frame(), nil
}

// codec returns the codec for the Vs. It fails if c is closed.
func (c *Column[T, V]) codec(fn string) (codec, error) {
	vs, err := codecOf(fn, plain.TypeFor[V]())
	if err == nil && c.p == nil {
		err = fmt.Errorf("berth: %s: %w", fn, errColumnClosed)
	}
	return vs, err
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. It replaces the Vs of c by those that
// data holds. Load the Pool first: every V must belong to a value that is live in it, by the same
// handle.
//
// If it fails, c is unchanged. The error wraps [ErrCorrupt] if data is damaged, holds something
// else or Vs of another type, or has a V for a handle that is not live. It wraps [ErrFull] if c
// would need more than 256 MiB and 64 times len(data).
// Cost: O(Len) of both; allocates the blocks that c lacks.
// Ends: pointers of c.
//
//berth:ends emptied
func (c *Column[T, V]) UnmarshalBinary(data []byte) error {
	const fn = "Column.UnmarshalBinary"
	vs, err := c.codec(fn)
	if err != nil {
		return err
	}
	size := int64(len(data))
	var r wire.Reader
	r.Read(data, false)
	err = c.readBlocks(&r, size, &vs, func(_ int, slots uint64, _ *[blockSlots]uint32) error {
		vs.check(&r, bits.OnesCount64(slots))
		return r.Err()
	})
	if err == nil {
		err = r.End()
	}
	if err != nil {
		return corrupt(fn, err)
	}
	r.Read(data, true)
	c.cleared()
	err = c.readBlocks(&r, size, &vs, func(k int, slots uint64, gens *[blockSlots]uint32) error {
		return c.load(&r, &vs, k, slots, gens)
	})
	if err != nil {
		panic("berth: " + fn + ": data changed while it was read: " + err.Error())
	}
	c.changed()
	return nil
}

// readBlocks reads the frame, of the given size, and checks all but the Vs, which put reads for
// each block.
func (c *Column[T, V]) readBlocks(
	r *wire.Reader, size int64, vs *codec,
	put func(k int, slots uint64, gens *[blockSlots]uint32) error,
) error {
	if err := r.Open(wire.Column, vs.Desc); err != nil {
		return err
	}
	if seed := r.Uint32(); r.Err() == nil && seed != look(c.p).seed() {
		r.Fail(-4, fmt.Sprintf("seed %d, but the Pool has seed %d", seed, look(c.p).seed()))
	}
	blocks := r.Uint32()
	if r.Err() == nil && uint64(blocks) > uint64(len(c.p.dir)) {
		r.Fail(-4, fmt.Sprintf("%d blocks, but the Pool has %d", blocks, len(c.p.dir)))
	}
	if r.Err() != nil {
		return r.Err()
	}
	need := uint64(blocks) * uint64(plain.TypeFor[block[V]]().Size())
	if int(blocks) > c.blocks+len(c.spares) && need > bound(size) {
		return tooMuch(need, size)
	}
	last := -1
	var gens [blockSlots]uint32
	for range blocks {
		k, slots := int64(r.Uint32()), r.Uint64()
		if r.Err() != nil {
			return r.Err()
		}
		if k <= int64(last) || k >= int64(len(c.p.dir)) || c.p.dir[k] == nil || slots == 0 {
			r.Fail(-12, fmt.Sprintf("block %d after %d, with Vs %x, of %d blocks",
				k, last, slots, len(c.p.dir)))
			return r.Err()
		}
		last = int(k)
		values := c.p.dir[last]
		for w := slots; w != 0; w &= w - 1 {
			i := bits.TrailingZeros64(w)
			gens[i] = r.Uint32()
			if r.Err() == nil && (values.occ>>i&1 == 0 || values.gens[i] != gens[i]) {
				h := Handle[T]{id: id{c.salt + uint32(last<<6+i), gens[i]}}
				r.Fail(-4, fmt.Sprintf("%v has a V, and is not live", h))
			}
		}
		if r.Err() != nil {
			return r.Err()
		}
		if err := put(last, slots, &gens); err != nil {
			return err
		}
	}
	return r.Err()
}

// load reads the Vs at the given slots of block k, which has none.
func (c *Column[T, V]) load(
	r *wire.Reader, vs *codec, k int, slots uint64, gens *[blockSlots]uint32,
) error {
	b := c.open(k)
	if c.log != nil {
		c.log.noteAll(b, k, slots)
	}
	for w := slots; w != 0; w &= w - 1 {
		i := bits.TrailingZeros64(w)
		if poison.On {
			c.reuse(b, k, i)
		}
		b.gens[i] = gens[i]
	}
	b.occ = slots
	c.n += bits.OnesCount64(slots)
	return vs.read(r, refTo(&b.vals), slots, 0, gens)
}
