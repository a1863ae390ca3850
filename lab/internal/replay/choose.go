package replay

import (
	"cmp"
	"slices"
	"time"
)

// The rule.
//
// The candidates are the containers whose stale handles find nothing; with PinPointers, those of
// them whose values do not move; with Safe, those of them without a limit on reuse.
//
// Six measures are applied in this order. Each eliminates the candidates that are clearly worse
// than the best remaining one:
//
//  1. the worst frame, if it exceeds the frame budget and the best one does not
//  2. the p99 frame, if it takes a tenth of the frame budget or more
//  3. the worst frame, likewise
//  4. one garbage collection, if it takes a tenth of the frame budget longer and visits more
//     objects
//  5. memory: the sum of the bytes held at the peak and at the end
//  6. allocations per frame
//
// Clearly means by a tenth: for times also by the noise of the two figures, for memory also by a
// megabyte, for allocations also by a hundred, and for objects also by a thousand. So if all frames
// take less than a tenth of the budget, and collections are alike, memory decides. A figure whose
// noise is over a half decides nothing. If that is so of p99, and no time decides, the advice is
// provisional.
//
// Of the remaining candidates, the first in the order of preference is recommended: berth.Pool,
// berth.Dense, the lists, arena.Handles, then plain maps, the hand-written pool, and another
// library. So a container that is only as good as berth.Pool never replaces it, and one that is
// clearly better always does. If berth.Pool was eliminated by a container that was later eliminated
// itself, only one that is clearly better than berth.Pool replaces it.
//
// The runner-up is the result of the same rule without the recommended container. The advice
// compares the two by every figure, so each of its comparisons was measured. Only properties of a
// container, such as whether its values move, are known beforehand.

const (
	clearly    = 0.10
	tooNoisy   = 0.50
	megabyte   = 1 << 20
	fewAllocs  = 100
	fewObjects = 1000
	tenth      = 10 // of the frame: below, time decides nothing
)

// terms are the parameters of a choice besides the figures.
type terms struct {
	frame     time.Duration
	noise     Noise
	pin, safe bool
	unsafe    bool // consider also containers whose stale handles find something
}

func rules(r *Result, o Options) terms {
	return terms{frame: r.Frame, noise: r.Noise, pin: o.PinPointers, safe: o.Safe}
}

// noiseOf returns the noise of the figure behind m: that of the noisier of two containers, or that
// of the median container if it is more.
func (t terms) noiseOf(m reason, a, b *Figures) float64 {
	switch m {
	case p99Frame:
		return max(t.noise.P99, a.Noise.P99, b.Noise.P99)
	case collection:
		return max(t.noise.GC, a.Noise.GC, b.Noise.GC)
	}
	return max(t.noise.Worst, a.Noise.Worst, b.Noise.Worst)
}

// reason is a measure by which one container is better than another. none means that there is no
// such measure.
type reason int

const (
	none reason = iota
	missedFrame
	p99Frame
	worstFrame
	collection
	memoryHeld
	allocations
)

// isTime reports whether m is a time. Only times have noise.
func (m reason) isTime() bool { return m >= missedFrame && m <= collection }

func (m reason) String() string {
	return [...]string{"none", "missed frame", "frame p99", "worst frame", "collection", "memory",
		"allocations"}[m]
}

// of returns the figure behind m.
func (m reason) of(f *Figures) float64 {
	switch m {
	case missedFrame, worstFrame:
		return float64(f.Worst)
	case p99Frame:
		return float64(f.P99)
	case collection:
		return float64(f.GC)
	case memoryHeld:
		return float64(f.Peak + f.End)
	case allocations:
		return f.FrameAllocs
	}
	return 0
}

// longer reports whether time m is longer for a than for b by more than a tenth and the noise.
func (t terms) longer(m reason, a, b *Figures) bool {
	noise := t.noiseOf(m, a, b)
	return noise <= tooNoisy && m.of(a) > m.of(b)*(1+max(clearly, noise))
}

// worse reports whether a is clearly worse than b by m.
func (m reason) worse(a, b *Figures, t terms) bool {
	x, y := m.of(a), m.of(b)
	if m.isTime() && !t.longer(m, a, b) {
		return false
	}
	switch frame := float64(t.frame); m {
	case missedFrame:
		return x > frame && y <= frame
	case p99Frame, worstFrame:
		return x > frame/tenth
	case collection:
		p, q := float64(a.Objects), float64(b.Objects)
		return x-y > frame/tenth && p > q*(1+clearly) && p-q > fewObjects
	case memoryHeld:
		return x > y*(1+clearly) && x-y > megabyte
	case allocations:
		return x > y*(1+clearly) && x-y > fewAllocs
	}
	return false
}

// why returns the first measure by which a is clearly worse than b, or none.
func (t terms) why(a, b *Figures) reason {
	for m := missedFrame; m <= allocations; m++ {
		if m.worse(a, b, t) {
			return m
		}
	}
	return none
}

// choice is the result of the rule.
type choice struct {
	take    *Figures // nil if there are no candidates
	terms   terms
	equal   []*Figures
	dropped map[*Figures]reason // the measure that eliminated each of the others
}

// candidates returns the eligible containers in order of preference.
func candidates(figures []*Figures, t terms) []*Figures {
	var set []*Figures
	for _, f := range figures {
		if (f.Safe || t.unsafe) && (f.Pinned || !t.pin) && (f.Forever || !t.safe) {
			set = append(set, f)
		}
	}
	slices.SortStableFunc(set, func(a, b *Figures) int {
		return cmp.Compare(preference(a.Name), preference(b.Name))
	})
	return set
}

// choose applies the measures in turn.
func choose(figures []*Figures, t terms) choice {
	set := candidates(figures, t)
	c := choice{terms: t, dropped: map[*Figures]reason{}}
	if len(set) == 0 {
		return c
	}
	for m := missedFrame; m <= allocations; m++ {
		best := slices.MinFunc(set, func(a, b *Figures) int {
			return cmp.Compare(m.of(a), m.of(b))
		})
		set = slices.DeleteFunc(set, func(f *Figures) bool {
			if m.worse(f, best, t) {
				c.dropped[f] = m
				return true
			}
			return false
		})
	}
	c.take, c.equal = set[0], set[1:]
	c.stay(figures)
	return c
}

// stay keeps the default if the container that eliminated it was itself eliminated later, and no
// remaining one is clearly better.
func (c *choice) stay(figures []*Figures) {
	i := slices.IndexFunc(figures, func(f *Figures) bool { return f.Name == Default })
	if i < 0 {
		return
	}
	pool := figures[i]
	m, out := c.dropped[pool]
	if !out {
		return
	}
	set := append([]*Figures{c.take}, c.equal...)
	better := slices.DeleteFunc(slices.Clone(set), func(f *Figures) bool {
		return !m.worse(pool, f, c.terms)
	})
	if len(better) > 0 {
		c.take, c.equal = better[0], better[1:]
		return
	}
	c.take, c.equal = pool, set
	delete(c.dropped, pool)
}
