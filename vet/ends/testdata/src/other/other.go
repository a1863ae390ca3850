// Package other has the mistakes that are not about a lifetime.
package other

import (
	"berth"
	"berth/arena"
	"encoding/json"
)

type E struct {
	x, hp int
	pos   [2]int
	next  *E
}

type H = berth.Handle[E]

type World struct {
	pool, reserve, copied berth.Pool[E]
	dense                 berth.Dense[E]
}

type Game struct{ red, blue berth.Pool[E] }

func use(...any) {}

func foreign(w *Game) {
	h := w.red.Insert(E{})
	use(w.blue.Ptr(h)) // want `h is a handle of w.red, so w.blue never finds it`
}

func foreignInLoop(w *Game) {
	for h := range w.red.All() {
		w.blue.Remove(h) // want `h is a handle of w.red, so w.blue never finds it`
	}
}

func foreignCopy(w *Game) {
	h := w.red.Insert(E{})
	g := h
	use(w.blue.Contains(g)) // want `g is a handle of w.red`
}

func foreignNew() {
	a := berth.NewPool[E](berth.Config{Capacity: 3})
	b := berth.NewPool[E](berth.Config{})
	h := a.Insert(E{})
	use(b.Contains(h)) // want `h is a handle of a, so b never finds it`
}

func foreignNewMap() {
	a, b := berth.NewMap[string, E](), berth.NewMap[string, E]()
	h := a.Insert("", E{})
	use(b.Contains(h)) // want `h is a handle of a, so b never finds it`
}

func seeded() {
	a := berth.NewPool[E](berth.Config{Seed: 1})
	b := berth.NewPool[E](berth.Config{Seed: 1})
	h := a.Insert(E{})
	b.Insert(E{})
	use(b.Contains(h))
}

func configured(c berth.Config) {
	a, b := berth.NewPool[E](c), berth.NewPool[E](c)
	h := a.Insert(E{})
	b.Insert(E{})
	use(b.Contains(h))
}

func mixes(w *World) { w.copied.CopyFrom(&w.pool) }

func mixed(w *World) {
	h := w.pool.Insert(E{})
	use(w.copied.Ptr(h)) // it was loaded elsewhere
}

func parameters(a, b *berth.Pool[E]) {
	h := a.Insert(E{})
	use(b.Ptr(h)) // they may be the same
}

func decoded(data []byte) {
	var a, b World
	h := a.pool.Insert(E{})
	if json.Unmarshal(data, &b) == nil {
		use(b.reserve.Contains(h))
	}
}

func inView(p *berth.Pool[E], o berth.Others[E]) {
	h := p.Insert(E{})
	use(o.Ptr(h))
}

func lost(p *berth.Pool[E], h H) {
	e, ok := p.Get(h)
	if ok {
		e.hp-- // want `the change of e.hp is lost: p.Get returns a copy`
	}
}

// The right side of an assignment is read before the change.
func lostOfItself(p *berth.Pool[E], h H) {
	e, _ := p.Get(h)
	e.x = e.hp + 1 // want `the change of e.x is lost: p.Get returns a copy`
}

func lostInLoop(d *berth.Dense[E]) {
	for _, e := range d.Slice() {
		e.x = 1 // want `the change of e.x is lost: the loop copies each value`
	}
}

func lostArray(p *berth.Pool[E], h H) {
	e, _ := p.Get(h)
	use(e.x)
	e.pos[0] += 2 // want `the change of e.pos\[0\] is lost`
}

func kept(p *berth.Pool[E], h H) {
	e, _ := p.Get(h)
	e.hp--
	p.Insert(e)
}

func keptByPointer(p *berth.Pool[E], h H) {
	e, _ := p.Get(h)
	q := &e
	e.hp--
	use(q)
}

func keptResult(p *berth.Pool[E], h H) (e E, ok bool) {
	e, ok = p.Get(h)
	e.hp--
	return
}

func keptThroughPointer(p *berth.Pool[E], h H) {
	e, _ := p.Get(h)
	e.next.hp--
}

func keptInLoop(p *berth.Pool[E], h H) {
	e, _ := p.Get(h)
	for range 3 {
		use(e.hp)
		e.hp--
	}
}

func unchecked(p *berth.Pool[E], d *berth.Dense[E], a *arena.Arena) {
	p.TryInsert(E{}) // want `the error of p.TryInsert is not checked`
	d.Shrink()       // want `the error of d.Shrink is not checked`
	a.Alloc(3)       // want `the error of a.Alloc is not checked`
	_, _ = p.TryInsert(E{})
	h, err := p.TryInsert(E{})
	use(h, err)
}

type unit struct{ target H }

// A field of a value is not a field of its container.
func handlesInValues(w *Game, units *berth.Pool[unit], h, g berth.Handle[unit]) {
	units.Ptr(h).target = w.red.Insert(E{})
	units.Ptr(g).target = w.blue.Insert(E{})
	use(w.red.Contains(units.Ptr(h).target))
}
