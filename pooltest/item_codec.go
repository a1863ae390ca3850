package pooltest

import (
	"encoding/binary"
	"fmt"
)

// AppendItem appends the encoding of *v to b and returns the result, for the [Suite.Save] of a
// container that encodes its values one by one. It fails, and returns b unchanged, if *v is neither
// the zero V nor a value that the suite has made.
//
// Cost: O(1); allocates if b has no room.
func AppendItem[V Item](b []byte, v *V) ([]byte, error) {
	var zero V
	if _, sound := (*v).ident(); !sound && *v != zero {
		return b, fmt.Errorf("pooltest: AppendItem: value is vacant or torn (got %+v)", *v)
	}
	word := binary.LittleEndian.AppendUint64
	plain, object, pad := parts(v)
	b = word(word(b, plain.ID), plain.Sum)
	if object != nil {
		id := uint64(0)
		if *object != nil {
			id = (*object).ID
		}
		b = word(b, id)
	}
	for _, w := range pad {
		b = word(b, w)
	}
	return b, nil
}

// ReadItem sets *v to the value that [AppendItem] has encoded in b, for the [Suite.Load] of a
// container. A Value or a Wide points to a new Object. If b holds anything else, ReadItem fails and
// leaves *v unchanged.
//
// Cost: O(1); allocates the Object.
func ReadItem[V Item](b []byte, v *V) error {
	var x, zero V
	plain, object, pad := parts(&x)
	n := 2 + len(pad)
	if object != nil {
		n++
	}
	if len(b) != 8*n {
		return fmt.Errorf("pooltest: ReadItem: an item of %d bytes (got %d)", 8*n, len(b))
	}
	word := func() uint64 {
		w := binary.LittleEndian.Uint64(b)
		b = b[8:]
		return w
	}
	plain.ID, plain.Sum = word(), word()
	if object != nil {
		if id := word(); id != 0 {
			*object = &Object{ID: id}
		}
	}
	for i := range pad {
		pad[i] = word()
	}
	if _, sound := x.ident(); !sound && x != zero {
		return fmt.Errorf("pooltest: ReadItem: value is damaged (got ID %d)", plain.ID)
	}
	*v = x
	return nil
}

// parts returns the parts of *v. object and pad are nil if V has none.
func parts[V Item](v *V) (plain *Plain, object **Object, pad []uint64) {
	switch v := any(v).(type) {
	case *Plain:
		return v, nil, nil
	case *Value:
		return &v.Plain, &v.Object, nil
	case *Wide:
		return &v.Plain, &v.Object, v.Pad[:]
	}
	return nil, nil, nil
}
