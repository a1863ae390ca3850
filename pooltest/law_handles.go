package pooltest

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// law1: a live handle finds its value, always the same one, until the value is removed.
func law1() []check {
	return []check{
		{name: "insertAndFind", run: func(r *run) {
			for _, n := range sizes {
				w := r.filled(Options{}, r.count(n))
				w.compare()
				w.removeN(len(w.order)/2, w.any)
				w.compare()
				w.insertN(len(w.order))
				w.compare()
			}
		}},
		{name: "underChurn", run: func(r *run) {
			w := r.filled(Options{}, r.count(1500))
			for round := range 8 {
				w.removeN(700, []func(int) int{first, last, w.any}[round%3])
				w.insertN(600)
				w.compare()
			}
		}},
		{name: "writesStay", run: func(r *run) {
			w := r.filled(Options{}, r.count(300))
			for _, h := range w.order {
				w.write(h)
			}
			for _, l := range loops(w.c) {
				w.loop(l, func(_ *walk, h handle) bool { w.write(h); return true })
				w.compare()
			}
		}},
		{name: "lastBesideHole", run: func(r *run) {
			for _, n := range sizes[2:] {
				w := r.filled(Options{}, r.count(n))
				hs := slices.Clone(w.order)
				w.remove(hs[len(hs)-2])
				w.remove(hs[len(hs)-1])
				w.compare()
				w.insertN(5)
				w.compare()
			}
		}},
	}
}

// law2: a stale handle never finds anything. The model records every handle issued, and fails if
// one is issued again.
func law2() []check {
	return []check{
		{name: "afterRemove", run: func(r *run) {
			w := r.filled(Options{}, r.count(300))
			for len(w.order) > 0 {
				w.removeN(20, w.any)
				w.stale("after Remove")
			}
		}},
		{name: "afterReuse", run: func(r *run) { afterReuse(r, 70_000) }},
		{name: "afterReuseOfMany", run: func(r *run) {
			w := r.filled(Options{}, r.count(100))
			for range 300 {
				w.removeN(50, w.any)
				w.insertN(50)
			}
			w.stale("after 300 rounds of reuse")
		}},
		{name: "afterClear", run: func(r *run) {
			for _, n := range sizes {
				w := r.world(Options{})
				for range 4 {
					w.insertN(r.count(n))
					w.clear()
					w.stale("after Clear")
				}
				w.insertN(r.count(n) / 2)
				w.stale("after Clear and refill")
			}
		}},
		{name: "afterTruncation", run: func(r *run) {
			spikes(r.world(Options{}), func() {})
		}},
		{name: "afterClip", needs: []string{"Clip"}, run: func(r *run) {
			w := r.world(Options{Capacity: 70})
			spikes(w, w.clip)
		}},
		{name: "afterClone", needs: []string{"Clone"}, run: afterClone},
		{name: "afterDrain", needs: []string{"Drain"}, run: func(r *run) {
			w := r.world(Options{})
			for range 3 {
				w.insertN(r.count(300))
				w.drain(func(int) bool { return true })
				w.stale("after Drain")
			}
			w.insertN(r.count(300))
			w.stale("after Drain and refill")
		}},
		{name: "afterRemoveFunc", needs: []string{"RemoveFunc"}, run: func(r *run) {
			w := r.world(Options{})
			for range 3 {
				w.insertN(r.count(300))
				w.removeFunc(func(*walk, handle) bool { return w.rng.IntN(3) > 0 })
				w.stale("after RemoveFunc")
			}
		}},
		{name: "afterFailedInsertFunc", needs: []string{"InsertFunc"}, run: func(r *run) {
			w := r.filled(Options{}, 3)
			for range 5 {
				if !w.panics(func() { w.insertFunc(func(handle) { panic(bomb{}) }) }) {
					w.fail("InsertFunc swallowed a panic of f")
				}
				w.insertN(2)
			}
			w.stale("after an InsertFunc that panicked")
		}},
		{name: "afterRetirement", needs: []string{"Age"}, run: afterRetirement},
	}
}

// afterReuse inserts one value after the other into the same slot, often enough for generations of
// 8, 12 and 16 bits to wrap.
func afterReuse(r *run, times int) {
	c := r.open(Options{})
	id := r.newID()
	var seen table[named]
	hs := make([]handle, times)
	for i := range hs {
		h := c.insert(id)
		if h != nil && seen.at(h.n) != nil {
			r.f.Fatalf("Insert %d returned %v, which it had returned before", i, h)
		}
		if i > 0 && c.contains(hs[i-1]) {
			r.f.Fatalf("reuse %d: the handle before, %v, is live", i, hs[i-1])
		}
		if got, ok := c.get(h); !ok || !got.sound || got.id != id {
			r.f.Fatalf("reuse %d: Get(%v) = (%+v, %v), want the value", i, h, got, ok)
		}
		seen.set(h.n, h)
		hs[i] = h
		if i < times-1 {
			c.remove(h)
		}
	}
	for i, h := range hs[:times-1] {
		if got, ok := c.remove(h); ok || c.contains(h) {
			r.f.Fatalf("handle %d of %d, %v, finds %+v", i, times, h, got)
		}
	}
	if c.len() != 1 {
		r.f.Fatalf("Len() = %d, want 1", c.len())
	}
}

// spikes fills and empties w repeatedly, in several orders, to several depths.
func spikes(w *world, after func()) {
	for round := range 7 {
		w.insertN(w.count(1300))
		keep := []int{0, 1, 9}[round%3]
		w.removeN(len(w.order)-keep, []func(int) int{last, first, w.any}[round/2%3])
		after()
		w.stale("after truncation")
		w.insertN(3)
		w.stale("after truncation and regrowth")
	}
}

func afterClone(r *run) {
	w := r.filled(Options{}, r.count(400))
	w.removeN(150, w.any)
	v := w.fork()
	for range 3 {
		v.removeN(60, v.any)
		w.compare()
		v.insertN(90)
		w.compare()
		w.clear()
		v.compare()
		w.insertN(200)
		v.stale("in the clone, after changes to the original")
		w.stale("in the original, after changes to the clone")
		for _, h := range w.order {
			w.write(h)
		}
		v.compare()
		v = v.fork()
	}
}

func afterRetirement(r *run) {
	for lives := 1; lives <= 3; lives++ {
		for mode := range 4 {
			w := r.world(Options{})
			w.c.age(lives)
			retired := 0
			for round := range 4 * lives {
				w.insertN(100)
				w.glance()
				if mode&1 != 0 {
					w.clear()
				} else {
					w.removeN(100, last)
				}
				if mode&2 != 0 {
					w.clip()
				}
				w.stale(fmt.Sprintf("slots of %d lives, round %d", lives, round))
				if !w.c.offers("Retired") {
					continue
				}
				n := w.c.retired()
				if n < retired || round >= lives && n == 0 {
					w.fail("round %d of %d lives: %d retired, were %d", round, lives, n, retired)
				}
				retired = n
			}
		}
	}
}

// law3: the zero handle refers to no value, and no bit pattern crashes or corrupts the container.
func law3() []check {
	return []check{
		{name: "zeroHandle", run: func(r *run) {
			for _, n := range sizes {
				w := r.world(Options{})
				r.zero(w)
				w.insertN(r.count(n))
				r.zero(w)
				w.removeN(r.count(n)/2, first)
				r.zero(w)
				w.compare()
			}
		}},
		{name: "anyBits", needs: []string{"FromBits"}, run: func(r *run) {
			w := r.filled(Options{}, r.count(500))
			w.removeN(100, w.any)
			for range 5000 {
				w.probe(w.c.fromBits(r.rng.Uint64()))
				w.probe(w.c.fromBits(r.rng.Uint64() >> r.rng.IntN(64)))
				w.probe(w.c.fromBits(^uint64(0) << r.rng.IntN(64)))
			}
			for range 500 {
				w.neighbours(w.order[w.any(len(w.order))])
			}
			w.compare()
		}},
	}
}

// zero passes the zero handle to every method.
func (r *run) zero(w *world) {
	var none handle
	w.mustStayGone(none, "zero handle")
	if w.c.offers("Apply") {
		w.apply(none, func(*others) {})
	}
}

// probe tries a handle of any bits. It must find the value that the model has for it, or nothing.
func (w *world) probe(h handle) {
	if e := w.live(h); e != nil {
		w.resolve(h, e.id)
		return
	}
	w.mustStayGone(h, "handle of any bits")
	if w.c.offers("Apply") {
		w.apply(h, func(*others) {})
	}
	if w.c.offers("At") {
		if i := w.c.slotOf(h); i != -1 {
			w.fail("the slot of %v, which is not live, is %d", h, i)
		}
	}
}

// neighbours probes the handles that differ from h by one bit, or by one.
func (w *world) neighbours(h handle) {
	if !w.c.offers("Bits") || !w.c.offers("FromBits") {
		return
	}
	b := w.c.bits(h)
	if g := w.c.fromBits(b); g != h {
		w.fail("FromBits(Bits(%v)) = %v", h, g)
	}
	for i := range 64 {
		w.probe(w.c.fromBits(b ^ 1<<i))
	}
	for _, d := range []uint64{1, 2, 1 << 32, 1 << 33} {
		w.probe(w.c.fromBits(b + d))
		w.probe(w.c.fromBits(b - d))
	}
}

// law4: a foreign handle finds nothing, and the same Seed makes the same handles.
func law4() []check {
	return []check{
		{name: "automaticSeeds", run: func(r *run) {
			foreign(r, func(int) uint32 { return 0 })
		}},
		{name: "chosenSeeds", run: func(r *run) {
			foreign(r, func(i int) uint32 { return uint32(i + 1) })
		}},
		{name: "sameSeed", run: func(r *run) {
			for seed := range uint32(4) {
				a, b := deterministic(r, seed+1), deterministic(r, seed+1)
				for i := range min(len(a), len(b)) {
					if a[i] != b[i] {
						r.f.Fatalf("same Seed and calls: handle %d is %v and %v", i, a[i], b[i])
					}
				}
				if len(a) != len(b) {
					r.f.Fatalf("same Seed and calls: %d and %d handles", len(a), len(b))
				}
			}
		}},
	}
}

// foreign passes the handles of several containers to each other, at first and after churn.
func foreign(r *run, seed func(int) uint32) {
	const boxes = 5
	n := r.count(3000)
	id := r.newID()
	var cs [boxes]container
	var hs [boxes][]handle
	for i := range cs {
		cs[i] = r.open(Options{Seed: seed(i)})
		for range n {
			hs[i] = append(hs[i], cs[i].insert(id))
		}
	}
	for round := range 3 {
		for i, c := range cs {
			for j, foreign := range hs {
				if i != j {
					what := fmt.Sprintf("container %d, handles of %d, round %d", i, j, round)
					findsNone(r, c, foreign, what)
				}
			}
			for at := range n {
				if (at+i)%(round+2) == 0 {
					c.remove(hs[i][at])
					hs[i][at] = c.insert(id)
				}
			}
		}
	}
	for i, c := range cs {
		if c.len() != n {
			r.f.Fatalf("container %d: Len() = %d after foreign handles, want %d", i, c.len(), n)
		}
	}
}

func findsNone(r *run, c container, hs []handle, what string) {
	for _, h := range hs {
		if c.contains(h) || c.ptr(h) != nil {
			r.f.Fatalf("%s: Ptr(%v) = %+v, want nil", what, h, c.ptr(h))
		}
		if v, ok := c.remove(h); ok {
			r.f.Fatalf("%s: Remove(%v) = (%+v, true), want false", what, h, v)
		}
	}
}

// deterministic makes the same calls each time, and returns the handles that it meets.
func deterministic(r *run, seed uint32) (met []handle) {
	w := r.world(Options{Seed: seed})
	w.rng = rand.New(rand.NewPCG(3, 4))
	w.run = &run{traits: r.traits, open: r.open, f: r.f, ids: r.ids, rng: w.rng}
	for round := range 6 {
		w.insertN(w.count(400))
		met = append(met, w.order...)
		w.removeN(w.count(300), w.any)
		if round == 3 {
			w.clear()
			w.clip()
			w.insertN(10)
		}
		for _, l := range loops(w.c) {
			met = append(met, w.loop(l, func(*walk, handle) bool { return true }).order...)
		}
	}
	r.ids = w.ids
	return met
}

// law5: removing a value twice reports false the second time, and changes nothing.
func law5() []check {
	return []check{
		{name: "secondIsFalse", run: func(r *run) {
			for _, n := range sizes[1:] {
				w := r.filled(Options{}, r.count(n))
				for len(w.order) > 0 {
					h := w.order[w.any(len(w.order))]
					w.remove(h)
					w.remove(h)
				}
				w.compare()
			}
		}},
		{name: "slotsStayApart", run: func(r *run) {
			for _, n := range sizes[1:] {
				w := r.filled(Options{}, r.count(n))
				h := w.order[0]
				w.remove(h)
				w.remove(h)
				w.remove(h)
				w.insertN(4)
				w.compare()
			}
		}},
		{name: "newOwnerStays", run: func(r *run) {
			w := r.filled(Options{}, 1)
			for range 200 {
				h := w.order[0]
				w.remove(h)
				w.insert()
				w.remove(h)
				w.compare()
			}
		}},
	}
}
