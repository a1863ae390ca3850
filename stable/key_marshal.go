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

// AppendText appends "index:identifier" to b, or nothing for the zero Key. It writes an identifier
// that has MarshalText by that method, an integer in decimal, and an array of bytes in hexadecimal.
// For any other type, the error wraps errors.ErrUnsupported and names the type.
// Cost: reflection on the identifier; allocates to grow b, and at most the identifier's text.
func (k Key[T, I, D]) AppendText(b []byte) ([]byte, error) {
	if k.IsZero() {
		return b, nil
	}
	out, err := appendTextOf(wire.AppendHandle(b, uint64(k.index)), &k.id)
	if err != nil {
		return b, fmt.Errorf("stable: Key.AppendText: %w", err)
	}
	return out, nil
}

// MarshalText returns the text that [Key.AppendText] appends.
// Cost: as AppendText.
func (k Key[T, I, D]) MarshalText() ([]byte, error) { return k.AppendText([]byte{}) }

// UnmarshalText sets k to the Key that was marshalled to text. Every Key has exactly one text. For
// any other text the error is an [ErrCorrupt], and k is unchanged. If AppendText cannot write the
// identifier, the error wraps errors.ErrUnsupported. A Key that no list has issued finds nothing.
// Cost: as AppendText.
func (k *Key[T, I, D]) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*k = Key[T, I, D]{}
		return nil
	}
	index, rest, err := wire.CutHandle(text, uint64(^I(0)))
	if err != nil {
		return fmt.Errorf("%w: Key.UnmarshalText: %w", ErrCorrupt, err)
	}
	got := Key[T, I, D]{index: I(index)}
	if err := readTextOf(&got.id, rest); err != nil {
		return fmt.Errorf("stable: Key.UnmarshalText: %w", err)
	}
	if again, err := got.AppendText(nil); err != nil || !bytes.Equal(again, text) {
		return fmt.Errorf("%w: Key.UnmarshalText: no key has the text %s",
			ErrCorrupt, wire.Quote(text))
	}
	*k = got
	return nil
}

// AppendBinary appends the index and the identifier of k to b, the lowest byte first. The index
// takes as many bytes as I has, an integer as many as D has (int and uint: 8), and an array of
// bytes is written as it is. An identifier that has MarshalBinary is written by that method. For
// any other type, the error wraps errors.ErrUnsupported and names the type.
// Cost: as AppendText. The Key of a [List] takes 8 bytes.
func (k Key[T, I, D]) AppendBinary(b []byte) ([]byte, error) {
	out := appendInteger(b, uint64(k.index), int(unsafe.Sizeof(k.index)))
	out, err := appendBinaryOf(out, &k.id)
	if err != nil {
		return b, fmt.Errorf("stable: Key.AppendBinary: %w", err)
	}
	return out, nil
}

// MarshalBinary returns the bytes that [Key.AppendBinary] appends.
// Cost: as AppendText.
func (k Key[T, I, D]) MarshalBinary() ([]byte, error) { return k.AppendBinary(nil) }

// UnmarshalBinary sets k to the Key that was marshalled to data. For any other bytes the error is
// an [ErrCorrupt], and k is unchanged. If AppendBinary cannot write the identifier, the error wraps
// errors.ErrUnsupported. A Key that no list has issued finds nothing.
// Cost: as AppendText.
func (k *Key[T, I, D]) UnmarshalBinary(data []byte) error {
	n := int(unsafe.Sizeof(k.index))
	if len(data) < n {
		return fmt.Errorf("%w: Key.UnmarshalBinary: %d bytes, want %d of the index alone",
			ErrCorrupt, len(data), n)
	}
	got := Key[T, I, D]{index: I(integer(data[:n]))}
	if err := readBinaryOf(&got.id, data[n:]); err != nil {
		return fmt.Errorf("stable: Key.UnmarshalBinary: %w", err)
	}
	if got.IsZero() && got.index != 0 {
		return fmt.Errorf("%w: Key.UnmarshalBinary: index %d with the zero identifier",
			ErrCorrupt, got.index)
	}
	if again, err := got.AppendBinary(nil); err != nil || !bytes.Equal(again, data) {
		return fmt.Errorf("%w: Key.UnmarshalBinary: no key has the bytes %s",
			ErrCorrupt, wire.Quote(data))
	}
	*k = got
	return nil
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
	_ encoding.TextAppender      = ListKey[int]{}
	_ encoding.TextMarshaler     = ListKey[int]{}
	_ encoding.TextUnmarshaler   = (*ListKey[int])(nil)
	_ encoding.BinaryAppender    = ListKey[int]{}
	_ encoding.BinaryMarshaler   = ListKey[int]{}
	_ encoding.BinaryUnmarshaler = (*ListKey[int])(nil)
)
