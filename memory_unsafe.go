package berth

import (
	"unsafe"

	"github.com/seed505807e1/berth/internal/plain"
)

// This is the only file of the package that uses unsafe, apart from tests. It is called once for
// each piece, so it can afford to check its arguments, and for each run of values that is saved or
// loaded.

// aligned reports whether the address of b is a multiple of align.
func aligned(b []byte, align uintptr) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))%align == 0
}

// valuesIn returns the memory b as n values. b must have room for them, and their alignment. T must
// have no pointers, since the collector may treat b as plain bytes.
func valuesIn[T any](b []byte, n int) []T {
	var zero T
	size := unsafe.Sizeof(zero)
	switch {
	case size == 0 || n == 0:
		return make([]T, n) // takes no memory
	case n < 0 || uintptr(n) > uintptr(len(b))/size:
		panic("berth: memory too short for its values")
	case !aligned(b, unsafe.Alignof(zero)):
		panic("berth: memory at a wrong address for its values")
	case plain.Pointer(plain.TypeFor[T]()) != "":
		panic("berth: values with Go pointers in memory that the collector does not scan")
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// bytesIn returns the memory of vals. T must have no pointers, since the caller may write to it.
func bytesIn[T any](vals []T) []byte {
	var zero T
	size := unsafe.Sizeof(zero)
	if size == 0 || len(vals) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(vals))), uintptr(len(vals))*size)
}
