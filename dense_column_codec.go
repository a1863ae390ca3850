package berth

import (
	"encoding"
	"fmt"

	"github.com/seed505807e1/berth/internal/plain"
	"github.com/seed505807e1/berth/internal/wire"
)

var (
	_ encoding.BinaryAppender    = (*DenseColumn[int, int])(nil)
	_ encoding.BinaryMarshaler   = (*DenseColumn[int, int])(nil)
	_ encoding.BinaryUnmarshaler = (*DenseColumn[int, int])(nil)
)

// AppendBinary implements [encoding.BinaryAppender]. It appends the Vs of c to b, with the handles
// of their values. The values themselves are in the bytes of the Dense, which must be saved at the
// same time. It fails as [Column.AppendBinary] does.
// Cost: O(Len); allocates if b has no room, and when the Dense has grown.
// Ends: pointers of c, if the Dense has grown.
//
//berth:ends some
func (c *DenseColumn[T, V]) AppendBinary(b []byte) ([]byte, error) {
	return c.appendBinary("DenseColumn.AppendBinary", b)
}

// MarshalBinary implements [encoding.BinaryMarshaler]. It returns the bytes of
// [DenseColumn.AppendBinary].
// Cost: as AppendBinary; allocates the bytes.
// Ends: as AppendBinary.
//
//berth:ends some
func (c *DenseColumn[T, V]) MarshalBinary() ([]byte, error) {
	return c.appendBinary("DenseColumn.MarshalBinary", nil)
}

// appendBinary writes the contents of the frame of a DenseColumn:
//
//	4  seed of the Dense
//	4  values, and for each, in the order of the places:
//	   4  the number of its slot
//	   4  its generation
//	   the Vs, in the same order
func (c *DenseColumn[T, V]) appendBinary(fn string, b []byte) ([]byte, error) {
	vs, err := c.codec(fn)
	if err != nil {
		return b, err
	}
	d := c.d
	c.reach(len(d.vals))
	n := columnHeadBytes + d.Len()*(8+vs.Encoded)
	var w wire.Writer
	w.Append(grown(b, wire.FrameBytes(vs.Desc, n)), wire.DenseColumn, vs.Desc)
	w.Uint32(d.index.look().seed())
	w.Uint32(uint32(d.Len()))
	for _, h := range d.owner {
		if h.gen&1 != 0 {
			w.Uint32(h.index - d.index.salt)
			w.Uint32(h.gen)
		}
	}
	for i, n := 0, 0; i < len(d.owner); i += max(n, 1) {
		if n = lookDense(d).liveRun(i); n > 0 {
			w.Values(vs.Layout, bytesIn(c.vals[i:i+n]))
		}
	}
	w.End()
	return w.Frame(), nil
}

// codec returns the codec for the Vs. It fails if c is closed.
func (c *DenseColumn[T, V]) codec(fn string) (codec, error) {
	vs, err := codecOf(fn, plain.TypeFor[V]())
	if err == nil && c.d == nil {
		err = fmt.Errorf("berth: %s: %w", fn, errColumnClosed)
	}
	return vs, err
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
	const fn = "DenseColumn.UnmarshalBinary"
	vs, err := c.codec(fn)
	if err != nil {
		return err
	}
	var r wire.Reader
	r.Read(data, false)
	at, err := c.readPlaces(&r, &vs)
	if err == nil {
		vs.check(&r, len(at))
		err = r.End()
	}
	if err != nil {
		return corrupt(fn, err)
	}
	r.Read(data, true)
	_, _ = c.readPlaces(&r, &vs) // they were read before
	c.cut(0)
	c.reach(len(c.d.vals))
	c.log.noteFrom(0)
	for len(at) > 0 {
		i, n := int(at[0]), 1
		for n < len(at) && int(at[n]) == i+n {
			n++
		}
		r.Values(vs.Layout, bytesIn(c.vals[i:i+n]), n)
		at = at[n:]
	}
	if err := r.Err(); err != nil {
		panic("berth: " + fn + ": data changed while it was read: " + err.Error())
	}
	c.changed()
	return nil
}

// readPlaces reads the frame up to the Vs, and returns the places of their values.
func (c *DenseColumn[T, V]) readPlaces(r *wire.Reader, vs *codec) ([]uint32, error) {
	if err := r.Open(wire.DenseColumn, vs.Desc); err != nil {
		return nil, err
	}
	d := c.d
	if seed := r.Uint32(); r.Err() == nil && seed != d.index.look().seed() {
		r.Fail(-4, fmt.Sprintf("seed %d, but the Dense has seed %d", seed, d.index.look().seed()))
	}
	n := r.Uint32()
	if r.Err() == nil && uint64(n) > uint64(d.Len()) {
		r.Fail(-4, fmt.Sprintf("%d Vs for %d values", n, d.Len()))
	}
	if r.Err() != nil {
		return nil, r.Err()
	}
	taken := denseOf(d).rarely().places.reset(len(d.vals))
	at := make([]uint32, 0, n)
	for range n {
		h := Handle[T]{id: id{d.index.salt + r.Uint32(), r.Uint32()}}
		if r.Err() != nil {
			return nil, r.Err()
		}
		i := d.PlaceOf(h)
		if i < 0 || !taken.add(uint32(i)) {
			r.Fail(-8, fmt.Sprintf("%v has a V, and is not live or has two", h))
			return nil, r.Err()
		}
		at = append(at, uint32(i))
	}
	return at, nil
}
