package berth

import (
	"iter"
	"math/bits"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/journal"
)

// History keeps the last frames of a [Pool], and takes the Pool back to the beginning of any of
// them: for rollback netcode, undo, and simulations that look ahead. NewHistory makes one.
//
// A frame is the time between two calls of [History.Mark]. The first begins with NewHistory, and is
// number 1. Insert, Remove and all other methods of the Pool are recorded by themselves. A write to
// a value is only recorded if its pointer is from [History.Edit], [History.EditAll] or
// [History.EditSpans], in the same frame. The build tag berth_invariants finds other writes: the
// next Mark, Rewind or Changed then panics with the handle of the value.
//
// A History copies only what changes. So a frame with few changes takes little time and memory,
// however large the Pool is. While a Pool has a History, its inserts and removals take about three
// times as long.
//
// # Values with pointers
//
// Values are copied by assignment, so Rewind does not restore what they point to. A value that was
// removed or edited stays in memory until its frame is forgotten.
//
// # Memory
//
// A History uses the memory of forgotten frames again for later ones. It keeps that of its largest
// frames until [Pool.Clip], which releases all that no frame needs.
//
// # Handles
//
// After Rewind, the same calls issue the same handles as after the beginning of that frame. So
// discard the handles that were issued since: inserts may issue them again, for other values.
//
// # Use by several goroutines
//
// A History counts as a part of its Pool. Edit, EditAll and EditSpans change it.
type History[T any] struct {
	p   *Pool[T]
	log *poolLog[T] // nil after Close
}

// NewHistory begins to record the changes of p. It panics if p is nil or has a History already, if
// c.Frames is less than 1, or if an InsertFunc of p is running. A Clone of p has no History.
// Cost: allocates; with c.Compare, a copy of the values.
//
//berth:shares r0 of p
func NewHistory[T any](p *Pool[T], c HistoryConfig) *History[T] {
	c.check("NewHistory")
	switch {
	case p == nil:
		panic("berth: NewHistory: the Pool must not be nil")
	case p.rare.recorder() != nil:
		panic("berth: NewHistory: the Pool must not have a History already")
	}
	coreOf(p).ready(0)
	return &History[T]{p: p, log: newPoolLog("NewHistory", p, c)}
}

// open returns the log. It panics if s is closed.
func (s *History[T]) open(fn string) *poolLog[T] {
	if s.log == nil {
		panic("berth: History." + fn + ": the History is closed")
	}
	return s.log
}

// Mark ends the current frame, and begins the next one. It returns the number of the new frame. If
// there are more than HistoryConfig.Frames then, it forgets the oldest one. Mark panics if an
// InsertFunc of the Pool is running.
// Cost: O(changes), and O(1) for each 4096 slots of the Pool; with Compare a comparison of all
// values. It allocates nothing, unless there are more changes than ever before.
// Ends: pointers from Edit, EditAll and EditSpans are no longer recorded.
//
//berth:ends other
func (s *History[T]) Mark() Frame {
	l := s.open("Mark")
	l.quiet("History.Mark")
	l.find("History.Mark")
	return Frame(l.mark())
}

// Edit returns a pointer to the value of h for writing, or nil if h is stale, zero or foreign. It
// is [Pool.Ptr] for a value that will be changed. Writes are recorded until the next Mark or
// Rewind.
// Cost: O(1); the first time in a frame it copies the value, or 64 values where many are edited. It
// allocates nothing, unless there are more changes than ever before.
//
//berth:asks h
//berth:lends r0 by h
func (s *History[T]) Edit(h Handle[T]) *T {
	p := s.p
	x := h.index - p.salt
	if k := int(x >> 6); k < len(p.dir) {
		if b := p.dir[k]; b != nil && b.gens[x&63] == h.gen && h.gen&1 != 0 {
			if l := s.log; !l.log.Logged(k, int(x&63)) {
				l.note(&b.head, k, int(x&63))
			}
			return &b.vals[x&63]
		}
	}
	s.open("Edit")
	return nil
}

// EditAll is [Pool.All] for values that will be changed: it records each value before it yields it.
// If the body calls Mark, the values yielded before are no longer recorded. If it calls Close, the
// loop continues without recording.
// Cost: as All, and a copy of the values. It allocates nothing, unless there are more changes than
// ever before.
//
//berth:issues y0
//berth:lends y1 by y0
func (s *History[T]) EditAll() iter.Seq2[Handle[T], *T] {
	s.open("EditAll")
	return func(yield func(Handle[T], *T) bool) {
		p, end := s.p, len(s.p.dir)
		for k := 0; ; k++ {
			if !p.live.Has(k) {
				k = p.live.Next(k)
			}
			if uint(k) >= uint(end) {
				break
			}
			b := p.dir[k]
			if l := s.log; l != nil {
				l.expect(b, k, b.occ)
			}
			for w := b.occ; w != 0; w = (w & b.occ) & (w - 1) {
				i := bits.TrailingZeros64(w)
				if l := s.log; l != nil && !l.log.Logged(k, i) {
					l.note(&b.head, k, i)
				}
				if !yield(Handle[T]{id: look(p).id(&b.head, k, i)}, &b.vals[i]) {
					return
				}
				if look(p).left(k, &b.head) {
					break
				}
			}
		}
	}
}

// EditSpans is [Pool.Spans] for values that will be changed: it records each span before it yields
// it. If the body calls Mark, the spans yielded before are no longer recorded. If it calls Close,
// the loop continues without recording.
// Cost: as Spans, and a copy of the values. It allocates nothing, unless there are more changes
// than ever before.
//
//berth:issues y0
//berth:lends y1
func (s *History[T]) EditSpans() iter.Seq2[Handle[T], []T] {
	s.open("EditSpans")
	return func(yield func(Handle[T], []T) bool) {
		p, end := s.p, len(s.p.dir)
		for k := 0; ; k++ {
			if !p.live.Has(k) {
				k = p.live.Next(k)
			}
			if uint(k) >= uint(end) {
				break
			}
			b := p.dir[k]
			for w := b.occ; w != 0; w &= b.occ {
				i, n := bitset.Run(w)
				w &= bitset.Beyond(i + n)
				if l := s.log; l != nil {
					l.expect(b, k, b.occ)
					l.noteAll(&b.head, k, b.occ&bitset.Beyond(i)&^bitset.Beyond(i+n))
				}
				if !yield(Handle[T]{id: look(p).id(&b.head, k, i)}, b.vals[i:i+n:i+n]) {
					return
				}
				if look(p).left(k, &b.head) {
					break
				}
			}
		}
	}
}

// Rewind makes the Pool what it was when frame f began: its values, its handles, and the handles
// that the next inserts issue. f is then the current frame, and later frames are forgotten. If f is
// older than Oldest, or has not begun, Rewind changes nothing and returns an error that wraps
// [ErrForgotten]. It panics if an InsertFunc of the Pool is running.
//
// Rewind calls no hooks. A loop over the Pool that is running may continue, and visits what is live
// then. Near grids and the like must be told of the change.
// Cost: O(changes since f), and O(1) for each 4096 slots of the Pool. It allocates only to restore
// the size of the directory.
// Ends: handles and pointers of values that were not live when f began.
//
//berth:ends emptied
//berth:clones
func (s *History[T]) Rewind(f Frame) error {
	l := s.open("Rewind")
	if err := forgotten(uint64(f), l.log.Oldest(), l.log.Now()); err != nil {
		return err
	}
	l.quiet("History.Rewind")
	l.find("History.Rewind")
	l.rewind(uint64(f))
	return nil
}

// Oldest returns the number of the oldest frame that Rewind can go back to.
// Cost: O(1).
func (s *History[T]) Oldest() Frame { return Frame(s.open("Oldest").log.Oldest()) }

// Changed returns an iterator over the handles whose values have changed since frame f began, in
// slot order. They are the delta for a peer that has the Pool as of that frame. If a slot has lost
// one value and got another, Removed comes before Inserted. A value that was inserted and removed
// since does not appear. The changes are those up to the beginning of the loop, whose body may use
// the Pool and the History in any way.
//
// Changed panics if f is older than Oldest or has not begun.
// Cost: O(changes since f), and O(1) for each 64 slots; allocates a list of the changes.
func (s *History[T]) Changed(f Frame) iter.Seq2[Handle[T], Change] {
	l := s.open("Changed")
	mustHold("History.Changed", uint64(f), l.log.Oldest(), l.log.Now())
	return func(yield func(Handle[T], Change) bool) {
		l := s.open("Changed")
		mustHold("History.Changed", uint64(f), l.log.Oldest(), l.log.Now())
		l.find("History.Changed")
		list := l.list[:0]
		l.list = nil // the body may call Changed
		list = l.changes(uint64(f), list, true)
		for _, x := range list {
			if !yield(x.h, x.c) {
				break
			}
		}
		l.list = list
	}
}

// Close ends the recording, and forgets all frames. The Pool stays as it is, and may get another
// History. Every other method panics afterwards. A second Close does nothing.
// Cost: O(1), and O(frames) with a [Memory].
func (s *History[T]) Close() {
	if s.log != nil {
		s.log.close()
		s.p, s.log = new(Pool[T]), nil
	}
}

// few is the number of values from which on EditSpans keeps a whole block at once.
const few = journal.Few
