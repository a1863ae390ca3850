package near

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth"
)

type spot struct{ x, y, z float64 }

func (s *spot) flat() (x, y float64)     { return s.x, s.y }
func (s *spot) solid() (x, y, z float64) { return s.x, s.y, s.z }

// spoiled is a way to break a grid's cells, and the panic expected from the check.
type spoiled struct {
	want  string
	spoil func(c *cells)
}

// fires checks that the check finds each way to break cells, which must be whole before.
func fires(t *testing.T, make func() *cells, all []spoiled) {
	t.Helper()
	for i, s := range all {
		c := make()
		c.checkInvariants()
		s.spoil(c)
		func() {
			defer func() {
				t.Helper()
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "near: "+s.want+":") {
					t.Errorf("break %d: panic %q, want %q", i, got, s.want)
				}
			}()
			c.checkInvariants()
		}()
	}
}

// Each invariant check fires on cells that break it.
func TestInvariantsFire(t *testing.T) {
	var hs []berth.Handle[spot]
	grid := func() *Grid[spot] {
		hs = nil
		p := new(berth.Pool[spot])
		for i := range 40 {
			hs = append(hs, p.Insert(spot{float64(i % 7), float64(i / 7), 0}))
		}
		hs = append(hs, p.Insert(spot{x: math.NaN()}))
		g := NewGrid(1, (*spot).flat)
		g.Rebuild(p)
		for i := range 9 { // leaves chains behind, of more than one
			h := p.Insert(spot{float64(i % 3), 1, 0})
			g.Insert(h)
			hs = append(hs, h)
		}
		g.Remove(hs[3])
		return g
	}
	fires(t, func() *cells { return &grid().cells }, []spoiled{
		{"invariant 1", func(c *cells) { c.start = c.start[:len(c.start)-1] }},
		{"invariant 1", func(c *cells) { c.start[0] = 1 }},
		{"invariant 1", func(c *cells) { c.start[len(c.start)-1]-- }},
		{"invariant 1", func(c *cells) { c.start[3]++ }},
		{"invariant 1", func(c *cells) { c.items[0].x = 5 }},
		{"invariant 1", func(c *cells) { c.items[0].x = float32(math.NaN()) }},
		{"invariant 1", func(c *cells) { c.items[0], c.items[9] = c.items[9], c.items[0] }},
		{"invariant 1", func(c *cells) { c.size, c.inv = 2, 0.5 }},
		{"invariant 1", func(c *cells) { c.buckets-- }},
		{"invariant 1", func(c *cells) { c.row-- }},
		{"invariant 2", func(c *cells) { c.links = c.links[:len(c.links)-1] }},
		{"invariant 2", func(c *cells) { c.heads = nil }},
		{"invariant 2", func(c *cells) { clear(c.heads) }},
		{"invariant 2", func(c *cells) { c.links[len(c.links)-1] = uint32(len(c.items)) }},
		{"invariant 2", func(c *cells) { c.links[0] = uint32(len(c.items)) }},
		{"invariant 2", func(c *cells) { c.heads[0] = 1 }},
		{"invariant 2", func(c *cells) { c.heads[0] = uint32(len(c.items) + 1) }},
		{"invariant 2", func(c *cells) { slices.Reverse(c.heads) }},
		{"invariant 2", func(c *cells) { c.items[c.sorted].y = 4 }},
		{"invariant 3", func(c *cells) { c.vacant++ }},
		{"invariant 3", func(c *cells) { c.items[0].h = 0 }},
		{"invariant 3", func(c *cells) { c.items[0].h = c.items[1].h }},
		{"invariant 3", func(c *cells) { c.items[c.sorted].h = c.items[1].h }},
		{"invariant 4", func(c *cells) { c.places.n++ }},
		{"invariant 4", func(c *cells) { c.items[0].h ^= 1 << 63 }},
		{"invariant 4", func(c *cells) { clear(c.places.table) }},
		{"invariant 4", func(c *cells) { c.places.shift++ }},
		{"invariant 5", func(c *cells) { c.zs = make([]float32, len(c.items)) }},
		{"invariant 6", func(c *cells) { c.home.hi.x -= 0.5 }},
		{"invariant 6", func(c *cells) { c.home.lo.y += 0.5 }},
		{"invariant 6", func(c *cells) { c.items[c.start[1]-1].x = -100 }}, // still of the first bucket
	})
	fires(t, func() *cells {
		g := NewGrid3(1, (*spot).solid)
		p := new(berth.Pool[spot])
		for i := range 200 {
			p.Insert(spot{float64(i), 1e6 * float64(i%2), -1e6 * float64(i%3)})
		}
		g.Rebuild(p)
		if !g.Stats().Scattered {
			t.Fatal("the frame is not scattered")
		}
		return &g.g.cells
	}, []spoiled{
		{"invariant 1", func(c *cells) { c.mask >>= 1 }},
		{"invariant 1", func(c *cells) { c.scattered = false }},
		{"invariant 1", func(c *cells) { c.zs[0] += 5 }},
		{"invariant 5", func(c *cells) { c.zs = append(c.zs, 0) }},
	})
}
