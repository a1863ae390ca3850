package impls_test

import (
	"slices"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/collections/impls"
	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/lab/internal/measure/measuretest"
)

// forgetful is a slice whose sums lack 1.
type forgetful struct{ collections.Values }

func (c forgetful) Sum() uint64 { return c.Values.Sum() - 1 }

// undying is a slice of particles that keeps the first one to die.
type undying struct{ collections.Particles }

func (c undying) Age() (visits, deaths int) {
	visits, deaths = c.Particles.Age()
	if deaths > 0 {
		c.Insert([]uint32{1})
	}
	return visits, deaths
}

func TestWrongImplementationIsFound(t *testing.T) {
	sound := collections.KitOf(impls.Slice)
	bad := measure.Impl{
		Name: "bad",
		Kit: collections.Kit{
			Values:    func(elem int) collections.Values { return forgetful{sound.Values(elem)} },
			Particles: func() collections.Particles { return undying{sound.Particles()} },
		},
	}
	f := measuretest.With(impls.Family, impls.Slice, bad)
	works := measuretest.Of(t, f, "basic", "ephemeral", "sparse")
	jobs := measuretest.Plan(t, works, measure.Sizing{N: 100, Elem: 8, Quick: true})
	rec := measuretest.Run(t, jobs, f.Impls)
	measuretest.CheckRight(t, rec, func(im, work, metric string) bool {
		sums := []string{"insert_reserved", "insert_new", "iter_sum", "iter_mut", "insert_refill"}
		return im != "bad" || work == "basic" && !slices.Contains(sums, metric)
	})
}

// mortals is a sound collection.
type mortals struct{ s []collections.Mortal }

func (c *mortals) Insert(ms []collections.Mortal) { c.s = append(c.s, ms...) }
func (c *mortals) Update() uint64                 { return collections.UpdateAll(c.s) }
func (c *mortals) Len() int                       { return len(c.s) }

func (c *mortals) Bury() int {
	before := len(c.s)
	c.s = slices.DeleteFunc(c.s, func(m collections.Mortal) bool { return m.Dead() })
	return before - len(c.s)
}

// Each of these collections has one defect.
type (
	losingMortals   struct{ mortals } // loses an inserted value
	skippingMortals struct{ mortals } // does not visit the first
	twiceMortals    struct{ mortals } // visits the first twice, and the second never
	undeadMortals   struct{ mortals } // keeps the dead
	hastyMortals    struct{ mortals } // removes a live value with each dead one
)

func (c *losingMortals) Insert(ms []collections.Mortal) {
	c.mortals.Insert(ms)
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
	deaths := c.mortals.Bury()
	c.s = c.s[:max(0, len(c.s)-deaths)]
	return deaths
}

func TestWrongMortalsAreFound(t *testing.T) {
	impl := func(name string, c func() collections.Mortals) measure.Impl {
		return measure.Impl{Name: name, Kit: collections.Kit{Mortals: c}}
	}
	f := measuretest.With(impls.Family, impls.Slice,
		impl("sound", func() collections.Mortals { return new(mortals) }),
		impl("losing", func() collections.Mortals { return new(losingMortals) }),
		impl("skipping", func() collections.Mortals { return new(skippingMortals) }),
		impl("twice", func() collections.Mortals { return new(twiceMortals) }),
		impl("undead", func() collections.Mortals { return new(undeadMortals) }),
		impl("hasty", func() collections.Mortals { return new(hastyMortals) }))
	works := measuretest.Of(t, f, "dcm", "dcm-pool")
	jobs := measuretest.Plan(t, works, measure.Sizing{N: 40, Quick: true})
	rec := measuretest.Run(t, jobs, f.Impls)
	measuretest.CheckRight(t, rec, func(im, _, _ string) bool { return im == impls.Slice.Name || im == "sound" })
	if want := 7 * (3 + 4); len(rec.All()) != want {
		t.Errorf("%d figures, want %d", len(rec.All()), want)
	}
}
