package pooltest

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
)

// saved is a container that was saved, and its model at that time.
type saved struct {
	data  []byte
	model *world
}

// save saves the container, which must not change.
func (w *world) save() saved {
	data, err := w.c.save()
	if err != nil {
		w.fail("Save: %v", err)
	}
	w.glance()
	m := w.copied(nil)
	for _, h := range m.order {
		m.live(h).ptr = nil
	}
	return saved{data, m}
}

// load loads s, which may be the save of another container.
func (w *world) load(s saved) {
	if err := w.tryLoad("what Save returned", s.data); err != nil {
		w.fail("Load: %v", err)
	}
	old := w.issued
	m := s.model.copied(w.c)
	w.issued, w.byID = m.issued, m.byID
	w.order, w.gone = m.order, m.gone
	w.serial = max(w.serial, m.serial)
	w.removed++ // the values that spans have yielded are gone
	for _, h := range w.order {
		e := w.live(h)
		if p := w.resolve(h, e.id); w.pointers == UntilRemove {
			e.ptr = p
		}
	}
	w.sameLen("Load")
	for e := range old.all {
		if w.live(e.h) == nil {
			w.mustStayGone(e.h, "after Load, a handle that was not live in the saved container")
		}
	}
}

// tryLoad calls Load with a copy of data, which it overwrites afterwards. A panic fails the check.
func (w *world) tryLoad(what string, data []byte) error {
	b := slices.Clone(data)
	defer func() {
		for i := range b {
			b[i] ^= 0xA5
		}
		if e := recover(); e != nil {
			w.fail("Load of %s: panic: %v\n%s", what, e, debug.Stack())
		}
	}()
	return w.c.load(b)
}

// worn returns a container with n values, with vacant slots among them and behind them.
func (r *run) worn(o Options, n int) *world {
	w := r.filled(o, n)
	w.removeN(n/2, w.any)
	w.insertN(n / 3)
	w.removeN(n/3, w.any)
	w.insertN(n - len(w.order))
	w.removeN(n/6, w.any)
	return w
}

// law2saves: a stale handle stays stale when its container is saved and loaded.
func law2saves() []check {
	return []check{{name: "afterLoad", needs: []string{"Load"}, run: func(r *run) {
		for _, n := range []int{0, 1, 64, 65, 300, 1025} {
			loads(r, r.worn(Options{}, r.count(n)), func() Options { return Options{} })
		}
		w := r.world(Options{Capacity: 70}) // slots that were used are no longer in memory
		w.insertN(r.count(1300))
		w.removeN(len(w.order)-5, last)
		w.clip()
		loads(r, w, func() Options { return Options{Capacity: 300} })
		if !w.c.offers("Age") || !r.allows("Law2StaleNeverResolves/afterRetirement") {
			return
		}
		for lives := 1; lives <= 3; lives++ {
			retiredLoads(r, lives)
		}
	}}}
}

// loads saves w and loads it into a new container, into one that is in use, and into w itself after
// changes.
func loads(r *run, w *world, o func() Options) {
	s := w.save()
	w.compare()
	fresh, used := r.world(o()), r.worn(o(), r.count(200))
	w.insertN(r.count(100))
	w.removeN(len(w.order)/2, w.any)
	w.clear()
	w.clip()
	w.insertN(r.count(30))
	for i, v := range []*world{fresh, used, w, used} {
		when := []string{
			"after Load into a new container", "after Load into a container in use",
			"after Load into the saved container, which has changed", "after a second Load",
		}[i]
		v.load(s)
		v.stale(when)
		for range 3 {
			v.insertN(r.count(100))
			v.removeN(len(v.order)/2, v.any)
			v.stale(when + ", and changes")
		}
		v.clear()
		v.clip()
		v.insertN(r.count(100))
		v.stale(when + ", and Clear")
	}
}

// retiredLoads saves and loads containers whose slots are used up, some or all of them.
func retiredLoads(r *run, lives int) {
	w := r.world(Options{})
	w.c.age(lives)
	for range lives + 1 {
		w.insertN(100)
		w.removeN(70, last)
	}
	s := w.save()
	v := r.world(Options{})
	v.c.age(lives)
	retired := func(c container) int {
		if !w.c.offers("Retired") {
			return 0
		}
		return c.retired()
	}
	for range 2 {
		v.load(s)
		if got, want := retired(v.c), retired(w.c); got != want {
			v.fail("after Load, with slots of %d lives: %d retired, want %d", lives, got, want)
		}
		for range lives + 1 {
			v.stale(fmt.Sprintf("after Load, with slots of %d lives", lives))
			v.insertN(100)
			v.removeN(100, last)
		}
	}
}

// law4saves: a container that was loaded goes on like the one that was saved.
func law4saves() []check {
	return []check{{name: "sameAfterLoad", needs: []string{"Load"}, run: func(r *run) {
		for _, n := range []int{0, 1, 65, 300, 1025} {
			w := r.worn(Options{}, r.count(n))
			s := w.save()
			vs := []*world{w}
			if w.c.offers("Clone") {
				vs = append(vs, w.fork())
			}
			for i, v := range []*world{r.world(Options{}), r.worn(Options{}, r.count(200))} {
				v.load(s)
				v.step = []string{"new container: ", "container in use: "}[i]
				vs = append(vs, v)
			}
			goOn(r, vs)
		}
	}}}
}

// goOn makes the same calls to each container. They must issue the same handles, and visit them in
// the same order.
func goOn(r *run, vs []*world) {
	rng := rand.New(rand.NewPCG(9, 9))
	quiet := func(*walk, handle) bool { return true }
	for turn := range 5 {
		orders := make([][]handle, len(vs))
		for i, v := range vs {
			orders[i] = v.loop(loops(v.c)[0], quiet).order
			if !slices.Equal(orders[i], orders[0]) {
				v.fail("All visits %v, and %v in the saved container", orders[i], orders[0])
			}
		}
		for call := range r.count(150) {
			var want handle
			for i, v := range vs {
				id := v.newID()
				h := v.c.insert(id)
				v.inserted("Insert", h, id, false)
				if i == 0 {
					want = h
				} else if h != want {
					v.fail("Insert %d = %v, and %v in the saved container", call, h, want)
				}
			}
			if call%3 == turn%3 {
				at := rng.IntN(len(vs[0].order))
				for _, v := range vs {
					v.remove(v.order[at])
				}
			}
		}
		for _, v := range vs {
			switch turn {
			case 1:
				v.removeN(len(v.order)*9/10, last)
			case 2:
				v.clear()
			case 3:
				v.removeN(len(v.order)-3, last)
				v.clip()
			}
		}
	}
	for _, v := range vs {
		v.compare()
	}
}

// law6saves: Load does not keep the values that the container had.
func law6saves() []check {
	needs := []string{"Load", "Object"}
	return []check{{name: "afterLoad", needs: needs, run: func(r *run) {
		for _, n := range []int{0, 50, 300, 700} {
			s := r.worn(Options{}, r.count(n)).save()
			w := r.filled(Options{}, r.count(300))
			ws := objects(w)
			w.load(s)
			w.mustFree(ws)
		}
		w := r.filled(Options{}, r.count(300))
		ws := objects(w)
		w.load(w.save())
		w.mustFree(ws)
	}}}
}

// law12saves: Load refuses damaged bytes and too many values, and then changes nothing.
func law12saves() []check {
	return []check{
		{name: "damagedLoad", needs: []string{"Load"}, run: func(r *run) {
			d := damage{w: r.worn(Options{}, r.count(40))}
			d.own = d.w.save()
			for _, n := range []int{0, 60} {
				d.all(r.worn(Options{}, n).save().data)
			}
			d.w.stale("after damaged loads")
		}},
		{name: "loadAboveLimit", needs: []string{"Load"}, run: func(r *run) {
			for _, limit := range []int{1, 10, 64, 130} {
				w := r.filled(Options{Limit: limit}, limit/2)
				if w.limit == 0 { // it has no Limit
					return
				}
				for _, more := range []int{1, 2, 300} {
					s := r.filled(Options{}, limit+more).save()
					what := fmt.Sprintf("%d values, Limit %d", limit+more, limit)
					if err := w.tryLoad(what, s.data); err == nil {
						w.fail("Load of %s: no error", what)
					}
					w.compare()
				}
				w.load(r.filled(Options{}, limit).save())
				w.removeN(1, w.any)
				w.insertN(2) // the Limit stays
				w.compare()
			}
		}},
	}
}

// damage loads damaged bytes into w. own is the last save of w.
type damage struct {
	w     *world
	own   saved
	tried int
}

// all damages data in many ways: cuts it, and flips bits.
func (d *damage) all(data []byte) {
	d.try("no bytes", nil, true)
	d.try("zero bytes", make([]byte, len(data)), false)
	most := 400 / scale
	for n := range len(data) {
		if n < 64 || len(data)-n < 64 || n%(len(data)/most+1) == 0 {
			d.try(fmt.Sprintf("%d of %d bytes", n, len(data)), data[:n], true)
		}
	}
	for bit := 0; bit < 8*len(data); bit += 1 + 8*len(data)/most {
		b := slices.Clone(data)
		b[bit/8] ^= 1 << (bit % 8)
		d.try(fmt.Sprintf("bytes with bit %d of byte %d flipped", bit%8, bit/8), b, false)
	}
}

// try loads damaged bytes. If Load fails, w must be unchanged. A format without a checksum cannot
// detect each flipped bit, but the container must be consistent in any case.
func (d *damage) try(what string, data []byte, mustFail bool) {
	w := d.w
	err := w.tryLoad(what, data)
	if d.tried++; err != nil {
		if d.tried%16 == 0 {
			w.compare()
		} else {
			w.glance()
		}
		return
	}
	if mustFail {
		w.fail("Load of %s: no error", what)
	}
	w.c.check()
	n := 0
	for range w.c.all {
		n++
	}
	if n != w.c.len() {
		w.fail("after Load of %s: Len() = %d, and a loop visits %d", what, w.c.len(), n)
	}
	w.load(d.own)
}
