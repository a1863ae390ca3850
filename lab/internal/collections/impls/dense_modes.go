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
		Values: collections.Sizes(
			&denseValues[collections.None]{mode: berth.DefragImmediate},
			&denseValues[collections.Words3]{mode: berth.DefragImmediate},
			&denseValues[collections.Words15]{mode: berth.DefragImmediate}),
		Particles: func() collections.Particles {
			return &denseNowParticles{denseParticles{newDense[uint32](berth.DefragImmediate)}}
		},
		Colliders: func() collections.Colliders {
			return &denseNowColliders{
				denseColliders{denseOf: newDense[collections.Collider](berth.DefragImmediate)},
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
		Values: collections.Sizes(new(denseManualValues[collections.None]),
			new(denseManualValues[collections.Words3]),
			new(denseManualValues[collections.Words15])),
		Particles: func() collections.Particles {
			return &denseManualParticles{denseParticles{newDense[uint32](berth.DefragManual)}}
		},
		Colliders: func() collections.Colliders {
			return &denseManualColliders{
				denseColliders{denseOf: newDense[collections.Collider](berth.DefragManual)},
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

// removeNow returns removeAt for a mode that fills the hole, with the rest as its result. The loops
// go backward: the value that fills the hole has been visited.
func (c *denseOf[T]) removeNow() func(i int) []T {
	return func(i int) []T {
		h, _ := c.d.At(i)
		c.d.Remove(h)
		return c.d.Slice()
	}
}

type denseNowParticles struct{ denseParticles }

func (c *denseNowParticles) Age() (visits, deaths int) {
	s := c.d.Slice()
	return len(s), collections.SweepBack(s, collections.Aged, c.removeNow())
}

type denseNowColliders struct{ denseColliders }

func (c *denseNowColliders) Age() (deaths, both int) {
	deaths = collections.SweepBack(c.d.Slice(), func(v *collections.Collider) bool {
		over, b := collections.AgedOut(v)
		both += b
		return over
	}, c.removeNow())
	return deaths, both
}

type denseNowMortals struct{ denseMortals }

func (c *denseNowMortals) Bury() (deaths int) {
	return collections.SweepBack(c.d.Slice(), (*collections.Mortal).Dead, c.removeNow())
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
