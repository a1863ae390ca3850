package slots

import (
	"errors"
	"fmt"
	"math/bits"
	"reflect"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/wire"
)

// ColumnBlocks is a Column for the code that saves and loads it, which is compiled once.
type ColumnBlocks struct {
	Pool   *Core // nil for a closed Column
	Elem   reflect.Type
	Block  func(k int) *Head
	Live   *bitset.Set
	Blocks int     // with a V
	Spares int     // without
	Bytes  uintptr // of a block
	N      int
}

// ErrColumnClosed is the error of the methods that save or load a closed column.
var ErrColumnClosed = errors.New("the column is closed")

// ColumnCodec returns the codec for Vs of type t, unless the column is closed.
func ColumnCodec(op string, kind wire.Kind, t reflect.Type, closed bool) (codec, error) {
	c, err := CodecOf(op, kind, t)
	if err == nil && closed {
		err = c.failed(ErrColumnClosed)
	}
	return c, err
}

// columnHeadBytes is the number of bytes before the first block of a Column, or the first handle of
// a DenseColumn.
const columnHeadBytes = 4 + 4

// Append writes the contents of the frame of a Column:
//
//	4  seed of the Pool
//	4  blocks with a V, and for each, by ascending number:
//	   4  the number of the block
//	   8  the slots with a V, a bit each
//	   4  for each of these: the generation
//	      the Vs, in the order of the slots
func (s ColumnBlocks) Append(op string, b []byte) ([]byte, error) {
	c, err := ColumnCodec(op, wire.Column, s.Elem, s.Pool == nil)
	if err != nil {
		return b, err
	}
	var w wire.Writer
	beginAppend(&w, b, &c, columnHeadBytes+s.Blocks*12+s.N*(4+c.Encoded))
	w.Uint32(s.Pool.Seed())
	w.Uint32(uint32(s.Blocks))
	for k := s.Live.First(); k >= 0; k = s.Live.Next(k + 1) {
		b := s.Block(k)
		w.Uint32(uint32(k))
		w.Uint64(b.Occ)
		for slots := b.Occ; slots != 0; slots &= slots - 1 {
			w.Uint32(b.Gens[bits.TrailingZeros64(slots)])
		}
		c.writeBlock(&w, b, 0)
	}
	w.End()
	return w.Frame(), nil
}

// Load replaces the Vs by those of data: clear removes all, and fill makes slots of a block live.
func (s ColumnBlocks) Load(data []byte, clear func(), fill fillBlock) error {
	c, err := ColumnCodec("UnmarshalBinary", wire.Column, s.Elem, s.Pool == nil)
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

// read reads the frame, which has size bytes. Without fill, it only checks.
func (s ColumnBlocks) read(r *wire.Reader, c *codec, size int, fill fillBlock) error {
	dir := s.Pool.Dir
	blocks := openColumn(r, c, s.Pool, wire.Pool)
	if uint64(blocks) > uint64(len(dir)) {
		r.Fail(-4, fmt.Sprintf("%d blocks, but the Pool has %d", blocks, len(dir)))
	}
	if int64(blocks) > int64(s.Blocks+s.Spares) {
		r.Stop(allow(uint64(blocks)*uint64(s.Bytes), int64(size)))
	}
	last := int64(-1)
	var gens [BlockSlots]uint32
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
			if b := dir[k]; b.Occ>>i&1 == 0 || b.Gens[i] != gens[i] {
				h := ID{s.Pool.Salt + uint32(k<<6) + uint32(i), gens[i]}
				r.Fail(-4, TextOf(h)+" has a V, and is not live")
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

// fillBlock makes the given slots of block k, which has no V, live, and returns the block.
type fillBlock func(k int, slots uint64, gens *[BlockSlots]uint32) *Head

// openColumn opens the frame of a column of p, the Pool or the index of the Dense. It returns the
// number that follows the seed, or 0 after an error.
func openColumn(r *wire.Reader, c *codec, p *Core, owner wire.Kind) uint32 {
	_ = r.Open(c.kind, c.Desc) // r keeps the error
	if seed := r.Uint32(); seed != p.Seed() {
		r.Fail(-4, fmt.Sprintf("seed %d, but the %v has seed %d", seed, owner, p.Seed()))
	}
	return r.Uint32()
}

// AppendColumn writes the contents of the frame of a DenseColumn, whose Vs lie from first on:
//
//	4  seed of the Dense
//	4  values, and for each, in the order of the places:
//	   4  the number of its slot
//	   4  its generation
//	   the Vs, in the same order
func (d *Dense) AppendColumn(c *codec, b []byte, first Ref) []byte {
	var w wire.Writer
	beginAppend(&w, b, c, columnHeadBytes+d.Index.N*(8+c.Encoded))
	w.Uint32(d.Index.Look().Seed())
	w.Uint32(uint32(d.Index.N))
	for _, h := range d.Owner {
		if h.Gen&1 != 0 {
			w.Uint32(h.Index - d.Index.Salt)
			w.Uint32(h.Gen)
		}
	}
	d.writeValues(&w, c, first)
	w.End()
	return w.Frame()
}

// LoadColumn reads what appendColumn has written. clear makes all Vs zero and returns the first.
func (d *Dense) LoadColumn(c *codec, data []byte, clear func() Ref) error {
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
func (d *Dense) readHandles(r *wire.Reader, c *codec) (places []uint32) {
	n := openColumn(r, c, d.Index.Look(), wire.Dense)
	if uint64(n) > uint64(d.Index.N) {
		r.Fail(-4, fmt.Sprintf("%d Vs for %d values", n, d.Index.N))
	}
	if r.Err() != nil {
		return nil
	}
	taken := d.Rarely().places.reset(d.Vals.N)
	places = make([]uint32, 0, n)
	for range n {
		h := ID{d.Index.Salt + r.Uint32(), r.Uint32()}
		i := d.PlaceOf(h)
		if i < 0 || !taken.add(uint32(i)) {
			r.Fail(-8, TextOf(h)+" has a V, and is not live or has two")
			return nil
		}
		places = append(places, uint32(i))
	}
	return places
}
