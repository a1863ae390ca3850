package berth

import (
	"errors"
	"strconv"

	"github.com/seed505807e1/berth/internal/limits"
	start "github.com/seed505807e1/berth/internal/origin"
)

// ErrFull is returned by TryInsert when the container holds Limit values or has no index left.
var ErrFull = errors.New("berth: full")

// ErrTaken is returned by InsertAt if the slot already holds a value.
var ErrTaken = errors.New("berth: taken")

// ErrStale is returned by InsertAt for a handle that the container has not issued, or whose slot
// has had another value since. The Take of package concurrent returns it for a handle that finds
// nothing.
var ErrStale = errors.New("berth: stale")

// ErrRange is returned by InsertAt for a handle whose slot lies too far beyond the others.
var ErrRange = errors.New("berth: out of range")

// Truncate selects how a container treats memory that holds no live value.
type Truncate uint8

const (
	// TruncateMemory releases the memory of an empty chunk, wherever it lies, but keeps a little
	// for the next inserts: one chunk, or an eighth of those in use. Loops skip empty blocks.
	TruncateMemory Truncate = iota
	// TruncateLength keeps the memory of empty chunks. Loops skip empty blocks. A recurring burst
	// allocates only the first time.
	TruncateLength
	// TruncateNever keeps the memory, and loops visit every block of 64 slots that was ever in use,
	// at one 8-byte word each. Removing the last value of a block is cheapest in this mode.
	TruncateNever
)

// String returns the name of the constant without its prefix: "Memory", "Length" or "Never".
// Cost: O(1); never allocates for the three constants.
func (t Truncate) String() string {
	switch t {
	case TruncateMemory:
		return "Memory"
	case TruncateLength:
		return "Length"
	case TruncateNever:
		return "Never"
	}
	return "Truncate(" + strconv.Itoa(int(t)) + ")"
}

// Config configures a container. Its zero value is the default.
type Config struct {
	// Capacity is the number of slots to allocate in advance. Their memory is kept until Clip, in
	// every Truncate mode. Values above Limit are clamped to Limit. A large Capacity makes large
	// chunks, 1024 to 2048 for all of it. Their size stays until the container has no chunk left.
	//
	// A Capacity above 2^32 slots or 1 TiB panics. Go cannot report that its heap is exhausted, so
	// a smaller Capacity ends the process if the machine lacks the memory.
	Capacity int
	// Limit is the maximum number of live values; 0 means no limit.
	Limit int
	// Seed determines where the container's indices and generations start. Containers with the same
	// Seed and the same calls issue the same handles on every machine.
	//
	// Number your seeds 1, 2, 3, ... and do not hash them. n containers with successive seeds start
	// at least 2^32/3n slots apart, so that smaller containers have no index in common, and a
	// handle of one never finds a value in another. (With a thousand containers, that is 1.4
	// million slots each. If indices do overlap, a slot must be reused hundreds of thousands of
	// times before such a handle can match.) A Seed of 0 takes the next seed of the process,
	// counting up from 1<<31, so choose yours below that.
	//
	// A restarted program begins with the same seeds and issues the same handles again. If handles
	// of an earlier run may come back, from a client, a file or a log, give each run seeds of its
	// own: count the runs or, almost as safely, take a random number.
	Seed uint32
	// Truncate is TruncateMemory by default.
	Truncate Truncate
	// Memory supplies the memory of the values, in place of Go's heap. The values must then have no
	// Go pointers: no strings, slices, maps, interfaces and the like. The collector does not scan
	// that memory. The container's bookkeeping stays on Go's heap.
	//
	// If Memory refuses, Insert returns the zero Handle, and TryInsert an error that wraps both
	// ErrFull and Memory's own. A function that cannot report the failure panics, and leaves the
	// container unchanged. One that would only release memory keeps the piece that it has.
	//
	// Removals release no memory in any Truncate mode. Clip does, and Clear releases the memory
	// that was empty before. Both end spans and stale pointers into that memory. A loop continues,
	// and never reads memory that was released. Clear and Clip together release all of it.
	//
	// Memory must outlive the container. Containers used by several goroutines may share a Memory
	// only if it supports that. See [Memory].
	Memory Memory
}

// check panics if c is invalid.
func (c Config) check(fn string) {
	switch {
	case c.Capacity < 0:
		panicGot(fn, "Capacity must not be negative", c.Capacity)
	case c.Limit < 0:
		panicGot(fn, "Limit must not be negative", c.Limit)
	case c.Truncate > TruncateNever:
		panic("berth: " + fn + ": unknown " + c.Truncate.String())
	}
}

// panicGot panics with the rule that the caller of fn broke and the value that broke it.
func panicGot(fn, rule string, got int) {
	panic("berth: " + fn + ": " + rule + " (got " + strconv.Itoa(got) + ")")
}

// checkSlots panics if n slots of the given size are more than there are indices, or more than 1
// TiB. The caller of fn passed the number got.
func checkSlots(fn string, n uint64, bytes uintptr, got int) {
	switch {
	case n > maxSlots:
		panicGot(fn, "more than 2^32 slots", got)
	case n > limits.MaxBytes/uint64(bytes):
		panicGot(fn, "more than 1 TiB of slots", got)
	}
}

// origin returns the first index and generation of a container. They are multiples of two
// irrational fractions of their ranges, so that those of n containers with successive seeds lie at
// least range/(3n) apart. With a thousand pools that is 1.4 million slots: smaller pools have no
// index in common, and a handle of one is never live in another. If the indices do overlap, a slot
// must be reused hundreds of thousands of times before it reaches the other's generations.
func origin(seed uint32) (index, gen uint32) { return originOf(start.Seed(seed)) }

// originOf is origin for a seed that is not 0.
func originOf(seed uint32) (index, gen uint32) {
	return seed * start.Golden, seed * start.Silver << 1
}

// Stats describes the slots and the memory of a container, and counts what has happened to them.
//
// The counters belong to the state of a container, as its handles do. Clone copies them, CopyFrom
// takes those of its argument, and Rewind restores those of the frame. They are not saved: a load
// starts them anew, as if the values and their chunks had just been inserted. So a counter grows
// until a CopyFrom, a Rewind or a load, and Inserts is always Removes + Live. An insert whose
// OnInsert panics counts as both. One of InsertFunc that panics counts as neither.
type Stats struct {
	Live    int // live values
	Vacant  int // slots in memory that are free, whether or not Limit allows their use
	Retired int // slots used up: each has had 2^31 values, or shared a chunk with one that had
	Chunks  int // chunks in memory
	Bytes   int // memory held, for values and bookkeeping
	Limit   int // most live values; 0 is no limit

	Inserts   uint64 // values inserted
	Removes   uint64 // values removed, also by Clear and Drain
	Grown     uint64 // chunks allocated
	Truncated uint64 // chunks released
}

// Slots is the state of 64 adjacent slots, one bit each, with the lowest slot in the lowest bit. A
// slot's bit is set in at most one of the words. It is set in none if the slot has no memory (never
// allocated, or released), or if InsertFunc is filling it.
type Slots struct {
	Live    uint64
	Vacant  uint64
	Retired uint64 // also without memory: the slot is never used again
}
