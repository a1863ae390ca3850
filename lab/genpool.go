package main

// genpool is the generational pool that one writes in an afternoon: a slice of slots, a generation
// in each, and a stack of the vacant ones. It stands for the many of its kind, without the mistakes
// that are usual among them: the zero handle names nothing, removing twice is refused, a removed
// value is not kept alive, and the slots grow. It keeps two of the kind's limits: a slot reused
// 2^31 times finds its first handle valid again, and slots are never given back.
type genpool[T any] struct {
	slots  []genslot[T]
	vacant []uint32 // the last one removed is the first one reused
}

// genslot is live while its generation is odd.
type genslot[T any] struct {
	gen uint32
	val T
}

type genhandle struct{ index, gen uint32 }

func (p *genpool[T]) insert(v T) genhandle {
	if n := len(p.vacant); n > 0 {
		i := p.vacant[n-1]
		p.vacant = p.vacant[:n-1]
		s := &p.slots[i]
		s.gen++
		s.val = v
		return genhandle{i, s.gen}
	}
	p.slots = append(p.slots, genslot[T]{1, v})
	return genhandle{uint32(len(p.slots) - 1), 1}
}

// ptr returns nil if h is stale.
func (p *genpool[T]) ptr(h genhandle) *T {
	if int(h.index) < len(p.slots) && h.gen&1 == 1 {
		if s := &p.slots[h.index]; s.gen == h.gen {
			return &s.val
		}
	}
	return nil
}

func (p *genpool[T]) remove(h genhandle) (v T, ok bool) {
	q := p.ptr(h)
	if q == nil {
		return v, false
	}
	v, *q = *q, v
	p.slots[h.index].gen++
	p.vacant = append(p.vacant, h.index)
	return v, true
}
