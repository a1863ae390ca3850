package arena

import (
	"math"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/wire"
)

// AppendBinary appends the result of [Vec.MarshalBinary] to b. If it fails, it returns b unchanged.
//
// Cost: O(Len); allocates if b has no room.
func (v *Vec[T]) AppendBinary(b []byte) ([]byte, error) {
	return v.appendBinary("Vec.AppendBinary", b)
}

// MarshalBinary encodes the values. For types without int, uint and uintptr, the bytes are the same
// on every machine. It fails if T holds a [Nested], whose values lie outside the Vec.
//
// Cost: O(Len), at the speed of copying memory if T has no padding; allocates the bytes.
func (v *Vec[T]) MarshalBinary() ([]byte, error) { return v.appendBinary("Vec.MarshalBinary", nil) }

func (v *Vec[T]) appendBinary(fn string, b []byte) ([]byte, error) {
	v.mem.check(fn)
	e, err := codecOf[T](fn)
	if err != nil {
		return b, err
	}
	w := begin(b, wire.ArenaVec, e, 8+len(v.s)*e.Encoded)
	w.Uint64(uint64(len(v.s)))
	w.Values(e.Layout, bytesOf(v.s))
	return finish(w), nil
}

// UnmarshalBinary replaces the values of v by those encoded in data. It returns [ErrCorrupt] if
// data is not a marshalled Vec of this type, [ErrNoSpace] if the arena has no room, and an error if
// T holds a [Nested]. If it fails, v is unchanged. Types with different names but the same fields
// are the same type. The memory of v is reused if it is large enough. The data must not lie in it.
//
// Cost: O(len(data)); takes the size of the values if v has to grow, else allocates nothing.
//
// Ends: pointers to values.
//
//berth:ends all
func (v *Vec[T]) UnmarshalBinary(data []byte) error {
	const fn = "Vec.UnmarshalBinary"
	v.mem.check(fn)
	r, e, err := openOf[T](fn, data, wire.ArenaVec)
	if err != nil {
		return err
	}
	defer r.close()
	count := r.Uint64()
	if err := r.values(e, count); err != nil {
		return err
	}
	if count > math.MaxInt { // only for zero-size values
		return r.noSpace()
	}
	n := int(count)
	if n > cap(v.s) {
		old := v.s
		v.s = v.s[:0] // so that growTo does not copy them
		if !mayTake[T](v.mem.a, n, len(r.data)) || !v.growTo(n) {
			v.s = old
			return r.noSpace()
		}
	}
	v.s = v.s[:n]
	if !e.Flat() {
		clear(v.s)
	}
	r.again()
	r.Uint64()
	r.Values(e.Layout, bytesOf(v.s), n)
	r.loaded()
	if invariants.On {
		v.checkInvariants()
	}
	return nil
}
