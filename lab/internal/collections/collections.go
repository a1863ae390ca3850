// Package collections holds the workloads on collections of values, each in a file, with the models
// that compute their checksums.
package collections

import (
	"github.com/seed505807e1/berth/lab/internal/laws"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// The workloads use a collection through the four interfaces below. An interface method is a whole
// loop, not an operation on an element, since an interface call costs more than a whole step of a
// good collection and would hide it. So each implementation has its own loops, all in the same
// order and under the same names in package impls, to be compared side by side. Those that several
// have are in loops.go. The work on an element is shared, and stands beside the interface.

// Values is a collection of Elem with handles, for basic, elements, sparse, churn and memory. It
// keeps the handles in a list, in the order of Get and Remove.
type Values interface {
	// Keep makes room for n handles, so that no measured loop grows the list.
	Keep(n int)
	// New starts over with an empty collection. It has room for n values if the collection has a
	// capacity.
	New(room int)
	// Insert inserts the values from, …, to-1 and keeps their handles at these indices.
	Insert(from, to int)
	// Sum visits all values and adds them up.
	Sum() uint64
	// Mut visits all values and adds 1 to each.
	Mut()
	// Get looks up every handle in the order of the list, and adds up the values.
	Get() uint64
	// Shuffle shuffles the handles by r.
	Shuffle(r *measure.RNG)
	// Plan shuffles the handles for a Drain of all.
	Plan(r *measure.RNG)
	// Drain removes the values of handles lo, …, hi-1 in this order, and adds them up.
	Drain(lo, hi int) uint64
	// Churn repeats pairs times: remove the value of a random handle, and insert the value next,
	// next+1, … instead. It adds up the removed values.
	Churn(r *measure.RNG, next uint64, pairs int) uint64
	// Forget zeroes the handles, so that they keep no removed value alive.
	Forget()
}

// Handles is the list of handles that every Values embeds.
type Handles[H any] struct{ Hs []H }

func (h *Handles[H]) Keep(n int)             { h.Hs = make([]H, n) }
func (h *Handles[H]) Shuffle(r *measure.RNG) { measure.Shuffle(r, h.Hs) }
func (h *Handles[H]) Plan(r *measure.RNG)    { measure.Shuffle(r, h.Hs) }
func (h *Handles[H]) Forget()                { clear(h.Hs) }

// ValuesLoops is implemented by a Values with other loops than its best one over a full collection:
// the same work, value by value.
type ValuesLoops interface {
	SumValues() uint64
	MutValues()
	// ShortRuns reports whether the remaining values of a sparse collection are in short runs, so
	// that the loop value by value is better.
	ShortRuns() bool
}

// clipper is a Values with a call that releases memory.
type clipper interface{ Clip() }

// Particles is a collection of lifetimes, for ephemeral.
type Particles interface {
	// Insert inserts particles with these lifetimes.
	Insert(ttls []uint32)
	// Age visits all, takes 1 off each lifetime and removes those that reach 0.
	Age() (visits, deaths int)
	Len() int
}

// Aged takes 1 off a lifetime and reports whether it is over.
func Aged(ttl *uint32) bool {
	*ttl--
	return *ttl == 0
}

// Colliders is a collection of Collider, for cross and cross-ephemeral.
type Colliders interface {
	// Insert inserts copies of cs.
	Insert(cs []Collider)
	// Cross lets every collider meet every other one and counts the close ordered pairs.
	Cross() (pairs int)
	// Marks counts the colliders that hit another one, and those that were hit. It is not timed.
	Marks() (hits, beens int)
	// Age is Particles.Age; both counts the dead that had hit and had been hit.
	Age() (deaths, both int)
	Len() int
}

// Mortals is a collection of Mortal, for dcm.
type Mortals interface {
	Insert(ms []Mortal)
	// Update visits all once, and returns the number of visits.
	Update() uint64
	// Bury removes the dead, and returns their number.
	Bury() (deaths int)
	Len() int
}

// crossLoops is implemented by a Colliders with other loops to the same marks.
type crossLoops interface {
	// CrossLoops maps the name of a metric to the loop that it times.
	CrossLoops() map[string]func() (pairs int)
}

// Collider is a thing with a position. Both cross workloads use it; cross ignores ttl.
type Collider struct {
	X, Y      int16
	Hit, Been bool
	ttl       uint8
}

// IsNear reports whether two positions are less than 2 apart on both axes. Positions are not
// negative, so the differences cannot overflow, and one unsigned comparison checks both sides.
func IsNear(ax, ay, bx, by int16) bool {
	return uint16(ax-bx+1) < 3 && uint16(ay-by+1) < 3
}

// Meet applies the cross rule to an ordered pair, and returns 1 if the two are close.
func Meet(a, b *Collider) int {
	if IsNear(b.X, b.Y, a.X, a.Y) {
		a.Hit, b.Been = true, true
		return 1
	}
	return 0
}

// MeetBoth is Meet(a, b) + Meet(b, a) with one comparison.
func MeetBoth(a, b *Collider) int {
	if IsNear(b.X, b.Y, a.X, a.Y) {
		return Mark(a, b)
	}
	return 0
}

// Mark marks two near colliders, in both ways, and returns the number of ordered pairs.
func Mark(a, b *Collider) int {
	a.Hit, a.Been, b.Hit, b.Been = true, true, true, true
	return 2
}

// MeetAll is Meet of a with all of bs, which must not contain a. It is the inner loop of all
// collections whose values are adjacent in memory. It is not inlined, so that all of them run the
// same machine code: such a short loop is up to twice as slow under register pressure.
//
//go:noinline
func MeetAll(a *Collider, bs []Collider) (pairs int) {
	x, y := a.X, a.Y
	for i := range bs {
		if IsNear(bs[i].X, bs[i].Y, x, y) {
			a.Hit, bs[i].Been = true, true
			pairs++
		}
	}
	return pairs
}

// AgedOut takes 1 off the collider's lifetime and reports whether it is over. It counts it in both
// if it then had both marks set.
func AgedOut(c *Collider, both *int) (over bool) {
	c.ttl--
	if c.ttl == 0 && c.Hit && c.Been {
		*both++
	}
	return c.ttl == 0
}

// Tally adds the marks of one collider to the counts.
func Tally(c *Collider, hits, beens *int) {
	if c.Hit {
		*hits++
	}
	if c.Been {
		*beens++
	}
}

// Kit holds the constructors of a collection, or nil where it has none. With sets the first two.
type Kit struct {
	Values    func(elemBytes int) Values
	Kinds     func(k Kind) Values // of 32 bytes each; for elements
	Particles func() Particles
	Colliders func() Colliders
	Mortals   func() Mortals
	Walk      bool                // it is the dependent walk of growth
	Truncates bool                // its values are Truncating
	Ask       func() laws.Subject // makes Subjects for package laws
}

// Asker returns the constructor of Subjects for the laws, or nil.
func (k Kit) Asker() func() laws.Subject { return k.Ask }

// KitOf returns the kit of a collection.
func KitOf(im measure.Impl) Kit { return measure.KitOf[Kit](im) }

func HasValues(im measure.Impl) bool    { return KitOf(im).Values != nil }
func hasKinds(im measure.Impl) bool     { return KitOf(im).Kinds != nil }
func HasParticles(im measure.Impl) bool { return KitOf(im).Particles != nil }
func HasColliders(im measure.Impl) bool { return KitOf(im).Colliders != nil }

// MaxValues bounds -n for the workloads that hold n values.
const MaxValues = 10_000_000

// BasicSums are the sums over n values 0, 1, …, and over the same after 1 has been added to each.
type BasicSums struct{ Fresh, mutated uint64 }

// WantBasic returns the sums of basic. The checksums that implementations must reach come from
// models, which do the same work on bare slices, by the literal rules and without regard for speed.
// A test compares them with constants at the published sizes.
func WantBasic(n int) BasicSums {
	m := uint64(n)
	return BasicSums{Fresh: m * (m - 1) / 2, mutated: m * (m + 1) / 2}
}
