package impls

import (
	"slices"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/lab/internal/measure/measuretest"
)

// forgetful is a slice that does not visit its first value.
type forgetful struct{ sliceValues[collections.None] }

func (c *forgetful) Sum() uint64 { return c.sliceValues.Sum() - c.s[0].V - 1 }

// undying is a slice of particles that keeps the first one to die.
type undying struct{ sliceParticles }

func (c *undying) Age() (visits, deaths int) {
	visits, deaths = c.sliceParticles.Age()
	if deaths > 0 {
		c.s = append(c.s, 1)
	}
	return visits, deaths
}

func TestWrongImplementationIsFound(t *testing.T) {
	bad := measure.Impl{
		Name: "bad",
		Kit: collections.Kit{
			Values:    func(int) collections.Values { return new(forgetful) },
			Particles: func() collections.Particles { return new(undying) },
		},
	}
	f := measuretest.With(Family, Slice, bad)
	works := measuretest.Of(t, f, "basic", "ephemeral", "sparse")
	jobs := measuretest.Plan(t, works, measure.Sizing{N: 100, Elem: 8, Quick: true})
	rec := measuretest.Run(t, jobs, f.Impls)
	measuretest.CheckRight(t, rec, func(im, work, metric string) bool {
		sums := []string{"insert_reserved", "insert_new", "iter_sum", "iter_mut", "insert_refill"}
		return im != "bad" || work == "basic" && !slices.Contains(sums, metric)
	})
}

// Each of these collections has one defect.
type (
	losingMortals   struct{ sliceMortals } // loses an inserted value
	skippingMortals struct{ sliceMortals } // does not visit the first
	twiceMortals    struct{ sliceMortals } // visits the first twice, and the second never
	undeadMortals   struct{ sliceMortals } // keeps the dead
	hastyMortals    struct{ sliceMortals } // removes a live value with each dead one
)

func (c *losingMortals) Insert(ms []collections.Mortal) {
	c.sliceMortals.Insert(ms)
	c.s = c.s[:len(c.s)-1]
}

func (c *skippingMortals) Update() uint64 { return collections.UpdateAll(c.s[min(1, len(c.s)):]) }

func (c *twiceMortals) Update() uint64 {
	if len(c.s) < 2 {
		return collections.UpdateAll(c.s)
	}
	return collections.UpdateAll(c.s[:1]) + collections.UpdateAll(c.s[:1]) + collections.UpdateAll(c.s[2:])
}

func (c *undeadMortals) Bury() int { return 0 }

func (c *hastyMortals) Bury() int {
	deaths := c.sliceMortals.Bury()
	c.s = c.s[:max(0, len(c.s)-deaths)]
	return deaths
}

func TestWrongMortalsAreFound(t *testing.T) {
	bad := func(name string, c func() collections.Mortals) measure.Impl {
		return measure.Impl{Name: name, Kit: collections.Kit{Mortals: c}}
	}
	f := measuretest.With(Family, Slice,
		bad("losing", func() collections.Mortals { return new(losingMortals) }),
		bad("skipping", func() collections.Mortals { return new(skippingMortals) }),
		bad("twice", func() collections.Mortals { return new(twiceMortals) }),
		bad("undead", func() collections.Mortals { return new(undeadMortals) }),
		bad("hasty", func() collections.Mortals { return new(hastyMortals) }))
	works := measuretest.Of(t, f, "dcm", "dcm-pool")
	jobs := measuretest.Plan(t, works, measure.Sizing{N: 40, Quick: true})
	rec := measuretest.Run(t, jobs, f.Impls)
	measuretest.CheckRight(t, rec, func(im, _, _ string) bool { return im == Slice.Name })
	if want := 6 * (3 + 4); len(rec.All()) != want {
		t.Errorf("%d figures, want %d", len(rec.All()), want)
	}
}
