package impls

// sparseset is the dense container that one writes in an afternoon: the values in one slice, whose
// last one fills the hole of a removal, and a table from slots to positions. It stands for the
// sparse sets and slot maps of its kind, without their usual mistakes: the zero handle names
// nothing, removing twice is refused, and a removed value is not kept alive. It keeps three of
// their limits: a slot reused 2^31 times finds its first handle valid again, memory is never
// released, and a removal inside a loop moves another value into the hole.
type sparseset[T any] struct {
	vals  []T
	slot  []uint32 // of the value at the same position
	table []sparseslot
	free  uint32 // 1 + the last vacated slot; 0 if there is none
}

// sparseslot is live while its generation is odd.
type sparseslot struct {
	gen   uint32
	place uint32 // position of the value; in a vacant slot, the previous value of free
}

// genhandle is an index and a generation; the zero one names nothing.
type genhandle struct{ index, gen uint32 }

func (p *sparseset[T]) insert(v T) genhandle {
	k := p.free
	if k > 0 {
		k--
		p.free = p.table[k].place
	} else {
		k = uint32(len(p.table))
		p.table = append(p.table, sparseslot{})
	}
	s := &p.table[k]
	s.gen++
	s.place = uint32(len(p.vals))
	p.vals, p.slot = append(p.vals, v), append(p.slot, k)
	return genhandle{k, s.gen}
}

// ptr returns nil if h is stale. The pointer is valid until the next insert or removal.
func (p *sparseset[T]) ptr(h genhandle) *T {
	if int(h.index) < len(p.table) && h.gen&1 == 1 {
		if s := p.table[h.index]; s.gen == h.gen {
			return &p.vals[s.place]
		}
	}
	return nil
}

func (p *sparseset[T]) remove(h genhandle) (v T, ok bool) {
	if p.ptr(h) == nil {
		return v, false
	}
	return p.removeAt(p.table[h.index].place), true
}

// removeAt removes the value at position i, which the last value fills.
func (p *sparseset[T]) removeAt(i uint32) (v T) {
	last := len(p.vals) - 1
	k, moved := p.slot[i], p.slot[last]
	v, p.vals[i] = p.vals[i], p.vals[last]
	var zero T
	p.vals[last] = zero
	p.vals, p.slot[i], p.slot = p.vals[:last], moved, p.slot[:last]
	p.table[moved].place = i
	p.table[k] = sparseslot{p.table[k].gen + 1, p.free}
	p.free = k + 1
	return v
}
