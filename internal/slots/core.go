// Package slots is what a Pool, a Dense and their columns do without knowing the type of their
// values.
//
// The compiler copies all methods of a generic type for each type that it is used with, whether or
// not a program calls them. So a Pool has little code of its own: the verbs and loops that must be
// fast, and one line for everything else. The rest are methods of a [Core], which is not generic,
// and is compiled once. A [Dense] is the same for berth.Dense: its slots are a Core, and its values
// an [Array].
//
// A Core finds its values through its kind: unsafe.go has that, and its rules. Entry points of this
// package are not inlined, since what they mention would be compiled in the package with the Pool.
// Only package berth uses this package. A comment such as "Clip is that of a Pool" names the method
// of berth that calls it.
package slots

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"unsafe"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/journal"
	"github.com/seed505807e1/berth/internal/nocopy"
)

const (
	// UsedUp is the floor of a chunk that never comes back. Real floors are even.
	UsedUp = 1
	// highFloor is the highest floor that may stand for all chunks beyond the last. One chunk with
	// hard-worn slots must not shorten the lives of all later ones.
	highFloor = 1 << 31
)

// Core is a Pool whose values have a type that only its kind knows.
type Core struct {
	_   nocopy.NoCopy
	Dir []*Head
	State
}

// CoreOf returns the core that ends with s. A function with a type parameter would take a
// dictionary for each type of values.
func CoreOf(s *State) *Core {
	return (*Core)(before(Ref(s), unsafe.Sizeof(Core{})-unsafe.Sizeof(State{})))
}

// State is all of a Pool but its directory. See the invariants at Pool.
type State struct {
	Salt  uint32 // index of slot 0
	Base  uint32 // even; generation of a slot that has never been used
	N     int    // live values
	Quick int    // Max, or 0 if every insert must do more than fill a slot
	Calm  int    // max, or 0 if every removal must do more than empty a slot

	Room        bitset.Queue // of blocks
	Live        bitset.Set   // of blocks
	Spare, Gone bitset.Set   // of chunks
	Floors      []uint32     // per chunk: how far beyond base its slots resume, or UsedUp
	Tail        uint32       // the floor of the chunks beyond len(Floors)

	Shift    uint8 // chunks have 1<<shift blocks
	Truncate Truncate
	Hooked   bool    // quick and calm are 0
	Max      int     // Limit, less the slots reserved or under construction; 0 before init
	Reserve  int     // slots that stay in memory
	Chunks   int     // in memory
	Spares   int     // members of spare
	Ended    uint64  // removals
	Grown    uint64  // chunks that were allocated
	Released uint64  // chunks that were released
	Supply   *Supply // nil on Go's heap
	Rare     *Rare   // nil in most pools
	Kind     *kind   // of the values; nil until the first change
}

// CoreAt returns the core that ends with s, for a change. block is a nil *Block[T].
//
//go:noinline
func CoreAt(s *State, block any) *Core {
	c := CoreOf(s)
	if c.Kind == nil {
		c.Kind = KindOf(block)
	}
	return c
}

// PartBlocks is the number of blocks of a part of a parallel loop: 4096 slots.
const PartBlocks = 64

// Find returns the block of h's slot and the slot's number, or nil if h is not live.
func (p *Core) Find(h ID) (*Head, uint32) {
	s := h.Index - p.Salt
	if k := int(s >> 6); k < len(p.Dir) {
		if b := p.Dir[k]; b != nil && b.Gens[s&63] == h.Gen && h.Gen&1 != 0 {
			return b, s
		}
	}
	return nil, 0
}

// Ptr returns the value of h, or nil if h is not live.
func (p *Core) Ptr(h ID) Ref {
	b, s := p.Find(h)
	if b == nil {
		return nil
	}
	return p.Kind.val(b, int(s&63))
}

// Place returns the number of the block with the slot of h, and a mask of the block's other slots.
// It returns -1 if h is not live.
//
//go:noinline
func (p *Core) Place(h ID) (k int, rest uint64) {
	b, s := p.Find(h)
	if b == nil {
		return -1, 0
	}
	return int(s >> 6), ^(uint64(1) << (s & 63))
}

// Left reports whether block k, which was b, was released inside a loop. It must be inlined: a call
// leaves the loops fewer registers, and makes them four times slower.
func (p *Core) Left(k int, b *Head) bool { return uint(k) >= uint(len(p.Dir)) || p.Dir[k] != b }

// At returns the handle and the value of a slot, or a nil pointer if the slot has no live value.
//
//go:noinline
func (s *State) At(slot int) (ID, Ref) {
	p, k, i := CoreOf(s), slot>>6, slot&63
	if uint(k) >= uint(len(p.Dir)) || p.Dir[k] == nil || p.Dir[k].Occ>>i&1 == 0 {
		return ID{}, nil
	}
	return p.ID(p.Dir[k], k, i), p.Kind.val(p.Dir[k], i)
}

// IndexOf returns the number of h's slot, or -1 if h is not live.
//
//go:noinline
func (p *Core) IndexOf(h ID) int {
	if b, s := p.Find(h); b != nil {
		return int(s)
	}
	return -1
}

// ID returns the handle of slot i of b, which is block k.
func (p *Core) ID(b *Head, k, i int) ID {
	return ID{p.Salt + uint32(k<<6+i), b.Gens[i&63]}
}

// free makes the slot of bit in b, which is block k, vacant.
func (p *Core) free(b *Head, k int, bit uint64) {
	if b.Free == 0 {
		p.Room.Add(k)
	}
	b.Free |= bit
}

// isZero reports whether p is the zero Pool, as far as init is concerned.
func (p *Core) isZero() bool { return p.Max == 0 && p.N == 0 && p.Rare.Taken() == 0 }

// init turns the zero Pool into one configured by c.
func (p *Core) init(c Config) {
	p.Salt, p.Base = Origin(c.Seed)
	p.Truncate = c.Truncate
	p.Room = bitset.NewQueue()
	p.Supply = newSupply(c.Memory)
	p.SetMax(c.Limit)
	if c.Limit == 0 {
		p.SetMax(math.MaxInt)
	}
}

// SetMax sets max, quick and calm.
func (p *Core) SetMax(n int) {
	p.Max, p.Quick, p.Calm = n, n, n
	if p.Hooked || p.Rare.Recorder() != nil {
		p.Quick, p.Calm = 0, 0
	}
	if p.Rare.tells() {
		p.Calm = 0
	}
}

// Cap is that of a Pool.
//
//go:noinline
func (p *Core) Cap() int { return min(p.Places(), p.Max+p.Rare.Taken()) }

// String is that of a Pool. pointer is a pointer to a value.
//
//go:noinline
func (p *Core) String(pointer any) string {
	t := reflect.TypeOf(pointer).Elem()
	return fmt.Sprintf("berth.Pool[%v](%d of %d slots)", t, p.N, p.Cap())
}

// Places returns the number of slots in memory that are not used up.
func (p *Core) Places() int {
	retired, _ := p.Rare.Worn()
	return p.Chunks<<p.Shift*BlockSlots - retired
}

// Full returns the reason why an insert has just failed.
//
//go:noinline
func (p *Core) Full() error {
	if p.N >= p.Max {
		return ErrFull
	}
	return p.Supply.Why()
}

// abandon ends the construction in slot i of b without a value. Since the handle that f was given
// may have been kept, its generation is used up.
func (p *Core) abandon(b *Head, k, i int) {
	p.Kind.vacate(p.Kind.val(b, i))
	if b.Gens[i] += 2; b.Gens[i] == p.Base {
		p.Rarely().Retired++
		return
	}
	p.free(b, k, 1<<i)
}

// NextBlock returns the lowest block of 64 slots, from block k on, in which p has a live value. It
// also returns the block's live slots, the lowest in the lowest bit, and the number of blocks in
// the directory. If there is no such block, the first result is negative.
func (p *Core) NextBlock(k int) (block int, live uint64, blocks int) {
	if k = p.Live.Next(k); k < 0 {
		return -1, 0, len(p.Dir)
	}
	return k, p.Dir[k].Occ, len(p.Dir)
}

// SetOrigin sets where the handles of p start: the index of slot 0, and the generation, which is
// even. p must be new.
func (p *Core) SetOrigin(index, gen uint32) {
	if len(p.Dir) > 0 || gen&1 != 0 {
		panic("berth: SetOrigin: the pool is not new, or gen is odd")
	}
	p.Salt, p.Base = index, gen
}

// Restore makes slots of b what they were, apart from their values and generations. A slot that was
// noted was live or vacant: nothing was under construction when the frame began, a retired slot
// does not change, and a reserved one gets an image. The generation of a noted slot does not tell
// whether it was retired since, as that of a retired slot is that of one never used.
func Restore(b *Head, noted, changed, imaged uint64, w journal.Words) {
	live := w[0] | noted&^changed&b.Occ
	for w := changed; w != 0; w &= w - 1 {
		i := bits.TrailingZeros64(w)
		live |= uint64(b.Gens[i]&1) << i
	}
	b.Occ = b.Occ&^(noted|imaged) | live
	b.Free = b.Free&^(noted|imaged) | noted&^live | w[1]
}

// Parts returns the number of parts of a loop over p.
func (p *Core) Parts() int { return (len(p.Dir) + PartBlocks - 1) / PartBlocks }

// still is what a parallel loop must leave as it is.
type still struct{ n, chunks int }

// Hold returns what a parallel loop over p must leave as it is.
func (p *Core) Hold() still { return still{p.N, p.Chunks} }

// MustHold panics if the body of a parallel loop has changed p, with the tag berth_invariants.
func (p *Core) MustHold(fn string, s still) {
	if invariants.On && s != p.Hold() {
		panic("berth: " + fn + ": f must not insert or remove")
	}
}

// ChunkSlots returns the number of slots of a chunk.
func (p *Core) ChunkSlots() int { return BlockSlots << p.Shift }

// chunkLives reports whether live has a block of chunk c, or a slot of it is reserved.
func (p *Core) chunkLives(c int) bool {
	k := p.Live.Next(c << p.Shift)
	return k >= 0 && k>>p.Shift == c || p.chunkReserved(c)
}

// chunkReserved reports whether a slot of chunk c, which is in memory, is reserved.
func (p *Core) chunkReserved(c int) bool {
	if p.Rare.Reserves() == 0 {
		return false
	}
	for _, b := range p.Dir[c<<p.Shift : (c+1)<<p.Shift] {
		if Reserved(b, p.Base) != 0 {
			return true
		}
	}
	return false
}

// building reports whether a slot of chunk c is under construction.
func (p *Core) building(c int) bool {
	in := func(s uint32) bool { return int(s>>6)>>p.Shift == c }
	return slices.ContainsFunc(p.Rare.Building(), in)
}

// isBuilding reports whether slot s is under construction.
func (p *Core) isBuilding(s uint32) bool {
	for _, x := range p.Rare.Building() {
		if x == s {
			return true
		}
	}
	return false
}

// Reserved returns the slots of b whose handles are reserved, or whose values are under
// construction in a slot that was used before, in a Pool with that Base.
func Reserved(b *Head, base uint32) (slots uint64) {
	for w := ^(b.Occ | b.Free); w != 0; w &= w - 1 {
		if i := bits.TrailingZeros64(w) & 63; b.Gens[i] != base {
			slots |= 1 << i
		}
	}
	return slots
}
