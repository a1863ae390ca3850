package berth

import (
	"iter"
	"math"
	"math/bits"
	"unsafe"

	"github.com/seed505807e1/berth/internal/slots"
)

// Grow makes room for n more values, or for as many as Limit allows, so that inserting them
// allocates nothing. The memory stays until [Pool.Clip], in every Truncate mode. Grow panics, and
// leaves p unchanged, if n is negative, or if p would need more than 2^32 slots or 1 TiB. It
// panics, and keeps the memory it got, if Config.Memory refuses. See [Config.Capacity] for
// exhausted memory.
//
// Cost: allocates the missing memory; copies no value.
func (p *Pool[T]) Grow(n int) { p.state.Grow((*slots.Block[T])(nil), n) }

// Clip releases all memory that holds no value, in every Truncate mode, and cancels the
// reservations of Capacity and Grow. The chunks with a value or a reserved handle stay, and so does
// the directory: up to 12 bytes for each 64 slots from the first to the highest live one. A
// [History] keeps what its frames need.
//
// Cost: O(highest slot), whatever Cap is: a step for each chunk up to the highest that was in use
// since the directory was last cut. It allocates a copy of the directory, and copies no value. With
// a History, O(changes in its frames) too, which it copies.
//
// Ends: with a Memory, spans and stale pointers into the released memory; no others.
//
//berth:ends some
func (p *Pool[T]) Clip() { slots.CoreOf(&p.state).Clip() }

// Clone returns an independent Pool in which the same handles find copies of the values. Values are
// copied by assignment, so they share whatever they point to. Both Pools continue alike: the same
// calls issue the same handles on either side, which rollback and replay need. So a handle issued
// on one side after the fork belongs to that side. On the other, the same handle may refer to a
// different value. The clone has no values that InsertFunc is still building.
//
// After going back to a clone, as undo does, discard the handles that were issued since it was
// made: inserts may issue them again, for other values. A ReadOnly, a grid of package near or a
// hook that was made for p still refers to p.
//
// Clone only reads p, unless nothing has ever been inserted into it. The clone's memory comes from
// the same Config.Memory. If that refuses, Clone panics, and gives back the memory it took.
//
// Cost: O(Cap); allocates a copy of everything in memory.
//
//berth:clones r0
func (p *Pool[T]) Clone() *Pool[T] {
	return (*Pool[T])(p.state.Clone((*slots.Block[T])(nil)))
}

// CopyFrom makes p a copy of q, as [Pool.Clone] would return it, in the memory that p has. It takes
// the values, the handles, and the Limit, Truncate and Seed of q. Memory and hooks stay those of p,
// and no hook is called. It is the fastest way to keep a second state of a Pool, and to go back to
// it. CopyFrom panics if InsertFunc is building a value in p, or if Memory refuses; p is then
// unchanged.
//
// Cost: O(Cap); copies all slots in memory, and allocates the chunks that p lacks, or all if p had
// another Seed: nothing in a steady state.
//
// Ends: all handles and pointers of p; with a Memory, also spans.
//
//berth:ends emptied
//berth:clones
func (p *Pool[T]) CopyFrom(q *Pool[T]) {
	p.state.CopyFrom((*slots.Block[T])(nil), &q.state)
}

// Stats returns the counts of p.
//
// Cost: O(1).
func (p *Pool[T]) Stats() (s Stats) {
	statsOf(&s, slots.CoreOf(&p.state))
	return s
}

// Slots returns an iterator over the slots of p, 64 at a time, from the lowest to the end of the
// directory. It maps the live values, for pictures and reports of memory use. It yields the slots
// as they are when it comes to them, whatever its body does to p.
//
// Cost: O(1) for each 64 slots, also without memory, and for each value under construction;
// allocates the loop.
func (p *Pool[T]) Slots() iter.Seq[Slots] { return slotsOf((*slots.Core)(slots.Ref(p))) }

// statsOf sets s to the counts of p.
//
//go:noinline
func statsOf(s *Stats, p *slots.Core) {
	bytes := int(unsafe.Sizeof(slots.Core{}))
	if p.Chunks > 0 {
		bytes += p.Chunks << p.Shift * int(p.Kind.Block)
	}
	bytes += cap(p.Dir)*bits.UintSize/8 + cap(p.Floors)*4 + p.Rare.Bytes(valueSize(p))
	bytes += p.Live.Bytes() + p.Room.Bytes() + p.Spare.Bytes() + p.Gone.Bytes() + p.Supply.Bytes()
	retired, lost := p.Rare.Worn()
	*s = Stats{
		Live:      p.N,
		Vacant:    p.Places() - p.N - p.Rare.Taken(),
		Retired:   retired + lost,
		Chunks:    p.Chunks,
		Bytes:     bytes,
		Limit:     limitOf(p),
		Reserved:  p.Rare.Reserves(),
		Inserts:   p.Ended + uint64(p.N),
		Removes:   p.Ended,
		Grown:     p.Grown,
		Truncated: p.Released,
	}
}

//go:noinline
func slotsOf(p *slots.Core) iter.Seq[Slots] {
	return func(yield func(Slots) bool) {
		end := len(p.Dir) // so that a body that inserts on every iteration ends
		for k := 0; k < end && k < len(p.Dir); k++ {
			if !yield(blockSlotsOf(p, k)) {
				return
			}
		}
	}
}

// blockSlotsOf returns the state of block k.
func blockSlotsOf(p *slots.Core, k int) (s Slots) {
	b := p.Dir[k]
	if b == nil {
		if p.Floors[k>>p.Shift] == slots.UsedUp {
			s.Retired = math.MaxUint64
		}
		return s
	}
	s = Slots{Live: b.Occ, Vacant: b.Free, Retired: ^(b.Occ | b.Free)}
	if s.Retired != 0 {
		s.Retired &^= slots.Reserved(b, p.Base)
		for _, slot := range p.Rare.Building() {
			if int(slot>>6) == k {
				s.Retired &^= 1 << (slot & 63)
			}
		}
	}
	return s
}

// limitOf returns Config.Limit.
func limitOf(p *slots.Core) int {
	if n := p.Max + p.Rare.Taken(); n != math.MaxInt {
		return n
	}
	return 0
}

// valueSize returns the size of a value, if p has had one.
func valueSize(p *slots.Core) uintptr {
	if p.Kind == nil {
		return 0
	}
	return p.Kind.Size
}
