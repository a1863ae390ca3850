// Package good has correct code. Nothing in it is reported.
package good

import (
	"berth"
	"berth/arena"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"testing"
)

type E struct {
	x, hp int
	next  *E
}

type H = berth.Handle[E]

type World struct {
	pool  berth.Pool[E]
	other berth.Pool[E]
	dense berth.Dense[E]
	arena *arena.Arena
	vec   *arena.Vec[E]
	cur   *E
	sel   H
	far   *berth.Dense[E]
}

func use(...any) {}

func another(p *berth.Pool[E], h, g H) {
	e := p.Ptr(h)
	p.Remove(g)
	p.Insert(E{})
	e.x = 1
}

func again(d *berth.Dense[E], h H) {
	e := d.Ptr(h)
	e.x = 1
	d.Insert(E{})
	e = d.Ptr(h)
	e.x = 2
}

func againInLoop(d *berth.Dense[E], h H) {
	e := d.Ptr(h)
	for range 10 {
		e.x++
		d.Insert(E{})
		e = d.Ptr(h)
	}
	e.x++
}

func continued(w *World) {
	for h, e := range w.pool.All() {
		if e.hp <= 0 {
			w.pool.Remove(h)
			continue
		}
		e.x++
	}
}

func broken(w *World) {
	for h, e := range w.dense.All() {
		if e.hp <= 0 {
			w.dense.Remove(h)
			break
		}
		e.x++
	}
}

func older(a *arena.Arena) {
	p := arena.New[int](a)
	m := a.Mark()
	q := arena.New[int](a)
	*q = 1
	a.Rewind(m)
	*p = 3
}

func nestedMarks(a *arena.Arena) {
	m := a.Mark()
	for range 3 {
		p := arena.New[int](a)
		n := a.Mark()
		q := arena.New[int](a)
		*q = 1
		a.Rewind(n)
		*p = 1
	}
	a.Rewind(m)
}

func markOfField(w *World, at struct{ m arena.Mark }) {
	p := arena.New[int](w.arena)
	at.m = w.arena.Mark()
	w.arena.Rewind(at.m)
	*p = 1
}

func unknownMark(a *arena.Arena, get func() arena.Mark) {
	p := arena.New[int](a)
	m := get()
	a.Rewind(m)
	*p = 1
}

func otherContainer(w *World, h H) {
	e := w.pool.Ptr(h)
	w.other.Remove(h)
	e.x = 1
}

func reassigned(w *World, h, g H) {
	e := w.pool.Ptr(h)
	h = g
	w.pool.Remove(h)
	e.x = 1
}

func cloned(p *berth.Pool[E]) {
	q := p.Clone()
	h := p.Insert(E{})
	use(q.Ptr(h))
}

func read(p *berth.Pool[E], h H) int {
	e, ok := p.Get(h)
	if !ok {
		return 0
	}
	e.x++
	return e.x + e.hp
}

func isNil(d *berth.Dense[E], h H) {
	e := d.Ptr(h)
	if e == nil {
		d.Insert(E{})
		return
	}
	e.x = 1
}

func nilThenInsert(d *berth.Dense[E], h H) {
	e := d.Ptr(h)
	if e == nil {
		h = d.Insert(E{})
		e = d.Ptr(h)
	}
	e.x = 1
}

func nilKeepsNothing(d *berth.Dense[E], h H) {
	e := d.Ptr(h)
	if e == nil {
		d.Insert(E{})
	}
	if e != nil {
		e.x = 1
	}
}

func copied(d *berth.Dense[E], h H) {
	e := d.Ptr(h)
	v := *e
	d.Insert(E{})
	use(v.x)
}

func deferred(d *berth.Dense[E], h H) {
	e := d.Ptr(h)
	defer d.Clear()
	e.x = 1
}

func value(w *World, h H) {
	v := w.dense.Ptr(h).x
	w.spawn()
	use(v)
}

func (w *World) spawn() { w.dense.Insert(E{}) }

func branches(w *World, h H) {
	var e *E
	if w.cur != nil {
		e = w.dense.Ptr(h)
	} else {
		w.spawn()
		e = w.dense.Ptr(h)
	}
	e.x = 1
}

func slices(d *berth.Dense[E]) {
	for i := range d.Slice() {
		d.Slice()[i].x++
	}
	s := d.Slice()
	for i := range s {
		s[i].x++
	}
	d.Insert(E{})
	s = d.Slice()
	use(s)
}

func eitherPool(a, b *berth.Pool[E], c *berth.Pool[E]) {
	if a == nil {
		c = b
	} else {
		c = a
	}
	h := a.Insert(E{})
	use(c.Ptr(h))
}

func ifScopes(w *World, h H) {
	if e := w.dense.Ptr(h); e != nil {
		e.x++
	}
	w.spawn()
	if e := w.dense.Ptr(h); e != nil {
		e.x++
	}
}

func otherWorlds(w *World, worlds []*World, h H) {
	e := w.dense.Ptr(h)
	for _, w := range worlds {
		w.spawn()
	}
	e.x++
}

func resetInLoop(a *arena.Arena) {
	v := arena.NewVec[E](a)
	for range 3 {
		a.Reset()
		v.Clear()
		v.Push(E{})
	}
}

func resetBeforeUse(a *arena.Arena) {
	v := arena.NewVec[E](a)
	a.Reset() // v has no memory yet
	v.Push(E{})
}

func clearedByCall(a *arena.Arena) {
	v := arena.NewVec[E](a)
	v.Push(E{})
	a.Reset()
	clearVec(v)
	v.Push(E{})
}

func clearVec(v *arena.Vec[E]) { v.Clear() }

func nestedLoops(w *World) {
	for range 3 {
		for h, e := range w.dense.All() {
			e.x++
			w.dense.Remove(h)
		}
	}
}

func removeAt(w *World) {
	s := w.dense.Slice()
	for i := range s {
		if s[i].hp < 0 {
			h, _ := w.dense.At(i)
			w.dense.Remove(h)
		}
	}
	use(len(s))
}

func removeAtInSlice(d *berth.Dense[E]) {
	for i := range d.Slice() {
		h, _ := d.At(i)
		d.Remove(h)
	}
}

func collisions(w *World) {
	for h, e := range w.dense.All() {
		for g, f := range w.dense.All() {
			if g != h && f.x == e.x {
				w.dense.Remove(g) // moves nothing while a loop runs
				e.hp++
			}
		}
	}
}

func fatal(t *testing.T, w *World, h H) {
	e := w.pool.Ptr(h)
	if e.x == 0 {
		w.pool.Remove(h)
		t.Fatal("none")
	}
	e.x = 1
}

func exit(w *World, h H) {
	e := w.pool.Ptr(h)
	switch e.x {
	case 0:
		w.pool.Remove(h)
		os.Exit(1)
	case 1:
		w.pool.Remove(h)
		log.Fatal("one")
	case 2:
		w.pool.Remove(h)
		panic("two")
	}
	e.x = 1
}

func (w *World) choose(h H) { w.cur = w.dense.Ptr(h) }

func chosenAgain(w *World, h H) {
	w.cur = w.dense.Ptr(h)
	w.dense.Insert(E{})
	w.choose(h)
	w.cur.x = 1
}

func (w *World) next() { w.sel = H{} }

func selection(w *World) {
	e := w.pool.Ptr(w.sel)
	w.next() // another handle is selected
	w.pool.Remove(w.sel)
	e.x = 1
}

func decoded(w *World, b []byte, h H) {
	e := w.pool.Ptr(h)
	if json.Unmarshal(b, &h) != nil {
		return
	}
	w.pool.Remove(h)
	e.x = 1
}

func scanned(w *World, h H) {
	e := w.pool.Ptr(w.sel)
	fmt.Sscan("1", &w.sel)
	w.pool.Remove(w.sel)
	e.x = 1
}

func capturedVariable(w *World, h H) {
	var e *E
	find := func() { e = w.dense.Ptr(h) }
	find()
	w.dense.Insert(E{})
	find()
	e.x = 1
}

func indexMoves(p *berth.Pool[E], hs []H) {
	i := 0
	e := p.Ptr(hs[i])
	i++
	p.Remove(hs[i])
	e.x = 1
	e = p.Ptr(hs[i])
	hs[i] = H{}
	p.Remove(hs[i])
	e.x = 1
}

func truncated(w *World, hs []H) {
	var all []*E
	for range 3 {
		all = all[:0]
		for _, h := range hs {
			all = append(all, w.dense.Ptr(h))
		}
		for _, e := range all {
			e.x++
		}
		w.dense.Insert(E{})
	}
}

func goroutine(w *World, h H) {
	e := w.dense.Ptr(h)
	go func() { w.dense.Insert(E{}) }()
	e.x = 1
}

func registered(w *World, h H, t *testing.T) {
	e := w.dense.Ptr(h)
	t.Cleanup(func() { w.dense.Insert(E{}) })
	e.x = 1
}

func compared(d *berth.Dense[E], h H) bool {
	e := d.Ptr(h)
	d.Insert(E{})
	return e == nil
}

func otherElement(worlds []*World, i, j int, h H) {
	e := worlds[i].dense.Ptr(h)
	worlds[j].dense.Insert(E{})
	e.x++
}

func worldMoves(g *struct{ w *World }, other *World, h H) {
	e := g.w.dense.Ptr(h)
	g.w = other
	g.w.dense.Insert(E{})
	e.x++
}

func swapped(w *World, h H) {
	a, b := w.pool.Ptr(h), w.other.Ptr(h)
	a, b = b, a
	w.pool.Remove(h)
	a.x = 1
	use(b == nil)
}

func dropped(w *World, h H) {
	e := w.dense.Ptr(h)
	w.dense.Insert(E{})
	e = nil
	_ = e
}

func labels(w *World, hs []H) {
outer:
	for _, h := range hs {
		e := w.pool.Ptr(h)
		for {
			if e.hp == 0 {
				w.pool.Remove(h)
				continue outer
			}
			e.hp--
			if e.x > 3 {
				break outer
			}
		}
	}
}

func popped(v *arena.Vec[E]) {
	p := v.Ptr(0)
	v.Pop() // perhaps another one: see the flag some
	p.x = 1
}

func mayEmpty(w *World, h H, yes bool) {
	e := w.pool.Ptr(h)
	w.emptyIf(yes)
	e.x = 1
}

func (w *World) emptyIf(yes bool) {
	if yes {
		w.pool.Clear()
	}
}

func otherOfPair(w, v *World, h H) {
	e := w.dense.Ptr(h)
	v.dense.Insert(E{})
	e.x = 1
}

func resultOfCall(w *World, pick func() *World, h H) {
	e := pick().dense.Ptr(h)
	pick().dense.Insert(E{})
	e.x = 1
}

func comparedWithNew(d *berth.Dense[E], h H) bool {
	e := d.Ptr(h)
	d.Insert(E{})
	return e == d.Ptr(h)
}

func clearedAndEmpty(a *arena.Arena) {
	m := a.Mark()
	v := arena.NewVec[E](a)
	v.Push(E{})
	v.Clear() // gives its memory back
	use(v.Len())
	a.Rewind(m)
	v.Push(E{})
}

func clearedVec(a *arena.Arena) {
	v := arena.NewVec[E](a)
	v.Push(E{})
	m := a.Mark()
	v.Clear() // keeps its memory, which is older than m
	v.Push(E{})
	a.Rewind(m)
	v.Push(E{})
}

func nilInLiteral(d *berth.Dense[E], h H) func() bool {
	e := d.Ptr(h)
	d.Insert(E{})
	return func() bool { return nil != e }
}
