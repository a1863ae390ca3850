// Package world has functions whose effects its users get as facts.
package world

import "berth"

type Enemy struct{ X, HP int }

type World struct {
	Enemies berth.Dense[Enemy]
	Friends berth.Pool[Enemy]
}

func (w *World) Spawn() { w.Enemies.Insert(Enemy{}) } // want Spawn:"ends all of recv.Enemies maybe|ends all of recv.Enemies"

func (w *World) At(h berth.Handle[Enemy]) *Enemy { return w.Enemies.Ptr(h) } // want At:"lends r0 by p0 of recv.Enemies"

func (w *World) Pool() *berth.Pool[Enemy] { return &w.Friends } // want Pool:"shares r0 of recv.Friends"

func Each(w *World, f func(*Enemy)) { // want Each:"runs of p1"
	for e := range w.Friends.Values() {
		f(e)
	}
}

func (w *World) MayClear(yes bool) { // want MayClear:"ends emptied of recv.Friends maybe"
	if yes {
		w.Friends.Clear()
	}
}

func (w *World) Restart() { w.Friends.Clear() } // want Restart:"ends emptied of recv.Friends"
