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
func (c *Column[V, T]) CheckInvariants() { c.checkInvariants() }

// CheckInvariants panics with the number of an invariant that d violates, if any.
func (d *Dense[T]) CheckInvariants() { slots.DenseOf(&d.state).CheckInvariants() }

// AgeForTest is [Pool.AgeForTest] for the slots of d.
func (d *Dense[T]) AgeForTest(slots, lives int) {
	poolOf(&d.state.Index).AgeForTest(slots, lives)
}

func (p *Pool[T]) checkInvariants()  { look(p).CheckInvariants() }
func (o *Order[T]) checkInvariants() { o.ring.Check() }

func (p *Pool[T]) seed() uint32 { return look(p).Seed() }
func (p *Pool[T]) places() int  { return look(p).Places() }

func (p *Pool[T]) chunkSlots() int { return look(p).ChunkSlots() }
func (p *Pool[T]) addChunk() bool  { return coreOf(p).AddChunk() }

func (d *Dense[T]) checkInvariants() { slots.DenseOf(&d.state).CheckInvariants() }

// either calls the function for c, a Pool or a Dense.
func either[T, R any](c any, pool func(*Pool[T]) R, dense func(*Dense[T]) R) R {
	if p, ok := c.(*Pool[T]); ok {
		return pool(p)
	}
	return dense(c.(*Dense[T]))
}

// The functions below are those of a Pool or a Dense.

func EncodeAny[T any](c any, w io.Writer, value func([]byte, *T) ([]byte, error)) error {
	return either(c, func(p *Pool[T]) error { return Encode(p, w, value) },
		func(d *Dense[T]) error { return DenseEncode(d, w, value) })
}

func DecodeAny[T any](c any, r io.Reader, value func([]byte, *T) error) error {
	return either(c, func(p *Pool[T]) error { return Decode(p, r, value) },
		func(d *Dense[T]) error { return DenseDecode(d, r, value) })
}

func AppendBinaryAny[T any](c any, b []byte) (data []byte, err error) {
	err = either(c, func(p *Pool[T]) error { data, err = AppendBinary(p, b); return err },
		func(d *Dense[T]) error { data, err = DenseAppendBinary(d, b); return err })
	return data, err
}

func TryInsertAny[T any](c any, v T) (h Handle[T], err error) {
	err = either(c, func(p *Pool[T]) error { h, err = p.TryInsert(v); return err },
		func(d *Dense[T]) error { h, err = d.TryInsert(v); return err })
	return h, err
}

func InsertAtAny[T any](c any, h Handle[T], v T) error {
	return either(c, func(p *Pool[T]) error { return InsertAt(p, h, v) },
		func(d *Dense[T]) error { return DenseInsertAt(d, h, v) })
}

func RemoveFuncAny[T any](c any, f func(Handle[T], *T) bool) int {
	return either(c, func(p *Pool[T]) int { return p.RemoveFunc(f) },
		func(d *Dense[T]) int { return d.RemoveFunc(f) })
}

func SetHooksAny[T any](c any, hs Hooks[T]) {
	either(c, func(p *Pool[T]) int { SetHooks(p, hs); return 0 },
		func(d *Dense[T]) int { DenseSetHooks(d, hs); return 0 })
}

// CopyFromAny makes to a copy of from.
func CopyFromAny[T any](to, from any) {
	either(to, func(p *Pool[T]) int { p.CopyFrom(from.(*Pool[T])); return 0 },
		func(d *Dense[T]) int { d.CopyFrom(from.(*Dense[T])); return 0 })
}
