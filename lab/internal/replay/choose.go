package replay

import (
	"cmp"
	"slices"
	"time"
)

// The rule.
//
// Only containers whose stale handles find nothing are considered; with PinPointers, only those of
// them in which a value stays put; with Safe, only those for which that holds for ever.
//
// Six measures are gone through, in this order. Each leaves out the containers that are clearly
// worse than the best of those that are left:
//
//  1. the worst frame, where it misses the frame budget, and the best does not
//  2. the p99 frame, where it takes a tenth of the frame budget or more
//  3. the worst frame, likewise
//  4. one collection of garbage, where it takes a tenth of the frame budget longer, and visits more
//     pieces of memory
//  5. memory: what is held at the peak and at the end, added
//  6. allocations per frame
//
// Clearly is by a tenth. For times it is by the noise of the two figures if that is more, for
// memory by a megabyte too, for allocations by a hundred too, and for pieces by a thousand too. So
// where all frames take less than a tenth of the budget, and collections are alike, memory decides.
// A figure whose noise is over a half says nothing. Where that is so of p99, and no time decides,
// the advice is for now.
//
// Of the containers that are left, the first in the order of preference is taken: berth.Pool,
// berth.Dense, the lists, arena.Handles, then plain maps, the pool that one writes, and another
// library. So a container as good as berth.Pool does not replace it, whoever made it. A container
// that is clearly better does, whoever made it. If berth.Pool was left out for a container that was
// left out later, only one that is clearly better than berth.Pool itself replaces it.
//
// The runner-up is the answer of the same rule without the container to take. The advice compares
// it with that one by every figure, so each thing it says of it was measured. Only what a container
// is, such as whether its values move, is known beforehand.

const (
	clearly    = 0.10
	tooNoisy   = 0.50
	megabyte   = 1 << 20
	fewAllocs  = 100
	fewObjects = 1000
	tenth      = 10 // of the frame: below, time decides nothing
)

// terms are what a choice depends on beside the figures.
type terms struct {
	frame     time.Duration
	noise     Noise
	pin, safe bool
	unsafe    bool // consider also containers whose stale handles find something
}

// rules returns the terms for r.
func rules(r *Result, o Options) terms {
	return terms{frame: r.Frame, noise: r.Noise, pin: o.PinPointers, safe: o.Safe}
}

// noiseOf is that of the figure that m is about: of the noisier of two, or that of the container in
// the middle if that is more.
func (t terms) noiseOf(m reason, a, b *Figures) float64 {
	switch m {
	case p99Frame:
		return max(t.noise.P99, a.Noise.P99, b.Noise.P99)
	case collection:
		return max(t.noise.GC, a.Noise.GC, b.Noise.GC)
	}
	return max(t.noise.Worst, a.Noise.Worst, b.Noise.Worst)
}

// reason is a measure, by which one container is better than another; none is that no measure is.
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

var reasons = []reason{missedFrame, p99Frame, worstFrame, collection, memoryHeld, allocations}

// isTime reports whether m is a time, which has noise.
func (m reason) isTime() bool { return m >= missedFrame && m <= collection }

func (m reason) String() string {
	return [...]string{"none", "missed frame", "frame p99", "worst frame", "collection", "memory",
		"allocations"}[m]
}

// of is the figure that m is about.
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

// longer reports whether the time m of a is longer than that of b by a tenth and the noise.
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

// why returns the first measure by which a is clearly worse than b; none if there is none.
func (t terms) why(a, b *Figures) reason {
	for _, m := range reasons {
		if m.worse(a, b, t) {
			return m
		}
	}
	return none
}

// choice is what the rule comes to.
type choice struct {
	take    *Figures // nil if there is nothing to choose from
	terms   terms
	equal   []*Figures
	dropped map[*Figures]reason // by which measure each other one was left out
}

// preference is the place in the order of preference; what is not in it comes last.
func preference(name string) int {
	for i, c := range all {
		if c.name == name {
			return i
		}
	}
	return len(all)
}

// candidates returns those that may be taken, in order of preference.
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

// choose goes through the measures.
func choose(figures []*Figures, t terms) choice {
	set := candidates(figures, t)
	c := choice{terms: t, dropped: map[*Figures]reason{}}
	if len(set) == 0 {
		return c
	}
	for _, m := range reasons {
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

// stay takes the default all the same if it was left out for one that was left out later, and what
// remains is not clearly better.
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
