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

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/journal"
	"github.com/seed505807e1/berth/internal/nocopy"
	"github.com/seed505807e1/berth/internal/poison"
)

// Core is a Pool whose values have a type that only its kind knows.
type Core struct {
	_   nocopy.NoCopy
	Dir []*Head
	State
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

// CoreAt returns the core at p for a change. block has a method for its values.
//
//go:noinline
func CoreAt(p Ref, block blockType) *Core {
	c := (*Core)(p)
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
func (p *Core) At(slot int) (ID, Ref) {
	k, i := slot>>6, slot&63
	if uint(k) >= uint(len(p.Dir)) || p.Dir[k] == nil || p.Dir[k].Occ>>i&1 == 0 {
		return ID{}, nil
	}
	return p.ID(p.Dir[k], k, i), p.Kind.val(p.Dir[k], i)
}

// ID returns the handle of slot i of b, which is block k.
func (p *Core) ID(b *Head, k, i int) ID {
	return ID{p.Salt + uint32(k<<6+i), b.Gens[i&63]}
}

// Open makes the lowest vacant slot live in all cases. It returns a nil pointer if there is no
// slot.
//
//go:noinline
func (p *Core) Open() (ID, Ref) {
	if (p.Room.Low >= len(p.Dir) || p.N >= p.Max) && !p.makeRoom() {
		return ID{}, nil
	}
	k := p.Room.Low
	b, i := p.take(k)
	p.occupy(b, k, i)
	return p.ID(b, k, i), p.Kind.val(b, i)
}

// take takes the lowest vacant slot of block k, which is room.Low. The slot is then under
// construction.
func (p *Core) take(k int) (*Head, int) {
	b := p.Dir[k]
	i := bits.TrailingZeros64(b.Free) & 63
	if l := p.Rare.Recorder(); l != nil {
		l.Note(b, k, i)
	}
	if poison.On {
		p.reuse(b, k, i)
	}
	if b.Free &= b.Free - 1; b.Free == 0 {
		p.Room.Pop()
	}
	return b, i
}

// occupy makes slot i of b, which is block k, live. The slot was returned by take.
func (p *Core) occupy(b *Head, k, i int) {
	b.Occ |= 1 << (i & 63)
	b.Gens[i&63]++
	if !p.Live.Has(k) {
		p.opened(k)
	}
	p.N++
	p.Changed()
}

// CheckMany panics if n is negative, or if n more values of the given size are too many for any
// memory.
func (p *Core) CheckMany(fn string, n int, bytes uintptr) {
	if n < 0 {
		PanicGot(fn, "n must not be negative", n)
	}
	p.Ready(0)
	CheckSlots(fn, uint64(p.N)+uint64(min(n, p.Max-p.N)), bytes, n)
}

// OpenRun makes up to n adjacent vacant slots live, of which the first is the lowest of all, and
// returns their block, the first and how many, or 0 if there is no slot. n is at least 1. If an
// insert must do more than fill a slot, it is one.
//
//go:noinline
func (p *Core) OpenRun(n int) (k, i, m int) {
	if (p.Room.Low >= len(p.Dir) || p.N >= p.Max) && !p.makeRoom() {
		return 0, 0, 0
	}
	k = p.Room.Low
	if p.Quick == 0 || poison.On {
		b, i := p.take(k)
		p.occupy(b, k, i)
		return k, i, 1
	}
	b := p.Dir[k]
	i, m = bitset.Run(b.Free)
	m = min(m, n, p.Max-p.N)
	run := bitset.Beyond(i) &^ bitset.Beyond(i+m)
	if b.Free &^= run; b.Free == 0 {
		p.Room.Pop()
	}
	b.Occ |= run
	gens := b.Gens[i : i+m]
	for j := range gens {
		gens[j]++
	}
	if !p.Live.Has(k) {
		p.opened(k)
	}
	p.N += m
	p.Changed()
	return k, i, m
}

// New makes the lowest vacant slot live with a zero value, and calls OnInsert. The pointer is nil
// if there is no slot, or if OnInsert has removed the value.
//
//go:noinline
func (p *Core) New() (ID, Ref) {
	h, x := p.Open()
	if x == nil || !p.Hooked {
		return h, x
	}
	p.Inserted(h, x)
	return h, p.Ptr(h)
}

// Delete removes the value of h, if h is live, and reports whether it was.
//
//go:noinline
func (p *Core) Delete(h ID) bool {
	b, _ := p.Find(h)
	return b != nil && p.Remove(h)
}

// Remove removes the value of the live h in all cases.
func (p *Core) Remove(h ID) bool {
	f := p.Rare.On().OnRemove
	if f == nil {
		p.close(h)
		return true
	}
	s := h.Index - p.Salt
	x := p.Rare.borrow(p.Kind)
	p.Kind.copy(x, p.Kind.val(p.Dir[s>>6], int(s&63)), 1)
	p.close(h)
	f(h, x)
	p.Rare.giveBack(p.Kind, x)
	return true
}

// close vacates the slot of the live h in all cases.
func (p *Core) close(h ID) {
	s := h.Index - p.Salt
	k, i := int(s>>6), int(s&63)
	b := p.Dir[k]
	if l := p.Rare.Recorder(); l != nil {
		l.Note(b, k, i)
	}
	for _, c := range p.Rare.Tables() {
		c.Leave(k, i)
	}
	p.Kind.vacate(p.Kind.val(b, i))
	p.closed(b, k, i)
}

// CloseEmpty is close for a p without rare. The value of h is zero already.
func (p *Core) CloseEmpty(h ID) {
	s := h.Index - p.Salt
	p.closed(p.Dir[s>>6], int(s>>6), int(s&63))
}

// closed makes slot i of b, which is block k, vacant. It is live, and its value zero.
func (p *Core) closed(b *Head, k, i int) {
	b.Occ &^= 1 << (i & 63)
	b.Gens[i&63]++
	p.N--
	p.Ended++
	if b.Gens[i] == p.Base {
		p.Rarely().Retired++
	} else {
		p.free(b, k, 1<<i)
	}
	if b.Occ == 0 {
		p.emptied(k)
	}
	p.Changed()
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

// Made turns the zero core into one configured by c.
//
//go:noinline
func (p *Core) Made(c Config) {
	mustBePlain("NewPool", TypeOf(p.Kind), c.Memory)
	p.init(c)
	attempt(
		func() { p.MakeSlots("NewPool", c.Capacity, c.Capacity) },
		func() { p.Supply.freeAll() })
}

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

// Clear is that of a Pool.
//
//go:noinline
func (p *Core) Clear() {
	if p.N == 0 {
		return
	}
	if p.Rare.On().OnRemove != nil {
		p.clearHooked()
		return
	}
	if p.Truncate == TruncateMemory {
		p.dropSpares(0, math.MaxInt)
	}
	for k := p.Live.First(); k >= 0; k = p.Live.Next(k + 1) {
		b := p.Dir[k]
		if l := p.Rare.Recorder(); l != nil {
			l.NoteAll(b, k, b.Occ)
		}
		// Vacant values are zero, so many short runs of small values are cleared as one.
		whole := !poison.On && p.Kind.Size <= 64 && b.Occ|b.Free == math.MaxUint64 &&
			bits.OnesCount64(b.Occ&^(b.Occ<<1)) > 8
		if whole {
			p.Kind.clear(valsOf(b), BlockSlots)
		}
		for w := b.Occ; w != 0 && !whole; {
			i, n := bitset.Run(w)
			w &= bitset.Beyond(i + n)
			p.Kind.vacateRun(p.Kind.val(b, i), n)
		}
		occ := b.Occ
		for w := occ; w != 0; w &= w - 1 {
			i := bits.TrailingZeros64(w) & 63
			if b.Gens[i]++; b.Gens[i] == p.Base {
				p.Rarely().Retired++
				occ &^= 1 << i
			}
		}
		b.Occ = 0
		if occ != 0 {
			p.free(b, k, occ)
		}
		if p.Truncate != TruncateNever {
			p.Live.Remove(k)
			if c := k >> p.Shift; !p.chunkLives(c) {
				p.setSpare(c, true)
				if p.Truncate == TruncateMemory {
					p.dropWorn(c)
				}
			}
		}
	}
	p.Ended += uint64(p.N)
	p.N = 0
	for _, c := range p.Rare.Tables() {
		c.Cleared()
	}
	p.Changed()
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
func Restore(b *Head, noted, imaged uint64, w journal.Words) {
	live := w[0]
	for w := noted; w != 0; w &= w - 1 {
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
