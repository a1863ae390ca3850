package arena

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"unsafe"

	"github.com/seed505807e1/berth/internal/wire"
)

// A Handle32 refers to a value in a [Handles]. Its low 16 bits are the slot's index, from 1 to
// 65 535. The next bit is never set in a handle that was given out, and the high 15 bits are the
// slot's generation at insertion. The zero Handle32 refers to nothing. It marshals to the text
// "index:generation", and to 4 bytes.
type Handle32[T any] uint32

// A Handle64 refers to a value in a [Handles]. Its low 32 bits are the slot's index, from 1 to
// 2^32-1. The next bit is never set in a handle that was given out, and the high 31 bits are the
// slot's generation at insertion. The zero Handle64 refers to nothing. It marshals to the text
// "index:generation", and to 8 bytes.
type Handle64[T any] uint64

// HandleOf is the constraint of handles to a T, narrow or wide.
type HandleOf[T any] interface {
	Handle32[T] | Handle64[T]
}

// Index returns the index in h. It is 0 only for the zero handle.
//
// Cost: O(1).
func (h Handle32[T]) Index() uint32 { return indexOf(h) }

// Generation returns the generation in h.
//
// Cost: O(1).
func (h Handle32[T]) Generation() uint32 { return generationOf(h) }

// IsZero reports whether h is the zero handle, which refers to nothing.
//
// Cost: O(1).
func (h Handle32[T]) IsZero() bool { return h == 0 }

// String returns "index:generation" in decimal, or "none" for the zero handle. It is meant for
// people. Programs should use [Handle32.MarshalText].
//
// Cost: allocates the string.
func (h Handle32[T]) String() string { return text(h) }

// AppendText appends "index:generation" in decimal to b, or nothing for the zero handle. It fails
// if h is a number that no [Handles] gives out: one with index 0, or with the bit that is never
// set.
//
// Cost: O(1); allocates only to grow b.
func (h Handle32[T]) AppendText(b []byte) ([]byte, error) {
	if !isIssued(h) {
		return b, noHandle("Handle32.AppendText", uint64(h))
	}
	return appendText(b, h), nil
}

// MarshalText returns the text that [Handle32.AppendText] appends.
//
// Cost: O(1); allocates the text.
func (h Handle32[T]) MarshalText() ([]byte, error) { return h.AppendText([]byte{}) }

// UnmarshalText sets h to the handle encoded in text. Every handle has exactly one text. For any
// other it returns [ErrCorrupt], and h is unchanged. A handle that was never given out finds
// nothing.
//
// Cost: O(len(text)); never allocates unless it fails.
func (h *Handle32[T]) UnmarshalText(text []byte) error {
	return unmarshalText("Handle32.UnmarshalText", h, text)
}

// AppendBinary appends the 4 bytes of h to b in little-endian order. The error is always nil.
//
// Cost: O(1); allocates only to grow b.
func (h Handle32[T]) AppendBinary(b []byte) ([]byte, error) {
	return binary.LittleEndian.AppendUint32(b, uint32(h)), nil
}

// MarshalBinary returns the bytes that [Handle32.AppendBinary] appends.
//
// Cost: O(1); allocates 4 bytes.
func (h Handle32[T]) MarshalBinary() ([]byte, error) { return h.AppendBinary(nil) }

// UnmarshalBinary sets h to the handle encoded in data, which must have 4 bytes. For any other
// length it returns [ErrCorrupt], and h is unchanged. A handle that was never given out finds
// nothing.
//
// Cost: O(1); never allocates unless it fails.
func (h *Handle32[T]) UnmarshalBinary(data []byte) error {
	if len(data) != 4 {
		return lengthError("Handle32.UnmarshalBinary", len(data), 4)
	}
	*h = Handle32[T](binary.LittleEndian.Uint32(data))
	return nil
}

// Index returns the index in h. It is 0 only for the zero handle.
//
// Cost: O(1).
func (h Handle64[T]) Index() uint32 { return indexOf(h) }

// Generation returns the generation in h.
//
// Cost: O(1).
func (h Handle64[T]) Generation() uint32 { return generationOf(h) }

// IsZero reports whether h is the zero handle, which refers to nothing.
//
// Cost: O(1).
func (h Handle64[T]) IsZero() bool { return h == 0 }

// String returns "index:generation" in decimal, or "none" for the zero handle. It is meant for
// people. Programs should use [Handle64.MarshalText].
//
// Cost: allocates the string.
func (h Handle64[T]) String() string { return text(h) }

// AppendText appends "index:generation" in decimal to b, or nothing for the zero handle. It fails
// if h is a number that no [Handles] gives out: one with index 0, or with the bit that is never
// set.
//
// Cost: O(1); allocates only to grow b.
func (h Handle64[T]) AppendText(b []byte) ([]byte, error) {
	if !isIssued(h) {
		return b, noHandle("Handle64.AppendText", uint64(h))
	}
	return appendText(b, h), nil
}

// MarshalText returns the text that [Handle64.AppendText] appends.
//
// Cost: O(1); allocates the text.
func (h Handle64[T]) MarshalText() ([]byte, error) { return h.AppendText([]byte{}) }

// UnmarshalText sets h to the handle encoded in text. Every handle has exactly one text. For any
// other it returns [ErrCorrupt], and h is unchanged. A handle that was never given out finds
// nothing.
//
// Cost: O(len(text)); never allocates unless it fails.
func (h *Handle64[T]) UnmarshalText(text []byte) error {
	return unmarshalText("Handle64.UnmarshalText", h, text)
}

// AppendBinary appends the 8 bytes of h to b in little-endian order. The error is always nil.
//
// Cost: O(1); allocates only to grow b.
func (h Handle64[T]) AppendBinary(b []byte) ([]byte, error) {
	return binary.LittleEndian.AppendUint64(b, uint64(h)), nil
}

// MarshalBinary returns the bytes that [Handle64.AppendBinary] appends.
//
// Cost: O(1); allocates 8 bytes.
func (h Handle64[T]) MarshalBinary() ([]byte, error) { return h.AppendBinary(nil) }

// UnmarshalBinary sets h to the handle encoded in data, which must have 8 bytes. For any other
// length it returns [ErrCorrupt], and h is unchanged. A handle that was never given out finds
// nothing.
//
// Cost: O(1); never allocates unless it fails.
func (h *Handle64[T]) UnmarshalBinary(data []byte) error {
	if len(data) != 8 {
		return lengthError("Handle64.UnmarshalBinary", len(data), 8)
	}
	*h = Handle64[T](binary.LittleEndian.Uint64(data))
	return nil
}

// word is the integer behind a handle. The low half of its bits is the index. The next bit is set
// if the slot is in the free list, in which case the index is that of the next slot. The rest is
// the generation.
type word interface{ ~uint32 | ~uint64 }

func indexBits[H word]() int { return int(unsafe.Sizeof(H(0))) * 4 }

// maxIndex is the highest index.
func maxIndex[H word]() uint32 { return uint32(H(1)<<indexBits[H]() - 1) }

// maxGeneration is the highest generation.
func maxGeneration[H word]() uint32 { return uint32(^H(0) >> (indexBits[H]() + 1)) }

func indexOf[H word](h H) uint32 { return uint32(h) & maxIndex[H]() }

func generationOf[H word](h H) uint32 { return uint32(h >> (indexBits[H]() + 1)) }

// isFree reports whether the free-list bit is set.
func isFree[H word](h H) bool { return h>>indexBits[H]()&1 != 0 }

// makeHandle builds a handle from its parts.
func makeHandle[H word](index uint32, free bool, generation uint32) H {
	h := H(index) | H(generation)<<(indexBits[H]()+1)
	if free {
		h |= 1 << indexBits[H]()
	}
	return h
}

func text[H word](h H) string {
	if h == 0 {
		return "none"
	}
	return string(appendText(nil, h))
}

// isIssued reports whether h is zero or could have been given out.
func isIssued[H word](h H) bool { return h == 0 || indexOf(h) != 0 && !isFree(h) }

func noHandle(fn string, h uint64) error {
	return fmt.Errorf("arena: %s: %#x is not a valid handle", fn, h)
}

// appendText appends the text of h.
func appendText[H word](b []byte, h H) []byte {
	if h == 0 {
		return b
	}
	b = wire.AppendHandle(b, uint64(indexOf(h)))
	return strconv.AppendUint(b, uint64(generationOf(h)), 10)
}

// unmarshalText sets h to the handle encoded in text, for fn.
func unmarshalText[H word](fn string, h *H, text []byte) error {
	if len(text) == 0 {
		*h = 0
		return nil
	}
	index, rest, err := wire.CutHandle(text, uint64(maxIndex[H]()))
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrCorrupt, fn, err)
	}
	generation, err := wire.Number(rest, uint64(maxGeneration[H]()))
	if err != nil {
		return fmt.Errorf("%w: %s: generation: %w", ErrCorrupt, fn, err)
	}
	if index == 0 {
		return fmt.Errorf("%w: %s: %s has index 0", ErrCorrupt, fn, wire.Quote(text))
	}
	*h = makeHandle[H](uint32(index), false, uint32(generation))
	return nil
}

func lengthError(fn string, n, want int) error {
	return fmt.Errorf("%w: %s: %d bytes, want %d", ErrCorrupt, fn, n, want)
}
