package arena

import (
	"encoding"
	"encoding/binary"
	"math"
	"slices"

	"github.com/seed505807e1/berth/internal/invariants"
)

var (
	_ encoding.BinaryAppender    = (*Vec[int])(nil)
	_ encoding.BinaryMarshaler   = (*Vec[int])(nil)
	_ encoding.BinaryUnmarshaler = (*Vec[int])(nil)
)

// AppendBinary appends what [Vec.MarshalBinary] returns to b. On an error, it returns b.
// Cost: O(Len); allocates if b has no room.
func (v *Vec[T]) AppendBinary(b []byte) ([]byte, error) {
	return v.appendBinary("Vec.AppendBinary", b)
}

// MarshalBinary returns the values as bytes, which are the same on every machine for types without
// int, uint and uintptr. It returns an error if T holds a [Nested], whose values are not here.
// Cost: O(Len), as fast as memory is copied if T has no padding; allocates the bytes.
func (v *Vec[T]) MarshalBinary() ([]byte, error) { return v.appendBinary("Vec.MarshalBinary", nil) }

func (v *Vec[T]) appendBinary(fn string, b []byte) ([]byte, error) {
	v.mem.check(fn)
	l, err := layoutOf[T](fn)
	if err != nil {
		return b, err
	}
	start := len(b)
	b = slices.Grow(b, headBytes+8+len(v.s)*l.Encoded+sumBytes)
	b = headOf(wireVec, l).begin(b)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(v.s)))
	return finish(l.Append(b, bytesOf(v.s)), start), nil
}

// UnmarshalBinary makes the values of v those that were marshalled to data. It fails with
// [ErrCorrupt] if data is not what a Vec of this type was marshalled to, and with [ErrNoSpace] if
// the arena has no room; nothing changes then. A T that holds a [Nested] is an error too. A type of
// another name with the same fields is the same type. The memory of v serves again if it is large
// enough. Data must not lie in it.
// Cost: O(len(data)); takes what the values take if v has to grow, else allocates nothing.
// Ends: pointers to values.
func (v *Vec[T]) UnmarshalBinary(data []byte) error {
	const fn = "Vec.UnmarshalBinary"
	v.mem.check(fn)
	l, err := layoutOf[T](fn)
	if err != nil {
		return err
	}
	var r reader
	if err := r.open(fn, data, headOf(wireVec, l), 8); err != nil {
		return err
	}
	count := r.uint64()
	vals, err := r.values(count, l)
	if err != nil {
		return err
	}
	if count > math.MaxInt { // of values without size
		return r.noSpace()
	}
	n := int(count)
	if n > cap(v.s) {
		old := v.s
		v.s = v.s[:0] // need not move along
		if !mayTake[T](v.mem.a, n, len(data)) || !v.growTo(n) {
			v.s = old
			return r.noSpace()
		}
	}
	v.s = v.s[:n]
	if !l.Flat() {
		clear(v.s)
	}
	l.Decode(bytesOf(v.s), vals)
	if invariants.On {
		v.checkInvariants()
	}
	return nil
}
