package berth

import (
	"fmt"
	"log/slog"
	"strconv"
)

// Handle names one value in one container of T: the place of its slot, and the generation that
// the slot had when the value was inserted. Handles are plain values: copy them, compare them
// with ==, store them, send them, keep them as long as you like. A handle whose value is gone is
// stale, and finds nothing.
//
// The zero Handle names nothing. A Handle[A] does not convert to a Handle[B].
// As the key of a map, [Handle.Uint64] is hashed faster than the Handle itself.
//
// Shape: 8 bytes, no pointers. The index counts from a start that differs between containers, so
// it is not the slot's number; see [Config.Seed].
type Handle[T any] struct {
	_          [0]*T // forbids conversion; first, because last it would cost 8 bytes
	index, gen uint32
}

// HandleFromUint64 is the inverse of [Handle.Uint64]. No u crashes or corrupts anything: one that
// no container has issued makes a handle that finds nothing.
// Cost: O(1); never allocates.
func HandleFromUint64[T any](u uint64) Handle[T] {
	return Handle[T]{index: uint32(u), gen: uint32(u >> 32)}
}

// Uint64 returns h as a number, for maps, wires and C; 0 exactly for the zero Handle.
// Cost: O(1); never allocates.
func (h Handle[T]) Uint64() uint64 { return uint64(h.gen)<<32 | uint64(h.index) }

// IsZero reports whether h is the zero Handle, which names nothing. That a handle is not zero
// does not mean that it is live: ask the container.
// Cost: O(1); never allocates.
func (h Handle[T]) IsZero() bool { return h.index|h.gen == 0 }

// String returns "index:generation" in decimal, or "none" for the zero Handle. It is for people;
// [Handle.Uint64] is for programs.
// Cost: allocates the string.
func (h Handle[T]) String() string {
	if h.IsZero() {
		return "none"
	}
	return strconv.FormatUint(uint64(h.index), 10) + ":" + strconv.FormatUint(uint64(h.gen), 10)
}

// LogValue makes log/slog print h as [Handle.String] does.
// Cost: allocates the string.
func (h Handle[T]) LogValue() slog.Value { return slog.StringValue(h.String()) }

var (
	_ fmt.Stringer   = Handle[int]{}
	_ slog.LogValuer = Handle[int]{}
)
