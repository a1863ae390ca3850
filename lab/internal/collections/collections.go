// Package collections has what is done with collections of values, each workload in a file, with
// the models that say what must come of it.
package collections

import (
	"github.com/seed505807e1/berth/lab/internal/laws"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// Workloads lists what is done with collections, in the order in which it runs. Each has a file
// here.
var Workloads = []*measure.Workload{
	basic, elements, cross, Ephemeral, spike, crossEphemeral, sparse, churn, dcm, dcmPool, rooms,
	memory, gc,
}

// The workloads see a collection through the three interfaces below, and Mortals in dcm.go. They
// are cut at the loop, not at the element: a call through an interface costs more than a good
// collection's whole step, and would hide what is to be measured. So each implementation writes its
// own loops, in one file of package impls, all in the same order and under the same names, to be
// read side by side. What the loops do to an element is written once, beside the interface.

// Values is a collection of Elem with handles: what basic, elements, sparse, churn and memory ask
// for.
// It keeps the handles in a list of its own, whose order says what Get and Remove do first.
type Values interface {
	// Keep makes room for n handles, so that no measured loop pays for the list of them.
	Keep(n int)
	// New drops everything and starts an empty collection with room for n values, where the
	// collection can be told so.
	New(room int)
	// Insert inserts the values from, …, to-1 and keeps their handles at these places.
	Insert(from, to int)
	// Sum visits all and adds up their values.
	Sum() uint64
	// Mut visits all and adds 1 to their values.
	Mut()
	// Get finds the value of every handle, in the order of the list, and adds them up.
	Get() uint64
	// Shuffle orders the handles by r.
	Shuffle(r *measure.RNG)
	// Plan orders the handles for Drain.
	Plan(r *measure.RNG)
	// Drain removes every value in the planned order and adds up what it removed.
	Drain() uint64
	// Remove removes the values of handles lo, …, hi-1. It is not timed.
	Remove(lo, hi int)
	// Churn does the given number of times: remove the value of a random handle, and insert the
	// value next, next+1, … in its stead. It adds up what it removed.
	Churn(r *measure.RNG, next uint64, pairs int) uint64
	// Forget zeroes the handles, so that none of them keeps a removed value from being collected.
	Forget()
}

// Handles is the list of handles that every Values embeds.
type Handles[H any] struct{ Hs []H }

func (h *Handles[H]) Keep(n int)             { h.Hs = make([]H, n) }
func (h *Handles[H]) Shuffle(r *measure.RNG) { measure.Shuffle(r, h.Hs) }
func (h *Handles[H]) Plan(r *measure.RNG)    { measure.Shuffle(r, h.Hs) }
func (h *Handles[H]) Forget()                { clear(h.Hs) }

// ValuesLoops is what a Values offers beside its best loop over a full collection: the same work,
// value by value.
type ValuesLoops interface {
	SumValues() uint64
	MutValues()
	// ShortRuns reports whether what is left where little is left lies in short runs, so that value
	// by value is then the better loop.
	ShortRuns() bool
}

// clipper is a Values that has a call to give memory back.
type clipper interface{ Clip() }

// Particles is a collection of lifetimes: what ephemeral asks for.
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

// Colliders is a collection of collider: what cross and cross-ephemeral ask for.
type Colliders interface {
	// Insert inserts copies of cs.
	Insert(cs []Collider)
	// Cross lets every collider meet every other one and counts the close ordered pairs.
	Cross() (pairs int)
	// Marks counts the colliders that hit another, and those that have been hit. It is not timed.
	Marks() (hits, beens int)
	// Age is Particles.Age; both counts the dead that had hit and had been hit.
	Age() (deaths, both int)
	Len() int
}

// crossLoops is what a Colliders offers beside its best loop: other ways to the same marks.
type crossLoops interface {
	// CrossLoops maps the name of a metric to the loop that it times.
	CrossLoops() map[string]func() (pairs int)
}

// Collider is a thing with a place. One type serves both cross workloads; cross leaves ttl alone.
type Collider struct {
	X, Y      int16
	Hit, Been bool
	ttl       uint8
}

// IsNear reports whether two places are less than 2 apart on both axes. Places are not negative, so
// that the differences cannot overflow, and one unsigned comparison checks both sides.
func IsNear(ax, ay, bx, by int16) bool {
	return uint16(ax-bx+1) < 3 && uint16(ay-by+1) < 3
}

// Meet applies the cross rule to an ordered pair of two colliders and returns 1 if they are close.
func Meet(a, b *Collider) int {
	if IsNear(b.X, b.Y, a.X, a.Y) {
		a.Hit, b.Been = true, true
		return 1
	}
	return 0
}

// MeetBoth is meet(a, b) + meet(b, a): who has both at hand need compare them only once.
func MeetBoth(a, b *Collider) int {
	if IsNear(b.X, b.Y, a.X, a.Y) {
		return Mark(a, b)
	}
	return 0
}

// Mark marks two that are near each other, in both ways, and returns how many ordered pairs that
// is.
func Mark(a, b *Collider) int {
	a.Hit, a.Been, b.Hit, b.Been = true, true, true, true
	return 2
}

// MeetAll is meet for all of bs, a being none of them. It is the inner loop of everything that has
// its values side by side in memory. It is kept from being inlined so that all of them run the very
// same machine code: such a short loop is up to twice as slow where registers happen to be short.
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

// AgedOut takes 1 off the collider's lifetime and reports whether it is over, and in both whether
// it ends with both marks set (as 0 or 1).
func AgedOut(c *Collider) (over bool, both int) {
	c.ttl--
	if c.ttl != 0 {
		return false, 0
	}
	if c.Hit && c.Been {
		both = 1
	}
	return true, both
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

// Kit is what a collection has: constructors, or nil for what it cannot be asked to do.
type Kit struct {
	Values    func(elemBytes int) Values
	Kinds     func(k Kind) Values // of 32 bytes each; for elements
	Particles func() Particles
	Colliders func() Colliders
	Mortals   func() Mortals
	Walk      bool                // it is the dependent walk of growth
	Truncates bool                // its values are Truncating
	Ask       func() laws.Subject // what the questions of package laws are put to
}

// Asker returns what the laws are asked of, or nil.
func (k Kit) Asker() func() laws.Subject { return k.Ask }

// KitOf returns the kit of a collection.
func KitOf(im measure.Impl) Kit {
	k, _ := im.Kit.(Kit)
	return k
}

func HasValues(im measure.Impl) bool    { return KitOf(im).Values != nil }
func hasKinds(im measure.Impl) bool     { return KitOf(im).Kinds != nil }
func HasParticles(im measure.Impl) bool { return KitOf(im).Particles != nil }
func HasColliders(im measure.Impl) bool { return KitOf(im).Colliders != nil }
