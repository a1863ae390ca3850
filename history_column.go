package berth

import (
	"math/bits"

	"github.com/seed505807e1/berth/internal/journal"
)

// columnHistory is what the History of a container calls of a Column or a DenseColumn.
type columnHistory interface {
	record(now uint64, c HistoryConfig) // the History records; now is its current frame
	find(fn string)                     // records unrecorded writes, or panics because of them
	mark()
	rewind(f uint64) // the container is already what it was
	forget()         // the History is closed
	clip()           // all memory that neither the Column nor a frame needs is to be released
}

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
type columnLog[T, V any] struct {
	blockLog[V]
	columnFrames
	c *Column[T, V]

	rewinding bool  // blocks that are missing must be made
	touched   []int // the blocks that Rewind has changed
}

// Edit returns a pointer to the V of h for writing, or nil if there is none. It is Ptr for a V that
// will be changed while the Pool has a [History]: writes are recorded until the next Mark or
// Rewind. Set and Unset are recorded by themselves. Other writes are found only with
// HistoryConfig.Compare. Without a History, Edit is the same as Ptr.
//
// [History.Rewind] makes the Column what it was when the frame began: Vs come back with their
// values, and those set since are gone. A Column that is younger than the frame becomes empty.
// [History.Changed] does not report Vs.
// Cost: O(1); with a History, a copy of the V the first time in a frame. It allocates nothing,
// unless there are more changes than ever before.
//
//berth:lends r0 by h
func (c *Column[T, V]) Edit(h Handle[T]) *V {
	x := c.Ptr(h)
	if x != nil && c.log != nil {
		s := h.index - c.salt
		c.log.note(&c.dir[s>>6].head, int(s>>6), int(s&63))
	}
	return x
}

// record implements [columnHistory].
func (c *Column[T, V]) record(now uint64, h HistoryConfig) {
	c.log = &columnLog[T, V]{
		blockLog: newBlockLog(h, &c.dir, true), columnFrames: columnFrames{now - 1}, c: c,
	}
}

// find implements [columnHistory].
func (c *Column[T, V]) find(fn string) { c.log.findIn(look(c.p), fn) }

// mark implements [columnHistory].
func (c *Column[T, V]) mark() { c.log.log.Mark(c.log) }

// rewind implements [columnHistory].
func (c *Column[T, V]) rewind(f uint64) {
	l := c.log
	l.rewinding = true
	l.log.Rewind(l.back(f), l)
	l.rewinding = false
	for _, k := range l.touched {
		if c.dir[k].occ == 0 {
			c.retire(k)
		}
	}
	l.touched = l.touched[:0]
	c.cut(len(c.p.dir))
}

// forget implements [columnHistory].
func (c *Column[T, V]) forget() { c.log = nil }

// clip releases the memory that no frame needs.
func (l *columnLog[T, V]) clip() {
	l.log.Clip(len(l.c.dir))
	for k := range l.log.Len() {
		if k >= len(l.c.dir) || l.c.dir[k] == nil {
			l.log.Uncover(k)
		}
	}
	l.touched = nil
}

// Ref implements [journal.Pages].
func (l *columnLog[T, V]) Ref(int) *block[V] { return nil }

// Slots implements [journal.Pages].
func (l *columnLog[T, V]) Slots(_ *block[V], k int) ([]V, []uint32) {
	if !l.rewinding && (k >= len(l.c.dir) || l.c.dir[k] == nil) {
		return nil, nil // all slots are vacant
	}
	b := l.c.open(k)
	if l.rewinding {
		l.touched = append(l.touched, k) // once for each block
	}
	return b.vals[:], b.gens[:]
}

// Restored implements [journal.Pages].
func (l *columnLog[T, V]) Restored(_ *block[V], k int, noted, imaged uint64, w journal.Words) {
	b := l.c.dir[k]
	was := bits.OnesCount64(b.occ)
	b.restore(noted, imaged, w)
	l.c.n += bits.OnesCount64(b.occ) - was
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
// Cost: as Ptr; with a History, a copy of the V the first time in a frame.
// Ends: pointers of c, if the Dense has grown.
//
//berth:ends some
//berth:lends r0 by h
func (c *DenseColumn[T, V]) Edit(h Handle[T]) *V {
	x := c.Ptr(h)
	if x != nil && c.log != nil {
		c.log.notePlace(c.d.PlaceOf(h))
	}
	return x
}

// record implements [columnHistory].
func (c *DenseColumn[T, V]) record(now uint64, h HistoryConfig) {
	all := func(nothing) bool { return true }
	c.log = &denseColumnLog[V]{newPlaceLog(h, &c.vals, stateless(), all), columnFrames{now - 1}}
}

// noteFrom records the places from n on.
func (l *denseColumnLog[V]) noteFrom(n int) {
	if l != nil {
		l.notePlaces(n, len(*l.vals))
	}
}

// find implements [columnHistory].
func (c *DenseColumn[T, V]) find(fn string) {
	l := c.log
	for k := range pages(len(c.vals)) {
		slots := ^l.log.LoggedSlots(k)
		if n := len(c.vals) - k*blockSlots; n < blockSlots {
			slots &= 1<<n - 1
		}
		l.found(fn, c.d.owner, k, slots, l.notePlace)
	}
}

// mark implements [columnHistory].
func (c *DenseColumn[T, V]) mark() { c.log.log.Mark(c.log) }

// rewind implements [columnHistory]. The Dense had no V beyond its places.
func (c *DenseColumn[T, V]) rewind(f uint64) {
	l, n := c.log, len(c.d.vals)
	c.reach(n)
	l.log.Rewind(l.back(f), l)
	clear(c.vals[n:cap(c.vals)])
	c.vals = c.vals[:n]
}

// forget implements [columnHistory].
func (c *DenseColumn[T, V]) forget() { c.log = nil }

// clip implements [columnHistory].
func (c *DenseColumn[T, V]) clip() {
	if c.log != nil {
		c.log.clip()
	}
}
