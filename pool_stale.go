package berth

import (
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/poison"
)

// What is here finds writes through pointers that were kept too long: with the build tag
// berth_poison, what is vacant holds poison, and is looked at before it is used again or given
// back. Without the tag, all of it is compiled away, but for vacate, which clears.

// vacate makes *v what a vacant slot holds: the zero T, or poison.
func vacate[T any](v *T) {
	if poison.On {
		poison.Fill(v)
		return
	}
	var zero T
	*v = zero
}

// refill makes *v, which was vacant, the zero T. It reports false if someone has written to it.
func refill[T any](v *T) bool {
	ok := poison.Intact(v)
	var zero T
	*v = zero
	return ok
}

// panicStale panics because someone has written to the value of h, which is gone or has moved.
func panicStale[T any](h Handle[T]) {
	panic("berth: write through a stale pointer to the value of " + h.String())
}

// reuse makes slot i of block k, which is vacant, one with a zero T.
func (p *Pool[T]) reuse(b *block[T], k, i int) {
	if !refill(&b.vals[i]) {
		vacate(&b.vals[i])
		h := p.handle(b, k, i)
		h.gen--
		panicStale(h)
	}
}

// poisonBlock fills the slots of b, which are new.
func (b *block[T]) poison() {
	if poison.On {
		poison.FillAll(b.vals[:])
	}
}

// checkStale panics if someone has written to a slot of block k that has no value. None is under
// construction.
func (p *Pool[T]) checkStale(k int) {
	if !poison.On {
		return
	}
	b := p.dir[k]
	for i := range blockSlots {
		if b.gens[i]&1 == 0 && !poison.Intact(&b.vals[i]) {
			p.reuse(b, k, i) // panics, and says whose it was
		}
	}
}

// isVacant reports whether *v is what vacate leaves.
func isVacant[T any](v *T) bool {
	if poison.On {
		return poison.Intact(v)
	}
	return invariants.IsZero(v)
}
