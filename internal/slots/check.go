package slots

import (
	"fmt"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/poison"
)

// Changed checks the invariants after a change, with the tag berth_invariants. It always does while
// the pool is small, and only sometimes when it is large, so that no loop becomes quadratic.
func (p *Core) Changed() {
	if invariants.On && (len(p.Dir) <= 64 || p.N%256 == 0) {
		p.CheckInvariants()
	}
}

// CheckInvariants panics with the number of an invariant that p violates, if any.
func (p *Core) CheckInvariants() {
	if p.Max == 0 && len(p.Dir) == 0 {
		return // a zero Pool
	}
	s := p.checkBlocks()
	p.checkDirectory()
	for c, m := range p.Floors {
		if p.Spare.Has(c) {
			s.spares++
		}
		if m == UsedUp {
			s.lost += p.ChunkSlots()
		}
	}
	retired, lost := p.Rare.Worn()
	want := sums{p.N, retired, lost, p.Chunks << p.Shift, p.Rare.Taken(), p.Spares}
	if s != want {
		Fail(7, "counted %+v, noted %+v", s, want)
	}
	if p.N > p.Max+p.Rare.Taken() {
		Fail(7, "%d live values, Limit %d", p.N, p.Max)
	}
	slow := p.Hooked || p.Rare.Recorder() != nil
	if slow && p.Quick != 0 || !slow && p.Quick != p.Max {
		Fail(7, "quick %d, max %d, hooked %t", p.Quick, p.Max, p.Hooked)
	}
	slow = slow || p.Rare.tells()
	if slow && p.Calm != 0 || !slow && p.Calm != p.Max {
		Fail(7, "calm %d, max %d, columns %d", p.Calm, p.Max, len(p.Rare.Tables()))
	}
	if l := p.Rare.Recorder(); l != nil {
		l.Check()
	}
	for _, c := range p.Rare.Tables() {
		c.Check()
	}
}

// sums holds the counts of checkInvariants.
type sums struct{ n, retired, lost, blocks, taken, spares int }

// checkBlocks checks invariants 1 to 5 for each block.
func (p *Core) checkBlocks() (s sums) {
	for k, b := range p.Dir {
		if b == nil {
			if p.Room.Has(k) || p.Live.Has(k) {
				Fail(6, "block %d has no memory, but room or live holds it", k)
			}
			continue
		}
		s.blocks++
		for i := range BlockSlots {
			live, vacant := b.Occ>>i&1 != 0, b.Free>>i&1 != 0
			if g := b.Gens[i]; live != (g&1 != 0) || live && vacant {
				Fail(1, "slot %d: live %v, vacant %v, generation %d", k<<6+i, live, vacant, g)
			}
			switch {
			case live:
				s.n++
				continue
			case !vacant && p.isBuilding(uint32(k<<6+i)):
				s.taken++
				continue
			case !vacant && b.Gens[i] != p.Base:
				s.taken++
			case !vacant:
				s.retired++
			}
			if !p.Kind.isVacant(p.Kind.val(b, i)) {
				if poison.On {
					p.reuse(b, k, i) // panics with the handle of the value
				}
				Fail(3, "slot %d holds %v", k<<6+i, p.Kind.show(p.Kind.val(b, i)))
			}
		}
		if p.Room.Has(k) != (b.Free != 0) {
			Fail(4, "block %d: free %x, in room %v", k, b.Free, p.Room.Has(k))
		}
		if p.Live.Has(k) != (b.Occ != 0) && (p.Truncate != TruncateNever || b.Occ != 0) {
			Fail(5, "block %d: occ %x, in live %v", k, b.Occ, p.Live.Has(k))
		}
	}
	return s
}

// checkDirectory checks invariants 6 and 8, and the bitmaps themselves.
func (p *Core) checkDirectory() {
	p.Live.Check()
	p.Room.Check()
	p.Spare.Check()
	p.Gone.Check()
	if len(p.Dir) != len(p.Floors)<<p.Shift {
		Fail(6, "%d blocks, %d chunks", len(p.Dir), len(p.Floors))
	}
	for c, m := range p.Floors {
		in := p.Dir[c<<p.Shift] != nil
		for k := c << p.Shift; k < (c+1)<<p.Shift; k++ {
			if (p.Dir[k] != nil) != in {
				Fail(6, "chunk %d is in memory by half", c)
			}
		}
		if p.Spare.Has(c) != (in && !p.chunkLives(c)) {
			Fail(6, "chunk %d: in memory %v, spare %v", c, in, p.Spare.Has(c))
		}
		if p.Gone.Has(c) != (!in && m != UsedUp) {
			Fail(6, "chunk %d: in memory %v, floor %d, gone %v", c, in, m, p.Gone.Has(c))
		}
	}
	p.checkSupply()
	if p.Tail > highFloor || p.Tail&1 != 0 || p.Base&1 != 0 {
		Fail(8, "tail %d, base %d", p.Tail, p.Base)
	}
}

// checkSupply checks the part of invariant 6 that each chunk in memory lies in a piece of its own,
// and that there are no other pieces.
func (p *Core) checkSupply() {
	if p.Supply == nil {
		return
	}
	if len(p.Supply.Pieces) != len(p.Floors) {
		Fail(6, "%d pieces of memory, %d chunks", len(p.Supply.Pieces), len(p.Floors))
	}
	for c, piece := range p.Supply.Pieces {
		first := p.Dir[c<<p.Shift]
		if (first == nil) != (piece == nil) {
			Fail(6, "chunk %d: in memory %v, a piece of %d bytes", c, first != nil, len(piece))
		}
		if first == nil {
			continue
		}
		for i := range 1 << p.Shift {
			if p.Dir[c<<p.Shift+i] != p.Kind.nth(FirstOf(piece), i) {
				Fail(6, "block %d does not lie in its piece of memory", c<<p.Shift+i)
			}
		}
	}
}

// Fail panics because p violates an invariant of a Pool.
func Fail(rule int, format string, args ...any) {
	panic(fmt.Sprintf("berth: Pool invariant %d: ", rule) + fmt.Sprintf(format, args...))
}

// The functions below detect writes through pointers that were kept too long. With the build tag
// berth_poison, vacant memory holds poison, and is checked before it is reused or released. Without
// the tag, all of them but vacate compile to nothing.

// Vacate sets *v to the contents of a vacant slot: the zero T, or poison.
func Vacate[T any](v *T) {
	if poison.On {
		poison.Fill(v)
		return
	}
	var zero T
	*v = zero
}

// Refill sets *v, which was vacant, to the zero T. It reports false if *v had been written to.
func Refill[T any](v *T) bool {
	ok := poison.Intact(v)
	var zero T
	*v = zero
	return ok
}

// PanicStale panics because the value of h was written to after it was removed or moved.
func PanicStale(h ID) {
	panic("berth: write through a stale pointer to the value of " + TextOf(h))
}

// reuse sets the vacant slot i of block k to the zero T. It panics if the slot was written to.
func (p *Core) reuse(b *Head, k, i int) {
	if v := p.Kind.val(b, i); !p.Kind.refill(v) {
		p.Kind.vacate(v)
		h := p.ID(b, k, i)
		h.Gen--
		PanicStale(h)
	}
}

// checkStale panics if a slot without a value in block k was written to. The block must have no
// slot under construction.
func (p *Core) checkStale(k int) {
	if !poison.On {
		return
	}
	b := p.Dir[k]
	for i := range BlockSlots {
		if b.Gens[i]&1 == 0 && !poison.IntactAt(TypeOf(p.Kind), p.Kind.val(b, i)) {
			p.reuse(b, k, i) // panics with the handle of the value
		}
	}
}

// IsVacant reports whether *v holds what vacate leaves.
func IsVacant[T any](v *T) bool {
	if poison.On {
		return poison.Intact(v)
	}
	return invariants.IsZero(v)
}
