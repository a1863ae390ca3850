package replay

import (
	"errors"
	"unsafe"

	"github.com/seed505807e1/berth/internal/plain"
	"github.com/seed505807e1/berth/internal/wire"
)

// This is the only file of the package that uses unsafe. Encoding values field by field would take
// most of the time of a frame.

// Values encodes and decodes values of T: number after number, little-endian, without padding.
type Values[T any] struct{ wire.Type }

// ValuesOf returns the encoding of T, or an error that names the field with a pointer.
func ValuesOf[T any]() (Values[T], error) {
	v := Values[T]{wire.TypeOf(plain.TypeFor[T]())}
	if v.Why != "" {
		return v, errors.New("replica: " + v.Why)
	}
	return v, nil
}

// Append appends the encoding of *v to b.
func (c Values[T]) Append(b []byte, v *T) []byte { return c.Type.Append(b, memory(v)) }

// Decode decodes data, which has the right length, into *v.
func (c Values[T]) Decode(v *T, data []byte) { c.Type.Decode(memory(v), data) }

// memory returns the bytes of *v. T has no pointers, so they may be written.
func memory[T any](v *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}
