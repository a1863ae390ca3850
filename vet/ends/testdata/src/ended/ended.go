// Package ended has a function for each way to keep a pointer too long.
package ended

import (
	"berth"
	"berth/arena"
	"fmt"
	"sort"
	"sync"
)

type E struct {
	x, hp int
	pos   [2]float32
	name  string
	next  *E
}

type H = berth.Handle[E]

type World struct {
	pool  berth.Pool[E]
	other berth.Pool[E]
	dense berth.Dense[E]
	far   *berth.Dense[E]
	arena *arena.Arena
	cur   *E
	sel   H
	tab   [4]H
}

func use(...any) {}

func removed(p *berth.Pool[E], h H) {
	e := p.Ptr(h)
	p.Remove(h)
	e.x = 1 // want `e is stale: p.Remove on line \d+ removes its value`
}

func inserted(d *berth.Dense[E], h H) {
	e := d.Ptr(h)
	d.Insert(E{})
	use(e.x) // want `e is stale: d.Insert on line \d+ may move the values of d`
}

func slice(d *berth.Dense[E]) {
	s := d.Slice()
	d.Insert(E{})
	for _, e := range s { // want `s is stale`
		use(e)
	}
}

func element(d *berth.Dense[E]) {
	s := d.Slice()
	d.Insert(E{})
	for i := range s {
		s[i].x = 1 // want `s is stale`
	}
}

func rewound(a *arena.Arena) {
	m := a.Mark()
	p := arena.New[int](a)
	a.Rewind(m)
	*p = 3 // want `p is stale: a.Rewind on line \d+ gives its memory back`
}

func rewoundToParameter(a *arena.Arena, m arena.Mark) {
	p := arena.New[int](a)
	a.Rewind(m)
	*p = 3 // want `p is stale`
}

func inLoop(w *World) {
	for h, e := range w.pool.All() {
		if e.hp <= 0 {
			w.pool.Remove(h)
		}
		e.x++ // want `e is stale: w.pool.Remove on line \d+ removes its value`
	}
}

func onOnePath(w *World, h H) {
	e := w.dense.Ptr(h)
	if e.hp < 3 {
		w.dense.Remove(h)
	}
	e.x++ // want `e is stale`
}

func (w *World) spawn() { w.dense.Insert(E{}) }

func throughCall(w *World, h H) {
	e := w.dense.Ptr(h)
	w.spawn()
	e.x++ // want `e is stale: w.spawn on line \d+ may move the values of w.dense`
}

func (w *World) at(h H) *E { return w.dense.Ptr(h) }

func lentByCall(w *World, h H) {
	e := w.at(h)
	w.spawn()
	e.x++ // want `e is stale`
}

func (w *World) find(h H) *E {
	e := w.dense.Ptr(h)
	if e == nil {
		return nil
	}
	return e
}

func lentByLongerCall(w *World, h H) {
	e := w.find(h)
	w.spawn()
	e.x++ // want `e is stale`
}

func field(w *World, h H) {
	x := &w.dense.Ptr(h).x
	w.dense.Sort(func(a, b *E) int { return a.x - b.x })
	*x = 3 // want `x is stale`
}

func inField(w *World, h H) {
	w.cur = w.dense.Ptr(h)
	w.dense.Clear()
	w.cur.x = 1 // want `w.cur is stale: w.dense.Clear on line \d+ empties w.dense`
}

func vec(a *arena.Arena) {
	v := arena.NewVec[E](a)
	v.Push(E{})
	p := v.Ptr(0)
	v.Push(E{})
	p.x = 1 // want `p is stale`
}

func vecReset(a *arena.Arena) {
	v := arena.NewVec[E](a)
	v.Push(E{})
	p := v.Ptr(0)
	a.Reset()
	p.x++       // want `p is stale`
	v.Push(E{}) // want `v has lost its memory: a.Reset on line \d+ gave it back`
	use(v.Len())
	v.Clear() // makes it usable
	v.Push(E{x: 1})
	q := v.Ptr(0)
	a.Reset()
	q.x++ // want `q is stale`
}

func pairOfLoops(w *World) {
	for h, e := range w.dense.All() {
		if e.hp < 0 {
			w.dense.Insert(E{x: e.x})
			use(h)
			e.hp = 9 // want `e is stale`
		}
	}
}

func both(w *World, h, g H) {
	a, b := w.dense.Ptr(h), w.dense.Ptr(g)
	w.dense.Remove(h)
	use(a) // want `a is stale`
	use(b) // want `b is stale`
}

func alias(w *World, h H) {
	p := &w.pool
	e := w.pool.Ptr(h)
	p.Remove(h)
	e.x = 1 // want `e is stale`
}

func (w *World) kill(h H) { w.pool.Remove(h) }

func handleThroughCall(w *World, h H) {
	e := w.pool.Ptr(h)
	w.kill(h)
	use(e.name) // want `e is stale: w.kill on line \d+ removes its value`
}

func copyOfHandle(w *World) {
	h := w.pool.Insert(E{})
	g := h
	e := w.pool.Ptr(g)
	w.pool.Remove(h)
	e.x = 1 // want `e is stale`
}

func called(a *arena.Arena) {
	s := arena.MakeSlice[int](a, 3)
	func() { a.Reset() }()
	sort.Ints(s)
	grow := func() { a.Reset() }
	s = arena.MakeSlice[int](a, 3)
	grow()
	sort.Ints(s)
}

func calledDense(d *berth.Dense[E], h H) {
	grow := func() { d.Insert(E{}) }
	e := d.Ptr(h)
	grow()
	e.x = 1 // want `e is stale: d.Insert on line \d+ may move the values of d`
}

func methodValue(d *berth.Dense[E], h H) {
	insert := d.Insert
	e := d.Ptr(h)
	insert(E{})
	e.x = 1 // want `e is stale: insert on line \d+ may move the values of d`
}

func returned(w *World) *E {
	h := w.dense.Insert(E{})
	e := w.dense.Ptr(h)
	w.dense.Insert(E{})
	return e // want `e is stale`
}

func loopOfRemovals(w *World, hs []H) {
	s := w.dense.Slice()
	for _, h := range hs {
		w.dense.Remove(h)
	}
	use(s) // want `s is stale`
}

func insertInSlice(w *World) {
	s := w.dense.Slice()
	for i := range s {
		h, _ := w.dense.At(i)
		w.dense.Remove(h)
		w.dense.Insert(s[i]) // want `s is stale`
		use(s[i])
	}
}

func afterLoop(w *World, h H) {
	e := w.dense.Ptr(h)
	for g, f := range w.dense.All() {
		if f.hp < 0 {
			w.dense.Remove(g)
		}
		e.x++ // nothing moves in a loop
	}
	e.x++ // want `e is stale`
}

func ownInLoop(w *World) {
	for h, e := range w.dense.All() {
		w.dense.Remove(h)
		e.x++ // want `e is stale`
	}
}

func elementOfArray(w *World) {
	e := w.pool.Ptr(w.tab[2])
	w.pool.Remove(w.tab[2])
	e.x++ // want `e is stale`
}

func elementOfSlice(p *berth.Pool[E], hs []H, i int) {
	e := p.Ptr(hs[i])
	p.Remove(hs[i])
	e.x++ // want `e is stale`
}

func containerInSlice(worlds []*World, i int, h H) {
	e := worlds[i].dense.Ptr(h)
	worlds[i].dense.Insert(E{})
	e.x++ // want `e is stale`
}

func collected(w *World, hs []H) {
	var all []*E
	for _, h := range hs {
		all = append(all, w.dense.Ptr(h))
	}
	w.dense.Insert(E{})
	for _, e := range all { // want `all is stale`
		e.x++
	}
}

type job struct {
	target *E
	at     H
}

func inStruct(w *World, h H) {
	j := job{target: w.pool.Ptr(h), at: h}
	w.pool.Remove(h)
	j.target.x = 1 // want `j.target is stale`
}

func drained(w *World, h H) {
	e := w.pool.Ptr(h)
	for range w.pool.Drain() {
	}
	e.x = 1 // want `e is stale`
	e = w.pool.Ptr(h)
	for range berth.Drain(&w.pool) {
	}
	e.x = 1 // want `e is stale`
}

func history(p *berth.Pool[E], h H) {
	s := berth.NewHistory(p)
	e := s.Edit(h)
	p.Remove(h)
	e.x = 1 // want `e is stale`
	g := p.Ptr(h)
	s.Rewind(0)
	g.x = 1 // want `g is stale`
}

func view(p *berth.Pool[E], h H) {
	var v berth.View[E] = p
	e := v.Ptr(h)
	p.Remove(h)
	e.x = 1 // want `e is stale`
}

func given(s *arena.Stack[*E]) {
	e, _ := s.Pop()
	s.Push(e)
	e.x = 1 // want `e is stale`
}

func twice(s *arena.Stack[*E]) {
	e, _ := s.Pop()
	s.Push(e)
	s.Push(e) // want `e is stale`
}

func captured(w *World, h H) func() {
	e := w.dense.Ptr(h)
	w.dense.Insert(E{})
	return func() {
		e.x = 1 // want `e is stale`
	}
}

func newValue(p *berth.Pool[E]) {
	h, e := p.New()
	p.Clear()
	use(h)
	e.x = 1 // want `e is stale`
}

func constantIndex(a *arena.Arena) {
	v := arena.NewVec[E](a)
	p := v.Ptr(3)
	v.Push(E{})
	p.x++ // want `p is stale`
}

func farAway(w *World, h H) {
	e := w.far.Ptr(h)
	w.far.Insert(E{})
	e.x++ // want `e is stale`
}

type embeds struct {
	berth.Dense[E]
	n int
}

func promoted(m *embeds, h H) {
	e := m.Ptr(h)
	m.Dense.Insert(E{})
	e.x++ // want `e is stale`
}

func chosen(w *World, h H, near bool) {
	var e *E
	if near {
		e = w.dense.Ptr(h)
	}
	w.dense.Insert(E{})
	if e != nil {
		e.x++ // want `e is stale`
	}
}

func inSwitch(w *World, h H, n int) {
	e := w.dense.Ptr(h)
	switch n {
	case 1:
		w.dense.Insert(E{})
	case 2:
		return
	}
	e.x++ // want `e is stale`
}

func lastStep(w *World, hs []H) {
	var last *E
	for _, h := range hs {
		if last != nil {
			last.x++ // want `last is stale`
		}
		last = w.dense.Ptr(h)
		w.dense.Insert(E{})
	}
}

var global berth.Dense[E]

func ofGlobal(h H) {
	e := global.Ptr(h)
	global.Insert(E{})
	e.x++ // want `e is stale`
}

func newRemoved(p *berth.Pool[E]) {
	h, e := p.New()
	p.Remove(h)
	e.x = 1 // want `e is stale: p.Remove`
}

func traversed(p *berth.Pool[E], g H) {
	for e, others := range berth.Traverse(p) {
		o := others.Ptr(g)
		p.Remove(g)
		o.x = 1 // want `o is stale: p.Remove`
		e.Value.x = 1
		p.Remove(e.Handle)
		e.Value.x = 1 // want `e.Value is stale: p.Remove`
	}
}

func leased(l *berth.Lease[E]) {
	e := l.Value()
	l.Release()
	e.x = 1 // want `e is stale: l.Release on line \d+ gives it back`
}

func giveBack(l *berth.Lease[E], yes bool) {
	if yes {
		l.Release()
	}
}

func leasedThroughCall(l *berth.Lease[E]) {
	e := l.Value()
	giveBack(l, true)
	e.x = 1 // want `e is stale: giveBack on line \d+ gives it back`
}

func deferredUse(w *World, h H, early bool) {
	if early {
		return
	}
	e := w.dense.Ptr(h)
	defer func() {
		e.x = 1 // want `e is stale: w.dense.Insert on line \d+ may move the values of w.dense`
	}()
	w.dense.Insert(E{})
}

func failsUnless(ok bool) {
	if ok {
		use(ok)
	} else {
		panic("not ok")
	}
}

// A call returns if one of the branches that its function ends with does.
func behindBranches(w *World, h H) {
	e := w.dense.Ptr(h)
	w.dense.Insert(E{})
	failsUnless(h != H{})
	e.x = 1 // want `e is stale`
}

// A variable whose address is passed to a call is followed up to there.
func addressPassed(w *World, h H) {
	e := w.dense.Ptr(h)
	w.dense.Insert(E{})
	e.x = 1 // want `e is stale`
	use(&e)
}

func ownInSlice(d *berth.Dense[E]) {
	for i := range d.Slice() {
		h, e := d.At(i)
		d.Remove(h)
		e.x = 1 // want `e is stale: d.Remove on line \d+ may move the values of d`
	}
}

// A container is a value of another one.
func nested(rooms *berth.Pool[berth.Pool[E]], r berth.Handle[berth.Pool[E]], h H) {
	room := rooms.Ptr(r)
	e := room.Ptr(h)
	room.Remove(h)
	e.x = 1 // want `e is stale: room.Remove on line \d+ removes its value`
}

type level struct{ pool *berth.Pool[E] }

// A call that is passed a copy of a struct does not assign the fields of the struct.
func passedByValue(l level, h H) {
	e := l.pool.Ptr(h)
	fmt.Println(l)
	l.pool.Remove(h)
	e.x = 1 // want `e is stale: l.pool.Remove on line \d+ removes its value`
}

type walk struct{ last berth.Entry[E] }

func structInField(w *walk, p *berth.Pool[E]) {
	for w.last, _ = range berth.Traverse(p) {
		break
	}
	p.Clear()
	w.last.Value.x = 1 // want `w.last.Value is stale: p.Clear on line \d+ empties p`
}

// A container in an arena is given to a pool, without its arena.
func pooledVec(a *arena.Arena, p *sync.Pool) {
	v := arena.NewVec[E](a)
	p.Put(v)
	use(v) // want `v is stale: p.Put on line \d+ gave it back`
}
