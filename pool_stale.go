package berth

import (
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/poison"
)

// The functions below detect writes through pointers that were kept too long. With the build tag
// berth_poison, vacant memory holds poison, and is checked before it is reused or released. Without
// the tag, all of them but vacate compile to nothing.

// vacate sets *v to the contents of a vacant slot: the zero T, or poison.
func vacate[T any](v *T) {
	if poison.On {
		poison.Fill(v)
		return
	}
	var zero T
	*v = zero
}

// refill sets *v, which was vacant, to the zero T. It reports false if *v had been written to.
func refill[T any](v *T) bool {
	ok := poison.Intact(v)
	var zero T
	*v = zero
	return ok
}

// panicStale panics because the value of h was written to after it was removed or moved.
func panicStale(h id) {
	panic("berth: write through a stale pointer to the value of " + textOf(h))
}

// reuse sets the vacant slot i of block k to the zero T. It panics if the slot was written to.
func (p *core) reuse(b *head, k, i int) {
	if v := p.kind.val(b, i); !p.kind.refill(v) {
		p.kind.vacate(v)
		h := p.id(b, k, i)
		h.gen--
		panicStale(h)
	}
}

// checkStale panics if a slot without a value in block k was written to. The block must have no
// slot under construction.
func (p *core) checkStale(k int) {
	if !poison.On {
		return
	}
	b := p.dir[k]
	for i := range blockSlots {
		if b.gens[i]&1 == 0 && !poison.IntactAt(typeOf(p.kind), p.kind.val(b, i)) {
			p.reuse(b, k, i) // panics with the handle of the value
		}
	}
}

// isVacant reports whether *v holds what vacate leaves.
func isVacant[T any](v *T) bool {
	if poison.On {
		return poison.Intact(v)
	}
	return invariants.IsZero(v)
}
