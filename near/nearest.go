package near

import (
	"fmt"
	"iter"
	"math"

	"github.com/seed505807e1/berth"
)

// Nearest returns the value nearest to a place. It reports false if the grid has no value, or a
// coordinate is NaN or infinite. Among equally near values the choice is the same on every machine.
// There is no limit on the distance; compare it with yours.
//
// The Shape decides which value is nearest: with Box, the larger of |dx| and |dy| counts.
//
// Cost: a step for each value and each row of cells up to twice as far as the nearest value, at
// most three passes over all values. Never allocates.
func (g *Grid[T]) Nearest(x, y float64) (e berth.Entry[T], ok bool) {
	return gridNearest(g, x, y, 0)
}

func gridNearest[T any](g *Grid[T], x, y, z float64) (e berth.Entry[T], ok bool) {
	var few [1]rank
	best := gridRanks(g, x, y, z, 1, few[:0])
	if len(best) == 0 {
		return e, false
	}
	return gridEntry(g, best[0].i), true
}

// NearestK returns an iterator over the k values nearest to a place, or all if there are fewer, the
// nearest first. A loop over it panics if k is negative. See [Grid.Nearest].
//
// A value that is removed in the loop before its turn is left out.
//
// Cost: a step for each value and each row of cells up to twice as far as the k-th value, at most
// three passes over all values, and sorting. Allocates O(k) if k is more than 8.
func (g *Grid[T]) NearestK(x, y float64, k int) iter.Seq[berth.Entry[T]] {
	return func(yield func(berth.Entry[T]) bool) { gridNearestK(g, x, y, 0, k, yield) }
}

func gridNearestK[T any](g *Grid[T], x, y, z float64, k int, yield func(berth.Entry[T]) bool) {
	if k < 0 {
		panic(g.cells.rule("NearestK", fmt.Sprintf("k must not be negative (got %d)", k)))
	}
	if k = min(k, len(g.cells.items)); k == 0 {
		return
	}
	var few [8]rank
	best, changes := few[:0], g.cells.changes
	if k > len(few) {
		best = make([]rank, 0, k)
	}
	for _, b := range gridRanks(g, x, y, z, k, best) {
		e := gridEntry(g, b.i)
		if e.Value == nil {
			continue
		}
		if !yield(e) {
			return
		}
		g.cells.unchanged(changes)
	}
}

// rank is a found item and a measure that grows with its distance.
type rank struct {
	far float64
	i   int
}

// before reports whether a is nearer than b, or as near and earlier in the grid.
func (a rank) before(b rank) bool { return a.far < b.far || a.far == b.far && a.i < b.i }

// gridRanks returns the k nearest items, the nearest first, in best, which is empty and has room
// for them. It searches within a radius that it doubles until there are enough. Once that has taken
// 2 steps for each item, or a scan is better, it scans all.
func gridRanks[T any](g *Grid[T], x, y, z float64, k int, best heap) heap {
	c := &g.cells
	d := inquiry[T]{g: g, x: x, y: y, z: z, shape: g.shape}
	if len(c.items) == 0 || inquiryNowhere(&d) {
		return nil
	}
	add := func(i int, e berth.Entry[T]) bool {
		best = best.add(rank{inquiryDistance(&d, i, e.Value), i}, k)
		return true
	}
	left := 2 * len(c.items)
	for r := c.distance(x, y, z) + c.size; ; r *= 2 {
		d.r = r
		best = best[:0]
		if !inquirySearch(&d, &left, add) {
			break
		}
		if len(best) >= k {
			best.sort()
			return best
		}
	}
	d.r, best = math.Inf(1), best[:0]
	inquiryEach(&d, add)
	best.sort()
	return best
}

// heap has the farthest item on top. Packages container/heap and slices take interfaces or
// functions, for which the ranks would have to be allocated.
type heap []rank

// add adds a rank, and drops the farthest if there are k.
func (s heap) add(r rank, k int) heap {
	if len(s) == k {
		if r.before(s[0]) {
			s.sink(r)
		}
		return s
	}
	i := len(s)
	for s = append(s, r); i > 0 && s[(i-1)/2].before(r); i = (i - 1) / 2 {
		s[i] = s[(i-1)/2]
	}
	s[i] = r
	return s
}

// sink puts r at the top and sifts it down.
func (s heap) sink(r rank) {
	i := 0
	for {
		k := 2*i + 1
		if k+1 < len(s) && s[k].before(s[k+1]) {
			k++
		}
		if k >= len(s) || !r.before(s[k]) {
			break
		}
		s[i] = s[k]
		i = k
	}
	s[i] = r
}

// sort turns the heap into a list, the nearest first.
func (s heap) sort() {
	for n := len(s) - 1; n > 0; n-- {
		last := s[n]
		s[n] = s[0]
		s[:n].sink(last)
	}
}
