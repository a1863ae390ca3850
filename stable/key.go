package stable

import (
	"fmt"
	"math"
	"strconv"

	"github.com/seed505807e1/berth/internal/origin"
	"github.com/seed505807e1/berth/internal/wire"
)

// Index is a constraint for the index type of a [Key]. It bounds the list: one with uint16 has at
// most 65 536 slots, and is full then.
type Index interface{ uint16 | uint32 | uint64 }

// Identifier is a constraint for the type of the identifiers that tell apart the values that
// successively occupy a slot. A list gives each inserted value the Next of the previous identifier.
// It never gives the zero D. The first identifier is the Next of the zero D. If D has a method
// Start(seed uint32) D, it is the Next of what Start returns for the list's [Config.Seed]. With
// Start, lists begin at different points, and a key of one finds nothing in another.
//
// Next must be injective: no two identifiers may have the same successor. A counter is injective,
// whether or not it wraps around. The list then never gives an identifier twice. It refuses the
// insert with [ErrSpent] when Next returns the first identifier again, the zero D, or its receiver,
// and calls Next again at the next insert. For a counter the refusal is final. A Next that fails
// temporarily may return the zero D.
//
// The list checks nothing else. If Next is not injective, or returns random identifiers, these may
// repeat. A stale key then finds another value if that value lies in the same slot and has the same
// identifier. [Counter32] and [Counter64] never repeat.
//
// If Next inserts into the list that called it, the outer insert is refused too.
type Identifier[D any] interface {
	comparable
	Next() D
}

// Counter32 is an Identifier that counts. It is used up after 2^32 - 1 inserts, and the list
// refuses more. At two million inserts a second that is after half an hour, at one a second after
// 136 years. [Counter64] lasts longer.
//
// The counters of n lists with successive seeds begin at least 2^32/3n apart. Until one of them has
// had that many inserts, a key of one is certain to find nothing in another. With a thousand lists
// that is 1.4 million inserts each. After that, a foreign key finds something only if the value in
// its slot happens to have the same identifier.
type Counter32 uint32

// Next returns c + 1, and 1 after the last.
//
// Cost: O(1); never allocates.
func (c Counter32) Next() Counter32 {
	if c == math.MaxUint32 {
		return 1
	}
	return c + 1
}

// Start returns the identifier before the first one of a list with that seed.
//
// Cost: O(1); never allocates.
//
// Source: the multiples of the golden ratio with which a berth.Pool starts its generations.
func (Counter32) Start(seed uint32) Counter32 { return Counter32(seed * origin.Golden) }

// Counter64 is an Identifier that counts and is never used up: at a billion inserts a second, it
// lasts 584 years. The keys of two lists have nothing in common before one of them has had 2^64/3n
// inserts, where n is the number of lists.
type Counter64 uint64

// Next returns c + 1, and 1 after the last.
//
// Cost: O(1); never allocates.
func (c Counter64) Next() Counter64 {
	if c == math.MaxUint64 {
		return 1
	}
	return c + 1
}

// Start returns the identifier before the first one of a list with that seed.
//
// Cost: O(1); never allocates.
//
// Source: as [Counter32.Start], with 64 bits.
func (Counter64) Start(seed uint32) Counter64 {
	return Counter64(uint64(seed) * origin.Golden64)
}

// A Key refers to a value in a list. It holds the index of the value's slot and the identifier that
// the value was given at insertion. Keys are plain values: copy them, compare them with ==, use
// them in maps, store them, send them, and keep them as long as you like. Once its value is
// removed, a key is stale and finds nothing.
//
// The zero Key refers to nothing. Keys of lists of different types do not convert to each other.
// Both halves can be read but not written.
//
// Shape: index and identifier, without pointers if D has none: 8 bytes for a [List].
//
// Source: F. Saukko, StableList, University of Turku 2025, section 5.1.
type Key[T any, I Index, D Identifier[D]] struct {
	_     phantom[T]
	index I
	id    D
}

// phantom keeps the keys of lists of different types from converting to each other. It takes no
// room and no alignment, where [0]*T would grow a narrow key from 4 bytes to 8.
type phantom[T any] struct{}

// ListKey is the Key of a [List].
type ListKey[T any] = Key[T, uint32, Counter32]

// Index returns the number of the slot. While the value is live, it is less than the list's
// Touched, and no other live value has it. Arrays beside the list may use it.
//
// Cost: O(1); never allocates.
func (k Key[T, I, D]) Index() I { return k.index }

// ID returns the identifier, which no other value of the list has ever had, unless the caller put
// it there with [ListOf.InsertAt].
//
// Cost: O(1); never allocates.
func (k Key[T, I, D]) ID() D { return k.id }

// IsZero reports whether k is the zero Key, which refers to nothing. A key that is not zero may
// still be stale; see [ListOf.Contains].
//
// Cost: O(1); never allocates.
func (k Key[T, I, D]) IsZero() bool {
	var zero D
	return k.id == zero
}

// String returns "index:identifier", or "none" for the zero Key. It is meant for people. Programs
// use [Key.MarshalText].
//
// Cost: allocates the string.
func (k Key[T, I, D]) String() string { return keyString(uint64(k.index), k.id, k.IsZero()) }

// keyString returns the String of a Key, which is the zero one if none is set.
//
//go:noinline
func keyString(index uint64, id any, none bool) string {
	if none {
		return "none"
	}
	return strconv.FormatUint(index, 10) + ":" + fmt.Sprint(id)
}

// Format implements [fmt.Formatter]. It prints the text of [Key.String], also for %d. For %b, %o,
// %O, %x and %X, the index and the identifier are in that base.
//
// Cost: allocates the text.
func (k Key[T, I, D]) Format(s fmt.State, verb rune) {
	wire.Format(s, verb, k.String(), uint64(k.index), k.id)
}
