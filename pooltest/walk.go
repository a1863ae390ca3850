package pooltest

// walk follows one loop and checks the rules of loops.
type walk[H comparable, V Item] struct {
	w       *world[H, V]
	call    string
	spans   bool
	start   map[H]struct{} // values to visit if they live to the end
	seen    map[H]struct{}
	order   []H // in the order of visits
	pivot   H   // must not be visited
	removed int // the world's count at the beginning
	most    int // maximum number of visits before the loop counts as endless
	visits  int
}

// walk begins to follow a loop over all live values.
func (w *world[H, V]) walk(call string) *walk[H, V] {
	k := &walk[H, V]{
		w: w, call: call, removed: w.removed, most: 8*len(w.live) + 4000,
		start: make(map[H]struct{}, len(w.live)), seen: map[H]struct{}{},
	}
	for _, h := range w.order {
		k.start[h] = struct{}{}
	}
	return k
}

// tick counts an iteration, and fails if there are too many. It is the watchdog.
func (k *walk[H, V]) tick() {
	if k.visits++; k.visits > k.most {
		k.w.fail("%s does not end: %d iterations; it began with %d values",
			k.call, k.visits, len(k.start))
	}
}

// visit checks the rules for one iteration, and returns the handle of the value visited. It reports
// false for a value that was removed after its span was yielded.
func (k *walk[H, V]) visit(h H, named bool, v *V) (H, bool) {
	w := k.w
	k.tick()
	var none H
	if v == nil {
		w.fail("%s visits %v without a value", k.call, h)
	}
	if k.spans && isVacant(v) && w.removed > k.removed {
		return none, false
	}
	id, sound := (*v).ident()
	g, live := w.byID[id]
	switch {
	case !sound:
		w.fail("%s visits %+v, which is vacant or torn", k.call, *v)
	case !live:
		w.fail("%s visits ID %d, which is not live", k.call, id)
	case named && g != h:
		w.fail("%s visits ID %d with the handle %v, want %v", k.call, id, h, g)
	case g == k.pivot:
		w.fail("%s visits the pivot %v", k.call, g)
	case w.c.Ptr(g) != v:
		w.fail("%s visits %v by a pointer that is not Ptr's", k.call, g)
	}
	if _, twice := k.seen[g]; twice {
		w.fail("%s visits %v twice", k.call, g)
	}
	k.seen[g] = struct{}{}
	k.order = append(k.order, g)
	return g, true
}

// done checks, after a loop that ran to its end, that it has visited all values it had to.
func (k *walk[H, V]) done() {
	for h := range k.start {
		_, seen := k.seen[h]
		if e := k.w.live[h]; e != nil && !seen {
			k.w.fail("%s has not visited %v (ID %d), live throughout; %d visits of %d values",
				k.call, h, e.id, k.visits, len(k.start))
		}
	}
}

// loop runs l with a body that ends the loop by returning false, and checks the rules.
func (w *world[H, V]) loop(l loop[H, V], body func(*walk[H, V], H) bool) *walk[H, V] {
	k := w.walk(l.name)
	k.run(l, body)
	return k
}

func (k *walk[H, V]) run(l loop[H, V], body func(*walk[H, V], H) bool) {
	w := k.w
	k.spans = l.spans
	if l.spans && w.Pointers != UntilRemove {
		k.runSpans(l, body)
		return
	}
	ended := false
	each := l.run
	if l.spans {
		each = k.flat(l)
	}
	each(func(h H, v *V) bool {
		if ended {
			if !l.endless {
				w.fail("%s continues after break", l.name)
			}
			return false
		}
		if g, ok := k.visit(h, l.named, v); ok && !body(k, g) {
			ended = true
			return false
		}
		return true
	})
	if !ended {
		k.done()
	}
}

// flat returns the loop over the values of l's spans. Each span must have only live values when it
// is yielded.
func (k *walk[H, V]) flat(l loop[H, V]) func(yield func(H, *V) bool) {
	return func(yield func(H, *V) bool) {
		l.runSpans(func(h H, span []V) bool {
			hs := make([]H, len(span))
			for i := range span {
				if hs[i] = k.w.known(l.name, &span[i]); hs[0] != h {
					k.w.fail("%s yields %v with a span that begins with %v", l.name, h, hs[0])
				}
			}
			var none H
			for i := range span {
				if k.w.SpansEnd && k.w.live[hs[i]] == nil {
					continue
				}
				if !yield(none, &span[i]) {
					return false
				}
			}
			return true
		})
	}
}

// runSpans is run for the spans of a container whose values move. A span then becomes a copy of the
// old state, so only the values that it held when it was yielded can be checked.
func (k *walk[H, V]) runSpans(l loop[H, V], body func(*walk[H, V], H) bool) {
	w := k.w
	ended := false
	l.runSpans(func(first H, span []V) bool {
		if ended {
			w.fail("%s continues after break", l.name)
		}
		if len(span) == 0 || w.known(l.name, &span[0]) != first {
			w.fail("%s: %v is not the handle of the first of %d", l.name, first, len(span))
		}
		if len(span) != cap(span) {
			w.fail("%s: a span of %d has capacity %d", l.name, len(span), cap(span))
		}
		hs := make([]H, len(span))
		for i := range span {
			hs[i] = w.known(l.name, &span[i])
			if _, twice := k.seen[hs[i]]; twice || hs[i] == k.pivot {
				w.fail("%s visits %v, which is the pivot or was visited before", l.name, hs[i])
			}
			k.seen[hs[i]] = struct{}{}
		}
		for _, h := range hs {
			k.tick()
			if w.live[h] == nil {
				continue
			}
			k.order = append(k.order, h)
			if ended = !body(k, h); ended {
				return false
			}
		}
		return true
	})
	if !ended {
		k.done()
	}
}

// drain runs Drain with a body that ends the loop by returning false.
func (w *world[H, V]) drain(body func(turn int) bool) {
	k := w.walk("Drain")
	ended := false
	w.Drain(w.c)(func(h H, v V) bool {
		if ended {
			w.fail("Drain continues after break")
		}
		k.tick()
		e := w.live[h]
		if e == nil {
			w.fail("Drain yields %v, which is not live", h)
		}
		if id, sound := v.ident(); !sound || id != e.id {
			w.fail("Drain yields %v with %+v, want ID %d", h, v, e.id)
		}
		w.forget(h)
		w.mustBeGone(h, "inside Drain")
		w.sameLen("a turn of Drain")
		ended = !body(k.visits)
		return !ended
	})
	if !ended {
		k.done()
	}
}

// removeFunc runs RemoveFunc, with body as its argument.
func (w *world[H, V]) removeFunc(body func(*walk[H, V], H) bool) {
	k := w.walk("RemoveFunc")
	want := 0
	got := w.c.(funcRemover[H, V]).RemoveFunc(func(h H, v *V) bool {
		k.visit(h, true, v)
		if !body(k, h) {
			return false
		}
		if w.live[h] != nil {
			want++
			w.forget(h)
		}
		return true
	})
	k.done()
	if got != want {
		w.fail("RemoveFunc = %d, want %d", got, want)
	}
	w.sameLen("RemoveFunc")
}

// pairs runs Pairs with a body that ends the loop by returning false.
func (w *world[H, V]) pairs(body func(a, b H) bool) {
	start := map[H]struct{}{}
	for _, h := range w.order {
		start[h] = struct{}{}
	}
	k := w.walk("Pairs")
	k.most = 8*len(w.live)*len(w.live) + 4000
	seen := map[[2]H]struct{}{}
	ended := false
	w.c.(pairer[V]).Pairs()(func(a, b *V) bool {
		if ended {
			w.fail("Pairs continues after break")
		}
		k.tick()
		g, h := w.known("Pairs", a), w.known("Pairs", b)
		_, been := seen[[2]H{g, h}]
		_, turned := seen[[2]H{h, g}]
		if g == h || been || turned {
			w.fail("Pairs visits %v and %v, which are the same or were visited before", g, h)
		}
		seen[[2]H{g, h}] = struct{}{}
		ended = !body(g, h)
		return !ended
	})
	if ended {
		return
	}
	for i, g := range w.order {
		for _, h := range w.order[:i] {
			_, been := seen[[2]H{g, h}]
			_, turned := seen[[2]H{h, g}]
			_, g0 := start[g]
			_, h0 := start[h]
			if g0 && h0 && !been && !turned {
				w.fail("Pairs has not visited %v and %v, live throughout", g, h)
			}
		}
	}
}

// known returns the handle of the live value at v.
func (w *world[H, V]) known(call string, v *V) H {
	id, sound := (*v).ident()
	h, live := w.byID[id]
	if !sound || !live || w.c.Ptr(h) != v {
		w.fail("%s visits %+v, which is not live, or not at its address", call, *v)
	}
	return h
}

// traverse runs Traverse with a body that ends the loop by returning false.
func (w *world[H, V]) traverse(body func(k *walk[H, V], pivot H, o *others[H, V]) bool) {
	k := w.walk("Traverse")
	ended := false
	w.Traverse(w.c)(func(p Pivot[H, V], v View[H, V]) bool {
		if ended {
			w.fail("Traverse continues after break")
		}
		h, _ := k.visit(p.Handle, true, p.Value)
		ended = !body(k, h, w.others(h, v))
		return !ended
	})
	if !ended {
		k.done()
	}
}

// apply runs Apply on h, live or not.
func (w *world[H, V]) apply(h H, body func(o *others[H, V])) {
	e, called := w.live[h], false
	ok := w.Apply(w.c, h, func(v *V, o View[H, V]) {
		called = true
		if e == nil {
			w.fail("Apply(%v) calls f for a handle that is not live", h)
		}
		if g := w.known("Apply", v); g != h {
			w.fail("Apply(%v) calls f with the value of %v", h, g)
		}
		removed, resized, had := w.removed, w.resized, len(w.issued)
		body(w.others(h, o))
		changed := w.removed != removed || w.resized != resized || len(w.issued) != had
		if !changed && w.c.Ptr(h) != v {
			w.fail("Apply(%v): the value has moved, but f changed nothing", h)
		}
	})
	if want := e != nil; ok != want || called != want {
		w.fail("Apply(%v) = %v, called f %v, want %v", h, ok, called, want)
	}
}

// others is a View and the model of its contents.
type others[H comparable, V Item] struct {
	w     *world[H, V]
	pivot H
	view  View[H, V]
	start map[H]struct{} // live when the view was made
}

func (w *world[H, V]) others(pivot H, v View[H, V]) *others[H, V] {
	o := &others[H, V]{w: w, pivot: pivot, view: v, start: map[H]struct{}{}}
	for _, h := range w.order {
		o.start[h] = struct{}{}
	}
	return o
}

// compare compares the view with its model. body is the body of each of its loops.
func (o *others[H, V]) compare(body func(*walk[H, V], H) bool) {
	w := o.w
	want := len(w.live)
	if w.live[o.pivot] != nil {
		want--
	}
	if n := o.view.Len(); n != want {
		w.fail("Others.Len() = %d, want %d", n, want)
	}
	if _, ok := o.view.Get(o.pivot); ok || o.view.Contains(o.pivot) || o.view.Ptr(o.pivot) != nil {
		w.fail("Others finds the pivot %v", o.pivot)
	}
	for _, h := range w.order[:min(8, len(w.order))] {
		if h == o.pivot {
			continue
		}
		if _, ok := o.view.Get(h); !ok || !o.view.Contains(h) || o.view.Ptr(h) != w.c.Ptr(h) {
			w.fail("Others does not find %v", h)
		}
	}
	for _, h := range w.gone[:min(8, len(w.gone))] {
		if _, ok := o.view.Get(h); ok || o.view.Contains(h) || o.view.Ptr(h) != nil {
			w.fail("Others finds the stale handle %v", h)
		}
	}
	for _, l := range viewLoops(o.view) {
		k := w.walk(l.name)
		k.pivot = o.pivot
		for h := range k.start {
			if _, was := o.start[h]; !was || h == o.pivot {
				delete(k.start, h)
			}
		}
		k.run(l, body)
	}
}

// earlier returns a live value that was already visited, other than h.
func (k *walk[H, V]) earlier(h H) (g H, ok bool) {
	for _, g := range k.order {
		if g != h && k.w.live[g] != nil {
			return g, true
		}
	}
	return g, false
}

// later returns a live value that was not visited yet. It takes one from the middle, so that it is
// seldom the next.
func (k *walk[H, V]) later() (g H, ok bool) {
	n := len(k.w.order)
	for i := range n {
		g = k.w.order[(n/2+i)%n]
		if _, seen := k.seen[g]; !seen {
			return g, true
		}
	}
	return g, false
}
