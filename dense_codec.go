package berth

import (
	"encoding"
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	"github.com/seed505807e1/berth/internal/wire"
)

var (
	_ encoding.BinaryAppender    = (*Dense[int])(nil)
	_ encoding.BinaryMarshaler   = (*Dense[int])(nil)
	_ encoding.BinaryUnmarshaler = (*Dense[int])(nil)
	_ io.WriterTo                = (*Dense[int])(nil)
	_ io.ReaderFrom              = (*Dense[int])(nil)
	_ json.Marshaler             = (*Dense[int])(nil)
	_ json.Unmarshaler           = (*Dense[int])(nil)
)

// AppendBinary implements [encoding.BinaryAppender]. It appends the whole state of d to b: the
// values in the order of the slice, the holes, the generation of each slot, and the slots that are
// vacant. So a Dense that loads it finds the same values by the same handles and at the same
// places, and issues the same handles from then on. Stale handles stay stale. The settings of
// [DenseConfig] are not saved, except for Seed.
//
// AppendBinary fails, and returns b unchanged, if T has Go pointers ([Dense.Encode] saves those) or
// while InsertFunc runs. For a T without int, uint and uintptr, the bytes are the same on every
// machine. They depend on the Seed: set one if equal Denses must have equal bytes.
// Cost: O(Cap); allocates if b has no room.
func (d *Dense[T]) AppendBinary(b []byte) ([]byte, error) {
	return denseOf(d).appendBinary("Dense.AppendBinary", b)
}

// MarshalBinary implements [encoding.BinaryMarshaler]. It returns the bytes of
// [Dense.AppendBinary]. Package encoding/gob uses it.
// Cost: as AppendBinary; allocates the bytes.
func (d *Dense[T]) MarshalBinary() ([]byte, error) {
	return denseOf(d).appendBinary("Dense.MarshalBinary", nil)
}

//go:noinline
func (d *dense) appendBinary(fn string, b []byte) ([]byte, error) {
	c, err := codecOf(fn, typeOf(d.kind))
	if err != nil {
		return b, err
	}
	if err := d.index.core().mayCode(fn); err != nil {
		return b, err
	}
	n := 8 + d.index.core().frameBytes(4) + 4*d.holes + d.vals.n*c.Encoded
	var w wire.Writer
	w.Append(grown(b, wire.FrameBytes(c.Desc, n)), wire.Dense, c.Desc)
	_ = d.write(&w, &c) // fails only for a codec with functions
	w.End()
	return w.Frame(), nil
}

// WriteTo implements [io.WriterTo]. It writes the bytes of [Dense.AppendBinary] into w, at most 64
// KiB at a time. It fails as AppendBinary does, and with the error of w.
// Cost: O(Cap); allocates a buffer of 64 KiB.
func (d *Dense[T]) WriteTo(w io.Writer) (int64, error) { return denseOf(d).writePlain(w) }

//go:noinline
func (d *dense) writePlain(w io.Writer) (int64, error) {
	c, err := codecOf("Dense.WriteTo", typeOf(d.kind))
	if err != nil {
		return 0, err
	}
	return d.writeTo(w, &c)
}

// Encode writes d into w, as [Dense.WriteTo] does, for values of any type: value appends the
// encoding of *v to b and returns the result, for [Dense.Decode] to read. value must not use d. If
// it fails, Encode stops and returns an error that wraps value's.
// Cost: O(Cap), and value for each live value; allocates a buffer of 64 KiB.
func (d *Dense[T]) Encode(w io.Writer, value func(b []byte, v *T) ([]byte, error)) error {
	return denseOf(d).encode(w, func(b []byte, v ref) ([]byte, error) {
		return value(b, (*T)(v))
	})
}

//go:noinline
func (d *dense) encode(w io.Writer, value func([]byte, ref) ([]byte, error)) error {
	_, err := d.writeTo(w, &codec{fn: "Dense.Encode", size: d.kind.size, put: value})
	return err
}

func (d *dense) writeTo(to io.Writer, c *codec) (int64, error) {
	if err := d.index.core().mayCode(c.fn); err != nil {
		return 0, err
	}
	var w wire.Writer
	w.Stream(to, wire.Dense, c.Desc)
	if err := d.write(&w, c); err != nil {
		return w.Written(), err
	}
	w.End()
	if err := w.Err(); err != nil {
		return w.Written(), fmt.Errorf("berth: %s: %w", c.fn, err)
	}
	return w.Written(), nil
}

// MarshalJSON implements [json.Marshaler]. It returns an object like that of [Pool.MarshalJSON],
// with the values in the order of the slice. A struct that holds a Dense must be marshalled through
// a pointer to it. Otherwise encoding/json does not find this method, and writes {} for the Dense.
// Cost: O(Cap), and json.Marshal for each value; allocates.
func (d *Dense[T]) MarshalJSON() ([]byte, error) { return denseOf(d).marshalJSON() }

//go:noinline
func (d *dense) marshalJSON() ([]byte, error) {
	const fn = "Dense.MarshalJSON"
	if err := d.index.core().mayCode(fn); err != nil {
		return nil, err
	}
	nothing := codec{fn: fn, put: putNothing}
	var w wire.Writer
	w.Append(nil, wire.Dense, "")
	_ = d.write(&w, &nothing) // never fails
	w.End()
	b, err := appendSaved(d.index.look().seed(), w.Frame(), typeOf(d.kind), d.each)
	if err != nil {
		return nil, fmt.Errorf("berth: %s: %w", fn, err)
	}
	return b, nil
}

// each is [Dense.All] without closing holes.
func (d *dense) each(yield func(id, ref) bool) {
	for i, h := range d.owner {
		if h.gen&1 != 0 && !yield(h, d.val(i)) {
			return
		}
	}
}

// placeCodec returns the codec for the places in the index of a Dense.
func placeCodec(fn string) codec {
	return codec{fn: fn, size: 4, Type: wire.TypeOf(reflect.TypeFor[uint32]())}
}

// write writes the contents of the frame of a Dense:
//
//	4  places, with holes
//	   the slots, as the contents of a Pool of the numbers of the places, 4 bytes each
//	4  holes, and for each, in the order in which inserts fill them:
//	   4  the place
//	   the live values, in the order of the places
func (d *dense) write(w *wire.Writer, c *codec) error {
	w.Uint32(uint32(d.vals.n))
	places := placeCodec(c.fn)
	_ = d.index.core().write(w, &places) // never fails
	w.Uint32(uint32(d.holes))
	for i, n := d.hole, d.holes; n > 0; n-- {
		w.Uint32(i)
		i = d.owner[i].index
	}
	for i, n := 0, 0; i < len(d.owner); i += n {
		if n = d.liveRun(i); n == 0 {
			n = 1
			continue
		}
		if c.put == nil {
			w.Values(c.Layout, bytesAt(d.val(i), n, c.size))
			continue
		}
		for k := i; k < i+n; k++ {
			v := d.val(k)
			err := w.Coded(func(b []byte) ([]byte, error) { return c.put(b, v) })
			if err != nil {
				return fmt.Errorf("berth: %s: value of %s: %w", c.fn, textOf(d.owner[k]), err)
			}
		}
	}
	return nil
}

// liveRun returns the number of live values from place i to the next hole.
func (d *dense) liveRun(i int) (n int) {
	if d.holes == 0 {
		return len(d.owner) - i
	}
	for i+n < len(d.owner) && d.owner[i+n].gen&1 != 0 {
		n++
	}
	return n
}
