package near_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/near"
)

type collider struct {
	x, y      int16
	hit, been bool
}

func where(c *collider) (x, y float64) { return float64(c.x), float64(c.y) }

// side returns the side of a square in which n colliders are as dense as 1000 in one of 1000.
func side(n int) int { return int(math.Sqrt(1000 * float64(n))) }

func world(n int) *berth.Pool[collider] {
	r := rand.New(rand.NewPCG(1, 2))
	p := berth.NewPool[collider](berth.Config{Capacity: n})
	for range n {
		p.Insert(collider{x: int16(r.IntN(side(n))), y: int16(r.IntN(side(n)))})
	}
	return p
}

func BenchmarkNear(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		p := world(n)
		g := near.NewGrid(2, where)
		g.SetShape(near.Box)
		g.Rebuild(p)
		pairs := countPairs(g)
		run := func(op string, want int, f func() int) {
			b.Run(fmt.Sprintf("op=%s/n=%d", op, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if got := f(); got != want {
						b.Fatalf("found %d, want %d", got, want)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/elem")
			})
		}
		run("rebuild", n, func() int { g.Rebuild(p); return g.Len() })
		run("pairs", pairs, func() int { return countPairs(g) })
		run("traverse", 2*pairs, func() int { return countTraverse(g) })
	}
}

// A frame of a world in which few values move: by Move, or by Rebuild.
func BenchmarkNearFrame(b *testing.B) {
	const n = 10000
	for _, movers := range []int{10, 100, 1000} {
		for _, way := range []string{"move", "rebuild"} {
			b.Run(fmt.Sprintf("op=%s/movers=%d/n=%d", way, movers, n), func(b *testing.B) {
				p := world(n)
				var hs []berth.Handle[collider]
				for h := range p.All() {
					hs = append(hs, h)
				}
				g := near.NewGrid(2, where)
				g.SetShape(near.Box)
				g.Rebuild(p)
				r, pairs := rand.New(rand.NewPCG(1, 2)), 0
				for b.Loop() {
					for range movers {
						h := hs[r.IntN(n)]
						c := p.Ptr(h)
						c.x = int16(min(max(int(c.x)+r.IntN(9)-4, 0), side(n)-1))
						if way == "move" {
							g.Move(h)
						}
					}
					if way == "rebuild" {
						g.Rebuild(p)
					}
					pairs += countPairs(g)
				}
				b.ReportMetric(float64(pairs)/float64(b.N), "pairs")
				got := countPairs(g)
				if g.Rebuild(p); got != countPairs(g) {
					b.Fatalf("%d pairs, want %d", got, countPairs(g))
				}
			})
		}
	}
}

//go:noinline
func countPairs(g *near.Grid[collider]) (n int) {
	for a, b := range g.Pairs(2) {
		a.Value.hit, b.Value.been = true, true
		n++
	}
	return n
}

//go:noinline
func countTraverse(g *near.Grid[collider]) (n int) {
	for a, others := range g.Traverse(2) {
		for b := range others.Values() {
			a.Value.hit, b.been = true, true
			n++
		}
	}
	return n
}
