package berth

import (
	"errors"
	"fmt"
	"math/bits"
	"reflect"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/plain"
	"github.com/seed505807e1/berth/internal/wire"
)

// AppendBinary implements [encoding.BinaryAppender]. It appends the Vs of c to b, with the handles
// of their values. The values themselves are in the bytes of the Pool, which must be saved at the
// same time.
//
// It fails, and returns b unchanged, if V has Go pointers or c is closed. For a V without int, uint
// and uintptr, the bytes are the same on every machine.
// Cost: O(Len); allocates if b has no room.
func (c *Column[T, V]) AppendBinary(b []byte) ([]byte, error) {
	return blocksOf(c).append("AppendBinary", b)
}

// MarshalBinary implements [encoding.BinaryMarshaler]. It returns the bytes of
// [Column.AppendBinary].
// Cost: as AppendBinary; allocates the bytes.
func (c *Column[T, V]) MarshalBinary() ([]byte, error) {
	return blocksOf(c).append("MarshalBinary", nil)
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
	err := blocksOf(c).load(data, c.cleared,
		func(k int, slots uint64, gens *[blockSlots]uint32) *head {
			return &c.fill(k, slots, gens).head
		})
	if err == nil {
		c.changed()
	}
	return err
}

// columnBlocks is a Column for the code that saves and loads it, which is compiled once.
type columnBlocks struct {
	pool   *core // nil for a closed Column
	elem   reflect.Type
	block  func(k int) *head
	live   *bitset.Set
	blocks int     // with a V
	spares int     // without
	bytes  uintptr // of a block
	n      int
}

// blocksOf returns the blocks of c.
func blocksOf[T, V any](c *Column[T, V]) columnBlocks {
	return columnBlocks{
		look(c.p), plain.TypeFor[V](), func(k int) *head { return &c.dir[k].head }, &c.live,
		c.blocks, len(c.spares), plain.TypeFor[block[V]]().Size(), c.n,
	}
}

var errColumnClosed = errors.New("the column is closed")

// columnCodec returns the codec for Vs of type t, unless the column is closed.
func columnCodec(op string, kind wire.Kind, t reflect.Type, closed bool) (codec, error) {
	c, err := codecOf(op, kind, t)
	if err == nil && closed {
		err = c.failed(errColumnClosed)
	}
	return c, err
}

// columnHeadBytes is the number of bytes before the first block of a Column, or the first handle of
// a DenseColumn.
const columnHeadBytes = 4 + 4

// append writes the contents of the frame of a Column:
//
//	4  seed of the Pool
//	4  blocks with a V, and for each, by ascending number:
//	   4  the number of the block
//	   8  the slots with a V, a bit each
//	   4  for each of these: the generation
//	      the Vs, in the order of the slots
func (s columnBlocks) append(op string, b []byte) ([]byte, error) {
	c, err := columnCodec(op, wire.Column, s.elem, s.pool == nil)
	if err != nil {
		return b, err
	}
	var w wire.Writer
	beginAppend(&w, b, &c, columnHeadBytes+s.blocks*12+s.n*(4+c.Encoded))
	w.Uint32(s.pool.seed())
	w.Uint32(uint32(s.blocks))
	for k := s.live.First(); k >= 0; k = s.live.Next(k + 1) {
		b := s.block(k)
		w.Uint32(uint32(k))
		w.Uint64(b.occ)
		for slots := b.occ; slots != 0; slots &= slots - 1 {
			w.Uint32(b.gens[bits.TrailingZeros64(slots)])
		}
		c.writeBlock(&w, b, 0)
	}
	w.End()
	return w.Frame(), nil
}

// load replaces the Vs by those of data: clear removes all, and fill makes slots of a block live.
func (s columnBlocks) load(data []byte, clear func(), fill fillBlock) error {
	c, err := columnCodec("UnmarshalBinary", wire.Column, s.elem, s.pool == nil)
	if err != nil {
		return err
	}
	var r wire.Reader
	return c.twice(&r, data,
		func() error { return s.read(&r, &c, len(data), nil) },
		func() error {
			clear()
			return s.read(&r, &c, len(data), fill)
		})
}

// fillBlock makes the given slots of block k, which has no V, live, and returns the block.
type fillBlock func(k int, slots uint64, gens *[blockSlots]uint32) *head

// read reads the frame, which has size bytes. Without fill, it only checks.
func (s columnBlocks) read(r *wire.Reader, c *codec, size int, fill fillBlock) error {
	dir := s.pool.dir
	blocks := openColumn(r, c, s.pool, wire.Pool)
	if uint64(blocks) > uint64(len(dir)) {
		r.Fail(-4, fmt.Sprintf("%d blocks, but the Pool has %d", blocks, len(dir)))
	}
	if int64(blocks) > int64(s.blocks+s.spares) {
		r.Stop(allow(uint64(blocks)*uint64(s.bytes), int64(size)))
	}
	last := int64(-1)
	var gens [blockSlots]uint32
	for n := blocks; n > 0 && r.Err() == nil; n-- {
		k, slots := int64(r.Uint32()), r.Uint64()
		if k <= last || k >= int64(len(dir)) || dir[k] == nil || slots == 0 {
			r.Fail(-12, fmt.Sprintf("block %d after %d, with Vs %x, of %d blocks",
				k, last, slots, len(dir)))
			break
		}
		last = k
		for w := slots; w != 0; w &= w - 1 {
			i := bits.TrailingZeros64(w) & 63
			gens[i] = r.Uint32()
			if b := dir[k]; b.occ>>i&1 == 0 || b.gens[i] != gens[i] {
				h := id{s.pool.salt + uint32(k<<6) + uint32(i), gens[i]}
				r.Fail(-4, textOf(h)+" has a V, and is not live")
				return r.Err()
			}
		}
		if fill == nil {
			c.check(r, bits.OnesCount64(slots))
			continue
		}
		c.readBlock(r, fill(int(k), slots, &gens), 0)
	}
	return r.End()
}

// openColumn opens the frame of a column of p, the Pool or the index of the Dense. It returns the
// number that follows the seed, or 0 after an error.
func openColumn(r *wire.Reader, c *codec, p *core, owner wire.Kind) uint32 {
	_ = r.Open(c.kind, c.Desc) // r keeps the error
	if seed := r.Uint32(); seed != p.seed() {
		r.Fail(-4, fmt.Sprintf("seed %d, but the %v has seed %d", seed, owner, p.seed()))
	}
	return r.Uint32()
}

// AppendBinary implements [encoding.BinaryAppender]. It appends the Vs of c to b, with the handles
// of their values. The values themselves are in the bytes of the Dense, which must be saved at the
// same time. It fails as [Column.AppendBinary] does.
// Cost: O(Len); allocates if b has no room, and when the Dense has grown.
// Ends: pointers of c, if the Dense has grown.
//
//berth:ends some
func (c *DenseColumn[T, V]) AppendBinary(b []byte) ([]byte, error) {
	return appendDenseColumn(c, "AppendBinary", b)
}

// MarshalBinary implements [encoding.BinaryMarshaler]. It returns the bytes of
// [DenseColumn.AppendBinary].
// Cost: as AppendBinary; allocates the bytes.
// Ends: as AppendBinary.
//
//berth:ends some
func (c *DenseColumn[T, V]) MarshalBinary() ([]byte, error) {
	return appendDenseColumn(c, "MarshalBinary", nil)
}

// appendDenseColumn is AppendBinary and MarshalBinary.
func appendDenseColumn[T, V any](c *DenseColumn[T, V], op string, b []byte) ([]byte, error) {
	vs, err := columnCodec(op, wire.DenseColumn, plain.TypeFor[V](), c.d == nil)
	if err != nil {
		return b, err
	}
	c.reach(len(c.d.vals))
	return lookDense(c.d).appendColumn(&vs, b, firstOf(c.vals)), nil
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. It replaces the Vs of c by those that
// data holds. Load the Dense first: every V must belong to a value that is live in it, by the same
// handle. A value without a V in data gets the zero V.
//
// If it fails, c is unchanged. The error wraps [ErrCorrupt] if data is damaged, holds something
// else or Vs of another type, or has a V for a handle that is not live.
// Cost: O(Len) of both; allocates a list of the places, and when the Dense has grown.
// Ends: pointers of c, if the Dense has grown.
//
//berth:ends some
func (c *DenseColumn[T, V]) UnmarshalBinary(data []byte) error {
	vs, err := columnCodec("UnmarshalBinary", wire.DenseColumn, plain.TypeFor[V](), c.d == nil)
	if err != nil {
		return err
	}
	err = denseOf(c.d).loadColumn(&vs, data, func() ref {
		c.cut(0)
		c.reach(len(c.d.vals))
		c.log.noteFrom(0)
		return firstOf(c.vals)
	})
	if err == nil {
		c.changed()
	}
	return err
}

// appendColumn writes the contents of the frame of a DenseColumn, whose Vs lie from first on:
//
//	4  seed of the Dense
//	4  values, and for each, in the order of the places:
//	   4  the number of its slot
//	   4  its generation
//	   the Vs, in the same order
func (d *dense) appendColumn(c *codec, b []byte, first ref) []byte {
	var w wire.Writer
	beginAppend(&w, b, c, columnHeadBytes+d.index.n*(8+c.Encoded))
	w.Uint32(d.index.look().seed())
	w.Uint32(uint32(d.index.n))
	for _, h := range d.owner {
		if h.gen&1 != 0 {
			w.Uint32(h.index - d.index.salt)
			w.Uint32(h.gen)
		}
	}
	d.writeValues(&w, c, first)
	w.End()
	return w.Frame()
}

// loadColumn reads what appendColumn has written. clear makes all Vs zero and returns the first.
func (d *dense) loadColumn(c *codec, data []byte, clear func() ref) error {
	var r wire.Reader
	return c.twice(&r, data,
		func() error {
			c.check(&r, len(d.readHandles(&r, c)))
			return r.End()
		},
		func() error {
			places := d.readHandles(&r, c)
			first := clear()
			for i := 0; i < len(places); {
				place, n := int(places[i]), 1
				for i+n < len(places) && int(places[i+n]) == place+n {
					n++
				}
				c.read(&r, first, place, n, nil)
				i += n
			}
			return r.Err()
		})
}

// readHandles reads the frame of a DenseColumn up to the Vs, and returns the places of their
// values.
func (d *dense) readHandles(r *wire.Reader, c *codec) (places []uint32) {
	n := openColumn(r, c, d.index.look(), wire.Dense)
	if uint64(n) > uint64(d.index.n) {
		r.Fail(-4, fmt.Sprintf("%d Vs for %d values", n, d.index.n))
	}
	if r.Err() != nil {
		return nil
	}
	taken := d.rarely().places.reset(d.vals.n)
	places = make([]uint32, 0, n)
	for range n {
		h := id{d.index.salt + r.Uint32(), r.Uint32()}
		i := d.placeOf(h)
		if i < 0 || !taken.add(uint32(i)) {
			r.Fail(-8, textOf(h)+" has a V, and is not live or has two")
			return nil
		}
		places = append(places, uint32(i))
	}
	return places
}
