package impls

import (
	"slices"

	"github.com/seed505807e1/berth/lab/internal/genpool"
	"github.com/seed505807e1/berth/lab/internal/laws"
	"github.com/seed505807e1/berth/lab/internal/sparseset"
)

// places is a slice of T whose handles are positions. Its loops are the usual ones over slices.
type places[T any] struct{ s []T }

func (p *places[T]) insert(v T) int {
	p.s = append(p.s, v)
	return len(p.s) - 1
}

func (p *places[T]) get(i int) (v T, ok bool) { return p.s[i], true }

// remove moves the last value into the hole.
func (p *places[T]) remove(i int) bool {
	last := len(p.s) - 1
	p.s[i] = p.s[last]
	p.s = p.s[:last]
	return true
}

// removeInOrder moves all later values up.
func (p *places[T]) removeInOrder(i int) bool {
	p.s = slices.Delete(p.s, i, i+1)
	return true
}

// loop is range, which keeps the slice as it was at the start.
func (p *places[T]) loop(body func(i int, v T) bool) {
	for i, v := range p.s {
		if !body(i, v) {
			return
		}
	}
}

func (p *places[T]) byHand(body func(i int, v T) bool) {
	lookAgain(func() int { return len(p.s) }, func(i int) bool { return body(i, p.s[i]) })
}

// lookAgain is the loop that one writes if a removal fills the hole: it visits the position again
// after a removal, and skips values inserted since it began.
func lookAgain(length func() int, body func(i int) bool) {
	end := length()
	for i := 0; i < end; {
		before := length()
		if !body(i) {
			return
		}
		if length() < before {
			end--
			continue
		}
		i++
	}
}

func (p *places[T]) clip() { p.s = slices.Clone(p.s) }

func askSlice() laws.Subject {
	p := &places[uint64]{}
	s := placed64(p)
	s.Objects = func() laws.Objects {
		p := &places[*laws.Object]{}
		return laws.Holds(p, p.insert, func(i int) { p.remove(i) })
	}
	return s.Subject()
}

func askOrdered() laws.Subject {
	p := &places[uint64]{}
	s := placed64(p)
	s.Remove = p.removeInOrder
	s.Objects = func() laws.Objects {
		p := &places[*laws.Object]{}
		return laws.Holds(p, p.insert, func(i int) { p.removeInOrder(i) })
	}
	return s.Subject()
}

// placed64 returns the calls that both slices share.
func placed64(p *places[uint64]) laws.Calls[int] {
	return laws.Calls[int]{
		Insert: p.insert, Get: p.get, Remove: p.remove,
		Len:  func() int { return len(p.s) },
		Loop: p.loop, ByHand: p.byHand,
		Ptr:   func(i int) *uint64 { return &p.s[i] },
		Clear: func() { p.s = p.s[:0] },
		Clip:  p.clip,
	}
}

// owned is a value that holds its position among the pointers, so that it can be swap-removed.
type owned[T any] struct {
	v T
	i int
}

// pointers is a slice of pointers to values. The pointer is the handle.
type pointers[T any] struct{ places[*owned[T]] }

func (p *pointers[T]) insert(v T) *owned[T] {
	o := &owned[T]{v, len(p.s)}
	p.s = append(p.s, o)
	return o
}

func (p *pointers[T]) remove(o *owned[T]) bool {
	last := len(p.s) - 1
	moved := p.s[last]
	p.s[o.i], moved.i = moved, o.i
	p.s[last] = nil
	p.s = p.s[:last]
	return true
}

// values makes a loop over handles and values from one over pointers.
func (p *pointers[T]) values(loop func(func(int, *owned[T]) bool)) func(func(*owned[T], T) bool) {
	return func(body func(*owned[T], T) bool) {
		loop(func(_ int, o *owned[T]) bool { return body(o, o.v) })
	}
}

func askPtrSlice() laws.Subject {
	p := &pointers[uint64]{}
	return laws.Calls[*owned[uint64]]{
		Insert: p.insert, Remove: p.remove,
		Get:  func(o *owned[uint64]) (uint64, bool) { return o.v, true },
		Len:  func() int { return len(p.s) },
		Loop: p.values(p.loop), ByHand: p.values(p.byHand),
		Ptr: func(o *owned[uint64]) *uint64 { return &o.v },
		Clear: func() {
			clear(p.s)
			p.s = p.s[:0]
		},
		Clip: p.clip,
		Objects: func() laws.Objects {
			p := &pointers[*laws.Object]{}
			return laws.Holds(p, p.insert, func(o *owned[*laws.Object]) { p.remove(o) })
		},
	}.Subject()
}

// numbered is a map from a counter to V.
type numbered[V any] struct {
	m  map[uint64]V
	id uint64 // the last number
}

func newNumbered[V any]() numbered[V] { return numbered[V]{m: map[uint64]V{}} }

func (n *numbered[V]) insert(v V) uint64 {
	n.id++
	n.m[n.id] = v
	return n.id
}

func (n *numbered[V]) remove(id uint64) bool {
	_, ok := n.m[id]
	delete(n.m, id)
	return ok
}

func (n *numbered[V]) Len() int { return len(n.m) }

// calls returns the calls that both maps share.
func (n *numbered[V]) calls(in func(uint64) V, out func(V) uint64) laws.Calls[uint64] {
	s := laws.Calls[uint64]{
		Insert: func(v uint64) uint64 { return n.insert(in(v)) },
		Remove: n.remove,
		Get: func(id uint64) (v uint64, ok bool) {
			if e, ok := n.m[id]; ok {
				return out(e), true
			}
			return 0, false
		},
		Len: n.Len,
		Loop: func(body func(uint64, uint64) bool) {
			for id, e := range n.m {
				if !body(id, out(e)) {
					return
				}
			}
		},
		Clear: func() { clear(n.m) },
		Objects: func() laws.Objects {
			n := newNumbered[*laws.Object]()
			return laws.Holds(&n, n.insert, func(id uint64) { n.remove(id) })
		},
	}
	s.ByHand = s.Loop
	return s
}

func askMap() laws.Subject {
	same := func(v uint64) uint64 { return v }
	n := newNumbered[uint64]()
	return n.calls(same, same).Subject()
}

func askPtrMap() laws.Subject {
	n := newNumbered[*uint64]()
	s := n.calls(
		func(v uint64) *uint64 { return &v }, func(p *uint64) uint64 { return *p })
	s.Ptr = func(id uint64) *uint64 { return n.m[id] }
	return s.Subject()
}

// pointed makes a get from a function that returns a pointer or nil.
func pointed[H any](ptr func(H) *uint64) func(H) (uint64, bool) {
	return func(h H) (v uint64, ok bool) {
		if p := ptr(h); p != nil {
			return *p, true
		}
		return 0, false
	}
}

func askGenpool() laws.Subject {
	p := &genpool.Pool[uint64]{}
	s := laws.Calls[genpool.Handle]{
		Insert: p.Insert, Get: pointed(p.Ptr), Remove: laws.Second(p.Remove),
		Len: p.Len,
		Loop: func(body func(genpool.Handle, uint64) bool) {
			for i := range p.Slots {
				g := p.Slots[i].Gen
				h := genpool.Handle{Index: uint32(i), Gen: g}
				if g&1 == 1 && !body(h, p.Slots[i].Val) {
					return
				}
			}
		},
		Ptr: p.Ptr,
		Objects: func() laws.Objects {
			p := &genpool.Pool[*laws.Object]{}
			return laws.Holds(p, p.Insert, func(h genpool.Handle) { p.Remove(h) })
		},
	}
	s.ByHand = s.Loop
	return s.Subject()
}

func askSparseset() laws.Subject {
	p := &sparseset.Set[uint64]{}
	return laws.Calls[sparseset.Handle]{
		Insert: p.Insert, Get: pointed(p.Ptr), Remove: laws.Second(p.Remove),
		Len: func() int { return len(p.Vals) },
		Loop: func(body func(sparseset.Handle, uint64) bool) {
			for i, v := range p.Vals {
				if !body(p.HandleAt(i), v) {
					return
				}
			}
		},
		ByHand: func(body func(sparseset.Handle, uint64) bool) {
			lookAgain(func() int { return len(p.Vals) },
				func(i int) bool { return body(p.HandleAt(i), p.Vals[i]) })
		},
		Ptr:  p.Ptr,
		Clip: p.Clip,
		Objects: func() laws.Objects {
			p := &sparseset.Set[*laws.Object]{}
			return laws.Holds(p, p.Insert, func(h sparseset.Handle) { p.Remove(h) })
		},
	}.Subject()
}
