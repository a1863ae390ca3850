package slots

import (
	"errors"
	"strconv"

	"github.com/seed505807e1/berth/internal/limits"
	start "github.com/seed505807e1/berth/internal/origin"
)

// Sizes of a container.
const (
	BlockSlots = 64      // slots of a block: one word of occupancy
	MaxSlots   = 1 << 32 // of a container
)

// The types below are those of package berth, which documents them there and converts to these.

// Config is what a core needs of berth.Config.
type Config struct {
	Capacity, Limit int
	Seed            uint32
	Truncate        Truncate
	Memory          Memory
}

// Truncate is a berth.Truncate, see ModeOf.
type Truncate uint8

const (
	TruncateMemory Truncate = iota
	TruncateLength
	TruncateNever
)

// ModeOf returns what t, a berth.Truncate, is for a Pool.
func ModeOf(t uint8) Truncate { return Truncate(max(t, 1) - 1) } // its default is the next constant

// Defrag is a berth.Defrag.
type Defrag uint8

// These have the values of the constants of package berth.
const (
	DefragDeferred Defrag = iota
	DefragImmediate
	DefragManual
)

// Frames is a berth.HistoryConfig.
type Frames struct {
	Frames  int
	Compare bool
}

// Memory is a berth.Memory.
type Memory interface {
	Alloc(size, align int) ([]byte, error)
	Free(b []byte)
}

// The errors of package berth.
var (
	ErrFull    = errors.New("berth: full")
	ErrTaken   = errors.New("berth: taken")
	ErrStale   = errors.New("berth: stale")
	ErrRange   = errors.New("berth: out of range")
	ErrCorrupt = errors.New("berth: corrupt")
)

// PanicGot panics with the rule that the caller of fn broke and the value that broke it.
func PanicGot(fn, rule string, got int) {
	panic("berth: " + fn + ": " + rule + " (got " + strconv.Itoa(got) + ")")
}

// CheckSlots panics if n slots of the given size are more than there are indices, or more than 1
// TiB. The caller of fn passed the number got.
func CheckSlots(fn string, n uint64, bytes uintptr, got int) {
	switch {
	case n > MaxSlots:
		PanicGot(fn, "more than 2^32 slots", got)
	case n > limits.MaxBytes/uint64(bytes):
		PanicGot(fn, "more than 1 TiB of slots", got)
	}
}

// Origin returns the first index and generation of a container. They are multiples of two
// irrational fractions of their ranges, so that those of n containers with successive seeds lie at
// least range/(3n) apart. With a thousand pools that is 1.4 million slots: smaller pools have no
// index in common, and a handle of one is never live in another. If the indices do overlap, a slot
// must be reused hundreds of thousands of times before it reaches the other's generations.
func Origin(seed uint32) (index, gen uint32) { return OriginOf(start.Seed(seed)) }

// OriginOf is Origin for a seed that is not 0.
func OriginOf(seed uint32) (index, gen uint32) {
	return seed * start.Golden, seed * start.Silver << 1
}
