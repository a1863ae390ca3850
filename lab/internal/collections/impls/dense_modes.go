package impls

import (
	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// The other modes of berth.Dense differ in when they close holes. These types share the loops of
// dense.go, except for those that must be written differently for the mode.

var denseNowImpl = measure.Impl{
	Name: "Dense immediate",
	About: "berth.Dense that closes a hole at once (DefragImmediate), or if a " +
		"loop runs, at its end",
	Stale: "finds nothing, ever",
	Safe:  true, Ours: true,
	Loops: "range over Slice; removing loops go from the last position to the first, since the " +
		"last value fills the hole",
	Kit: collections.Kit{
		Values: denseValuesOf(berth.DefragImmediate),
		Particles: func() collections.Particles {
			return &denseNowParticles{denseParticles{newDense[uint32](berth.DefragImmediate)}}
		},
		Colliders: func() collections.Colliders {
			return &denseNowColliders{
				denseColliders{d: newDense[collections.Collider](berth.DefragImmediate)},
			}
		},
		Mortals: func() collections.Mortals {
			return &denseNowMortals{
				denseMortals{newDense[collections.Mortal](berth.DefragImmediate)},
			}
		},
		Ask: askDense(berth.DefragImmediate),
	},
}

var denseManualImpl = measure.Impl{
	Name:    "Dense manual",
	Variant: true,
	About:   "berth.Dense that closes holes on request (DefragManual)",
	Stale:   "finds nothing, ever",
	Safe:    true, Ours: true,
	Loops: "Defrag after possible removals, and then as berth.Dense",
	Kit: collections.Kit{
		Values: func(elemBytes int) collections.Values {
			return collections.Sized(elemBytes,
				func() collections.Values { return new(denseManualValues[collections.None]) },
				func() collections.Values { return new(denseManualValues[collections.Words3]) },
				func() collections.Values { return new(denseManualValues[collections.Words15]) })
		},
		Particles: func() collections.Particles {
			return &denseManualParticles{denseParticles{newDense[uint32](berth.DefragManual)}}
		},
		Colliders: func() collections.Colliders {
			return &denseManualColliders{
				denseColliders{d: newDense[collections.Collider](berth.DefragManual)},
			}
		},
		Mortals: func() collections.Mortals {
			return &denseManualMortals{
				denseMortals{newDense[collections.Mortal](berth.DefragManual)},
			}
		},
		Ask: askDense(berth.DefragManual),
	},
}

func newDense[T any](mode berth.Defrag) *berth.Dense[T] {
	return berth.NewDense(berth.DenseConfig[T]{Defrag: mode})
}

// denseValuesOf returns the constructor for loops that do not depend on the mode.
func denseValuesOf(mode berth.Defrag) func(elemBytes int) collections.Values {
	return func(elemBytes int) collections.Values {
		return collections.Sized(elemBytes,
			func() collections.Values { return &denseValues[collections.None]{mode: mode} },
			func() collections.Values { return &denseValues[collections.Words3]{mode: mode} },
			func() collections.Values { return &denseValues[collections.Words15]{mode: mode} })
	}
}

type denseNowParticles struct{ denseParticles }

// Age goes backward: the value that fills the hole has been visited.
func (c *denseNowParticles) Age() (visits, deaths int) {
	s := c.d.Slice()
	visits = len(s)
	for i := len(s) - 1; i >= 0; i-- {
		if collections.Aged(&s[i]) {
			c.d.Remove(c.d.HandleAt(i))
			s = c.d.Slice()
			deaths++
		}
	}
	return visits, deaths
}

type denseNowColliders struct{ denseColliders }

func (c *denseNowColliders) Age() (deaths, both int) {
	s := c.d.Slice()
	for i := len(s) - 1; i >= 0; i-- {
		if over, b := collections.AgedOut(&s[i]); over {
			c.d.Remove(c.d.HandleAt(i))
			s = c.d.Slice()
			deaths++
			both += b
		}
	}
	return deaths, both
}

type denseNowMortals struct{ denseMortals }

func (c *denseNowMortals) Bury() (deaths int) {
	s := c.d.Slice()
	for i := len(s) - 1; i >= 0; i-- {
		if s[i].Dead() {
			c.d.Remove(c.d.HandleAt(i))
			s = c.d.Slice()
			deaths++
		}
	}
	return deaths
}

type denseManualValues[P collections.Pad] struct{ denseValues[P] }

func (c *denseManualValues[P]) New(room int) {
	c.mode = berth.DefragManual
	c.denseValues.New(room)
}

func (c *denseManualValues[P]) Remove(lo, hi int) {
	c.denseValues.Remove(lo, hi)
	c.d.Defrag()
}

type denseManualParticles struct{ denseParticles }

func (c *denseManualParticles) Age() (visits, deaths int) {
	c.d.Defrag()
	return c.denseParticles.Age()
}

type denseManualColliders struct{ denseColliders }

func (c *denseManualColliders) Cross() (pairs int) {
	c.d.Defrag()
	return c.denseColliders.Cross()
}

func (c *denseManualColliders) Marks() (hits, beens int) {
	c.d.Defrag()
	return c.denseColliders.Marks()
}

type denseManualMortals struct{ denseMortals }

func (c *denseManualMortals) Update() uint64 {
	c.d.Defrag()
	return c.denseMortals.Update()
}

func (c *denseManualMortals) Bury() (deaths int) {
	c.d.Defrag()
	return c.denseMortals.Bury()
}
