package berth

import (
	"math/bits"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/journal"
)

// denseColumnLog records the changes of a DenseColumn for the History of its Dense. The pages of
// its journal are those of the places. Places have no state: a vacant one holds the zero V.
type denseColumnLog[T, V any] struct {
	c *DenseColumn[T, V]
	columnFrames
	compare bool
	log     *journal.Log[V, struct{}, int]
	covered int // pages that log is ready for
}

// Edit returns a pointer to the V of h for writing, or nil if h is stale, zero or foreign. It is
// Ptr for a V that will be changed while the Dense has a [DenseHistory]: writes are recorded until
// the next Mark or Rewind, or until the value moves. Other writes, such as those to Slice, are
// found only with HistoryConfig.Compare. Without a DenseHistory, Edit is the same as Ptr.
//
// [DenseHistory.Rewind] makes the Vs what they were when the frame began. In a DenseColumn that is
// younger than the frame, they become zero. [DenseHistory.Changed] does not report Vs.
// Cost: as Ptr; with a DenseHistory, a copy of the V the first time in a frame.
// Ends: pointers of c, if the Dense has grown.
//
//berth:ends some
//berth:lends r0 by h
func (c *DenseColumn[T, V]) Edit(h Handle[T]) *V {
	x := c.Ptr(h)
	if x != nil && c.log != nil {
		c.log.note(c.d.PlaceOf(h))
	}
	return x
}

// record implements [denseColumn].
func (c *DenseColumn[T, V]) record(now uint64, h HistoryConfig) {
	l := &denseColumnLog[T, V]{c: c, compare: h.Compare}
	l.before = now - 1
	var live func(struct{}) bool
	if h.Compare || invariants.On {
		live = func(struct{}) bool { return true }
	}
	l.log = journal.NewLog[V, struct{}, int](h.Frames, live)
	l.cover()
	c.log = l
}

// cover makes the journal ready for the present places, before any of them is written to.
func (l *denseColumnLog[T, V]) cover() {
	n := pages(cap(l.c.vals))
	l.log.Grow(n)
	for ; l.covered < n; l.covered++ {
		vals, _ := l.Slots(l.covered, l.covered)
		l.log.Cover(l.covered, vals)
	}
}

// note records place i, which is below len(vals), before it changes.
func (l *denseColumnLog[T, V]) note(i int) {
	k := i / blockSlots
	if l.log.Note(k, k, i%blockSlots, &l.c.vals[i], struct{}{}) {
		vals, states := l.Slots(k, k)
		l.log.Image(k, k, journal.Words{}, 0, vals, states)
	}
}

// noteFrom records the places from n on.
func (l *denseColumnLog[T, V]) noteFrom(n int) {
	if l == nil {
		return
	}
	for i := n; i < len(l.c.vals); i++ {
		if !l.log.Logged(i/blockSlots, i%blockSlots) {
			l.note(i)
		}
	}
}

// find implements [denseColumn]. It is [denseLog.find] for the Vs.
func (c *DenseColumn[T, V]) find(fn string) {
	l := c.log
	for k := range pages(len(c.vals)) {
		first := k * blockSlots
		vals := c.vals[first:min(first+blockSlots, len(c.vals))]
		slots := ^l.log.LoggedSlots(k)
		if len(vals) < blockSlots {
			slots &= 1<<len(vals) - 1
		}
		for w := l.log.Differs(k, vals, slots); w != 0; w &= w - 1 {
			i := first + bits.TrailingZeros64(w)
			if !l.compare {
				panicUnrecorded(fn, Handle[T]{id: c.d.owner[i]})
			}
			l.note(i)
		}
	}
}

// mark implements [denseColumn].
func (c *DenseColumn[T, V]) mark() { c.log.log.Mark(c.log) }

// rewind implements [denseColumn]. The Dense is already what it was. It had no V beyond its places.
func (c *DenseColumn[T, V]) rewind(f uint64) {
	l, n := c.log, len(c.d.vals)
	c.reach(n)
	l.log.Rewind(l.back(f), l)
	clear(c.vals[n:cap(c.vals)])
	c.vals = c.vals[:n]
}

// forget implements [denseColumn].
func (c *DenseColumn[T, V]) forget() { c.log = nil }

// restart forgets all frames, and begins one.
func (l *denseColumnLog[T, V]) restart() {
	if l != nil {
		l.log.Forget()
		l.covered = 0
		l.cover()
	}
}

// clip implements [denseColumn].
func (c *DenseColumn[T, V]) clip() {
	if l := c.log; l != nil {
		l.log.Clip(pages(cap(c.vals)))
		l.covered = min(l.covered, l.log.Len())
	}
}

// Ref implements [journal.Pages].
func (l *denseColumnLog[T, V]) Ref(k int) int { return k }

// stateless are the states of a page.
var stateless [blockSlots]struct{}

// Slots implements [journal.Pages].
func (l *denseColumnLog[T, V]) Slots(k, _ int) ([]V, []struct{}) {
	n := cap(l.c.vals)
	first, last := min(k*blockSlots, n), min((k+1)*blockSlots, n)
	return l.c.vals[:n][first:last], stateless[:last-first]
}

// Restored implements [journal.Pages].
func (l *denseColumnLog[T, V]) Restored(int, int, uint64, uint64, journal.Words) {}
