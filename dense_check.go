package berth

import (
	"fmt"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/poison"
)

// changed checks the invariants after a change, with the tag berth_invariants. It always does while
// there are few values, and only sometimes when there are many.
func (d *dense) changed() {
	if invariants.On && (d.vals.n <= 128 || d.index.n%256 == 0) {
		d.checkInvariants()
	}
}

// checkInvariants panics with the number of an invariant that d violates, if any.
func (d *dense) checkInvariants() {
	d.index.look().checkInvariants()
	if len(d.owner) != d.vals.n || cap(d.owner) < d.vals.cap {
		failDense(1, "vals %d of %d, owner %d of %d",
			d.vals.n, d.vals.cap, len(d.owner), cap(d.owner))
	}
	if s, n := d.index.supply, d.vals.cap; s != nil && n > 0 {
		owner := valuesIn[id](d.piece[len(d.piece)-n*8:], n)
		if cap(d.owner) != n || &owner[0] != &d.owner[:1][0] ||
			d.kind.size > 0 && firstOf(d.piece) != d.vals.first {
			failDense(1, "vals or owner do not lie in their piece of memory")
		}
	} else if len(d.piece) > 0 {
		failDense(1, "a piece of memory of %d bytes for nothing", len(d.piece))
	}
	live, holes := 0, 0
	var sum uint64 // of all holes, less those in the chain: 0 if each is in it once
	for i, h := range d.owner {
		if h.gen&1 == 0 {
			holes++
			sum += invariants.Mix(i)
			if !d.kind.isVacant(d.val(i)) {
				d.reuse(i) // with the tag berth_poison, panics with the handle of the value
				failDense(2, "hole %d holds %v", i, d.kind.show(d.val(i)))
			}
			continue
		}
		live++
		if p := d.index.place(h); p == nil || int(*p) != i {
			failDense(2, "place %d has handle %s, which the index does not lead to it",
				i, textOf(h))
		}
	}
	if live != d.index.n {
		failDense(2, "%d values at places, %d handles", live, d.index.n)
	}
	if holes != d.holes {
		failDense(3, "%d holes, counted %d", holes, d.holes)
	}
	for i, k := int(d.hole), 0; k < d.holes; k++ {
		if i >= len(d.owner) || d.owner[i].gen&1 != 0 {
			failDense(3, "place %d is in the chain, and no hole", i)
		}
		sum -= invariants.Mix(i)
		i = int(d.owner[i].index)
	}
	if sum != 0 {
		failDense(3, "a hole is in the chain twice")
	}
	for i := d.vals.n; i < d.vals.cap; i++ {
		if !d.kind.isVacant(d.val(i)) {
			d.reuse(i)
		}
		if !d.kind.isVacant(d.val(i)) || d.owner[:i+1][i] != (id{}) {
			failDense(4, "place %d behind the last holds %v", i, d.kind.show(d.val(i)))
		}
	}
	if live == 0 && d.holes != 0 {
		failDense(5, "%d holes and no value", d.holes)
	}
	if d.vals.cap > 0 && d.era == nil || d.era != nil && d.era.owner != nil {
		failDense(6, "era %v", d.era)
	}
	for _, c := range d.rare.sides() {
		c.check()
	}
	if d.rare != nil {
		for _, v := range d.rare.outside {
			if (!d.kind.flat || poison.On) && !d.kind.isVacant(v) {
				failDense(4, "a value outside is %v", d.kind.show(v))
			}
		}
	}
}

func failDense(rule int, format string, args ...any) {
	panic(fmt.Sprintf("berth: Dense invariant %d: ", rule) + fmt.Sprintf(format, args...))
}
