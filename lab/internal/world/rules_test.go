package world

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

func TestThingIsSmall(t *testing.T) {
	if n := unsafe.Sizeof(Thing{}); n > 40 {
		t.Errorf("a thing has %d bytes, more than 40", n)
	}
}

func TestDirections(t *testing.T) {
	for i, d := range directions {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / turn)
		if math.Abs(float64(d[0])-cos) > 1e-7 || math.Abs(float64(d[1])-sin) > 1e-7 {
			t.Errorf("direction %d is %v, want %v, %v", i, d, cos, sin)
		}
		near := (i*32 + turn/2) / turn % 32
		if got := int(heading(d[0]*3, d[1]*3)); got != near && i%8 != 4 {
			t.Errorf("direction %d heads for %d, want %d", i, got, near)
		}
	}
}

// TestWindGathersNothing adds up the flow into and out of each cell, and checks the border.
func TestWindGathersNothing(t *testing.T) {
	f := newFlow(7)
	const high, wide = 1.0 / flowRows, aspect / flowCols
	blows := float32(0)
	for y := range f {
		for x, g := range f[y] {
			if sum := g.dx/wide + g.dy/high; math.Abs(float64(sum)) > 1e-7 {
				t.Errorf("cell %d, %d: %v goes out", x, y, sum)
			}
			blows = max(blows, g.x, g.y)
			if x == 0 && g.x != 0 || y == 0 && g.y != 0 ||
				x == flowCols-1 && g.x+g.dx != 0 || y == flowRows-1 && g.y+g.dy != 0 {
				t.Errorf("cell %d, %d: wind blows out of the field: %+v", x, y, g)
			}
		}
	}
	if blows < 1e-6 {
		t.Errorf("no wind: %v", blows)
	}
}

func TestBounced(t *testing.T) {
	for _, c := range [][4]float32{
		{-0.25, -1, 0.25, 0.5}, {1.25, 1, 0.75, -0.5}, {-7, -1, 1 - 1.0/(1<<24), 0.5},
		{9, 1, 0, -0.5}, {0.5, 1, 0.5, 1}, {1, 1, 1 - 1.0/(1<<24), -0.5},
	} {
		if at, v := bounced(c[0], c[1]); at != c[2] || v != c[3] {
			t.Errorf("bounced(%v, %v) = %v, %v; want %v, %v", c[0], c[1], at, v, c[2], c[3])
		}
	}
}

func TestLook(t *testing.T) {
	for _, c := range []struct {
		t    Thing
		want byte
	}{
		{Thing{kind: particle, life: 100}, 31 << 3},
		{Thing{kind: particle, life: 100, age: 50}, 15 << 3},
		{Thing{kind: particle, life: 100, age: 99}, 0},
		{Thing{kind: ship, vx: 1}, 1},
		{Thing{kind: ship, vy: 1}, 1 | 8<<3},
		{Thing{kind: enemy, health: 31}, 2 | 31<<3},
		{Thing{kind: enemy, health: 1}, 2 | 1<<3},
		{Thing{kind: missile, vx: -1}, 3 | 16<<3},
		{Thing{kind: missile, vy: -1, flash: 24}, 4 | 24<<3},
		{Thing{kind: missile, vx: 1, vy: -1, flash: 1}, 4 | 28<<3},
	} {
		if got := c.t.Look(); got != c.want {
			t.Errorf("%+v looks %d and %d, want %d and %d", c.t, got&7, got>>3, c.want&7, c.want>>3)
		}
	}
}

func TestNearest(t *testing.T) {
	var s stage
	if s.nearest(0, 0) != nil || s.anyEnemy(1) != nil {
		t.Error("there is an enemy where there is none")
	}
	s.enemies = []spot{{id: 9, x: 0.5, y: 0.7}, {id: 7, x: 0.5, y: 0.4}, {id: 4, x: 0.5, y: 0.4}, {id: 8, x: 0.5, y: 0.4}, {id: 1, x: 0.6, y: 0.5}}
	if e := s.nearest(0.5, 0.5); e.id != 4 { // 1 is as far in X, and so farther
		t.Errorf("the nearest is %d, want 4", e.id)
	}
	if e := s.nearest(1, 0.5); e.id != 1 {
		t.Errorf("the nearest is %d, want 1", e.id)
	}
}

// TestFlash follows missiles: one with a stale target flashes for 24 steps, unless it ends before,
// or finds the next target gone too.
func TestFlash(t *testing.T) {
	w := New(sceneOf(t, 5, 0, 10, ""), []Kind{Pool})
	shown := make(map[uint64]int)
	full := 0
	for range 2000 {
		lost := w.Counts().Lost
		w.Step()
		lost = w.Counts().Lost - lost
		began := uint64(0)
		for m := range w.Things() {
			if m.kind != missile {
				continue
			}
			is := m.Look()&7 == byte(4)
			if m.flash == flashSteps {
				shown[m.id] = 0
				began++
			}
			if is {
				shown[m.id]++
			} else if n, ok := shown[m.id]; ok {
				if n != 24 {
					t.Fatalf("missile %d has flashed for %d steps, want 24", m.id, n)
				}
				full++
				delete(shown, m.id)
			}
		}
		if began > lost {
			t.Fatalf("%d missiles begin to flash, but %d have lost their targets", began, lost)
		}
	}
	if full < 20 {
		t.Errorf("only %d missiles have flashed to the end", full)
	}
}

// TestNoEnemy lets missiles fizzle out without any enemy.
func TestNoEnemy(t *testing.T) {
	w := New(sceneOf(t, 5, 0, 10, ""), all)
	for range 100 {
		w.Step()
	}
	for _, p := range w.players {
		for e := range p.all() {
			if e.kind == enemy {
				e.health = 0
			}
		}
	}
	w.Step()
	before := w.Counts()
	if before.Enemies != 0 || before.Missiles < 5 {
		t.Fatalf("no world for this test: %+v", before)
	}
	w.Notice()
	w.Step()
	c := w.Counts()
	if c.Missiles != 0 || c.Lost-before.Lost != uint64(before.Missiles) || c.Turned != before.Turned {
		t.Errorf("without enemies, %+v became %+v", before, c)
	}
	same(t, w)
	line, ok := w.Notice()
	if !ok || !strings.HasSuffix(line, ", fizzles out: no enemy is left") {
		t.Errorf("notice %q, %t", line, ok)
	}
}

// TestNotice parses notices about missiles, and checks them against the container.
func TestNotice(t *testing.T) {
	shape := regexp.MustCompile(`^step (\d+): missile (\d+) looks up handle (\d+|\d+:\d+), finds nothing` +
		`( \(its slot is reused\)| \(its slot is vacant\)|), turns to enemy (\d+)$`)
	for _, k := range all {
		w := New(sceneOf(t, 3, 30, 60, ""), []Kind{k})
		fates := make(map[string]int)
		for step := range 1200 {
			lost := w.Counts().Lost
			w.Step()
			line, ok := w.Notice()
			if ok != (w.Counts().Lost > lost) {
				t.Fatalf("%s, step %d: notice %q, %t, although %+v", k.ID(), step, line, ok, w.Counts())
			}
			if !ok {
				continue
			}
			m := shape.FindStringSubmatch(line)
			if m == nil || m[1] != strconv.Itoa(step) {
				t.Fatalf("%s, step %d: notice %q", k.ID(), step, line)
			}
			fates[m[4]]++
			for thing := range w.Things() {
				target := w.players[0].at(thing.target)
				if strconv.FormatUint(thing.id, 10) == m[2] &&
					(thing.kind != missile || target == nil || strconv.FormatUint(target.id, 10) != m[5]) {
					t.Fatalf("%s: %q, but its target is %+v", k.ID(), line, target)
				}
			}
			if again, ok := w.Notice(); ok {
				t.Fatalf("%s: told twice: %q", k.ID(), again)
			}
		}
		tells := k != Dense && k != Map
		if (fates[""] == 0) != tells || tells && fates[" ("+slotTaken+")"] == 0 {
			t.Errorf("%s: the slots' fates are %v", k.ID(), fates)
		}
	}
}

// TestNoticeOfLast lets two missiles lose their targets in one step. In any loop order the notice
// is about the one born last, and another container gives no notice.
func TestNoticeOfLast(t *testing.T) {
	for _, order := range [][2]uint64{{5, 9}, {9, 5}} {
		s := stage{tally: new(tally)}
		for _, id := range order {
			s.turn(&Thing{kind: missile, id: id})
		}
		if s.lost.missile != 9 || s.counts.Lost != 2 {
			t.Errorf("of %d, %d is noted, and %d counted", order, s.lost.missile, s.counts.Lost)
		}
	}
	w := New(sceneOf(t, 3, 0, 10, ""), []Kind{Pool, Dense})
	for w.Counts().Lost == 0 {
		w.Step()
	}
	w.Run([]Kind{Pool, Gen})
	if w.loss.missile == 0 {
		t.Fatal("the notice is gone, although Pool still is the first container")
	}
	w.Run([]Kind{Gen})
	if line, ok := w.Notice(); ok {
		t.Errorf("another container tells %q", line)
	}
}

// TestFate reads the slot of a removed value, before and after it is reused.
func TestFate(t *testing.T) {
	for _, k := range all {
		p := newPlayer(k, 1)
		first, second := p.put(Thing{id: 1}), p.put(Thing{id: 2})
		w := &World{players: []*player{p}}
		w.stage.begin(&p.tally)
		w.stage.limit = w.stage.rank(p.at(second))
		stale := first
		if w.stage.doomed(p.at(second)) || !w.stage.doomed(p.at(first)) {
			w.stage.limit = w.stage.rank(p.at(first))
			stale = second
		}
		p.cull(&w.stage)
		if p.at(stale) != nil || p.len() != 1 {
			t.Fatalf("%s: %d things, and the stale handle finds %v", k.ID(), p.len(), p.at(stale))
		}
		before := p.fate(stale)
		p.put(Thing{id: 3})
		got, want := [3]string{before, p.fate(stale), p.fate(0)}, [3]string{slotVacant, slotTaken}
		if k == Dense || k == Map {
			want = [3]string{}
		}
		if got != want {
			t.Errorf("%s: fates %q, want %q", k.ID(), got, want)
		}
		if p.at(stale) != nil || p.at(0) != nil || p.say(stale) == "" {
			t.Errorf("%s: the handle %q finds something", k.ID(), p.say(stale))
		}
	}
}
