package migrating

import (
	"math/rand/v2"
	"testing"

	"github.com/seed505807e1/berth"
	after "github.com/seed505807e1/berth/examples/migrating/frommap/after"
	before "github.com/seed505807e1/berth/examples/migrating/frommap/before"
)

// ship is what the ships of both fleets are.
type ship interface{ ~struct{ Hull, X, Speed int } }

// fleet is what both fleets do. K is a key or a handle.
type fleet[K any, S ship] interface {
	Launch(S) K
	Hit(K, int) bool
	Step() int
	Sum() int
}

// voyage is a fleet at sea: one ship in a hundred sinks at each step, and another one comes.
type voyage[K any, S ship] struct {
	fleet fleet[K, S]
	keys  []K
	rng   *rand.Rand
	speed int
}

func newVoyage[K any, S ship](f fleet[K, S], n int) *voyage[K, S] {
	v := &voyage[K, S]{fleet: f, rng: newRand()}
	for range n {
		v.keys = append(v.keys, v.launch())
	}
	return v
}

func (v *voyage[K, S]) launch() K {
	v.speed++
	return v.fleet.Launch(S(struct{ Hull, X, Speed int }{1, 0, v.speed % 8}))
}

// step returns the number of ships that sank, and of keys that found a ship that had sunk.
func (v *voyage[K, S]) step() (sunk, wrong int) {
	const stride = 97 // prime to the number of ships, so that all that are hit differ
	first, n := v.rng.IntN(len(v.keys)), len(v.keys)
	for i := range n / 100 {
		v.fleet.Hit(v.keys[(first+i*stride)%n], 1)
	}
	sunk = v.fleet.Step()
	for i := range n / 100 {
		key := &v.keys[(first+i*stride)%n]
		old := *key
		*key = v.launch()
		if v.fleet.Hit(old, 1) {
			wrong++
		}
	}
	return sunk, wrong
}

// sink removes all ships but the first few.
func (v *voyage[K, S]) sink() {
	for _, k := range v.keys[few:] {
		v.fleet.Hit(k, 1)
	}
	v.fleet.Step()
	v.keys = append([]K(nil), v.keys[:few]...)
}

func TestFromMap(t *testing.T) {
	b := newVoyage(before.NewFleet(), 1000)
	a := newVoyage(new(after.Fleet), 1000)
	for i := range 50 {
		wantSunk, wantWrong := b.step()
		sunk, wrong := a.step()
		if sunk != wantSunk || wrong != wantWrong || a.fleet.Sum() != b.fleet.Sum() {
			t.Fatalf("step %d: %d sank, %d are found, sum %d; before: %d, %d, %d",
				i, sunk, wrong, a.fleet.Sum(), wantSunk, wantWrong, b.fleet.Sum())
		}
		if sunk != 10 || wrong != 0 {
			t.Fatalf("step %d: %d sank, want 10; %d are still found", i, sunk, wrong)
		}
	}
	b.sink()
	a.sink()
	if a.fleet.Sum() != b.fleet.Sum() {
		t.Errorf("sum %d, before: %d", a.fleet.Sum(), b.fleet.Sum())
	}
}

func BenchmarkFromMap(b *testing.B) {
	benchFleet(b, "before", func() fleet[uint64, before.Ship] { return before.NewFleet() })
	benchFleet(b, "after", func() fleet[berth.Handle[after.Ship], after.Ship] { return new(after.Fleet) })
}

func benchFleet[K any, S ship](b *testing.B, impl string, empty func() fleet[K, S]) {
	b.Run("op=step/impl="+impl, func(b *testing.B) {
		v, total := newVoyage(empty(), many), 0
		b.ReportAllocs()
		for b.Loop() {
			sunk, wrong := v.step()
			total += sunk + wrong
		}
		if want := b.N * many / 100; total != want {
			b.Fatalf("checksum %d, want %d", total, want)
		}
	})
	b.Run("op=hit/impl="+impl, func(b *testing.B) {
		v, found := newVoyage(empty(), many), 0
		v.rng.Shuffle(many, func(i, j int) { v.keys[i], v.keys[j] = v.keys[j], v.keys[i] })
		for b.Loop() {
			for _, k := range v.keys {
				if v.fleet.Hit(k, 0) {
					found++
				}
			}
		}
		if want := b.N * many; found != want {
			b.Fatalf("checksum %d, want %d", found, want)
		}
	})
	b.Run("op=few/impl="+impl, func(b *testing.B) {
		size := heap()
		v := newVoyage(empty(), burst)
		v.sink()
		start, steps := v.fleet.Sum(), 0
		for b.Loop() {
			v.fleet.Step()
			steps++
		}
		speeds := 1 + 2 + 3 + 4 + 5 + 6 + 7 + 0 + 1 + 2
		if want := start + steps*speeds; v.fleet.Sum() != want {
			b.Fatalf("checksum %d, want %d", v.fleet.Sum(), want)
		}
		held(b, size, v)
	})
}
