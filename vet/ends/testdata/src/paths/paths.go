// Package paths has code in which paths, names or ways to a container differ, and code that goes
// through several functions.
package paths

import (
	"berth"
	"berth/arena"
	"encoding/json"
)

type E struct{ x int }

type H = berth.Handle[E]

type World struct {
	pool  berth.Pool[E]
	dense berth.Dense[E]
}

func use(...any) {}

// A container has memory if it has some on one path.
func pushed(a *arena.Arena, yes bool) {
	v := arena.NewVec[E](a)
	if yes {
		v.Push(E{})
	}
	a.Reset()
	v.Push(E{}) // want `v has lost its memory`
}

func pushedElse(a *arena.Arena, yes bool) {
	v := arena.NewVec[E](a)
	if yes {
		use(yes)
	} else {
		v.Push(E{})
	}
	a.Reset()
	v.Push(E{}) // want `v has lost its memory`
}

// A fact that holds on one path only is not known.
func sameHandle(w *World, h, g H, yes bool) {
	e := w.pool.Ptr(h)
	if yes {
		g = h
	}
	w.pool.Remove(g)
	e.x = 1
}

func sameHandleElse(w *World, h, g H, yes bool) {
	e := w.pool.Ptr(h)
	if yes {
		use(yes)
	} else {
		g = h
	}
	w.pool.Remove(g)
	e.x = 1
}

func sameContainer(d, other *berth.Dense[E], h H, yes bool) {
	p := other
	if yes {
		p = d
	}
	e := d.Ptr(h)
	p.Insert(E{})
	e.x = 1
}

func sameContainerElse(d, other *berth.Dense[E], h H, yes bool) {
	var p *berth.Dense[E]
	if yes {
		p = other
	} else {
		p = d
	}
	e, f := d.Ptr(h), other.Ptr(h)
	p.Insert(E{})
	use(e.x, f.x)
}

type Sides struct{ red, blue berth.Pool[E] }

func sameIssuer(s *Sides, yes bool) {
	var h H
	if yes {
		h = s.red.Insert(E{})
	} else {
		h = s.blue.Insert(E{})
	}
	use(s.red.Ptr(h), s.blue.Ptr(h))
}

func sameMethod(d, other *berth.Dense[E], h H, yes bool) {
	insert := d.Insert
	if yes {
		insert = other.Insert
	}
	e, f := d.Ptr(h), other.Ptr(h)
	insert(E{})
	use(e.x, f.x)
}

func sameMark(a *arena.Arena, get func() arena.Mark, yes bool) {
	var m arena.Mark
	var e *E
	if yes {
		m = a.Mark()
	} else {
		e = arena.New[E](a)
		m = get()
	}
	a.Rewind(m)
	if e != nil {
		e.x = 1
	}
}

func sameMarkElse(a *arena.Arena, get func() arena.Mark, yes bool) {
	var m arena.Mark
	var e *E
	if yes {
		e = arena.New[E](a)
		m = get()
	} else {
		m = a.Mark()
	}
	a.Rewind(m)
	if e != nil {
		e.x = 1
	}
}

// The end of an inner loop over another container ends nothing of the outer one.
func innerLoop(w *World, h H) {
	e := w.dense.Ptr(h)
	for g := range w.dense.All() {
		w.dense.Remove(g)
		for range w.pool.All() {
		}
		e.x++
	}
	e.x++ // want `e is stale: w.dense.Remove on line \d+ may move`
}

func clearedInLoop(w *World, h H) {
	e := w.dense.Ptr(h)
	for g := range w.dense.All() {
		w.dense.Remove(g)
		w.dense.Clear()
		break
	}
	e.x++ // want `e is stale: w.dense.Clear on line \d+ empties`
}

// Elements may be the same container.
func elements(ps []berth.Pool[E], i, j int) {
	h := ps[i].Insert(E{})
	use(ps[j].Ptr(h))
}

type Saved struct{ from berth.Pool[E] }

// A loaded container may have the handles of another, and the other those of it.
func loaded(data []byte, s *Saved) {
	var fresh berth.Pool[E]
	if json.Unmarshal(data, s) != nil {
		return
	}
	h, g := s.from.Insert(E{}), fresh.Insert(E{})
	use(fresh.Ptr(h), s.from.Ptr(g))
}

type Deep struct {
	a struct {
		b struct{ c struct{ pool berth.Pool[E] } }
	}
}

func (d *Deep) empty() { d.a.b.c.pool.Clear() }

func deep(d *Deep, h H) {
	e := d.a.b.c.pool.Ptr(h)
	d.empty()
	e.x = 1 // want `e is stale: d.empty on line \d+ empties d.a.b.c.pool`
}

// Callers come before their callees.
func chain(w *World, h H) {
	e := w.pool.Ptr(h)
	first(w)
	e.x = 1 // want `e is stale: first on line \d+ empties w.pool`
}

func first(w *World)  { second(w) }
func second(w *World) { third(w) }
func third(w *World)  { fourth(w) }
func fourth(w *World) { fifth(w) }
func fifth(w *World)  { sixth(w) }
func sixth(w *World)  { last1(w) }
func last1(w *World)  { last2(w) }
func last2(w *World)  { last3(w) }
func last3(w *World)  { w.pool.Clear() }

// The effect is known at once, but that it has one on every path only in the second pass.
func surely(w *World, h H) {
	e := w.pool.Ptr(h)
	clearTwice(w, false)
	e.x = 1 // want `e is stale: clearTwice on line \d+ empties w.pool`
}

func clearTwice(w *World, yes bool) {
	if yes {
		w.pool.Clear()
	}
	clearOnce(w)
}

func clearOnce(w *World) { w.pool.Clear() }

// A loop with a break may end.
func wait(done func() bool) {
	for {
		if done() {
			break
		}
		continue
	}
}

func waits(w *World, h H, done func() bool) {
	e := w.pool.Ptr(h)
	if e.x == 0 {
		w.pool.Remove(h)
		wait(done)
	}
	e.x = 1 // want `e is stale: w.pool.Remove`
}

func forever() {
	for {
		use()
	}
}

func neverReturns(w *World, h H, all bool) {
	e := w.pool.Ptr(h)
	if e.x == 0 {
		w.pool.Remove(h)
		forever()
	}
	if all {
		w.pool.Remove(h)
		select {}
	}
	e.x = 1
}

// A pointer that moves on leads to another container.
type node struct {
	next  *node
	dense berth.Dense[E]
}

func moved(n *node, h H, far bool) {
	var e *E
	if far {
		n = n.next
		e = n.dense.Ptr(h)
	} else {
		e = n.dense.Ptr(h)
	}
	n.next.dense.Insert(E{})
	e.x = 1
}

func (n *node) insertNext() {
	n = n.next
	n.dense.Insert(E{})
}

func (n *node) at(h H) *E {
	for n.next != nil {
		n = n.next
	}
	return n.dense.Ptr(h)
}

func movedInCall(n *node, h H) {
	e := n.dense.Ptr(h)
	n.insertNext()
	e.x = 1
	e = n.at(h)
	n.dense.Insert(E{})
	e.x = 1
}

func endless(w *World, yes bool) {
	w.pool.Clear()
	if yes {
		select {}
	}
}

func cleared(w *World, h H) {
	e := w.pool.Ptr(h)
	endless(w, false)
	e.x = 1 // want `e is stale: endless on line \d+ empties w.pool`
}

// A deferred function sees the state at each return behind it.
func deferredLater(w *World, h H, yes bool) {
	e := w.dense.Ptr(h)
	if yes {
		w.dense.Insert(E{})
		return
	}
	defer func() { e.x = 1 }()
}

func deferredAgain(w *World, h H) {
	e := w.dense.Ptr(h)
	defer func() {
		e = w.dense.Ptr(h)
		e.x = 1
	}()
	w.dense.Insert(E{})
}

func deferredPanic(w *World, h H) {
	e := w.dense.Ptr(h)
	defer func() { e.x = 1 }()
	if e.x == 0 {
		w.dense.Insert(E{})
		panic("none")
	}
}

// The name of one field begins that of another.
type Pair struct{ cur, cur2 *E }

func prefix(w *World, c *Pair, h H) {
	c.cur2 = w.pool.Ptr(h)
	c.cur = nil
	w.pool.Remove(h)
	c.cur2.x = 1 // want `c.cur2 is stale`
}

type holder struct{ *berth.Dense[E] }

func embedded(m holder, d *berth.Dense[E], h H) {
	m.Dense = d
	e := d.Ptr(h)
	m.Insert(E{})
	e.x = 1 // want `e is stale: m.Insert`
}

// A slice has pointers of several handles.
func appended(w *World, g, h H) {
	var all []*E
	all = append(all, w.pool.Ptr(g))
	all = append(all, w.pool.Ptr(h))
	w.pool.Remove(g)
	all[1].x = 1
}

func comparedField(w *World, c *Pair, h H) bool {
	c.cur = w.dense.Ptr(h)
	w.dense.Insert(E{})
	return c.cur == nil
}

func nilFirst(w *World, h H) {
	e := w.dense.Ptr(h)
	if nil == e {
		w.dense.Insert(E{})
	}
	if e != nil {
		e.x = 1
	}
}

// The literal reads the change, since it runs later.
func readLater(w *World, h H) {
	e, _ := w.pool.Get(h)
	show := func() { use(e.x) }
	e.x = 2
	show()
}

// A variable whose address is kept may change at any time.
func address(w *World, h H) {
	e := w.dense.Ptr(h)
	all := []**E{&e}
	w.dense.Insert(E{})
	*all[0] = w.dense.Ptr(h)
	e.x = 1
}

func fill(v *arena.Vec[E]) { v.Push(E{}) }

func filled(a *arena.Arena) {
	v := arena.NewVec[E](a)
	fill(v)
	use(v.Slice())
	a.Reset()
	v.Push(E{}) // want `v has lost its memory`
}

// The handle has another name.
func renamed(w *World, h H) {
	g := h
	e := w.pool.Ptr(h)
	h = H{}
	w.pool.Remove(g)
	e.x = 1 // want `e is stale: w.pool.Remove`
	use(h)
}

// A function that never returns does nothing that matters.
func fail(w *World, n int) {
	w.pool.Clear()
	switch n {
	default:
		panic(n)
	}
}

func fails(w *World, h H) {
	e := w.pool.Ptr(h)
	if e.x == 0 {
		fail(w, 1)
	}
	e.x = 1
}

// The methods of a type with directives are not checked.
type list struct{ d berth.Dense[E] }

// at lends a value.
//
//berth:lends r0 by h
func (l *list) at(h H) *E { return l.d.Ptr(h) } // want at:"lends r0 by p0"

func (l *list) grow(h H) {
	e := l.d.Ptr(h)
	l.d.Insert(E{})
	e.x = 1
}

// A row has its values by number.
type row struct {
	vals []E
	next int
}

// at lends a value.
//
//berth:lends r0 by i
func (r *row) at(i int) *E { return &r.vals[i] } // want at:"lends r0 by p0"

// drop removes a value.
//
//berth:ends by i
func (r *row) drop(i int) {} // want drop:"ends by p0"

type cursor struct {
	row row
	i   int
}

func (c *cursor) step() { c.i++ }

func stepped(c *cursor) {
	e := c.row.at(c.i)
	c.step()
	c.row.drop(c.i)
	e.x = 1
}

func notStepped(c *cursor) {
	e := c.row.at(c.i)
	c.row.drop(c.i)
	e.x = 1 // want `e is stale: c.row.drop on line \d+ removes its value`
}

// Two functions call each other. The first of them has an effect of its own.
func growEven(w *World, n int) {
	if n > 0 {
		growOdd(w, n-1)
	}
	w.dense.Insert(E{})
}

func growOdd(w *World, n int) {
	if n > 0 {
		growEven(w, n-1)
	}
}

func grown(w *World, h H) {
	e := w.dense.Ptr(h)
	growOdd(w, 3)
	e.x = 1 // want `e is stale: growOdd on line \d+ may move the values of w.dense`
}
