package pooltest

import "slices"

// law7removing: loops that remove values themselves.
func law7removing() []check {
	drain, removeFunc := []string{"Drain"}, []string{"RemoveFunc"}
	each := func(r *run, f func(w *world)) {
		for _, shape := range shapes() {
			w := r.world(Options{})
			shape(w)
			f(w)
			w.compare()
			w.insertN(3)
			w.compare()
		}
	}
	return []check{
		{name: "drain", needs: drain, run: func(r *run) {
			each(r, func(w *world) { w.drain(func(int) bool { return true }) })
			r.world(Options{}).drain(func(int) bool { return true })
		}},
		{name: "drainBreak", needs: drain, run: func(r *run) {
			for _, at := range []int{1, 2, 64, 65} {
				each(r, func(w *world) { w.drain(func(turn int) bool { return turn < at }) })
				each(r, func(w *world) {
					w.panics(func() {
						w.drain(func(turn int) bool {
							if turn == at {
								panic(bomb{})
							}
							return true
						})
					})
				})
			}
		}},
		{name: "drainChange", needs: drain, run: func(r *run) {
			each(r, func(w *world) {
				w.drain(func(turn int) bool {
					if turn%4 == 0 {
						w.removeN(1, w.any)
					}
					if turn < 500 {
						w.insertN(turn % 3)
					}
					return true
				})
			})
			each(r, func(w *world) {
				w.drain(func(int) bool { w.clear(); w.clip(); return true })
			})
		}},
		{name: "removeFunc", needs: removeFunc, run: func(r *run) {
			for _, step := range []int{1, 2, 7, 64} {
				each(r, func(w *world) {
					w.removeFunc(func(k *walk, _ handle) bool { return k.visits%step == 0 })
				})
			}
		}},
		{name: "removeFuncReplaced", needs: removeFunc, run: func(r *run) {
			each(r, func(w *world) {
				w.removeFunc(func(k *walk, h handle) bool {
					if k.began(h) && k.visits%2 == 0 {
						w.remove(h) // RemoveFunc must not remove the next value of the slot
						w.insert()
					}
					return true
				})
			})
		}},
	}
}

// law7cross: the rules hold for cross-iteration.
func law7cross() []check {
	return slices.Concat(law7others(), law7pairs())
}

// eachSmall runs f over containers of every shape, with at most 80 values each.
func (r *run) eachSmall(f func(w *world)) {
	for _, shape := range shapes() {
		w := r.world(Options{})
		shape(w)
		if len(w.order) > 80 {
			w.removeN(len(w.order)-80, w.any)
		}
		f(w)
		w.compare()
	}
}

// law7others: Traverse, Apply and the view of the other values.
func law7others() []check {
	traverse := []string{"Traverse"}
	quiet := func(*walk, handle) bool { return true }
	return []check{
		{name: "others", needs: traverse, run: func(r *run) {
			r.eachSmall(func(w *world) {
				w.traverse(func(_ *walk, _ handle, o *others) bool {
					o.compare(quiet)
					return true
				})
			})
		}},
		{name: "othersRemovePivot", needs: traverse, run: func(r *run) {
			r.eachSmall(func(w *world) {
				w.traverse(func(_ *walk, pivot handle, o *others) bool {
					w.remove(pivot)
					o.compare(quiet)
					return true
				})
			})
		}},
		{name: "othersChange", needs: traverse, run: func(r *run) {
			r.eachSmall(func(w *world) {
				w.traverse(func(k *walk, pivot handle, o *others) bool {
					if k.visits < 50 {
						w.insertN(k.visits % 3)
					}
					o.compare(func(ki *walk, h handle) bool {
						if (k.visits+ki.visits)%17 == 0 {
							w.remove(h)
						}
						if g, ok := ki.later(); ok && ki.visits == 2 && k.visits%4 == 0 {
							w.remove(g)
						}
						if k.visits%5 == 0 && ki.visits == 3 && w.live(pivot) != nil {
							w.remove(pivot)
							w.insert()
						}
						return true
					})
					return true
				})
			})
		}},
		{name: "apply", needs: []string{"Apply"}, run: func(r *run) {
			r.eachSmall(func(w *world) {
				for _, h := range slices.Clone(w.order) {
					w.apply(h, func(o *others) {
						o.compare(quiet)
						if w.live(h).id%2 == 0 {
							w.remove(h)
							o.compare(quiet)
						}
					})
					w.apply(h, func(*others) {})
				}
			})
		}},
	}
}

// law7pairs: Pairs.
func law7pairs() []check {
	pairs := []string{"Pairs"}
	return []check{
		{name: "pairs", needs: pairs, run: func(r *run) {
			r.world(Options{}).pairs(func(handle, handle) bool { return true })
			r.eachSmall(func(w *world) { w.pairs(func(handle, handle) bool { return true }) })
		}},
		{name: "pairsBreak", needs: pairs, run: func(r *run) {
			r.eachSmall(func(w *world) {
				for at := range 70 {
					turn := 0
					w.pairs(func(handle, handle) bool { turn++; return turn <= at })
				}
			})
		}},
		{name: "pairsChange", needs: pairs, run: func(r *run) {
			r.eachSmall(func(w *world) { pairsChange(w, 1) })
			r.eachSmall(func(w *world) { pairsChange(w, 13) })
			r.eachSmall(func(w *world) {
				w.pairs(func(handle, handle) bool {
					w.clear()
					w.clip()
					w.insertN(5)
					return w.serial < 2000
				})
			})
		}},
	}
}

// pairsChange removes and replaces one or both of a pair. A change is made when the number of
// the iteration is a multiple of every.
func pairsChange(w *world, every int) {
	turn := 0
	w.pairs(func(a, b handle) bool {
		if turn++; turn%every != 0 {
			return true
		}
		switch turn / every % 4 {
		case 0:
			w.remove(a)
		case 1:
			w.remove(b)
			w.insert()
		case 2:
			w.remove(a)
			w.insert()
		case 3:
			w.remove(b)
			w.removeN(1, w.any)
		}
		return true
	})
}
