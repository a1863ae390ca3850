// Flight is of missiles that chase enemies that may be gone before they are hit, and whose slots
// may be somebody else's by then. Each missile keeps a handle of its target and asks the pool at
// every step: a stale handle finds nothing, so a missile never follows the newcomer in its victim's
// slot. It looks for the nearest enemy instead, or falls when there is none.
//
// The same program with pointers would keep dead enemies alive and fly after their ghosts; with
// plain indices, it would turn on whoever came next. Run it with
//
//	go run ./examples/flight
//
// and, to fly a few hundred missiles at a thousand enemies and write down what that does to the
// two pools, which lab replay plays on every container,
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

// pool is a *berth.Pool, or one that is recorded.
type pool[T any] = trace.Container[T, berth.Handle[T]]

// world is two pools. A missile refers to an enemy by handle, and nothing refers back: an enemy
// dies without knowing who was after it.
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

// nearest returns the handle of the enemy nearest to a point; the zero Handle if there is none.
func (w *world) nearest(x, y float64) (best berth.Handle[enemy]) {
	least := math.Inf(1)
	for h, e := range w.enemies.All() {
		if d := math.Hypot(e.x-x, e.y-y); d < least {
			least, best = d, h
		}
	}
	return best
}

// fly moves every missile one step. Missiles and enemies are removed inside the loop: that is
// allowed, and each missile that is still there has its turn exactly once.
func (w *world) fly() {
	w.step++
	for h, m := range w.missiles.All() {
		e := w.enemies.Ptr(m.target)
		if e == nil {
			w.retarget++
			m.target = w.nearest(m.x, m.y)
			if e = w.enemies.Ptr(m.target); e == nil {
				w.say("%s has lost its target, and falls", m.name)
				w.missiles.Remove(h)
				continue
			}
			w.say("%s has lost its target, and turns to %s", m.name, e.name)
		}
		dx, dy := e.x-m.x, e.y-m.y
		if d := math.Hypot(dx, dy); d > speed {
			m.x += dx / d * speed
			m.y += dy / d * speed
			continue
		}
		e.health -= damage
		if e.health > 0 {
			w.say("%s hits %s, who has %d left", m.name, e.name, e.health)
		} else {
			w.say("%s destroys %s", m.name, e.name)
			w.enemies.Remove(m.target)
		}
		w.missiles.Remove(h) // last: m and e are not good any more once their values are removed
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
			// The drone is dead now. The boss gets its slot, and must not get its missile.
			boss := w.spawn("boss", -20, -20, 100)
			w.say("the boss has the drone's slot, and a handle of its own: %v", boss != drone)
		}
	}
	fmt.Fprintf(out, "the drone's handle finds %v; %d enemies are left; %d targets were lost\n",
		w.enemies.Ptr(drone), w.enemies.Len(), w.retarget)
	for e := range w.enemies.Values() {
		fmt.Fprintf(out, "  %s, %d health\n", e.name, e.health)
	}
}

func main() {
	var file string
	b := battle{frames: 3600, enemies: 1000}
	flag.StringVar(&file, "record", "", "record a larger battle in this `FILE`")
	flag.IntVar(&b.frames, "frames", b.frames, "of the battle, 60 in a second")
	flag.IntVar(&b.enemies, "enemies", b.enemies, "of the battle, after each wave")
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
