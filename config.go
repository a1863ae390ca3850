package berth

import (
	"errors"
	"strconv"

	"github.com/seed505807e1/berth/internal/slots"
)

// ErrFull is returned by TryInsert when the container holds Limit values or has no index left.
var ErrFull = slots.ErrFull

// ErrTaken is returned by InsertAt if the slot already holds a value.
var ErrTaken = slots.ErrTaken

// ErrStale is returned by InsertAt for a handle that the container has not issued, or whose slot
// has had another value since. The Take of package concurrent returns it for a handle that finds
// nothing.
var ErrStale = slots.ErrStale

// ErrRange is returned by InsertAt for a handle whose slot lies too far beyond the others.
var ErrRange = slots.ErrRange

// Truncate selects how a container treats memory that holds no live value. A list of package stable
// says at its Config how it differs.
type Truncate uint8

const (
	// TruncateDefault is TruncateMemory, and for a list TruncateLength.
	TruncateDefault Truncate = iota
	// TruncateMemory releases the memory of an empty chunk, wherever it lies, but keeps a little
	// for the next inserts: one chunk, or an eighth of those in use. Loops skip empty blocks.
	TruncateMemory
	// TruncateLength keeps the memory of empty chunks. Loops skip empty blocks. A recurring burst
	// allocates only the first time.
	TruncateLength
	// TruncateNever keeps the memory, and loops visit every block of 64 slots that was ever in use,
	// at one 8-byte word each. Removing the last value of a block is cheapest in this mode.
	TruncateNever
)

// String returns the name of the constant without its prefix: "Default", "Memory", "Length" or
// "Never".
//
// Cost: O(1); never allocates for these constants.
func (t Truncate) String() string {
	switch t {
	case TruncateDefault:
		return "Default"
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

// checked returns c for the core. It panics if c is invalid.
func (c Config) checked(fn string) slots.Config {
	switch {
	case c.Capacity < 0:
		slots.PanicGot(fn, "Capacity must not be negative", c.Capacity)
	case c.Limit < 0:
		slots.PanicGot(fn, "Limit must not be negative", c.Limit)
	case c.Truncate > TruncateNever:
		panic("berth: " + fn + ": unknown " + c.Truncate.String())
	}
	return slots.Config{
		Capacity: c.Capacity, Limit: c.Limit, Seed: c.Seed,
		Truncate: slots.ModeOf(uint8(c.Truncate)), Memory: c.Memory,
	}
}

// Stats describes the slots and the memory of a container, and counts what has happened to them.
//
// The counters belong to the state of a container, as its handles do. Clone copies them, CopyFrom
// takes those of its argument, and Rewind restores those of the frame. They are not saved: a load
// starts them anew, as if the values and their chunks had just been inserted. So a counter grows
// until a CopyFrom, a Rewind or a load, and Inserts is always Removes + Live. An insert whose
// OnInsert panics counts as both. One of InsertFunc that panics counts as neither.
type Stats struct {
	Live     int // live values
	Vacant   int // slots in memory that are free, whether or not Limit allows their use
	Retired  int // slots used up: each has had 2^31 values, or shared a chunk with one that had
	Chunks   int // chunks in memory
	Bytes    int // memory held, for values and bookkeeping
	Limit    int // most live values; 0 is no limit
	Reserved int // handles of [Reserve] whose values are still to come

	Inserts   uint64 // values inserted
	Removes   uint64 // values removed, also by Clear and Drain
	Grown     uint64 // chunks allocated
	Truncated uint64 // chunks released
}

// Slots is the state of 64 adjacent slots, one bit each, with the lowest slot in the lowest bit. A
// slot's bit is set in at most one of the words. It is set in none if the slot has no memory (never
// allocated, or released), if its handle is reserved, or if InsertFunc is filling it.
type Slots struct {
	Live    uint64
	Vacant  uint64
	Retired uint64 // also without memory: the slot is never used again
}

// HistoryConfig configures a [History].
type HistoryConfig struct {
	// Frames is the number of frames that Rewind can go back to, the current one included. It must
	// be at least 1. With Frames 1, Rewind undoes the current frame. To go back 8 frames, keep 9.
	Frames int
	// Compare makes Mark, Rewind and Changed find values that were written to through any pointer,
	// not only those from Edit. They compare the bytes of all live values with a copy, which the
	// History keeps. Values without a change of their bytes are not found, and so is no write to
	// what a Go pointer in the value refers to.
	Compare bool
}

// check panics if fn must not make a History by c of a container, which is nil, or has one.
func (c HistoryConfig) check(fn, container string, isNil, has bool) {
	switch {
	case c.Frames < 1:
		slots.PanicGot(fn, "Frames must be at least 1", c.Frames)
	case isNil:
		panic("berth: " + fn + ": the " + container + " must not be nil")
	case has:
		panic("berth: " + fn + ": the " + container + " must not have a History already")
	}
}

// ErrHoles is returned by [Dense.Shrink] if the Dense has holes. Shrink does not close them.
var ErrHoles = errors.New("berth: Dense has holes")

// Defrag selects when a [Dense] closes the holes that removals leave. A hole is closed by moving
// the last value into it.
type Defrag uint8

const (
	// DefragDeferred closes holes before the values are visited: in Slice, and when a loop begins.
	// Until then, inserts fill them, and a removal moves nothing unless it releases memory.
	DefragDeferred Defrag = iota
	// DefragImmediate closes a hole at once, or at the end of a running loop. A removal moves one
	// value, and no loop waits for holes to be closed.
	DefragImmediate
	// DefragManual closes holes only in [Dense.Defrag], Sort and Clip. Loops skip holes, and
	// inserts fill them.
	DefragManual
)

// String returns the name of the constant without its prefix: "Deferred", "Immediate" or "Manual".
//
// Cost: O(1); never allocates for the three constants.
func (d Defrag) String() string {
	switch d {
	case DefragDeferred:
		return "Deferred"
	case DefragImmediate:
		return "Immediate"
	case DefragManual:
		return "Manual"
	}
	return "Defrag(" + strconv.Itoa(int(d)) + ")"
}

// Memory supplies memory for the values of a container, in place of Go's heap: see [Config.Memory].
// The collector does not scan that memory, so it can only hold values without Go pointers.
//
// A container allocates few and large pieces, and frees each one once. A [Pool] frees pieces only
// in Clip and Clear. A [Dense] also frees its piece when it has moved its values to another one:
// when it grows, and when a removal has left most of it unused.
//
//   - A pointer or a span into a piece ends with the piece. Using it longer may crash the program,
//     which it would not on Go's heap. With the build tag berth_invariants or berth_poison, a piece
//     is filled with the byte 0xDB before it is freed.
//   - A loop never reads a freed piece, and never delays freeing it. See the rules of loops at
//     [Pool] and [Dense].
//   - A Memory must outlive the containers that have pieces of it. This is not checked. A container
//     used after its Memory was released reads and writes memory that may belong to others.
//   - A container that is dropped frees nothing: call Clear and Clip first.
//
// Both methods are called by the goroutine that changes or clones the container, during that call.
// A Memory for the containers of several goroutines must be safe for concurrent use. Neither method
// may use the container that calls it.
type Memory interface {
	// Alloc returns size zeroed bytes, at an address that is a multiple of align. size is at least
	// 1, and align is a power of two. If it returns an error, it must not have allocated anything.
	// The container checks the size and the address, and with the build tag berth_invariants also
	// that the bytes are zero.
	Alloc(size, align int) ([]byte, error)
	// Free frees b, a slice that Alloc returned. The contents are unspecified. It must not panic.
	Free(b []byte)
}
