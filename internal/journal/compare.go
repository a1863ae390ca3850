package journal

import (
	"math/bits"
	"unsafe"
)

// This file compares the bytes of values, for a Log that keeps a shadow. It is the only one of the
// package that uses unsafe.

// Cover makes the shadow of page k a copy of the given values. A Log that compares needs that for
// each page, before its first note.
func (l *Log[T, S, P]) Cover(k int, vals []T) {
	if l.shadow == nil {
		return
	}
	if l.shadow[k] == nil {
		l.shadow[k] = new([pageSlots]T)
	}
	copy(l.shadow[k][:], vals)
}

// SetShadow makes the shadow of slot i of page k, which is logged, a copy of *v. It is for a value
// that moves there.
func (l *Log[T, S, P]) SetShadow(k, i int, v *T) { l.shadow[k][i&63] = *v }

// Differs returns those of the given slots of page k that differ from the shadow. vals are the
// values of the page. The shadow is that of the last Mark for slots that are not logged.
// Cost: a comparison of the page as bytes, and of each slot if they are not equal.
func (l *Log[T, S, P]) Differs(k int, vals []T, slots uint64) (w uint64) {
	shadow := l.shadow[k][:]
	if slots == 0 || bytesOf(vals) == bytesOf(shadow[:len(vals)]) {
		return 0
	}
	for ; slots != 0; slots &= slots - 1 {
		i := bits.TrailingZeros64(slots)
		if bytesOf(vals[i:i+1]) != bytesOf(shadow[i:i+1]) {
			w |= 1 << i
		}
	}
	return w
}

// bytesOf returns the memory of s as a string, which must be used before s changes. The bytes of
// values with pointers may be compared, but not kept.
func bytesOf[T any](s []T) string {
	var zero T
	n := len(s) * int(unsafe.Sizeof(zero))
	return unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(s))), n)
}
