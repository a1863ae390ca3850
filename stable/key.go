package stable

import (
	"fmt"
	"log/slog"
	"math"
	"strconv"

	"github.com/seed505807e1/berth/internal/origin"
)

// Index is the types that the index of a Key may have. It bounds the list: a list of uint16 has at
// most 65 536 slots, and is full then.
type Index interface{ uint16 | uint32 | uint64 }

// Identifier is a type whose values tell apart the values that come and go in one slot. A list
// gives each value that is inserted the Next of the identifier before. The zero D is never given.
// The first identifier is the Next of the zero D, or if D has a method Start(seed uint32) D, the
// Next of what that returns for the list's [Config.Seed]. With Start, lists begin at different
// points, and a key of one finds nothing in another.
//
// Next must be injective: it must lead no two identifiers to the same one. A counter is, whether or
// not it wraps around. Then a list never gives an identifier twice. It refuses the insert by
// [ErrSpent] when Next returns the first identifier again, the zero D, or its receiver, and calls
// Next again at the next insert. The refusal is final for a counter. A Next that fails for a while
// may return the zero D.
//
// The list checks nothing else. If Next leads two identifiers to the same one, or returns random
// ones, identifiers may repeat: a stale key then finds another value, exactly if that value lies in
// the same slot and has the same identifier. [Counter32] and [Counter64] never repeat.
//
// If Next inserts into the list that called it, the outer insert is refused too.
type Identifier[D any] interface {
	comparable
	Next() D
}

// Counter32 is an Identifier that counts. It is used up after 2^32 - 1 inserts, and the list
// refuses more then. That is half an hour of two million inserts a second, or 136 years of one a
// second. [Counter64] lasts longer.
//
// The counters of n lists with successive seeds begin at least 2^32/3n apart: until one of them has
// had that many inserts, no key of one finds anything in another, for certain. With a thousand
// lists that is 1.4 million inserts each. After that, a foreign key finds something only if a value
// of that very slot happens to have its very number.
type Counter32 uint32

// Next returns c + 1, and 1 after the last.
// Cost: O(1); never allocates.
func (c Counter32) Next() Counter32 {
	if c == math.MaxUint32 {
		return 1
	}
	return c + 1
}

// Start returns where the list of that seed begins.
// Cost: O(1); never allocates.
// Source: as of the handles of a berth.Pool, multiples of the golden ratio.
func (Counter32) Start(seed uint32) Counter32 { return Counter32(seed * origin.Golden) }

// Counter64 is an Identifier that counts, and is never used up: at a billion inserts a second, it
// lasts 584 years. The keys of two lists have nothing in common before one of them has had 2^64/3n
// inserts, where n is the number of lists.
type Counter64 uint64

// Next returns c + 1, and 1 after the last.
// Cost: O(1); never allocates.
func (c Counter64) Next() Counter64 {
	if c == math.MaxUint64 {
		return 1
	}
	return c + 1
}

// Start returns where the list of that seed begins.
// Cost: O(1); never allocates.
// Source: as of [Counter32], with 64 bits.
func (Counter64) Start(seed uint32) Counter64 {
	return Counter64(uint64(seed) * origin.Golden64)
}

// Key names one value in one list: the slot that it lies in, and the identifier that it was given.
// Keys are plain values: copy them, compare them with ==, use them in maps, store them, send them,
// keep them as long as you like. A key whose value is gone is stale, and finds nothing.
//
// The zero Key names nothing. Keys of lists of different types do not convert to each other. Both
// halves can be read, and neither be written.
//
// Shape: index and identifier, without pointers if D has none: 8 bytes for a [List].
// Source: F. Saukko, StableList, University of Turku 2025, section 5.1.
type Key[T any, I Index, D Identifier[D]] struct {
	_     phantom[T]
	index I
	id    D
}

// phantom makes the keys of lists of different types no types that convert to each other. It takes
// no room and no alignment, where [0]*T would take a narrow key from 4 bytes to 8.
type phantom[T any] struct{}

// ListKey is the Key of a [List].
type ListKey[T any] = Key[T, uint32, Counter32]

// Index returns the number of the slot: less than the list's Touched while the value lives there,
// and its own among the living. Arrays beside the list may use it.
// Cost: O(1); never allocates.
func (k Key[T, I, D]) Index() I { return k.index }

// ID returns the identifier: the value's own among all that the list has ever held.
// Cost: O(1); never allocates.
func (k Key[T, I, D]) ID() D { return k.id }

// IsZero reports whether k is the zero Key, which names nothing. That a key is not zero does not
// mean that it is live: ask the list.
// Cost: O(1); never allocates.
func (k Key[T, I, D]) IsZero() bool {
	var zero D
	return k.id == zero
}

// String returns "index:identifier", or "none" for the zero Key. It is for people;
// [Key.MarshalText] is for programs.
// Cost: allocates the string.
func (k Key[T, I, D]) String() string {
	if k.IsZero() {
		return "none"
	}
	return strconv.FormatUint(uint64(k.index), 10) + ":" + fmt.Sprint(k.id)
}

// LogValue makes log/slog print k as [Key.String] does.
// Cost: allocates the string.
func (k Key[T, I, D]) LogValue() slog.Value { return slog.StringValue(k.String()) }
