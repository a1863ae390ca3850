package sim

import (
	"iter"

	"github.com/seed505807e1/berth"
)

// MaxWave is the last wave.
const MaxWave = 30

const (
	waveFrames = 480 // length of a wave; the last one does not end

	nearest, farthest = 300, 760 // distances from the ship at which enemies appear
	leash             = 1000     // distance at which an enemy is brought back
	elbow             = 18       // distance within which enemies keep apart
)

// crowd returns the number of enemies that a wave aims for.
func crowd(wave int) int { return min(50+30*wave+6*wave*wave, maxEnemies-200) }

// spawn adds enemies around the ship up to crowd, but not all at once.
func (w *World) spawn() {
	if w.quiet {
		return
	}
	want := crowd(w.Wave()) - w.Enemies.Len()
	for range min(want, 1+crowd(w.Wave())/90) {
		far := nearest + float32((farthest-nearest)*w.rng.Float32())
		at := w.Ship.Pos.plus(Direction(w.rng.IntN(256)).times(far))
		w.enemy(w.pick(), at)
	}
}

// pick chooses a kind. Dangerous kinds are more frequent in later waves.
func (w *World) pick() Kind {
	wave, d := w.Wave(), w.rng.IntN(100)
	switch {
	case wave >= 4 && d < 6:
		return Brute
	case wave >= 3 && d < 12+wave/2:
		return Dart
	case wave >= 2 && d < 50:
		return Weaver
	}
	return Drone
}

func (w *World) enemy(k Kind, at Vec) berth.Handle[Enemy] {
	w.serial++
	return put(w, w.Enemies, Enemy{
		Pos: at, Serial: w.serial, Kind: k, Health: table[k].health + int32(w.Wave()/5),
	})
}

// moveEnemies moves the enemies closer to the ship, but keeps them apart. The grid is that of the
// last frame. It has the positions before the moves, and skips enemies that have been destroyed
// since.
func (w *World) moveEnemies() {
	changing(w.past.enemies)
	for a, b := range w.grid.Pairs(elbow) {
		w.part(a.Value, b.Value)
	}
	for e := range w.Enemies.Values() {
		e.Age++
		e.Flash = max(0, e.Flash-1)
		if e.Age > warp {
			w.moveEnemy(e)
		}
		e.push = Vec{}
	}
}

// part pushes two overlapping enemies apart, the smaller one more.
func (w *World) part(a, b *Enemy) {
	ra, rb := a.Kind.Radius(), b.Kind.Radius()
	room := ra + rb + 1
	d := b.Pos.minus(a.Pos)
	gap2 := d.dot(d)
	if gap2 >= float32(room*room) || gap2 == 0 {
		return
	}
	// Half of the missing distance, in the direction of d. 1 - gap²/room² approximates 1 - gap/room
	// without a square root.
	p := d.times(0.3 * (1 - gap2/float32(room*room)))
	a.push = a.push.minus(p.times(rb / ra))
	b.push = b.push.plus(p.times(ra / rb))
}

func (w *World) moveEnemy(e *Enemy) {
	k, way := &table[e.Kind], w.Ship.Pos.minus(e.Pos)
	far := way.length()
	if far > 0 {
		way = Vec{way.X / far, way.Y / far}
	}
	if far > leash { // it appears again on the other side
		e.Pos, e.Age = w.Ship.Pos.plus(way.times(farthest)), 0
		return
	}
	switch e.Kind {
	case Weaver: // from side to side
		sway := Direction(int(e.Age)*3 + int(e.Serial)*37).Y
		way = way.plus(way.left().times(sway)).unit()
	case Dart: // past you if it misses
		if far < 160 {
			way = e.Vel.unit()
		}
	}
	if w.Ship.Dead > 0 && far < 260 { // they drift off
		way = way.times(-0.5)
	}
	speed := k.speed + float32(0.02*float32(w.Wave())) // enemies of later waves are faster
	e.Vel = e.Vel.times(1 - k.grip).plus(way.times(float32(k.grip * speed)))
	e.Pos = e.Pos.plus(e.Vel).plus(e.push)
}

// within returns the enemies within a radius of a place.
func (w *World) within(at Vec, radius float32) iter.Seq[berth.Entry[Enemy]] {
	return w.grid.Within(float64(at.X), float64(at.Y), float64(radius))
}
