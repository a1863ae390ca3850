// Package genpool is the generational pool that one writes in an afternoon: a slice of slots, a
// generation in each, and a stack of the vacant ones. It stands for the many of its kind, so that
// measurements can show what a library is worth beside it.
package genpool

// Pool avoids the usual mistakes of its kind: the zero handle names nothing, removing twice is
// refused, a removed value is not kept alive, and the slots grow. It keeps two limits: a slot
// reused 2^31 times finds its first handle valid again, and slots are never released. The zero Pool
// is ready to use. Pointers are valid until the next insert.
type Pool[T any] struct {
	// Slots is for loops, which skip the vacant ones. Callers must not write generations.
	Slots  []Slot[T]
	vacant []uint32 // the slot vacated last is reused first
}

// Slot is live while its generation is odd.
type Slot[T any] struct {
	Gen uint32
	Val T
}

// Handle names a value; the zero Handle names nothing.
type Handle struct{ Index, Gen uint32 }

// New returns a Pool with room for the given number of values.
func New[T any](room int) Pool[T] { return Pool[T]{Slots: make([]Slot[T], 0, room)} }

// Len returns the number of live values.
func (p *Pool[T]) Len() int { return len(p.Slots) - len(p.vacant) }

// Ptr returns nil if h is stale.
func (p *Pool[T]) Ptr(h Handle) *T {
	if int(h.Index) < len(p.Slots) && h.Gen&1 == 1 {
		if s := &p.Slots[h.Index]; s.Gen == h.Gen {
			return &s.Val
		}
	}
	return nil
}

// Insert takes the slot that was vacated last.
func (p *Pool[T]) Insert(v T) Handle {
	if n := len(p.vacant); n > 0 {
		i := p.vacant[n-1]
		p.vacant = p.vacant[:n-1]
		s := &p.Slots[i]
		s.Gen++
		s.Val = v
		return Handle{i, s.Gen}
	}
	p.Slots = append(p.Slots, Slot[T]{1, v})
	return Handle{uint32(len(p.Slots) - 1), 1}
}

// Remove returns the value; it reports false if h is stale.
func (p *Pool[T]) Remove(h Handle) (v T, ok bool) {
	q := p.Ptr(h)
	if q == nil {
		return v, false
	}
	v, *q = *q, v
	p.Slots[h.Index].Gen++
	p.vacant = append(p.vacant, h.Index)
	return v, true
}
