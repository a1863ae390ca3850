package berth

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"

	"github.com/seed505807e1/berth/internal/wire"
)

// The methods below save a Pool. Those of Dense and stable.List are alike. docs/format.md describes
// the bytes. pool_load.go has the methods that load one.

var (
	_ encoding.BinaryAppender    = (*Pool[int])(nil)
	_ encoding.BinaryMarshaler   = (*Pool[int])(nil)
	_ encoding.BinaryUnmarshaler = (*Pool[int])(nil)
	_ io.WriterTo                = (*Pool[int])(nil)
	_ io.ReaderFrom              = (*Pool[int])(nil)
	_ json.Marshaler             = (*Pool[int])(nil)
	_ json.Unmarshaler           = (*Pool[int])(nil)
)

// errBuilding is returned by the methods that save and load while InsertFunc builds a value.
var errBuilding = errors.New("a value is under construction, by InsertFunc")

// AppendBinary implements [encoding.BinaryAppender]. It appends the whole state of p to b: the
// values, the generation of each slot, and the slots that are vacant. So a Pool that loads it finds
// the same values by the same handles, and issues the same handles from then on. Stale handles stay
// stale. Limit, Memory and hooks are not saved.
//
// AppendBinary fails, and returns b unchanged, if T has Go pointers ([Encode] saves those) or
// while InsertFunc runs. For a T without int, uint and uintptr, the bytes are the same on every
// machine. They depend on the Seed: set one if equal Pools must have equal bytes.
// Cost: O(Cap); allocates if b has no room.
func (p *Pool[T]) AppendBinary(b []byte) ([]byte, error) {
	return coreOf(p).appendBinary("Pool.AppendBinary", b)
}

// MarshalBinary implements [encoding.BinaryMarshaler]. It returns the bytes of [Pool.AppendBinary].
// Package encoding/gob uses it.
// Cost: as AppendBinary; allocates the bytes.
func (p *Pool[T]) MarshalBinary() ([]byte, error) {
	return coreOf(p).appendBinary("Pool.MarshalBinary", nil)
}

func (p *core) appendBinary(fn string, b []byte) ([]byte, error) {
	c, err := codecOf(fn, typeOf(p.kind))
	if err != nil {
		return b, err
	}
	if err := p.mayCode(fn); err != nil {
		return b, err
	}
	var w wire.Writer
	w.Append(grown(b, wire.FrameBytes(c.Desc, p.frameBytes(c.Encoded))), wire.Pool, c.Desc)
	_ = p.write(&w, &c) // fails only for a codec with functions
	w.End()
	return w.Frame(), nil
}

// grown returns b with room for n more bytes.
func grown(b []byte, n int) []byte {
	if cap(b)-len(b) >= n {
		return b
	}
	return append(make([]byte, 0, len(b)+n), b...)
}

// WriteTo implements [io.WriterTo]. It writes the bytes of [Pool.AppendBinary] into w, at most 64
// KiB at a time. It fails as AppendBinary does, and with the error of w.
// Cost: O(Cap); allocates a buffer of 64 KiB.
func (p *Pool[T]) WriteTo(w io.Writer) (int64, error) { return coreOf(p).writePlain(w) }

//go:noinline
func (p *core) writePlain(w io.Writer) (int64, error) {
	c, err := codecOf("Pool.WriteTo", typeOf(p.kind))
	if err != nil {
		return 0, err
	}
	return p.writeTo(w, &c)
}

// Encode writes p into w, as [Pool.WriteTo] does, for values of any type: value appends the
// encoding of *v to b and returns the result, for [Decode] to read. value must not use p. If it
// fails, Encode stops and returns an error that wraps value's.
// Cost: O(Cap), and value for each live value; allocates a buffer of 64 KiB.
func Encode[T any](
	p *Pool[T], w io.Writer, value func(b []byte, v *T) ([]byte, error),
) error {
	return coreOf(p).encode(w, func(b []byte, v ref) ([]byte, error) {
		return value(b, (*T)(v))
	})
}

//go:noinline
func (p *core) encode(w io.Writer, value func([]byte, ref) ([]byte, error)) error {
	_, err := p.writeTo(w, &codec{fn: "Encode", size: p.kind.size, put: value})
	return err
}

func (p *core) writeTo(to io.Writer, c *codec) (int64, error) {
	if err := p.mayCode(c.fn); err != nil {
		return 0, err
	}
	var w wire.Writer
	w.Stream(to, wire.Pool, c.Desc)
	if err := p.write(&w, c); err != nil {
		return w.Written(), err
	}
	w.End()
	if err := w.Err(); err != nil {
		return w.Written(), fmt.Errorf("berth: %s: %w", c.fn, err)
	}
	return w.Written(), nil
}

// MarshalJSON implements [json.Marshaler]. It returns an object with the seed, the state of the
// slots in base64, and the values by handle, each as package encoding/json encodes it:
//
//	{"seed":1,"slots":"jkJUSA...","values":{"2654435769:1779033703":{"x":1}}}
//
// It fails if encoding/json fails for a value, or while InsertFunc runs. A struct that holds a Pool
// must be marshalled through a pointer to it. Otherwise encoding/json does not find this method,
// and writes {} for the Pool.
// Cost: O(Cap), and json.Marshal for each value; allocates.
func (p *Pool[T]) MarshalJSON() ([]byte, error) { return coreOf(p).marshalJSON() }

func (p *core) marshalJSON() ([]byte, error) {
	const fn = "Pool.MarshalJSON"
	if err := p.mayCode(fn); err != nil {
		return nil, err
	}
	nothing := codec{fn: fn, put: putNothing}
	var w wire.Writer
	w.Append(nil, wire.Pool, "")
	_ = p.write(&w, &nothing) // never fails
	w.End()
	b, err := appendSaved(p.seed(), w.Frame(), typeOf(p.kind), p.each)
	if err != nil {
		return nil, fmt.Errorf("berth: %s: %w", fn, err)
	}
	return b, nil
}

func putNothing(b []byte, _ ref) ([]byte, error) { return b, nil }

// each is [Pool.All] for a pool that does not change.
//
//go:noinline
func (p *core) each(yield func(id, ref) bool) {
	for k := p.live.First(); k >= 0; k = p.live.Next(k + 1) {
		b := p.dir[k]
		for w := b.occ; w != 0; w = (w & b.occ) & (w - 1) {
			i := bits.TrailingZeros64(w)
			if !yield(p.id(b, k, i), p.kind.val(b, i)) {
				return
			}
			if p.left(k, b) {
				break
			}
		}
	}
}

// mayCode fails while a value is under construction. It makes a zero Pool ready, so that a Pool
// that loads it begins at the same handles.
func (p *core) mayCode(fn string) error {
	if len(p.rare.building()) > 0 {
		return fmt.Errorf("berth: %s: %w", fn, errBuilding)
	}
	if p.max == 0 {
		p.init(Config{})
	}
	return nil
}

// seed returns the Seed, or the one that p has taken in place of 0.
func (p *core) seed() uint32 {
	const inverse = 0x144CBC89 // of origin.Golden, modulo 2^32
	return p.salt * inverse
}

// frameBytes returns the most bytes that write writes for values that are encoded in size bytes, if
// every generation must be written.
func (p *core) frameBytes(size int) int {
	return poolHeadBytes + len(p.floors)*5 + p.chunks<<p.shift*(24+4*blockSlots) + p.n*size
}

// poolHeadBytes is the number of bytes before the first chunk.
const poolHeadBytes = 4 + 1 + 1 + 4 + 8 + 4

// write writes the contents of the frame of a Pool:
//
//	4  seed
//	1  Truncate
//	1  binary logarithm of the blocks in a chunk
//	4  floor of the chunks beyond the directory
//	8  slots that stay in memory
//	4  chunks in the directory, and for each:
//	   4  floor: how far beyond base the generations of its slots begin, or 1 if they are used up
//	   1  1 if the chunk is in memory, else 0. If it is, for each of its blocks of 64 slots:
//	      8  live slots, a bit each
//	      8  vacant slots; a slot that is neither is retired
//	      8  slots whose generation is not base + floor, plus 1 for a live slot
//	      4  for each of these: the generation
//	         the live values, in the order of the slots
func (p *core) write(w *wire.Writer, c *codec) error {
	w.Uint32(p.seed())
	w.Uint8(uint8(p.mode()))
	w.Uint8(p.shift)
	w.Uint32(p.tail)
	w.Uint64(uint64(p.reserve))
	w.Uint32(uint32(len(p.floors)))
	for n, floor := range p.floors {
		w.Uint32(floor)
		first := n << p.shift
		if p.dir[first] == nil {
			w.Uint8(0)
			continue
		}
		w.Uint8(1)
		for _, b := range p.dir[first : first+1<<p.shift] {
			occ := b.occ
			w.Uint64(occ)
			w.Uint64(b.free)
			odd := oddOf(b, p.base+floor)
			w.Uint64(odd)
			for ; odd != 0; odd &= odd - 1 {
				w.Uint32(b.gens[bits.TrailingZeros64(odd)])
			}
			if err := c.write(w, valsOf(b), occ); err != nil {
				return err
			}
		}
	}
	return nil
}

// oddOf returns the slots whose generation is not first, plus 1 for a live slot.
func oddOf(b *head, first uint32) (odd uint64) {
	for i, g := range b.gens {
		if g != first+uint32(b.occ>>i&1) {
			odd |= 1 << i
		}
	}
	return odd
}

// setWords sets the state of b.
func setWords(b *head, s words, first uint32, odd *[blockSlots]uint32) {
	b.occ, b.free = s.occ, s.free
	switch s.occ {
	case 0, math.MaxUint64:
		first += uint32(s.occ & 1)
		for i := range b.gens {
			b.gens[i] = first
		}
	default:
		for i := range b.gens {
			b.gens[i] = first + uint32(s.occ>>i&1)
		}
	}
	for w := s.odd; w != 0; w &= w - 1 {
		i := bits.TrailingZeros64(w) & 63
		b.gens[i] = odd[i]
	}
}
