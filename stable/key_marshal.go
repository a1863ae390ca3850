package stable

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"unsafe"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/wire"
)

// ErrCorrupt is [berth.ErrCorrupt].
var ErrCorrupt = berth.ErrCorrupt

// MarshalText returns "index:identifier", or nothing for the zero Key. It writes an identifier that
// has MarshalText by that method, an integer in decimal, and an array of bytes in hexadecimal. For
// any other type, the error wraps errors.ErrUnsupported and names the type. Package log/slog uses
// it.
//
// Cost: reflection on the identifier; allocates the text, and at most the identifier's.
func (k Key[T, I, D]) MarshalText() ([]byte, error) {
	if k.IsZero() {
		return []byte{}, nil
	}
	return keyText(uint64(k.index), &k.id)
}

// keyText returns the text of a Key that is not zero. id points to its identifier, here and below.
//
//go:noinline
func keyText(index uint64, id any) ([]byte, error) {
	b, err := appendTextOf(wire.AppendHandle(nil, index), id)
	if err != nil {
		return nil, fmt.Errorf("stable: Key.MarshalText: %w", err)
	}
	return b, nil
}

// UnmarshalText sets k to the Key that was marshalled to text. Every Key has exactly one text. For
// any other text the error is an [ErrCorrupt], and k is unchanged. If MarshalText cannot write the
// identifier, the error wraps errors.ErrUnsupported. A Key that no list has issued finds nothing.
//
// Cost: as MarshalText.
func (k *Key[T, I, D]) UnmarshalText(text []byte) error {
	got := new(Key[T, I, D])
	index, err := readKeyText(text, uint64(^I(0)), &got.id)
	if err != nil {
		return err
	}
	got.index = I(index)
	*k = *got
	return nil
}

// readKeyText returns the index in a text, and sets the zero identifier. most is the greatest
// index.
//
//go:noinline
func readKeyText(text []byte, most uint64, id any) (uint64, error) {
	if len(text) == 0 {
		return 0, nil
	}
	index, rest, err := wire.CutHandle(text, most)
	if err != nil {
		return 0, fmt.Errorf("%w: Key.UnmarshalText: %w", ErrCorrupt, err)
	}
	if err := readTextOf(id, rest); err != nil {
		return 0, fmt.Errorf("stable: Key.UnmarshalText: %w", err)
	}
	again, err := keyText(index, id)
	if err != nil || !bytes.Equal(again, text) || reflect.ValueOf(id).Elem().IsZero() {
		return 0, fmt.Errorf("%w: Key.UnmarshalText: no key has the text %s",
			ErrCorrupt, wire.Quote(text))
	}
	return index, nil
}

// MarshalBinary returns the index and the identifier of k, the lowest byte first. The index takes
// as many bytes as I has, an integer as many as D has (int and uint: 8), and an array of bytes is
// written as it is. An identifier that has MarshalBinary is written by that method. For any other
// type, the error wraps errors.ErrUnsupported and names the type.
//
// Cost: as MarshalText. The Key of a [List] takes 8 bytes.
func (k Key[T, I, D]) MarshalBinary() ([]byte, error) {
	return keyBytes(uint64(k.index), int(unsafe.Sizeof(k.index)), &k.id)
}

// keyBytes returns a Key with an index of n bytes in binary.
//
//go:noinline
func keyBytes(index uint64, n int, id any) ([]byte, error) {
	b, err := appendBinaryOf(appendInteger(nil, index, n), id)
	if err != nil {
		return nil, fmt.Errorf("stable: Key.MarshalBinary: %w", err)
	}
	return b, nil
}

// UnmarshalBinary sets k to the Key that was marshalled to data. For any other bytes the error is
// an [ErrCorrupt], and k is unchanged. If MarshalBinary cannot write the identifier, the error
// wraps errors.ErrUnsupported. A Key that no list has issued finds nothing.
//
// Cost: as MarshalText.
func (k *Key[T, I, D]) UnmarshalBinary(data []byte) error {
	got := new(Key[T, I, D])
	index, err := readKeyBytes(data, int(unsafe.Sizeof(k.index)), &got.id)
	if err != nil {
		return err
	}
	got.index = I(index)
	*k = *got
	return nil
}

// readKeyBytes returns the index in data, which has n bytes of it, and sets the zero identifier.
//
//go:noinline
func readKeyBytes(data []byte, n int, id any) (uint64, error) {
	if len(data) < n {
		return 0, fmt.Errorf("%w: Key.UnmarshalBinary: %d bytes, want %d of the index alone",
			ErrCorrupt, len(data), n)
	}
	index := integer(data[:n])
	if err := readBinaryOf(id, data[n:]); err != nil {
		return 0, fmt.Errorf("stable: Key.UnmarshalBinary: %w", err)
	}
	if index != 0 && reflect.ValueOf(id).Elem().IsZero() {
		return 0, fmt.Errorf("%w: Key.UnmarshalBinary: index %d with the zero identifier",
			ErrCorrupt, index)
	}
	if again, err := keyBytes(index, n, id); err != nil || !bytes.Equal(again, data) {
		return 0, fmt.Errorf("%w: Key.UnmarshalBinary: no key has the bytes %s",
			ErrCorrupt, wire.Quote(data))
	}
	return index, nil
}

// appendTextOf appends the text of the identifier that id points to.
func appendTextOf(b []byte, id any) ([]byte, error) {
	if m, ok := id.(textForm); ok {
		text, err := m.MarshalText()
		if err != nil {
			return nil, fmt.Errorf("identifier of type %v: %w", typeOf(id), err)
		}
		return append(b, text...), nil
	}
	switch v := reflect.ValueOf(id).Elem(); {
	case v.CanUint():
		return strconv.AppendUint(b, v.Uint(), 10), nil
	case v.CanInt():
		return strconv.AppendInt(b, v.Int(), 10), nil
	case isBytes(v.Type()):
		return hex.AppendEncode(b, v.Bytes()), nil
	}
	return nil, unsupported(id, "MarshalText and UnmarshalText")
}

// readTextOf sets the identifier that id points to from a text of appendTextOf. Any other text may
// set it to something else.
func readTextOf(id any, text []byte) error {
	if m, ok := id.(textForm); ok {
		return corrupt(id, text, m.UnmarshalText(text))
	}
	var err error
	switch v := reflect.ValueOf(id).Elem(); {
	case v.CanUint():
		var n uint64
		n, err = strconv.ParseUint(string(text), 10, v.Type().Bits())
		v.SetUint(n)
	case v.CanInt():
		var n int64
		n, err = strconv.ParseInt(string(text), 10, v.Type().Bits())
		v.SetInt(n)
	case isBytes(v.Type()) && len(text) != hex.EncodedLen(v.Len()):
		err = hex.ErrLength
	case isBytes(v.Type()):
		_, err = hex.Decode(v.Bytes(), text)
	default:
		return unsupported(id, "MarshalText and UnmarshalText")
	}
	if bad := (*strconv.NumError)(nil); errors.As(err, &bad) {
		err = bad.Err // without the text, which may be long
	}
	return corrupt(id, text, err)
}

// appendBinaryOf is appendTextOf in binary.
func appendBinaryOf(b []byte, id any) ([]byte, error) {
	if m, ok := id.(binaryForm); ok {
		data, err := m.MarshalBinary()
		if err != nil {
			return nil, fmt.Errorf("identifier of type %v: %w", typeOf(id), err)
		}
		return append(b, data...), nil
	}
	switch v := reflect.ValueOf(id).Elem(); {
	case v.CanUint():
		return appendInteger(b, v.Uint(), width(v.Type())), nil
	case v.CanInt():
		return appendInteger(b, uint64(v.Int()), width(v.Type())), nil
	case isBytes(v.Type()):
		return append(b, v.Bytes()...), nil
	}
	return nil, unsupported(id, "MarshalBinary and UnmarshalBinary")
}

// readBinaryOf is readTextOf in binary.
func readBinaryOf(id any, data []byte) error {
	if m, ok := id.(binaryForm); ok {
		return corrupt(id, data, m.UnmarshalBinary(data))
	}
	v := reflect.ValueOf(id).Elem()
	n := 0
	switch {
	case isBytes(v.Type()):
		n = v.Len()
	case v.CanUint() || v.CanInt():
		n = width(v.Type())
	default:
		return unsupported(id, "MarshalBinary and UnmarshalBinary")
	}
	if len(data) != n {
		return corrupt(id, data, fmt.Errorf("%d bytes, want %d", len(data), n))
	}
	switch {
	case isBytes(v.Type()):
		copy(v.Bytes(), data)
	case v.CanUint() && !v.OverflowUint(integer(data)):
		v.SetUint(integer(data))
	case v.CanInt() && !v.OverflowInt(signed(data)):
		v.SetInt(signed(data))
	default:
		return corrupt(id, data, strconv.ErrRange)
	}
	return nil
}

// textForm and binaryForm are methods of an identifier that take precedence over its kind.
type textForm interface {
	encoding.TextMarshaler
	encoding.TextUnmarshaler
}

type binaryForm interface {
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

func typeOf(id any) reflect.Type { return reflect.TypeOf(id).Elem() }

func unsupported(id any, methods string) error {
	return fmt.Errorf("identifier of type %v is no integer and no array of bytes, and lacks %s: %w",
		typeOf(id), methods, errors.ErrUnsupported)
}

// corrupt wraps the error in the text or the bytes of an identifier, if there is one.
func corrupt(id any, data []byte, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: identifier %s of type %v: %w",
		ErrCorrupt, wire.Quote(data), typeOf(id), err)
}

func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Array && t.Elem().Kind() == reflect.Uint8
}

// width returns the number of bytes that an integer is written in. It is the same on every machine.
func width(t reflect.Type) int {
	switch t.Kind() {
	case reflect.Int, reflect.Uint, reflect.Uintptr:
		return 8
	}
	return int(t.Size())
}

// appendInteger appends the n lowest bytes of u.
func appendInteger(b []byte, u uint64, n int) []byte {
	word := binary.LittleEndian.AppendUint64(nil, u)
	return append(b, word[:n]...)
}

// integer returns the number that appendInteger has written.
func integer(data []byte) uint64 {
	var word [8]byte
	copy(word[:], data)
	return binary.LittleEndian.Uint64(word[:])
}

// signed returns the number that appendInteger has written, which may be negative.
func signed(data []byte) int64 {
	shift := 64 - 8*len(data)
	return int64(integer(data)<<shift) >> shift
}

var (
	_ encoding.TextMarshaler     = ListKey[int]{}
	_ encoding.TextUnmarshaler   = (*ListKey[int])(nil)
	_ encoding.BinaryMarshaler   = ListKey[int]{}
	_ encoding.BinaryUnmarshaler = (*ListKey[int])(nil)
)
