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
// Five measures are gone through, in this order. Each leaves out what is clearly worse than the
// best of those that are left:
//
//  1. the worst frame, where it misses the frame budget, and the best does not
//  2. the p99 frame, where it takes a tenth of the frame budget or more
//  3. the worst frame, likewise
//  4. memory: what is held at the peak and at the end, added
//  5. allocations per frame
//
// Of times, clearly is by a tenth, or by the noise of the two figures if that is more. Of memory it
// is by a tenth and a megabyte, of allocations by a tenth and a hundred. So where all frames take
// less than a tenth of the budget, memory decides. A figure whose noise is over a half says
// nothing; where that is so of p99, memory decides too, and the advice says that it is for now.
//
// Of what is left, the first is taken in the order of preference: berth.Pool, berth.Dense, the
// lists, arena.Handles, then plain maps, the pool that one writes, and another library. So what is
// as good as berth.Pool does not replace it, whoever has made it; what is clearly better does,
// whoever has made it. If berth.Pool was left out for one that was left out later, only what is
// clearly better than berth.Pool itself replaces it.

const (
	clearly   = 0.10
	tooNoisy  = 0.50
	megabyte  = 1 << 20
	fewAllocs = 100
	tenth     = 10 // of the frame: below, time decides nothing
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
	if m == p99Frame {
		return max(t.noise.P99, a.Noise.P99, b.Noise.P99)
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
	memoryHeld
	allocations
)

var reasons = []reason{missedFrame, p99Frame, worstFrame, memoryHeld, allocations}

func (m reason) isTime() bool { return m == missedFrame || m == p99Frame || m == worstFrame }

func (m reason) String() string {
	return [...]string{"none", "missed frame", "frame p99", "worst frame", "memory",
		"allocations"}[m]
}

// of is the figure that m is about.
func (m reason) of(f *Figures) float64 {
	switch m {
	case missedFrame, worstFrame:
		return float64(f.Worst)
	case p99Frame:
		return float64(f.P99)
	case memoryHeld:
		return float64(f.Peak + f.End)
	case allocations:
		return f.FrameAllocs
	}
	return 0
}

// worse reports whether a is clearly worse than b by m.
func (m reason) worse(a, b *Figures, t terms) bool {
	x, y := m.of(a), m.of(b)
	if m.isTime() {
		noise := t.noiseOf(m, a, b)
		if noise > tooNoisy || x <= y*(1+max(clearly, noise)) {
			return false
		}
	}
	switch frame := float64(t.frame); m {
	case missedFrame:
		return x > frame && y <= frame
	case p99Frame, worstFrame:
		return x > frame/tenth
	case memoryHeld:
		return x > y*(1+clearly) && x-y > megabyte
	case allocations:
		return x > y*(1+clearly) && x-y > fewAllocs
	}
	return false
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
