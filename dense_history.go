package berth

import "iter"

// DenseHistory keeps the last frames of a [Dense], and takes the Dense back to the beginning of any
// of them. [History] describes frames, values with pointers, memory, and handles. [Dense.Clip]
// releases the memory that no frame needs. NewDenseHistory makes one.
//
// Moves of values, as in Defrag and Sort, are recorded like all other changes, and are not changes
// of the values. A write to the slice of [Dense.Slice] is not recorded: it is a write through
// another pointer.
type DenseHistory[T any] struct {
	d   *Dense[T]
	log *denseLog[T] // nil after Close
}

// NewDenseHistory begins to record the changes of d. It panics if d is nil or has a DenseHistory
// already, if c.Frames is less than 1, or if an InsertFunc of d is running. A Clone of d has no
// DenseHistory.
// Cost: allocates; with c.Compare, a copy of the values.
//
//berth:shares r0 of d
func NewDenseHistory[T any](d *Dense[T], c HistoryConfig) *DenseHistory[T] {
	c.check("NewDenseHistory")
	switch {
	case d == nil:
		panic("berth: NewDenseHistory: the Dense must not be nil")
	case d.rare.placeRecorder() != nil:
		panic("berth: NewDenseHistory: the Dense must not have a DenseHistory already")
	}
	d.index.core().ready(0)
	return &DenseHistory[T]{d: d, log: newDenseLog("NewDenseHistory", d, c)}
}

// open returns the log. It panics if s is closed.
func (s *DenseHistory[T]) open(fn string) *denseLog[T] {
	if s.log == nil {
		panic("berth: DenseHistory." + fn + ": the DenseHistory is closed")
	}
	return s.log
}

// Mark ends the current frame, and begins the next one. It returns the number of the new frame. If
// there are more than HistoryConfig.Frames then, it forgets the oldest one. Mark panics if an
// InsertFunc of the Dense is running.
// Cost: O(changes), and O(1) for each 4096 slots of the Dense; with Compare a comparison of all
// values. It allocates nothing, unless there are more changes than ever before.
// Ends: pointers from Edit, EditAll and EditSpans are no longer recorded.
//
//berth:ends other
func (s *DenseHistory[T]) Mark() Frame {
	l := s.open("Mark")
	l.index.quiet("DenseHistory.Mark")
	l.find("DenseHistory.Mark")
	return Frame(l.mark())
}

// Edit returns a pointer to the value of h for writing, or nil if h is stale, zero or foreign. It
// is [Dense.Ptr] for a value that will be changed. Writes are recorded until the next Mark or
// Rewind, or until the value moves.
// Cost: O(1); the first time in a frame it copies the value, or 64 values where many are edited. It
// allocates nothing, unless there are more changes than ever before.
//
//berth:asks h
//berth:lends r0 by h
func (s *DenseHistory[T]) Edit(h Handle[T]) *T {
	d := s.d
	x := h.index - d.index.salt
	if k := int(x >> 6); k < len(d.index.dir) {
		if b := d.index.dir[k]; b != nil && b.gens[x&63] == h.gen && h.gen&1 != 0 {
			i := b.vals[x&63]
			if l := s.log; k >= len(l.edits) || l.edits[k]>>(x&63)&1 == 0 {
				l.edit(x, int(i))
			}
			return &d.vals[i]
		}
	}
	s.open("Edit")
	return nil
}

// EditAll is [Dense.All] for values that will be changed: it records each value before it yields
// it. If the body calls Mark, the values yielded before are no longer recorded. If it calls Close,
// the loop continues without recording.
// Cost: as All, and a copy of the values. It allocates nothing, unless there are more changes than
// ever before.
//
//berth:issues y0
//berth:lends y1 by y0
func (s *DenseHistory[T]) EditAll() iter.Seq2[Handle[T], *T] {
	s.open("EditAll")
	return func(yield func(Handle[T], *T) bool) {
		d := s.d
		for h, v := range d.All() {
			if l := s.log; l != nil {
				l.editAt(h)
			}
			if !yield(h, v) {
				return
			}
		}
	}
}

// EditSpans is [Dense.Spans] for values that will be changed: it records each span before it yields
// it. If the body calls Mark, the spans yielded before are no longer recorded. If it calls Close,
// the loop continues without recording.
// Cost: as Spans, O(Len), and a copy of the values. It allocates nothing, unless there are more
// changes than ever before.
//
//berth:issues y0
//berth:lends y1
func (s *DenseHistory[T]) EditSpans() iter.Seq2[Handle[T], []T] {
	s.open("EditSpans")
	return func(yield func(Handle[T], []T) bool) {
		d := s.d
		for h, span := range d.Spans() {
			if l := s.log; l != nil {
				l.editRun(d.PlaceOf(h), len(span))
			}
			if !yield(h, span) {
				return
			}
		}
	}
}

// Rewind makes the Dense what it was when frame f began: its values, their order, its holes, its
// handles, and the handles that the next inserts issue. f is then the current frame, and later
// frames are forgotten. If f is older than Oldest, or has not begun, Rewind changes nothing and
// returns an error that wraps [ErrForgotten]. If Memory refuses the places that the Dense had then,
// Rewind changes nothing and returns Memory's error. It panics if an InsertFunc of the Dense is
// running.
//
// Rewind calls no hooks. A loop over the Dense that is running ends at its next step.
// Cost: O(changes since f), and O(1) for each 4096 slots of the Dense. It allocates only to restore
// memory that was released since.
// Ends: handles of values that were not live when f began; all pointers to values.
//
//berth:ends all
//berth:clones
func (s *DenseHistory[T]) Rewind(f Frame) error {
	l := s.open("Rewind")
	if err := forgotten(uint64(f), l.log.Oldest(), l.log.Now()); err != nil {
		return err
	}
	l.index.quiet("DenseHistory.Rewind")
	l.find("DenseHistory.Rewind")
	return l.rewind(uint64(f))
}

// Oldest returns the number of the oldest frame that Rewind can go back to.
// Cost: O(1).
func (s *DenseHistory[T]) Oldest() Frame { return Frame(s.open("Oldest").log.Oldest()) }

// Changed returns an iterator over the handles whose values have changed since frame f began, in
// the order of their slots, not of the slice. [History.Changed] describes it.
//
// Changed panics if f is older than Oldest or has not begun.
// Cost: O(changes since f), and O(1) for each 64 slots; allocates a list of the changes.
func (s *DenseHistory[T]) Changed(f Frame) iter.Seq2[Handle[T], Change] {
	l := s.open("Changed")
	mustHold("DenseHistory.Changed", uint64(f), l.log.Oldest(), l.log.Now())
	return func(yield func(Handle[T], Change) bool) {
		l := s.open("Changed")
		mustHold("DenseHistory.Changed", uint64(f), l.log.Oldest(), l.log.Now())
		l.find("DenseHistory.Changed")
		list := l.index.list[:0]
		l.index.list = nil // the body may call Changed
		list = l.changes(uint64(f), list)
		for _, x := range list {
			if !yield(Handle[T]{id: id{x.h.index, x.h.gen}}, x.c) {
				break
			}
		}
		l.index.list = list
	}
}

// Close ends the recording, and forgets all frames. The Dense stays as it is, and may get another
// DenseHistory. Every other method panics afterwards. A second Close does nothing.
// Cost: O(1), and O(frames) with a [Memory].
func (s *DenseHistory[T]) Close() {
	if s.log != nil {
		s.log.close()
		s.d, s.log = new(Dense[T]), nil
	}
}
