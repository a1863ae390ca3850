package pooltest

import "iter"

// Container is the interface that the suite requires of a container. H is its handle. A
// *berth.Pool[V] implements it.
//
// The suite also detects and tests any of the methods
//
//	New() (H, *V)
//	Delete(H) bool
//	TryInsert(V) (H, error)
//	InsertFunc(func(H, *V)) H
//	RemoveFunc(func(H, *V) bool) int
//	Cap() int
//	Grow(int)
//	Clip()
//	Values() iter.Seq[*V]
//	Spans() iter.Seq2[H, []V]
//	HandleAt(H, int) H
//	Pairs() iter.Seq2[*V, *V]
//
// and those that the functions of the [Suite] give access to. Each behaves as the method of
// berth.Pool.
type Container[H comparable, V Item] interface {
	Insert(v V) H
	Remove(h H) (V, bool)
	Get(h H) (V, bool)
	Ptr(h H) *V
	Contains(h H) bool
	Len() int
	Clear()
	All() iter.Seq2[H, *V]
}

// View is the interface of cross-iteration to the values of a container without the pivot. A
// berth.Others[V] implements it. A View may also have Spans() iter.Seq2[H, []V].
type View[H comparable, V Item] interface {
	Len() int
	Contains(h H) bool
	Get(h H) (V, bool)
	Ptr(h H) *V
	All() iter.Seq2[H, *V]
	Values() iter.Seq[*V]
}

// Pivot is the current value of cross-iteration, and its handle.
type Pivot[H comparable, V Item] struct {
	Handle H
	Value  *V
}

// The methods that a container may have beyond Container, one each.
type (
	newer[H comparable, V Item]        interface{ New() (H, *V) }
	deleter[H comparable]              interface{ Delete(h H) bool }
	tryInserter[H comparable, V Item]  interface{ TryInsert(v V) (H, error) }
	funcInserter[H comparable, V Item] interface{ InsertFunc(f func(H, *V)) H }
	funcRemover[H comparable, V Item]  interface{ RemoveFunc(f func(H, *V) bool) int }
	capper                             interface{ Cap() int }
	grower                             interface{ Grow(n int) }
	clipper                            interface{ Clip() }
	valuer[V Item]                     interface{ Values() iter.Seq[*V] }
	spanner[H comparable, V Item]      interface{ Spans() iter.Seq2[H, []V] }
	handleAter[H comparable]           interface{ HandleAt(first H, i int) H }
	pairer[V Item]                     interface{ Pairs() iter.Seq2[*V, *V] }
)

// offers reports whether c has the method, or s the function, of the given name.
func (s *Suite[H, V]) offers(c Container[H, V], name string) (ok bool) {
	switch name {
	case "New":
		_, ok = c.(newer[H, V])
	case "Delete":
		_, ok = c.(deleter[H])
	case "InsertSeq":
		ok = s.InsertSeq != nil
	case "TryInsert":
		_, ok = c.(tryInserter[H, V])
	case "InsertFunc":
		_, ok = c.(funcInserter[H, V])
	case "RemoveFunc":
		_, ok = c.(funcRemover[H, V])
	case "Cap":
		_, ok = c.(capper)
	case "Grow":
		_, ok = c.(grower)
	case "Clip":
		_, ok = c.(clipper)
	case "Backward":
		ok = s.Backward != nil
	case "Spans":
		_, ok = c.(spanner[H, V])
	case "HandleAt":
		_, ok = c.(handleAter[H])
	case "Drain":
		ok = s.Drain != nil
	case "Pairs":
		_, ok = c.(pairer[V])
	case "Clone":
		ok = s.Clone != nil
	case "Load":
		ok = s.Save != nil && s.Load != nil
	case "Traverse":
		ok = s.Traverse != nil
	case "Apply":
		ok = s.Apply != nil
	case "FromBits":
		ok = s.FromBits != nil
	case "Bytes":
		ok = s.Bytes != nil
	case "Age":
		ok = s.Age != nil
	case "Object": // a V with pointers
		_, ok = makeItem[V](1).object()
	case "Truncation":
		ok = !s.KeepsMemory
	case "UntilRemove":
		ok = s.Pointers == UntilRemove
	case "UntilGrowth":
		ok = s.Pointers != UntilChange
	default:
		panic("pooltest: unknown method " + name)
	}
	return ok
}

// loop is one of a container's loops, in a form common to all.
type loop[H comparable, V Item] struct {
	name     string
	named    bool // it yields handles
	spans    bool // a value removed after its span was yielded reads as zero
	endless  bool // its body cannot end it
	backward bool
	run      func(yield func(H, *V) bool)
	runSpans func(yield func(H, []V) bool)
}

// loops returns the loops that c offers.
func (s *Suite[H, V]) loops(c Container[H, V]) []loop[H, V] {
	ls := []loop[H, V]{{
		name: "All", named: true,
		run: func(yield func(H, *V) bool) { c.All()(yield) },
	}}
	add := func(l loop[H, V]) { ls = append(ls, l) }
	if c, ok := c.(valuer[V]); ok {
		add(loop[H, V]{name: "Values", run: func(yield func(H, *V) bool) { values(c, yield) }})
	}
	if s.Backward != nil {
		add(loop[H, V]{name: "Backward", named: true, backward: true,
			run: func(yield func(H, *V) bool) { s.Backward(c)(yield) }})
	}
	if c, ok := c.(spanner[H, V]); ok {
		add(loop[H, V]{name: "Spans", spans: true,
			run:      func(yield func(H, *V) bool) { spans(c, yield) },
			runSpans: wholeSpans(c)})
	}
	if c, ok := c.(funcRemover[H, V]); ok {
		add(loop[H, V]{name: "RemoveFunc", named: true, endless: true,
			run: func(yield func(H, *V) bool) {
				c.RemoveFunc(func(h H, v *V) bool { yield(h, v); return false })
			}})
	}
	if s.Traverse != nil {
		add(loop[H, V]{name: "Traverse", named: true, run: func(yield func(H, *V) bool) {
			s.Traverse(c)(func(p Pivot[H, V], _ View[H, V]) bool {
				return yield(p.Handle, p.Value)
			})
		}})
	}
	return ls
}

// viewLoops returns the loops that o offers.
func viewLoops[H comparable, V Item](o View[H, V]) []loop[H, V] {
	ls := []loop[H, V]{
		{name: "Others.All", named: true, run: func(yield func(H, *V) bool) { o.All()(yield) }},
		{name: "Others.Values", run: func(yield func(H, *V) bool) { values(o, yield) }},
	}
	if o, ok := o.(spanner[H, V]); ok {
		ls = append(ls, loop[H, V]{name: "Others.Spans", spans: true,
			run:      func(yield func(H, *V) bool) { spans(o, yield) },
			runSpans: wholeSpans(o)})
	}
	return ls
}

func values[H comparable, V Item](c valuer[V], yield func(H, *V) bool) {
	var none H
	c.Values()(func(v *V) bool { return yield(none, v) })
}

func spans[H comparable, V Item](c spanner[H, V], yield func(H, *V) bool) {
	var none H
	c.Spans()(func(_ H, span []V) bool {
		for i := range span {
			if !yield(none, &span[i]) {
				return false
			}
		}
		return true
	})
}

func wholeSpans[H comparable, V Item](c spanner[H, V]) func(yield func(H, []V) bool) {
	return func(yield func(H, []V) bool) { c.Spans()(yield) }
}
