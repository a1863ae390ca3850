package arena

import (
	"strconv"
	"unsafe"
)

// Handle32 names a value of a [Handles]: an index from 1 to 65 535 in its low 16 bits, a bit that
// is never set in a handle that was given out, and 15 bits of generation. The zero Handle32 names
// nothing.
type Handle32[T any] uint32

// Handle64 names a value of a [Handles]: an index from 1 to 2^32 - 1 in its low 32 bits, a bit that
// is never set in a handle that was given out, and 31 bits of generation. The zero Handle64 names
// nothing.
type Handle64[T any] uint64

// HandleOf is a handle of a T, narrow or wide.
type HandleOf[T any] interface {
	Handle32[T] | Handle64[T]
}

// Index returns the index in h: 0 for the zero handle only.
// Cost: O(1).
func (h Handle32[T]) Index() uint32 { return indexOf(h) }

// Generation returns the generation in h.
// Cost: O(1).
func (h Handle32[T]) Generation() uint32 { return generationOf(h) }

// IsZero reports whether h is the zero handle, which names nothing.
// Cost: O(1).
func (h Handle32[T]) IsZero() bool { return h == 0 }

// String returns index and generation, as in "7@2".
// Cost: allocates the string.
func (h Handle32[T]) String() string { return text(h) }

// Index returns the index in h: 0 for the zero handle only.
// Cost: O(1).
func (h Handle64[T]) Index() uint32 { return indexOf(h) }

// Generation returns the generation in h.
// Cost: O(1).
func (h Handle64[T]) Generation() uint32 { return generationOf(h) }

// IsZero reports whether h is the zero handle, which names nothing.
// Cost: O(1).
func (h Handle64[T]) IsZero() bool { return h == 0 }

// String returns index and generation, as in "7@2".
// Cost: allocates the string.
func (h Handle64[T]) String() string { return text(h) }

// word is the bits of a handle. From the lowest on, half of them are the index, one says that the
// slot is in the free list, in which case the index is that of the next, and the others are the
// generation.
type word interface{ ~uint32 | ~uint64 }

func indexBits[H word]() int { return int(unsafe.Sizeof(H(0))) * 4 }

// maxIndex is the highest index.
func maxIndex[H word]() uint32 { return uint32(H(1)<<indexBits[H]() - 1) }

// maxGeneration is the highest generation.
func maxGeneration[H word]() uint32 { return uint32(^H(0) >> (indexBits[H]() + 1)) }

func indexOf[H word](h H) uint32 { return uint32(h) & maxIndex[H]() }

func generationOf[H word](h H) uint32 { return uint32(h >> (indexBits[H]() + 1)) }

// isFree reports whether the bit is set that says so.
func isFree[H word](h H) bool { return h>>indexBits[H]()&1 != 0 }

// makeHandle puts a handle together.
func makeHandle[H word](index uint32, free bool, generation uint32) H {
	h := H(index) | H(generation)<<(indexBits[H]()+1)
	if free {
		h |= 1 << indexBits[H]()
	}
	return h
}

func text[H word](h H) string {
	return strconv.FormatUint(uint64(indexOf(h)), 10) + "@" +
		strconv.FormatUint(uint64(generationOf(h)), 10)
}
