package stable

import (
	"encoding"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/bitset"
	_ "github.com/seed505807e1/berth/internal/crc"
	"github.com/seed505807e1/berth/internal/wire"
)

// The methods below save a list. docs/format.md describes the bytes. list_load.go has the methods
// that load one, and list_ids.go the encoding of identifiers.

var (
	_ encoding.BinaryAppender    = (*List[int])(nil)
	_ encoding.BinaryMarshaler   = (*List[int])(nil)
	_ encoding.BinaryUnmarshaler = (*List[int])(nil)
)

// codec encodes and decodes the values of a list: as they lie in memory, or with functions of the
// caller.
type codec struct {
	fn     string // the method that was called, for errors
	kind   *kind
	values wire.Type
	ids    idKind
	put    func(b []byte, v ref) ([]byte, error)
	get    func(b []byte, v ref) error
}

// plainCodec returns the codec for values as they lie in memory, for the method fn. id points to an
// identifier.
func plainCodec(fn string, k *kind, id any) (c codec, err error) {
	if c, err = codecOf(fn, k, id); err != nil {
		return c, err
	}
	if c.values = k.wire(); c.values.Why != "" {
		return c, errors.New("stable: " + fn + ": " + c.values.Why)
	}
	return c, nil
}

// codecOf returns a codec without functions for values.
func codecOf(fn string, k *kind, id any) (c codec, err error) {
	c.fn, c.kind = fn, k
	if c.ids, err = idKindOf(id); err != nil {
		return c, fmt.Errorf("stable: %s: %w", fn, err)
	}
	return c, nil
}

// AppendBinary implements [encoding.BinaryAppender]. It appends the whole state of l to b: the
// values, the identifiers, the vacant slots with the order in which inserts take them, and the
// Config. So a list that loads it finds the same values by the same keys, and issues the same keys
// from then on. Stale keys stay stale. Hooks and Stats are not saved.
//
// AppendBinary fails, and returns b unchanged, if T has Go pointers ([ListOf.Encode] saves those),
// or if [Key.MarshalBinary] cannot write the identifiers. For a T without int, uint and uintptr,
// the bytes are the same on every machine. They depend on the Seed: set one if equal lists must
// have equal bytes. Like Clone, it writes to a zero list.
//
// Cost: O(Touched); allocates if b has no room.
func (l *ListOf[T, I, D]) AppendBinary(b []byte) ([]byte, error) {
	return listAppendBinary(coreOf(l), "ListOf.AppendBinary", b)
}

// MarshalBinary implements [encoding.BinaryMarshaler]. It returns the bytes of
// [ListOf.AppendBinary]. Package encoding/gob uses it.
//
// Cost: as AppendBinary; allocates the bytes.
func (l *ListOf[T, I, D]) MarshalBinary() ([]byte, error) {
	return listAppendBinary(coreOf(l), "ListOf.MarshalBinary", nil)
}

func listAppendBinary[I Index, D Identifier[D]](
	l *core[I, D], fn string, b []byte,
) ([]byte, error) {
	c, err := plainCodec(fn, &l.kind, new(D))
	if err != nil {
		return b, err
	}
	listBegin(l)
	to := b
	if n := wire.FrameBytes(c.values.Desc, listFrameBytes(l, &c)); cap(b)-len(b) < n {
		to = append(make([]byte, 0, len(b)+n), b...)
	}
	var w wire.Writer
	w.Append(to, wire.List, c.values.Desc)
	if err := listWrite(l, &w, &c); err != nil {
		return b, err
	}
	w.End()
	return w.Frame(), nil
}

// Encode writes l into w, at most 64 KiB at a time, for [ListOf.Decode] to read. If value is nil,
// it writes the bytes of [ListOf.AppendBinary], and fails as that does. Otherwise T may be any
// type: value appends the encoding of *v to b and returns the result. value must not use l. If it
// fails, or w does, Encode stops and returns an error that wraps that error.
//
// Cost: O(Touched), and value for each live value; allocates a buffer of 64 KiB.
func (l *ListOf[T, I, D]) Encode(
	w io.Writer, value func(b []byte, v *T) ([]byte, error),
) error {
	if value == nil {
		return listEncode(coreOf(l), w, nil)
	}
	return listEncode(coreOf(l), w, func(b []byte, v ref) ([]byte, error) {
		return value(b, (*T)(v))
	})
}

// listEncode is Encode.
func listEncode[I Index, D Identifier[D]](
	l *core[I, D], to io.Writer, put func(b []byte, v ref) ([]byte, error),
) error {
	c, err := codecFor(&l.kind, new(D), "ListOf.Encode", put != nil)
	if err != nil {
		return err
	}
	c.put = put
	listBegin(l)
	var w wire.Writer
	w.Stream(to, wire.List, c.values.Desc)
	if err := listWrite(l, &w, &c); err != nil {
		return err
	}
	w.End()
	if err := w.Err(); err != nil {
		return fmt.Errorf("stable: %s: %w", c.fn, err)
	}
	return nil
}

// codecFor returns the codec of the method fn. If coded is set, it has functions for values.
func codecFor(k *kind, id any, fn string, coded bool) (codec, error) {
	if coded {
		return codecOf(fn, k, id)
	}
	return plainCodec(fn, k, id)
}

// headBytes is the number of bytes before the slots, apart from identifiers.
const headBytes = 2 + 4 + 1 + 2 + 3*8

// listFrameBytes returns the number of bytes that write writes, for identifiers of a fixed size.
func listFrameBytes[I Index, D Identifier[D]](l *core[I, D], c *codec) int {
	n := headBytes + (len(l.ids)+63)/64*8 + (l.n+2)*c.ids.size + l.n*c.values.Encoded
	if !l.place.lowestFirst() {
		n += 3*8 + (len(l.ids)-l.n)*linkBytes[I]()
	}
	return n
}

// linkBytes returns the number of bytes in which a chain has the number of a slot.
func linkBytes[I Index]() int {
	var i I
	return max(4, int(unsafe.Sizeof(i)))
}

// truncates has the Truncate of each byte that stands for one.
var truncates = [...]berth.Truncate{
	berth.TruncateLength, berth.TruncateMemory, berth.TruncateNever,
}

// listWrite writes the contents of the frame of a list:
//
//	1  bytes of an index
//	1  kind of the identifiers, see idKind
//	4  bytes of an identifier, or 0 if they vary
//	1  1 if the next identifier follows one, plus 2 if an identifier was given first
//	   these two
//	1  Placement
//	1  Truncate
//	8  Min
//	8  Cap
//	8  touched slots, and for each 64 of them:
//	   8  live slots, a bit each
//	      the identifiers of the live slots, in their order
//	      the live values
//	and under the Quartered placements, for each part of the list:
//	   8  vacant slots in its chain, and for each, the last vacated first:
//	      4  its number, or 8 if an index has as many bytes
//
// The other vacant slots of a part follow those of its chain, the lowest first.
func listWrite[I Index, D Identifier[D]](
	l *core[I, D], w *wire.Writer, c *codec,
) error {
	var zero D
	var index I
	ids, vals := l.ids, l.vals.first // the caller's functions may change l
	w.Uint8(uint8(unsafe.Sizeof(index)))
	w.Uint8(c.ids.kind)
	w.Uint32(uint32(c.ids.size))
	flags := uint8(0)
	if l.last != zero {
		flags = 1
	}
	if l.firstID != zero {
		flags |= 2
	}
	w.Uint8(flags)
	for i, id := range [2]*D{&l.last, &l.firstID} {
		if flags>>i&1 != 0 {
			if err := idsWrite(&c.ids, w, sliceOf(id)); err != nil {
				return codecFailed(c, err)
			}
		}
	}
	w.Uint8(uint8(l.place))
	w.Uint8(uint8(slices.Index(truncates[:], l.truncate)))
	w.Uint64(uint64(l.min))
	w.Uint64(uint64(l.size))
	w.Uint64(uint64(len(ids)))
	for base := 0; base < len(ids); base += 64 {
		occ := liveIn(ids[base:min(base+64, len(ids))])
		w.Uint64(occ)
		for rest := occ; rest != 0; {
			i, n := bitset.Run(rest)
			rest &= bitset.Beyond(i + n)
			if err := idsWrite(&c.ids, w, ids[base+i:base+i+n]); err != nil {
				return codecFailed(c, err)
			}
		}
		for occ != 0 {
			i, n := bitset.Run(occ)
			occ &= bitset.Beyond(i + n)
			if err := codecWrite(c, w, c.kind.at(vals, base+i), n); err != nil {
				return codecFailed(c, err)
			}
		}
	}
	if !l.place.lowestFirst() {
		quartersWrite(&l.q, w)
	}
	return nil
}

// codecFailed returns the error of the method that was called for err.
func codecFailed(c *codec, err error) error {
	return fmt.Errorf("stable: %s: %w", c.fn, err)
}

// liveIn returns a bit for each of at most 64 identifiers that is not zero.
func liveIn[D Identifier[D]](ids []D) (w uint64) {
	var zero D
	for i, id := range ids {
		b := uint64(0)
		if id != zero { // no branch: live slots are unpredictable
			b = 1
		}
		w |= b << (i & 63)
	}
	return w
}

// codecWrite writes n adjacent live values, the first at vals.
func codecWrite(c *codec, w *wire.Writer, vals ref, n int) error {
	if c.put == nil {
		w.Values(c.values.Layout, bytesAt(vals, n, c.kind.size))
		return nil
	}
	for i := range n {
		v := c.kind.at(vals, i)
		err := w.Coded(func(b []byte) ([]byte, error) { return c.put(b, v) })
		if err != nil {
			return err
		}
	}
	return nil
}

// quartersWrite writes the chains.
func quartersWrite[I Index](q *quarters[I], w *wire.Writer) {
	for p := range q.ends {
		n := q.vac[p] - q.left[p]
		w.Uint64(uint64(n))
		i := q.head[p]
		for ; n > 0; n-- {
			if linkBytes[I]() == 4 {
				w.Uint32(uint32(i))
			} else {
				w.Uint64(uint64(i))
			}
			i = q.next[i]
		}
	}
}

// quartersSpread adds the bits of w, the vacant slots from base on, to the counts of the parts.
func quartersSpread[I Index](q *quarters[I], base int, w uint64) {
	from := 0
	for p, end := range q.ends {
		if lo, hi := max(from-base, 0), min(end-base, 64); lo < hi {
			q.vac[p] += bits.OnesCount64(w & bitset.Beyond(lo) &^ bitset.Beyond(hi))
		}
		from = end
	}
}
