package trace

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/seed505807e1/berth"
	_ "github.com/seed505807e1/berth/save"
)

// The methods that a container may have beyond Container, to save and load it.
type (
	inserterAt[T any, H comparable] interface{ InsertAt(h H, v T) error }
	encoder[T any]                  interface {
		Encode(w io.Writer, value func([]byte, *T) ([]byte, error)) error
	}
	decoder[T any] interface {
		Decode(r io.Reader, value func([]byte, *T) error) error
	}
)

// lacks returns the error of a method that the container does not have.
func (w *Wrapped[T, H]) lacks(method string) error {
	const format = "trace: Wrapped.%s: %w: %T has no %[1]s"
	return fmt.Errorf(format, method, errors.ErrUnsupported, w.c)
}

// replaced is replaced of a Pool.
func (w *Wrapped[T, H]) replaced(f func() error) error { return replacing(&w.book, w.in, f) }

// InsertAt is the container's InsertAt, or [berth.InsertAt] and the like. It records an Insert,
// unless there is an error. If the container has no InsertAt, the error wraps
// [errors.ErrUnsupported]. So does that of each method below.
func (w *Wrapped[T, H]) InsertAt(h H, v T) (err error) {
	last := w.last
	switch c := any(w.c).(type) {
	case inserterAt[T, H]:
		err = c.InsertAt(h, v)
	case *berth.Pool[T]:
		err = berth.InsertAt(c, any(h).(berth.Handle[T]), v)
	case *berth.Dense[T]:
		err = berth.DenseInsertAt(c, any(h).(berth.Handle[T]), v)
	default:
		return w.lacks("InsertAt")
	}
	if err == nil {
		w.insertedSince(last, h)
	}
	return err
}

// MarshalBinary is the container's MarshalBinary. It records nothing.
func (w *Wrapped[T, H]) MarshalBinary() ([]byte, error) {
	c, ok := w.c.(encoding.BinaryMarshaler)
	if !ok {
		return nil, w.lacks("MarshalBinary")
	}
	return c.MarshalBinary()
}

// UnmarshalBinary is the container's UnmarshalBinary. Unless there is an error, it records a Remove
// for each value whose handle is no longer live, and then an Insert for each handle that was not
// live before.
func (w *Wrapped[T, H]) UnmarshalBinary(data []byte) error {
	c, ok := w.c.(encoding.BinaryUnmarshaler)
	if !ok {
		return w.lacks("UnmarshalBinary")
	}
	return w.replaced(func() error { return c.UnmarshalBinary(data) })
}

// Encode is the container's Encode, or [berth.Encode] and the like. It records nothing.
func (w *Wrapped[T, H]) Encode(to io.Writer, value func([]byte, *T) ([]byte, error)) error {
	switch c := any(w.c).(type) {
	case encoder[T]:
		return c.Encode(to, value)
	case *berth.Pool[T]:
		return berth.Encode(c, to, value)
	case *berth.Dense[T]:
		return berth.DenseEncode(c, to, value)
	}
	return w.lacks("Encode")
}

// Decode is the container's Decode, or [berth.Decode] and the like. It records what
// [Wrapped.UnmarshalBinary] does.
func (w *Wrapped[T, H]) Decode(r io.Reader, value func([]byte, *T) error) error {
	switch c := any(w.c).(type) {
	case decoder[T]:
		return w.replaced(func() error { return c.Decode(r, value) })
	case *berth.Pool[T]:
		return w.replaced(func() error { return berth.Decode(c, r, value) })
	case *berth.Dense[T]:
		return w.replaced(func() error { return berth.DenseDecode(c, r, value) })
	}
	return w.lacks("Decode")
}

// MarshalJSON is the container's MarshalJSON. It records nothing.
func (w *Wrapped[T, H]) MarshalJSON() ([]byte, error) {
	c, ok := w.c.(json.Marshaler)
	if !ok {
		return nil, w.lacks("MarshalJSON")
	}
	return c.MarshalJSON()
}

// UnmarshalJSON is the container's UnmarshalJSON. It records what [Wrapped.UnmarshalBinary] does.
func (w *Wrapped[T, H]) UnmarshalJSON(data []byte) error {
	c, ok := w.c.(json.Unmarshaler)
	if !ok {
		return w.lacks("UnmarshalJSON")
	}
	return w.replaced(func() error { return c.UnmarshalJSON(data) })
}
