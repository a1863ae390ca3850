package impls

import (
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
		Values: collections.Sizes(new(arkValues[collections.None]),
			new(arkValues[collections.Words3]), new(arkValues[collections.Words15])),
		Kinds: collections.Kinds(new(arkValues[collections.Words3]),
			new(arkValues[collections.Array3]), new(arkValues[collections.Pointers])),
		Particles: func() collections.Particles {
			return &arkParticles{newArkWorld[uint32]()}
		},
		Colliders: func() collections.Colliders {
			return &arkColliders{newArkWorld[collections.Collider]()}
		},
		Mortals: func() collections.Mortals {
			return &arkMortals{newArkWorld[collections.Mortal]()}
		},
		Ask: askArk,
	},
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

// removeAll removes the entities that a loop has noted, and returns their number.
func (c *arkWorld[C]) removeAll(dead []ark.Entity) int {
	for _, h := range dead {
		c.w.RemoveEntity(h)
	}
	return len(dead)
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

type arkValues[P collections.Pad] struct {
	collections.Handles[ark.Entity]
	arkWorld[collections.Elem[P]]
}

func (c *arkValues[P]) New(room int) {
	if room == 0 {
		c.arkWorld = newArkWorld[collections.Elem[P]]()
		return
	}
	c.arkWorld = newArkWorld[collections.Elem[P]](room)
}

func (c *arkValues[P]) Insert(from, to int) {
	pad := collections.PadOf[P]()
	i := from
	c.m.NewBatchFn(to-from, func(h ark.Entity, e *collections.Elem[P]) {
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

func (c *arkValues[P]) Drain() (sum uint64) {
	for _, h := range c.Hs {
		if e := c.find(h); e != nil {
			sum += e.V
			c.w.RemoveEntity(h)
		}
	}
	return sum
}

func (c *arkValues[P]) Remove(lo, hi int) { c.removeAll(c.Hs[lo:hi]) }

func (c *arkValues[P]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	pad := collections.PadOf[P]()
	n := uint64(len(c.Hs))
	for range pairs {
		h := &c.Hs[r.Below(n)]
		if e := c.find(*h); e != nil {
			sum += e.V
			c.w.RemoveEntity(*h)
		}
		e := collections.Of(pad, next)
		*h = c.m.NewEntity(&e)
		next++
	}
	return sum
}

func (c *arkValues[P]) Clip() { c.w.Shrink() }

type arkParticles struct{ arkWorld[uint32] }

func (c *arkParticles) Age() (visits, deaths int) {
	dead := c.dead[:0]
	q := c.f.Query()
	for q.NextTable() {
		s, hs := q.GetColumns(), q.Entities()
		for i := range s {
			visits++
			if collections.Aged(&s[i]) {
				dead = append(dead, hs[i])
			}
		}
	}
	c.dead = dead
	return visits, c.removeAll(dead)
}

type arkColliders struct{ arkWorld[collections.Collider] }

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

func (c *arkColliders) Marks() (hits, beens int) {
	q := c.f.Query()
	for q.Next() {
		collections.Tally(q.Get(), &hits, &beens)
	}
	return hits, beens
}

func (c *arkColliders) Age() (deaths, both int) {
	dead := c.dead[:0]
	q := c.f.Query()
	for q.NextTable() {
		s, hs := q.GetColumns(), q.Entities()
		for i := range s {
			if over, b := collections.AgedOut(&s[i]); over {
				dead = append(dead, hs[i])
				both += b
			}
		}
	}
	c.dead = dead
	return c.removeAll(dead), both
}

type arkMortals struct{ arkWorld[collections.Mortal] }

func (c *arkMortals) Update() (updates uint64) {
	q := c.f.Query()
	for q.NextTable() {
		updates += collections.UpdateAll(q.GetColumns())
	}
	return updates
}

func (c *arkMortals) Bury() (deaths int) {
	dead := c.dead[:0]
	q := c.f.Query()
	for q.NextTable() {
		s, hs := q.GetColumns(), q.Entities()
		for i := range s {
			if s[i].Dead() {
				dead = append(dead, hs[i])
			}
		}
	}
	c.dead = dead
	return c.removeAll(dead)
}
