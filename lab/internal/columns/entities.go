package columns

import (
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// The components of an entity besides body and part.
type (
	extra0 uint64
	extra1 uint64
	extra2 uint64
	extra3 uint64
	extra4 uint64
	extra5 uint64
	extra6 uint64
	extra7 uint64
)

// extras is the number of those types.
const extras = 8

// extraOf is the value of extra k of each entity that has it.
func extraOf(k int) uint64 { return uint64(k) + 1 }

// Entities is a collection of bodies, each of which has a part and any of the extras.
type Entities interface {
	// New makes it, with room for n entities, and without any.
	New(n int)
	// Create creates n equal entities in the empty collection, with all extras or none.
	Create(n int, all bool)
	// Hold lists the handles of all entities, in any order.
	Hold()
	// Pick adds up the V and X of the entities at these places of the list.
	Pick(places []uint32) uint64
	// Extend adds extra 0 to the entities at these places, which do not have it, and Reduce
	// removes it.
	Extend(places []uint32)
	Reduce(places []uint32)
	// Delete deletes the entities at these places.
	Delete(places []uint32)
	// Mix gives entity i of the list the part of its number, and extra k for bit k of kinds[i].
	Mix(kinds []uint8)
	// Join adds its X to the V of each body.
	Join()
	// Sum adds up the data of the entities of the list, by their handles.
	Sum() uint64
}

// entityData is the data of an entity in a checksum. Without extra k, xs[k] is 0.
func entityData(v, x uint64, xs [extras]uint64) uint64 {
	v += 31 * x
	for k, e := range xs {
		v += uint64(101+2*k) * e
	}
	return v
}

// sumEntities adds up what find returns for each of n entities. All is 0 of one that is not there.
func sumEntities(n int, find func(i int) (v, x uint64, xs [extras]uint64)) (sum uint64) {
	for i := range n {
		sum += weighted(i, entityData(find(i)))
	}
	return sum
}

// mixes lists the numbers of kinds of entities in the collections of the loops.
var mixes = []struct {
	kinds int
	join  string // metric
}{{2, "kinds_2"}, {32, "kinds_32"}}

var entities = &measure.Workload{
	Name:  "entities",
	About: "entities with ten kinds of components: create, look up, change, delete, and loop",
	Method: "A collection for ten kinds of components: 32 bytes, 16, and eight times 8. create_2 " +
		"creates n equal entities at once, with the first two, in the collection that others " +
		"have left; create_10 gives them all ten. pick reads both components of a random half " +
		"by handle. toggle_2 adds a third component to that half and removes it; toggle_10 " +
		"removes one of ten and adds it. delete_2 and delete_10 delete that half. kinds_2 and " +
		"kinds_32 loop over the first two components of n entities of 2 or 32 kinds at random, " +
		"with one or five of the other components or without. All are times per entity. The " +
		"checksum is that of all data, found by handles; deleted entities count as nothing.",
	N: 10_000, QuickN: 500, MoreN: []int{1_000_000}, SlowN: []int{1_000_000},
	FullN: []int{1_000, 100_000},
	MaxN:  1_000_000, NMeans: "entities",
	Elems: []int{32}, Own: true,
	Reps: 15, QuickReps: 2, Warm: true,
	Budget: 8 * time.Second, ImplBudget: 3 * time.Second,
	Key: []string{
		"create_2", "create_10", "pick", "toggle_2", "toggle_10", "delete_2", "delete_10",
		"kinds_2", "kinds_32",
	},
	Runs:  func(im measure.Impl) bool { k, _ := im.Kit.(Kit); return k.Entities != nil },
	Want:  func(j measure.Job) any { return wantEntities(j.N) },
	Start: startEntities,
}

// entitySums are the checksums, and the choices at random.
type entitySums struct {
	created, extended, deleted [2]uint64 // with two components, with ten
	pick                       uint64
	half, others               []uint32
	mixes                      []mixSums
}

// mixSums are the checksums of a collection of several kinds.
type mixSums struct {
	kinds     []uint8
	sum, adds uint64 // without what loops add, and what one loop adds
}

func wantEntities(n int) *entitySums {
	w := &entitySums{}
	places, half := order(n), having(n, 50)
	w.half, w.others = places[:half], places[half:]
	isIn := make([]bool, n)
	for _, i := range w.half {
		isIn[i] = true
	}
	v, x := bodyOf(0).V, partOf(0).X
	w.pick = uint64(half) * (v + x)
	var all, few, one [extras]uint64
	for k := range all {
		all[k] = extraOf(k)
	}
	one[0] = extraOf(0)
	less := all
	less[0] = 0
	for c, sums := range [2]struct{ has, changed [extras]uint64 }{{few, one}, {all, less}} {
		for i := range n {
			data := weighted(i, entityData(v, x, sums.has))
			w.created[c] += data
			if isIn[i] {
				w.extended[c] += weighted(i, entityData(v, x, sums.changed))
			} else {
				w.extended[c] += data
				w.deleted[c] += data
			}
		}
	}
	r := &measure.RNG{S: measure.Seed ^ 16}
	for _, m := range mixes {
		s := mixSums{kinds: make([]uint8, n)}
		for i := range s.kinds {
			kind := uint8(r.Below(uint64(m.kinds)))
			var has [extras]uint64
			for k := range has {
				if kind>>k&1 != 0 {
					has[k] = extraOf(k)
				}
			}
			x := partOf(i).X
			s.kinds[i] = kind
			s.sum += weighted(i, entityData(v, x, has))
			s.adds += weighted(i, x)
		}
		w.mixes = append(w.mixes, s)
	}
	return w
}

// startEntities makes the collections, which all repetitions share.
func startEntities(t *measure.Trial) func() error {
	w := t.Want.(*entitySums)
	make := func() Entities {
		c := t.Impl.Kit.(Kit).Entities()
		c.New(t.N)
		return c
	}
	r := &entityRun{Trial: t, Entities: make(), entitySums: w}
	for _, m := range w.mixes {
		c := make()
		c.Create(t.N, false)
		c.Hold()
		c.Mix(m.kinds)
		r.mixed = append(r.mixed, &mixed{c, 0})
	}
	return r.once
}

// entityRun is a series of repetitions. Its collection is empty between them.
type entityRun struct {
	*measure.Trial
	Entities
	*entitySums

	mixed []*mixed
}

// mixed is a collection of several kinds, and what loops have added to its sum.
type mixed struct {
	Entities
	added uint64
}

func (r *entityRun) once() error {
	for c, metrics := range [2]struct{ create, toggle, delete string }{
		{"create_2", "toggle_2", "delete_2"}, {"create_10", "toggle_10", "delete_10"},
	} {
		if err := r.Pause(); err != nil {
			return err
		}
		all := c == 1
		var creates, deletes []float64
		created, deleted := r.created[c], r.deleted[c]
		turns := min(max(1, 100_000/r.N), 20) // one of a thousand is short
		for turn := range turns {
			creates = append(creates, measure.Time(func() { r.Create(r.N, all) }))
			r.Hold()
			if sum := r.Sum(); sum != created {
				created = sum
			}
			if turn == 0 {
				r.toggle(metrics.toggle, c)
			}
			if turn == 0 && !all {
				r.pickHalf()
			}
			deletes = append(deletes, measure.Time(func() { r.Delete(r.half) }))
			if sum := r.Sum(); sum != deleted {
				deleted = sum
			}
			r.Delete(r.others)
		}
		r.Add(metrics.create, "ns", measure.Quantile(creates, 0.5)/float64(r.N),
			created, r.created[c])
		r.Add(metrics.delete, "ns", measure.Quantile(deletes, 0.5)/float64(len(r.half)),
			deleted, r.deleted[c])
	}
	for i, m := range r.mixed {
		if err := r.Pause(); err != nil {
			return err
		}
		r.loop(mixes[i].join, i, m.Join)
		if s, ok := m.Entities.(spanner); ok {
			r.loop(mixes[i].join+"_spans", i, s.JoinSpans)
		}
	}
	return nil
}

// toggle measures a change of half of the entities, and checks both of its ends.
func (r *entityRun) toggle(metric string, c int) {
	there, back := r.Extend, r.Reduce
	if c == 1 {
		there, back = back, there
	}
	ns, _ := r.PerCall(func() {
		there(r.half)
		back(r.half)
	})
	there(r.half)
	sum := r.Sum()
	back(r.half)
	r.Trial.Add(metric, "ns", ns/float64(len(r.half)), 3*sum+r.Sum(), 3*r.extended[c]+r.created[c])
}

func (r *entityRun) pickHalf() {
	var sum uint64
	ns, _ := r.PerCall(func() { sum = r.Pick(r.half) })
	r.Add("pick", "ns", ns/float64(len(r.half)), sum, r.pick)
}

// loop measures a loop over mixed collection i.
func (r *entityRun) loop(metric string, i int, f func()) {
	m, want := r.mixed[i], r.mixes[i]
	ns, calls := r.PerCall(f)
	m.added += uint64(calls) * want.adds
	r.Add(metric, "ns", ns/float64(r.N), m.Sum()-m.added, want.sum)
}
