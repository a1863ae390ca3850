package concurrent

import (
	"math/bits"
	"runtime"
	"strconv"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/limits"
)

const (
	maxShards = 1 << 12
	maxSlots  = 1 << 32

	// seededShards is the number of shards of a pool with a Seed. It is what a machine of 8
	// processors has without one.
	seededShards = 16
)

// Config configures a [Pool]. Its zero value is the default.
type Config[T any] struct {
	// Capacity is the number of slots to allocate in advance, spread over the shards. Values above
	// Limit are clamped to Limit. Their memory is kept in every Truncate mode. Inserts choose their
	// shard without regard to room, so some may allocate before Len reaches Capacity.
	Capacity int
	// Limit is the maximum number of live values; 0 means no limit. A value that InsertFunc is
	// building counts, and so does a reserved handle. A removed value does not, even if leases keep
	// it.
	Limit int
	// Seed determines where the handles start: see [berth.Config]. With a Seed, inserts take the
	// shards in turn. A pool with the same Seed and Shards and the same calls, made by one
	// goroutine, issues the same handles on every machine, at every GOMAXPROCS. A Seed of 0 takes
	// the next seed of the process, and inserts choose their shard at random.
	Seed uint32
	// Shards is the number of parts of the pool, each with a lock of its own. It is rounded up to a
	// power of two, and at most 4096. 0 means at least twice GOMAXPROCS, or 16 if there is a Seed.
	// Each shard in use has at least one block of 64 slots.
	Shards int
	// Truncate selects what becomes of memory without live values.
	Truncate berth.Truncate
	// Drop is called once per removed value, except those returned by Take or Drain. The call that
	// ends the value's last lease calls it, or Delete and Clear if there is none. h is the handle
	// that the value had, and finds nothing. The value is whole, and nobody else uses it. Drop may
	// use the pool in any way, since no lock is held. The slot is zeroed and free again when Drop
	// returns, panics or calls Goexit.
	Drop func(h berth.Handle[T], v *T)
}

// sizes is what a Config has apart from Drop.
type sizes struct {
	capacity, limit, shards int // capacity is clamped to limit
	seed                    uint32
	truncate                berth.Truncate
}

// sizesOf returns the sizes of c.
func sizesOf[T any](c *Config[T]) sizes {
	z := sizes{c.Capacity, c.Limit, c.Shards, c.Seed, c.Truncate}
	if z.limit > 0 {
		z.capacity = min(z.capacity, z.limit)
	}
	return z
}

// check panics if c is invalid for values of the given size.
//
//go:noinline
func (c sizes) check(size uintptr) {
	switch {
	case c.capacity < 0:
		panicGot("Capacity must not be negative", c.capacity)
	case c.limit < 0:
		panicGot("Limit must not be negative", c.limit)
	case uint64(c.capacity) > maxSlots:
		panicGot("Capacity is more than 2^32 slots", c.capacity)
	case uint64(c.capacity) > limits.MaxBytes/uint64(size+4):
		panicGot("Capacity is more than 1 TiB of slots", c.capacity)
	case c.shards < 0:
		panicGot("Shards must not be negative", c.shards)
	case c.shards > maxShards:
		panicGot("Shards must be at most "+strconv.Itoa(maxShards), c.shards)
	case c.truncate > berth.TruncateNever:
		panic("concurrent: New: unknown " + c.truncate.String())
	}
}

// panicGot panics with the rule that the caller of New broke and the value that broke it.
func panicGot(rule string, got int) {
	panic("concurrent: New: " + rule + " (got " + strconv.Itoa(got) + ")")
}

// bits returns the binary logarithm of the number of shards.
//
//go:noinline
func (c sizes) bits() uint8 {
	n := c.shards
	switch {
	case n != 0:
	case c.seed != 0:
		n = seededShards
	default:
		n = min(2*runtime.GOMAXPROCS(0), maxShards)
	}
	return uint8(bits.Len(uint(n - 1)))
}
