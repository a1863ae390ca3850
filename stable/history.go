package stable

import (
	"fmt"
	"iter"
	"math/bits"
	"slices"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/freelist"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/journal"
)

// ErrForgotten is [berth.ErrForgotten].
var ErrForgotten = berth.ErrForgotten

// History keeps the last frames of a list, and takes the list back to the beginning of any of them:
// for rollback netcode, undo, and simulations that look ahead. [NewHistory] makes one.
//
// A frame is the time between two calls of Mark. The first begins with NewHistory, and is number 1.
// Insert, Remove and all other methods of the list are recorded by themselves. A write to a value
// is only recorded if its pointer is from Edit, EditAll or EditSpans, in the same frame. The build
// tag berth_invariants finds other writes: the next Mark, Rewind or Changed then panics with the
// key of the value. [berth.History] describes values with pointers, memory, and use by several
// goroutines. [ListOf.Clip] releases the memory that no frame needs.
//
// After Rewind, the same calls issue the same keys as after the beginning of that frame, if Next
// depends only on its receiver. So discard the keys that were issued since: inserts may issue them
// again, for other values.
type History[T any, I Index, D Identifier[D]] struct {
	l   *ListOf[T, I, D]
	log *listLog[T, I, D] // nil after Close
}

// ListHistory is the History of a [List].
type ListHistory[T any] = History[T, uint32, Counter32]

// NewHistory begins to record the changes of l. It panics if l is nil or has a History already, or
// if c.Frames is less than 1. A Clone of l has no History.
// Cost: allocates; with c.Compare, a copy of the values.
//
//berth:shares r0 of l
func NewHistory[T any, I Index, D Identifier[D]](
	l *ListOf[T, I, D], c berth.HistoryConfig,
) *History[T, I, D] {
	switch {
	case l == nil:
		panic("stable: NewHistory: the list must not be nil")
	case listRecorder(l) != nil:
		panic("stable: NewHistory: the list must not have a History already")
	case c.Frames < 1:
		panic(fmt.Sprintf("stable: NewHistory: Frames must be at least 1 (got %d)", c.Frames))
	}
	listBegin(l)
	return &History[T, I, D]{l: l, log: newListLog(l, c)}
}

// open returns the log. It panics if s is closed.
func (s *History[T, I, D]) open(fn string) *listLog[T, I, D] {
	if s.log == nil {
		panic("stable: History." + fn + ": the History is closed")
	}
	return s.log
}

// Mark ends the current frame, and begins the next one. It returns the number of the new frame. If
// there are more than HistoryConfig.Frames then, it forgets the oldest one.
// Cost: O(changes), and a copy of the placement's record of vacant slots: one word per 64 of Cap
// under FirstFree, and O(Touched) under the others. With Compare, a comparison of all values. It
// allocates nothing, unless there are more changes than ever before.
// Ends: pointers from Edit, EditAll and EditSpans are no longer recorded.
//
//berth:ends other
func (s *History[T, I, D]) Mark() berth.Frame {
	l := s.open("Mark")
	logFind(l, "Mark")
	l.log.Mark(l)
	logSave(l, l.heads.Next())
	return berth.Frame(l.log.Now())
}

// Edit returns a pointer to the value of k for writing, or nil if k is stale, zero or foreign. It
// is [ListOf.Ptr] for a value that will be changed. Writes are recorded until the next Mark or
// Rewind.
// Cost: O(1); the first time in a frame it copies the value, or 64 values where many are edited. It
// allocates nothing, unless there are more changes than ever before.
//
//berth:asks k
//berth:lends r0 by k
func (s *History[T, I, D]) Edit(k Key[T, I, D]) *T {
	v := s.l.Ptr(k)
	if v == nil {
		s.open("Edit")
		return nil
	}
	if i := int(k.index); !s.log.log.Logged(i/pageSlots, i%pageSlots) {
		s.log.note(i)
	}
	return v
}

// EditAll is [ListOf.All] for values that will be changed: it records each value before it yields
// it. If the body calls Mark, the values yielded before are no longer recorded. If it calls Close,
// the loop continues without recording.
// Cost: as All, and a copy of the values. It allocates nothing, unless there are more changes than
// ever before.
//
//berth:issues y0
//berth:lends y1 by y0
func (s *History[T, I, D]) EditAll() iter.Seq2[Key[T, I, D], *T] {
	s.open("EditAll")
	return func(yield func(Key[T, I, D], *T) bool) {
		l := s.l
		for k, v := range l.All() {
			if rec := s.log; rec != nil {
				rec.note(int(k.index))
			}
			if !yield(k, v) {
				return
			}
		}
	}
}

// EditSpans is [ListOf.Spans] for values that will be changed: it records each span before it
// yields it. If the body calls Mark, the spans yielded before are no longer recorded. If it calls
// Close, the loop continues without recording.
// Cost: as Spans, and a copy of the values. It allocates nothing, unless there are more changes
// than ever before.
//
//berth:issues y0
//berth:lends y1
func (s *History[T, I, D]) EditSpans() iter.Seq2[Key[T, I, D], []T] {
	s.open("EditSpans")
	return func(yield func(Key[T, I, D], []T) bool) {
		l := s.l
		for k, span := range l.Spans() {
			if rec := s.log; rec != nil {
				rec.noteRange(int(k.index), int(k.index)+len(span))
			}
			if !yield(k, span) {
				return
			}
		}
	}
}

// Rewind makes the list what it was when frame f began: its values, its keys, the keys that the
// next inserts issue, and its length. f is then the current frame, and later frames are forgotten.
// If f is older than Oldest, or has not begun, Rewind changes nothing and returns an error that
// wraps [ErrForgotten].
//
// Rewind calls no hooks. A loop over the list that is running may continue, and visits what is live
// then.
// Cost: O(changes since f), and a copy as Mark makes one. It allocates only to restore memory that
// was released since.
// Ends: keys of values that were not live when f began; all pointers to values.
//
//berth:ends all
//berth:clones
func (s *History[T, I, D]) Rewind(f berth.Frame) error {
	l := s.open("Rewind")
	if oldest, now := l.log.Oldest(), l.log.Now(); uint64(f) < oldest || uint64(f) > now {
		return fmt.Errorf("%w: frame %d is not in %d to %d", ErrForgotten, f, oldest, now)
	}
	logFind(l, "Rewind")
	logRewind(l, uint64(f))
	return nil
}

// Oldest returns the number of the oldest frame that Rewind can go back to.
// Cost: O(1).
func (s *History[T, I, D]) Oldest() berth.Frame {
	return berth.Frame(s.open("Oldest").log.Oldest())
}

// Changed returns an iterator over the keys whose values have changed since frame f began, in slot
// order. They are the delta for a peer that has the list as of that frame. If a slot has lost one
// value and got another, Removed comes before Inserted. A value that was inserted and removed since
// does not appear. The changes are those up to the beginning of the loop, whose body may use the
// list and the History in any way.
//
// Changed panics if f is older than Oldest or has not begun.
// Cost: O(changes since f), and O(1) for each 64 slots; allocates a list of the changes.
func (s *History[T, I, D]) Changed(f berth.Frame) iter.Seq2[Key[T, I, D], berth.Change] {
	logMustHold(s.open("Changed"), uint64(f))
	return func(yield func(Key[T, I, D], berth.Change) bool) {
		l := s.open("Changed")
		logMustHold(l, uint64(f))
		logFind(l, "Changed")
		list := l.list[:0]
		l.list = nil // the body may call Changed
		list = logChanges(l, uint64(f), list)
		for _, x := range list {
			if !yield(x.k, x.c) {
				break
			}
		}
		l.list = list
	}
}

// Close ends the recording, and forgets all frames. The list stays as it is, and may get another
// History. Every other method panics afterwards. A second Close does nothing.
// Cost: O(1).
func (s *History[T, I, D]) Close() {
	if s.log != nil {
		s.l.hooks.log = nil
		s.l.SetHooks(s.l.hooks.Hooks)
		s.l, s.log = new(ListOf[T, I, D]), nil
	}
}

const (
	pageSlots = 64
	few       = journal.Few
)

// listLog records the changes of a list for its History. The functions that empty slots call note
// before they do so, those that fill a slot call filled afterwards, and those that replace the
// contents of the whole list call forgetFrames afterwards. While there is a listLog, hooks is not
// nil, so that the fast paths of inserts and removals need no such call.
type listLog[T any, I Index, D Identifier[D]] struct {
	l       *ListOf[T, I, D]
	compare bool
	log     *journal.Log[T, D, int]
	heads   journal.Ring[listHead[I, D]]
	list    []keyChange[T, I, D] // memory of Changed
}

// listHead is what a list has beside its slots, as it was when a frame began.
type listHead[I Index, D Identifier[D]] struct {
	n, open, size              int // open is the number of slots touched
	last, firstID              D
	truncations, grown, visits uint64
	removes                    uint64
	low                        freelist.Lowest
	heap                       heap[I]
	q                          quarters[I]
	ends, next                 []I // the links of heap and q
}

// keyChange is what happened to a value.
type keyChange[T any, I Index, D Identifier[D]] struct {
	k Key[T, I, D]
	c berth.Change
}

// newListLog makes l record its changes.
func newListLog[T any, I Index, D Identifier[D]](
	l *ListOf[T, I, D], c berth.HistoryConfig,
) *listLog[T, I, D] {
	rec := &listLog[T, I, D]{
		l: l, compare: c.Compare, heads: journal.NewRing[listHead[I, D]](c.Frames),
	}
	var live func(D) bool
	if c.Compare || invariants.On {
		live = func(id D) bool { var zero D; return id != zero }
	}
	rec.log = journal.NewLog[T, D, int](c.Frames, live)
	logCover(rec, 0)
	logSave(rec, rec.heads.At(1))
	if l.hooks == nil {
		l.hooks = &hooks[T, I, D]{}
	}
	l.hooks.log, l.quick = rec, 0
	return rec
}

// logCover makes the journal ready for the present slots from page k on.
func logCover[T any, I Index, D Identifier[D]](r *listLog[T, I, D], k int) {
	n := (cap(r.l.ids) + pageSlots - 1) / pageSlots
	r.log.Grow(n)
	for ; k < n; k++ {
		vals, _ := r.Slots(k, k)
		r.log.Cover(k, vals)
	}
}

// note records slot i before it changes.
func (r *listLog[T, I, D]) note(i int) { logNoteAs(r, i, &r.l.vals[i], r.l.ids[i]) }

// filled records slot i, which was vacant and has just been filled.
func (r *listLog[T, I, D]) filled(i int) {
	var none T
	var zero D
	logNoteAs(r, i, &none, zero)
}

// logNoteAs records slot i, which held v and had the identifier id.
func logNoteAs[T any, I Index, D Identifier[D]](r *listLog[T, I, D], i int, v *T, id D) {
	k := i / pageSlots
	if k >= r.log.Len() {
		logCover(r, r.log.Len())
	}
	if r.log.Note(k, k, i%pageSlots, v, id) {
		logImage(r, k, 0)
	}
}

// logImage records all slots of page k.
func logImage[T any, I Index, D Identifier[D]](r *listLog[T, I, D], k int, slots uint64) {
	vals, ids := r.Slots(k, k)
	r.log.Image(k, k, journal.Words{}, slots, vals, ids)
}

// noteRange records the slots from first to before end, before they change.
func (r *listLog[T, I, D]) noteRange(first, end int) {
	if end > first && (end-1)/pageSlots >= r.log.Len() {
		logCover(r, r.log.Len())
	}
	for i := first; i < end; {
		k := i / pageSlots
		next := min((k+1)*pageSlots, end)
		if n := next - i; n > few {
			logImage(r, k, (1<<n-1)<<(i%pageSlots))
			i = next
			continue
		}
		for ; i < next; i++ {
			r.note(i)
		}
	}
}

// logFind records the values that were written to without Edit. Without Compare, and with the tag
// berth_invariants, it panics if there is one.
func logFind[T any, I Index, D Identifier[D]](r *listLog[T, I, D], fn string) {
	if !r.compare && !invariants.On {
		return
	}
	l := r.l
	if n := (len(l.ids) + pageSlots - 1) / pageSlots; n > r.log.Len() {
		logCover(r, r.log.Len())
	}
	for first := 0; first < len(l.ids); first += pageSlots {
		k, last := first/pageSlots, min(first+pageSlots, len(l.ids))
		var slots uint64
		for i := first; i < last; i++ {
			if !l.vacant(i) {
				slots |= 1 << (i - first)
			}
		}
		slots &^= r.log.LoggedSlots(k)
		for w := r.log.Differs(k, l.vals[first:last], slots); w != 0; w &= w - 1 {
			i := first + bits.TrailingZeros64(w)
			if !r.compare {
				panic("stable: History." + fn + ": the value of " + l.KeyAt(I(i)).String() +
					" was written to through a pointer that is not from Edit")
			}
			r.note(i)
		}
	}
}

// logSave makes h the state of the list.
func logSave[T any, I Index, D Identifier[D]](r *listLog[T, I, D], h *listHead[I, D]) {
	l := r.l
	h.open = len(l.ids)
	h.n, h.size, h.last, h.firstID = l.n, l.size, l.last, l.firstID
	h.truncations, h.grown, h.visits = l.truncations, l.grown, l.visits
	h.removes = listRemoves(l)
	h.low.CopyFrom(&l.low)
	heapCopyFrom(&h.heap, &l.heap)
	quartersCopyFrom(&h.q, &l.q)
	h.ends = append(h.ends[:0], l.heap.ends[:min(h.open, len(l.heap.ends))]...)
	h.next = append(h.next[:0], l.q.next[:min(h.open, len(l.q.next))]...)
}

// logRewind makes the list what it was when frame f began.
func logRewind[T any, I Index, D Identifier[D]](r *listLog[T, I, D], f uint64) {
	l, h := r.l, r.heads.At(f)
	l.past.change()
	l.past.check(l.ids, l.vals[:cap(l.vals)])
	if h.size > cap(l.ids) {
		listSetCap(l, h.size)
	}
	logCover(r, r.log.Len())
	r.log.Rewind(f, r)
	r.heads.Back(f)
	l.ids, l.vals = l.ids[:h.open], l.vals[:h.open]
	l.past.vacant(l.ids, l.vals)
	l.n, l.size, l.quick, l.last, l.firstID = h.n, h.size, 0, h.last, h.firstID
	l.truncations, l.grown, l.visits = h.truncations, h.grown, h.visits
	l.changes++
	listSetRemoves(l, h.removes)
	l.low.CopyFrom(&h.low)
	heapCopyFrom(&l.heap, &h.heap)
	quartersCopyFrom(&l.q, &h.q)
	listLink(l)
	copy(l.heap.ends, h.ends)
	copy(l.q.next, h.next)
	if invariants.On {
		listChanged(l)
	}
}

// logMustHold panics if frame f is not held.
func logMustHold[T any, I Index, D Identifier[D]](r *listLog[T, I, D], f uint64) {
	if oldest, now := r.log.Oldest(), r.log.Now(); f < oldest || f > now {
		panic(fmt.Sprintf("stable: History.Changed: the frame must be from %d to %d (got %d)",
			oldest, now, f))
	}
}

// logChanges appends the changes since the beginning of frame f to list, in slot order.
func logChanges[T any, I Index, D Identifier[D]](
	r *listLog[T, I, D], f uint64, list []keyChange[T, I, D],
) []keyChange[T, I, D] {
	var zero D
	r.log.Since(f, r, func(k int, touched uint64, was *[pageSlots]D) {
		for i, id := range was {
			key := Key[T, I, D]{index: I(k*pageSlots + i), id: id}
			now := r.l.KeyAt(key.index)
			switch {
			case id != now.id:
				if id != zero {
					list = append(list, keyChange[T, I, D]{key, berth.Removed})
				}
				if now.id != zero {
					list = append(list, keyChange[T, I, D]{now, berth.Inserted})
				}
			case id != zero && touched>>i&1 != 0:
				list = append(list, keyChange[T, I, D]{key, berth.Edited})
			}
		}
	})
	return list
}

// replaced makes the present state of the list the beginning of a new frame, and forgets all
// others.
func (r *listLog[T, I, D]) replaced() {
	r.log.Forget()
	logCover(r, 0)
	logSave(r, r.heads.Restart())
}

// clip releases the memory that no frame needs.
func (r *listLog[T, I, D]) clip() {
	r.log.Clip((cap(r.l.ids) + pageSlots - 1) / pageSlots)
	r.heads.Clip(func(h *listHead[I, D]) {
		h.low, h.heap, h.q = *h.low.Clone(), heapClone(&h.heap), quartersClone(&h.q)
		h.ends, h.next = slices.Clone(h.ends), slices.Clone(h.next)
	})
	r.list = nil
}

// Ref implements [journal.Pages].
func (r *listLog[T, I, D]) Ref(k int) int { return k }

// Slots implements [journal.Pages].
func (r *listLog[T, I, D]) Slots(k, _ int) ([]T, []D) {
	n := cap(r.l.ids)
	first, last := min(k*pageSlots, n), min((k+1)*pageSlots, n)
	return r.l.vals[:n][first:last], r.l.ids[:n][first:last]
}

// Restored implements [journal.Pages].
func (r *listLog[T, I, D]) Restored(int, int, uint64, uint64, journal.Words) {}
