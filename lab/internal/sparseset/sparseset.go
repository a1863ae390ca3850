// Package sparseset is the dense container that one writes in an afternoon: the values in one
// slice, whose last one fills the hole of a removal, and a table from slots to positions. It stands
// for the sparse sets and slot maps of its kind, so that measurements can show what a library is
// worth beside it.
package sparseset

import "slices"

// Set avoids the usual mistakes of its kind: the zero handle names nothing, removing twice is
// refused, and a removed value is not kept alive. It keeps three of their limits: a slot reused
// 2^31 times finds its first handle valid again, the table is never released, and a removal inside
// a loop moves another value into the hole. The zero Set is ready to use. Pointers are valid until
// the next insert or removal.
type Set[T any] struct {
	// Vals is for loops. Callers must not change its length.
	Vals  []T
	slot  []uint32 // of the value at the same position
	table []slot
	free  uint32 // 1 + the last vacated slot; 0 if there is none
}

// slot is live while its generation is odd.
type slot struct {
	gen   uint32
	place uint32 // position of the value; in a vacant slot, the previous value of free
}

// Handle names a value; the zero Handle names nothing.
type Handle struct{ index, gen uint32 }

// New returns a Set with room for the given number of values.
func New[T any](room int) Set[T] {
	return Set[T]{
		Vals:  make([]T, 0, room),
		slot:  make([]uint32, 0, room),
		table: make([]slot, 0, room),
	}
}

// Insert takes the slot that was vacated last.
func (p *Set[T]) Insert(v T) Handle {
	k := p.free
	if k > 0 {
		k--
		p.free = p.table[k].place
	} else {
		k = uint32(len(p.table))
		p.table = append(p.table, slot{})
	}
	s := &p.table[k]
	s.gen++
	s.place = uint32(len(p.Vals))
	p.Vals, p.slot = append(p.Vals, v), append(p.slot, k)
	return Handle{k, s.gen}
}

// Ptr returns nil if h is stale.
func (p *Set[T]) Ptr(h Handle) *T {
	if int(h.index) < len(p.table) && h.gen&1 == 1 {
		if s := p.table[h.index]; s.gen == h.gen {
			return &p.Vals[s.place]
		}
	}
	return nil
}

// HandleAt returns the handle of the value at position i.
func (p *Set[T]) HandleAt(i int) Handle {
	k := p.slot[i]
	return Handle{k, p.table[k].gen}
}

// Remove returns the value; it reports false if h is stale.
func (p *Set[T]) Remove(h Handle) (v T, ok bool) {
	if p.Ptr(h) == nil {
		return v, false
	}
	return p.RemoveAt(p.table[h.index].place), true
}

// RemoveAt removes the value at position i, which the last value fills.
func (p *Set[T]) RemoveAt(i uint32) (v T) {
	last := len(p.Vals) - 1
	k, moved := p.slot[i], p.slot[last]
	v, p.Vals[i] = p.Vals[i], p.Vals[last]
	var zero T
	p.Vals[last] = zero
	p.Vals, p.slot[i], p.slot = p.Vals[:last], moved, p.slot[:last]
	p.table[moved].place = i
	p.table[k] = slot{p.table[k].gen + 1, p.free}
	p.free = k + 1
	return v
}

// Clip releases the room of the values. The table must stay, since it holds the generations.
func (p *Set[T]) Clip() {
	p.Vals, p.slot = slices.Clone(p.Vals), slices.Clone(p.slot)
}
