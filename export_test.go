package berth

import (
	"io"

	"github.com/seed505807e1/berth/internal/slots"
)

// CheckInvariants panics with the number of an invariant that p violates, if any.
func (p *Pool[T]) CheckInvariants() { look(p).CheckInvariants() }

// Vacant returns the contents of a vacant slot: the zero T, or poison.
func Vacant[T any]() (v T) {
	slots.Vacate(&v)
	return v
}

// AgeForTest gives the first slots of p only the given number of lives. It ages that many slots, or
// as many as Limit needs. p must never have had an insert.
func (p *Pool[T]) AgeForTest(slots, lives int) {
	if p.state.N != 0 {
		panic("berth: AgeForTest: the pool is not empty")
	}
	coreOf(p).MakeSlots("AgeForTest", slots, slots)
	p.state.Reserve = 0
	for _, b := range p.dir {
		for i := range b.Gens {
			b.Gens[i] = p.state.Base - 2*uint32(lives)
		}
	}
	look(p).CheckInvariants()
}

// CheckInvariants panics with the number of an invariant that c or its Pool violates, if any.
func (c *Column[T, V]) CheckInvariants() { c.checkInvariants() }

// CheckInvariants panics with the number of an invariant that d violates, if any.
func (d *Dense[T]) CheckInvariants() { lookDense(d).CheckInvariants() }

// AgeForTest is [Pool.AgeForTest] for the slots of d.
func (d *Dense[T]) AgeForTest(slots, lives int) {
	poolOf(&d.state.Index).AgeForTest(slots, lives)
}

func (p *Pool[T]) checkInvariants() { look(p).CheckInvariants() }
func (p *Pool[T]) seed() uint32     { return look(p).Seed() }
func (p *Pool[T]) places() int      { return look(p).Places() }

func (p *Pool[T]) chunkSlots() int { return look(p).ChunkSlots() }
func (p *Pool[T]) addChunk() bool  { return coreOf(p).AddChunk() }

func (d *Dense[T]) checkInvariants() { lookDense(d).CheckInvariants() }

// EncodeAny is Encode of a Pool or a Dense.
func EncodeAny[T any](c any, w io.Writer, value func([]byte, *T) ([]byte, error)) error {
	if p, ok := c.(*Pool[T]); ok {
		return Encode(p, w, value)
	}
	return DenseEncode(c.(*Dense[T]), w, value)
}

// DecodeAny is Decode of a Pool or a Dense.
func DecodeAny[T any](c any, r io.Reader, value func([]byte, *T) error) error {
	if p, ok := c.(*Pool[T]); ok {
		return Decode(p, r, value)
	}
	return DenseDecode(c.(*Dense[T]), r, value)
}
