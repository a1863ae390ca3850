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

func world(n int) (*berth.Pool[collider], int) {
	side := uint64(math.Sqrt(float64(n)) * 1000 / math.Sqrt(1000))
	r := rand.New(rand.NewPCG(1, 2))
	p := berth.NewPool[collider](berth.Config{Capacity: n})
	for range n {
		p.Insert(collider{x: int16(r.Uint64N(side)), y: int16(r.Uint64N(side))})
	}
	return p, int(side)
}

func BenchmarkNear(b *testing.B) {
	for _, n := range []int{1000, 10000, 100000} {
		p, side := world(n)
		b.Run(fmt.Sprintf("impl=grid/op=rebuild/n=%d", n), func(b *testing.B) {
			g := near.NewGrid(2, where)
			for b.Loop() {
				g.Rebuild(p)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/value")
		})
		b.Run(fmt.Sprintf("impl=grid/op=pairs/n=%d", n), func(b *testing.B) {
			g := near.NewGrid(2, where)
			g.SetShape(near.Box)
			g.Rebuild(p)
			pairs := 0
			for b.Loop() {
				pairs = countPairs(g)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/value")
			b.ReportMetric(float64(pairs), "pairs")
		})
		b.Run(fmt.Sprintf("impl=grid/op=traverse/n=%d", n), func(b *testing.B) {
			g := near.NewGrid(2, where)
			g.SetShape(near.Box)
			g.Rebuild(p)
			pairs := 0
			for b.Loop() {
				pairs = countTraverse(g)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/value")
			b.ReportMetric(float64(pairs), "pairs")
		})
		b.Run(fmt.Sprintf("impl=hand/op=rebuild/n=%d", n), func(b *testing.B) {
			var g hand
			for b.Loop() {
				g.build(p, side)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/value")
		})
		b.Run(fmt.Sprintf("impl=hand/op=pairs/n=%d", n), func(b *testing.B) {
			var g hand
			g.build(p, side)
			pairs := 0
			for b.Loop() {
				pairs = g.pairs()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/value")
			b.ReportMetric(float64(pairs), "pairs")
		})
	}
}

// A frame of a world in which few move: they tell the grid, or it is rebuilt.
func BenchmarkNearFrame(b *testing.B) {
	const n = 10000
	for _, movers := range []int{10, 100, 1000} {
		for _, way := range []string{"move", "rebuild"} {
			b.Run(fmt.Sprintf("op=%s/movers=%d/n=%d", way, movers, n), func(b *testing.B) {
				p, side := world(n)
				var hs []berth.Handle[collider]
				for h := range p.Handles() {
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
						c.x = int16(min(max(int(c.x)+r.IntN(9)-4, 0), side-1))
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

// hand is the grid that one writes for this very case: places in a known square, small ints.
type hand struct {
	start  []uint32
	places []handPlace
	w      int
}

type handPlace struct {
	x, y int16
	c    *collider
}

const shift = 5 // cells of 32

func (g *hand) build(p *berth.Pool[collider], side int) {
	g.w = side>>shift + 1
	if len(g.start) != g.w*g.w+1 {
		g.start = make([]uint32, g.w*g.w+1)
	}
	clear(g.start)
	if len(g.places) != p.Len() {
		g.places = make([]handPlace, p.Len())
	}
	for _, cs := range p.Spans() {
		for i := range cs {
			g.start[int(cs[i].y>>shift)*g.w+int(cs[i].x>>shift)]++
		}
	}
	sum := uint32(0)
	for i, n := range g.start {
		sum += n
		g.start[i] = sum
	}
	for _, cs := range p.Spans() {
		for i := range cs {
			k := &g.start[int(cs[i].y>>shift)*g.w+int(cs[i].x>>shift)]
			*k--
			g.places[*k] = handPlace{cs[i].x, cs[i].y, &cs[i]}
		}
	}
}

func (g *hand) pairs() (n int) {
	for i := range g.places {
		a := &g.places[i]
		row := int(a.y >> shift)
		lo, hi := max(int(a.x-1)>>shift, 0), min(int(a.x+1)>>shift, g.w-1)
		run := g.places[i+1 : g.start[row*g.w+hi+1]]
		for j := range run {
			if near16(a, &run[j]) {
				a.c.hit, run[j].c.been = true, true
				n++
			}
		}
		if next := int(a.y+1) >> shift; next > row && next < g.w {
			run := g.places[g.start[next*g.w+lo]:g.start[next*g.w+hi+1]]
			for j := range run {
				if near16(a, &run[j]) {
					a.c.hit, run[j].c.been = true, true
					n++
				}
			}
		}
	}
	return n
}

func near16(a, b *handPlace) bool {
	return uint16(a.x-b.x+1) < 3 && uint16(a.y-b.y+1) < 3
}
