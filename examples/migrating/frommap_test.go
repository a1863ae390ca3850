package migrating

import (
	"testing"

	"github.com/seed505807e1/berth"
	after "github.com/seed505807e1/berth/examples/migrating/frommap/after"
	before "github.com/seed505807e1/berth/examples/migrating/frommap/before"
)

func mapBefore(n int) *game[uint64] {
	f := before.NewFleet()
	return newGame(f, n, func(x, dx int) uint64 {
		return f.Launch(before.Ship{Hull: 1, X: x, Speed: dx})
	})
}

func mapAfter(n int) *game[berth.Handle[after.Ship]] {
	f := new(after.Fleet)
	return newGame(f, n, func(x, dx int) berth.Handle[after.Ship] {
		return f.Launch(after.Ship{Hull: 1, X: x, Speed: dx})
	})
}

func TestFromMap(t *testing.T) { testUnits(t, mapBefore(1000), mapAfter(1000)) }

func BenchmarkFromMap(b *testing.B) {
	benchFleet(b, "before", mapBefore)
	benchFleet(b, "after", mapAfter)
}

func benchFleet[K any](b *testing.B, impl string, start func(n int) *game[K]) {
	benchUnits(b, impl, start)
	b.Run("op=few/impl="+impl, func(b *testing.B) {
		size := heap()
		g := start(burst)
		g.sink()
		first, steps := g.Sum(), 0
		for b.Loop() {
			g.Step()
			steps++
		}
		speeds := 0 + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 0 + 1
		if want := first + steps*speeds; g.Sum() != want {
			b.Fatalf("checksum %d, want %d", g.Sum(), want)
		}
		held(b, size, g)
	})
}
