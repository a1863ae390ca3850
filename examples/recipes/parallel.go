package recipes

import (
	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/near"
)

// Bird is a value of a Flock.
type Bird struct {
	x, y  float64
	close int // the others nearby
}

// Flock holds birds, and finds those that are near each other.
type Flock struct {
	birds berth.Pool[Bird]
	grid  *near.Grid[Bird]
}

// NewFlock returns an empty Flock.
func NewFlock() *Flock {
	return &Flock{grid: near.NewGrid(1, func(b *Bird) (x, y float64) { return b.x, b.y })}
}

// Look counts the birds around each bird, by n goroutines, or GOMAXPROCS if n is 0.
func (f *Flock) Look(n int) {
	f.grid.Rebuild(&f.birds)
	berth.ParallelSpans(&f.birds, n, func(first berth.Handle[Bird], span []Bird) {
		for i := range span {
			b := &span[i] // each bird is in one span, so only this goroutine changes it
			b.close = -1  // it is within reach of itself
			for range f.grid.Within(b.x, b.y, 1) {
				b.close++
			}
		}
	})
}

// Crowded returns the number of birds with more than two around them.
func (f *Flock) Crowded(n int) int {
	count := func(sum int, span []Bird) int {
		for i := range span {
			if span[i].close > 2 {
				sum++
			}
		}
		return sum
	}
	return berth.ParallelReduce(&f.birds, n, count, func(a, b int) int { return a + b })
}
