package berth

import (
	"fmt"
	"slices"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/poison"
)

// changed checks the invariants after a change, with the tag berth_invariants. It always does while
// the pool is small, and only sometimes when it is large, so that no loop becomes quadratic.
func (p *core) changed() {
	if invariants.On && (len(p.dir) <= 64 || p.n%256 == 0) {
		p.checkInvariants()
	}
}

// checkInvariants panics with the number of an invariant that p violates, if any.
func (p *core) checkInvariants() {
	if p.max == 0 && len(p.dir) == 0 {
		return // a zero Pool
	}
	s := p.checkBlocks()
	p.checkDirectory()
	for c, m := range p.floors {
		if p.spare.Has(c) {
			s.spares++
		}
		if m == usedUp {
			s.lost += p.chunkSlots()
		}
	}
	retired, lost := p.rare.worn()
	want := sums{p.n, retired, lost, p.chunks << p.shift, len(p.rare.building()), p.spares}
	if s != want {
		fail(7, "counted %+v, noted %+v", s, want)
	}
	if p.n > p.max+len(p.rare.building()) {
		fail(7, "%d live values, Limit %d", p.n, p.max)
	}
	slow := p.hooked || p.rare.recorder() != nil
	if slow && p.quick != 0 || !slow && p.quick != p.max {
		fail(7, "quick %d, max %d, hooked %t", p.quick, p.max, p.hooked)
	}
	slow = slow || p.rare.tells()
	if slow && p.calm != 0 || !slow && p.calm != p.max {
		fail(7, "calm %d, max %d, columns %d", p.calm, p.max, len(p.rare.tables()))
	}
	if l := p.rare.recorder(); l != nil {
		l.check()
	}
	for _, c := range p.rare.tables() {
		c.check()
	}
}

// sums holds the counts of checkInvariants.
type sums struct{ n, retired, lost, blocks, pending, spares int }

// checkBlocks checks invariants 1 to 5 for each block.
func (p *core) checkBlocks() (s sums) {
	for k, b := range p.dir {
		if b == nil {
			if p.room.Has(k) || p.live.Has(k) {
				fail(6, "block %d has no memory, but room or live holds it", k)
			}
			continue
		}
		s.blocks++
		for i := range blockSlots {
			live, vacant := b.occ>>i&1 != 0, b.free>>i&1 != 0
			if g := b.gens[i]; live != (g&1 != 0) || live && vacant {
				fail(1, "slot %d: live %v, vacant %v, generation %d", k<<6+i, live, vacant, g)
			}
			switch {
			case live:
				s.n++
				continue
			case !vacant && slices.Contains(p.rare.building(), uint32(k<<6+i)):
				s.pending++
				continue
			case !vacant:
				s.retired++
				if b.gens[i] != p.base {
					fail(2, "slot %d is neither live nor vacant", k<<6+i)
				}
			}
			if !p.kind.isVacant(p.kind.val(b, i)) {
				if poison.On {
					p.reuse(b, k, i) // panics with the handle of the value
				}
				fail(3, "slot %d holds %v", k<<6+i, p.kind.show(p.kind.val(b, i)))
			}
		}
		if p.room.Has(k) != (b.free != 0) {
			fail(4, "block %d: free %x, in room %v", k, b.free, p.room.Has(k))
		}
		if p.live.Has(k) != (b.occ != 0) && (p.truncate != TruncateNever || b.occ != 0) {
			fail(5, "block %d: occ %x, in live %v", k, b.occ, p.live.Has(k))
		}
	}
	return s
}

// checkDirectory checks invariants 6 and 8, and the bitmaps themselves.
func (p *core) checkDirectory() {
	p.live.Check()
	p.room.Check()
	p.spare.Check()
	p.gone.Check()
	if len(p.dir) != len(p.floors)<<p.shift {
		fail(6, "%d blocks, %d chunks", len(p.dir), len(p.floors))
	}
	for c, m := range p.floors {
		in := p.dir[c<<p.shift] != nil
		for k := c << p.shift; k < (c+1)<<p.shift; k++ {
			if (p.dir[k] != nil) != in {
				fail(6, "chunk %d is in memory by half", c)
			}
		}
		if p.spare.Has(c) != (in && !p.chunkLives(c)) {
			fail(6, "chunk %d: in memory %v, spare %v", c, in, p.spare.Has(c))
		}
		if p.gone.Has(c) != (!in && m != usedUp) {
			fail(6, "chunk %d: in memory %v, floor %d, gone %v", c, in, m, p.gone.Has(c))
		}
	}
	p.checkSupply()
	if p.tail > highFloor || p.tail&1 != 0 || p.base&1 != 0 {
		fail(8, "tail %d, base %d", p.tail, p.base)
	}
}

// checkSupply checks the part of invariant 6 that each chunk in memory lies in a piece of its own,
// and that there are no other pieces.
func (p *core) checkSupply() {
	if p.supply == nil {
		return
	}
	if len(p.supply.pieces) != len(p.floors) {
		fail(6, "%d pieces of memory, %d chunks", len(p.supply.pieces), len(p.floors))
	}
	for c, piece := range p.supply.pieces {
		first := p.dir[c<<p.shift]
		if (first == nil) != (piece == nil) {
			fail(6, "chunk %d: in memory %v, a piece of %d bytes", c, first != nil, len(piece))
		}
		if first == nil {
			continue
		}
		for i := range 1 << p.shift {
			if p.dir[c<<p.shift+i] != p.kind.nth(firstOf(piece), i) {
				fail(6, "block %d does not lie in its piece of memory", c<<p.shift+i)
			}
		}
	}
}

func fail(rule int, format string, args ...any) {
	panic(fmt.Sprintf("berth: Pool invariant %d: ", rule) + fmt.Sprintf(format, args...))
}
