package pooltest

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"unsafe"
	"weak"

	"github.com/seed505807e1/berth/internal/poison"
)

// law6: nothing is kept alive. Each V points to an object of its own. When the value is removed,
// the collector must be able to free the object.
func law6[H comparable, V Item]() []check[H, V] {
	object := []string{"Object"}
	kept := func(name string, needs []string, empty func(w *world[H, V])) check[H, V] {
		return check[H, V]{name: name, needs: append(needs, object...), run: func(r *run[H, V]) {
			for _, o := range []Options{{}, {Capacity: 300}} {
				w := r.filled(o, r.count(300))
				ws := objects(w)
				empty(w)
				w.mustFree(ws)
			}
		}}
	}
	return []check[H, V]{
		kept("afterRemove", nil, func(w *world[H, V]) { w.removeN(len(w.order), w.any) }),
		kept("afterClear", nil, func(w *world[H, V]) { w.clear() }),
		kept("afterDrain", []string{"Drain"}, func(w *world[H, V]) {
			w.drain(func(int) bool { return true })
		}),
		kept("afterRemoveFunc", []string{"RemoveFunc"}, func(w *world[H, V]) {
			w.removeFunc(func(*walk[H, V], H) bool { return true })
		}),
		kept("afterRemoveInLoop", nil, func(w *world[H, V]) {
			for _, l := range w.loops(w.c) {
				w.loop(l, func(_ *walk[H, V], h H) bool { w.remove(h); return true })
				w.insertN(10)
			}
			w.removeN(len(w.order), first)
		}),
		kept("afterReplacement", nil, func(w *world[H, V]) {
			w.removeN(len(w.order), last)
			w.insertN(20)
		}),
		kept("afterFailedInsertFunc", []string{"InsertFunc"}, func(w *world[H, V]) {
			w.removeN(len(w.order), last)
			for range 20 {
				w.panics(func() { w.insertFunc(func(H) { panic(bomb{}) }) })
			}
		}),
		{name: "failedInsertFuncIsFreed", needs: []string{"InsertFunc", "Object"},
			run: func(r *run[H, V]) {
				w := r.world(Options{})
				var ws []weak.Pointer[Object]
				for range 20 {
					ws = append(ws, failBuilding(w))
				}
				w.mustFree(ws)
			}},
		{name: "vacantIsZero", needs: []string{"InsertFunc"}, run: func(r *run[H, V]) {
			w := r.filled(Options{}, r.count(300))
			w.removeN(len(w.order), w.any)
			for range r.count(300) {
				w.insertFunc(func(H) {}) // it reads the slot
			}
			w.clear()
			for range r.count(300) {
				w.insertFunc(func(H) {})
			}
		}},
	}
}

// failBuilding makes f write a value into a slot and then panic.
//
//go:noinline
func failBuilding[H comparable, V Item](w *world[H, V]) (p weak.Pointer[Object]) {
	w.panics(func() {
		w.c.(funcInserter[H, V]).InsertFunc(func(_ H, v *V) {
			*v = makeItem[V](w.newID())
			p, _ = (*v).object()
			panic(bomb{})
		})
	})
	return p
}

// objects returns weak pointers to the objects of all values.
//
//go:noinline
func objects[H comparable, V Item](w *world[H, V]) (ws []weak.Pointer[Object]) {
	for _, h := range w.order {
		v, _ := w.c.Get(h)
		p, _ := v.object()
		ws = append(ws, p)
	}
	return ws
}

// mustFree checks that all objects can be collected while the container is alive.
func (w *world[H, V]) mustFree(ws []weak.Pointer[Object]) {
	runtime.GC()
	runtime.GC()
	alive := 0
	for _, p := range ws {
		if p.Value() != nil {
			alive++
		}
	}
	if alive > 0 {
		w.fail("%d of %d removed values are kept alive", alive, len(ws))
	}
	w.glance()
}

// law8: pointers stay valid as long as the container documents.
func law8[H comparable, V Item]() []check[H, V] {
	return []check[H, V]{
		{name: "sameUntilChange", run: func(r *run[H, V]) {
			w := r.filled(Options{}, r.count(500))
			for _, h := range w.order {
				p := w.c.Ptr(h)
				w.write(h)
				if v, ok := w.c.Get(h); !ok || v != *p || w.c.Ptr(h) != p {
					w.fail("Ptr(%v) has moved without a change", h)
				}
			}
		}},
		{name: "throughGrowth", needs: []string{"UntilRemove"}, run: func(r *run[H, V]) {
			w := r.filled(Options{}, 10)
			c, v := w.c, makeItem[V](w.newID())
			var hs []H
			for range r.count(100_000) {
				hs = append(hs, c.Insert(v))
			}
			w.pointersAlias("after growth")
			for _, h := range hs {
				c.Remove(h)
			}
			w.pointersAlias("after truncation")
			w.clip()
			w.pointersAlias("after Clip")
			w.grow(1000)
			w.pointersAlias("after Grow")
		}},
		{name: "throughReserved", needs: []string{"Grow", "UntilGrowth"}, run: func(r *run[H, V]) {
			n := r.count(1000)
			w := r.filled(Options{}, 10)
			w.grow(n)
			old := w.pointers()
			for range n {
				w.c.Insert(makeItem[V](w.newID()))
			}
			for h, p := range old {
				if w.c.Ptr(h) != p {
					w.fail("Ptr(%v) has moved in an insert that Grow had made room for", h)
				}
			}
		}},
	}
}

func (w *world[H, V]) pointers() map[H]*V {
	ps := map[H]*V{}
	for _, h := range w.order {
		ps[h] = w.c.Ptr(h)
	}
	return ps
}

// pointersAlias writes through the first pointers to the model's values, and checks that the writes
// are visible.
func (w *world[H, V]) pointersAlias(when string) {
	for _, h := range w.order {
		e := w.live[h]
		delete(w.byID, e.id)
		e.id = w.newID()
		w.byID[e.id] = h
		*e.ptr = makeItem[V](e.id)
		if v, ok := w.c.Get(h); !ok || v != *e.ptr || w.c.Ptr(h) != e.ptr {
			w.fail("%s: a write through the old pointer of %v is lost", when, h)
		}
	}
}

// law9: the steady state allocates nothing.
func law9[H comparable, V Item]() []check[H, V] {
	return []check[H, V]{
		{name: "insertRemove", run: func(r *run[H, V]) {
			for n := 0; n < 330; n += 1 + n/100 {
				c, _ := bare(r, Options{}, r.count(n))
				v := makeItem[V](r.newID())
				what := fmt.Sprintf("Insert and Remove with %d values", n)
				r.allocs(what, 0, func() { c.Remove(c.Insert(v)) })
			}
		}},
		{name: "churn", run: func(r *run[H, V]) {
			c, hs := bare(r, Options{}, r.count(2000))
			v, rng := makeItem[V](r.newID()), rand.New(rand.NewPCG(5, 6))
			turn := func() {
				for range 500 {
					i := rng.IntN(len(hs))
					c.Remove(hs[i])
					hs[i] = c.Insert(v)
				}
			}
			turn()
			r.allocs("500 times Remove and Insert", 0, turn)
		}},
		{name: "clearRefill", run: func(r *run[H, V]) {
			n := r.count(300)
			c, _ := bare(r, Options{}, n)
			v := makeItem[V](r.newID())
			turn := func() {
				c.Clear()
				for range n {
					c.Insert(v)
				}
			}
			turn()
			r.allocs("Clear and refill", 0, turn)
		}},
	}
}

// law9reads: lookups, loops, and inserts with reserved memory.
func law9reads[H comparable, V Item]() []check[H, V] {
	return []check[H, V]{
		{name: "lookups", run: func(r *run[H, V]) {
			c, hs := bare(r, Options{}, r.count(300))
			stale := hs[7]
			c.Remove(stale)
			r.allocs("Get, Ptr and Contains", 0, func() {
				for _, h := range hs {
					_, ok := c.Get(h)
					if ok != c.Contains(h) || ok != (c.Ptr(h) != nil) {
						r.f.Fatalf("Get(%v) = %v, but Contains = %v", h, ok, c.Contains(h))
					}
				}
			})
		}},
		{name: "loops", run: func(r *run[H, V]) {
			c, _ := bare(r, Options{}, r.count(2000))
			turns := 0
			for _, l := range r.loops(c) {
				// Behind an interface, the iterator itself and its body escape. The loop must
				// allocate nothing for the values. The views of Traverse are interfaces.
				if l.name == "Traverse" {
					continue
				}
				r.allocs(l.name+" over 2000 values", 8, func() {
					l.run(func(H, *V) bool { turns++; return true })
				})
			}
		}},
		{name: "reserved", needs: []string{"Grow"}, run: func(r *run[H, V]) {
			n := r.count(1000)
			v := makeItem[V](r.newID())
			fill := func(what string, o Options, grow int) {
				var cs []Container[H, V] // a new one for each run of the measurement
				for range 11 {
					c := r.New(o)
					c.(grower).Grow(grow)
					cs = append(cs, c)
				}
				r.allocs(what, 0, func() {
					for range n {
						cs[0].Insert(v)
					}
					cs = cs[1:]
				})
			}
			fill("inserts that Grow has made room for", Options{}, n)
			fill("inserts that Capacity has made room for", Options{Capacity: n}, 0)
		}},
	}
}

// bare returns a container of n values without a model, and their handles.
func bare[H comparable, V Item](r *run[H, V], o Options, n int) (Container[H, V], []H) {
	c := r.New(o)
	hs := make([]H, n)
	for i := range hs {
		hs[i] = c.Insert(makeItem[V](r.newID()))
	}
	return c, hs
}

func (r *run[H, V]) allocs(what string, most float64, f func()) {
	if n := testing.AllocsPerRun(10, f); n > most {
		r.f.Fatalf("%s: %v allocations, want at most %v", what, n, most)
	}
}

// law10: memory follows the live values.
func law10[H comparable, V Item]() []check[H, V] {
	const keep = 8
	after := func(name string, clip bool, pick func(hs []H, rng *rand.Rand)) check[H, V] {
		needs := []string{"Truncation"}
		if clip {
			needs = []string{"Clip"}
		}
		return check[H, V]{name: name, needs: needs, run: func(r *run[H, V]) {
			spikeMemory(r, clip, func(hs []H) []H {
				pick(hs, r.rng)
				return hs[:len(hs)-1-min(keep, len(hs)/2500)]
			})
		}}
	}
	firstStay := func(hs []H, _ *rand.Rand) { slices.Reverse(hs) }
	lastStay := func([]H, *rand.Rand) {}
	scattered := func(hs []H, rng *rand.Rand) {
		rng.Shuffle(len(hs), func(i, j int) { hs[i], hs[j] = hs[j], hs[i] })
	}
	return []check[H, V]{
		{name: "sizedByNeed", run: func(r *run[H, V]) {
			n := r.room(20_000)
			var c Container[H, V]
			hs := make([]H, n)
			v := makeItem[V](r.newID())
			got := grown(func() {
				c = r.New(Options{})
				for i := range hs {
					hs[i] = c.Insert(v)
				}
			})
			if most := n*(3*int(unsafe.Sizeof(v))+40) + 100<<10; got > most {
				r.f.Fatalf("%d values of %d bytes take %d, want at most %d",
					n, unsafe.Sizeof(v), got, most)
			}
			runtime.KeepAlive(c)
		}},
		after("firstSurvive", false, firstStay),
		after("lastSurvive", false, lastStay),
		after("scatteredSurvive", false, scattered),
		after("clipFirstSurvive", true, firstStay),
		after("clipLastSurvive", true, lastStay),
		after("clipScatteredSurvive", true, scattered),
		{name: "bytes", needs: []string{"Bytes"}, run: func(r *run[H, V]) {
			c, hs := bare(r, Options{}, r.room(20_000))
			if got, least := r.Bytes(c), len(hs)*int(unsafe.Sizeof(*new(V))); got < least {
				r.f.Fatalf("Bytes = %d with %d values, want at least %d", got, len(hs), least)
			}
		}},
		{name: "reservedTwice", needs: []string{"Grow", "Clip"}, run: func(r *run[H, V]) {
			c, n := r.New(Options{}), r.room(20_000)
			once := grown(func() { c.(grower).Grow(n) })
			more := grown(func() {
				for range 5 {
					c.(grower).Grow(n)
				}
			})
			rest := grown(func() { c.(clipper).Clip(); settle(c, makeItem[V](r.newID())) })
			if more > once/4 || once+more+rest > once/4 {
				r.f.Fatalf("Grow(%d): %d bytes, five more: %d, Clip: %d; want nothing left",
					n, once, more, rest)
			}
			runtime.KeepAlive(c)
		}},
	}
}

// spikeMemory inserts many values, removes those that gone selects, and compares the container's
// memory at the peak and after.
func spikeMemory[H comparable, V Item](r *run[H, V], clip bool, gone func([]H) []H) {
	n := r.room(20_000)
	c, hs, v := r.New(Options{}), make([]H, n), makeItem[V](r.newID())
	bytes := func() int { return 0 }
	if r.Bytes != nil {
		bytes = func() int { return r.Bytes(c) }
	}
	b0 := bytes()
	peak := grown(func() {
		for i := range hs {
			hs[i] = c.Insert(v)
		}
	})
	b1 := bytes()
	given := -grown(func() {
		for _, h := range gone(hs) {
			c.Remove(h)
		}
		if r.TidiesInLoops {
			for range c.All() {
				break
			}
		}
		if clip {
			c.(clipper).Clip()
		}
		settle(c, v)
	})
	if given < peak*2/3 {
		r.f.Fatalf("a spike to %d values took %d bytes and left %d of them with %d values",
			n, peak, peak-given, c.Len())
	}
	if b2 := bytes(); b2-b0 > (b1-b0)/3 {
		r.f.Fatalf("a spike to %d values: Bytes = %d before, %d at its peak, %d after",
			n, b0, b1, b2)
	}
}

// settle makes c drop an array that its values have left. Under berth_poison, a container keeps it
// until the next change.
func settle[H comparable, V Item](c Container[H, V], v V) {
	if poison.On {
		c.Remove(c.Insert(v))
	}
}

// grown returns the number of bytes by which f makes the heap grow.
func grown(f func()) int {
	before := heap()
	f()
	return heap() - before
}

func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
