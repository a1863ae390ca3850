package pooltest

import (
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
)

// world is a container and its model. Its methods make a call on both, and compare.
type world struct {
	*run
	c     container
	limit int
	step  string // the current step of the model test

	issued  table[entry] // by the number of the handle, live or not
	byID    table[entry] // of the live values
	order   []handle     // the live handles, in an order that depends only on the calls
	serial  int          // number of handles issued
	gone    []handle     // a sample of the stale handles
	removed int          // number of removals
	resized int          // number of calls of Grow and Clip
	pending []handle     // handles of values under construction
	lag     int          // values that InsertSeq has inserted and the model lacks
}

// entry is the model of a value.
type entry struct {
	h      handle
	live   bool
	id     uint64
	serial int  // of the world when the value was inserted
	at     int  // its place in order
	ptr    item // UntilRemove: its first address
}

const mostGone = 64 // handles in the sample

// fail ends the check with a message.
func (w *world) fail(format string, args ...any) {
	w.f.Helper()
	w.f.Fatalf("%s%s%s", place(), w.step, fmt.Sprintf(format, args...))
}

// place returns the line of the law that is being checked. testing could find it if every function
// on the way called Helper, but that takes as long as all the rest of the suite.
func place() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if name := path.Base(f.File); strings.HasPrefix(name, "law_") || name == "model.go" {
			return fmt.Sprintf("%s:%d: ", name, f.Line)
		}
	}
	return ""
}

// full reports whether the container must refuse another value.
func (w *world) full() bool {
	return w.limit > 0 && len(w.order)+len(w.pending) >= w.limit
}

// insert inserts a new value, every fifth one by New if c has it. If the container is full, the
// insert must return the zero handle.
func (w *world) insert() handle {
	id := w.newID()
	full := w.full()
	if id%5 == 3 && w.c.offers("New") {
		return w.insertNew(id, full)
	}
	h := w.c.insert(id)
	w.inserted("Insert", h, id, full)
	return h
}

// insertNew is insert by New.
func (w *world) insertNew(id uint64, full bool) handle {
	h, v := w.c.insertNew()
	var none handle
	switch {
	case (h == none) != (v == nil):
		w.fail("New returned %v and the pointer %v", h, v)
	case v != nil:
		if !v.isZero() || w.c.ptr(h) != v {
			w.fail("New returned %v and %+v, want a zero value in its place", h, v)
		}
		v.fill(id)
	}
	w.inserted("New", h, id, full)
	return h
}

// insertSeq inserts n values, or as many as fit.
func (w *world) insertSeq(n int) {
	fit, ids := n, []uint64(nil)
	if w.limit > 0 {
		fit = min(n, w.limit-len(w.order)-len(w.pending))
	}
	got := w.c.insertSeq(func(yield func(uint64) bool) {
		for len(ids) < n {
			if len(ids) == fit {
				w.fail("InsertSeq takes more than the %d values that fit", fit)
			}
			ids = append(ids, w.newID())
			if !yield(ids[len(ids)-1]) {
				return
			}
		}
	})
	if got != fit || len(ids) != fit || w.c.len() != len(w.order)+fit {
		w.fail("InsertSeq of %d values = %d, took %d, want %d; Len() = %d, before %d",
			n, got, len(ids), fit, w.c.len(), len(w.order))
	}
	hs := map[uint64]handle{}
	for h, v := range w.c.all {
		id, _ := v.ident()
		hs[id] = h
	}
	// issue expects as many values as the model has at each call.
	w.lag = fit
	for _, id := range ids {
		h, ok := hs[id]
		if !ok {
			w.fail("InsertSeq has lost a value, ID %d", id)
		}
		if w.hasIssued(h) {
			w.fail("InsertSeq issued %v, which was returned before", h)
		}
		w.lag--
		w.issue(h, id)
	}
}

func (w *world) insertN(n int) {
	for range n {
		w.insert()
	}
}

// inserted compares the result of an insert.
func (w *world) inserted(call string, h handle, id uint64, full bool) {
	var none handle
	switch {
	case full && h != none:
		w.fail("%s at Limit %d returned %v, want the zero handle", call, w.limit, h)
	case full:
		return
	case h == none:
		w.fail("%s returned the zero handle with %d live values, Limit %d",
			call, len(w.order), w.limit)
	}
	if w.hasIssued(h) {
		w.fail("%s returned %v, which it had returned before", call, h)
	}
	w.issue(h, id)
}

// issue records that h refers to the new value id.
func (w *world) issue(h handle, id uint64) {
	e := w.hand(h)
	e.live, e.id, e.at = true, id, len(w.order)
	w.order = append(w.order, h)
	w.byID.set(id, e)
	if p := w.resolve(h, id); w.pointers == UntilRemove {
		e.ptr = p
	}
	w.sameLen("an insert")
}

// hand records that the container has issued h.
func (w *world) hand(h handle) *entry {
	w.serial++
	e := &entry{h: h, serial: w.serial}
	w.issued.set(h.n, e)
	return e
}

// hasIssued reports whether the container has issued h before.
func (w *world) hasIssued(h handle) bool { return h != nil && w.issued.at(h.n) != nil }

// live returns the value of h, or nil if h is not live.
func (w *world) live(h handle) *entry {
	if h != nil {
		if e := w.issued.at(h.n); e != nil && e.live {
			return e
		}
	}
	return nil
}

// renew gives e a new ID.
func (w *world) renew(e *entry) {
	w.byID.set(e.id, nil)
	e.id = w.newID()
	w.byID.set(e.id, e)
}

// insertFunc inserts a value by InsertFunc. body is called while it is under construction.
func (w *world) insertFunc(body func(handle)) (h handle) {
	id := w.newID()
	full, called := w.full(), false
	var given, none handle
	h = w.c.insertFunc(func(g handle, v item) {
		if full || called {
			w.fail("InsertFunc called f: full %v, called before %v", full, called)
		}
		called, given = true, g
		if !v.isZero() {
			w.fail("InsertFunc gave f a value %+v, want the zero value", v)
		}
		if g == none || w.hasIssued(g) {
			w.fail("InsertFunc gave f the handle %v, which is zero or was issued before", g)
		}
		w.pending = append(w.pending, g)
		w.hand(g)
		done := false
		defer func() {
			w.pending = slices.DeleteFunc(w.pending, func(h handle) bool { return h == g })
			if !done && w.allows(failedTest) {
				w.retire(g)
			} else {
				w.issued.set(g.n, nil)
			}
		}()
		v.fill(id)
		w.mustBeGone(g, "while InsertFunc builds its value")
		w.sameLen("InsertFunc took a slot")
		body(g)
		w.mustBeGone(g, "while InsertFunc builds its value")
		if got, sound := v.ident(); got != id || !sound {
			w.fail("InsertFunc: f's value was overwritten: %+v, want ID %d", v, id)
		}
		done = true
	})
	if !full && h != given {
		w.fail("InsertFunc returned %v, but gave f %v", h, given)
	}
	w.inserted("InsertFunc", h, id, full)
	return h
}

// remove removes h, live or not. It removes every second value by Delete, if c has it.
func (w *world) remove(h handle) {
	e := w.live(h)
	live := e != nil
	if (!live || e.id%2 == 0) && w.c.offers("Delete") {
		if got := w.c.delete(h); got != live {
			w.fail("Delete(%v) = %v, want %v", h, got, live)
		}
		if live {
			w.forget(h)
			w.mustBeGone(h, "after Delete")
			w.sameLen("Delete")
			return
		}
		w.sameLen("Delete of a handle that is not live")
	}
	v, ok := w.c.remove(h)
	switch {
	case live && (!ok || !v.sound || v.id != e.id):
		w.fail("Remove(%v) = (%+v, %v), want ID %d and true", h, v, ok, e.id)
	case !live && (ok || !v.zero):
		w.fail("Remove(%v) = (%+v, %v) of a handle that is not live, want zero and false", h, v, ok)
	}
	if live {
		w.forget(h)
		w.mustBeGone(h, "after Remove")
	}
	w.sameLen("Remove")
}

// forget removes h from the model.
func (w *world) forget(h handle) {
	e := w.live(h)
	last := w.order[len(w.order)-1]
	w.order[e.at] = last
	w.live(last).at = e.at
	w.order = w.order[:len(w.order)-1]
	w.byID.set(e.id, nil)
	e.live, e.ptr = false, nil
	w.removed++
	w.retire(h)
}

// retire adds h to the sample of stale handles.
func (w *world) retire(h handle) {
	if len(w.gone) < mostGone {
		w.gone = append(w.gone, h)
		return
	}
	w.gone[w.rng.IntN(mostGone)] = h
}

// removeN removes n values. pick selects each by its place in order.
func (w *world) removeN(n int, pick func(live int) int) {
	for range min(n, len(w.order)) {
		w.remove(w.order[pick(len(w.order))])
	}
}

func first(int) int { return 0 }

func last(n int) int { return n - 1 }

func (w *world) any(n int) int { return w.rng.IntN(n) }

// write gives the value of h another ID, through its pointer.
func (w *world) write(h handle) {
	e := w.live(h)
	p := w.resolve(h, e.id)
	w.renew(e)
	p.fill(e.id)
	w.resolve(h, e.id)
}

func (w *world) clear() {
	w.c.clear()
	w.forgetAll()
	w.sameLen("Clear")
}

func (w *world) forgetAll() {
	for len(w.order) > 0 {
		w.forget(w.order[len(w.order)-1])
	}
}

// clip calls Clip if c has it.
func (w *world) clip() {
	if c, ok := w.c.inner().(clipper); ok {
		w.resized++
		c.Clip()
		w.sameLen("Clip")
	}
}

// grow calls Grow if c has it.
func (w *world) grow(n int) {
	c, ok := w.c.inner().(grower)
	if !ok {
		return
	}
	w.resized++
	c.Grow(n)
	w.sameLen(fmt.Sprintf("Grow(%d)", n))
	if w.limit > 0 {
		n = min(n, w.limit-len(w.order)-len(w.pending))
	}
	if c, ok := w.c.inner().(capper); ok && c.Cap() < len(w.order)+n {
		w.fail("Grow(%d) with %d live values: Cap() = %d", n, len(w.order), c.Cap())
	}
}

// fork clones the container and the model.
func (w *world) fork() *world {
	v := w.copied(w.c.clone())
	for _, h := range v.order {
		e := v.live(h)
		old := e.ptr
		e.ptr = nil
		if p := v.resolve(h, e.id); w.pointers == UntilRemove {
			if p == old {
				w.fail("Clone shares the value of %v with the original", h)
			}
			e.ptr = p
		}
	}
	v.sameLen("Clone")
	return v
}

// resolve checks that h refers to the value id, and returns its pointer.
func (w *world) resolve(h handle, id uint64) item {
	p := w.c.ptr(h)
	if p == nil {
		w.fail("Ptr(%v) = nil, want ID %d", h, id)
	}
	if got, sound := p.ident(); got != id || !sound {
		w.fail("*Ptr(%v) = %+v, sound %v, want ID %d", h, p, sound, id)
	}
	if v, ok := w.c.get(h); !ok || !v.sound || v.id != id {
		w.fail("Get(%v) = (%+v, %v), want ID %d and true", h, v, ok, id)
	}
	if !w.c.contains(h) {
		w.fail("Contains(%v) = false of a live handle", h)
	}
	if e := w.live(h); e != nil && e.ptr != nil && e.ptr != p {
		w.fail("the value of %v has moved, but pointers to it are valid until it is removed", h)
	}
	return p
}

// mustBeGone checks that h finds nothing.
func (w *world) mustBeGone(h handle, when string) {
	if p := w.c.ptr(h); p != nil {
		w.fail("%s: Ptr(%v) finds %+v, want nil", when, h, p)
	}
	if v, ok := w.c.get(h); ok || !v.zero {
		w.fail("%s: Get(%v) = (%+v, %v), want the zero value and false", when, h, v, ok)
	}
	if w.c.contains(h) {
		w.fail("%s: Contains(%v) = true, want false", when, h)
	}
}

// mustStayGone is mustBeGone, but also tries to remove h.
func (w *world) mustStayGone(h handle, when string) {
	w.mustBeGone(h, when)
	w.remove(h)
}

// sameLen compares Len.
func (w *world) sameLen(after string) {
	if n := w.c.len(); n != len(w.order)+w.lag {
		w.fail("after %s: Len() = %d, want %d", after, n, len(w.order)+w.lag)
	}
}

// glance is a cheap, partial compare.
func (w *world) glance() {
	w.sameLen("this step")
	for i := range min(4, len(w.order)) {
		h := w.order[(i*len(w.order)/4+w.removed)%len(w.order)]
		w.resolve(h, w.live(h).id)
	}
	for i := range min(4, len(w.gone)) {
		w.mustStayGone(w.gone[(i*len(w.gone)/4+w.removed)%len(w.gone)], "stale handle")
	}
	w.c.check()
}

// compare compares everything: each live value, the sample of stale handles, and each loop.
func (w *world) compare() {
	w.glance()
	for _, h := range w.order {
		w.resolve(h, w.live(h).id)
	}
	for _, h := range w.gone {
		w.mustStayGone(h, "stale handle")
	}
	for _, l := range loops(w.c) {
		w.loop(l, func(*walk, handle) bool { return true })
	}
}

// stale tries every handle ever issued.
func (w *world) stale(when string) {
	for e := range w.issued.all {
		if !e.live {
			w.mustStayGone(e.h, when)
		}
	}
	w.compare()
}

// Names of subtests that the model test consults: it avoids what they except.
const (
	limitTest  = "Law12BadInput/limit"
	failedTest = "Law2StaleNeverResolves/afterFailedInsertFunc"
	loadTest   = "Law2StaleNeverResolves/afterLoad"
)

// world returns a container with options o, and its model.
func (r *run) world(o Options) *world {
	if !r.allows(limitTest) {
		o.Limit = 0
	}
	return &world{run: r, c: r.open(o), limit: o.Limit}
}

// filled returns a world with n values.
func (r *run) filled(o Options, n int) *world {
	w := r.world(o)
	w.insertN(n)
	return w
}

// copied returns a copy of the model, for container c.
func (w *world) copied(c container) *world {
	v := *w
	v.c = c
	v.issued, v.byID = nil, nil
	v.order, v.gone, v.pending = slices.Clone(w.order), slices.Clone(w.gone), nil
	for e := range w.issued.all {
		e := *e
		v.issued.set(e.h.n, &e)
		if e.live {
			v.byID.set(e.id, &e)
		}
	}
	for _, h := range w.pending { // not in the copy, which may issue them
		v.issued.set(h.n, nil)
	}
	return &v
}
