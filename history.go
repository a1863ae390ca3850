package berth

import (
	"errors"
	"fmt"
	"iter"
	"strconv"

	"github.com/seed505807e1/berth/internal/journal"
	"github.com/seed505807e1/berth/internal/slots"
)

// ErrForgotten is returned by Rewind for a frame that is too old, or that has not begun.
var ErrForgotten = errors.New("berth: the History does not have the frame")

// Frame is the number of a frame of a [History]. Frames count from 1.
type Frame uint64

// Change is what happened to a value between two frames: see [History.Changed].
type Change uint8

const (
	// ChangeInserted is the change of a value that is live now, and was not when the frame began.
	ChangeInserted Change = iota + 1
	// ChangeRemoved is the change of a value that was live when the frame began, and is not now.
	ChangeRemoved
	// ChangeEdited is the change of a value that is live since the frame began, and that Edit,
	// EditAll or EditSpans gave out since. With HistoryConfig.Compare, it is also that of a value
	// that was written to through another pointer.
	ChangeEdited
)

// String returns the name of the constant without its prefix: "Inserted", "Removed" or "Edited".
//
// Cost: O(1); never allocates for the three constants.
func (c Change) String() string {
	switch c {
	case ChangeInserted:
		return "Inserted"
	case ChangeRemoved:
		return "Removed"
	case ChangeEdited:
		return "Edited"
	}
	return "Change(" + strconv.Itoa(int(c)) + ")"
}

// History keeps the last frames of a [Pool] or a [Dense], and takes the container back to the
// beginning of any of them: for rollback netcode, undo, and simulations that look ahead. NewHistory
// and NewDenseHistory make one.
//
// A frame is the time between two calls of [History.Mark]. The first begins with the History, and
// is number 1. Insert, Remove and all other methods of the container are recorded by themselves, as
// are moves of values, which are not changes of the values. A write to a value is only recorded if
// its pointer is from [History.Edit], [History.EditAll] or [History.EditSpans], in the same frame.
// The slice of [Dense.Slice] is not. The build tag berth_invariants finds other writes: the next
// Mark, Rewind or Changed then panics with the handle of the value.
//
// A History copies only what changes. So a frame with few changes takes little time and memory,
// however large the container is. If many of 64 values side by side change in each frame, it copies
// all of them. While a container has a History, its inserts and removals take
// about three times as long.
//
// # Values with pointers
//
// Values are copied by assignment, so Rewind does not restore what they point to. A value that was
// removed or edited stays in memory until its frame is forgotten.
//
// # Memory
//
// A History uses the memory of forgotten frames again for later ones. It keeps that of its largest
// frames until [Pool.Clip] or [Dense.Clip], which releases all that no frame needs.
//
// # Handles
//
// After Rewind, the same calls issue the same handles as after the beginning of that frame. So
// discard the handles that were issued since: inserts may issue them again, for other values.
//
// A Rewind cannot be undone. For redo, bring values back with [InsertAt].
//
// # Use by several goroutines
//
// A History counts as a part of its container. Edit, EditAll and EditSpans change it.
type History[T any] struct {
	p     *Pool[T]                // empty if the History is of a Dense, or closed
	d     *Dense[T]               // nil if it is of a Pool
	noted *journal.Noted          // the slots of which Edit has nothing to record in the frame
	slots *poolFrames             // of the Pool, or of the index of the Dense
	log   recording               // nil after Close
	vals  *journal.Log[T, uint32] // of a Pool
}

// recording is the log of a History: a poolLog or a denseLog.
type recording interface {
	Note(b *slots.Head, k, i int) // the value of slot i of b, which is block k, may be written to
	// noteRun does so for n values, from a slot of a Pool or a place of a Dense on. In a Pool, a
	// loop then goes on to the others in the block.
	noteRun(first, n int)
	find(fn string) // notes what was written to without Edit, or panics because of it
	mark()
	rewind(f uint64) error
	// changes appends those since frame f began, by slot. Without edits, it may leave out
	// ChangeEdited.
	changes(f uint64, list []changed, edits bool) []changed
	close()
}

// changed is what happened to the value of h.
type changed struct {
	h slots.ID
	c Change
}

// NewHistory begins to record the changes of p. It panics if p is nil or has a History already, if
// c.Frames is less than 1, or if an InsertFunc of p is running. A Clone of p has no History.
//
// Cost: allocates; with c.Compare, a copy of the values.
//
//berth:shares r0 of p
func NewHistory[T any](p *Pool[T], c HistoryConfig) *History[T] {
	const fn = "NewHistory"
	c.check(fn, "Pool", p == nil, p != nil && p.state.Rare.Recorder() != nil)
	l := newPoolLog(fn, p, c)
	return &History[T]{p: p, noted: &l.log.Noted, slots: &l.poolFrames, log: l, vals: l.log}
}

// NewDenseHistory is [NewHistory] for a Dense.
//
// Cost: allocates, as NewHistory does.
//
//berth:shares r0 of d
func NewDenseHistory[T any](d *Dense[T], c HistoryConfig) *History[T] {
	const fn = "NewDenseHistory"
	c.check(fn, "Dense", d == nil, d != nil && d.state.Rare.PlaceRecorder() != nil)
	l := newDenseLog(fn, d, c)
	noted, slots := &l.edits.log.Noted, &l.index.poolFrames
	return &History[T]{p: new(Pool[T]), d: d, noted: noted, slots: slots, log: l}
}

// open returns the log. It panics if s is closed.
func (s *History[T]) open(fn string) recording {
	if s.log == nil {
		panic("berth: History." + fn + ": the History is closed")
	}
	return s.log
}

// Mark ends the current frame, and begins the next one. It returns the number of the new frame. If
// there are more than HistoryConfig.Frames then, it forgets the oldest one. Mark panics if an
// InsertFunc of the container is running.
//
// Cost: O(changes), and O(1) for each 4096 slots; with Compare a comparison of all values. It
// allocates nothing, unless there are more changes than ever before.
//
// Ends: pointers from Edit, EditAll and EditSpans are no longer recorded.
//
//berth:ends other
func (s *History[T]) Mark() Frame {
	l := s.open("Mark")
	s.slots.quiet("History.Mark")
	l.find("History.Mark")
	l.mark()
	return Frame(s.slots.heads.Now())
}

// Edit returns a pointer to the value of h for writing, or nil if h is stale, zero or foreign. It
// is [Pool.Ptr] or [Dense.Ptr] for a value that will be changed. Writes are recorded until the next
// Mark or Rewind, and in a Dense until the value moves.
//
// Cost: O(1); the first time in a frame it copies the value, or 64 values where many are edited. It
// allocates nothing, unless there are more changes than ever before.
//
//berth:asks h
//berth:lends r0 by h
func (s *History[T]) Edit(h Handle[T]) *T {
	p := s.p
	x := h.id.Index - p.state.Salt
	if k := int(x >> 6); k < len(p.dir) {
		if b := p.dir[k]; b != nil && b.Gens[x&63] == h.id.Gen && h.id.Gen&1 != 0 {
			if !s.noted.Logged(k, int(x&63)) {
				s.vals.Note(k, int(x&63), &b.Vals[x&63], b.Gens[x&63])
			}
			return &b.Vals[x&63]
		}
	}
	l, d := s.open("Edit"), s.d
	if d == nil {
		return nil
	}
	b, x := s.slots.p.Find(h.id)
	if b == nil {
		return nil
	}
	if k, i := int(x>>6), int(x&63); !s.noted.Logged(k, i) {
		l.Note(b, k, i)
	}
	return &d.vals[slots.BlockOf[uint32](b).Vals[x&63]]
}

// EditAll is [Pool.All] or [Dense.All] for values that will be changed: it records each value
// before it yields it. If the body calls Mark, the values yielded before are no longer recorded. If
// it calls Close, the loop continues without recording.
//
// Cost: as All, and a copy of the values. It allocates nothing, unless there are more changes than
// ever before.
//
//berth:issues y0
//berth:lends y1 by y0
func (s *History[T]) EditAll() iter.Seq2[Handle[T], *T] {
	s.open("EditAll")
	return func(yield func(Handle[T], *T) bool) { editAll(s, yield) }
}

// editAll is the loop of EditAll. As a function, it leaves EditAll small enough to be inlined.
func editAll[T any](s *History[T], yield func(Handle[T], *T) bool) {
	if d := s.d; d != nil {
		for h, v := range d.All() {
			if l := s.log; l != nil {
				l.noteRun(d.PlaceOf(h), 1)
			}
			if !yield(h, v) {
				return
			}
		}
		return
	}
	p, block := s.p, -1
	for h, v := range p.All() {
		if l := s.log; l != nil {
			x := h.id.Index - p.state.Salt
			k, i := int(x>>6), int(x&63)
			if k != block {
				l.noteRun(k<<6, 0)
				block = k
			}
			if !s.noted.Logged(k, i) {
				l.Note(&p.dir[k].Head, k, i)
			}
		}
		if !yield(h, v) {
			return
		}
	}
}

// EditSpans is [Pool.Spans] or [Dense.Spans] for values that will be changed: it records each span
// before it yields it. If the body calls Mark, the spans yielded before are no longer recorded. If
// it calls Close, the loop continues without recording.
//
// Cost: as Spans, and a copy of the values. It allocates nothing, unless there are more changes
// than ever before.
//
//berth:issues y0
//berth:lends y1
func (s *History[T]) EditSpans() iter.Seq2[Handle[T], []T] {
	s.open("EditSpans")
	return func(yield func(Handle[T], []T) bool) { editSpans(s, yield) }
}

// editSpans is the loop of EditSpans.
func editSpans[T any](s *History[T], yield func(Handle[T], []T) bool) {
	if d := s.d; d != nil {
		for h, span := range d.Spans() {
			if l := s.log; l != nil {
				l.noteRun(d.PlaceOf(h), len(span))
			}
			if !yield(h, span) {
				return
			}
		}
		return
	}
	p := s.p
	for h, span := range p.Spans() {
		if l := s.log; l != nil {
			l.noteRun(int(h.id.Index-p.state.Salt), len(span))
		}
		if !yield(h, span) {
			return
		}
	}
}

// Rewind makes the container what it was when frame f began: its values, its handles, and the
// handles that the next inserts issue; and of a Dense the order of the values, and the holes. f is
// then the current frame, and later frames are forgotten. If f is older than Oldest, or has not
// begun, Rewind changes nothing and returns an error that wraps [ErrForgotten]. If the Memory of a
// Dense refuses the places that it had then, Rewind changes nothing and returns Memory's error. It
// panics if an InsertFunc of the container is running.
//
// Rewind calls no hooks. A loop over a Pool that is running may continue, and visits what is live
// then. A loop over a Dense ends at its next step. Near grids and the like must be told of the
// change.
//
// Cost: O(changes since f), and O(1) for each 4096 slots. It allocates only to restore memory that
// was released since.
//
// Ends: handles and pointers of values that were not live when f began; all pointers to the values
// of a Dense.
//
//berth:ends emptied
//berth:clones
func (s *History[T]) Rewind(f Frame) error {
	l := s.open("Rewind")
	if oldest, now := s.Oldest(), s.Now(); f < oldest || f > now {
		return fmt.Errorf("%w: frame %d is not in %d to %d", ErrForgotten, f, oldest, now)
	}
	s.slots.quiet("History.Rewind")
	l.find("History.Rewind")
	return l.rewind(uint64(f))
}

// Now returns the number of the current frame.
//
// Cost: O(1).
func (s *History[T]) Now() Frame {
	s.open("Now")
	return Frame(s.slots.heads.Now())
}

// Oldest returns the number of the oldest frame that Rewind can go back to.
//
// Cost: O(1).
func (s *History[T]) Oldest() Frame {
	s.open("Oldest")
	return Frame(s.slots.heads.Oldest())
}

// Changed returns an iterator over the handles whose values have changed since frame f began, in
// slot order, also for a Dense. They are the delta for a peer that has the container as of that
// frame. If a slot has lost one value and got another, ChangeRemoved comes before ChangeInserted. A
// value that was inserted and removed since does not appear. The changes are those up to the
// beginning of the loop, whose body may use the container and the History in any way.
//
// Changed panics if f is older than Oldest or has not begun.
//
// Cost: O(changes since f), and O(1) for each 64 slots; allocates a list of the changes.
func (s *History[T]) Changed(f Frame) iter.Seq2[Handle[T], Change] {
	s.open("Changed")
	s.slots.mustHold("History.Changed", f)
	return func(yield func(Handle[T], Change) bool) {
		l, m := s.open("Changed"), s.slots
		m.mustHold("History.Changed", f)
		l.find("History.Changed")
		list := m.list[:0]
		m.list = nil // the body may call Changed
		list = l.changes(uint64(f), list, true)
		for _, x := range list {
			if !yield(Handle[T]{id: x.h}, x.c) {
				break
			}
		}
		m.list = list
	}
}

// mustHold panics if f is not from the oldest frame to the current one.
func (l *poolFrames) mustHold(fn string, f Frame) {
	if oldest, now := Frame(l.heads.Oldest()), Frame(l.heads.Now()); f < oldest || f > now {
		panic(fmt.Sprintf("berth: %s: the frame must be from %d to %d (got %d)",
			fn, oldest, now, f))
	}
}

// Close ends the recording, and forgets all frames. The container stays as it is, and may get
// another History. Every other method panics afterwards. A second Close does nothing.
//
// Cost: O(1), and O(frames) with a [Memory].
func (s *History[T]) Close() {
	if s.log == nil {
		return
	}
	s.log.close()
	s.p, s.log = new(Pool[T]), nil
	if s.d != nil {
		s.d = new(Dense[T])
	}
}
