package berth

import (
	"errors"
	"log/slog"
	"strconv"

	"github.com/seed505807e1/berth/internal/limits"
	start "github.com/seed505807e1/berth/internal/origin"
)

// ErrFull is returned by TryInsert when the container holds Limit values, or when no index is
// left.
var ErrFull = errors.New("berth: full")

// Truncate says what a container does with memory that nothing lives in any more.
type Truncate uint8

const (
	// TruncateMemory gives the memory of an empty chunk back, in the middle too, and keeps a
	// little for the next inserts: one chunk, or an eighth of those in use. Loops skip what is
	// empty.
	TruncateMemory Truncate = iota
	// TruncateLength keeps the memory of empty chunks; loops skip what is empty. A burst that
	// comes again and again allocates only the first time.
	TruncateLength
	// TruncateNever keeps the memory, and loops go on looking at every 64 slots that were ever in
	// use, one word of 8 bytes each. Removing the last value of a block is cheapest.
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

// Config sizes a container; its zero value is the default.
type Config struct {
	// Capacity is how many slots to make up front. Their memory is kept until Clip, whatever
	// Truncate says. Values above Limit are clamped to Limit. A large Capacity makes large chunks,
	// for as long as the container has any: 1024 to 2048 of them for all of it.
	//
	// A Capacity above 2^32 slots or 1 TiB panics. Go cannot report that its heap is exhausted: a
	// smaller Capacity, on a machine without the memory, ends the process.
	Capacity int
	// Limit is the most live values; 0 is no limit.
	Limit int
	// Seed decides where the container's indices and generations start. Containers of the same
	// Seed and the same calls issue the same handles on every machine.
	//
	// Number your seeds 1, 2, 3, ..., do not hash them: n containers with successive seeds start
	// at least 2^32/3n slots apart, so that smaller ones have no index in common, and a handle of
	// one finds nothing in the others, for certain. (With a thousand, that is 1.4 million slots
	// each. Where indices do overlap, some slot must first be reused hundreds of thousands of
	// times.) 0 takes the next seed of the process, from 1<<31 up: choose yours below that.
	//
	// A program that is started again begins with the same seeds, and issues the same handles
	// again. If handles of an earlier run may come back, from a client, a file or a log, give each
	// run seeds of its own: count the runs, or, almost as surely, take a random number.
	Seed uint32
	// Truncate is TruncateMemory by default.
	Truncate Truncate
	// Memory is where the memory of the values comes from; nil is Go's heap. The values must have
	// no Go pointers: no strings, slices, maps, interfaces and the like. The container's
	// bookkeeping stays on Go's heap, and what values lie in is no work for the collector.
	//
	// If Memory refuses, an insert returns the zero Handle, and TryInsert an error that is both
	// ErrFull and Memory's. A function that has no way to say so panics, the container being as it
	// was; and what only wants to give memory back keeps the piece that it has.
	//
	// Removals give no memory back, whatever Truncate says: Clip does, and Clear gives back what
	// was empty before. Both end spans and stale pointers that lie in it. A loop goes on, and never
	// reads memory that was given back. Clear and Clip together give back all of it.
	//
	// Memory must outlive the container. Containers that several goroutines use may share one only
	// if it is made for that. See [Memory].
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

// panicGot panics with the rule that fn's caller has broken, and with what.
func panicGot(fn, rule string, got int) {
	panic("berth: " + fn + ": " + rule + " (got " + strconv.Itoa(got) + ")")
}

// checkSlots panics if n slots of the given bytes each are more than there are indices, or more
// than 1 TiB. The caller asked for the number got.
func checkSlots(fn string, n uint64, bytes uintptr, got int) {
	switch {
	case n > maxSlots:
		panicGot(fn, "more than 2^32 slots", got)
	case n > limits.MaxBytes/uint64(bytes):
		panicGot(fn, "more than 1 TiB of slots", got)
	}
}

// origin returns where the indices and the generations of a container start: multiples of two
// irrational parts of their ranges, so that those of n containers with successive seeds lie at
// least range/(3n) apart. With a thousand pools that is 1.4 million slots: smaller pools have no
// index in common, and not even chance makes a handle of one live in the other. Where the indices
// do overlap, some slot must first be reused hundreds of thousands of times to reach the other's
// generations.
func origin(seed uint32) (index, gen uint32) {
	seed = start.Seed(seed)
	return seed * start.Golden, seed * start.Silver << 1
}

// Stats counts what a container holds.
type Stats struct {
	Live    int // values
	Vacant  int // slots in memory that are free, whatever Limit says
	Retired int // slots used up: each has had 2^31 values, or shared a chunk with one that had
	Chunks  int // chunks in memory
	Bytes   int // memory held, values and bookkeeping
}

// LogValue makes log/slog print the counts as a group.
// Cost: allocates the group.
func (s Stats) LogValue() slog.Value {
	return slog.GroupValue(slog.Int("live", s.Live), slog.Int("vacant", s.Vacant),
		slog.Int("retired", s.Retired), slog.Int("chunks", s.Chunks), slog.Int("bytes", s.Bytes))
}

var _ slog.LogValuer = Stats{}

// Slots is the state of 64 adjacent slots, a bit for each, that of the lowest slot in the lowest
// bit. A slot has a bit in one of the words at most. In none means without memory, never made or
// given back, or about to be filled by InsertFunc.
type Slots struct {
	Live    uint64
	Vacant  uint64
	Retired uint64 // also where the memory has gone: the slot is never used again
}
