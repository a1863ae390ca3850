package pooltest

import "math"

// law11: a panic in user code leaves the container consistent. law7 tests loops.
func law11() []check {
	inserts := []string{"InsertFunc"}
	return []check{
		{name: "insertFunc", needs: inserts, run: func(r *run) {
			for _, n := range sizes {
				w := r.filled(Options{Limit: r.count(n) + 1}, r.count(n))
				for range 3 {
					w.explode("InsertFunc", func() { w.insertFunc(func(handle) { panic(bomb{}) }) })
				}
				w.insert() // the slot is not lost
				w.insert() // this is the last slot
				w.compare()
			}
		}},
		{name: "insertFuncChanges", needs: inserts, run: func(r *run) {
			for i := range len(changes()) {
				w := r.filled(Options{}, r.count(100))
				for range 3 {
					w.insertFunc(func(handle) { changes()[i](w) })
					w.compare()
				}
			}
		}},
		{name: "insertFuncChangesAndPanics", needs: inserts, run: func(r *run) {
			for i := range len(changes()) {
				w := r.filled(Options{}, r.count(100))
				for range 3 {
					w.explode("InsertFunc", func() {
						w.insertFunc(func(handle) { changes()[i](w); panic(bomb{}) })
					})
					w.insertN(3)
				}
				w.stale("after InsertFunc that changed the container and panicked")
			}
		}},
		{name: "insertFuncAtLimit", needs: inserts, run: func(r *run) {
			w := r.world(Options{Limit: 2})
			w.insertFunc(func(handle) {
				w.insertFunc(func(handle) { w.insert() })
				w.insert()
			})
			w.insertFunc(func(handle) {})
			w.compare()
		}},
		{name: "removeFunc", needs: []string{"RemoveFunc"}, run: func(r *run) {
			for _, n := range sizes[1:] {
				w := r.filled(Options{}, r.count(n))
				at := (len(w.order) + 1) / 2
				w.explode("RemoveFunc", func() {
					w.removeFunc(func(k *walk, _ handle) bool {
						if k.visits == at {
							panic(bomb{})
						}
						return k.visits%2 == 0
					})
				})
				w.insertN(3)
				w.compare()
			}
		}},
		{name: "apply", needs: []string{"Apply"}, run: func(r *run) {
			w := r.filled(Options{}, r.count(100))
			w.explode("Apply", func() {
				w.apply(w.order[3], func(*others) { panic(bomb{}) })
			})
			w.insertN(3)
			w.removeN(3, w.any)
			w.compare()
		}},
	}
}

// explode checks that a call passes on the panic of its callback, and leaves the container
// consistent.
func (w *world) explode(call string, f func()) {
	if !w.panics(f) {
		w.fail("%s swallows the panic of its callback, or does not call it", call)
	}
	w.compare()
}

// changes returns the changes that a callback may make to its container.
func changes() []func(w *world) {
	return []func(w *world){
		func(w *world) { w.insertN(5) },
		func(w *world) { w.insertN(w.count(700)) },
		func(w *world) {
			if w.c.offers("InsertSeq") {
				w.insertSeq(w.count(20))
			}
		},
		func(w *world) { w.removeN(5, w.any) },
		func(w *world) { w.removeN(len(w.order), first) },
		func(w *world) { w.clear() },
		func(w *world) { w.clear(); w.clip() },
		func(w *world) { w.clear(); w.insertN(100); w.clip() },
		func(w *world) { w.removeN(len(w.order), last); w.clip(); w.insertN(300) },
		func(w *world) { w.grow(500) },
		func(w *world) { w.insertFunc(func(handle) { w.insertN(2); w.removeN(4, w.any) }) },
		func(w *world) {
			w.panics(func() { w.insertFunc(func(handle) { w.clear(); panic(bomb{}) }) })
		},
		func(w *world) {
			for _, l := range loops(w.c) {
				w.loop(l, func(*walk, handle) bool { return true })
			}
		},
		func(w *world) {
			if w.c.offers("Clone") {
				v := w.fork()
				v.insertN(20)
				v.compare()
			}
		},
	}
}

// law12: bad input is refused, and changes nothing.
func law12() []check {
	return []check{
		{name: "limit", run: func(r *run) {
			for _, o := range []Options{
				{Limit: 1}, {Limit: 2, Capacity: 2}, {Limit: 64},
				{Limit: 65, Capacity: 1000}, {Limit: 300, Capacity: 10},
			} {
				w := r.filled(o, o.Limit+3)
				if len(w.order) != o.Limit {
					w.fail("Limit %d: %d values", o.Limit, len(w.order))
				}
				w.removeN(1, w.any)
				w.insertN(2)
				w.grow(10)
				w.insert()
				w.compare()
				w.clear()
				w.insertN(o.Limit + 1)
				w.compare()
			}
		}},
		{name: "limitOfTheClone", needs: []string{"Clone"}, run: func(r *run) {
			w := r.filled(Options{Limit: 10}, 5).fork()
			w.insertN(7)
			w.compare()
		}},
		{name: "tryInsert", needs: []string{"TryInsert"}, run: func(r *run) {
			w := r.world(Options{Limit: 3})
			for range 5 {
				id, full := w.newID(), w.full()
				h, err := w.c.tryInsert(id)
				if (err != nil) != full {
					w.fail("TryInsert with %d values, Limit 3: error %v", len(w.order), err)
				}
				w.inserted("TryInsert", h, id, full)
			}
			w.compare()
		}},
		{name: "insertSeq", needs: []string{"InsertSeq"}, run: func(r *run) {
			for _, o := range []Options{{}, {Limit: 3}, {Limit: 100}} {
				w := r.world(o)
				for _, n := range []int{0, 1, 70, 500} {
					w.insertSeq(r.count(n))
					w.removeN(2, w.any)
					w.compare()
				}
			}
		}},
		{name: "negativeGrow", needs: []string{"Grow"}, run: func(r *run) {
			w := r.filled(Options{}, r.count(100))
			for _, n := range []int{-1, math.MinInt} {
				if !refuses(func() { w.c.inner().(grower).Grow(n) }) {
					w.fail("Grow(%d) does not panic", n)
				}
			}
			w.compare()
		}},
		{name: "grow", needs: []string{"Grow"}, run: func(r *run) {
			for _, n := range sizes {
				w := r.world(Options{})
				w.grow(r.count(n))
				w.removeN(1, first)
				w.insertN(r.count(n))
				w.grow(0)
				w.removeN(r.count(n), first) // emptied after growth
				w.compare()
				w.grow(r.count(n))
				w.insertN(3)
				w.compare()
			}
		}},
	}
}

// refuses reports whether f panics.
func refuses(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}
