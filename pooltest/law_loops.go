package pooltest

import (
	"runtime"
	"slices"
)

// law7: changes inside a loop are defined. The package documentation lists the rules.
func law7() []check {
	return slices.Concat(law7visits(), law7inserts(),
		law7leaves(), law7order(), law7removing())
}

// eachLoop runs f for each loop of the container over containers of several shapes.
func (r *run) eachLoop(f func(w *world, l loop)) {
	for i := range len(loops(r.open(Options{}))) {
		for _, shape := range shapes() {
			w := r.world(Options{})
			shape(w)
			f(w, loops(w.c)[i])
			w.insertN(2)
			w.compare()
		}
	}
}

// shapes fill a container in different ways: to the edges of words, with holes, far from the front,
// half empty.
func shapes() []func(w *world) {
	full := func(n int) func(w *world) {
		return func(w *world) { w.insertN(w.count(n)) }
	}
	return []func(w *world){
		full(1), full(2), full(3), full(64), full(65), full(200),
		func(w *world) {
			w.insertN(w.count(200))
			for _, h := range slices.Clone(w.order) {
				if w.live(h).id%3 == 0 {
					w.remove(h)
				}
			}
		},
		func(w *world) { w.insertN(w.count(400)); w.removeN(len(w.order)-5, first) },
		func(w *world) { w.insertN(w.count(400)); w.removeN(len(w.order)*9/10, w.any) },
		func(w *world) { w.insertN(w.count(400)); w.clear(); w.insertN(w.count(70)) },
	}
}

// goesOn returns a loop's body that calls f and continues.
func goesOn(f func(k *walk, h handle)) func(*walk, handle) bool {
	return func(k *walk, h handle) bool { f(k, h); return true }
}

// loopCheck returns a check that runs each loop, over each shape, with the given body.
func loopCheck(name string, f func(k *walk, h handle)) check {
	return check{name: name, run: func(r *run) {
		r.eachLoop(func(w *world, l loop) { w.loop(l, goesOn(f)) })
	}}
}

// law7visits: rules 1 and 2.
func law7visits() []check {
	return []check{
		{name: "empty", run: func(r *run) {
			for _, o := range []Options{{}, {Capacity: 1}, {Capacity: 300}} {
				w := r.world(o)
				w.compare()
				w.insertN(1)
				w.removeN(1, first)
				w.compare()
				w.insertN(r.count(300))
				w.clear()
				w.compare()
				w.clip()
				w.compare()
			}
		}},
		loopCheck("rule1EachOnce", func(*walk, handle) {}),
		loopCheck("rule1EachOnceWhileGrowing", func(k *walk, h handle) {
			if k.visits%50 == 1 {
				k.w.grow(300)
				k.w.clip()
			}
		}),
		loopCheck("rule2RemoveCurrent", func(k *walk, h handle) { k.w.remove(h) }),
		loopCheck("rule2RemoveSome", func(k *walk, h handle) {
			if k.visits%3 != 1 {
				k.w.remove(h)
			}
		}),
		loopCheck("rule2RemoveEarlier", func(k *walk, h handle) {
			if g, ok := k.earlier(h); ok {
				k.w.remove(g)
			}
		}),
		loopCheck("rule2RemoveLater", func(k *walk, _ handle) {
			if g, ok := k.later(); ok {
				k.w.remove(g)
			}
		}),
		loopCheck("rule2RemoveOthers", func(k *walk, h handle) {
			for _, g := range slices.Clone(k.w.order) {
				if g != h {
					k.w.remove(g)
				}
			}
		}),
		{name: "rule2RemoveEnd", run: func(r *run) {
			for _, keep := range []int{1, 60, 150} {
				r.eachLoop(func(w *world, l loop) {
					w.loop(l, goesOn(func(k *walk, _ handle) {
						if k.visits == 1 {
							w.removeN(len(w.order)-keep, last)
							w.clip()
						}
					}))
				})
			}
		}},
		{name: "rule2Clear", run: func(r *run) {
			for _, at := range []int{1, 40, 64, 65} {
				r.eachLoop(func(w *world, l loop) {
					w.loop(l, goesOn(func(k *walk, _ handle) {
						if k.visits == at {
							w.clear()
							w.clip()
						}
					}))
				})
			}
		}},
	}
}

// law7inserts: rule 3.
func law7inserts() []check {
	return []check{
		loopCheck("rule3Insert", func(k *walk, _ handle) {
			if k.visits%4 == 1 && k.visits < 800 {
				k.w.insertN(3)
			}
		}),
		loopCheck("rule3Replace", func(k *walk, h handle) {
			if k.began(h) && k.visits%5 != 0 {
				k.w.remove(h)
				k.w.insert()
			}
		}),
		loopCheck("rule3ReplaceEarlier", func(k *walk, h handle) {
			if g, ok := k.earlier(h); ok && k.visits < 800 {
				k.w.remove(g)
				k.w.insert()
			}
		}),
		loopCheck("rule3ClearAndRefill", func(k *walk, _ handle) {
			if k.visits == 2 {
				n := len(k.w.order)
				k.w.clear()
				k.w.insertN(n + 10)
			}
		}),
		loopCheck("rule3Ends", func(k *walk, _ handle) { k.w.insert() }),
	}
}

// law7leaves: rules 4 and 5.
func law7leaves() []check {
	return []check{
		{name: "rule4Nested", run: nested},
		{name: "rule5Break", run: func(r *run) {
			for _, at := range []int{1, 2, 64, 65} {
				r.eachLoop(func(w *world, l loop) {
					if !l.endless {
						w.loop(l, func(k *walk, _ handle) bool { return k.visits < at })
					}
				})
			}
		}},
		{name: "rule5Panic", run: func(r *run) {
			for _, at := range []int{1, 2, 64, 65} {
				r.eachLoop(func(w *world, l loop) {
					blown := false
					got := w.panics(func() {
						w.loop(l, goesOn(func(k *walk, h handle) {
							if k.visits == at {
								w.remove(h)
								blown = true
								panic(bomb{})
							}
						}))
					})
					if got != blown {
						w.fail("%s swallows a panic of its body", l.name)
					}
				})
			}
		}},
		{name: "rule5Goexit", run: func(r *run) {
			r.eachLoop(func(w *world, l loop) {
				done := make(chan bool)
				go func() {
					defer close(done)
					l.run(func(handle, item) bool { runtime.Goexit(); return true })
				}()
				<-done
			})
		}},
	}
}

// nested runs each loop inside each other one, with removals in the inner and inserts in the outer.
func nested(r *run) {
	for i := range len(loops(r.open(Options{}))) {
		r.eachLoop(func(w *world, outer loop) {
			if len(w.order) > 40 {
				w.removeN(len(w.order)-40, w.any)
			}
			inner := loops(w.c)[i]
			w.loop(outer, goesOn(func(ko *walk, h handle) {
				w.loop(inner, goesOn(func(ki *walk, g handle) {
					switch {
					case g != h && (ko.visits+ki.visits)%41 == 0:
						w.remove(g)
					case ko.visits < 8 && ki.visits == 5:
						w.insert()
					}
				}))
			}))
		})
	}
}

// law7order: the order of loops, and the contents of spans.
func law7order() []check {
	quiet := func(*walk, handle) bool { return true }
	return []check{
		{name: "rule6Order", run: func(r *run) {
			for _, shape := range shapes() {
				w := r.world(Options{})
				shape(w)
				want := w.loop(loops(w.c)[0], quiet).order
				for _, l := range loops(w.c) {
					got := w.loop(l, quiet).order
					if l.backward {
						slices.Reverse(got)
					}
					if !slices.Equal(got, want) {
						w.fail("All visits %v, %s (Backward reversed) %v", want, l.name, got)
					}
				}
			}
		}},
		{name: "rule7Spans", needs: []string{"Spans"}, run: func(r *run) {
			for _, shape := range shapes() {
				w := r.world(Options{})
				shape(w)
				w.spansAreLive()
				w.spansUnderChange()
				w.compare()
			}
		}},
		{name: "slots", needs: []string{"At"}, run: func(r *run) {
			for _, shape := range shapes() {
				w := r.world(Options{})
				shape(w)
				w.slotsAreLive()
			}
		}},
	}
}

// spansAreLive checks that spans contain exactly the live values, and that appending to one cannot
// affect the next.
func (w *world) spansAreLive() {
	n := 0
	w.c.spans(func(h handle, span []item, spare int) bool {
		n += len(span)
		if len(span) == 0 || spare != 0 {
			w.fail("Spans yields %d values with capacity %d, want some and no spare capacity",
				len(span), len(span)+spare)
		}
		for i, v := range span {
			g := w.known("Spans", v)
			if i == 0 && g != h {
				w.fail("Spans yields %v with a span that begins with %v", h, g)
			}
			if w.c.offers("At") {
				w.mustBeAt(w.c.slotOf(h)+i, g, v)
			}
		}
		return true
	})
	if n != len(w.order) {
		w.fail("Spans yields %d values, want %d", n, len(w.order))
	}
}

// mustBeAt checks that a value lives in a slot.
func (w *world) mustBeAt(slot int, h handle, v item) {
	if g, x := w.c.at(slot); g != h || x != v || w.c.slotOf(h) != slot {
		w.fail("At(%d) = %v, %v, want %v, %v of slot %d", slot, g, x, h, v, w.c.slotOf(h))
	}
}

// slotsAreLive checks that At finds exactly the live values, and that Span visits them in order,
// from wherever it starts.
func (w *world) slotsAreLive() {
	var order []handle
	at := map[int]bool{}
	end := 0
	w.c.all(func(h handle, v item) bool {
		i := w.c.slotOf(h)
		w.mustBeAt(i, h, v)
		order = append(order, h)
		at[i], end = true, i
		return true
	})
	for i := -2; i < end+130; i++ {
		if h, v := w.c.at(i); !at[i] && (h != nil || v != nil) {
			w.fail("At(%d) = %v, %v, where nothing lives", i, h, v)
		}
	}
	if !w.c.offers("Span") {
		return
	}
	from := 0
	for n := 0; ; n++ {
		vs, spare, next := w.c.span(from)
		if len(vs) == 0 {
			if next != 0 || spare != 0 || len(order) > 0 {
				w.fail("Span(%d) yields nothing, %d; %d values are left", from, next, len(order))
			}
			return
		}
		if spare != 0 || next-len(vs) < from || len(vs) > len(order) {
			w.fail("Span(%d) yields %d values, room for %d more, next %d; %d are left",
				from, len(vs), spare, next, len(order))
		}
		for i, v := range vs {
			w.mustBeAt(next-len(vs)+i, order[i], v)
		}
		from, order = next, order[len(vs):]
		if n%2 == 0 && len(order) > 1 { // from the middle of a run
			order = order[1:]
			from = w.c.slotOf(order[0])
		}
	}
}

// spansUnderChange removes values of a span after it was yielded. They must read as zero, and the
// rest of the span must stay unchanged. If pointers end with growth, and that has moved the values,
// the span is a copy of the old state, or under berth_poison, poison.
func (w *world) spansUnderChange() {
	w.c.spans(func(_ handle, span []item, _ int) bool {
		hs := make([]handle, len(span))
		for i, v := range span {
			hs[i] = w.known("Spans", v)
		}
		for i := range span {
			if i%2 == 0 {
				w.remove(hs[i])
			}
		}
		moved := w.pointers == UntilGrowth && len(span) > 1 && w.c.ptr(hs[1]) != span[1]
		for i, v := range span {
			if i%2 == 0 && !v.isVacant() && !moved {
				w.fail("a span has %+v in place of a removed value, want zero", v)
			}
			id, sound := v.ident()
			if got, ok := w.c.get(hs[i]); i%2 != 0 &&
				(!ok || !(sound && got.sound && got.id == id) && !(moved && v.isVacant())) {
				w.fail("a span changes under the removal of other values")
			}
			if i%2 != 0 && !moved && w.known("Spans", v) != hs[i] {
				w.fail("a span changes under the removal of other values")
			}
		}
		w.insert()
		return true
	})
}
