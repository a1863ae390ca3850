package pooltest

import (
	"fmt"
	"iter"
)

// handle is a handle of any type, or nil for the zero handle. In one check, equal handles of the
// containers are equal here too.
type handle = *named

// named holds a handle of the container.
type named struct {
	h any
	n uint64 // its number in the check
}

// String returns the container's handle as text.
func (n *named) String() string {
	if n == nil {
		return "the zero handle"
	}
	return fmt.Sprint(n.h)
}

// reader is the part of a Container that a View has too, without type parameters.
type reader interface {
	get(h handle) (contents, bool)
	ptr(h handle) item
	contains(h handle) bool
	len() int
	all(yield func(handle, item) bool)
	values(yield func(handle, item) bool)
	hasSpans() bool
	// spans yields spans, and how much larger than its length the capacity of each is. inSpans
	// yields their values one by one.
	spans(yield func(first handle, vs []item, spare int) bool)
	inSpans(yield func(handle, item) bool)
}

// container is a Container without its type parameters, and the functions of its Suite. So the laws
// are compiled once, and not for each type of handles.
type container interface {
	reader
	// offers reports whether there is the method or the function of the given name.
	offers(name string) bool
	// inner returns the Container.
	inner() any

	insert(id uint64) handle
	insertNew() (handle, item)
	insertFunc(f func(handle, item)) handle
	insertSeq(ids iter.Seq[uint64]) int
	tryInsert(id uint64) (handle, error)
	remove(h handle) (contents, bool)
	delete(h handle) bool
	removeFunc(f func(handle, item) bool) int
	clear()
	// at returns what lives in a slot, and slotOf the slot of a value, or -1 if it is stale and the
	// container tells. span is Span, with how much larger than its length the capacity is.
	at(i int) (handle, item)
	slotOf(h handle) int
	span(i int) (vs []item, spare, next int)

	backward(yield func(handle, item) bool)
	drain(yield func(handle, contents) bool)
	pairs(yield func(a, b item) bool)
	traverse(yield func(handle, item, reader) bool)
	apply(h handle, f func(item, reader)) bool

	clone() container
	save() ([]byte, error)
	load(data []byte) error
	fromBits(u uint64) handle
	bits(h handle) uint64
	check()
	bytes() int
	age(lives int)
	retired() int

	// hold makes room for n handles of the Container's own, for calls that must not allocate. put
	// inserts one and the same value and holds its handle as number i. drop removes number i, and
	// finds reports whether lookups find it, or fails if they disagree.
	hold(id uint64, n int)
	put(i int)
	drop(i int)
	finds(i int) (found, agree bool)
}

// read implements reader by a Container or a View.
type read[H comparable, V Item] struct {
	names map[H]handle // of the check
	r     interface {
		Get(h H) (V, bool)
		Ptr(h H) *V
		Contains(h H) bool
		Len() int
		All() iter.Seq2[H, *V]
	}
}

// name returns h as a handle.
func name[H comparable](names map[H]handle, h H) handle {
	var none H
	n := names[h]
	if n == nil && h != none {
		n = &named{h, uint64(len(names))}
		names[h] = n
	}
	return n
}

// own returns the container's handle that n holds.
func own[H comparable](n handle) (h H) {
	if n != nil {
		h = n.h.(H)
	}
	return h
}

func (b *read[H, V]) get(h handle) (contents, bool) {
	v, ok := b.r.Get(own[H](h))
	return contentsOf(v), ok
}

func (b *read[H, V]) ptr(h handle) item      { return itemOf(b.r.Ptr(own[H](h))) }
func (b *read[H, V]) contains(h handle) bool { return b.r.Contains(own[H](h)) }
func (b *read[H, V]) len() int               { return b.r.Len() }

func (b *read[H, V]) named(yield func(handle, item) bool) func(H, *V) bool {
	return func(h H, v *V) bool { return yield(name(b.names, h), itemOf(v)) }
}

func (b *read[H, V]) all(yield func(handle, item) bool) { b.r.All()(b.named(yield)) }

func (b *read[H, V]) values(yield func(handle, item) bool) {
	b.r.(valuer[V]).Values()(func(v *V) bool { return yield(nil, itemOf(v)) })
}

func (b *read[H, V]) hasSpans() bool {
	_, ok := b.r.(spanner[H, V])
	return ok
}

func (b *read[H, V]) spans(yield func(first handle, vs []item, spare int) bool) {
	b.r.(spanner[H, V]).Spans()(func(h H, span []V) bool {
		vs := make([]item, len(span))
		for i := range span {
			vs[i] = itemOf(&span[i])
		}
		return yield(name(b.names, h), vs, cap(span)-len(span))
	})
}

func (b *read[H, V]) inSpans(yield func(handle, item) bool) {
	b.r.(spanner[H, V]).Spans()(func(_ H, span []V) bool {
		for i := range span {
			if !yield(nil, itemOf(&span[i])) {
				return false
			}
		}
		return true
	})
}

// box implements container by a Container.
type box[H comparable, V Item] struct {
	read[H, V]
	s    *Suite[H, V]
	c    Container[H, V]
	v    V // hold's
	held []H
}

// opener returns a function that makes containers. They have the same handles for the same H.
func opener[H comparable, V Item](s *Suite[H, V]) func(Options) container {
	names := map[H]handle{}
	return func(o Options) container { return boxed(s, names, s.New(o)) }
}

func boxed[H comparable, V Item](
	s *Suite[H, V], names map[H]handle, c Container[H, V],
) container {
	return &box[H, V]{read: read[H, V]{names, c}, s: s, c: c}
}

func (b *box[H, V]) offers(name string) (ok bool) {
	switch name {
	case "New":
		_, ok = b.c.(newer[H, V])
	case "Delete":
		_, ok = b.c.(deleter[H])
	case "InsertSeq":
		ok = b.s.InsertSeq != nil
	case "TryInsert":
		_, ok = b.c.(tryInserter[H, V])
	case "InsertFunc":
		_, ok = b.c.(funcInserter[H, V])
	case "RemoveFunc":
		_, ok = b.c.(funcRemover[H, V])
	case "Cap":
		_, ok = b.c.(capper)
	case "Grow":
		_, ok = b.c.(grower)
	case "Clip":
		_, ok = b.c.(clipper)
	case "Backward":
		ok = b.s.Backward != nil
	case "Values":
		_, ok = b.c.(valuer[V])
	case "Spans":
		ok = b.hasSpans()
	case "At":
		switch b.c.(type) {
		case slotter[H, V], placer[H, V]:
			ok = true
		case indexer[H, V]:
			var h H
			_, ok = any(h).(indexed)
		}
	case "Span":
		_, ok = b.c.(spanCursor[V])
	case "Drain":
		ok = b.s.Drain != nil
	case "Pairs":
		_, ok = b.c.(pairer[V])
	case "Clone":
		ok = b.s.Clone != nil
	case "Load":
		ok = b.s.Save != nil && b.s.Load != nil
	case "Traverse":
		ok = b.s.Traverse != nil
	case "Apply":
		ok = b.s.Apply != nil
	case "FromBits":
		ok = b.s.FromBits != nil
	case "Bits":
		ok = b.s.Bits != nil
	case "Bytes":
		ok = b.s.Bytes != nil
	case "Age":
		ok = b.s.Age != nil
	case "Retired":
		ok = b.s.Retired != nil
	case "Object": // a V with pointers
		_, ok = makeItem[V](1).object()
	case "Truncation":
		ok = !b.s.KeepsMemory
	case "UntilRemove":
		ok = b.s.Pointers == UntilRemove
	case "UntilGrowth":
		ok = b.s.Pointers != UntilChange
	default:
		panic("pooltest: unknown method " + name)
	}
	return ok
}

func (b *box[H, V]) inner() any { return b.c }

func (b *box[H, V]) insert(id uint64) handle {
	return name(b.names, b.c.Insert(makeItem[V](id)))
}

func (b *box[H, V]) insertNew() (handle, item) {
	h, v := b.c.(newer[H, V]).New()
	return name(b.names, h), itemOf(v)
}

func (b *box[H, V]) insertFunc(f func(handle, item)) handle {
	return name(b.names, b.c.(funcInserter[H, V]).InsertFunc(func(h H, v *V) {
		f(name(b.names, h), itemOf(v))
	}))
}

func (b *box[H, V]) insertSeq(ids iter.Seq[uint64]) int {
	return b.s.InsertSeq(b.c, func(yield func(V) bool) {
		ids(func(id uint64) bool { return yield(makeItem[V](id)) })
	})
}

func (b *box[H, V]) tryInsert(id uint64) (handle, error) {
	h, err := b.c.(tryInserter[H, V]).TryInsert(makeItem[V](id))
	return name(b.names, h), err
}

func (b *box[H, V]) remove(h handle) (contents, bool) {
	v, ok := b.c.Remove(own[H](h))
	return contentsOf(v), ok
}

func (b *box[H, V]) delete(h handle) bool { return b.c.(deleter[H]).Delete(own[H](h)) }

func (b *box[H, V]) removeFunc(f func(handle, item) bool) int {
	return b.c.(funcRemover[H, V]).RemoveFunc(b.named(f))
}

func (b *box[H, V]) clear() { b.c.Clear() }

func (b *box[H, V]) at(i int) (handle, item) {
	h, v := own[H](nil), (*V)(nil)
	switch c := b.c.(type) {
	case slotter[H, V]:
		h, v = c.At(i)
	case placer[H, V]:
		h, v = c.At(i)
	case indexer[H, V]:
		h, v = c.At(uint32(i))
	}
	return name(b.names, h), itemOf(v)
}

func (b *box[H, V]) slotOf(h handle) int {
	switch c := b.c.(type) {
	case slotter[H, V]:
		return c.IndexOf(own[H](h))
	case placer[H, V]:
		return c.PlaceOf(own[H](h))
	}
	if x, ok := any(own[H](h)).(indexed); ok && b.c.Contains(own[H](h)) {
		return int(x.Index())
	}
	return -1
}

func (b *box[H, V]) span(i int) (vs []item, spare, next int) {
	span, next := b.c.(spanCursor[V]).Span(i)
	for i := range span {
		vs = append(vs, itemOf(&span[i]))
	}
	return vs, cap(span) - len(span), next
}

func (b *box[H, V]) backward(yield func(handle, item) bool) { b.s.Backward(b.c)(b.named(yield)) }

func (b *box[H, V]) drain(yield func(handle, contents) bool) {
	b.s.Drain(b.c)(func(h H, v V) bool { return yield(name(b.names, h), contentsOf(v)) })
}

func (b *box[H, V]) pairs(yield func(a, b item) bool) {
	b.c.(pairer[V]).Pairs()(func(v, w *V) bool { return yield(itemOf(v), itemOf(w)) })
}

func (b *box[H, V]) traverse(yield func(handle, item, reader) bool) {
	b.s.Traverse(b.c)(func(p Pivot[H, V], o View[H, V]) bool {
		return yield(name(b.names, p.Handle), itemOf(p.Value), &read[H, V]{b.names, o})
	})
}

func (b *box[H, V]) apply(h handle, f func(item, reader)) bool {
	return b.s.Apply(b.c, own[H](h), func(v *V, o View[H, V]) {
		f(itemOf(v), &read[H, V]{b.names, o})
	})
}

func (b *box[H, V]) clone() container       { return boxed(b.s, b.names, b.s.Clone(b.c)) }
func (b *box[H, V]) save() ([]byte, error)  { return b.s.Save(b.c) }
func (b *box[H, V]) load(data []byte) error { return b.s.Load(b.c, data) }

func (b *box[H, V]) fromBits(u uint64) handle { return name(b.names, b.s.FromBits(u)) }
func (b *box[H, V]) bits(h handle) uint64     { return b.s.Bits(own[H](h)) }

func (b *box[H, V]) check() {
	if b.s.Check != nil {
		b.s.Check(b.c)
	}
}

func (b *box[H, V]) bytes() int    { return b.s.Bytes(b.c) }
func (b *box[H, V]) age(lives int) { b.s.Age(b.c, lives) }
func (b *box[H, V]) retired() int  { return b.s.Retired(b.c) }

func (b *box[H, V]) hold(id uint64, n int) { b.v, b.held = makeItem[V](id), make([]H, n) }
func (b *box[H, V]) put(i int)             { b.held[i] = b.c.Insert(b.v) }
func (b *box[H, V]) drop(i int)            { b.c.Remove(b.held[i]) }

func (b *box[H, V]) finds(i int) (found, agree bool) {
	h := b.held[i]
	_, ok := b.c.Get(h)
	return ok, ok == b.c.Contains(h) && ok == (b.c.Ptr(h) != nil)
}

// loop is one of a container's loops, in a form common to all.
type loop struct {
	name     string
	named    bool // it yields handles
	spans    bool // a value removed after its span was yielded reads as zero
	endless  bool // its body cannot end it
	backward bool
	run      func(yield func(handle, item) bool)
	runSpans func(yield func(first handle, vs []item, spare int) bool)
}

// loops returns the loops that c offers.
func loops(c container) []loop {
	ls := []loop{{name: "All", named: true, run: c.all}}
	add := func(method string, l loop) {
		if l.name = method; c.offers(method) {
			ls = append(ls, l)
		}
	}
	add("Values", loop{run: c.values})
	add("Backward", loop{named: true, backward: true, run: c.backward})
	add("Spans", loop{spans: true, run: c.inSpans, runSpans: c.spans})
	add("RemoveFunc", loop{named: true, endless: true, run: func(yield func(handle, item) bool) {
		c.removeFunc(func(h handle, v item) bool { yield(h, v); return false })
	}})
	add("Traverse", loop{named: true, run: func(yield func(handle, item) bool) {
		c.traverse(func(h handle, v item, _ reader) bool { return yield(h, v) })
	}})
	return ls
}

// viewLoops returns the loops that o offers.
func viewLoops(o reader) []loop {
	ls := []loop{
		{name: "Others.All", named: true, run: o.all},
		{name: "Others.Values", run: o.values},
	}
	if o.hasSpans() {
		ls = append(ls, loop{name: "Others.Spans", spans: true, run: o.inSpans, runSpans: o.spans})
	}
	return ls
}
