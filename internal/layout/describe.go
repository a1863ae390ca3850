package layout

import (
	"reflect"
	"strconv"
)

// Describe returns a description of the encoding of t. It is the same for all types with the same
// encoding. It has i, u and f with the number of bytes for numbers, b for a bool, [n] before the
// element of an array, and {name:type;...} for a struct without its blank fields. A complex number
// is an array of two floats. Names of types do not appear, so a type may be renamed or moved. Names
// of fields do, and an embedded field has the name of its type. Elements of arrays of length 0 do
// not appear. An int is i8 on 64-bit machines, like an int64, and i4 on 32-bit machines. Describe
// panics if values of t hold pointers.
//
// The fingerprint of a [Layout] is the 64-bit FNV-1a hash of the description.
//
// Cost: a walk through the type; allocates the string.
func Describe(t reflect.Type) string { return string(describe(nil, t)) }

func describe(b []byte, t reflect.Type) []byte {
	size := int64(t.Size())
	switch t.Kind() {
	case reflect.Bool:
		return append(b, 'b')
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(append(b, 'i'), size, 10)
	case reflect.Float32, reflect.Float64:
		return strconv.AppendInt(append(b, 'f'), size, 10)
	case reflect.Complex64, reflect.Complex128:
		return strconv.AppendInt(append(b, "[2]f"...), size/2, 10)
	case reflect.Array:
		b = append(b, '[')
		b = strconv.AppendInt(b, int64(t.Len()), 10)
		b = append(b, ']')
		if t.Len() == 0 {
			return b
		}
		return describe(b, t.Elem())
	case reflect.Struct:
		b = append(b, '{')
		for i := range t.NumField() {
			if f := t.Field(i); f.Name != "_" {
				b = append(b, f.Name...)
				b = append(b, ':')
				b = append(describe(b, f.Type), ';')
			}
		}
		return append(b, '}')
	default:
		mustBeNumber(t)
		return strconv.AppendInt(append(b, 'u'), size, 10)
	}
}

// The constants of FNV-1a.
const (
	offset64 = 14695981039346656037
	prime64  = 1099511628211
)

func fingerprint(t reflect.Type) uint64 {
	h := uint64(offset64)
	for _, c := range describe(nil, t) {
		h = (h ^ uint64(c)) * prime64
	}
	return h
}

// Find returns the path to the first type in values of t for which is reports true, as in
// ".Items[0]", and that type, or nil if there is none. It does not visit the elements of arrays of
// length 0. The path to t itself is "".
//
// Cost: a walk through the type.
func Find(t reflect.Type, is func(reflect.Type) bool) (string, reflect.Type) {
	if is(t) {
		return "", t
	}
	switch t.Kind() {
	case reflect.Array:
		if t.Len() == 0 {
			return "", nil
		}
		if path, found := Find(t.Elem(), is); found != nil {
			return "[0]" + path, found
		}
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if path, found := Find(f.Type, is); found != nil {
				return "." + f.Name + path, found
			}
		}
	default: // numbers
	}
	return "", nil
}
