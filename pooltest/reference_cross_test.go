package pooltest

import "iter"

// refOthers is a view of all values of a reference but one.
type refOthers[V Item] struct {
	r     *reference[V]
	pivot tag
}

func (o refOthers[V]) Len() int {
	if o.r.is("Others counts a pivot that is gone") || o.r.find(o.pivot) >= 0 {
		return o.r.n - 1
	}
	return o.r.n
}

func (o refOthers[V]) Ptr(h tag) *V {
	if h == o.pivot {
		return nil
	}
	return o.r.Ptr(h)
}

func (o refOthers[V]) Get(h tag) (v V, ok bool) {
	if h == o.pivot {
		return v, false
	}
	return o.r.Get(h)
}

func (o refOthers[V]) Contains(h tag) bool { return o.Ptr(h) != nil }

func (o refOthers[V]) All() iter.Seq2[tag, *V] {
	return func(yield func(tag, *V) bool) {
		visit := func(h tag, v *V) bool {
			return h == o.pivot && !o.r.is("Others shows the pivot") || yield(h, v)
		}
		if o.r.is("Others runs over a copy") {
			o.r.copied(visit)
			return
		}
		o.r.All()(visit)
	}
}

func (o refOthers[V]) Values() iter.Seq[*V] {
	return func(yield func(*V) bool) {
		for _, v := range o.All() {
			if !yield(v) {
				return
			}
		}
	}
}

func (r *reference[V]) Traverse() iter.Seq2[Pivot[tag, V], View[tag, V]] {
	return func(yield func(Pivot[tag, V], View[tag, V]) bool) {
		for h, v := range r.All() {
			if !yield(Pivot[tag, V]{h, v}, refOthers[V]{r, h}) {
				return
			}
		}
	}
}

func (r *reference[V]) Apply(h tag, f func(*V, View[tag, V])) bool {
	p := r.Ptr(h)
	if p == nil && !r.is("Apply takes stale handles") {
		return false
	}
	done := false
	defer func() { r.locked = r.locked || !done && r.is("a panic in Apply leaves the container locked") }()
	f(p, refOthers[V]{r, h})
	done = true
	return true
}

func (r *reference[V]) Pairs() iter.Seq2[*V, *V] {
	return func(yield func(*V, *V) bool) {
		end := len(r.blocks) * refBlock
		for s := range end {
			if !r.liveAt(s) {
				continue
			}
			g, b := r.tag(s), r.blocks[s/refBlock]
			from := s + 1
			if r.is("Pairs visits both ways round") {
				from = 0
			}
			for t := from; t < end; t++ {
				if !r.is("Pairs keeps a pivot that is gone") && (!r.liveAt(s) || r.tag(s) != g) {
					break
				}
				if s == t || !r.liveAt(t) {
					continue
				}
				if !yield(&b.vals[s%refBlock], &r.blocks[t/refBlock].vals[t%refBlock]) {
					if r.is("Pairs ends only its inner loop") {
						break
					}
					return
				}
			}
		}
	}
}
