// Frame is a game without a screen, whose memory has three lifetimes:
//
//   - the game: the score, at the bottom of a virtual arena
//   - the level: enemies, the names of some of them and future events, above the score, until the
//     arena is rewound at the end of the level
//   - the frame: visible enemies and draw calls, in a small arena that is reset after each frame
//
// Nothing is freed one by one. A frame allocates nothing on Go's heap; the program measures that.
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
	nameID uint32 // the hash of a name; an arena cannot hold strings
)

type enemy struct {
	x, y, dx, dy int32
	health       int32
	prey         handle // the enemy that it follows; may be stale
}

type kind int32

const (
	hit   kind = iota // takes health
	blast             // takes health of all enemies nearby
	spawn             // makes a new enemy
)

// event is due at a frame. Its enemy may have been killed by then.
type event struct {
	kind kind
	due  int32 // the frame
	who  handle
	x, y int32
}

// call draws one enemy. The farthest enemy is drawn first.
type call struct {
	depth, x int32
	who      handle
}

// score outlives the levels.
type score struct{ frames, killed, late, drawn, sum uint64 }

const (
	size   = 1 << 12 // of a level
	half   = 600     // of the side of the visible square
	radius = 150     // of a blast
	delay  = 20      // frames from a shot to its hit
	most   = 600     // frames in a level
)

type game struct {
	out   io.Writer
	rng   *rand.Rand
	score *score

	memory *arena.Arena // of the game and, above it, the level
	start  arena.Mark   // of the level

	enemies *arena.Handles[enemy, handle]
	names   *arena.Map[nameID, handle]
	events  *arena.Deque[event]
	x, y    int32 // of the camera

	frame   *arena.Arena
	visible *arena.Vec[handle]
	top     int // bytes of the largest frame so far
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

// load makes a level of n enemies in the memory of the last level.
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
	for h, e := range g.enemies.All() { // the first enemy
		e.health = 40
		g.names.Set(boss, h)
		break
	}
	return nil
}

// spawn makes an enemy at a random place.
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
	g.frame.Reset()
	g.visible.Clear() // makes the Vec usable again
	g.score.frames++
}

// move moves all enemies. An enemy whose prey is gone follows the enemy before it.
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

// look finds the enemies that are visible to a camera that follows the boss.
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

// shoot shoots at a visible enemy. The shot hits later, if the enemy still lives.
func (g *game) shoot() {
	if n := g.visible.Len(); n > 0 {
		g.later(event{kind: hit, who: g.visible.At(g.rng.IntN(n))})
	}
}

func (g *game) later(e event) {
	e.due = int32(g.score.frames) + delay
	g.events.PushBack(e)
}

// happen handles the events that are due, which are the first of the queue.
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
				g.later(e) // no slot is left: try again later
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

// blast hits all enemies nearby. Their list lives in a scope of the frame.
func (g *game) blast(at event) {
	g.frame.Scope(func(a *arena.Arena) {
		for _, h := range g.near(a, at.x, at.y) {
			g.hit(h)
		}
	})
}

// near returns a list, in a, of the enemies near a place.
func (g *game) near(a *arena.Arena, x, y int32) (list []handle) {
	for h, e := range g.enemies.All() {
		if abs(e.x-x) <= radius && abs(e.y-y) <= radius {
			list, _ = arena.Append(a, list, h) // a chunked arena always has room
		}
	}
	return list
}

// draw sorts the draw calls and adds them to the checksum.
func (g *game) draw() {
	calls := arena.MakeSliceDirty[call](g.frame, 0, g.visible.Len())
	for _, h := range g.visible.Slice() {
		if e := g.enemies.Ptr(h); e != nil { // may have been killed
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

// play plays a level until the boss is killed or the last frame is over. It returns the average
// number of objects that a frame allocated on Go's heap, and the handle of the boss.
func (g *game) play(name string, n int) (allocs float64, b handle, err error) {
	if err := g.load(n); err != nil {
		return 0, 0, fmt.Errorf("level %s: %w", name, err)
	}
	before := *g.score
	b, _ = g.names.Get(boss)
	for range delay { // until the queue has reached its length
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
				return fmt.Errorf("the handle of the boss of level %d finds an enemy", i)
			}
		}
		bosses = append(bosses, b)
	}
	g.say("the handles of %d bosses find nothing in later levels", len(bosses)-1)
	g.say("objects that a frame allocates on Go's heap: %.0f", allocs)
	g.say("the largest frame used %d of %d bytes, in %d chunk", g.top,
		g.frame.Stats().Reserved, g.frame.Stats().Chunks)
	g.say("at most 1 of 64 MiB is committed: %v", g.memory.Committed() <= 1<<20)
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
