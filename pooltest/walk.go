package pooltest

// walk follows one loop and checks the rules of loops.
type walk struct {
	w       *world
	call    string
	spans   bool
	since   int      // values up to this serial number must be visited if they live to the end
	values  int      // number of those values
	seen    []uint64 // the serial numbers of the values visited, a bit each
	order   []handle // in the order of visits
	pivot   handle   // must not be visited
	removed int      // the world's count at the beginning
	most    int      // maximum number of visits before the loop counts as endless
	visits  int
}

// walk begins to follow a loop over all live values.
func (w *world) walk(call string) *walk {
	n := len(w.order)
	return &walk{
		w: w, call: call, removed: w.removed, most: 8*n + 4000,
		since: w.serial, values: n, seen: make([]uint64, w.serial/64+1),
	}
}

// began reports whether the value of h, which is live, was live when the loop began.
func (k *walk) began(h handle) bool { return k.w.live(h).serial <= k.since }

// hasSeen reports whether the loop has visited e.
func (k *walk) hasSeen(e *entry) bool {
	return e.serial/64 < len(k.seen) && k.seen[e.serial/64]>>(e.serial%64)&1 != 0
}

// see notes a visit.
func (k *walk) see(e *entry) {
	for e.serial/64 >= len(k.seen) {
		k.seen = append(k.seen, 0)
	}
	k.seen[e.serial/64] |= 1 << (e.serial % 64)
}

// tick counts an iteration, and fails if there are too many. It is the watchdog.
func (k *walk) tick() {
	if k.visits++; k.visits > k.most {
		k.w.fail("%s does not end: %d iterations; it began with %d values",
			k.call, k.visits, k.values)
	}
}

// visit checks the rules for one iteration, and returns the handle of the value visited. It reports
// false for a value that was removed after its span was yielded.
func (k *walk) visit(h handle, named bool, v item) (handle, bool) {
	w := k.w
	k.tick()
	var none handle
	if v == nil {
		w.fail("%s visits %v without a value", k.call, h)
	}
	if k.spans && v.isVacant() && w.removed > k.removed {
		return none, false
	}
	id, sound := v.ident()
	e := w.byID.at(id)
	switch {
	case !sound:
		w.fail("%s visits %+v, which is vacant or torn", k.call, v)
	case e == nil:
		w.fail("%s visits ID %d, which is not live", k.call, id)
	case named && e.h != h:
		w.fail("%s visits ID %d with the handle %v, want %v", k.call, id, h, e.h)
	case e.h == k.pivot:
		w.fail("%s visits the pivot %v", k.call, e.h)
	case w.c.ptr(e.h) != v:
		w.fail("%s visits %v by a pointer that is not Ptr's", k.call, e.h)
	case k.hasSeen(e):
		w.fail("%s visits %v twice", k.call, e.h)
	}
	k.see(e)
	k.order = append(k.order, e.h)
	return e.h, true
}

// done checks, after a loop that ran to its end, that it has visited all values it had to.
func (k *walk) done() {
	for _, h := range k.w.order {
		if e := k.w.live(h); e.serial <= k.since && h != k.pivot && !k.hasSeen(e) {
			k.w.fail("%s has not visited %v (ID %d), live throughout; %d visits of %d values",
				k.call, h, e.id, k.visits, k.values)
		}
	}
}

// loop runs l with a body that ends the loop by returning false, and checks the rules.
func (w *world) loop(l loop, body func(*walk, handle) bool) *walk {
	k := w.walk(l.name)
	k.run(l, body)
	return k
}

func (k *walk) run(l loop, body func(*walk, handle) bool) {
	w := k.w
	k.spans = l.spans
	if l.spans && w.pointers != UntilRemove {
		k.runSpans(l, body)
		return
	}
	ended := false
	each := l.run
	if l.spans {
		each = k.inSpans(l)
	}
	each(func(h handle, v item) bool {
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

// inSpans returns the loop over the values of l's spans. Each span must have only live values when
// it is yielded.
func (k *walk) inSpans(l loop) func(yield func(handle, item) bool) {
	return func(yield func(handle, item) bool) {
		l.runSpans(func(h handle, span []item, _ int) bool {
			hs := make([]handle, len(span))
			for i, v := range span {
				if hs[i] = k.w.known(l.name, v); hs[0] != h {
					k.w.fail("%s yields %v with a span that begins with %v", l.name, h, hs[0])
				}
			}
			for i, v := range span {
				if k.w.ends && k.w.live(hs[i]) == nil {
					continue
				}
				if !yield(nil, v) {
					return false
				}
			}
			return true
		})
	}
}

// runSpans is run for the spans of a container whose values move. A span then becomes a copy of the
// old state, so only the values that it held when it was yielded can be checked.
func (k *walk) runSpans(l loop, body func(*walk, handle) bool) {
	w := k.w
	ended := false
	l.runSpans(func(first handle, span []item, spare int) bool {
		if ended {
			w.fail("%s continues after break", l.name)
		}
		if len(span) == 0 || w.known(l.name, span[0]) != first {
			w.fail("%s: %v is not the handle of the first of %d", l.name, first, len(span))
		}
		if spare != 0 {
			w.fail("%s: a span of %d has capacity %d", l.name, len(span), len(span)+spare)
		}
		hs := make([]handle, len(span))
		for i, v := range span {
			hs[i] = w.known(l.name, v)
			e := w.live(hs[i])
			if k.hasSeen(e) || hs[i] == k.pivot {
				w.fail("%s visits %v, which is the pivot or was visited before", l.name, hs[i])
			}
			k.see(e)
		}
		for _, h := range hs {
			k.tick()
			if w.live(h) == nil {
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
func (w *world) drain(body func(turn int) bool) {
	k := w.walk("Drain")
	ended := false
	w.c.drain(func(h handle, v contents) bool {
		if ended {
			w.fail("Drain continues after break")
		}
		k.tick()
		e := w.live(h)
		if e == nil {
			w.fail("Drain yields %v, which is not live", h)
		}
		if !v.sound || v.id != e.id {
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
func (w *world) removeFunc(body func(*walk, handle) bool) {
	k := w.walk("RemoveFunc")
	want := 0
	got := w.c.removeFunc(func(h handle, v item) bool {
		k.visit(h, true, v)
		if !body(k, h) {
			return false
		}
		if w.live(h) != nil {
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
func (w *world) pairs(body func(a, b handle) bool) {
	k := w.walk("Pairs")
	k.most = 8*k.values*k.values + 4000
	seen := map[[2]handle]struct{}{}
	ended := false
	w.c.pairs(func(a, b item) bool {
		if ended {
			w.fail("Pairs continues after break")
		}
		k.tick()
		g, h := w.known("Pairs", a), w.known("Pairs", b)
		_, been := seen[[2]handle{g, h}]
		_, turned := seen[[2]handle{h, g}]
		if g == h || been || turned {
			w.fail("Pairs visits %v and %v, which are the same or were visited before", g, h)
		}
		seen[[2]handle{g, h}] = struct{}{}
		ended = !body(g, h)
		return !ended
	})
	if ended {
		return
	}
	for i, g := range w.order {
		for _, h := range w.order[:i] {
			_, been := seen[[2]handle{g, h}]
			_, turned := seen[[2]handle{h, g}]
			if k.began(g) && k.began(h) && !been && !turned {
				w.fail("Pairs has not visited %v and %v, live throughout", g, h)
			}
		}
	}
}

// known returns the handle of the live value at v.
func (w *world) known(call string, v item) handle {
	id, sound := v.ident()
	e := w.byID.at(id)
	if !sound || e == nil || w.c.ptr(e.h) != v {
		w.fail("%s visits %+v, which is not live, or not at its address", call, v)
	}
	return e.h
}

// traverse runs Traverse with a body that ends the loop by returning false.
func (w *world) traverse(body func(k *walk, pivot handle, o *others) bool) {
	k := w.walk("Traverse")
	ended := false
	w.c.traverse(func(pivot handle, at item, o reader) bool {
		if ended {
			w.fail("Traverse continues after break")
		}
		h, _ := k.visit(pivot, true, at)
		ended = !body(k, h, w.others(h, o))
		return !ended
	})
	if !ended {
		k.done()
	}
}

// apply runs Apply on h, live or not.
func (w *world) apply(h handle, body func(o *others)) {
	e, called := w.live(h), false
	ok := w.c.apply(h, func(v item, o reader) {
		called = true
		if e == nil {
			w.fail("Apply(%v) calls f for a handle that is not live", h)
		}
		if g := w.known("Apply", v); g != h {
			w.fail("Apply(%v) calls f with the value of %v", h, g)
		}
		removed, resized, last := w.removed, w.resized, w.serial
		body(w.others(h, o))
		changed := w.removed != removed || w.resized != resized || w.serial != last
		if !changed && w.c.ptr(h) != v {
			w.fail("Apply(%v): the value has moved, but f changed nothing", h)
		}
	})
	if want := e != nil; ok != want || called != want {
		w.fail("Apply(%v) = %v, called f %v, want %v", h, ok, called, want)
	}
}

// others is a View and the model of its contents.
type others struct {
	w     *world
	pivot handle
	view  reader
	since int // the world's last serial number when the view was made
}

func (w *world) others(pivot handle, v reader) *others {
	return &others{w: w, pivot: pivot, view: v, since: w.serial}
}

// compare compares the view with its model. body is the body of each of its loops.
func (o *others) compare(body func(*walk, handle) bool) {
	w := o.w
	want := len(w.order)
	if w.live(o.pivot) != nil {
		want--
	}
	if n := o.view.len(); n != want {
		w.fail("Others.Len() = %d, want %d", n, want)
	}
	if _, ok := o.view.get(o.pivot); ok || o.view.contains(o.pivot) || o.view.ptr(o.pivot) != nil {
		w.fail("Others finds the pivot %v", o.pivot)
	}
	for _, h := range w.order[:min(8, len(w.order))] {
		if h == o.pivot {
			continue
		}
		if _, ok := o.view.get(h); !ok || !o.view.contains(h) || o.view.ptr(h) != w.c.ptr(h) {
			w.fail("Others does not find %v", h)
		}
	}
	for _, h := range w.gone[:min(8, len(w.gone))] {
		if _, ok := o.view.get(h); ok || o.view.contains(h) || o.view.ptr(h) != nil {
			w.fail("Others finds the stale handle %v", h)
		}
	}
	for _, l := range viewLoops(o.view) {
		k := w.walk(l.name)
		k.pivot, k.since = o.pivot, o.since
		k.run(l, body)
	}
}

// earlier returns a live value that was already visited, other than h.
func (k *walk) earlier(h handle) (g handle, ok bool) {
	for _, g := range k.order {
		if g != h && k.w.live(g) != nil {
			return g, true
		}
	}
	return g, false
}

// later returns a live value that was not visited yet. It takes one from the middle, so that it is
// seldom the next.
func (k *walk) later() (g handle, ok bool) {
	n := len(k.w.order)
	for i := range n {
		g = k.w.order[(n/2+i)%n]
		if !k.hasSeen(k.w.live(g)) {
			return g, true
		}
	}
	return g, false
}
