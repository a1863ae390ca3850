package migrating

import (
	"testing"

	"github.com/mlange-42/ark/ecs"

	"github.com/seed505807e1/berth"
	after "github.com/seed505807e1/berth/examples/migrating/fromecs/after"
	before "github.com/seed505807e1/berth/examples/migrating/fromecs/before"
)

func ecsBefore(n int) *game[ecs.Entity] {
	w := before.NewWorld()
	return newGame(w, n, func(x, dx int) ecs.Entity {
		return w.Add(before.Position{X: x}, before.Velocity{X: dx}, before.Health{Left: 1})
	})
}

func ecsAfter(n int) *game[berth.Handle[after.Unit]] {
	w := new(after.World)
	return newGame(w, n, func(x, dx int) berth.Handle[after.Unit] {
		return w.Add(after.Position{X: x}, after.Velocity{X: dx}, after.Health{Left: 1})
	})
}

func TestFromECS(t *testing.T) { testUnits(t, ecsBefore(1000), ecsAfter(1000)) }

func BenchmarkFromECS(b *testing.B) {
	benchGame(b, "before", ecsBefore)
	benchGame(b, "after", ecsAfter)
}

func benchGame[E any](b *testing.B, impl string, start func(n int) *game[E]) {
	benchUnits(b, impl, start)
	b.Run("op=field/impl="+impl, func(b *testing.B) {
		g, sum, loops := start(many), 0, 0
		for b.Loop() {
			sum += g.Sum()
			loops++
		}
		if want := loops * many * (many - 1) / 2; sum != want {
			b.Fatalf("checksum %d, want %d", sum, want)
		}
	})
}
