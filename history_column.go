package berth

import (
	"math/bits"

	"github.com/seed505807e1/berth/internal/journal"
	"github.com/seed505807e1/berth/internal/slots"
)

// columnFrames numbers the frames of a Column's journal, which begins with frame 1 when the Column
// does, within those of a History.
type columnFrames struct {
	before uint64 // frames of the History before frame 1
}

// back returns the frame of the journal to go back to for frame f of the History, which is then the
// current one. A Column that is younger than f goes back to its beginning, when it was empty.
func (s *columnFrames) back(f uint64) uint64 {
	if f <= s.before {
		s.before = f - 1
		return 1
	}
	return f - s.before
}

// columnLog records the changes of a Column for the History of its Pool. A block without a V is a
// page without memory.
type columnLog[V, T any] struct {
	blockLog[V]
	columnFrames
	c *Column[V, T]

	rewinding bool  // blocks that are missing must be made
	touched   []int // the blocks that Rewind has changed
}

// Edit returns a pointer to the V of h for writing, or nil if there is none. It is Ptr for a V that
// will be changed while the Pool has a [History]: writes are recorded until the next Mark or
// Rewind. Set and Delete are recorded by themselves. Other writes are found only with
// HistoryConfig.Compare. Without a History, Edit is the same as Ptr.
//
// [History.Rewind] makes the Column what it was when the frame began: Vs come back with their
// values, and those set since are gone. A Column that is younger than the frame becomes empty.
// [History.Changed] does not report Vs.
//
// Cost: O(1); with a History, a copy of the V the first time in a frame. It allocates nothing,
// unless there are more changes than ever before.
//
//berth:lends r0 by h
func (c *Column[V, T]) Edit(h Handle[T]) *V {
	x := c.Ptr(h)
	if x != nil && c.log != nil {
		s := h.id.Index - c.salt
		c.log.Note(&c.dir[s>>6].Head, int(s>>6), int(s&63))
	}
	return x
}

// Record implements [columnHistory].
func (e *columnEnd[V, T]) Record(now uint64, h slots.Frames) {
	c := (*Column[V, T])(e)
	c.log = &columnLog[V, T]{
		blockLog:     newBlockLog(HistoryConfig(h), &c.dir),
		columnFrames: columnFrames{now - 1}, c: c,
	}
	c.log.log.Pages = c.log
}

// Find implements [columnHistory].
func (e *columnEnd[V, T]) Find(fn string) { e.log.findIn(look(e.p), fn) }

// Mark implements [columnHistory].
func (e *columnEnd[V, T]) Mark() { e.log.log.Mark() }

// Rewind implements [columnHistory].
func (e *columnEnd[V, T]) Rewind(f uint64) {
	c := (*Column[V, T])(e)
	l := c.log
	l.rewinding = true
	l.log.Rewind(l.back(f))
	l.rewinding = false
	for _, k := range l.touched {
		if c.dir[k].Occ == 0 {
			c.retire(k)
		}
	}
	l.touched = l.touched[:0]
	endOf(c).Cut(len(c.p.dir))
}

// Forget implements [columnHistory].
func (e *columnEnd[V, T]) Forget() { e.log = nil }

// clip releases the memory that no frame needs.
func (l *columnLog[V, T]) clip() {
	l.log.Clip(len(l.c.dir))
	for k := range l.log.Len() {
		if k >= len(l.c.dir) || l.c.dir[k] == nil {
			l.log.Uncover(k)
		}
	}
	l.touched = nil
}

// Slots implements [journal.Pages].
func (l *columnLog[V, T]) Slots(k int) ([]V, []uint32, journal.Words) {
	if !l.rewinding && (k >= len(l.c.dir) || l.c.dir[k] == nil) {
		return nil, nil, journal.Words{} // all slots are vacant
	}
	b := l.c.open(k)
	if l.rewinding {
		l.touched = append(l.touched, k) // once for each block
	}
	return pageOf(b)
}

// Restored implements [journal.Pages].
func (l *columnLog[V, T]) Restored(k int, noted, changed, imaged uint64, w journal.Words) {
	b := l.c.dir[k]
	was := bits.OnesCount64(b.Occ)
	slots.Restore(&b.Head, noted, changed, imaged, w)
	l.c.n += bits.OnesCount64(b.Occ) - was
}

// denseColumnLog records the changes of a DenseColumn for the History of its Dense. A vacant place
// holds the zero V.
type denseColumnLog[V any] struct {
	placeLog[V, nothing]
	columnFrames
}

// Edit returns a pointer to the V of h for writing, or nil if h is stale, zero or foreign. It is
// Ptr for a V that will be changed while the Dense has a [History]: writes are recorded until the
// next Mark or Rewind, or until the value moves. Other writes, such as those to Slice, are found
// only with HistoryConfig.Compare. Without a History, Edit is the same as Ptr.
//
// [History.Rewind] makes the Vs what they were when the frame began. In a DenseColumn that is
// younger than the frame, they become zero. [History.Changed] does not report Vs.
//
// Cost: as Ptr; with a History, a copy of the V the first time in a frame.
//
// Ends: pointers of c, if the Dense has grown.
//
//berth:ends some
//berth:lends r0 by h
func (c *DenseColumn[V, T]) Edit(h Handle[T]) *V {
	x := c.Ptr(h)
	if x != nil && c.log != nil {
		c.log.NotePlace(c.d.PlaceOf(h))
	}
	return x
}

// Record implements [columnHistory].
func (e *denseColumnEnd[V, T]) Record(now uint64, h slots.Frames) {
	c := (*DenseColumn[V, T])(e)
	all := func(nothing) bool { return true }
	log := newPlaceLog(HistoryConfig(h), &c.vals, stateless(), all)
	c.log = &denseColumnLog[V]{log, columnFrames{now - 1}}
	c.log.log.Pages = c.log
}

// noteFrom records the places from n on.
func (l *denseColumnLog[V]) noteFrom(n int) {
	if l != nil {
		l.NotePlaces(n, len(*l.vals))
	}
}

// Find implements [columnHistory].
func (e *denseColumnEnd[V, T]) Find(fn string) {
	c := (*DenseColumn[V, T])(e)
	l := c.log
	for k := range pages(len(c.vals)) {
		mask := ^l.log.LoggedSlots(k)
		if n := len(c.vals) - k*slots.BlockSlots; n < slots.BlockSlots {
			mask &= 1<<n - 1
		}
		l.found(fn, c.d.state.Owner, k, mask, l.NotePlace)
	}
}

// Mark implements [columnHistory].
func (e *denseColumnEnd[V, T]) Mark() { e.log.log.Mark() }

// Rewind implements [columnHistory]. The Dense had no V beyond its places.
func (e *denseColumnEnd[V, T]) Rewind(f uint64) {
	c := (*DenseColumn[V, T])(e)
	l, n := c.log, len(c.d.vals)
	c.reach(n)
	l.log.Rewind(l.back(f))
	clear(c.vals[n:cap(c.vals)])
	c.vals = c.vals[:n]
}

// Forget implements [columnHistory].
func (e *denseColumnEnd[V, T]) Forget() { e.log = nil }

// Clip implements [columnHistory].
func (e *denseColumnEnd[V, T]) Clip() {
	c := (*DenseColumn[V, T])(e)
	if c.log != nil {
		c.log.clip()
	}
}
