package arena

// This file converts pieces of an Arena to values and slices of T. The other files use unsafe only
// for the sizes of types. Three checks make the conversions safe. Slicing buf checks that the piece
// lies within it. The piece is aligned, because Go aligns nothing to more than 8 and offsets count
// from an aligned address. And mustHold checks that T has no pointers. The collector finds a chunk
// on its heap by any pointer into it, and ignores pointers to memory off its heap.

import (
	"hash/maphash"
	"math"
	"math/bits"
	"reflect"
	"strings"
	"unsafe"

	"github.com/seed505807e1/berth/internal/inline"
	"github.com/seed505807e1/berth/internal/limits"
	"github.com/seed505807e1/berth/internal/plain"
)

// knownTypes is the number of types that an Arena remembers to have no pointers, found by a few
// bits of the type's address. It is a power of two.
const knownTypes = 16

// nothing is the address of zero-size values.
var nothing struct{}

// New returns a pointer to a zero T in a, or nil if a has no room. The pointer is valid until its
// memory is rewound. New panics if T holds Go pointers. A zero-size T takes no memory.
//
// Cost: O(1) and the zeroing; allocates a chunk when the current one has no room.
//
//berth:lends r0 of a
func New[T any](a *Arena) *T { return inline.Call(making[T](a)) }

// making returns the body of New in a form that inlines, so that properties of T are constants.
func making[T any](a *Arena) func() *T {
	return func() *T {
		size, align := int(unsafe.Sizeof(*new(T))), int(unsafe.Alignof(*new(T)))
		off, word := a.off, typeWord[T]()
		if size <= a.clean-off && off&(align-1) == 0 && a.known[knownAt(word)] == uintptr(word) {
			a.off = off + size
			return (*T)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(a.buf)), off))
		}
		return (*T)(a.oneSlow(size, align, word))
	}
}

// oneSlow is the slow path of New.
func (a *Arena) oneSlow(size, align int, word unsafe.Pointer) unsafe.Pointer {
	a.mustHold(word, "New")
	switch {
	case size > 0:
	case a.kind == null:
		return nil
	default:
		return unsafe.Pointer(&nothing)
	}
	off, ok := a.take(size, align)
	if !ok {
		return nil
	}
	a.zero(size)
	b := a.buf[off : off+size]
	return unsafe.Pointer(&b[0])
}

// typeWord returns a pointer that is unique to T: the type pointer of *T, which is the first word
// of an interface. It is only compared, and dereferenced only by package reflect. It is a constant
// if T is known at compile time.
func typeWord[T any]() unsafe.Pointer { // inlined
	var p any = (*T)(nil)
	return *(*unsafe.Pointer)(unsafe.Pointer(&p))
}

// typeAt returns the T of a typeWord.
func typeAt(word unsafe.Pointer) reflect.Type {
	var p any
	*(*unsafe.Pointer)(unsafe.Pointer(&p)) = word
	return reflect.TypeOf(p).Elem()
}

// knownAt returns the index in known for a type.
func knownAt(word unsafe.Pointer) int { return int(uintptr(word) / 64 % knownTypes) }

// mustHold panics if T holds Go pointers. Otherwise it records T in a, which may be nil. Zero-size
// types are not recorded, since the fast path of New never looks them up.
func mustHold[T any](a *Arena, fn string) { a.mustHold(typeWord[T](), fn) }

func (a *Arena) mustHold(word unsafe.Pointer, fn string) {
	if a != nil && a.known[knownAt(word)] == uintptr(word) {
		return
	}
	t := typeAt(word)
	if path := plain.Pointer(t); path != "" {
		hint := " (Typed, or a berth.Pool, can)"
		if strings.HasSuffix(path, ".mem.a: *arena.Arena") {
			hint = " (of the containers, only Nested can lie in another)"
		}
		panic("arena: " + fn + ": an arena cannot hold Go pointers: " + path + hint)
	}
	if a != nil && t.Size() > 0 {
		a.known[knownAt(word)] = uintptr(word)
	}
}

// MakeSlice returns a slice of zero values of T in a, with the given length and capacity, or nil if
// a has no room. The slice is valid until its memory is rewound. MakeSlice panics if T holds Go
// pointers, if an argument is negative, or if length is more than capacity.
//
// Cost: O(1), and the zeroing of memory that was used before; allocates a chunk when the current
// one has no room.
//
//berth:lends r0 of a
func MakeSlice[T any](a *Arena, length, capacity int) []T {
	s := MakeSliceDirty[T](a, length, capacity)
	if s != nil {
		a.zero(len(bytesOf(s[:capacity])))
	}
	return s
}

// MakeSliceDirty is like [MakeSlice], but does not zero the values. Their contents are unspecified.
//
// Cost: O(1); allocates a chunk when the current one has no room.
//
//berth:lends r0 of a
func MakeSliceDirty[T any](a *Arena, length, capacity int) []T {
	if length < 0 || length > capacity {
		panic("arena: MakeSlice: length is negative or more than capacity")
	}
	mustHold[T](a, "MakeSlice")
	s, ok := carve[T](a, capacity)
	if !ok {
		return nil
	}
	return s[:length]
}

// Append appends vs to s, which must lie in a, or have no capacity. If s was allocated last in a,
// it grows in place. Otherwise it moves when it is full, and its old memory stays unused. Append
// returns s unchanged, and false, if a has no room. It panics if T holds Go pointers. As with Go's
// append, new capacity after the last value is zero.
//
// Cost: amortised O(len(vs)), and the zeroing of memory that was used before.
//
// Ends: pointers into s, if it moves.
//
//berth:ends other of a
//berth:lends r0 of a
//berth:must r1
func Append[T any](a *Arena, s []T, vs ...T) ([]T, bool) {
	if len(vs) <= cap(s)-len(s) {
		return append(s, vs...), true
	}
	mustHold[T](a, "Append")
	grown, ok := grow(a, s, len(vs), math.MaxInt)
	if !ok {
		return s, false
	}
	grown = append(grown, vs...)
	if room := grown[len(grown):cap(grown)]; len(room) > 0 {
		a.zero(len(bytesOf(room)))
	}
	return grown, true
}

// grow returns s with room for n more values. If possible it doubles the capacity, so that a slice
// that grows one by one is copied about twice in total. The capacity is at most the argument most.
func grow[T any](a *Arena, s []T, n, most int) ([]T, bool) {
	need := len(s) + n
	if need < 0 || need > most {
		return nil, false
	}
	few := max(2, baseAlign/max(1, int(unsafe.Sizeof(*new(T)))))
	if want := min(max(need, 2*cap(s), few), most); want > need {
		if g, ok := growTo(a, s, want); ok {
			return g, true
		}
	}
	return growTo(a, s, need)
}

// growTo returns s with capacity n, which is more than it has. It extends s in place if s is the
// most recent allocation, and otherwise copies it.
func growTo[T any](a *Arena, s []T, n int) ([]T, bool) {
	if isLast(a, s) {
		if bytes, ok := bytesFor[T](n - cap(s)); ok && a.extend(bytes) {
			return lengthen(a, s, n), true
		}
	}
	g, ok := carve[T](a, n)
	if !ok {
		return nil, false
	}
	return g[:copy(g, s)], true
}

// carve takes memory for n values of T, a type without pointers. It does not zero them.
func carve[T any](a *Arena, n int) ([]T, bool) {
	size, ok := bytesFor[T](n)
	if !ok {
		return nil, false
	}
	if size == 0 {
		if a.kind == null {
			return nil, false
		}
		return unsafe.Slice((*T)(unsafe.Pointer(&nothing)), n), true
	}
	off, ok := a.take(size, int(unsafe.Alignof(*new(T))))
	if !ok {
		return nil, false
	}
	b := a.buf[off : off+size]
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n), true
}

// carveZero is carve followed by zeroing.
func carveZero[T any](a *Arena, n int) ([]T, bool) {
	s, ok := carve[T](a, n)
	if ok {
		a.zero(len(bytesOf(s)))
	}
	return s, ok
}

// bytesFor returns the size of n values of T. It reports false if that is more than the addresses
// of a process. The limit on Go's heap is checked where the memory is taken.
func bytesFor[T any](n int) (int, bool) {
	hi, lo := bits.Mul(uint(n), uint(unsafe.Sizeof(*new(T))))
	return int(lo), n >= 0 && hi == 0 && lo <= limits.MaxAddresses
}

// isLast reports whether the capacity of s ends where the next allocation of a begins.
func isLast[T any](a *Arena, s []T) bool {
	size := uintptr(cap(s)) * unsafe.Sizeof(*new(T))
	at, base := uintptr(unsafe.Pointer(unsafe.SliceData(s))), address(a.buf)
	return size > 0 && at >= base && at+size == base+uintptr(a.off)
}

// sameStart reports whether s and t begin at the same address.
func sameStart[T any](s, t []T) bool { return unsafe.SliceData(s) == unsafe.SliceData(t) }

// lengthen returns s with capacity n. Its memory already reaches that far.
func lengthen[T any](a *Arena, s []T, n int) []T {
	size := n * int(unsafe.Sizeof(*new(T)))
	off := int(uintptr(unsafe.Pointer(unsafe.SliceData(s))) - address(a.buf))
	b := a.buf[off : off+size]
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n)[:len(s)]
}

// sliceBefore returns the n values of T that end at offset end of buf.
func sliceBefore[T any](buf []byte, end, n int) []T {
	b := buf[end-n*int(unsafe.Sizeof(*new(T))) : end]
	if len(b) == 0 {
		return unsafe.Slice((*T)(unsafe.Pointer(&nothing)), n)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n)
}

// bytesOf returns the memory of s.
func bytesOf[T any](s []T) []byte {
	n := len(s) * int(unsafe.Sizeof(*new(T)))
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), n)
}

// address returns where b begins.
func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// heapBytes returns n zero bytes on Go's heap, aligned to baseAlign.
func heapBytes(n int) []byte {
	b := make([]byte, n+baseAlign)
	off := int(-address(b) & (baseAlign - 1))
	return b[off : off+n : off+n]
}

// hashing returns the body of Map.hash in a form that inlines, so that properties of K are
// constants. It multiplies numbers that an attacker does not know. It loads no more bytes at once
// than the alignment, since they may have been stored one by one, and such a load is slow.
func (m *Map[K, V]) hashing(k K) func() uint64 {
	return func() uint64 {
		size, align := unsafe.Sizeof(k), unsafe.Alignof(k)
		if !hasWords(size, align) || m.secret[0] == 0 {
			return m.hashAny(k)
		}
		var x, y uint64
		p := unsafe.Pointer(&k)
		if align == 8 {
			x, y = *(*uint64)(p), *(*uint64)(unsafe.Add(p, size-8))
		} else {
			x, y = half(p, 0), half(p, size-4)
			if size > 8 {
				y |= half(p, 4) << 32
			}
			if size > 12 {
				x |= half(p, 8) << 32
			}
		}
		return mix(mix(x^m.secret[0], y^m.secret[1]), 0x1D8E4E27C47D124F)
	}
}

// secretFor returns random numbers for hashing. The first is 0 only if hashing cannot hash a K.
func secretFor[K comparable](seed maphash.Seed) (secret [2]uint64) {
	size, align := unsafe.Sizeof(*new(K)), unsafe.Alignof(*new(K))
	if hasWords(size, align) && plain.Bytewise(plain.TypeFor[K]()) {
		secret[0], secret[1] = maphash.Comparable(seed, 0)|1, maphash.Comparable(seed, 1)
	}
	return secret
}

// hasWords reports whether hashing can hash a key of that size and alignment, if it is Bytewise.
func hasWords(size, align uintptr) bool { return align >= 4 && size >= 4 && size <= 16 }

// half returns half a word, at an offset.
func half(p unsafe.Pointer, at uintptr) uint64 { return uint64(*(*uint32)(unsafe.Add(p, at))) }

// mix returns a product of 128 bits, folded.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
