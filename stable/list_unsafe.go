package stable

import "unsafe"

// bytesIn returns the memory of vals. E must have no pointers, since the caller may write to it.
func bytesIn[E any](vals []E) []byte {
	var zero E
	size := unsafe.Sizeof(zero)
	if size == 0 || len(vals) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(vals))), uintptr(len(vals))*size)
}

// sliceOf returns the slice of one element that is *v.
func sliceOf[E any](v *E) []E { return unsafe.Slice(v, 1) }
