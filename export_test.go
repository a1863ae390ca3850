package berth

import "io"

// CheckInvariants panics with the number of an invariant that p violates, if any.
func (p *Pool[T]) CheckInvariants() { look(p).checkInvariants() }

// Vacant returns the contents of a vacant slot: the zero T, or poison.
func Vacant[T any]() (v T) {
	vacate(&v)
	return v
}

// AgeForTest gives the first slots of p only the given number of lives. It ages that many slots, or
// as many as Limit needs. p must never have had an insert.
func (p *Pool[T]) AgeForTest(slots, lives int) {
	if p.n != 0 {
		panic("berth: AgeForTest: the pool is not empty")
	}
	coreOf(p).makeSlots("AgeForTest", slots, slots)
	p.reserve = 0
	for _, b := range p.dir {
		for i := range b.gens {
			b.gens[i] = p.base - 2*uint32(lives)
		}
	}
	look(p).checkInvariants()
}

// CheckInvariants panics with the number of an invariant that c or its Pool violates, if any.
func (c *Column[T, V]) CheckInvariants() { c.checkInvariants() }

// CheckInvariants panics with the number of an invariant that d violates, if any.
func (d *Dense[T]) CheckInvariants() { lookDense(d).checkInvariants() }

// AgeForTest is [Pool.AgeForTest] for the slots of d.
func (d *Dense[T]) AgeForTest(slots, lives int) {
	poolOf(&d.index).AgeForTest(slots, lives)
}

func (p *Pool[T]) checkInvariants() { look(p).checkInvariants() }
func (p *Pool[T]) seed() uint32     { return look(p).seed() }
func (p *Pool[T]) places() int      { return look(p).places() }
func (t *slotTable) Cap() int       { return t.look().cap() }

func (p *Pool[T]) chunkSlots() int { return look(p).chunkSlots() }
func (p *Pool[T]) addChunk() bool  { return coreOf(p).addChunk() }
func (t *slotTable) Stats() Stats  { return t.look().stats() }
func (t *slotTable) places() int   { return t.look().places() }

func (d *Dense[T]) checkInvariants() { lookDense(d).checkInvariants() }

// EncodeAny is Encode of a Pool or a Dense.
func EncodeAny[T any](c any, w io.Writer, value func([]byte, *T) ([]byte, error)) error {
	if p, ok := c.(*Pool[T]); ok {
		return Encode(p, w, value)
	}
	return c.(*Dense[T]).Encode(w, value)
}

// DecodeAny is Decode of a Pool or a Dense.
func DecodeAny[T any](c any, r io.Reader, value func([]byte, *T) error) error {
	if p, ok := c.(*Pool[T]); ok {
		return Decode(p, r, value)
	}
	return c.(*Dense[T]).Decode(r, value)
}
