// Flight simulates homing missiles. An enemy may be destroyed while missiles are on their way to
// it, and a new enemy may get its slot. Each missile keeps a handle to its target and looks it up
// at each step. A stale handle finds nothing, so a missile never follows the new enemy in that
// slot. It turns to the nearest enemy instead, or falls if there is none.
//
// With pointers, the same program would keep destroyed enemies in memory and follow them. With
// indices, it would follow the new enemy. Run it with
//
//	go run ./examples/flight
//
// To record a battle of a few hundred missiles and a thousand enemies, which lab replay plays on
// each container, run
//
//	go run ./examples/flight -record missiles.trace
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/trace"
)

type enemy struct {
	name   string
	x, y   float64
	health int
}

type missile struct {
	name   string
	x, y   float64
	target berth.Handle[enemy]
}

const (
	speed  = 2.0
	damage = 6
)

// pool is a *berth.Pool, or a wrapper that records its calls.
type pool[T any] = trace.Container[T, berth.Handle[T]]

// world is a pool of enemies and a pool of missiles. A missile has a handle to its target. An enemy
// has no reference to missiles, so removing it takes no bookkeeping.
type world struct {
	out      io.Writer
	step     int
	enemies  pool[enemy]
	missiles pool[missile]
	retarget int
}

func newWorld(out io.Writer) *world {
	return &world{out: out, enemies: new(berth.Pool[enemy]), missiles: new(berth.Pool[missile])}
}

func (w *world) say(format string, args ...any) {
	fmt.Fprintf(w.out, "%2d  "+format+"\n", append([]any{w.step}, args...)...)
}

func (w *world) spawn(name string, x, y float64, health int) berth.Handle[enemy] {
	w.say("%s appears", name)
	return w.enemies.Insert(enemy{name, x, y, health})
}

func (w *world) fire(name string, at berth.Handle[enemy]) {
	w.say("%s is fired at %s", name, w.enemies.Ptr(at).name)
	w.missiles.Insert(missile{name: name, target: at})
}

// nearest returns the handle of the enemy nearest to a point, or the zero Handle if there is none.
func (w *world) nearest(x, y float64) (best berth.Handle[enemy]) {
	least := math.Inf(1)
	for h, e := range w.enemies.All() {
		if d := math.Hypot(e.x-x, e.y-y); d < least {
			least, best = d, h
		}
	}
	return best
}

// fly moves each missile one step. It removes missiles and enemies inside the loop, which is
// allowed: the loop visits each missile that stays exactly once.
func (w *world) fly() {
	w.step++
	for h, m := range w.missiles.All() {
		e := w.enemies.Ptr(m.target)
		if e == nil {
			w.retarget++
			m.target = w.nearest(m.x, m.y)
			if e = w.enemies.Ptr(m.target); e == nil {
				w.say("%s has lost its target and falls", m.name)
				w.missiles.Remove(h)
				continue
			}
			w.say("%s has lost its target and turns to %s", m.name, e.name)
		}
		dx, dy := e.x-m.x, e.y-m.y
		if d := math.Hypot(dx, dy); d > speed {
			m.x += dx / d * speed
			m.y += dy / d * speed
			continue
		}
		e.health -= damage
		if e.health > 0 {
			w.say("%s hits %s, which has %d health left", m.name, e.name, e.health)
		} else {
			w.say("%s destroys %s", m.name, e.name)
			w.enemies.Remove(m.target)
		}
		w.missiles.Remove(h) // last, because it ends m
	}
}

func run(out io.Writer) {
	w := newWorld(out)
	drone := w.spawn("drone", 6, 0, 5)
	tank := w.spawn("tank", 0, 9, 10)
	w.fire("missile 1", drone)
	w.fire("missile 2", drone)
	w.fire("missile 3", tank)
	for w.missiles.Len() > 0 {
		w.fly()
		if w.step == 3 {
			// The drone has been destroyed. The boss gets its slot, but missile 2 must not follow
			// it.
			boss := w.spawn("boss", -20, -20, 100)
			w.say("the boss has the drone's slot, but another handle: %v", boss != drone)
		}
	}
	fmt.Fprintf(out, "the drone's handle finds %v; enemies left: %d; targets lost: %d\n",
		w.enemies.Ptr(drone), w.enemies.Len(), w.retarget)
	for e := range w.enemies.Values() {
		fmt.Fprintf(out, "  %s, %d health\n", e.name, e.health)
	}
}

func main() {
	var file string
	b := battle{frames: 3600, enemies: 1000}
	flag.StringVar(&file, "record", "", "record a larger battle in `FILE`")
	flag.IntVar(&b.frames, "frames", b.frames, "`number` of frames, 60 a second")
	flag.IntVar(&b.enemies, "enemies", b.enemies, "`number` of enemies after each wave")
	flag.Parse()
	if file == "" {
		run(os.Stdout)
		return
	}
	if err := b.record(file); err != nil {
		fmt.Fprintln(os.Stderr, "flight:", err)
		os.Exit(1)
	}
}
