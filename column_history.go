package berth

import (
	"math/bits"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/journal"
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

// columnLog records the changes of a Column for the History of its Pool. The pages of its journal
// are the blocks, by their number: a block without a V is a page without memory.
type columnLog[T, V any] struct {
	c *Column[T, V]
	columnFrames
	compare bool
	log     *journal.Log[V, uint32, int]

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
		c.log.note(c.dir[s>>6], int(s>>6), int(s&63))
	}
	return x
}

// record implements [column].
func (c *Column[T, V]) record(now uint64, h HistoryConfig) {
	l := &columnLog[T, V]{c: c, compare: h.Compare}
	l.before = now - 1
	var live func(uint32) bool
	if h.Compare || invariants.On {
		live = func(gen uint32) bool { return gen&1 != 0 }
	}
	l.log = journal.NewLog[V, uint32, int](h.Frames, live)
	l.cover()
	c.log = l
}

// cover makes the journal ready for the present blocks.
func (l *columnLog[T, V]) cover() {
	l.log.Grow(len(l.c.dir))
	for k, b := range l.c.dir {
		if b != nil {
			l.log.Cover(k, b.vals[:])
		}
	}
}

// note records slot i of b, which is block k, before it changes.
func (l *columnLog[T, V]) note(b *block[V], k, i int) {
	if l.log.Note(k, k, i, &b.vals[i&63], b.gens[i&63]) {
		l.log.Image(k, k, journal.Words{}, 0, b.vals[:], b.gens[:])
	}
}

// noteAll records the given slots of b, which is block k, before they change.
func (l *columnLog[T, V]) noteAll(b *block[V], k int, slots uint64) {
	slots &^= l.log.LoggedSlots(k)
	if bits.OnesCount64(slots) > few {
		l.log.Image(k, k, journal.Words{}, slots, b.vals[:], b.gens[:])
		return
	}
	for w := slots; w != 0; w &= w - 1 {
		l.note(b, k, bits.TrailingZeros64(w))
	}
}

// find implements [column]. It is [poolLog.find] for the Vs.
func (c *Column[T, V]) find(fn string) {
	l := c.log
	for k, b := range c.dir {
		if b == nil {
			continue
		}
		slots := b.occ &^ l.log.LoggedSlots(k)
		for w := l.log.Differs(k, b.vals[:], slots); w != 0; w &= w - 1 {
			i := bits.TrailingZeros64(w)
			if !l.compare {
				panicUnrecorded(fn, Handle[T]{id: look(c.p).id(&c.p.dir[k].head, k, i)})
			}
			l.note(b, k, i)
		}
	}
}

// mark implements [column].
func (c *Column[T, V]) mark() { c.log.log.Mark(c.log) }

// rewind implements [column]. The Pool is already what it was.
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

// forget implements [column].
func (c *Column[T, V]) forget() { c.log = nil }

// restart forgets all frames, and begins one.
func (l *columnLog[T, V]) restart() {
	if l != nil {
		l.log.Forget() // open covers the blocks to come
	}
}

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
func (l *columnLog[T, V]) Ref(k int) int { return k }

// Slots implements [journal.Pages].
func (l *columnLog[T, V]) Slots(k, _ int) ([]V, []uint32) {
	if !l.rewinding && (k >= len(l.c.dir) || l.c.dir[k] == nil) {
		return nil, nil // all slots are vacant
	}
	b := l.c.open(k)
	if l.rewinding {
		l.touched = append(l.touched, k) // once for each block
	}
	return b.vals[:], b.gens[:]
}

// Restored implements [journal.Pages]. A slot has a V exactly when its generation is odd.
func (l *columnLog[T, V]) Restored(k, _ int, noted, imaged uint64, _ journal.Words) {
	b := l.c.dir[k]
	was := bits.OnesCount64(b.occ)
	for w := noted | imaged; w != 0; w &= w - 1 {
		i := bits.TrailingZeros64(w)
		b.occ = b.occ&^(1<<i) | uint64(b.gens[i]&1)<<i
	}
	l.c.n += bits.OnesCount64(b.occ) - was
}
