package world

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/seed505807e1/berth"
)

const (
	// MaxThings is how many things there are at most. What would be born beyond is not, the same
	// in each container.
	MaxThings = 200_000
	// Burst is how many particles a burst has.
	Burst = burst
)

// World is one world in up to five containers. It must not be used by several goroutines at a time.
type World struct {
	scene    Scene // as it began, and the events
	done     int   // how many of the events have happened
	happened uint64
	inexact  bool
	step     uint32
	stage    stage
	players  []*player // those that run, by Kind
	loss     loss      // the last of the first player, with what is to be told of it
	words    []berth.Slots
}

// New returns the world of s, which must have been checked, in the containers of run. It
// panics if there is none of them, or an unknown one.
func New(s Scene, run []Kind) *World {
	w := &World{scene: s}
	w.scene.Events = slices.Clone(s.Events)
	w.stage = stage{seed: s.Seed, spawn: s.Spawn, life: s.Life, wind: newFlow(s.Seed)}
	for _, k := range distinct(run) {
		p := newPlayer(k, s.Seed)
		w.players = append(w.players, p)
		w.stage.begin(&p.tally)
		w.stage.people()
		p.insert(w.stage.bear(MaxThings))
	}
	return w
}

// distinct returns kinds in their order, each once.
func distinct(kinds []Kind) []Kind {
	kinds = slices.Clone(kinds)
	slices.Sort(kinds)
	kinds = slices.Compact(kinds)
	if len(kinds) == 0 || int(kinds[len(kinds)-1]) >= Kinds {
		panic(fmt.Sprintf("world: no containers to run, or unknown ones: %d", kinds))
	}
	return kinds
}

// inTurn returns the container that comes after i others in this step: each is the first in turn,
// so that none always finds the cache as something else has left it.
func (w *World) inTurn(i int) *player {
	n := len(w.players)
	return w.players[(i+int(w.step%uint32(n)))%n]
}

// player returns the container of kind k, or nil if it does not run.
func (w *World) player(k Kind) *player {
	for _, p := range w.players {
		if p.kind == k {
			return p
		}
	}
	return nil
}

// Scene returns what the world follows from, with the events so far, and those to come.
func (w *World) Scene() Scene {
	s := w.scene
	s.Events = slices.Clone(s.Events)
	return s
}

// StepNumber returns the number of the next step, which is how many there have been.
func (w *World) StepNumber() uint32 { return w.step }

// Now returns how many particles are born in a step, and how many steps they live in the mean.
func (w *World) Now() (spawn, life int) { return w.stage.spawn, w.stage.life }

// Exact reports whether Scene tells all that has happened: false once there were more than
// MaxEvents events.
func (w *World) Exact() bool { return !w.inexact }

// Do makes something happen now, and adds it to the events of the scene. It returns a wrapped
// ErrScene, and does nothing, if n is not for op.
func (w *World) Do(op Op, n int) error {
	if err := op.check(n); err != nil {
		return err
	}
	e := Event{Step: w.step, Op: op, N: n}
	if len(w.scene.Events) < MaxEvents {
		w.scene.Events = slices.Insert(w.scene.Events, w.done, e)
		w.done++
	} else {
		w.inexact = true
	}
	w.happen(e)
	return nil
}

// Step makes one step in each container that runs. They take turns in being the first. There are
// 2^32-1 steps, which is more than two years of sixty a second; then the world stands still.
func (w *World) Step() {
	if w.step == math.MaxUint32 {
		return
	}
	w.renew()
	for w.done < len(w.scene.Events) && w.scene.Events[w.done].Step <= w.step {
		w.happen(w.scene.Events[w.done])
		w.done++
	}
	w.stage.step = w.step
	for i := range w.players {
		p := w.inTurn(i)
		first := p == w.players[0]
		start := time.Now()
		p.step(&w.stage, first)
		p.took = p.extra + time.Since(start)
		p.extra = 0
		if first && w.stage.lost.missile != 0 {
			w.loss = w.stage.lost
		}
	}
	w.step++
}

// renew gives a fresh container to those whose own has little left of what it has only so much of.
// The world itself does not change by it.
func (w *World) renew() {
	for i, p := range w.players {
		if p.worn() {
			w.players[i] = p.copyTo(newPlayer(p.kind, w.scene.Seed))
			if i == 0 {
				w.loss = loss{} // its handles are the other one's
			}
		}
	}
}

// happen makes an event happen in each container.
func (w *World) happen(e Event) {
	w.happened++
	s := &w.stage
	s.step = w.step
	switch e.Op {
	case OpSpawn:
		s.spawn = e.N
		return
	case OpLife:
		s.life = e.N
		return
	}
	d := newDice(s.seed, saltEvent, w.happened)
	if e.Op != OpBurst {
		s.limit = w.limit(e.Op, d)
	}
	for i := range w.players {
		p := w.inTurn(i)
		start := time.Now()
		s.begin(&p.tally)
		if e.Op == OpBurst {
			s.bang(d)
			p.insert(s.bear(MaxThings - p.len()))
		} else {
			s.dice = d
			p.cull(s)
		}
		p.extra += time.Since(start)
	}
}

// limit returns the rank up to which things outlive an event.
func (w *World) limit(op Op, d dice) uint64 {
	if op == OpKill {
		return 1<<64/survival - 1
	}
	w.stage.dice = d
	least := make([]uint64, 0, few+1) // sorted
	for t := range w.Things() {
		r := w.stage.rank(t)
		if len(least) == few && r > least[few-1] {
			continue
		}
		i, _ := slices.BinarySearch(least, r)
		least = slices.Insert(least, i, r)
		least = least[:min(few, len(least))]
	}
	if len(least) == 0 {
		return 0
	}
	return least[len(least)-1]
}

// Run says which containers run from now on. One that is new gets what lives, in the order of
// birth. The world itself does not change by it. It panics if there is none of them, or an unknown
// one.
func (w *World) Run(kinds []Kind) {
	var players []*player
	for _, k := range distinct(kinds) {
		p := w.player(k)
		if p == nil {
			p = w.players[0].copyTo(newPlayer(k, w.scene.Seed))
		}
		players = append(players, p)
	}
	if players[0] != w.players[0] {
		w.loss = loss{} // its handles are another container's
	}
	w.players = players
}

// copyTo inserts what lives in p into q, and returns q. Missiles get the new handles of their
// targets; those whose targets are gone get the handle that names nothing.
func (p *player) copyTo(q *player) *player {
	q.tally = p.tally
	things := slices.SortedFunc(p.all(), func(a, b *Thing) int { return cmp.Compare(a.id, b.id) })
	handles := make([]uint64, len(things))
	for i, t := range things {
		born := *t
		born.target = 0
		handles[i] = q.put(born)
	}
	for i, t := range things {
		target := p.at(t.target)
		if target == nil {
			continue
		}
		at, _ := slices.BinarySearchFunc(things, target.id,
			func(t *Thing, id uint64) int { return cmp.Compare(t.id, id) })
		q.at(handles[i]).target = handles[at]
	}
	return q
}

// Running returns the containers that run.
func (w *World) Running() []Kind {
	kinds := make([]Kind, len(w.players))
	for i, p := range w.players {
		kinds[i] = p.kind
	}
	return kinds
}

// Counts returns what lives and what has happened so far.
func (w *World) Counts() Counts { return w.players[0].counts }

// Things returns an iterator over what lives, by way of the first container that runs, and in its
// order. It must not be changed.
func (w *World) Things() iter.Seq[*Thing] { return w.players[0].all() }

// Figures are of one container.
type Figures struct {
	Step   time.Duration // the last step, with the events before it
	Bytes  int           // held for values and bookkeeping
	Live   int
	Vacant int
	// Retired slots are used up, and may have no memory any more.
	Retired int
	Slots   int // in memory
	Chunks  int // pieces of memory
}

// Figures returns those of a container that runs; of another one, none.
// Cost: O(1).
func (w *World) Figures(k Kind) (f Figures) {
	p := w.player(k)
	if p == nil {
		return f
	}
	p.memory(&f)
	f.Step = p.took
	return f
}

// Sum returns a sum over all that the world knows of its things, from a container that runs; of
// another one, 0. The order of the things is no matter, so that it is equal in all containers.
// Cost: O(things).
func (w *World) Sum(k Kind) (sum uint64) {
	p := w.player(k)
	if p == nil {
		return 0
	}
	for t := range p.all() {
		sum += t.sum()
	}
	return sum
}

// Notice returns a line about the last missile that found its target gone, as the first container
// tells it. It reports false if there was none since the last call.
func (w *World) Notice() (string, bool) {
	l := w.loss
	if l.missile == 0 {
		return "", false
	}
	w.loss = loss{}
	asks, nothing, then := "an enemy that was gone before", "", "fizzles out: no enemy is left"
	if l.target != 0 {
		asks = "handle " + w.players[0].say(l.target)
	}
	if l.fate != "" {
		nothing = " (" + l.fate + ")"
	}
	if l.turned != 0 {
		then = fmt.Sprintf("turns to enemy %d", l.turned)
	}
	return fmt.Sprintf("step %d: missile %d asks for %s, finds nothing%s, %s",
		l.step, l.missile, asks, nothing, then), true
}
