package facts

import (
	"berth"
	"world"
)

type E = world.Enemy

func summaries(w *world.World, h berth.Handle[E]) {
	e := w.At(h)
	w.Spawn()
	e.X = 1 // want `e is stale: w.Spawn on line \d+ may move the values of w.Enemies`
}

func getter(w *world.World, h berth.Handle[E]) {
	e := w.Pool().Ptr(h)
	w.Friends.Remove(h)
	e.X = 1 // want `e is stale: w.Friends.Remove on line \d+ removes its value`
}

func everyPath(w *world.World, h berth.Handle[E]) {
	e := w.Friends.Ptr(h)
	w.Restart()
	e.X = 1 // want `e is stale: w.Restart on line \d+ empties w.Friends`
}

func somePaths(w *world.World, h berth.Handle[E]) {
	e := w.Friends.Ptr(h)
	w.MayClear(false)
	e.X = 1
}

func callback(w *world.World, h berth.Handle[E]) {
	e := w.Enemies.Ptr(h)
	world.Each(w, func(f *E) { w.Enemies.Insert(*f) })
	e.X = 1 // want `e is stale: w.Enemies.Insert on line \d+ may move the values of w.Enemies`
}

func stored(w *world.World, h berth.Handle[E], later func(func())) {
	e := w.Enemies.Ptr(h)
	later(func() { w.Enemies.Insert(E{}) }) // it may run later
	e.X = 1
}
