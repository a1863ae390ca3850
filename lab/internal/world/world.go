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

// World is one world in up to five containers. It must not be used by several goroutines at a time.
type World struct {
	scene    Scene // the initial scene, and the events
	done     int   // the number of past events
	happened uint64
	inexact  bool
	step     uint32
	stage    stage
	players  []*player // the running ones, by Kind
	loss     loss      // the last one of the first player, for Notice
	words    []berth.Slots
}

// New returns the world of s, which must have been checked, in the containers of run. It panics if
// run is empty or has an unknown kind.
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

// distinct returns the kinds in order, each once.
func distinct(kinds []Kind) []Kind {
	kinds = slices.Clone(kinds)
	slices.Sort(kinds)
	kinds = slices.Compact(kinds)
	if len(kinds) == 0 || int(kinds[len(kinds)-1]) >= Kinds {
		panic(fmt.Sprintf("world: no containers, or an unknown one (got %d)", kinds))
	}
	return kinds
}

// inTurn returns the i-th container of this step. Each is the first in turn, so that the state of
// the cache affects all alike.
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

// Scene returns the scene of the world, with past and future events.
func (w *World) Scene() Scene {
	s := w.scene
	s.Events = slices.Clone(s.Events)
	return s
}

// StepNumber returns the number of the next step, which is the number of steps so far.
func (w *World) StepNumber() uint32 { return w.step }

// Now returns the current number of particles per step, and their mean lifetime in steps.
func (w *World) Now() (spawn, life int) { return w.stage.spawn, w.stage.life }

// Exact reports whether Scene is complete. It returns false after more than MaxEvents events.
func (w *World) Exact() bool { return !w.inexact }

// Do applies an event now, and adds it to the scene. It returns a wrapped ErrScene, and does
// nothing, if n is invalid for op.
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

// Step makes one step in each running container. They take turns in being the first. There are
// 2^32-1 steps, more than two years at sixty a second; then the world stops.
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

// renew replaces containers whose handles are nearly used up. It does not change the world.
func (w *World) renew() {
	for i, p := range w.players {
		if p.worn() {
			w.players[i] = p.copyTo(newPlayer(p.kind, w.scene.Seed))
			if i == 0 {
				w.loss = loss{} // its handles are those of the old container
			}
		}
	}
}

// happen applies an event in each container.
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

// limit returns the rank up to which an event spares things.
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

// Run sets the running containers. A new one gets the live things in order of birth. It does not
// change the world. It panics if kinds is empty or has an unknown kind.
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
		w.loss = loss{} // its handles are those of another container
	}
	w.players = players
}

// copyTo inserts the things of p into q, and returns q. Missiles get the new handles of their
// targets, or the zero handle if those are gone.
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

// Running returns the running containers.
func (w *World) Running() []Kind {
	kinds := make([]Kind, len(w.players))
	for i, p := range w.players {
		kinds[i] = p.kind
	}
	return kinds
}

// Counts returns the numbers of live things and of past events.
func (w *World) Counts() Counts { return w.players[0].counts }

// Things returns an iterator over the things of the first running container, in its order. The
// things must not be modified.
func (w *World) Things() iter.Seq[*Thing] { return w.players[0].all() }

// Figures returns the figures of a running container, and zeros for another.
//
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

// Sum returns a checksum of all things in a running container, and 0 for another. It does not
// depend on their order, so it is equal in all containers.
//
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

// Notice returns a line about the last missile whose target was gone, from the first container. It
// returns false if there was none since the last call.
func (w *World) Notice() (string, bool) {
	l := w.loss
	if l.missile == 0 {
		return "", false
	}
	w.loss = loss{}
	asks, nothing, then := "an enemy removed before", "", "fizzles out: no enemy is left"
	if l.target != 0 {
		asks = "handle " + w.players[0].say(l.target)
	}
	if l.fate != "" {
		nothing = " (" + l.fate + ")"
	}
	if l.turned != 0 {
		then = fmt.Sprintf("turns to enemy %d", l.turned)
	}
	return fmt.Sprintf("step %d: missile %d looks up %s, finds nothing%s, %s",
		l.step, l.missile, asks, nothing, then), true
}

// player is a box with its share of the world's state.
type player struct {
	kind Kind
	box
	tally
	took  time.Duration // of the last step, and the events before it
	extra time.Duration // of events since
}

func newPlayer(k Kind, seed uint32) *player {
	return &player{kind: k, box: kinds[k].box(seed), tally: tally{next: 1}}
}

// step is the turn of p at a step of the world.
func (p *player) step(s *stage, witness bool) {
	s.begin(&p.tally)
	p.pass(s)
	p.home(s)
	if witness && s.lost.missile != 0 {
		s.lost.fate = p.fate(s.lost.target)
	}
	p.bury(s)
	s.fire()
	s.arrive()
	p.insert(s.bear(MaxThings - p.len()))
}
