package observe

import (
	"iter"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/stable"
)

// List returns l as a [Container]. See [stable.Stats] for its counts.
//
// Cost: O(1); each picture O(Touched).
func List[T any, I stable.Index, D stable.Identifier[D]](l *stable.ListOf[T, I, D]) Container {
	return list[T, I, D]{l}
}

// list is a list as a Container.
type list[T any, I stable.Index, D stable.Identifier[D]] struct{ l *stable.ListOf[T, I, D] }

// Stats implements [Container].
func (c list[T, I, D]) Stats() berth.Stats { return c.l.Stats().Stats }

// Slots is as [berth.Pool.Slots].
func (c list[T, I, D]) Slots() iter.Seq[berth.Slots] {
	return func(yield func(berth.Slots) bool) {
		var w berth.Slots
		n, touched := c.l.Cap(), c.l.Touched()
		for i := range n {
			bit := uint64(1) << (i & 63)
			if _, v := c.l.At(I(i)); i < touched && v != nil {
				w.Live |= bit
			} else {
				w.Vacant |= bit
			}
			if i&63 == 63 || i == n-1 {
				if !yield(w) {
					return
				}
				w = berth.Slots{}
			}
		}
	}
}
