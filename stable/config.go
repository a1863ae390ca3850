package stable

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/limits"
)

// ErrSpent is returned by TryInsert when the list has no more identifiers. See [Identifier].
var ErrSpent = errors.New("stable: identifiers used up")

// ErrFull is returned by TryInsert when the index type cannot number more slots. It is
// [berth.ErrFull].
var ErrFull = berth.ErrFull

// The errors of InsertAt are those of package berth.
var (
	ErrTaken = berth.ErrTaken // the slot already holds a value
	ErrStale = berth.ErrStale // the key refers to nothing: it is zero
	ErrRange = berth.ErrRange // the slot lies too far beyond the others
)

// Placement selects which vacant slot an insert takes, when the list is truncated, and how loops
// skip vacant slots. docs/thesis.md compares them.
type Placement uint8

const (
	// FirstFree takes the lowest vacant slot and cuts the list behind its last value, at any
	// length. It keeps vacant slots in bitmaps (hierarchical, one bit per slot), and loops skip
	// them 64 at a time. It is the default: values stay together at the front, so loops are as fast
	// after a burst as before it.
	FirstFree Placement = iota
	// FirstFreeHeap is FirstFree with a priority queue of vacant slots. Each run of vacant slots
	// stores its ends, and loops skip it in one step.
	FirstFreeHeap
	// firstFreeHeapWalk is FirstFreeHeap without the runs: loops visit every slot. It is here for
	// the lab, which measures it.
	firstFreeHeapWalk
	// Quartered divides the list into a first quarter, a second quarter and a second half. An
	// insert takes the slot vacated last in the first of these parts that has a vacant slot. When
	// the second half or the whole list becomes empty, the list is cut to half its length, and
	// again while its second half is empty. Loops visit every slot.
	Quartered
	// quarteredStepwise is Quartered as it was published: after each halving it sorts the vacant
	// slots into new quarters, which decides the order in which they are taken. Quartered sorts
	// once, or not at all if Capacity and Min are powers of two and more than a few slots are
	// vacant. Then it takes the lowest first. It is here for the lab, which measures it.
	quarteredStepwise
)

// lowestFirst reports whether inserts take the lowest vacant slot.
func (p Placement) lowestFirst() bool { return p < Quartered }

// String returns the name of the constant, such as "FirstFree".
//
// Cost: O(1); never allocates for the constants.
func (p Placement) String() string {
	return name("Placement", int(p),
		"FirstFree", "FirstFreeHeap", "FirstFreeHeapWalk", "Quartered", "QuarteredStepwise")
}

func name(of string, i int, names ...string) string {
	if i < len(names) {
		return names[i]
	}
	return of + "(" + strconv.Itoa(i) + ")"
}

// Config configures a list. Its zero value is the default.
type Config struct {
	// Capacity is the number of slots made up front, rounded up to a multiple of 4, and at least
	// Min. They stay until TruncateMemory releases memory. Quartered keeps them until its second
	// half has been used, or all values are removed. Use Min for slots that must stay longer.
	Capacity int
	// Min is the least length that Quartered truncates to, in slots. It is also the least memory of
	// any list that has memory. It is rounded up to a multiple of 4, and is at least 4.
	Min int
	// Truncate selects what happens to the slots behind the last value when values there are
	// removed:
	//   - TruncateLength, the default, makes the list shorter and keeps the memory. Loops do not
	//     visit the slots cut off, and growing again costs nothing.
	//   - TruncateMemory releases memory too, which moves the values of a list and so ends pointers
	//     to them. A list that was just cut has memory for at most twice its length, or for four
	//     times under FirstFree and FirstFreeHeap.
	//   - TruncateNever keeps the list at the greatest length it has had.
	Truncate berth.Truncate
	// Placement is FirstFree by default.
	Placement Placement
	// Seed decides where identifiers that count begin. See [Counter32]. Lists with the same Seed
	// and the same calls issue the same keys on every machine. Number your seeds 1, 2, 3, ... Zero
	// takes the next seed of the process, from 3<<30 up, so choose yours below that.
	//
	// A program that is started again begins with the same seeds and issues the same keys. If keys
	// of an earlier run may come back, from a client, a file or a log, give each run seeds of its
	// own: count the runs or, almost as surely, take a random number.
	Seed uint32
}

// least is the length of the smallest list: one slot for each quarter, two for the half.
const least = 4

// check panics if c is invalid for a list of at most most slots of slotBytes each. It returns c
// with its sizes rounded.
func (c Config) check(fn string, most, slotBytes int) Config {
	for _, size := range []struct {
		field string
		n     *int
	}{{"Capacity", &c.Capacity}, {"Min", &c.Min}} {
		switch n := *size.n; {
		case n < 0:
			panic(fmt.Sprintf("stable: %s: %s must not be negative (got %d)", fn, size.field, n))
		case n > most:
			panic(fmt.Sprintf("stable: %s: %s must be at most %d, the slots that the index type "+
				"can number (got %d)", fn, size.field, most, n))
		case n > limits.MaxBytes/slotBytes:
			panic(fmt.Sprintf("stable: %s: %s must be at most %d slots of %d bytes (got %d)",
				fn, size.field, limits.MaxBytes/slotBytes, slotBytes, n))
		default:
			*size.n = (n + 3) &^ 3
		}
	}
	c.Min = max(c.Min, least)
	if c.Truncate == berth.TruncateDefault {
		c.Truncate = berth.TruncateLength
	}
	switch {
	case c.Truncate > berth.TruncateNever:
		panic("stable: " + fn + ": Truncate must be one of its constants (got " +
			c.Truncate.String() + ")")
	case c.Placement > quarteredStepwise:
		panic("stable: " + fn + ": Placement must be one of its constants (got " +
			c.Placement.String() + ")")
	}
	return c
}

// Stats describes the slots and the memory of a list, and counts what has happened to them. A list
// has one chunk. Limit is the number of slots that the index type can number, or 0 if an int cannot
// count them. Grown counts the pieces of memory, and Truncated how often the list was made shorter.
type Stats struct {
	berth.Stats
	Visits uint64 // slots looked at one by one, because of truncations, Grow and Clip
}

// vacant reports whether slot i, which was touched, is vacant.
func vacant[D Identifier[D]](ids []D, i int) bool {
	var zero D
	return ids[i] == zero
}
