package journal

import (
	"math/bits"
	"unsafe"
)

// This file has what a Log does that keeps a shadow: it compares the bytes of values with it. It is
// the only one of the package that uses unsafe.

// Cover makes the shadow of page k a copy of the given values. A Log that compares needs that for
// each page, before its first note.
func (l *Log[T, S]) Cover(k int, vals []T) {
	if l.shadow == nil {
		return
	}
	if l.shadow[k] == nil {
		l.shadow[k] = new([pageSlots]T)
	}
	copy(l.shadow[k][:], vals)
}

// Uncover releases the shadow of page k, which has no memory. Cover makes it again.
func (l *Log[T, S]) Uncover(k int) {
	if l.shadow != nil {
		l.shadow[k] = nil
	}
}

// SetShadow makes the shadow of slot i of page k, which is logged, a copy of *v. It is for a value
// that moves there.
func (l *Log[T, S]) SetShadow(k, i int, v *T) { l.shadow[k][i&63] = *v }

// Differs returns those of the given slots of page k that differ from the shadow. vals are the
// values of the page. The shadow is that of the last Mark for slots that are not logged.
//
// Cost: a comparison of the page as bytes, and of each slot if they are not equal.
func (l *Log[T, S]) Differs(k int, vals []T, slots uint64) (w uint64) {
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

// shade brings the shadow up to date with the slots that were logged in the current frame.
func (l *Log[T, S]) shade() {
	for k := range l.pages {
		if w := l.pages[k].touched; w != 0 {
			vals, _, _ := l.Slots(k)
			l.shadeSlots(k, vals, w)
		}
	}
}

// shadeSlots makes the shadow of the given slots of page k a copy of vals, the values of the page.
// That of a slot beyond them, which has no memory, becomes zero.
func (l *Log[T, S]) shadeSlots(k int, vals []T, slots uint64) {
	shadow := l.shadow[k]
	if shadow == nil {
		return
	}
	copySlots(shadow[:], vals, slots)
	var zero T
	for w := slots &^ (1<<len(vals) - 1); w != 0; w &= w - 1 {
		shadow[bits.TrailingZeros64(w)] = zero
	}
}

// bytesOf returns the memory of s as a string, which must be used before s changes. The bytes of
// values with pointers may be compared, but not kept.
func bytesOf[T any](s []T) string {
	var zero T
	n := len(s) * int(unsafe.Sizeof(zero))
	return unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(s))), n)
}
