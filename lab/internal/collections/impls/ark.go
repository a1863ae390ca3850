package impls

import (
	"iter"

	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"

	ark "github.com/mlange-42/ark/ecs"
)

var arkImpl = measure.Impl{
	Name: "ark",
	About: "github.com/mlange-42/ark 0.8.3, an entity component system: a value is an entity " +
		"with one component, and the components are adjacent in a column. Its handle is " +
		"index and generation.",
	Stale: "finds nothing if World.Alive is called before, until the slot has been reused 2^32 " +
		"times; Map.Get and RemoveEntity panic. World.Reset restarts the generations, so " +
		"older handles name new values",
	Safe: true,
	Loops: "NextTable and GetColumns; its values are Next and Get. Inserts are batched, " +
		"except in churn. A query locks the world: dead values are noted, and removed when the " +
		"loop is done",
	Kit: collections.Kit{
		Particles: func() particles { return &arkParticles{newArkWorld[uint32]()} },
		Colliders: func() colliders { return &arkColliders{newArkWorld[collider]()} },
		Mortals:   func() mortals { return &arkMortals{newArkWorld[mortal]()} },
		Ask:       askArk,
	}.With(new(arkValues[none]), new(arkValues[words3]), new(arkValues[words15]),
		new(arkValues[array3]), new(arkValues[ptrs])),
}

// arkWorld is a world, and the objects that ark's users create once and keep.
type arkWorld[C any] struct {
	w *ark.World
	m *ark.Map1[C]
	f *ark.Filter1[C]

	dead []ark.Entity // noted in a loop
}

// newArkWorld passes on the expected number of entities, if there is one.
func newArkWorld[C any](room ...int) arkWorld[C] {
	w := ark.NewWorld(room...)
	return arkWorld[C]{w: w, m: ark.NewMap1[C](w), f: ark.NewFilter1[C](w)}
}

// find returns nil if h is stale.
func (c *arkWorld[C]) find(h ark.Entity) *C {
	if !c.w.Alive(h) {
		return nil
	}
	return c.m.GetUnchecked(h)
}

// all is the loop over the tables.
func (c *arkWorld[C]) all() iter.Seq2[ark.Entity, *C] {
	return func(yield func(ark.Entity, *C) bool) {
		q := c.f.Query()
		for q.NextTable() {
			s, hs := q.GetColumns(), q.Entities()
			for i := range s {
				if !yield(hs[i], &s[i]) {
					q.Close()
					return
				}
			}
		}
	}
}

// note returns the call that notes an entity inside a loop, for bury.
func (c *arkWorld[C]) note() func(ark.Entity) {
	c.dead = c.dead[:0]
	return func(h ark.Entity) { c.dead = append(c.dead, h) }
}

// bury removes the entities that a loop has noted.
func (c *arkWorld[C]) bury() {
	for _, h := range c.dead {
		c.w.RemoveEntity(h)
	}
}

// Insert inserts copies of vs.
func (c *arkWorld[C]) Insert(vs []C) {
	c.m.NewBatchFn(len(vs), func(_ ark.Entity, v *C) { *v, vs = vs[0], vs[1:] })
}

func (c *arkWorld[C]) Len() int {
	q := c.f.Query()
	defer q.Close()
	return q.Count()
}

type arkValues[P pad] struct {
	collections.Handles[ark.Entity]
	arkWorld[elem[P]]
}

func (c *arkValues[P]) New(room int) {
	if room == 0 {
		c.arkWorld = newArkWorld[elem[P]]()
		return
	}
	c.arkWorld = newArkWorld[elem[P]](room)
}

func (c *arkValues[P]) Insert(from, to int) {
	pad := collections.PadOf[P]()
	i := from
	c.m.NewBatchFn(to-from, func(h ark.Entity, e *elem[P]) {
		*e = collections.Of(pad, uint64(i))
		c.Hs[i] = h
		i++
	})
}

func (c *arkValues[P]) Sum() (sum uint64) {
	q := c.f.Query()
	for q.NextTable() {
		s := q.GetColumns()
		for i := range s {
			sum += s[i].V
		}
	}
	return sum
}

func (c *arkValues[P]) SumValues() (sum uint64) {
	q := c.f.Query()
	for q.Next() {
		sum += q.Get().V
	}
	return sum
}

func (c *arkValues[P]) Mut() {
	q := c.f.Query()
	for q.NextTable() {
		s := q.GetColumns()
		for i := range s {
			s[i].V++
		}
	}
}

func (c *arkValues[P]) MutValues() {
	q := c.f.Query()
	for q.Next() {
		q.Get().V++
	}
}

func (c *arkValues[P]) ShortRuns() bool { return false }

func (c *arkValues[P]) Get() (sum uint64) {
	for _, h := range c.Hs {
		if e := c.find(h); e != nil {
			sum += e.V
		}
	}
	return sum
}

func (c *arkValues[P]) Drain(lo, hi int) (sum uint64) {
	for _, h := range c.Hs[lo:hi] {
		if e := c.find(h); e != nil {
			sum += e.V
			c.w.RemoveEntity(h)
		}
	}
	return sum
}

func (c *arkValues[P]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	for h, e := range collections.Churned(collections.PadOf[P](), c.Hs, r, next, pairs) {
		if old := c.find(*h); old != nil {
			sum += old.V
			c.w.RemoveEntity(*h)
		}
		*h = c.m.NewEntity(&e)
	}
	return sum
}

func (c *arkValues[P]) Clip() { c.w.Shrink() }

type arkParticles struct{ arkWorld[uint32] }

func (c *arkParticles) Age() (visits, deaths int) {
	visits, deaths = collections.AgeAll(c.all(), c.note())
	c.bury()
	return visits, deaths
}

type arkColliders struct{ arkWorld[collider] }

// Cross runs a query for each collider, and is correct for any number of tables.
func (c *arkColliders) Cross() (pairs int) {
	q := c.f.Query()
	for q.NextTable() {
		s := q.GetColumns()
		for i := range s {
			others := c.f.Query()
			for others.NextTable() {
				if o := others.GetColumns(); &o[0] != &s[0] {
					pairs += collections.MeetAll(&s[i], o)
				} else {
					pairs += collections.MeetAll(&s[i], o[:i]) + collections.MeetAll(&s[i], o[i+1:])
				}
			}
		}
	}
	return pairs
}

func (c *arkColliders) CrossLoops() map[string]func() int {
	return map[string]func() int{"ns_per_pair_values": c.crossValues}
}

func (c *arkColliders) crossValues() (pairs int) {
	q := c.f.Query()
	for q.Next() {
		a, others := q.Get(), c.f.Query()
		for others.Next() {
			if b := others.Get(); b != a {
				pairs += collections.Meet(a, b)
			}
		}
	}
	return pairs
}

func (c *arkColliders) Marks() (hits, beens int) { return collections.TallyAll(c.all()) }

func (c *arkColliders) Age() (deaths, both int) {
	deaths, both = collections.AgeOutAll(c.all(), c.note())
	c.bury()
	return deaths, both
}

type arkMortals struct{ arkWorld[mortal] }

func (c *arkMortals) Update() (updates uint64) {
	q := c.f.Query()
	for q.NextTable() {
		updates += collections.UpdateAll(q.GetColumns())
	}
	return updates
}

func (c *arkMortals) Bury() (deaths int) {
	deaths = collections.BuryAll(c.all(), c.note())
	c.bury()
	return deaths
}
