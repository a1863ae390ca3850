package migrating

import (
	"math/rand/v2"
	"testing"

	"github.com/seed505807e1/berth"
	after "github.com/seed505807e1/berth/examples/migrating/fromslice/after"
	before "github.com/seed505807e1/berth/examples/migrating/fromslice/before"
)

// world is what both worlds do. R refers to a ship.
type world[R any] interface {
	Launch(hull int) R
	Fire(target R, n int)
	Step() int
	Hulls() int
}

// battle is a world in which two missiles are fired at one ship in a hundred at each step, and
// another ship comes. The first missile sinks its target, and mostly the second is lost.
type battle[R any] struct {
	world world[R]
	ships []R
	rng   *rand.Rand
	now   int
	due   [farthest + 1]int // the hits of the steps to come
}

const farthest = 20 // steps to a target, at most

func newBattle[R any](w world[R], n int) *battle[R] {
	v := &battle[R]{world: w, rng: newRand()}
	for range n {
		v.ships = append(v.ships, w.Launch(1))
	}
	return v
}

// step returns the number of hits, and how many there should be.
func (v *battle[R]) step() (hits, want int) {
	for range len(v.ships) / 100 {
		target := &v.ships[v.rng.IntN(len(v.ships))]
		first, second := 1+v.rng.IntN(farthest), 1+v.rng.IntN(farthest)
		v.world.Fire(*target, first)
		v.world.Fire(*target, second)
		v.due[(v.now+min(first, second))%len(v.due)]++
		if first == second {
			v.due[(v.now+first)%len(v.due)]++
		}
		*target = v.world.Launch(1)
	}
	v.now++
	due := &v.due[v.now%len(v.due)]
	want, *due = *due, 0
	return v.world.Step(), want
}

func TestFromSlice(t *testing.T) {
	b := newBattle(new(before.World), 1000)
	a := newBattle(new(after.World), 1000)
	for i := range 200 {
		wantHits, want := b.step()
		hits, _ := a.step()
		if hits != want || wantHits != want || a.world.Hulls() != b.world.Hulls() {
			t.Fatalf("step %d: %d hits, hulls %d; before: %d, %d; want %d hits",
				i, hits, a.world.Hulls(), wantHits, b.world.Hulls(), want)
		}
	}
}

func BenchmarkFromSlice(b *testing.B) {
	benchWorld(b, "before", func() world[*before.Ship] { return new(before.World) })
	benchWorld(b, "after", func() world[berth.Handle[after.Ship]] { return new(after.World) })
}

func benchWorld[R any](b *testing.B, impl string, empty func() world[R]) {
	b.Run("op=step/impl="+impl, func(b *testing.B) {
		v := newBattle(empty(), many)
		for range 2 * farthest { // until the number of ships is steady
			v.step()
		}
		sum, want := 0, 0
		b.ReportAllocs()
		for b.Loop() {
			hits, due := v.step()
			sum += hits
			want += due
		}
		if sum != want {
			b.Fatalf("checksum %d, want %d", sum, want)
		}
	})
	b.Run("op=loop/impl="+impl, func(b *testing.B) {
		v := newBattle(empty(), many)
		for range 1000 { // until the ships lie in memory as they do in a program that has run
			v.step()
		}
		sum, steps, want := 0, 0, v.world.Hulls()
		for b.Loop() {
			sum += v.world.Hulls()
			steps++
		}
		if sum != want*steps || sum == 0 {
			b.Fatalf("checksum %d, want %d", sum, want*steps)
		}
	})
	b.Run("op=collect/impl="+impl, func(b *testing.B) {
		collect(b, newBattle(empty(), 10*burst))
	})
}
