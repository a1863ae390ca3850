package world

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/testkit"
)

var all = []Kind{Pool, Dense, List, Map, Gen}

func sceneOf(t testing.TB, seed uint32, spawn, life int, events string) Scene {
	t.Helper()
	list, err := ParseEvents(events)
	testkit.Must(t, err)
	s := Scene{Seed: seed, Spawn: spawn, Life: life, Events: list}
	testkit.Must(t, s.Check())
	return s
}

// same fails unless all containers of w hold the same things, and have counted them correctly.
func same(t *testing.T, w *World) {
	t.Helper()
	first := w.Running()[0]
	want := w.Sum(first)
	for _, p := range w.players {
		f, sum := w.Figures(p.kind), w.Sum(p.kind)
		if sum != want || p.tally != w.players[0].tally {
			t.Fatalf("step %d: %s is at %x, %+v; but %s at %x, %+v", w.StepNumber(),
				p.kind.ID(), sum, p.tally, first.ID(), want, w.players[0].tally)
		}
		if f.Live != p.len() || p.kind != Map && f.Slots != f.Live+f.Vacant {
			t.Fatalf("step %d: %s has %d things: %+v", w.StepNumber(), p.kind.ID(), p.len(), f)
		}
	}
}

// recount fails unless the counts of w agree with its live things.
func recount(t *testing.T, w *World) {
	t.Helper()
	var c Counts
	ids := make(map[uint64]bool)
	for thing := range w.Things() {
		c.add(thing.kind, 1)
		ids[thing.id] = true
		if !(thing.X >= 0 && thing.X < 1 && thing.Y >= 0 && thing.Y < 1) {
			t.Fatalf("step %d: thing outside of the field: %+v", w.StepNumber(), *thing)
		}
	}
	got := w.Counts()
	c.Hits, c.Kills, c.Lost, c.Turned = got.Hits, got.Kills, got.Lost, got.Turned
	if c != got || len(ids) != got.Ships+got.Enemies+got.Missiles+got.Particles {
		t.Fatalf("step %d: counts %+v, but there are %+v with %d ids", w.StepNumber(), got, c, len(ids))
	}
}

// TestLockstep plays worlds in all containers, with all kinds of events.
func TestLockstep(t *testing.T) {
	for _, s := range []Scene{
		sceneOf(t, 1, 100, 60, ""),
		sceneOf(t, 2, 20, 60, "0b,30k,60b,60b,90l,120s60,121t10,200k,200k,201l,202l,250s0,300s40,310b,400k"),
		sceneOf(t, 1<<31-1, 0, 1000, "0l,1k,2l,100b,200k"),
		sceneOf(t, 3, 200, 20, "100s1,200t900,300s50,350k"),
	} {
		t.Run(fmt.Sprint(s.Seed), func(t *testing.T) {
			if testing.Short() && s.Seed != 2 {
				t.Skip("many things")
			}
			w := New(s, all)
			for i := range 410 {
				same(t, w)
				if i%50 == 0 {
					recount(t, w)
				}
				w.Step()
			}
			recount(t, w)
		})
	}
}

// TestRun starts and stops containers at random, beside a world that stays in one.
func TestRun(t *testing.T) {
	s := sceneOf(t, 5, 60, 100, "150b,200k,300l,350b")
	w, still := New(s, []Kind{Gen}), New(s, []Kind{Map})
	r := rand.New(rand.NewPCG(1, 2))
	steps := 380
	if testing.Short() {
		steps = 160
	}
	for step := range steps {
		if r.IntN(4) == 0 {
			run := slices.Clone(all)
			r.Shuffle(Kinds, func(i, j int) { run[i], run[j] = run[j], run[i] })
			run = run[:1+r.IntN(Kinds)]
			w.Run(append(run, run[0]))
			if slices.Sort(run); !slices.Equal(w.Running(), run) {
				t.Fatalf("step %d: %v run, not %v", step, w.Running(), run)
			}
		}
		same(t, w)
		if w.Sum(w.Running()[0]) != still.Sum(Map) || w.Counts() != still.Counts() {
			t.Fatalf("step %d: the world is another one: %+v, %+v", step, w.Counts(), still.Counts())
		}
		w.Step()
		still.Step()
	}
	if c := w.Counts(); c.Lost == 0 || c.Turned == 0 || c.Hits == 0 || c.Kills == 0 {
		t.Errorf("too calm to be a test: %+v", c)
	}
}

// TestRunKeepsTargets checks that missiles keep their targets, including stale ones.
func TestRunKeepsTargets(t *testing.T) {
	w := New(sceneOf(t, 4, 10, 30, ""), []Kind{List})
	for range 200 {
		w.Step()
	}
	testkit.Must(t, w.Do(OpKill, 0))
	targets := func() map[uint64]uint64 {
		ids := make(map[uint64]uint64)
		for m := range w.Things() {
			if m.kind == missile {
				if ids[m.id] = 0; w.players[0].at(m.target) != nil {
					ids[m.id] = w.players[0].at(m.target).id
				}
			}
		}
		return ids
	}
	want := targets()
	gone := 0
	for _, to := range want {
		if to == 0 {
			gone++
		}
	}
	if gone == 0 {
		t.Fatalf("no missile has lost its target: %v", want)
	}
	for _, k := range []Kind{Dense, Gen, Map, Pool} {
		w.Run([]Kind{k})
		if got := targets(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("in %s, targets are %v; want %v", k.ID(), got, want)
		}
	}
	lost := w.Counts().Lost
	w.Step()
	if got := w.Counts().Lost - lost; got != uint64(gone) {
		t.Errorf("%d missiles found nothing, want %d", got, gone)
	}
}

func TestRunRefusesNothing(t *testing.T) {
	for _, run := range [][]Kind{nil, {}, {Pool, Kind(Kinds)}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Run(%d) does not panic", run)
				}
			}()
			New(Scene{Seed: 1, Life: 10}, []Kind{Pool}).Run(run)
		}()
	}
}

// TestGolden pins worlds: they must be the same on every machine, and after every change that is
// not meant to change them.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		s    Scene
		want map[uint32]uint64
	}{
		{sceneOf(t, 7, 100, 220, "120b,400k,500l"), map[uint32]uint64{
			0: 0xf3dcfb3bd8f46ec, 1: 0xc22e98271370ab71, 100: 0x130c7395b458495c, 200: 0xfdf3934304e0d703, 410: 0x63df6710474645c8, 600: 0xb40e1aa5143d6201,
		}},
		{sceneOf(t, 2026, 50, 100, "50s400,60t30,200b,210b,300s10"), map[uint32]uint64{
			49: 0x256c1e76b56ea94f, 250: 0xa6dc80329d909799, 500: 0xbe2a8e717875a12c,
		}},
	} {
		w := New(c.s, []Kind{Pool})
		for step := range uint32(601) {
			if want, ok := c.want[step]; ok {
				if got := w.Sum(Pool); got != want {
					t.Errorf("seed %d: step %d has the sum %#x, want %#x", c.s.Seed, step, got, want)
				}
			}
			w.Step()
		}
	}
}

// TestReplay plays the scene of a world with past events, before and during its planned events.
func TestReplay(t *testing.T) {
	w := New(sceneOf(t, 11, 40, 50, "60b,60k,100s5"), []Kind{Pool, Map})
	do := map[uint32][]Event{
		0: {{Op: OpBurst}}, 20: {{Op: OpKill}, {Op: OpKill}}, 60: {{Op: OpLife, N: 90}, {Op: OpCull}},
		61: {{Op: OpSpawn, N: 77}},
	}
	var sums []uint64
	for step := range uint32(150) {
		for _, e := range do[step] {
			testkit.Must(t, w.Do(e.Op, e.N))
		}
		w.Step()
		sums = append(sums, w.Sum(Map))
	}
	if spawn, life := w.Now(); spawn != 5 || life != 90 {
		t.Errorf("spawn %d, life %d; want 5, 90", spawn, life)
	}
	const text = "0b,20k,20k,60t90,60l,60b,60k,61s77,100s5"
	s := w.Scene()
	if s.EventsText() != text || !w.Exact() || s.Spawn != 40 || s.Life != 50 || s.Seed != 11 {
		t.Errorf("the scene is %+v, %q, exact: %t; want %q", s, s.EventsText(), w.Exact(), text)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	again := New(s, []Kind{Gen})
	for step, want := range sums {
		again.Step()
		if got := again.Sum(Gen); got != want {
			t.Fatalf("step %d: %x, and played again %x", step, want, got)
		}
	}
	if again.StepNumber() != w.StepNumber() || again.Counts() != w.Counts() {
		t.Errorf("step %d, %+v; played again %d, %+v",
			w.StepNumber(), w.Counts(), again.StepNumber(), again.Counts())
	}
}

// TestExact plays more events than a scene can hold: they happen, the scene stays within bounds,
// and reports that it is inexact.
func TestExact(t *testing.T) {
	s := sceneOf(t, 1, 10, 10, "5s3")
	w := New(s, all)
	for i := range MaxEvents - 1 {
		if err := w.Do(OpSpawn, i); err != nil || !w.Exact() {
			t.Fatalf("event %d: error %v, exact %t", i, err, w.Exact())
		}
	}
	if err := w.Do(OpSpawn, 500); err != nil || w.Exact() {
		t.Errorf("event %d: error %v, exact %t", MaxEvents, err, w.Exact())
	}
	if spawn, _ := w.Now(); spawn != 500 {
		t.Errorf("spawn is %d, want 500", spawn)
	}
	for range 6 {
		w.Step()
	}
	if spawn, _ := w.Now(); spawn != 3 {
		t.Errorf("spawn is %d, want 3 by the event that was planned", spawn)
	}
	if err := w.Scene().Check(); err != nil {
		t.Error(err)
	}
	same(t, w)
}

// TestMostThings exceeds the maximum of things.
func TestMostThings(t *testing.T) {
	run := all
	if testing.Short() {
		run = []Kind{Pool, Map}
	}
	w := New(sceneOf(t, 9, MaxSpawn, MaxLife, ""), run)
	for range MaxThings/Burst + 1 {
		testkit.Must(t, w.Do(OpBurst, 0))
	}
	for range 3 {
		if n := w.Figures(Pool).Live; n != MaxThings {
			t.Fatalf("%d things, want %d", n, MaxThings)
		}
		same(t, w)
		w.Step()
	}
	recount(t, w)
}

// TestEvents checks the effect of events, besides that it is the same in all containers.
func TestEvents(t *testing.T) {
	w := New(sceneOf(t, 8, 100, 100, ""), []Kind{Pool})
	steps := func(n int) {
		for range n {
			w.Step()
		}
	}
	live := func() int { return w.Figures(Pool).Live }
	do := func(op Op, n int) {
		t.Helper()
		testkit.Must(t, w.Do(op, n))
	}
	steps(300)
	n := w.Counts().Particles
	if n < 9_000 || n > 11_000 {
		t.Errorf("%d particles, want about 10 000", n)
	}
	if c := w.Counts(); c.Ships != fleet || c.Enemies < 60 || c.Enemies > 120 || c.Missiles == 0 {
		t.Errorf("after 300 steps, there are %+v", c)
	}
	do(OpBurst, 0)
	if got := w.Counts().Particles - n; got != Burst {
		t.Errorf("a burst has %d particles, want %d", got, Burst)
	}
	before := live()
	do(OpKill, 0)
	if got := float64(live()) / float64(before); got < 0.09 || got > 0.11 {
		t.Errorf("%.3f outlive an OpKill, want 0.1", got)
	}
	before = live()
	do(OpKill, 0)
	if got := float64(live()) / float64(before); got < 0.07 || got > 0.13 {
		t.Errorf("%.3f outlive another OpKill at the same step, want 0.1", got)
	}
	do(OpCull, 0)
	if live() != few {
		t.Errorf("%d outlive an OpCull, want %d", live(), few)
	}
	do(OpKill, 0)
	before = live()
	do(OpCull, 0)
	if live() != before || before >= few {
		t.Errorf("%d of %d outlive an OpCull", live(), before)
	}
	for live() > 0 {
		do(OpKill, 0)
	}
	do(OpCull, 0) // of nothing
	do(OpSpawn, 30)
	do(OpLife, 40)
	steps(200)
	do(OpSpawn, 0)
	steps(61)
	for range 500 {
		w.Step()
		if c := w.Counts(); c.Particles > 10*mostBlast {
			t.Fatalf("%d particles, although none are to be born but of blasts", c.Particles)
		}
		if debt := w.players[0].debt; debt != 0 {
			t.Fatalf("%d particles are to be taken off those of later steps, which may never come", debt)
		}
	}
}

// TestSceneIsItsOwn modifies the scene passed to New, and the one that Scene returns.
func TestSceneIsItsOwn(t *testing.T) {
	s := sceneOf(t, 1, 0, 10, "5b,6k")
	w := New(s, []Kind{Pool})
	s.Events[0].Op = OpCull
	got := w.Scene()
	got.Events[1].Op = OpCull
	if text := w.Scene().EventsText(); text != "5b,6k" {
		t.Errorf("the scene has become %q", text)
	}
}

func TestTurns(t *testing.T) {
	w := New(sceneOf(t, 1, 0, 10, ""), all)
	firsts := make(map[Kind]int)
	for range 2 * Kinds {
		seen := make(map[Kind]bool)
		for i := range w.players {
			seen[w.inTurn(i).kind] = true
		}
		if len(seen) != Kinds {
			t.Fatalf("not all containers have a turn: %v", seen)
		}
		firsts[w.inTurn(0).kind]++
		w.Step()
	}
	for k := range Kind(Kinds) {
		if firsts[k] != 2 {
			t.Errorf("%s was the first %d times, want 2", k.ID(), firsts[k])
		}
	}
}

// TestSteadyState counts allocations of steps in which nothing grows.
func TestSteadyState(t *testing.T) {
	for _, k := range all {
		w := New(sceneOf(t, 6, 50, 60, "10b"), []Kind{k})
		for range 600 {
			w.Step()
		}
		allocs := testing.AllocsPerRun(300, w.Step)
		if want := 0.0; k != Map && allocs > want || k == Map && allocs < 30 {
			t.Errorf("%s: %v allocations a step", k.ID(), allocs)
		}
	}
}

func TestKinds(t *testing.T) {
	ids := make(map[string]bool)
	for k := range Kind(Kinds) {
		got, ok := KindByID(k.ID())
		if got != k || !ok || ids[k.ID()] || k.Name() == "" || k.About() == "" {
			t.Errorf("kind %d: %q is %d, %t", k, k.ID(), got, ok)
		}
		ids[k.ID()] = true
	}
	if k, ok := KindByID("vec"); ok {
		t.Errorf("there is a kind vec: %d", k)
	}
	w := New(sceneOf(t, 1, 0, 10, ""), []Kind{Dense})
	if f := w.Figures(Pool); f != (Figures{}) {
		t.Errorf("figures of a container that does not run: %+v", f)
	}
}

// TestWornOut uses up half of a list's identifiers, so that it is replaced, and plays the last step
// of a world.
func TestWornOut(t *testing.T) {
	w := New(sceneOf(t, 5, 40, 50, ""), []Kind{List, Pool})
	for range 40 {
		w.Step()
	}
	old := w.player(List).box.(*listBox)
	if old.given < 1000 || old.worn() {
		t.Fatalf("%d identifiers were given", old.given)
	}
	old.given = enoughGiven
	for range 40 {
		w.Step()
		same(t, w)
	}
	if b := w.player(List).box.(*listBox); b == old || b.worn() || w.Counts().Missiles == 0 {
		t.Errorf("the list is the old one: %t; %+v", b == old, w.Counts())
	}
	recount(t, w)
	w.step = math.MaxUint32 - 10
	for range 20 {
		w.Step()
		same(t, w)
	}
	if w.StepNumber() != math.MaxUint32 {
		t.Errorf("it stands at step %d", w.StepNumber())
	}
}
