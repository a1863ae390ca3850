// Package poison detects writes through pointers that were kept too long. Under the build tag
// berth_poison, containers overwrite a removed value with [Fill], and check it with [Intact] before
// they reuse its memory. Without the tag, a block under if poison.On costs nothing.
package poison

import (
	"bytes"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/seed505807e1/berth/internal/plain"
)

// Byte is the byte that fills plain memory.
const Byte = 0xDB

// Fill poisons *v: numbers and arrays of them are filled with Byte, and a bool is true. Values with
// pointers are zero, since the collector would follow any other pointer: pointers, maps, channels
// and functions are nil, and strings and slices are empty.
func Fill[T any](v *T) {
	var zero T
	*v = zero
	FillAt(plain.TypeFor[T](), unsafe.Pointer(v))
}

// FillAt is Fill for the value of type t at p, which is zero.
func FillAt(t reflect.Type, p unsafe.Pointer) {
	for _, r := range regionsOf(t) {
		if r.fill == 0 {
			continue
		}
		b := r.bytes(p)
		b[0] = r.fill
		for n := 1; n < len(b); n *= 2 {
			copy(b[n:], b[:n])
		}
	}
}

// FillAll poisons each element of s.
func FillAll[T any](s []T) {
	for i := range s {
		Fill(&s[i])
	}
}

// Intact reports whether *v is as Fill left it. It ignores padding.
func Intact[T any](v *T) bool { return IntactAt(plain.TypeFor[T](), unsafe.Pointer(v)) }

// IntactAt is Intact for the value of type t at p.
func IntactAt(t reflect.Type, p unsafe.Pointer) bool { return intact(p, regionsOf(t)) }

// Written returns the index of the first element of s that is not as Fill left it, or -1.
func Written[T any](s []T) int {
	rs := regionsOf(plain.TypeFor[T]())
	for i := range s {
		if !intact(unsafe.Pointer(&s[i]), rs) {
			return i
		}
	}
	return -1
}

func intact(p unsafe.Pointer, rs []region) bool {
	for _, r := range rs {
		if b := r.bytes(p); b[0] != r.fill || !bytes.Equal(b[1:], b[:len(b)-1]) {
			return false
		}
	}
	return true
}

// region is size bytes of a type at off that Fill treats alike: they contain no pointer, or they
// are a pointer and fill is 0.
type region struct {
	off, size uintptr
	fill      byte
}

// bytes returns the bytes of r in the value at p.
func (r region) bytes(p unsafe.Pointer) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(p, r.off)), r.size)
}

// layout has the regions of a type.
type layout struct {
	t       reflect.Type
	regions []region
}

var (
	known sync.Map // of *layout, by type
	last  atomic.Pointer[layout]
)

// regionsOf is fast if the type is that of the last call, as in a loop over values.
func regionsOf(t reflect.Type) []region {
	l := last.Load()
	if l != nil && l.t == t {
		return l.regions
	}
	if k, ok := known.Load(t); ok {
		l = k.(*layout)
	} else {
		l = &layout{t, regions(nil, t, 0)}
		known.Store(t, l)
	}
	last.Store(l)
	return l.regions
}

// regions appends the regions of a t at off.
func regions(to []region, t reflect.Type, off uintptr) []region {
	switch t.Kind() {
	case reflect.Array:
		for i := range t.Len() {
			to = regions(to, t.Elem(), off+uintptr(i)*t.Elem().Size())
		}
		return to
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			to = regions(to, f.Type, off+f.Offset)
		}
		return to
	case reflect.Bool:
		return appendRegion(to, region{off, t.Size(), 1})
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer,
		reflect.Slice, reflect.String, reflect.UnsafePointer:
		return appendRegion(to, region{off, t.Size(), 0})
	default: // numbers
		return appendRegion(to, region{off, t.Size(), Byte})
	}
}

// appendRegion appends r, or extends the last region by it.
func appendRegion(to []region, r region) []region {
	if r.size == 0 {
		return to
	}
	if k := len(to) - 1; k >= 0 && to[k].fill == r.fill && to[k].off+to[k].size == r.off {
		to[k].size += r.size
		return to
	}
	return append(to, r)
}
