package pooltest

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"weak"

	"github.com/seed505807e1/berth/internal/poison"
)

// law6: nothing is kept alive. Each V points to an object of its own. When the value is removed,
// the collector must be able to free the object.
func law6() []check {
	object := []string{"Object"}
	kept := func(name string, needs []string, empty func(w *world)) check {
		return check{name: name, needs: append(needs, object...), run: func(r *run) {
			for _, o := range []Options{{}, {Capacity: 300}} {
				w := r.filled(o, r.count(300))
				ws := objects(w)
				empty(w)
				w.mustFree(ws)
			}
		}}
	}
	return []check{
		kept("afterRemove", nil, func(w *world) { w.removeN(len(w.order), w.any) }),
		kept("afterClear", nil, func(w *world) { w.clear() }),
		kept("afterDrain", []string{"Drain"}, func(w *world) {
			w.drain(func(int) bool { return true })
		}),
		kept("afterRemoveFunc", []string{"RemoveFunc"}, func(w *world) {
			w.removeFunc(func(*walk, handle) bool { return true })
		}),
		kept("afterRemoveInLoop", nil, func(w *world) {
			for _, l := range loops(w.c) {
				w.loop(l, func(_ *walk, h handle) bool { w.remove(h); return true })
				w.insertN(10)
			}
			w.removeN(len(w.order), first)
		}),
		kept("afterReplacement", nil, func(w *world) {
			w.removeN(len(w.order), last)
			w.insertN(20)
		}),
		kept("afterFailedInsertFunc", []string{"InsertFunc"}, func(w *world) {
			w.removeN(len(w.order), last)
			for range 20 {
				w.panics(func() { w.insertFunc(func(handle) { panic(bomb{}) }) })
			}
		}),
		{name: "failedInsertFuncIsFreed", needs: []string{"InsertFunc", "Object"},
			run: func(r *run) {
				w := r.world(Options{})
				var ws []weak.Pointer[Object]
				for range 20 {
					ws = append(ws, failBuilding(w))
				}
				w.mustFree(ws)
			}},
		{name: "vacantIsZero", needs: []string{"InsertFunc"}, run: func(r *run) {
			w := r.filled(Options{}, r.count(300))
			w.removeN(len(w.order), w.any)
			for range r.count(300) {
				w.insertFunc(func(handle) {}) // it reads the slot
			}
			w.clear()
			for range r.count(300) {
				w.insertFunc(func(handle) {})
			}
		}},
	}
}

// failBuilding makes f write a value into a slot and then panic.
//
//go:noinline
func failBuilding(w *world) (p weak.Pointer[Object]) {
	w.panics(func() {
		w.c.insertFunc(func(_ handle, v item) {
			v.fill(w.newID())
			p, _ = v.object()
			panic(bomb{})
		})
	})
	return p
}

// objects returns weak pointers to the objects of all values.
//
//go:noinline
func objects(w *world) (ws []weak.Pointer[Object]) {
	for _, h := range w.order {
		p, _ := w.c.ptr(h).object()
		ws = append(ws, p)
	}
	return ws
}

// mustFree checks that all objects can be collected while the container is alive.
func (w *world) mustFree(ws []weak.Pointer[Object]) {
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
func law8() []check {
	return []check{
		{name: "sameUntilChange", run: func(r *run) {
			w := r.filled(Options{}, r.count(500))
			for _, h := range w.order {
				p := w.c.ptr(h)
				w.write(h)
				id, _ := p.ident()
				if v, ok := w.c.get(h); !ok || v.id != id || w.c.ptr(h) != p {
					w.fail("Ptr(%v) has moved without a change", h)
				}
			}
		}},
		{name: "throughGrowth", needs: []string{"UntilRemove"}, run: func(r *run) {
			w := r.filled(Options{}, 10)
			n := r.count(20_000)
			w.c.hold(w.newID(), n)
			for i := range n {
				w.c.put(i)
			}
			w.pointersAlias("after growth")
			for i := range n {
				w.c.drop(i)
			}
			w.pointersAlias("after truncation")
			w.clip()
			w.pointersAlias("after Clip")
			w.grow(1000)
			w.pointersAlias("after Grow")
		}},
		{name: "throughReserved", needs: []string{"Grow", "UntilGrowth"}, run: func(r *run) {
			n := r.count(1000)
			w := r.filled(Options{}, 10)
			w.grow(n)
			old := map[handle]item{}
			for _, h := range w.order {
				old[h] = w.c.ptr(h)
			}
			for range n {
				w.c.insert(w.newID())
			}
			for h, p := range old {
				if w.c.ptr(h) != p {
					w.fail("Ptr(%v) has moved in an insert that Grow had made room for", h)
				}
			}
		}},
	}
}

// pointersAlias writes through the first pointers to the model's values, and checks that the writes
// are visible.
func (w *world) pointersAlias(when string) {
	for _, h := range w.order {
		e := w.live(h)
		w.renew(e)
		e.ptr.fill(e.id)
		if v, ok := w.c.get(h); !ok || !v.sound || v.id != e.id || w.c.ptr(h) != e.ptr {
			w.fail("%s: a write through the old pointer of %v is lost", when, h)
		}
	}
}

// law9: the steady state allocates nothing.
func law9() []check {
	return []check{
		{name: "insertRemove", run: func(r *run) {
			for n := 0; n < 330; n += 1 + n/100 {
				n := r.count(n)
				c := r.bare(Options{}, n, n+1)
				what := fmt.Sprintf("Insert and Remove with %d values", n)
				r.allocs(what, 0, func() { c.put(n); c.drop(n) })
			}
		}},
		{name: "churn", run: func(r *run) {
			n := r.count(2000)
			c, rng := r.bare(Options{}, n, n), rand.New(rand.NewPCG(5, 6))
			turn := func() {
				for range 500 {
					i := rng.IntN(n)
					c.drop(i)
					c.put(i)
				}
			}
			turn()
			r.allocs("500 times Remove and Insert", 0, turn)
		}},
		{name: "clearRefill", run: func(r *run) {
			n := r.count(300)
			c := r.bare(Options{}, n, n)
			turn := func() {
				c.clear()
				for i := range n {
					c.put(i)
				}
			}
			turn()
			r.allocs("Clear and refill", 0, turn)
		}},
	}
}

// law9reads: lookups, loops, and inserts with reserved memory.
func law9reads() []check {
	return []check{
		{name: "lookups", run: func(r *run) {
			n := r.count(300)
			c := r.bare(Options{}, n, n)
			c.drop(7)
			r.allocs("Get, Ptr and Contains", 0, func() {
				for i := range n {
					if found, agree := c.finds(i); found != (i != 7) || !agree {
						r.f.Fatalf("value %d of %d, without 7: Get finds it %v, "+
							"Ptr and Contains agree %v", i, n, found, agree)
					}
				}
			})
		}},
		{name: "loops", run: func(r *run) {
			n := r.count(2000)
			c := r.bare(Options{}, n, n)
			turns := 0
			for _, l := range loops(c) {
				// Behind an interface, the iterator itself and its body escape. The loop must
				// allocate nothing for the values. The views of Traverse are interfaces.
				if l.name == "Traverse" {
					continue
				}
				r.allocs(l.name+" over 2000 values", 8, func() {
					l.run(func(handle, item) bool { turns++; return true })
				})
			}
		}},
		{name: "reserved", needs: []string{"Grow"}, run: func(r *run) {
			n := r.count(1000)
			fill := func(what string, o Options, grow int) {
				var cs []container // a new one for each run of the measurement
				for range 11 {
					c := r.bare(o, 0, n)
					c.inner().(grower).Grow(grow)
					cs = append(cs, c)
				}
				r.allocs(what, 0, func() {
					for i := range n {
						cs[0].put(i)
					}
					cs = cs[1:]
				})
			}
			fill("inserts that Grow has made room for", Options{}, n)
			fill("inserts that Capacity has made room for", Options{Capacity: n}, 0)
		}},
	}
}

// bare returns a container of n values without a model, which holds up to most handles.
func (r *run) bare(o Options, n, most int) container {
	c := r.open(o)
	c.hold(r.newID(), most)
	for i := range n {
		c.put(i)
	}
	return c
}

func (r *run) allocs(what string, most float64, f func()) {
	if n := testing.AllocsPerRun(10, f); n > most {
		r.f.Fatalf("%s: %v allocations, want at most %v", what, n, most)
	}
}

// law10: memory follows the live values.
func law10() []check {
	const keep = 8
	after := func(name string, clip bool, pick func(places []int, rng *rand.Rand)) check {
		needs := []string{"Truncation"}
		if clip {
			needs = []string{"Clip"}
		}
		return check{name: name, needs: needs, run: func(r *run) {
			spikeMemory(r, clip, func(places []int) []int {
				pick(places, r.rng)
				return places[:len(places)-1-min(keep, len(places)/2500)]
			})
		}}
	}
	firstStay := func(places []int, _ *rand.Rand) { slices.Reverse(places) }
	lastStay := func([]int, *rand.Rand) {}
	scattered := func(places []int, rng *rand.Rand) {
		rng.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	}
	return []check{
		{name: "sizedByNeed", run: func(r *run) {
			n := r.room(20_000)
			var c container
			got := grown(func() { c = r.open(Options{}) })
			c.hold(r.newID(), n)
			got += grown(func() {
				for i := range n {
					c.put(i)
				}
			})
			if most := n*(3*r.size+40) + 100<<10; got > most {
				r.f.Fatalf("%d values of %d bytes take %d, want at most %d", n, r.size, got, most)
			}
			runtime.KeepAlive(c)
		}},
		after("firstSurvive", false, firstStay),
		after("lastSurvive", false, lastStay),
		after("scatteredSurvive", false, scattered),
		after("clipFirstSurvive", true, firstStay),
		after("clipLastSurvive", true, lastStay),
		after("clipScatteredSurvive", true, scattered),
		{name: "bytes", needs: []string{"Bytes"}, run: func(r *run) {
			n := r.room(20_000)
			if got, least := r.bare(Options{}, n, n).bytes(), n*r.size; got < least {
				r.f.Fatalf("Bytes = %d with %d values, want at least %d", got, n, least)
			}
		}},
		{name: "reservedTwice", needs: []string{"Grow", "Clip"}, run: func(r *run) {
			c, n := r.bare(Options{}, 0, 1), r.room(20_000)
			once := grown(func() { c.inner().(grower).Grow(n) })
			more := grown(func() {
				for range 5 {
					c.inner().(grower).Grow(n)
				}
			})
			rest := grown(func() { c.inner().(clipper).Clip(); settle(c) })
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
func spikeMemory(r *run, clip bool, gone func(places []int) []int) {
	n := r.room(20_000)
	c, places := r.bare(Options{}, 0, n), make([]int, n)
	bytes := func() int { return 0 }
	if c.offers("Bytes") {
		bytes = c.bytes
	}
	b0 := bytes()
	peak := grown(func() {
		for i := range n {
			places[i] = i
			c.put(i)
		}
	})
	b1 := bytes()
	given := -grown(func() {
		for _, i := range gone(places) {
			c.drop(i)
		}
		if r.tidies {
			for range c.all {
				break
			}
		}
		if clip {
			c.inner().(clipper).Clip()
		}
		settle(c)
	})
	if given < peak*2/3 {
		r.f.Fatalf("a spike to %d values took %d bytes and left %d of them with %d values",
			n, peak, peak-given, c.len())
	}
	if b2 := bytes(); b2-b0 > (b1-b0)/3 {
		r.f.Fatalf("a spike to %d values: Bytes = %d before, %d at its peak, %d after",
			n, b0, b1, b2)
	}
}

// settle makes c drop an array that its values have left. Under berth_poison, a container keeps it
// until the next change.
func settle(c container) {
	if poison.On {
		c.put(0)
		c.drop(0)
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
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
