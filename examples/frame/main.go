// Frame is a game without a screen, whose memory has three lifetimes. Each has an arena, or a mark:
//
//   - the game: the score, at the bottom of a virtual arena
//   - the level: enemies by handle, names of some of them, the events that are still to come; above
//     the score, up to where the arena is rewound to at the end of the level
//   - the frame: who is visible, what is drawn, in a small arena that is reset each time
//
// Nothing is freed one by one, nothing is forgotten, and a frame allocates nothing on Go's heap,
// which the program measures.
//
// Run it with
//
//	go run ./examples/frame
package main

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/seed505807e1/berth/arena"
)

type (
	handle = arena.Handle32[enemy]
	nameID uint32 // of a name: what lies in an arena holds no strings
)

type enemy struct {
	x, y, dx, dy int32
	health       int32
	prey         handle // whom it follows, for as long as that one lives
}

type kind int32

const (
	hit   kind = iota // takes health
	blast             // takes health of all who are near
	spawn             // makes a new enemy
)

// event is something that happens to whoever is meant, if it still lives when the time comes.
type event struct {
	kind kind
	due  int32 // the frame
	who  handle
	x, y int32
}

// call draws one enemy. Calls are sorted, the farthest first.
type call struct {
	depth, x int32
	who      handle
}

// score is all that outlives a level.
type score struct{ frames, killed, late, drawn, sum uint64 }

const (
	size   = 1 << 12 // of a level
	half   = 600     // of what is visible, to each side
	radius = 150     // of a blast
	delay  = 20      // frames from a shot to its hit
	most   = 600     // frames in a level
)

type game struct {
	out   io.Writer
	rng   *rand.Rand
	score *score

	memory *arena.Arena // game, and above it level
	start  arena.Mark   // of the level

	enemies *arena.Handles[enemy, handle]
	names   *arena.Map[nameID, handle]
	events  *arena.Deque[event]
	x, y    int32 // of the camera

	frame   *arena.Arena
	visible *arena.Vec[handle]
	top     int // most bytes that a frame has used
}

func newGame(out io.Writer) (*game, error) {
	memory, err := arena.NewVirtual(64<<20, arena.VirtualConfig{})
	if err != nil {
		return nil, err
	}
	g := &game{out: out, rng: rand.New(rand.NewPCG(1, 2)), memory: memory}
	g.score = arena.New[score](memory)
	g.start = memory.Mark()
	g.frame = arena.NewChunked(64 << 10)
	g.visible = arena.NewVec[handle](g.frame)
	return g, nil
}

func (g *game) say(format string, args ...any) { fmt.Fprintf(g.out, format+"\n", args...) }

func id(name string) nameID {
	h := fnv.New32a()
	io.WriteString(h, name) //nolint:errcheck // a hash never fails
	return nameID(h.Sum32())
}

var boss = id("boss")

// load makes a level of n enemies where the last one was.
func (g *game) load(n int) error {
	g.memory.Rewind(g.start)
	g.enemies = arena.NewHandles[enemy, handle](g.memory, arena.HandlesConfig{})
	g.names = arena.NewMap[nameID, handle](g.memory)
	g.events = arena.NewDeque[event](g.memory, arena.DequeConfig{})
	if !g.enemies.Reserve(n) || !g.names.Grow(8) || !g.events.ReserveBack(4*n) {
		return arena.ErrNoSpace
	}
	for range n {
		if err := g.spawn(); err != nil {
			return err
		}
	}
	for h, e := range g.enemies.All() { // the first one
		e.health = 40
		g.names.Set(boss, h)
		break
	}
	return nil
}

// spawn makes an enemy somewhere.
func (g *game) spawn() error {
	_, err := g.enemies.Create(enemy{
		x: g.rng.Int32N(size), y: g.rng.Int32N(size),
		dx: g.rng.Int32N(9) - 4, dy: g.rng.Int32N(9) - 4,
		health: 1 + g.rng.Int32N(3),
	})
	return err
}

// step is one frame.
func (g *game) step() {
	g.move()
	g.look()
	g.shoot()
	g.happen()
	g.draw()
	g.top = max(g.top, g.frame.Used())
	g.frame.Reset()   // all that the frame has made
	g.visible.Clear() // and its list is good for the next
	g.score.frames++
}

// move moves everybody. Whoever's prey is gone takes the one that was moved before for the next.
func (g *game) move() {
	var last handle
	for h, e := range g.enemies.All() {
		if p := g.enemies.Ptr(e.prey); p != nil {
			e.dx += int32(cmp.Compare(p.x, e.x))
			e.dy += int32(cmp.Compare(p.y, e.y))
		} else {
			e.prey = last
		}
		e.dx, e.dy = min(max(e.dx, -8), 8), min(max(e.dy, -8), 8)
		e.x, e.y = (e.x+e.dx)&(size-1), (e.y+e.dy)&(size-1)
		last = h
	}
}

// look finds who is visible to a camera that follows the boss.
func (g *game) look() {
	h, _ := g.names.Get(boss)
	if b := g.enemies.Ptr(h); b != nil {
		g.x, g.y = b.x, b.y
	}
	for h, e := range g.enemies.All() {
		if abs(e.x-g.x) <= half && abs(e.y-g.y) <= half {
			g.visible.Push(h)
		}
	}
}

// shoot shoots at somebody visible. It hits later, if there is anybody left to hit.
func (g *game) shoot() {
	if n := g.visible.Len(); n > 0 {
		g.later(event{kind: hit, who: g.visible.At(g.rng.IntN(n))})
	}
}

func (g *game) later(e event) {
	e.due = int32(g.score.frames) + delay
	g.events.PushBack(e)
}

// happen deals with the events whose time has come, which are the first ones.
func (g *game) happen() {
	for {
		e, ok := g.events.Front()
		if !ok || e.due > int32(g.score.frames) {
			return
		}
		g.events.PopFront()
		switch e.kind {
		case hit:
			g.hit(e.who)
		case blast:
			g.blast(e)
		case spawn:
			if g.spawn() != nil {
				g.later(e) // no slot: once more
			}
		}
	}
}

func (g *game) hit(h handle) {
	e := g.enemies.Ptr(h)
	if e == nil {
		g.score.late++
		return
	}
	if e.health--; e.health > 0 {
		return
	}
	g.later(event{kind: blast, x: e.x, y: e.y})
	g.later(event{kind: spawn})
	g.enemies.Destroy(h)
	g.score.killed++
}

// blast hits all who are near. The list of them is needed here only, so it lives in a scope of the
// frame.
func (g *game) blast(at event) {
	g.frame.Scope(func(a *arena.Arena) {
		for _, h := range g.near(a, at.x, at.y) {
			g.hit(h)
		}
	})
}

// near returns a list in a of who is near to a place.
func (g *game) near(a *arena.Arena, x, y int32) (list []handle) {
	for h, e := range g.enemies.All() {
		if abs(e.x-x) <= radius && abs(e.y-y) <= radius {
			list, _ = arena.Append(a, list, h) // chunks: there is always room
		}
	}
	return list
}

// draw sorts what is to be drawn, and adds it to the sum of all that ever was.
func (g *game) draw() {
	calls := arena.MakeSliceDirty[call](g.frame, 0, g.visible.Len())
	for _, h := range g.visible.Slice() {
		if e := g.enemies.Ptr(h); e != nil { // it may have died since
			calls = append(calls, call{depth: e.y, x: e.x, who: h})
		}
	}
	slices.SortFunc(calls, func(a, b call) int {
		return cmp.Or(cmp.Compare(a.depth, b.depth), cmp.Compare(a.x, b.x),
			cmp.Compare(a.who.Index(), b.who.Index()))
	})
	for _, c := range calls {
		g.score.sum = g.score.sum*31 + uint64(c.depth)<<12 + uint64(c.x)
	}
	g.score.drawn += uint64(len(calls))
}

func abs(x int32) int32 { return max(x, -x) }

// play plays a level, to the death of the boss or the last frame, and returns how many objects a
// frame has allocated on Go's heap on average, and the handle of the boss.
func (g *game) play(name string, n int) (allocs float64, b handle, err error) {
	if err := g.load(n); err != nil {
		return 0, 0, fmt.Errorf("level %s: %w", name, err)
	}
	before := *g.score
	b, _ = g.names.Get(boss)
	for range delay { // until the queue is as long as it is going to be
		g.step()
	}
	allocs = testing.AllocsPerRun(100, g.step)
	for g.enemies.Valid(b) && g.score.frames-before.frames < most {
		g.step()
	}
	s := g.score
	g.say("%-5s  %7d  %6d  %6d  %8d  %7d  %016x  %6d", name, n, s.frames-before.frames,
		s.killed-before.killed, s.late-before.late, s.drawn-before.drawn, s.sum, g.memory.Used())
	return allocs, b, nil
}

func run(out io.Writer) error {
	g, err := newGame(out)
	if err != nil {
		return err
	}
	g.say("level  enemies  frames  killed  too late    drawn  sum               bytes")
	var allocs float64
	var bosses []handle
	for i, name := range []string{"yard", "mine", "keep", "tower"} {
		perFrame, b, err := g.play(name, []int{200, 1600, 800, 400}[i])
		if err != nil {
			return err
		}
		allocs += perFrame
		for i, old := range bosses {
			if g.enemies.Valid(old) {
				return fmt.Errorf("the boss of level %d has come back", i)
			}
		}
		bosses = append(bosses, b)
	}
	g.say("the handles of %d bosses found nothing in the levels after theirs", len(bosses)-1)
	g.say("objects that a frame allocated on Go's heap: %.0f", allocs)
	g.say("the largest frame used %d of %d bytes, in %d chunk", g.top,
		g.frame.Stats().Reserved, g.frame.Stats().Chunks)
	g.say("all levels together committed less than 1 of 64 MiB: %v", g.memory.Committed() <= 1<<20)
	g.memory.Rewind(g.start)
	g.say("the game itself uses %d bytes: %d killed in %d frames", g.memory.Used(),
		g.score.killed, g.score.frames)
	return g.memory.Release()
}

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "frame:", err)
		os.Exit(1)
	}
}
