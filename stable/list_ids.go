package stable

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"

	"github.com/seed505807e1/berth/internal/wire"
)

// The kinds of identifiers in the frame of a list.
const (
	ownIDs      = iota // encoded by MarshalBinary
	unsignedIDs        // integers
	signedIDs
	byteIDs // arrays of bytes
)

// idKind is how identifiers are encoded, which is as [Key.MarshalBinary] does.
type idKind struct {
	wire.Type
	kind uint8
	size int  // bytes of an identifier, or 0 if they vary
	flat bool // they lie in memory as Type says
}

// idKindOf returns how identifiers of the type that id points to are encoded. It fails if they
// cannot be.
//
//go:noinline
func idKindOf(id any) (c idKind, err error) {
	if _, own := id.(binaryForm); own {
		return c, nil // ownIDs
	}
	t := typeOf(id)
	c.Type = wire.TypeOf(t)
	switch k := t.Kind(); {
	case reflect.Uint <= k && k <= reflect.Uintptr:
		c.kind, c.size = unsignedIDs, width(t)
	case reflect.Int <= k && k <= reflect.Int64:
		c.kind, c.size = signedIDs, width(t)
	case isBytes(t) && c.Why == "":
		c.kind, c.size = byteIDs, t.Len()
	default:
		return c, unsupported(id, "MarshalBinary and UnmarshalBinary")
	}
	c.flat = c.Encoded == c.size // not an int of 4 bytes
	return c, nil
}

// describe describes identifiers of a kind and size in the data.
func describeIDs(kind uint8, size uint32) string {
	switch kind {
	case ownIDs:
		return "identifiers in an encoding of their own"
	case unsignedIDs:
		return fmt.Sprintf("identifiers that are unsigned integers of %d bytes", size)
	case signedIDs:
		return fmt.Sprintf("identifiers that are signed integers of %d bytes", size)
	case byteIDs:
		return fmt.Sprintf("identifiers that are arrays of %d bytes", size)
	}
	return fmt.Sprintf("identifiers of kind %d", kind)
}

// idsWrite writes identifiers.
func idsWrite[D Identifier[D]](c *idKind, w *wire.Writer, ids []D) error {
	switch {
	case c.flat:
		w.Values(c.Layout, bytesIn(ids))
		return nil
	case c.kind != ownIDs:
		var b [8]byte
		for i := range ids {
			data, err := appendBinaryOf(b[:0], &ids[i])
			if err != nil {
				return err
			}
			w.Bytes(data)
		}
		return nil
	}
	for i := range ids {
		id := ids[i]
		err := w.Coded(func(b []byte) ([]byte, error) { return appendBinaryOf(b, &id) })
		if err != nil {
			return err
		}
	}
	return nil
}

// idsRead reads n identifiers into ids, or only checks them if ids is nil. They must not be zero.
// Those of a counter must not lie beyond last, if the counter began with first.
func idsRead[D Identifier[D]](c *idKind, r *wire.Reader, ids []D, n int, first, last D) error {
	if c.flat {
		b := r.Next(n * c.size)
		if r.Err() != nil {
			return r.Err()
		}
		if at := idsWrong[D](c, b, any(&first), any(&last)); at >= 0 {
			r.Fail(int64(at-len(b)), "an identifier that was not given")
			return r.Err()
		}
		if ids != nil {
			c.Decode(bytesIn(ids), b)
		}
		return nil
	}
	for i := range n {
		id, err := idsReadOne[D](c, r)
		if err != nil {
			return err
		}
		if ids != nil {
			ids[i] = id
		}
	}
	return nil
}

// idsReadOne reads an identifier, which must not be zero.
func idsReadOne[D Identifier[D]](c *idKind, r *wire.Reader) (id D, err error) {
	var zero D
	if c.flat {
		if b := r.Next(c.size); r.Err() == nil {
			one := [1]D{}
			c.Decode(bytesIn(one[:]), b)
			id = one[0]
		}
	} else if id, err = idsDecode[D](c, r); err != nil {
		return zero, err
	}
	if id == zero {
		r.Fail(0, "an identifier that is zero")
	}
	return id, r.Err()
}

// idsDecode reads an identifier that is not flat.
func idsDecode[D Identifier[D]](c *idKind, r *wire.Reader) (id D, err error) {
	var b []byte
	if c.kind == ownIDs {
		b = r.Coded()
	} else {
		b = r.Next(c.size)
	}
	if r.Err() != nil {
		return id, r.Err()
	}
	if m, ok := any(&id).(binaryForm); ok {
		if err := m.UnmarshalBinary(b); err != nil {
			return id, badID{fmt.Errorf("identifier %s of type %T: %w", wire.Quote(b), id, err)}
		}
		return id, nil
	}
	if readBinaryOf(&id, b) != nil {
		r.Fail(int64(-len(b)), "an identifier that does not fit into an int of this machine")
	}
	return id, r.Err()
}

// badID is the error of data with an identifier that its own method refuses.
type badID struct{ error }

func (b badID) Unwrap() error { return b.error }

// idsWrong returns the offset in b of the first identifier that a list cannot have, or -1. first
// and last point to identifiers.
func idsWrong[D Identifier[D]](c *idKind, b []byte, first, last any) int {
	switch first := first.(type) {
	case *Counter32:
		most := *last.(*Counter32) - *first
		for at := 0; at+4 <= len(b); at += 4 {
			id := Counter32(binary.LittleEndian.Uint32(b[at:]))
			if id-*first > most || id == 0 || *first == 0 {
				return at
			}
		}
		return -1
	case *Counter64:
		most := *last.(*Counter64) - *first
		for at := 0; at+8 <= len(b); at += 8 {
			id := Counter64(binary.LittleEndian.Uint64(b[at:]))
			if id-*first > most || id == 0 || *first == 0 {
				return at
			}
		}
		return -1
	}
	for at := 0; at+c.size <= len(b); at += c.size {
		some := byte(0)
		for _, x := range b[at : at+c.size] {
			some |= x
		}
		if some == 0 {
			return at
		}
	}
	return -1
}

// isCorrupt reports whether err is about the data.
func isCorrupt(err error) bool {
	bad, own := (*wire.Error)(nil), badID{}
	return errors.As(err, &bad) || errors.As(err, &own)
}
