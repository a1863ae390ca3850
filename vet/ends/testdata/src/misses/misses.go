// Package misses has mistakes that are not found. docs/vet.md lists them. A change
// that finds one of them moves it to package ended.
package misses

import (
	"berth"
	"berth/arena"
	"sync"
)

type E struct{ x int }

type H = berth.Handle[E]

// A Store has no directives, so nothing is known of its methods.
type Store interface {
	Ptr(h H) *E
	Insert(e E) H
}

func throughInterface(s Store, h H) {
	e := s.Ptr(h)
	s.Insert(E{})
	e.x = 1
}

type World struct {
	dense   berth.Dense[E]
	onSpawn func()
	last    map[string]*E
}

// A closure that is kept in a field, or passed to a function that keeps it, may do anything.
func storedClosure(w *World, h H) {
	w.onSpawn = func() { w.dense.Insert(E{}) }
	e := w.dense.Ptr(h)
	w.onSpawn()
	e.x = 1
}

func once(w *World, h H, o *sync.Once) {
	e := w.dense.Ptr(h)
	o.Do(func() { w.dense.Insert(E{}) })
	e.x = 1
}

// A pointer in a map, a channel or an element of a slice has no place of its own.
func inMap(w *World, h H) {
	w.last["a"] = w.dense.Ptr(h)
	w.dense.Insert(E{})
	w.last["a"].x = 1
}

// Two ways to the same container are followed only within a function.
func twoWays(w, v *World, h H) {
	e := w.dense.Ptr(h)
	v.dense.Insert(E{}) // v is w
	e.x = 1
}

// Two variables for the same handle, if they did not come from each other here.
func twoHandles(p *berth.Pool[E], g, h H) {
	e := p.Ptr(g)
	p.Remove(h) // h is g
	e.x = 1
}

// A literal that assigns a variable around it may run at any time. Here it is handed a value that
// ends when the call returns.
func escapes(p *berth.Pool[E]) {
	var last *E
	p.RemoveFunc(func(_ H, e *E) bool {
		last = e
		return true
	})
	last.x = 1
}

func escapesScope(a *arena.Arena) {
	var e *E
	a.Scope(func(a *arena.Arena) { e = arena.New[E](a) })
	e.x = 1
}

// A literal that is deferred on some paths only is not followed.
func deferred(w *World, h H, yes bool) {
	e := w.dense.Ptr(h)
	if yes {
		defer func() { e.x = 1 }()
	}
	w.dense.Insert(E{})
}

// The end of a loop over a Dense closes holes, if it removed values under DefragImmediate.
func endOfLoop(d *berth.Dense[E], g H) {
	var e *E
	for h := range d.All() {
		d.Remove(h)
		e = d.Ptr(g)
	}
	e.x = 1
}

// Other goroutines are not followed.
func concurrent(d *berth.Dense[E], h H, done chan bool) {
	e := d.Ptr(h)
	go func() {
		d.Insert(E{})
		done <- true
	}()
	<-done
	e.x = 1
}
