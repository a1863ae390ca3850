package migrating

import (
	"math/rand/v2"
	"testing"
)

// units are ships of a fleet or entities of a world. E refers to one of them.
type units[E any] interface {
	Hit(E, int) bool
	Step() int
	Sum() int
}

// game is units of which one in a hundred dies at each step, and another one comes.
type game[E any] struct {
	units[E]
	add  func(x, dx int) E
	live []E
	rng  *rand.Rand
}

func newGame[E any](w units[E], n int, add func(x, dx int) E) *game[E] {
	g := &game[E]{units: w, add: add, rng: newRand()}
	for i := range n {
		g.live = append(g.live, add(i, i%8))
	}
	return g
}

// step returns the number of units that died, and of references that found one that had died.
func (g *game[E]) step() (died, wrong int) {
	const stride = 97 // prime to the number of units, so that all that are hit differ
	first, n := g.rng.IntN(len(g.live)), len(g.live)
	for i := range n / 100 {
		g.Hit(g.live[(first+i*stride)%n], 1)
	}
	died = g.Step()
	for i := range n / 100 {
		e := &g.live[(first+i*stride)%n]
		old := *e
		*e = g.add(i, first%8)
		if g.Hit(old, 1) {
			wrong++
		}
	}
	return died, wrong
}

// sink removes all units but the first few.
func (g *game[E]) sink() {
	for _, e := range g.live[few:] {
		g.Hit(e, 1)
	}
	g.Step()
	g.live = append([]E(nil), g.live[:few]...)
}

// testUnits plays both games, of a thousand units each.
func testUnits[B, A any](t *testing.T, b *game[B], a *game[A]) {
	t.Helper()
	for i := range 50 {
		wantDied, wantWrong := b.step()
		died, wrong := a.step()
		if died != wantDied || wrong != wantWrong || a.Sum() != b.Sum() {
			t.Fatalf("step %d: %d died, %d are found, sum %d; before: %d, %d, %d",
				i, died, wrong, a.Sum(), wantDied, wantWrong, b.Sum())
		}
		if died != 10 || wrong != 0 {
			t.Fatalf("step %d: %d died, want 10; %d are still found", i, died, wrong)
		}
	}
	b.sink()
	a.sink()
	if a.Sum() != b.Sum() {
		t.Errorf("sum %d, before: %d", a.Sum(), b.Sum())
	}
}

// benchUnits measures steps, and hits in random order.
func benchUnits[E any](b *testing.B, impl string, start func(n int) *game[E]) {
	b.Run("op=step/impl="+impl, func(b *testing.B) {
		g, total := start(many), 0
		b.ReportAllocs()
		for b.Loop() {
			died, wrong := g.step()
			total += died + wrong
		}
		if want := b.N * many / 100; total != want {
			b.Fatalf("checksum %d, want %d", total, want)
		}
	})
	b.Run("op=hit/impl="+impl, func(b *testing.B) {
		g, found := start(many), 0
		g.rng.Shuffle(many, func(i, j int) { g.live[i], g.live[j] = g.live[j], g.live[i] })
		for b.Loop() {
			for _, e := range g.live {
				if g.Hit(e, 0) {
					found++
				}
			}
		}
		if want := b.N * many; found != want {
			b.Fatalf("checksum %d, want %d", found, want)
		}
	})
}
