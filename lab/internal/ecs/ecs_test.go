package ecs

import (
	"fmt"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// twins are the worlds to compare.
var twins = []struct {
	name string
	make func() World
}{{"berth", NewPooled}, {"ark", NewArk}}

// Both worlds have the same entities and components after every step.
func TestAgree(t *testing.T) {
	const n = 1000
	a, b := twins[0].make(), twins[1].make()
	r, s := measure.RNG{S: measure.Seed ^ 16}, measure.RNG{S: measure.Seed ^ 16}
	a.Spawn(n)
	b.Spawn(n)
	before, buried := a.Sum(), 0
	for step := range 400 {
		i, j := Step(a, &r, n), Step(b, &s, n)
		if x, y := a.Sum(), b.Sum(); x != y || i != j {
			t.Fatalf("step %d: %s has %d, and %d are buried; %s has %d, and %d", step,
				twins[0].name, x, i, twins[1].name, y, j)
		}
		buried += i
	}
	if buried < n/2 || a.Sum() == before {
		t.Errorf("%d of %d entities are buried in 400 steps", buried, n)
	}
}

// BenchmarkStep measures a frame.
func BenchmarkStep(b *testing.B) {
	const warm = 100
	for _, n := range []int{1000, 10_000, 100_000} {
		for _, x := range twins {
			b.Run(fmt.Sprintf("n=%d/impl=%s", n, x.name), func(b *testing.B) {
				w, r := x.make(), &measure.RNG{S: measure.Seed ^ 16}
				w.Spawn(n)
				for range warm {
					Step(w, r, n)
				}
				for b.Loop() {
					Step(w, r, n)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/entity")
			})
		}
	}
}
